"""Projective transformations of images: each output pixel is read from a position of the input."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes

_ops = _core.ops
FILL_MODES = ("reflect", "wrap", "constant", "nearest")
INTERPOLATIONS = ("nearest", "bilinear")


def as_float(size: Any) -> float | _core.Tensor:
    """A size to compute with, which may be known only when a graph runs."""
    return float(size) if type(size) is int else _ops.cast(size, dtypes.float32)


def _inside(position: _core.Tensor, count: Any, mode: str) -> _core.Tensor:
    """Positions beyond the border as positions in the image, for all modes but "constant"."""
    size = as_float(count)
    last = size - 1.0
    if mode == "constant":
        return position
    several = type(count) is not int or count > 1
    if mode == "reflect" and several:
        period = 2.0 * size
        position = _ops.floormod(position, period)
        position = _ops.select(
            _ops.greater_equal(position, size), period - 1.0 - position, position
        )
    elif mode == "wrap" and several:
        # The period is the distance between the first and the last position, as in Keras.
        below = _ops.add(position, size * (_ops.floor(_ops.negative(position) / last) + 1.0))
        above = _ops.subtract(position, size * _ops.floor(position / last))
        wrapped = _ops.select(_ops.greater(position, last), above, position)
        position = _ops.select(_ops.less(position, 0.0), below, wrapped)
    return _ops.clip_by_value(position, 0.0, last)


def transformed(
    images: Any,
    coefficients: list[Any],
    fill_mode: str,
    fill_value: Any,
    interpolation: str,
    size: Any = None,
) -> Any:
    """Images `[batch, rows, columns, channels]` whose pixel (x, y) is the input's at
    (a x + b y + c, d x + e y + f), divided by g x + h y + 1, with coefficients for each image.

    Args:
        images: floating.
        coefficients: six tensors `[batch]`, a to f, or eight.
        fill_mode: what lies beyond the border: "reflect", "wrap", "nearest" or "constant".
        fill_value: the constant.
        interpolation: "bilinear" or "nearest".
        size: the rows and columns of the results; by default those of the images.
    """
    batch, rows, columns, channels = images._sizes()
    height, width = as_float(rows), as_float(columns)
    new_rows, new_columns = (rows, columns) if size is None else size
    x = _ops.reshape(_ops.cast(_ops.range(0, new_columns, 1), dtypes.float32), [1, 1, new_columns])
    y = _ops.reshape(_ops.cast(_ops.range(0, new_rows, 1), dtypes.float32), [1, new_rows, 1])
    a, b, c, d, e, f, *perspective = (_ops.reshape(n, [batch, 1, 1]) for n in coefficients)
    source_x, source_y = a * x + b * y + c, d * x + e * y + f
    if perspective:
        g, h = perspective
        distance = g * x + h * y + 1.0
        # A pixel at infinity lies outside of the image.
        source_x = _ops.select(_ops.equal(distance, 0.0), -1.0, source_x / distance)
        source_y = _ops.select(_ops.equal(distance, 0.0), -1.0, source_y / distance)
    source_x = _inside(source_x, columns, fill_mode)
    source_y = _inside(source_y, rows, fill_mode)
    flat = _ops.reshape(images, [batch * rows * columns, channels])
    starts = _ops.reshape(_ops.range(0, batch, 1), [batch, 1, 1]) * (rows * columns)

    def read(at_y: Any, at_x: _core.Tensor) -> _core.Tensor:
        known = _ops.logical_and(
            _ops.logical_and(_ops.greater_equal(at_x, 0.0), _ops.less(at_x, width)),
            _ops.logical_and(_ops.greater_equal(at_y, 0.0), _ops.less(at_y, height)),
        )
        near_x = _ops.cast(_ops.clip_by_value(at_x, 0.0, width - 1.0), dtypes.int32)
        near_y = _ops.cast(_ops.clip_by_value(at_y, 0.0, height - 1.0), dtypes.int32)
        pixels = _ops.gather(flat, starts + near_y * columns + near_x, 0, 0)
        beyond = _core.convert(fill_value, images.dtype, None)
        return _ops.select(_ops.expand_dims(known, -1), pixels, beyond)

    if interpolation == "nearest":
        return read(_rounded(source_y), _rounded(source_x))
    left, top = _ops.floor(source_x), _ops.floor(source_y)
    right, bottom = left + 1.0, top + 1.0

    def weight(value: _core.Tensor) -> Any:
        return _ops.cast(_ops.expand_dims(value, -1), images.dtype)

    def between(first: Any, first_weight: Any, second: Any, second_weight: Any) -> _core.Tensor:
        # Pixels of weight 0 do not count, whatever their values are.
        return _ops.multiply_no_nan(first, weight(first_weight)) + _ops.multiply_no_nan(
            second, weight(second_weight)
        )

    to_left, to_right = right - source_x, source_x - left
    above = between(read(top, left), to_left, read(top, right), to_right)
    below = between(read(bottom, left), to_left, read(bottom, right), to_right)
    return between(above, bottom - source_y, below, source_y - top)


def _rounded(x: _core.Tensor) -> _core.Tensor:
    """The nearest integers, halves away from zero."""
    return _ops.multiply(_ops.sign(x), _ops.floor(_ops.add(_ops.abs(x), 0.5)))
