"""Reductions of tensors without elements."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import eagerflow as tf


@pytest.mark.parametrize("shape", [(0, 3, 4), (3, 0, 4), (0, 3, 4, 3, 2), (2, 3, 0, 3, 2)])
@pytest.mark.parametrize("name", ["sum", "prod", "any", "all"])
def test_shapes_and_values(shape: tuple[int, ...], name: str) -> None:
    """Whatever axes go, the shape is right and the value is the neutral element."""
    dtype = "bool" if name in ("any", "all") else "float32"
    x = np.zeros(shape, dtype)
    for count in range(1, len(shape) + 1):
        for axes in itertools.combinations(range(len(shape)), count):
            expected = getattr(np, name)(x, axis=axes)
            result = getattr(tf, f"reduce_{name}")(x, axes).numpy()
            np.testing.assert_array_equal(result, expected)


def test_mean_and_maximum_of_empty_batches() -> None:
    x = tf.zeros([0, 3, 4, 3, 2])
    for axes in ([1], [1, 2, 4], [2, 4], [3, 4]):
        for function in (tf.reduce_mean, tf.reduce_max, tf.reduce_min):
            assert function(x, axes).shape == np.zeros(x.shape).sum(tuple(axes)).shape
