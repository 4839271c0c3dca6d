"""Initializers of tensorflow.python.ops.init_ops_v2, with TensorFlow 2.21's values."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow_compat.internals import initializers_v2 as made

SHAPE = [3, 2]
# The first values of two calls.
SEEDED = {
    "glorot_normal": (made.glorot_normal, [-0.20746, -0.31185, 1.35197]),
    "glorot_uniform": (made.glorot_uniform, [0.81746, 0.2047, -0.81814]),
    "he_normal": (made.he_normal, [-0.26784, -0.40259, 1.74538]),
    "TruncatedNormal": (made.TruncatedNormal, [-0.01443, -0.02169, 0.09402]),
    "Orthogonal": (made.Orthogonal, [-0.12267, -0.43981, 0.7994]),
    "VarianceScaling": (made.VarianceScaling, [-0.18939, -0.28468, 1.23417]),
}


@pytest.mark.parametrize("name", SEEDED)
def test_a_seed_gives_every_call_the_same_values(name: str) -> None:
    make, expected = SEEDED[name]
    for seed in (1, 2):
        tf.random.set_seed(seed)
        initializer = make(seed=1024)
        for _ in range(2):
            found = initializer(SHAPE)
            np.testing.assert_allclose(found.numpy().ravel()[:3], expected, atol=6e-6)
        same = type(initializer).from_config(initializer.get_config())
        np.testing.assert_array_equal(same(SHAPE, tf.float32), found)


def test_without_a_seed_values_are_the_next_ones() -> None:
    tf.random.set_seed(1)
    initializer = made.TruncatedNormal()
    np.testing.assert_allclose(
        initializer(SHAPE).numpy().ravel()[:3], [-0.05506, 0.07729, 0.01918], atol=6e-6
    )
    np.testing.assert_allclose(
        initializer(SHAPE).numpy().ravel()[:2], [0.02015, -0.0544], atol=6e-6
    )


@pytest.mark.parametrize("shape", [[4, 4], [6, 3], [3, 6], [2, 3, 4]], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_orthogonal_matrices_and_identities(shape: list[int], dtype: str) -> None:
    drawn = made.Orthogonal(gain=2.0)(shape, dtype)
    matrix = drawn.numpy().reshape(-1, shape[-1])
    small = matrix if matrix.shape[0] >= matrix.shape[1] else matrix.T
    np.testing.assert_allclose(small.T @ small, 4 * np.eye(small.shape[1]), atol=1e-5)
    assert drawn.dtype == dtype
    if len(shape) == 2:
        np.testing.assert_array_equal(made.Identity(3.0)(shape), 3 * np.eye(*shape))


def test_what_is_refused() -> None:
    for arguments, message in (
        ({"scale": 0.0}, "positive"),
        ({"mode": "fan"}, "`mode`"),
        ({"distribution": "cauchy"}, "`distribution`"),
    ):
        with pytest.raises(ValueError, match=message):
            made.VarianceScaling(**arguments)
    with pytest.raises(ValueError, match="two-dimensional"):
        made.Orthogonal()([3])
    with pytest.raises(ValueError, match="floating"):
        made.he_uniform(seed=1)([2, 2], tf.int32)
