"""Structured tensors and their specs."""

import pytest

import eagerflow as tf


def test_specs_are_compared():
    structured = tf.experimental.StructuredTensor
    value = structured.from_pyval([{"a": 1}])
    assert structured.from_pyval([{"a": 2}], value._type_spec).to_pyval() == [{"a": 2}]
    with pytest.raises(TypeError):
        structured.from_pyval([{"b": 2}], value._type_spec)
