"""Broadcasting of arrays that are processed in parts, which begin in the middle of a row."""

import numpy as np
import pytest

import eagerflow as tf

SHAPES = [
    ((200, 1001), (1001,)),
    ((200, 1001), (200, 1)),
    ((71, 503, 3), (503, 1)),
    ((16, 65, 67, 3), (65, 1, 3)),
    ((3, 1, 50_001), (1, 2, 1)),
]
OPERATIONS = {
    "add": (tf.add, np.add),
    "maximum": (tf.maximum, np.maximum),
    "less": (tf.less, np.less),
    "squared difference": (tf.math.squared_difference, lambda a, b: (a - b) ** 2),
    "floor division": (lambda a, b: a // (b + 10), lambda a, b: a // (b + 10)),
    "power": (lambda a, b: tf.pow(a, b + 5), lambda a, b: a ** (b + 5)),
    "choice": (lambda a, b: tf.where(a > b, a, b + 1), lambda a, b: np.where(a > b, a, b + 1)),
    "choice by one": (lambda a, b: tf.where(b > 0, a, 7), lambda a, b: np.where(b > 0, a, 7)),
    "copies": (
        lambda a, b: tf.broadcast_to(b, np.broadcast_shapes(a.shape, b.shape)),
        lambda a, b: np.broadcast_to(b, np.broadcast_shapes(a.shape, b.shape)),
    ),
}


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_as_numpy(shapes, dtype):
    rng = np.random.default_rng(5)
    a, b = (rng.integers(-4, 5, shape).astype(dtype) for shape in shapes)
    for name, (ours, theirs) in OPERATIONS.items():
        for left, right in ((a, b), (b, a)):
            found = ours(tf.constant(left), tf.constant(right))
            np.testing.assert_allclose(found, theirs(left, right), rtol=1e-5, err_msg=name)
