"""Matrices from diagonals: their sizes if some are not specified."""

import pytest

import eagerflow as tf


@pytest.mark.parametrize("k", [-2, -1, 0, 1, 2])
def test_matrices_are_square_by_default(k):
    matrix = tf.linalg.diag([1, 2, 5], k=k)
    assert matrix.shape == (3 + abs(k), 3 + abs(k))
    assert tf.linalg.diag_part(matrix, k=k).numpy().tolist() == [1, 2, 5]
    assert int(tf.reduce_sum(matrix)) == 8


def test_one_given_size_leaves_the_least_of_the_other():
    assert tf.linalg.diag([1, 2, 5], k=1, num_cols=4).shape == (3, 4)
    assert tf.linalg.diag([1, 2, 5], k=-1, num_rows=5).shape == (5, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="diagonal"):
        tf.linalg.diag([1, 2, 5], k=1, num_rows=9, num_cols=9)


@pytest.mark.parametrize("in_graph", [False, True])
@pytest.mark.parametrize(
    "values",
    [[[True, False], [False, True]], [["a", "b"], ["c", "d"]], [[1, 2], [3, 4]], [[1j, 2], [3, 4]]],
    ids=["bool", "string", "int", "complex"],
)
def test_all_dtypes_have_diagonals(values, in_graph):
    def run(function):
        return (tf.function(function) if in_graph else function)().numpy().tolist()

    def stored(nested):
        return tf.constant(nested, matrix.dtype).numpy().tolist()

    matrix = tf.constant(values)
    nothing = {tf.bool: False, tf.string: ""}.get(matrix.dtype, 0)
    (a, b), (c, d) = values
    assert run(lambda: tf.linalg.diag(values[0])) == stored([[a, nothing], [nothing, b]])
    assert run(lambda: tf.linalg.diag([a], k=-1)) == stored([[nothing, nothing], [a, nothing]])
    assert run(lambda: tf.linalg.diag([a, b], padding_value=c)) == stored([[a, c], [c, b]])
    band = [[a, nothing], [c, d]]
    assert run(lambda: tf.linalg.diag(band, k=(0, 1), align="LEFT_LEFT")) == stored(
        [[c, a], [nothing, d]]
    )
    assert run(lambda: tf.linalg.diag_part(values)) == stored([a, d])
    assert run(lambda: tf.linalg.diag_part(values, k=1)) == stored([b])
    assert run(lambda: tf.linalg.diag_part(values, k=(-1, 0))) == stored([[a, d], [c, nothing]])
    assert run(lambda: tf.linalg.set_diag(values, [b, c])) == stored([[b, b], [c, c]])
