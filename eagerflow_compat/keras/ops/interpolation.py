"""Values of arrays at positions between and beyond their elements."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Sequence
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes

_ops = _core.ops
BORDERS = ("constant", "nearest", "wrap", "mirror", "reflect")


def _inside(index: Any, size: Any, mode: str) -> _core.Tensor:
    """Indices beyond the border as indices of elements."""
    if mode == "wrap":
        return _ops.floormod(index, size)
    if mode == "mirror":
        # The elements at the border occur once: b c d c b.
        period = _ops.maximum(2 * (size - 1), 1)
        index = _ops.floormod(index, period)
        return _ops.minimum(index, period - index)
    if mode == "reflect":
        # They occur twice: b c d d c b.
        index = _ops.floormod(index, 2 * size)
        return _ops.minimum(index, 2 * size - 1 - index)
    return _ops.clip_by_value(index, 0, size - 1)


def values_at(
    flat: Any,
    sizes: Sequence[Any],
    positions: Sequence[Any],
    order: int,
    mode: str,
    fill_value: _core.Tensor,
    start: Any = 0,
) -> _core.Tensor:
    """Values of an array at positions, interpolated between its elements.

    Args:
        flat: `[elements, ...]`, the array in one axis; further axes are interpolated together.
        sizes: the array's shape.
        positions: for each axis of the array the positions along it, of one shape; floating for
            order 1.
        order: 0 for the nearest element, 1 for linear interpolation.
        mode: what lies beyond the border, one of `BORDERS`.
        fill_value: a tensor of the result's dtype, for "constant".
        start: the index in `flat` of the array's first element, for each position.

    Returns:
        The values, of the positions' shape and the further axes. Of order 1, they have the dtype of
        the positions, which the gradient reaches.
    """
    neighbours: list[list[tuple[Any, Any]]] = []
    for position in positions:
        if order == 0:
            near = _ops.round(position) if position.dtype.is_floating else position
            neighbours.append([(_ops.cast(near, dtypes.int32), None)])
            continue
        low = _ops.floor(position)
        share = position - low
        index = _ops.cast(low, dtypes.int32)
        neighbours.append([(index, 1.0 - share), (index + 1, share)])
    parts = []
    for corner in itertools.product(*neighbours):
        indices = [index for index, _ in corner]
        offset = _inside(indices[0], sizes[0], mode)
        for index, size in zip(indices[1:], sizes[1:], strict=True):
            offset = offset * size + _inside(index, size, mode)
        part = _ops.gather(flat, offset + start, axis=0)
        if order == 1:
            part = _ops.cast(part, positions[0].dtype)
        if mode == "constant":
            inside = [
                _ops.logical_and(_ops.greater_equal(index, 0), _ops.less(index, size))
                for index, size in zip(indices, sizes, strict=True)
            ]
            known: _core.Tensor | None = functools.reduce(_ops.logical_and, inside)
            part = _ops.select(
                _with_trailing_axes(known, part), part, _ops.cast(fill_value, part.dtype)
            )
        if order == 1:
            # Elements of weight 0 do not count, whatever they are.
            weight = functools.reduce(operator.mul, [share for _, share in corner])
            part = _ops.multiply_no_nan(part, _with_trailing_axes(weight, part))
        parts.append(part)
    return functools.reduce(operator.add, parts)


def _with_trailing_axes(x: Any, values: Any) -> Any:
    """`x` with trailing axes of size 1, so that it broadcasts with `values`."""
    for _ in range(values.ndim - x.ndim):
        x = _ops.expand_dims(x, -1)
    return x
