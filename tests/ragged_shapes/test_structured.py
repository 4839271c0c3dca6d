"""Expressions of structured tensors, and what TensorFlow 2.21 shows for them."""

import json
from pathlib import Path

import pytest

import eagerflow as tf

CASES = json.loads((Path(__file__).parent / "structured.json").read_text())


def names():
    """What the expressions are about."""
    structured = tf.experimental.StructuredTensor
    make = structured.from_pyval
    return {
        "tf": tf,
        "S": structured,
        "P": tf.experimental.RowPartition,
        "D": tf.experimental.DynamicRaggedShape,
        "a": make({"a": 1, "b": [1, 2, 3], "c": [[1], [2, 3]], "d": {"x": "q"}}),
        "v": make([{"a": 1, "b": [1, 2]}, {"a": 2, "b": []}, {"a": 3, "b": [3]}]),
        "n": make([{"id": 1, "items": [{"x": 1.0}, {"x": 2.0}]}, {"id": 2, "items": [{"x": 3.0}]}]),
        "m": make([[{"a": 1}], [{"a": 2}, {"a": 3}]]),
        "t": make([{"parts": [{"w": [1, 2]}, {"w": [3]}]}, {"parts": [{"w": [7]}]}]),
        "rt": tf.ragged.constant([[1, 2], [], [3]]),
    }


def in_order(value):
    """The same with dictionaries sorted by their keys."""
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [in_order(item) for item in value]
    return value


@pytest.mark.parametrize("expression, expected", CASES, ids=[case[0] for case in CASES])
def test_shows_what_tensorflow_shows(expression, expected):
    try:
        shown = repr(in_order(eval(expression, names())))
    except Exception as error:
        shown = type(error).__name__
    assert shown == expected


def test_specs_are_compared():
    structured = tf.experimental.StructuredTensor
    value = structured.from_pyval([{"a": 1}])
    assert structured.from_pyval([{"a": 2}], value._type_spec).to_pyval() == [{"a": 2}]
    with pytest.raises(TypeError):
        structured.from_pyval([{"b": 2}], value._type_spec)
