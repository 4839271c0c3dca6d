"""Keeping gradients from getting too large."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.indexed_slices import IndexedSlices

_ops = _core.ops


def check_thresholds(
    clipnorm: float | None, clipvalue: float | None, global_clipnorm: float | None
) -> None:
    """Raises a ValueError for thresholds that contradict each other or are negative."""
    if clipnorm is not None and global_clipnorm is not None:
        raise ValueError(
            "At most one of `clipnorm` and `global_clipnorm` can be set. "
            f"Received: clipnorm={clipnorm}, global_clipnorm={global_clipnorm}."
        )
    for threshold in (clipnorm, clipvalue, global_clipnorm):
        if threshold is not None and threshold < 0:
            raise ValueError(f"A clipping threshold must not be negative, got {threshold}.")


def clipped(
    gradients: list,
    clipnorm: float | None,
    clipvalue: float | None,
    global_clipnorm: float | None,
) -> list:
    """The gradients after clipping; of sparse ones, the values count as they are.

    The norm of each goes before that of all together, which goes before single values.
    """
    if clipnorm:
        return [_scaled_to(gradient, _norm([gradient]), clipnorm) for gradient in gradients]
    if global_clipnorm:
        norm = _norm(gradients)
        return [_scaled_to(gradient, norm, global_clipnorm) for gradient in gradients]
    if clipvalue:
        return [
            with_values(g, _ops.clip_by_value(values_of(g), -clipvalue, clipvalue))
            for g in gradients
        ]
    return gradients


def values_of(gradient: Any) -> Any:
    """A gradient's values, of a sparse one those of its rows."""
    return gradient.values if isinstance(gradient, IndexedSlices) else gradient


def with_values(gradient: Any, values: Any) -> Any:
    """The gradient with other values."""
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return values


def _norm(gradients: list) -> Any:
    squares = [_ops.reduce_sum(_ops.square(values_of(g))) for g in gradients]
    total = squares[0]
    for square in squares[1:]:
        total = total + _ops.cast(square, total.dtype)
    return _ops.sqrt(total)


def _scaled_to(gradient: Any, norm: Any, limit: float) -> Any:
    """The gradient, shortened by the factor that brings `norm` down to `limit`."""
    factor = limit / max(float(norm), limit)
    values = values_of(gradient)
    return with_values(gradient, values * _core.convert(factor, values.dtype, None))
