"""Expressions of sparse tensors, and what TensorFlow 2.21 gives for them."""

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
        "sp": tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]]),
        "sf": tf.sparse.from_dense([[1.0, 0, 2.0], [0, 3.0, 0]]),
        "s2": tf.sparse.from_dense([[0, 5.0, -2.0], [0, 1.0, 0]]),
        "ss": tf.SparseTensor([[0, 0], [1, 1]], ["a", "b"], [2, 3]),
        "uns": tf.SparseTensor([[1, 1], [0, 0], [0, 2]], [3.0, 1.0, 2.0], [2, 3]),
        "emp": tf.SparseTensor([[0, 0], [2, 1]], [1.0, 2.0], [4, 3]),
        "s3": tf.sparse.from_dense(np.arange(12.0).reshape(2, 3, 2) % 4),
    }


def shown(value):
    if isinstance(value, tf.SparseTensor):
        parts = (value.indices, value.values, value.dense_shape)
        return repr(tuple(np.asarray(part).tolist() for part in parts))
    return repr(value)


@pytest.mark.parametrize("expression, expected", CASES, ids=[case[0] for case in CASES])
def test_gives_what_tensorflow_gives(expression, expected):
    try:
        text = shown(eval(expression, names()))
    except Exception as error:
        text = type(error).__name__
    assert text == expected or expected.startswith(text + " ")
