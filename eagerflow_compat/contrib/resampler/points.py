"""Bilinear interpolation of images at points, with gradients of both."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.ops import array
from eagerflow.ops.indexing import gather_nd

_ops = _core.ops


def corners(position: Any, size: Any, clamp: bool) -> list[tuple[Any, Any]]:
    """The two pixels beside positions on one axis, int32, and the weight of each.

    Args:
        position: floats.
        size: the number of pixels, an integer or a scalar tensor.
        clamp: whether the outermost pixels go on outside; else there are zeros.
    """
    last = _ops.cast(size, "int32") - 1
    if clamp:
        low = _ops.clip_by_value(_ops.floor(position), 0.0, _ops.cast(last - 1, position.dtype))
        share = _ops.clip_by_value(position - low, 0.0, 1.0)
    else:
        low = _ops.floor(position)
        share = position - low
    found = []
    for step, weight in ((0, 1.0 - share), (1, share)):
        index = _ops.cast(low, "int32") + step
        inside = _ops.logical_and(index >= 0, index <= last)
        index = _ops.clip_by_value(index, 0, last)
        found.append((index, weight * _ops.cast(inside, weight.dtype)))
    return found


def bilinear(data: Any, x: Any, y: Any, clamp: bool) -> Any:
    """`[batch, points, channels]` of images `[batch, height, width, channels]`.

    Args:
        data: the images.
        x: columns `[batch, points]`.
        y: rows `[batch, points]`.
        clamp: see `corners`.
    """
    _, height, width, _ = data._sizes()
    batch = _ops.zeros_like(_ops.cast(x, "int32")) + _ops.expand_dims(
        _ops.range(0, array.shape(data)[0], 1), 1
    )
    total: Any = None
    for row, of_row in corners(y, height, clamp):
        for column, of_column in corners(x, width, clamp):
            pixels = gather_nd(data, _ops.stack([batch, row, column], -1))
            part = pixels * _ops.expand_dims(of_row * of_column, -1)
            total = part if total is None else total + part
    return total


def resampler(data: Any, warp: Any, name: str | None = None) -> Any:
    """Images at points, bilinearly between their pixels; zeros outside.

    Args:
        data: `[batch, height, width, channels]`.
        warp: the points as pairs of a column and a row, `[batch, ..., 2]`.
        name: accepted.

    Returns:
        `[batch, ..., channels]`.

    >>> image = tf.constant([[[[1.0], [2.0]], [[3.0], [4.0]]]])
    >>> tf.contrib.resampler.resampler(image, [[[0.5, 0.0], [0.5, 0.5]]]).numpy()
    array([[[1.5],
            [2.5]]], dtype=float32)
    """
    data = _core.as_tensor(data)
    warp = _core.convert(warp, data.dtype, None)
    batch, *points, _ = warp._sizes()
    flat = _ops.reshape(warp, [array.shape(warp)[0], -1, 2])
    found = bilinear(data, flat[..., 0], flat[..., 1], clamp=False)
    return _ops.reshape(found, [batch, *points, data._sizes()[3]])
