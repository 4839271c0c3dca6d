"""Structured tensors and their specs."""

import pytest

import eagerflow as tf


def test_specs_are_compared():
    structured = tf.experimental.StructuredTensor
    value = structured.from_pyval([{"a": 1}])
    assert structured.from_pyval([{"a": 2}], value._type_spec).to_pyval() == [{"a": 2}]
    with pytest.raises(TypeError):
        structured.from_pyval([{"b": 2}], value._type_spec)


@pytest.mark.parametrize("traced", [False, True])
def test_dynamic_partition_of_ragged_rows(traced):
    data = tf.ragged.constant([[1, 2], [3], [], [4, 5, 6]])
    partition = tf.function(tf.dynamic_partition) if traced else tf.dynamic_partition
    first, second = partition(data, [0, 1, 0, 1], 2)
    assert (first.to_list(), second.to_list()) == ([[1, 2], []], [[3], [4, 5, 6]])
    whole, nothing = partition(data, 0, 2)  # all of it is one slice
    assert (whole.to_list(), nothing.to_list()) == ([data.to_list()], [])
    for partitions in ([0, 1], [[0, 1], [0, 1]]):
        with pytest.raises(ValueError, match="incompatible"):
            partition(data, partitions, 2)
    for value in (data, data.values):
        with pytest.raises(ValueError, match="Number of outputs is too big"):
            partition(value, tf.zeros(value.shape[0], tf.int32), 2**40)
