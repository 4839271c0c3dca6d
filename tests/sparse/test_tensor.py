"""SparseTensor itself: operators, specs, structures, gradients."""

import numpy as np
import pytest

import eagerflow as tf


def sample():
    return tf.sparse.from_dense([[1.0, 0, 2.0], [0, 3.0, 0]])


def test_shapes_of_parts_must_fit():
    with pytest.raises(ValueError, match="not compatible"):
        tf.SparseTensor([[0]], [1, 2], [3])
    with pytest.raises(ValueError, match="must have rank 2"):
        tf.SparseTensor([0], [1], [3])
    with pytest.raises(ValueError, match="not compatible"):
        tf.SparseTensor([[0, 1]], [1], [3])


def test_it_is_multiplied_and_divided_by_dense_tensors():
    np.testing.assert_array_equal((sample() * 2.0).values, [2, 4, 6])
    np.testing.assert_array_equal((sample() * [[10.0], [20.0]]).values, [10, 20, 60])
    np.testing.assert_array_equal((sample() / [1.0, 2.0, 4.0]).values, [1, 0.5, 1.5])
    with pytest.raises(tf.errors.InvalidArgumentError):
        sample() * tf.ones([3, 3])
    with pytest.raises(TypeError):
        1.0 / sample()


def test_functions_that_keep_zeros_act_on_values():
    np.testing.assert_array_equal(tf.square(sample()).values, [1, 4, 9])
    assert tf.cast(sample(), tf.int64).dtype is tf.int64
    assert tf.shape(sample()).numpy().tolist() == [2, 3]
    assert int(tf.size(sample())) == 6 and int(tf.rank(sample())) == 2
    for function in (tf.constant, tf.reduce_sum, tf.exp, tf.convert_to_tensor):
        with pytest.raises(ValueError, match="SparseTensor"):
            function(sample())


def test_text_is_that_of_tensorflow():
    assert repr(tf.SparseTensor([[0, 0], [1, 1]], [1, 2], [2, 2])) == (
        "SparseTensor(indices=tf.Tensor(\n[[0 0]\n [1 1]], shape=(2, 2), dtype=int64), "
        "values=tf.Tensor([1 2], shape=(2,), dtype=int32), "
        "dense_shape=tf.Tensor([2 2], shape=(2,), dtype=int64))"
    )


def test_structures_take_it_apart_and_put_it_together():
    parts = tf.nest.flatten({"a": sample()}, expand_composites=True)
    assert [part.shape.as_list() for part in parts] == [[3, 2], [3], [2]]
    again = tf.nest.pack_sequence_as({"a": sample()}, parts, expand_composites=True)["a"]
    np.testing.assert_array_equal(tf.sparse.to_dense(again), tf.sparse.to_dense(sample()))
    assert tf.nest.flatten(sample())[0].dtype is tf.float32


def test_specs_describe_it():
    spec = tf.SparseTensorSpec([None, 3])
    assert repr(spec) == "SparseTensorSpec(TensorShape([None, 3]), tf.float32)"
    assert spec.is_compatible_with(sample())
    assert not spec.is_compatible_with(tf.zeros([2, 3]))
    assert spec == tf.SparseTensorSpec([None, 3]) != tf.SparseTensorSpec([2, 3])
    joined = tf.SparseTensorSpec([2, 3]).most_specific_compatible_type(tf.SparseTensorSpec([4, 3]))
    assert joined == spec
    assert tf.SparseTensorSpec.from_value(sample()) == tf.SparseTensorSpec([2, 3])


def test_gradients_reach_values_and_dense_factors():
    # Recorded from TensorFlow 2.21.
    values = tf.constant([1.0, 2.0, 3.0])
    dense = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        tape.watch([values, dense])
        product = tf.sparse.sparse_dense_matmul(sample().with_values(values), dense)
        total = product**2
    by_values, by_dense = tape.gradient(total, [values, dense])
    np.testing.assert_allclose(by_values, [78, 278, 150])
    np.testing.assert_allclose(by_dense, [[22, 28], [54, 72], [44, 56]])


