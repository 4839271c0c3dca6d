"""Patches of images under a moving window, and images as sums of patches."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework.op_function import op_function
from eagerflow.keras.typing import Sizes
from eagerflow.typing import TensorLike
from eagerflow.util import lazy
from eagerflow_compat.keras.ops.promotion import tensor

# Imported when it is first used: few programs need it.
geometry = lazy.Module("eagerflow.image.geometry")

_ops = _core.ops
Tensor = _core.Tensor


def _pair(value: Any) -> list[int]:
    return [value] * 2 if isinstance(value, int) else [int(each) for each in value]


@op_function
def unfold(
    x: TensorLike, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Any = 1
) -> Tensor:
    """The patches of images under a moving window.

    Args:
        x: `[batch, channels, height, width]`.
        kernel_size: the height and width of the window, or one integer for both.
        dilation: how far apart a patch's elements are.
        padding: how many zeros are added on each side.
        stride: how far the window moves.

    Returns:
        `[batch, channels * window, patches]`, where `window` is the number of a window's elements.

    Raises:
        ValueError: if there are not four axes.

    >>> tf.keras.ops.unfold(tf.reshape(tf.range(9), [1, 1, 3, 3]), 2)[0, :, 0].numpy()
    array([0, 1, 3, 4], dtype=int32)
    """
    x = tensor(x)
    if x.ndim != 4:
        raise ValueError(f"Input must be a 4D tensor. Received: input.shape={tuple(x.shape)}")
    window, rates, pads, steps = (_pair(each) for each in (kernel_size, dilation, padding, stride))
    if any(pads):
        x = _ops.pad(x, [0, 0, 0, 0, pads[0], pads[0], pads[1], pads[1]])
    batch, channels = x._sizes()[:2]
    patches = geometry.extract_patches(
        _ops.transpose(x, [0, 2, 3, 1]), [1, *window, 1], [1, *steps, 1], [1, *rates, 1], "VALID"
    )
    rows, columns = patches._sizes()[1:3]
    patches = _ops.reshape(patches, [batch, rows * columns, math.prod(window), channels])
    patches = _ops.transpose(patches, [0, 3, 2, 1])
    return _ops.reshape(patches, [batch, channels * math.prod(window), rows * columns])


@op_function
def fold(
    x: TensorLike,
    output_size: Sizes,
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: TensorLike = 1,
) -> Tensor:
    """Images as the sums of patches, which `unfold` with the same arguments takes from them.

    Args:
        x: `[batch, channels * window, patches]`, where `window` is the number of a window's elements.
        output_size: the height and width of the images, or one integer for both.
        kernel_size: the height and width of the window.
        dilation: how far apart a patch's elements are.
        padding: how many elements on each side are left out.
        stride: how far the window moves.

    Returns:
        `[batch, channels, height, width]`.

    Raises:
        ValueError: if there are not three axes.

    >>> tf.keras.ops.fold(tf.ones([1, 4, 4]), 3, 2)[0, 0].numpy()
    array([[1., 2., 1.],
           [2., 4., 2.],
           [1., 2., 1.]], dtype=float32)
    """
    x = tensor(x)
    if x.ndim != 3:
        raise ValueError(f"Input must be a 3D tensor. Received: input.shape={tuple(x.shape)}")
    arguments = (output_size, kernel_size, dilation, padding, stride)
    image, window, rates, pads, steps = (_pair(each) for each in arguments)
    padded = [size + 2 * pad for size, pad in zip(image, pads, strict=True)]
    # Along each axis, the place of a window's element for each position of the window.
    places = [
        np.arange(size)[:, None] * rate + np.arange(0, length - (size - 1) * rate, step)
        for size, rate, length, step in zip(window, rates, padded, steps, strict=True)
    ]
    down, across = places[0][:, None, :, None], places[1][:, None, :]
    ids = _core.as_tensor((down * padded[1] + across).reshape(-1).astype("int32"))
    batch, depth, count = x._sizes()
    channels = depth // math.prod(window)
    rows = _ops.reshape(x, [batch * channels, math.prod(window) * count])
    sums = _ops.unsorted_segment_sum(_ops.transpose(rows, [1, 0]), ids, math.prod(padded))
    images = _ops.reshape(_ops.transpose(sums, [1, 0]), [batch, channels, *padded])
    return images[:, :, pads[0] : pads[0] + image[0], pads[1] : pads[1] + image[1]]
