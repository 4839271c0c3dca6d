"""Functions of ragged tensors give the same results in a graph, where no size is known."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.framework import func_graph

FUNCTIONS = {
    "add": lambda x: x + 1.0,
    "product": lambda x: x * x,
    "where": lambda x: tf.where(x > 1.0, x, -x),
    "to_tensor": lambda x: x.to_tensor(),
    "to_tensor with a shape": lambda x: x.to_tensor(shape=[None, 4]),
    "to_tensor with a default": lambda x: x.to_tensor(default_value=-1.0),
    "to_sparse": lambda x: x.to_sparse(),
    "reduce_sum": lambda x: tf.reduce_sum(x, axis=1),
    "reduce_sum of columns": lambda x: tf.reduce_sum(x, axis=0),
    "reduce_sum of all": tf.reduce_sum,
    "reduce_mean": lambda x: tf.reduce_mean(x, axis=1),
    "reduce_max": lambda x: tf.reduce_max(x, axis=1, keepdims=True),
    "row_lengths": lambda x: x.row_lengths(),
    "row_starts": lambda x: x.row_starts(),
    "value_rowids": lambda x: x.value_rowids(),
    "nrows": lambda x: x.nrows(),
    "bounding_shape": lambda x: x.bounding_shape(),
    "size": tf.size,
    "rank": tf.rank,
    "concat of rows": lambda x: tf.concat([x, x], axis=0),
    "concat in rows": lambda x: tf.concat([x, x], axis=1),
    "stack": lambda x: tf.stack([x, x]),
    "tile": lambda x: tf.tile(x, [2, 1]),
    "expand_dims": lambda x: tf.expand_dims(x, 0),
    "expand_dims in rows": lambda x: tf.expand_dims(x, 1),
    "row": lambda x: x[0],
    "row from the end": lambda x: x[-1],
    "columns": lambda x: x[:, :1],
    "gather": lambda x: tf.gather(x, [0, 2]),
    "boolean_mask": lambda x: tf.ragged.boolean_mask(x, x > 1.0),
    "map_flat_values": lambda x: tf.ragged.map_flat_values(tf.abs, x),
    "merge_dims": lambda x: tf.expand_dims(x, 0).merge_dims(0, 1),
    "from_row_splits": lambda x: tf.RaggedTensor.from_row_splits(x.values, x.row_splits),
    "from_row_lengths": lambda x: tf.RaggedTensor.from_row_lengths(x.values, x.row_lengths()),
    "from_row_starts": lambda x: tf.RaggedTensor.from_row_starts(x.values, x.row_starts()),
    "from_row_limits": lambda x: tf.RaggedTensor.from_row_limits(x.values, x.row_limits()),
    "from_value_rowids": lambda x: tf.RaggedTensor.from_value_rowids(x.values, x.value_rowids()),
    "from_uniform_row_length": lambda x: tf.RaggedTensor.from_uniform_row_length(x.values, 1),
    "from_tensor": lambda x: tf.RaggedTensor.from_tensor(x.to_tensor(), padding=0.0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("rows", [[[1.0, 2.0], [], [3.0]], [[0.5], [4.0, 2.0, 1.0], [2.0]]])
def test_traced(name, rows):
    function = FUNCTIONS[name]
    value = tf.ragged.constant(rows)
    spec = tf.RaggedTensorSpec([None, None], tf.float32)
    graph = func_graph.trace(function, [spec], name="call")
    found = graph.run(tf.nest.flatten(value, expand_composites=True))
    expected = tf.nest.flatten(function(value), expand_composites=True)
    for one, other in zip(expected, found, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def test_shapes_of_dense_tensors_may_hold_tensors():
    @tf.function(
        input_signature=[tf.RaggedTensorSpec([None, None], tf.int32), tf.TensorSpec([], tf.int32)]
    )
    def dense(x, size):
        padded = x.to_tensor(shape=(x.nrows(), 3))
        assert padded.shape.as_list() == [None, 3]
        return padded, x.to_tensor(shape=(2, size))

    padded, cut = dense(tf.ragged.constant([[1], [3, 4]]), tf.constant(1))
    assert padded.numpy().tolist() == [[1, 0, 0], [3, 4, 0]]
    assert cut.numpy().tolist() == [[1], [3]]


def test_rows_of_unknown_rank_are_mapped():
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
    def firsts(x):
        spec = tf.RaggedTensorSpec(ragged_rank=0, dtype=tf.int32)
        return tf.map_fn(lambda row: row[:2], x, fn_output_signature=spec)

    assert firsts(tf.ragged.constant([[1, 2, 3], [4]])).to_list() == [[1, 2], [4]]


def test_minus_one_in_a_wanted_shape_is_an_axis_of_any_size():
    @tf.function
    def dense(rows, width):
        return rows.to_tensor(shape=tf.cast([-1, width], tf.int64))

    rows = tf.ragged.constant([[1], [2, 3]])
    for width in (3, tf.constant(3)):
        assert dense(rows, width).numpy().tolist() == [[1, 0, 0], [2, 3, 0]]


@pytest.mark.parametrize("ragged_rank", [1, 2])
@pytest.mark.parametrize("axis", [0, 1])
def test_ragged_tensors_of_unknown_rank_are_joined(ragged_rank, axis):
    spec = tf.RaggedTensorSpec(None, tf.int32, ragged_rank=ragged_rank)
    rows = [[1], [2, 3]] if ragged_rank == 1 else [[[1], [2, 3]], []]
    x = tf.ragged.constant(rows, dtype=tf.int32)
    joined = tf.function(lambda a, b: tf.concat([a, b], axis), input_signature=[spec, spec])
    assert joined(x, x).to_list() == tf.concat([x, x], axis).to_list()
    backwards = tf.function(lambda a, b: tf.concat([a, b], -1), input_signature=[spec, spec])
    with pytest.raises(ValueError, match="unknown rank"):
        backwards(x, x)


def test_dense_rows_at_ragged_indices_keep_their_number():
    indices, sizes = tf.ragged.constant([[0, 2], [1, 3]]), []

    @tf.function
    def doubled_twice(rows):
        for _ in tf.range(2):
            rows = (tf.gather(rows, indices) * 2.0).flat_values
            sizes.append(rows.shape)
        return rows

    assert doubled_twice(tf.ones([4, 3])).numpy().tolist() == [[4.0] * 3] * 4
    assert sizes[0] == [4, 3]
