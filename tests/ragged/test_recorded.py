"""Expressions of ragged tensors, and what TensorFlow 2.21 shows for them."""

import json
from pathlib import Path

import numpy as np
import pytest

import eagerflow as tf

CASES = json.loads((Path(__file__).parent / "recorded.json").read_text())


def names():
    """What the expressions are about."""
    return {
        "tf": tf,
        "np": np,
        "rt": tf.ragged.constant([[1, 2], [], [3, 4, 5]]),
        "r2": tf.ragged.constant([[[1], [2, 3]], [], [[4]]]),
        "rf": tf.ragged.constant([[1.0, 2.0], [], [3.0, 4.0, 5.0]]),
        "ru": tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2),
        "rs": tf.ragged.constant([["a"], ["b", "c"]]),
        "rd": tf.RaggedTensor.from_row_splits([[1, 2], [3, 4], [5, 6]], [0, 2, 3]),
    }


@pytest.mark.parametrize("expression, expected", CASES, ids=[case[0] for case in CASES])
def test_shows_what_tensorflow_shows(expression, expected):
    try:
        shown = repr(eval(expression, names()))
    except Exception as error:
        shown = type(error).__name__
    assert shown == expected or expected.startswith(shown + " ")
