"""Functions of sparse tensors give the same results in a graph, where no size is known."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.framework import func_graph

FUNCTIONS = {
    "to_dense": tf.sparse.to_dense,
    "reorder": tf.sparse.reorder,
    "matmul": lambda x: tf.sparse.sparse_dense_matmul(x, tf.ones([3, 2])),
    "reduce_sum": lambda x: tf.sparse.reduce_sum(x, axis=1),
    "reduce_max_sparse": lambda x: tf.sparse.reduce_max(x, 0, output_is_sparse=True),
    "add": lambda x: tf.sparse.add(x, x),
    "add_dense": lambda x: tf.sparse.add(x, tf.ones([2, 3])),
    "maximum": lambda x: tf.sparse.maximum(x, x),
    "reshape": lambda x: tf.sparse.reshape(x, [3, -1]),
    "slice": lambda x: tf.sparse.slice(x, [0, 0], [1, 3]),
    "split": lambda x: tf.sparse.split(x, 2, 1),
    "transpose": tf.sparse.transpose,
    "concat": lambda x: tf.sparse.concat(0, [x, x]),
    "expand_dims": lambda x: tf.sparse.expand_dims(x, 0),
    "reset_shape": tf.sparse.reset_shape,
    "fill_empty_rows": lambda x: tf.sparse.fill_empty_rows(x, 7.0),
    "softmax": tf.sparse.softmax,
    "retain": lambda x: tf.sparse.retain(x, x.values > 1.0),
    "map_values": lambda x: tf.sparse.map_values(tf.abs, x),
    "product": lambda x: x * 2.0,
    "dense again": lambda x: tf.sparse.from_dense(tf.sparse.to_dense(x)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_traced(name):
    function = FUNCTIONS[name]
    value = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 3])
    spec = tf.SparseTensorSpec([None, None], tf.float32)
    graph = func_graph.trace(function, [spec], name="call")
    found = graph.run(tf.nest.flatten(value, expand_composites=True))
    expected = tf.nest.flatten(function(value), expand_composites=True)
    for one, other in zip(expected, found, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def test_a_unit_matrix_of_a_size_that_is_not_known():
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)] * 2)
    def unit(rows, columns):
        square, wide = tf.sparse.eye(rows), tf.sparse.eye(rows, columns, tf.float64)
        return tf.sparse.to_dense(square), tf.sparse.to_dense(wide)

    square, wide = unit(2, 3)
    assert square.dtype is tf.float32
    assert square.numpy().tolist() == [[1, 0], [0, 1]]
    assert wide.numpy().tolist() == [[1, 0, 0], [0, 1, 0]]
    assert tf.sparse.to_dense(tf.sparse.eye(tf.constant(1), 2)).numpy().tolist() == [[1, 0]]


def test_products_with_dense_tensors_of_unknown_size():
    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def scaled(dense):
        a = tf.SparseTensor([[0, 1], [1, 0], [1, 2]], [1.0, 2.0, 3.0], [2, 3])
        return (a * dense).values, (a / (dense + 1)).values

    for shape in [(2, 3), (1, 3), (2, 1), (1, 1)]:
        dense = np.arange(np.prod(shape), dtype="f").reshape(shape)
        there = np.broadcast_to(dense, [2, 3])[[0, 1, 1], [1, 0, 2]]
        product, quotient = scaled(dense)
        assert product.numpy().tolist() == ([1, 2, 3] * there).tolist()
        np.testing.assert_allclose(quotient, [1, 2, 3] / (there + 1))
    for shape in [(2, 2), (3, 3), (2, 4)]:
        with pytest.raises(tf.errors.InvalidArgumentError, match="incompatible shapes"):
            scaled(tf.zeros(shape))


def test_unknown_sizes_of_placeholders_in_graphs_of_functions():
    with func_graph.FuncGraph("keras").as_default():
        first = tf.compat.v1.sparse_placeholder(tf.float32, [None, 1])
        second = tf.compat.v1.sparse_placeholder(tf.float32, [None, 2])
        assert first.shape.as_list() == [None, 1]
        assert tf.sparse.concat(1, [first, second]).shape.as_list() == [None, 3]
        scalar = tf.SparseTensor(tf.zeros([1, 0], tf.int64), [1.0], tf.zeros([0], tf.int64))
        assert scalar.shape.as_list() == []
