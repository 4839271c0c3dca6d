"""Filters of images: each pixel is a weighted sum of its neighbours."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.ops.nn import convolution

_ops = _core.ops


def bell(size: int, width: Any, dtype: Any) -> _core.Tensor:
    """`size` weights in the form of a Gaussian bell, whose sum is one; `width` is its deviation."""
    x = _ops.cast(_ops.range(0, size, 1), dtype) - (size - 1) / 2
    heights = _ops.exp(_ops.square(x / _ops.cast(width, dtype)) * -0.5)
    return heights / _ops.reduce_sum(heights)


def filtered(images: _core.Tensor, window: Any) -> _core.Tensor:
    """Each channel of images `[batch, rows, columns, channels]`, filtered by a window of weights."""
    rows, columns = window._sizes()
    channels = images._sizes()[-1]
    filters = _ops.broadcast_to(
        _ops.reshape(window, [rows, columns, 1, 1]), [rows, columns, channels, 1]
    )
    return convolution.depthwise_conv2d(images, filters, [1, 1, 1, 1], "SAME")
