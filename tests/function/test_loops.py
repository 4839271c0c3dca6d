"""Map, fold and scan in traced functions."""

import numpy as np
import pytest

import eagerflow as tf
from function.traced import traced

MATRIX = tf.TensorSpec([None, 2], tf.float32)
X = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def pair(x):
    return tf.reduce_sum(x), {"twice": x * 2}


FUNCTIONS = {
    "map": lambda x: tf.map_fn(lambda row: row * row, x),
    "map structure": lambda x: tf.map_fn(
        pair, x, fn_output_signature=(tf.float32, {"twice": tf.TensorSpec([2], tf.float32)})
    ),
    "map two": lambda x: tf.map_fn(
        lambda rows: rows[0] * rows["a"] if isinstance(rows, dict) else rows[0] * rows[1],
        (x, x + 1.0),
        fn_output_signature=tf.float32,
    ),
    "vectorized": lambda x: tf.vectorized_map(pair, x),
    "foldl": lambda x: tf.foldl(lambda a, row: a * row + 1.0, x),
    "foldr": lambda x: tf.foldr(lambda a, row: a * row + 1.0, x),
    "foldl start": lambda x: tf.foldl(
        lambda a, row: a * 0.5 + row, x, initializer=tf.constant([1.0, 2.0])
    ),
    "scan": lambda x: tf.scan(lambda a, row: a * row, x),
    "scan reverse": lambda x: tf.scan(lambda a, row: a * row, x, reverse=True),
    "scan start": lambda x: tf.scan(
        lambda a, row: (a[0] + row, a[1] * tf.reduce_sum(row)), x, initializer=(tf.zeros([2]), 1.0)
    ),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_results_and_gradients_are_those_of_eager_programs(function):
    def gradient(f, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            values = tf.nest.flatten(f(x))
            total = tf.add_n([tf.reduce_sum(value**2) for value in values])
        return tape.gradient(total, x)

    run = traced(function, MATRIX)
    tf.nest.map_structure(np.testing.assert_allclose, run(X), function(X))
    expected = gradient(function, X)
    np.testing.assert_allclose(gradient(run, X), expected, rtol=1e-5)
    np.testing.assert_allclose(
        traced(lambda x: gradient(function, x), tf.TensorSpec([3, 2], tf.float32))(X),
        expected,
        rtol=1e-5,
    )


def test_functions_are_traced_once():
    calls = []

    def noted(row):
        calls.append(row)
        return row

    traced(lambda x: tf.map_fn(noted, x), MATRIX)(X)
    assert len(calls) == 1
    traced(lambda x: tf.vectorized_map(noted, x), MATRIX)(X)
    assert len(calls) == 2


def test_sizes_are_known_as_far_as_those_of_the_elements():
    def shapes(spec):
        graph = traced(lambda x: (tf.map_fn(tf.sin, x), tf.scan(tf.add, x)), spec).graph
        return [output.shape.as_list() for output in graph.outputs]

    assert shapes(tf.TensorSpec([3, 2], tf.float32)) == [[3, 2], [3, 2]]
    assert shapes(MATRIX) == [[None, 2], [None, 2]]


def test_bad_elements():
    with pytest.raises(ValueError, match="1\\+ dimensional Tensors"):
        traced(lambda x: tf.map_fn(tf.sin, x), tf.TensorSpec([], tf.float32))
    with pytest.raises(ValueError, match="same nested structure"):
        traced(lambda x: tf.map_fn(lambda row: (row, row), x), MATRIX)
    with pytest.raises(TypeError, match="callable"):
        traced(lambda x: tf.scan(1, x), MATRIX)


def test_rows_with_lists_run_in_a_loop():
    def pair(row):
        array = tf.TensorArray(tf.float32, size=2)
        return array.write(0, row).write(1, 2.0 * row).stack()

    rows = tf.reshape(tf.range(6.0), [2, 3])
    assert tf.vectorized_map(pair, rows).numpy().tolist() == [
        [[0.0, 1.0, 2.0], [0.0, 2.0, 4.0]],
        [[3.0, 4.0, 5.0], [6.0, 8.0, 10.0]],
    ]


@pytest.mark.parametrize(
    "body",
    [lambda e: e * 3.0, lambda e: tf.reduce_sum(tf.math.log(e)), lambda e: tf.concat([e, e], 0)],
)
@pytest.mark.parametrize("traced", [False, True])
def test_no_rows_of_a_vectorized_map_have_an_empty_gradient(body, traced):
    def run(x):
        return tf.vectorized_map(body, x)

    x = tf.zeros([0, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        result = (tf.function(run) if traced else run)(x)
    assert result.shape[0] == 0
    assert tape.gradient(result, x).shape == [0, 2]


COMPOSITES = {
    "ragged": (
        lambda: tf.ragged.constant([[1.0], [2.0, 3.0]]),
        tf.TensorShape([None, None]),
        lambda x: tf.concat([x, x], 0),
        lambda x: x.to_tensor(),
    ),
    "sparse": (
        lambda: tf.sparse.from_dense([[1.0, 0.0]]),
        tf.TensorShape([2]),
        lambda x: tf.sparse.concat(1, [x, x]),
        tf.sparse.to_dense,
    ),
    "slices": (
        lambda: tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1])),
        tf.TensorShape([None, 2]),
        lambda x: tf.IndexedSlices(tf.repeat(x.values, 2, 0), tf.repeat(x.indices, 2)),
        lambda x: x.values,
    ),
    "array": (
        lambda: tf.TensorArray(tf.float32, 0, dynamic_size=True, infer_shape=False),
        tf.TensorShape(None),
        lambda x: x.write(x.size(), [1.0, 2.0]),
        lambda x: x.stack(),
    ),
}


@pytest.mark.parametrize("kind", COMPOSITES)
def test_shape_invariants_relax_values_of_several_tensors(kind):
    make, invariant, grown, dense = COMPOSITES[kind]

    def loop(*invariants):
        shapes = {"shape_invariants": (tf.TensorShape([]), *invariants)} if invariants else {}
        last = tf.while_loop(
            lambda i, _: i < 2, lambda i, x: (i + 1, grown(x)), (0, make()), **shapes
        )
        return dense(last[1])

    def run(*invariants):
        return tf.function(lambda: loop(*invariants))()

    np.testing.assert_array_equal(run(invariant), dense(grown(grown(make()))))
    if kind != "array":  # whose elements have no part in the loop's shapes
        with pytest.raises(ValueError, match="use the `shape_invariants` argument"):
            run()
    with pytest.raises(ValueError, match=r"rank|invariant|one iteration"):
        run(tf.TensorShape([3] if kind != "sparse" else [3, 3]))
    with pytest.raises(TypeError, match="invariant"):
        run(tf.TensorSpec([7], tf.int32))


@pytest.mark.parametrize("invariant", [[None], [2], None])
@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_first_values_need_not_fit_their_invariants(invariant, wrap):
    def loop():
        shapes = [tf.TensorShape([]), tf.TensorShape(invariant)]
        first = [0, tf.constant(1.0)]
        return tf.while_loop(lambda k, x: k < 2, lambda k, x: (k + 1, x + 1.0), first, shapes)

    assert [float(value) for value in wrap(loop)()] == [2.0, 3.0]
