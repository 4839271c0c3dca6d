"""Affine transformations of images: each output pixel is read from a position of the input."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes

_ops = _core.ops
FILL_MODES = ("reflect", "wrap", "constant", "nearest")
INTERPOLATIONS = ("nearest", "bilinear")


def as_float(size: Any) -> Any:
    """A size to compute with, which may be known only when a graph runs."""
    return float(size) if type(size) is int else _ops.cast(size, dtypes.float32)


def translation(dx: Any, dy: Any) -> list[Any]:
    """The transformation that moves images by `dx` columns and `dy` rows, tensors `[batch]`."""
    zeros, ones = _ops.zeros_like(dx), _ops.ones_like(dx)
    return [ones, zeros, _ops.negative(dx), zeros, ones, _ops.negative(dy)]


def rotation(angles: Any, rows: Any, columns: Any) -> list[Any]:
    """The transformation that turns images around their centre by `angles` `[batch]`."""
    width, height = as_float(columns) - 1.0, as_float(rows) - 1.0
    cosine, sine = _ops.cos(angles), _ops.sin(angles)
    x = (width - (cosine * width - sine * height)) / 2.0
    y = (height - (sine * width + cosine * height)) / 2.0
    return [cosine, _ops.negative(sine), x, sine, cosine, y]


def zoom(zx: Any, zy: Any, rows: Any, columns: Any) -> list[Any]:
    """The transformation that shows `zx` times the width and `zy` times the height."""
    zeros = _ops.zeros_like(zx)
    x = (as_float(columns) - 1.0) / 2.0 * (1.0 - zx)
    y = (as_float(rows) - 1.0) / 2.0 * (1.0 - zy)
    return [zx, zeros, x, zeros, zy, y]


def _inside(position: Any, count: Any, mode: str) -> Any:
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
    images: Any, coefficients: list[Any], fill_mode: str, fill_value: float, interpolation: str
) -> Any:
    """Images `[batch, rows, columns, channels]` whose pixel (x, y) is the input's at
    (a x + b y + c, d x + e y + f), with coefficients a to f for each image.

    Args:
        images: floating.
        coefficients: six tensors `[batch]`.
        fill_mode: what lies beyond the border: "reflect", "wrap", "nearest" or "constant".
        fill_value: the constant.
        interpolation: "bilinear" or "nearest".
    """
    batch, rows, columns, channels = images._sizes()
    height, width = as_float(rows), as_float(columns)
    x = _ops.reshape(_ops.cast(_ops.range(0, columns, 1), dtypes.float32), [1, 1, columns])
    y = _ops.reshape(_ops.cast(_ops.range(0, rows, 1), dtypes.float32), [1, rows, 1])
    a, b, c, d, e, f = (_ops.reshape(n, [batch, 1, 1]) for n in coefficients)
    source_x = _inside(a * x + b * y + c, columns, fill_mode)
    source_y = _inside(d * x + e * y + f, rows, fill_mode)
    flat = _ops.reshape(images, [batch * rows * columns, channels])
    starts = _ops.reshape(_ops.range(0, batch, 1), [batch, 1, 1]) * (rows * columns)

    def read(at_y: Any, at_x: Any) -> Any:
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

    def weight(value: Any) -> Any:
        return _ops.cast(_ops.expand_dims(value, -1), images.dtype)

    above = weight(right - source_x) * read(top, left) + weight(source_x - left) * read(top, right)
    below = weight(right - source_x) * read(bottom, left) + weight(source_x - left) * read(
        bottom, right
    )
    return weight(bottom - source_y) * above + weight(source_y - top) * below


def _rounded(x: Any) -> Any:
    """The nearest integers, halves away from zero."""
    return _ops.multiply(_ops.sign(x), _ops.floor(_ops.add(_ops.abs(x), 0.5)))


FULL_TURN = 2.0 * math.pi
