"""RaggedTensor: gradients, structures, specs, iteration and broadcasting."""

import sys

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.experimental import fallback_dispatch
from eagerflow.ragged import getitem


def sample():
    return tf.ragged.constant([[1.0, 2.0], [], [3.0, 4.0, 5.0]])


def test_gradients_by_flat_values_and_by_ragged_tensors():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        rows = tf.RaggedTensor.from_row_splits(x, [0, 2, 3])
        result = tf.reduce_sum(rows * rows, axis=1)
    np.testing.assert_array_equal(tape.gradient(result, x), [2, 4, 6])
    ragged = sample()
    with tf.GradientTape() as tape:
        tape.watch(ragged)
        result = ragged * ragged
    gradient = tape.gradient(result, ragged)
    assert isinstance(gradient, tf.RaggedTensor)
    assert gradient.to_list() == [[2, 4], [], [6, 8, 10]]


@pytest.mark.parametrize(
    "function",
    [
        lambda r: r.to_tensor(7.0),
        lambda r: tf.concat([r, r], 1).flat_values,
        lambda r: r[:, 1:].flat_values,
        lambda r: r[::-1].flat_values,
        lambda r: tf.reduce_sum(r, axis=0),
        lambda r: tf.reduce_max(r, axis=1)[::2],
        lambda r: tf.reduce_prod(r, axis=1),
        lambda r: tf.nn.softmax(r).flat_values,
        lambda r: (r * [[1.0], [2.0], [3.0]]).flat_values,
        lambda r: tf.gather(r, [2, 0]).flat_values,
        lambda r: tf.math.reduce_variance(r, axis=1)[::2],
    ],
)
def test_gradients_agree_with_differences(function):
    start = np.array([1.0, 2.0, 3.0, 4.5, 5.0])
    weights = None

    def total(values):
        nonlocal weights
        rows = tf.RaggedTensor.from_row_splits(values, [0, 2, 2, 5])
        result = function(rows)
        if weights is None:
            weights = np.arange(1.0, 1 + result.numpy().size).reshape(result.shape)
        return tf.reduce_sum(tf.cast(result, tf.float64) * weights)

    values = tf.constant(start)
    with tf.GradientTape() as tape:
        tape.watch(values)
        result = total(values)
    gradient = tf.convert_to_tensor(tape.gradient(result, values)).numpy()
    for k in range(5):
        step = np.eye(5)[k] * 1e-6
        slope = (total(tf.constant(start + step)) - total(tf.constant(start - step))) / 2e-6
        np.testing.assert_allclose(gradient[k], slope, rtol=1e-5, atol=1e-7)


def test_structures_take_it_apart_and_put_it_together():
    value = tf.ragged.constant([[[1], [2, 3]], []])
    parts = tf.nest.flatten([value], expand_composites=True)
    assert [part.numpy().tolist() for part in parts] == [[1, 2, 3], [0, 2, 2], [0, 1, 3]]
    (again,) = tf.nest.pack_sequence_as([value], parts, expand_composites=True)
    assert again.to_list() == value.to_list()
    uniform = tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2)
    parts = tf.nest.flatten(uniform, expand_composites=True)
    again = tf.nest.pack_sequence_as(uniform, parts, expand_composites=True)
    assert again.shape == [2, 2]


def test_specs_join():
    first, second = (
        tf.RaggedTensorSpec([2, None], tf.int32),
        tf.RaggedTensorSpec([3, None], tf.int32),
    )
    joined = tf.RaggedTensorSpec([None, None], tf.int32)
    assert first.most_specific_compatible_type(second) == joined
    assert first.is_subtype_of(joined) and not joined.is_subtype_of(first)
    with pytest.raises(ValueError):
        first.most_specific_compatible_type(tf.RaggedTensorSpec([2, None], tf.float32))
    assert joined.is_compatible_with(tf.ragged.constant([[1]]))
    assert not joined.is_compatible_with(tf.ragged.constant([[[1]]]))
    assert not joined.is_compatible_with(tf.constant([[1]]))


