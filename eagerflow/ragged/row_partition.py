"""RowPartition: where the rows of a ragged tensor begin and end."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core


class RowPartition:
    """Where each row begins and ends.

    Args:
        splits: int32 or int64 `[rows + 1]`: the place of each row's first element, and the end.
        uniform_row_length: the length that all rows have by construction, if there is one.
    """

    __slots__ = ("splits", "uniform_row_length", "_numpy", "_lengths", "_rowids")

    def __init__(self, splits: Any, uniform_row_length: int | None = None) -> None:
        self.splits = splits
        self.uniform_row_length = uniform_row_length
        self._numpy: np.ndarray | None = None
        self._lengths: Any = None
        self._rowids: np.ndarray | None = None

    @classmethod
    def of(cls, splits: np.ndarray, dtype: Any, uniform: int | None = None) -> RowPartition:
        """From an array."""
        partition = cls(_core.convert(splits, dtype, None), uniform)
        partition._numpy = np.asarray(splits, np.int64)
        return partition

    @classmethod
    def of_lengths(
        cls, lengths: np.ndarray, dtype: Any, uniform: int | None = None
    ) -> RowPartition:
        """From the rows' lengths."""
        splits = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=splits[1:])
        return cls.of(splits, dtype, uniform)

    @property
    def numpy(self) -> np.ndarray:
        """The splits as an array of int64."""
        if self._numpy is None:
            self._numpy = self.splits.numpy().astype(np.int64, copy=False)
        return self._numpy

    @property
    def dtype(self) -> Any:
        """int32 or int64."""
        return self.splits.dtype

    @property
    def lengths(self) -> np.ndarray:
        """The length of each row."""
        splits = self.numpy
        return splits[1:] - splits[:-1]

    @property
    def row_lengths(self) -> Any:
        """The length of each row, as a tensor of the splits' dtype."""
        if self._lengths is None:
            splits = self.splits
            self._lengths = _core.ops.subtract(splits[1:], splits[:-1])
        return self._lengths

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.splits._size - 1

    @property
    def rowids(self) -> np.ndarray:
        """The row of each element."""
        if self._rowids is None:
            self._rowids = np.repeat(np.arange(self.rows), self.lengths)
        return self._rowids
