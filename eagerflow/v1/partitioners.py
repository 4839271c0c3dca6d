"""Functions that say into how many parts a variable is cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Callable[..., list[int]]:
    """A function of a shape that cuts one axis into a number of parts.

    Args:
        num_shards: the number of parts, of which there are at most as many as the axis is long.
        axis: the axis.

    Returns:
        A function that takes `shape` and any other arguments by name, and returns the number of parts
        of each axis.

    >>> tf.compat.v1.fixed_size_partitioner(2)(shape=tf.TensorShape([5, 3]), dtype=tf.float32)
    [2, 1]
    """

    def partitioner(shape: Any, **unused_args: Any) -> list[int]:
        parts = [1] * len(shape)
        parts[axis] = min(num_shards, shape[axis])
        return parts

    return partitioner
