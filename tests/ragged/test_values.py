"""Values of ragged tensors as arrays, which sessions give and take."""

import numpy as np
import pytest

import eagerflow as tf
from random_arrays import PLAIN

v1 = tf.compat.v1
Value = v1.ragged.RaggedTensorValue


@pytest.fixture
def rows():
    """[[1, 2], [], [3]]"""
    return Value(np.array([1.0, 2.0, 3.0], np.float32), np.array([0, 2, 2, 3]))


def test_parts(rows):
    assert rows.to_list() == [[1, 2], [], [3]]
    assert rows.shape == (3, None)
    assert (rows.dtype, rows.ragged_rank) == (np.float32, 1)
    assert str(rows) == "<tf.RaggedTensorValue [[1.0, 2.0], [], [3.0]]>"


def test_rows_of_rows(rows):
    nested = Value(rows, np.array([0, 2, 3]))
    assert nested.to_list() == [[[1, 2], []], [[3]]]
    assert nested.shape == (2, None, None)
    assert [splits.tolist() for splits in nested.nested_row_splits] == [[0, 2, 3], [0, 2, 2, 3]]
    assert nested.flat_values.tolist() == [1, 2, 3]


def test_bad_parts():
    with pytest.raises(TypeError, match="row_splits"):
        Value(np.array([1]), [0, 1])
    with pytest.raises(TypeError, match="int32 or int64"):
        Value(np.array([1]), np.array([0.0, 1.0]))
    with pytest.raises(ValueError, match="rank 1"):
        Value(np.array([1]), np.array([[0, 1]]))
    with pytest.raises(TypeError, match="values"):
        Value([1], np.array([0, 1]))


def test_constant_value():
    assert v1.ragged.constant_value([[1], [2, 3]]).to_list() == [[1], [2, 3]]
    assert v1.ragged.constant_value(5) == np.array(5)


def test_sessions_give_and_take_values(rows):
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.ragged.placeholder(tf.float32, ragged_rank=1)
        doubled = session.run(x * 2, {x: rows})
    assert isinstance(doubled, Value)
    assert doubled.to_list() == [[2, 4], [], [6]]


@pytest.mark.parametrize("dtype", [*PLAIN, "string"])
@pytest.mark.parametrize("shape", [None, [None, 3], [None, 1], [4, 3]], ids=str)
def test_absent_elements_of_every_dtype(dtype, shape):
    values = tf.constant(["a", "b"]) if dtype == "string" else tf.cast([1, 1], dtype)
    rows = tf.RaggedTensor.from_row_lengths(values, [2, 0, 0])
    dense = rows.to_tensor(shape=shape)
    zeros = tf.zeros([3, 2], values.dtype).numpy()
    zeros[0] = values.numpy()
    height, width = (None, None) if shape is None else shape
    expected = tf.zeros([height or 3, width or 2], values.dtype).numpy()
    kept = min(2, width or 2)
    expected[:3, :kept] = zeros[:, :kept]
    assert dense.numpy().tolist() == expected.tolist()
    assert tf.function(lambda rows: rows.to_tensor(shape=shape))(rows).numpy().tolist() == (
        expected.tolist()
    )
    assert tf.sparse.to_dense(rows.to_sparse()).numpy().tolist() == zeros.tolist()


CALLS = {
    "elementwise": lambda rows: tf.add(rows, rows),
    "reduction": lambda rows: tf.reduce_sum(rows, 1),
    "list": lambda rows: tf.concat([rows, rows], 0),
    "composed": lambda rows: tf.ragged.boolean_mask(rows, tf.greater(rows, 1)),
}


def as_lists(value):
    return value.to_list() if isinstance(value, tf.RaggedTensor) else value.numpy().tolist()


@pytest.mark.parametrize("name", CALLS)
def test_values_are_arguments_of_operations(rows, name):
    expected = CALLS[name](rows.to_tensor_value())
    made = CALLS[name](rows)
    assert type(made) is type(expected)
    assert as_lists(made) == as_lists(expected)


def test_values_have_specs(rows):
    assert tf.type_spec_from_value(rows) == tf.RaggedTensorSpec([3, None], tf.float32, 1, tf.int64)
    parts = ([[0, 1]], [2.0], [1, 3])
    made = v1.convert_to_tensor_or_sparse_tensor(v1.SparseTensorValue(*parts))
    assert tf.sparse.to_dense(made).numpy().tolist() == [[0, 2, 0]]