def test_values_broadcast_with_more_axes():
    nested = tf.ragged.constant([[[1, 2], [3]], [[4]]])
    assert (nested + tf.constant([[[10]], [[20]]])).to_list() == [[[11, 12], [13]], [[24]]]
    flat = tf.ragged.constant([[1, 2], [3]])
    assert (flat + tf.constant([[[10], [20]]])).to_list() == [[[11, 12], [23]]]
    dense = tf.RaggedTensor.from_row_splits([[1, 2], [3, 4], [5, 6]], [0, 2, 3])
    assert (dense * [10, 100]).to_list() == [[[10, 200], [30, 400]], [[50, 600]]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        _ = flat + tf.ones([3, 1], tf.int32)


def test_integers_of_a_splits_dtype_are_kept():
    rows = tf.ragged.constant([[1], [2, 3]], row_splits_dtype=tf.int32)
    for value in (rows + 1, rows[:1], tf.concat([rows, rows], 1), tf.gather(rows, [0])):
        assert value.row_splits.dtype is tf.int32
    mixed = tf.concat([rows, tf.ragged.constant([[1]])], 0)
    assert mixed.row_splits.dtype is tf.int64


def test_empty_ragged_tensors_work():
    empty = tf.RaggedTensor.from_row_splits(tf.zeros([0]), [0])
    assert empty.shape == [0, None] or empty.shape.as_list() == [0, None]
    assert empty.to_tensor().shape == (0, 0)
    assert tf.reduce_sum(empty, axis=1).shape == (0,)
    assert tf.concat([empty, empty], 0).to_list() == []
    assert empty[:, 1:].to_list() == []
    assert repr(empty) == "<tf.RaggedTensor []>"


def test_printed_text_is_tensorflows(capsys):
    def printed(value, **options):
        tf.print(value, output_stream=sys.stdout, **options)
        return capsys.readouterr().out

    assert printed(tf.ragged.constant([["x"], ["y", "z"]])) == "[['x'], ['y', 'z']]\n"
    assert printed(tf.ragged.constant([[[1.5], [2, 3.25]], []])) == (
        "[[[1.500000], [2.000000, 3.250000]], []]\n"
    )
    rows = tf.ragged.constant([list(range(6))] * 6)
    assert printed(rows, summarize=1) == "[[0, ..., 5], ..., [0, ..., 5]]\n"
    assert printed({"a": rows[:1]}) == "{'a': [[0, 1, 2, 3, 4, 5]]}\n"
    assert printed([tf.sparse.eye(2), 3]) == (
        "['SparseTensor(indices=[[0 0]\n [1 1]], values=[1 1], shape=[2 2])', 3]\n"
    )


def test_functions_of_the_elements_keep_rows():
    rows = sample()
    expected = [[0.8413447, 1.9544997], [], [2.9959502, 3.9998734, 4.9999986]]
    for ours, theirs in zip(tf.nn.gelu(rows).to_list(), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    assert tf.nn.leaky_relu(-rows).to_list()[0] == [np.float32(-0.2), np.float32(-0.4)]
    assert tf.nn.silu(rows).shape.as_list() == [3, None]


def test_numbers_in_rows_are_counted():
    numbers = tf.ragged.constant([[1, 2], [], [3, 4, 5]])
    assert tf.math.bincount(numbers).numpy().tolist() == [0, 1, 1, 1, 1, 1]
    by_row = tf.math.bincount(numbers, axis=-1)
    assert by_row.dtype is tf.int32
    assert by_row.numpy().tolist() == [[0, 1, 1, 0, 0, 0], [0] * 6, [0, 0, 0, 1, 1, 1]]
    sparse = tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]])
    assert tf.math.bincount(sparse).numpy().tolist() == [0, 1, 1, 1]


def test_python_functions_may_return_rows():
    rows = tf.ragged.constant([[1], [2, 3]])
    spec = tf.RaggedTensorSpec([None, None], tf.int32)
    assert tf.py_function(lambda value: value * 2, [rows], spec).to_list() == [[2], [4, 6]]


def test_a_list_of_keys_is_a_tuple_of_them():
    value = tf.ragged.constant([[1, 2], [3]])
    assert int(value[[0, 1]]) == 2
    assert value[[slice(None), slice(0, 1)]].to_list() == [[1], [3]]


def test_what_stands_for_a_ragged_tensor_is_indexed_by_dispatchers():
    class Symbol:
        __getitem__ = tf.RaggedTensor.__getitem__

    class OfSymbols(fallback_dispatch.OpDispatcher):
        def handle(self, args, kwargs):
            return args[1:] if isinstance(args[0], Symbol) else self.NOT_SUPPORTED

    with pytest.raises(TypeError, match="not Symbol"):
        Symbol()[0]
    OfSymbols().register(getitem.ragged_getitem)
    assert Symbol()[0] == (0,) and Symbol()[:, 1:] == ((slice(None), slice(1, None)),)
