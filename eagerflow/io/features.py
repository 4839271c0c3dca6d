"""Descriptions of the features in examples, for parsing them."""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

from eagerflow.framework import dtypes


class VarLenFeature(NamedTuple):
    """Any number of values, parsed to a sparse tensor.

    >>> tf.io.VarLenFeature(tf.int64)
    VarLenFeature(dtype=tf.int64)
    """

    dtype: Any


class _FixedLen(NamedTuple):
    shape: Any
    dtype: Any
    default_value: Any = None


class FixedLenFeature(_FixedLen):
    """As many values as a shape holds.

    Args:
        shape: the shape of one example's values.
        dtype: float32, int64 or string.
        default_value: the value of examples that lack the feature; without it they are refused.

    >>> tf.io.FixedLenFeature([2], tf.float32).shape
    [2]
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return (
            f"FixedLenFeature(shape={self.shape!r}, dtype={self.dtype!r}, "
            f"default_value={self.default_value!r})"
        )


class FixedLenSequenceFeature(NamedTuple):
    """A sequence of values of one shape, padded to the longest of the batch.

    Attributes:
        shape: the shape of one step.
        dtype: float32, int64 or string.
        allow_missing: whether examples may lack it; the sequence is empty then.
        default_value: what to pad with.
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class SparseFeature(NamedTuple):
    """Values and their indices, parsed to a sparse tensor.

    Attributes:
        index_key: the feature of the indices, or a list with one for each axis.
        value_key: the feature that holds the values.
        dtype: float32, int64 or string.
        size: the size of the axis, or a list of sizes.
        already_sorted: whether the indices are in order.
    """

    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool = False


class RaggedFeature(
    namedtuple(
        "RaggedFeature", ["dtype", "value_key", "partitions", "row_splits_dtype", "validate"]
    )
):
    """Values and how they are divided into rows, parsed to a ragged tensor.

    Args:
        dtype: float32, int64 or string.
        value_key: the feature that holds the values; by default the key of this description.
        partitions: the row partitions of the ragged axes, from the outermost inwards, for instance
            `RaggedFeature.RowLengths("lengths")`.
        row_splits_dtype: int32 or int64.
        validate: whether to check the partitions.

    >>> tf.io.RaggedFeature(tf.int64).partitions
    ()
    """

    RowSplits = namedtuple("RowSplits", ["key"])
    RowLengths = namedtuple("RowLengths", ["key"])
    RowStarts = namedtuple("RowStarts", ["key"])
    RowLimits = namedtuple("RowLimits", ["key"])
    ValueRowIds = namedtuple("ValueRowIds", ["key"])
    UniformRowLength = namedtuple("UniformRowLength", ["length"])

    def __new__(
        cls,
        dtype: Any,
        value_key: str | None = None,
        partitions: Any = (),
        row_splits_dtype: Any = dtypes.int32,
        validate: bool = False,
    ) -> RaggedFeature:
        if value_key is not None and not isinstance(value_key, str):
            raise ValueError(
                f"Argument `value_key` must be a string; got {value_key!r} of type "
                f"{type(value_key).__name__}"
            )
        return super().__new__(
            cls,
            dtypes.as_dtype(dtype),
            value_key,
            tuple(partitions),
            dtypes.as_dtype(row_splits_dtype),
            bool(validate),
        )
