"""The numbers that the workloads of single operations compute with: the same for everybody."""

import numpy as np


def uniform(*shape):
    """Numbers between -1 and 1."""
    return np.random.RandomState(0).uniform(-1, 1, shape).astype(np.float32)


def below(limit, *shape):
    """Whole numbers."""
    return np.random.RandomState(1).randint(0, limit, shape).astype(np.int64)


def positive(count, size):
    """Positive definite matrices."""
    matrices = uniform(count, size, size)
    return matrices @ matrices.swapaxes(-1, -2) + size * np.eye(size, dtype=np.float32)
