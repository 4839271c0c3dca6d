"""Segments cut to the length that a model takes together."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any

import eagerflow as tf
from eagerflow.ragged.graph_specs import convert
from eagerflow.typing import TensorLike


class Trimmer(abc.ABC):
    """Cuts the segments of each row, so that they are not longer together than allowed."""

    def trim(self, segments: Sequence[TensorLike]) -> list[Any]:
        """The segments without what `generate_mask` drops.

        Args:
            segments: ragged tensors with the same number of rows.

        Returns:
            Shorter segments in the same order.
        """
        given = [convert(segment, None) for segment in segments]
        masks = self.generate_mask(given)
        return [tf.ragged.boolean_mask(*pair) for pair in zip(given, masks, strict=True)]

    @abc.abstractmethod
    def generate_mask(self, segments: Sequence[TensorLike]) -> list[Any]:
        """Which items of each segment are kept: ragged booleans."""


class _ByLengths(Trimmer):
    """Keeps the first items of each segment, as many as its length allows.

    Args:
        max_seq_length: how many items the segments of a row have together at most.
        axis: the axis of items, 1 or the last one: items of other axes are counted as one.
    """

    def __init__(self, max_seq_length: Any, axis: int = -1) -> None:
        self._max_seq_length = max_seq_length
        self._axis = axis

    def generate_mask(self, segments: Sequence[TensorLike]) -> list[Any]:
        """Which items of each segment are kept: ragged booleans."""
        given = [convert(segment, None) for segment in segments]
        items = [self._rows(segment) for segment in given]
        lengths = tf.stack([tf.cast(rows.row_lengths(), tf.int32) for rows in items], -1)
        budget = tf.cast(tf.convert_to_tensor(self._max_seq_length), tf.int32)
        kept = tf.unstack(self._lengths(lengths, budget), len(items), axis=-1)
        masks = []
        for segment, rows, count in zip(given, items, kept, strict=True):
            places = tf.ragged.range(
                tf.cast(rows.row_lengths(), tf.int32), row_splits_dtype=rows.row_splits.dtype
            )
            mask: Any = tf.less(places, tf.expand_dims(count, -1))
            deep = segment.ragged_rank > 1 and self._axis not in (1, 1 - segment.shape.rank)
            masks.append(segment.with_flat_values(mask.flat_values) if deep else mask)
        return masks

    def _rows(self, segment: Any) -> Any:
        rank = segment.shape.rank
        axis = self._axis + rank if self._axis < 0 else self._axis
        if axis == 1:
            return (
                segment.with_values(tf.range(tf.shape(segment.values.row_lengths())[0]))
                if (segment.ragged_rank > 1)
                else segment
            )
        if axis != rank - 1:
            raise ValueError(
                f"{type(self).__name__} trims along axis 1 or the last axis, {rank - 1}, not {self._axis}"
            )
        return segment.merge_dims(1, axis)

    @abc.abstractmethod
    def _lengths(self, lengths: Any, budget: Any) -> Any:
        """How many items each segment keeps, from `[rows, segments]` lengths."""


class WaterfallTrimmer(_ByLengths):
    """Gives each segment what it needs, in order, until nothing is left.

    Args:
        max_seq_length: how many items the segments of a row have together at most: an integer, or
            one for each row.
        axis: the axis of items, 1 or the last one.

    >>> from eagerflow_compat import text
    >>> first, second = tf.ragged.constant([[1, 2, 3]]), tf.ragged.constant([[4, 5, 6]])
    >>> [segment.to_list() for segment in text.WaterfallTrimmer(4).trim([first, second])]
    [[[1, 2, 3]], [[4]]]
    """

    def _lengths(self, lengths: Any, budget: Any) -> Any:
        if budget.shape.rank:
            budget = tf.expand_dims(budget, -1)
        left = budget - tf.cumsum(lengths, axis=-1)
        return tf.maximum(lengths + tf.minimum(left, 0), 0)


class RoundRobinTrimmer(_ByLengths):
    """Gives the segments one item each in turn, until nothing is left.

    Args:
        max_seq_length: how many items the segments of a row have together at most.
        axis: the axis of items, 1 or the last one.

    >>> from eagerflow_compat import text
    >>> first, second = tf.ragged.constant([[1, 2, 3]]), tf.ragged.constant([[4, 5, 6]])
    >>> [segment.to_list() for segment in text.RoundRobinTrimmer(3).trim([first, second])]
    [[[1, 2]], [[4]]]
    """

    def _lengths(self, lengths: Any, budget: Any) -> Any:
        return _levelled(lengths, budget, False)


class ShrinkLongestTrimmer(_ByLengths):
    """Takes items from the longest segment, the first of equal ones, until all fit.

    Args:
        max_seq_length: how many items the segments of a row have together at most.
        axis: the axis of items, 1 or the last one.

    >>> from eagerflow_compat import text
    >>> first, second = tf.ragged.constant([[1, 2, 3]]), tf.ragged.constant([[4, 5, 6]])
    >>> [segment.to_list() for segment in text.ShrinkLongestTrimmer(3).trim([first, second])]
    [[[1]], [[4, 5]]]
    """

    def _lengths(self, lengths: Any, budget: Any) -> Any:
        return _levelled(lengths, budget, True)


def _levelled(lengths: Any, budget: Any, from_the_end: bool) -> Any:
    """Lengths cut to one level for each row, with what is left given to some longer segments."""
    budget = tf.reshape(budget, [])
    levels = tf.range(tf.maximum(budget, 0) + 1)
    totals = tf.reduce_sum(tf.minimum(lengths[:, :, None], levels), 1)
    level = tf.reduce_sum(tf.cast(totals <= budget, tf.int32), 1, keepdims=True) - 1
    kept = tf.minimum(lengths, level)
    longer = tf.cast(lengths > level, tf.int32)
    left = tf.maximum(budget - tf.reduce_sum(kept, 1, keepdims=True), 0)
    place = tf.cumsum(longer, axis=1, reverse=from_the_end)
    return kept + longer * tf.cast(place <= left, tf.int32)