def test_gradients_by_sparse_tensors_are_sparse():
    sparse = sample()
    with tf.GradientTape() as tape:
        tape.watch(sparse)
        total = tf.reduce_sum(tf.sparse.to_dense(sparse) ** 2)
    gradient = tape.gradient(total, sparse)
    assert isinstance(gradient, tf.SparseTensor)
    np.testing.assert_array_equal(gradient.values, [2, 4, 6])


@pytest.mark.parametrize(
    "function",
    [
        lambda s: tf.sparse.reduce_sum(s, axis=1),
        lambda s: tf.sparse.reduce_max(s, axis=0),
        lambda s: tf.sparse.softmax(s).values,
        lambda s: tf.sparse.add(s, s).values,
        lambda s: tf.sparse.transpose(s).values,
        lambda s: tf.sparse.concat(1, [s, s]).values,
        lambda s: tf.sparse.slice(s, [0, 0], [1, 3]).values,
        lambda s: tf.sparse.fill_empty_rows(s, 1.0)[0].values,
    ],
)
def test_gradients_agree_with_differences(function):
    values = tf.constant([1.0, 2.0, 3.0], tf.float64)
    weights = None

    def total(values):
        nonlocal weights
        result = function(sample().with_values(values))
        if weights is None:
            weights = tf.reshape(tf.range(1.0, 1.0 + int(tf.size(result))), result.shape)
            weights = tf.cast(weights, tf.float64)
        return tf.reduce_sum(result * weights)

    with tf.GradientTape() as tape:
        tape.watch(values)
        result = total(values)
    gradient = tf.convert_to_tensor(tape.gradient(result, values))
    for k in range(3):
        step = np.eye(3)[k] * 1e-6
        slope = (total(values + step) - total(values - step)) / 2e-6
        np.testing.assert_allclose(gradient[k], slope, rtol=1e-6, atol=1e-8)


def test_shapes_may_be_larger_than_any_memory():
    places = [[2**40, 1], [0, 2**50], [2**40, 0]]
    huge = tf.SparseTensor(places, [1.0, 2.0, 3.0], [2**60, 2**60])
    ordered = tf.sparse.reorder(huge)
    assert ordered.indices.numpy().tolist() == [places[1], places[2], places[0]]
    double = tf.sparse.add(ordered, ordered)
    assert double.values.numpy().tolist() == [4, 6, 2]
    assert double.indices.numpy().tolist() == ordered.indices.numpy().tolist()
    assert tf.sparse.transpose(huge).indices.numpy().tolist()[0] == [0, 2**40]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.sparse.to_dense(ordered)


def test_slices_of_python_lists_are_masked():
    rows = tf.sparse.mask(tf.IndexedSlices([[1.0], [2.0]], [0, 3]), [0])
    assert rows.indices.numpy() == [3] and rows.values.numpy() == [[2.0]]


def test_lists_without_elements_of_others_are_vectors():
    rows = tf.IndexedSlices([[1.0], [2.0]], [0, 3])
    for x, y in ((rows, [[0]]), (tf.sparse.eye(2), [0]), (tf.sparse.eye(2), [[0, 0]])):
        with pytest.raises(tf.errors.InvalidArgumentError, match="1D vector"):
            tf.sparse.mask(x, y)
    for x, y in (([[1]], [1]), ([1], 1)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="1D vector"):
            tf.compat.v1.setdiff1d(x, y)
    assert tf.sparse.mask(rows, []).indices.numpy().tolist() == [0, 3]


def test_rows_are_not_iterated_over():
    """A list of its rows would have as many tensors as the dense shape has rows."""
    with pytest.raises(TypeError, match="not iterable"):
        list(tf.SparseTensor([[0, 0]], [1], [2**40, 2]))
