"""tf.distribute.experimental.partitioners: into how many parts an axis of a variable is cut."""

from __future__ import annotations

import math
from typing import Any

from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.typing import DTypeLike, ShapeLike


class Partitioner:
    """Base class of functions that say into how many parts each axis of a variable is cut.

    A subclass defines `parts`, for the axis that is cut.
    """

    def __call__(self, shape: ShapeLike, dtype: DTypeLike, axis: int = 0) -> list[int]:
        """The number of parts of each axis.

        Args:
            shape: the shape of the whole, whose sizes are known.
            dtype: its element type.
            axis: the axis that is cut.

        Returns:
            A number for each axis: 1 for all but one of them.
        """
        sizes: Any = TensorShape(shape).as_list()
        parts = [1] * len(sizes)
        parts[axis] = self.parts(sizes, dtypes.as_dtype(dtype), axis)
        return parts

    def parts(self, sizes: list[int], dtype: dtypes.DType, axis: int) -> int:
        """The number of parts of an axis.

        Args:
            sizes: the shape of the whole.
            dtype: its element type.
            axis: the axis.
        """
        raise NotImplementedError


class FixedShardsPartitioner(Partitioner):
    """Cuts an axis into a number of parts.

    Args:
        num_shards: how many; fewer where the axis is shorter.

    >>> cut = tf.distribute.experimental.partitioners.FixedShardsPartitioner(num_shards=2)
    >>> cut(tf.TensorShape([10, 3]), tf.float32), cut([1, 3], tf.float32)
    ([2, 1], [1, 1])
    """

    def __init__(self, num_shards: int) -> None:
        self._num_shards = num_shards

    def parts(self, sizes: list[int], dtype: dtypes.DType, axis: int) -> int:
        """The number of parts."""
        return min(self._num_shards, sizes[axis])


class MinSizePartitioner(Partitioner):
    """Cuts an axis into as many parts as keep each of them above a size.

    Args:
        min_shard_bytes: the smallest part, in bytes.
        max_shards: the largest number of parts.
        bytes_per_string: how long a string is taken to be.

    Raises:
        ValueError: if a number is not positive.

    >>> cut = tf.distribute.experimental.partitioners.MinSizePartitioner(16, max_shards=4)
    >>> cut([6, 2], tf.float32)
    [3, 1]
    """

    def __init__(
        self, min_shard_bytes: int = 256 << 10, max_shards: int = 1, bytes_per_string: int = 16
    ) -> None:
        _check_positive(
            min_shard_bytes=min_shard_bytes,
            max_shards=max_shards,
            bytes_per_string=bytes_per_string,
        )
        self._min_shard_bytes, self._max_shards = min_shard_bytes, max_shards
        self._bytes_per_string = bytes_per_string

    def parts(self, sizes: list[int], dtype: dtypes.DType, axis: int) -> int:
        """The number of parts."""
        whole = _element_bytes(dtype, self._bytes_per_string) * math.prod(sizes)
        return max(1, min(sizes[axis], self._max_shards, -(-whole // self._min_shard_bytes)))


class MaxSizePartitioner(Partitioner):
    """Cuts an axis into as few parts as keep each of them below a size.

    Args:
        max_shard_bytes: the largest part, in bytes.
        max_shards: the largest number of parts, if any.
        bytes_per_string: how long a string is taken to be.

    Raises:
        ValueError: if a number is not positive.

    >>> cut = tf.distribute.experimental.partitioners.MaxSizePartitioner(16)
    >>> cut([6, 2], tf.float32)
    [3, 1]
    """

    def __init__(
        self, max_shard_bytes: int, max_shards: int | None = None, bytes_per_string: int = 16
    ) -> None:
        _check_positive(
            max_shard_bytes=max_shard_bytes,
            bytes_per_string=bytes_per_string,
            max_shards=1 if max_shards is None else max_shards,
        )
        self._max_shard_bytes, self._max_shards = max_shard_bytes, max_shards
        self._bytes_per_string = bytes_per_string

    def parts(self, sizes: list[int], dtype: dtypes.DType, axis: int) -> int:
        """The number of parts."""
        if not math.prod(sizes):
            return 1
        whole = _element_bytes(dtype, self._bytes_per_string) * math.prod(sizes)
        per_part = max(1, self._max_shard_bytes // (whole // sizes[axis]))
        count = -(-sizes[axis] // per_part)
        return count if self._max_shards is None else min(count, self._max_shards)


def _check_positive(**numbers: int) -> None:
    for name, number in numbers.items():
        if number < 1:
            raise ValueError(f"Argument `{name}` must be positive. Received: {number}")


def _element_bytes(dtype: dtypes.DType, bytes_per_string: int) -> int:
    return bytes_per_string if dtype == dtypes.string else dtype.size
