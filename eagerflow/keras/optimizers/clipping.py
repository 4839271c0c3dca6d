"""Clipping of gradients by value and by norm."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.keras.optimizers import scalars
from eagerflow.ops import norms
from eagerflow.typing import TensorLike

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
    gradients: list, clipnorm: float | None, clipvalue: float | None, global_clipnorm: float | None
) -> list:
    """The gradients after clipping. Rows that repeat in a sparse gradient are not summed.

    `clipnorm` takes precedence over `global_clipnorm`, which takes precedence over `clipvalue`.
    """
    if clipnorm:
        return clipped_by_norm(gradients, clipnorm)
    if global_clipnorm:
        return clipped_by_global_norm(gradients, global_clipnorm)
    if clipvalue:
        return clipped_by_value(gradients, clipvalue)
    return gradients


def clipped_by_value(gradients: list, limit: float) -> list:
    """The gradients with every element clipped to `[-limit, limit]`."""
    return [with_values(g, _ops.clip_by_value(values_of(g), -limit, limit)) for g in gradients]


def clipped_by_norm(gradients: list, limit: float) -> list:
    """The gradients, each scaled down to the norm `limit` if its norm is larger."""
    return [_scaled_to(gradient, _norm([gradient]), limit) for gradient in gradients]


def clipped_by_global_norm(gradients: list, limit: float) -> list:
    """The gradients, scaled down by one factor if their common norm is above `limit`."""
    norm = _norm(gradients)
    return [_scaled_to(gradient, norm, limit) for gradient in gradients]


def values_of(gradient: object) -> Any:
    """The values of a gradient, which may be sparse."""
    return gradient.values if isinstance(gradient, IndexedSlices) else gradient


def with_values(gradient: object, values: TensorLike) -> Any:
    """The gradient with other values."""
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return values


def _norm(gradients: list) -> norms.ScaledNorm:
    values = [_core.as_tensor(values_of(gradient)) for gradient in gradients]
    dtype = values[0].dtype
    return norms.joint_norm([v if v.dtype is dtype else _ops.cast(v, dtype) for v in values])


def _scaled_to(gradient: object, norm: norms.ScaledNorm, limit: float) -> Any:
    """The gradient, scaled by the factor that reduces the norm to `limit`."""
    length, inverse = scalars.number(norm.length), scalars.number(norm.inverse)
    largest = scalars.larger(length, limit * inverse)
    factor = limit / largest if limit or scalars.is_symbolic(largest) or largest else 0.0
    values = values_of(gradient)
    if scalars.is_symbolic(factor):
        factor = _ops.select(_ops.equal(largest, 0.0), _ops.zeros_like(factor), factor)
        values = values * _ops.cast(norm.inverse, values.dtype)
        return with_values(gradient, values * _ops.cast(factor, values.dtype))
    if inverse != 1.0:
        values = values * _core.convert(inverse, values.dtype)
    return with_values(gradient, values * _core.convert(factor, values.dtype))
