"""Dilation, erosion, and normalisation by neighbouring channels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import at_least, is_known, of_rank, reshaped, sizes_of
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.composed_op import REAL_TYPES, Input, composed_op
from eagerflow.ops.numpy_ops import checked
from eagerflow.typing import Sizes, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def _four(value: Any, name: str) -> list[int]:
    sizes = [int(size) for size in value]
    if len(sizes) != 4 or sizes[0] != 1 or sizes[3] != 1:
        raise invalid_argument(f"{name} must be [1, rows, columns, 1], got {sizes} [Op:Dilation2D]")
    return sizes


def _check_format(data_format: str) -> None:
    try:
        other = bool(data_format != "NHWC")
    except (TypeError, ValueError) as error:  # a tensor
        raise error from None
    if other:
        raise ValueError(
            "`data_format` values other  than 'NHWC' are not supported. "
            f"Received: data_format={data_format}"
        )


@op_function
def dilation2d(
    input: TensorLike,
    filters: TensorLike,
    strides: Sizes,
    padding: str,
    data_format: str,
    dilations: Sizes,
    name: str | None = None,
) -> Tensor:
    """The grayscale dilation: the largest sum of a window and a filter, channel by channel.

    Args:
        input: real values `[batch, rows, columns, channels]`.
        filters: `[window rows, window columns, channels]`, of the same dtype.
        strides: `[1, rows, columns, 1]`.
        padding: "SAME" or "VALID".
        data_format: "NHWC".
        dilations: the distance between the positions of a window, `[1, rows, columns, 1]`.

    Returns:
        `[batch, rows, columns, channels]`. Of equal sums the first one gets the gradient.

    Raises:
        ValueError: for another data format.
        tf.errors.InvalidArgumentError: if the shapes do not fit.

    >>> x = tf.reshape(tf.range(4.0), [1, 2, 2, 1])
    >>> ones = [1, 1, 1, 1]
    >>> tf.nn.dilation2d(x, tf.zeros([2, 2, 1]), ones, "VALID", "NHWC", ones).numpy().item()
    3.0
    """
    _check_format(data_format)
    return _dilation2d(input, filters, strides, padding, dilations)


@composed_op(
    "Dilation2D",
    overridable=False,
    input=Input(REAL_TYPES),
    filters=Input(REAL_TYPES),
    strides=list[int],
    dilations=list[int],
)
def _dilation2d(input: Any, filters: Any, strides: Sizes, padding: str, dilations: Sizes) -> Tensor:
    x = _core.as_tensor(input)
    windows = _core.convert(filters, x.dtype, None)
    if x.ndim not in (4, None) or windows.ndim not in (3, None):
        raise invalid_argument(
            f"input must be 4-dimensional and filters 3-dimensional, got {x.shape} and "
            f"{windows.shape} [Op:Dilation2D]"
        )
    if padding not in ("SAME", "VALID"):
        raise invalid_argument(
            f"Value for attr 'padding' of {padding!r} is not known [Op:Dilation2D]"
        )
    steps, rates = _four(strides, "strides")[1:3], _four(dilations, "dilations")[1:3]
    x, windows = of_rank(x, 4), of_rank(windows, 3)
    # A rate times a size may not fit int32, the dtype of unknown sizes.
    shape, (rows, columns, channels) = (
        [size if is_known(size) else _ops.cast(size, dtypes.int64) for size in sizes_of(tensor)]
        for tensor in (x, windows)
    )
    if is_known(shape[3], channels) and channels != shape[3]:
        raise invalid_argument(
            f"input and filters must have the same depth: {shape[3]} vs {channels} [Op:Dilation2D]"
        )
    counts: list = []
    before: list = []
    for size, window, step, rate in zip(shape[1:3], (rows, columns), steps, rates, strict=True):
        reach = (window - 1) * rate + 1
        count = -(-size // step) if padding == "SAME" else -(-(size - reach + 1) // step)
        missing = at_least((count - 1) * step + reach - size, 0) if padding == "SAME" else 0
        counts.append(count)
        before.append(missing // 2)
    if any(is_known(count) and count < 0 for count in counts):
        raise invalid_argument(f"The window is larger than the input {x.shape} [Op:Dilation2D]")
    lowest = x.dtype.min  # finite, as the padding of TensorFlow
    if is_known(rows, columns, *shape[1:3]):

        def part(axis: int, place: int) -> tuple[slice, list[int]]:
            """What a place of the window reads along an axis, and how many results read outside."""
            size, step = shape[1 + axis], steps[axis]
            first = place * rates[axis] - before[axis]
            begin = min(max(-(first // step), 0), counts[axis])
            end = min(max(-((first - size) // step), begin), counts[axis])
            read = np.s_[first + begin * step : first + (end - 1) * step + 1 : step]
            return read if end > begin else np.s_[0:0], [begin, counts[axis] - end]

        sums = []
        for row in range(rows):
            for column in range(columns):
                (down, above), (right, left) = part(0, row), part(1, column)
                total = x[:, down, right, :] + windows[row, column]
                if any(above + left):
                    total = _ops.pad(total, [0, 0, *above, *left, 0, 0], constant_values=lowest)
                sums.append(total)
        stacked = _ops.stack(sums, 4)
    else:

        def regions(values: Tensor) -> tuple[Tensor, Tensor]:
            """`[batch, rows, columns, channels, window rows, window columns]`; what is inside."""
            inside: list = []
            for axis in range(2):
                starts = _ops.expand_dims(_ops.range(0, counts[axis], 1), 1) * steps[axis]
                read = starts + _ops.range(0, (rows, columns)[axis], 1) * rates[axis] - before[axis]
                last = shape[1 + axis] - 1
                inside.append(_ops.logical_and(read >= 0, read <= last))
                read = _ops.minimum(_ops.maximum(read, 0), last)
                values = _ops.gather(values, read, 2 * axis + 1, 0)
            down, right = inside
            down = _ops.reshape(down, [counts[0], 1, 1, rows, 1])
            right = _ops.reshape(right, [1, counts[1], 1, 1, columns])
            return _ops.transpose(values, [0, 1, 3, 5, 2, 4]), _ops.logical_and(down, right)

        values, inside = regions(x)
        total = values + _ops.transpose(windows, [2, 0, 1])
        if padding == "SAME":
            total = _ops.select(inside, total, lowest)
        stacked = _ops.reshape(total, [shape[0], *counts, shape[3], rows * columns])
    best = _ops.argmax(stacked, 4, dtypes.int64)
    return _ops.squeeze(_ops.gather(stacked, _ops.expand_dims(best, 4), 4, 4), [4])


@op_function
def erosion2d(
    value: TensorLike,
    filters: TensorLike,
    strides: Sizes,
    padding: str,
    data_format: str,
    dilations: Sizes,
    name: str | None = None,
) -> Tensor:
    """The grayscale erosion: the smallest difference of a window and a filter; see `dilation2d`.

    >>> x = tf.reshape(tf.range(4.0), [1, 2, 2, 1])
    >>> ones = [1, 1, 1, 1]
    >>> tf.nn.erosion2d(x, tf.zeros([2, 2, 1]), ones, "VALID", "NHWC", ones).numpy().item() + 0
    0.0
    """
    _check_format(data_format)
    x = _core.as_tensor(value)
    windows = _ops.reverse(_core.convert(filters, x.dtype, None), [0, 1])
    turned = dilation2d(_ops.negative(x), windows, strides, padding, data_format, dilations)
    return _ops.negative(turned)


@composed_op("LRN", input=Input("float16", "float32", no_kernel=("bfloat16",), prefer="float32"))
def local_response_normalization(
    input: TensorLike,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """Divides each value by a power of the squares of its neighbours along the channels.

    Args:
        input: floating `[batch, rows, columns, channels]`.
        depth_radius: how many channels on either side count as neighbours.
        bias: added to the sum of squares, so that nothing is divided by zero.
        alpha: the factor of the sum of squares.
        beta: the exponent.

    Returns:
        `input / (bias + alpha * sum of squares) ** beta`.

    Raises:
        tf.errors.InvalidArgumentError: if the rank is not 4 or the dtype not floating.

    >>> tf.nn.lrn(tf.ones([1, 1, 1, 1]), bias=0.0).numpy().item()
    1.0
    """
    x = checked(input, (dtypes.float16, dtypes.bfloat16, dtypes.float32), "LRN", dtypes.float32)
    x = of_rank(x, 4)
    if x.ndim != 4:
        raise invalid_argument(f"in must be 4-dimensional, got shape {x.shape} [Op:LRN]")
    dtype = x.dtype
    wide = x if dtype is dtypes.float32 else _ops.cast(x, dtypes.float32)
    sizes = sizes_of(x)
    channels = sizes[3]
    if is_known(channels):
        positions = np.arange(channels)
        near: Any = (np.abs(np.subtract.outer(positions, positions)) <= depth_radius).astype(
            np.float32
        )
    else:
        row = _ops.range(0, channels, 1)
        distances = _ops.abs(_ops.subtract(_ops.expand_dims(row, 1), row))
        near = _ops.cast(_ops.less_equal(distances, depth_radius), dtypes.float32)
    flat = reshaped(wide * wide, [math.prod(sizes[:3]), channels])
    sums = reshaped(_ops.matmul(flat, near), sizes)
    scale = sums * float(alpha) + float(bias)
    y = wide * (_ops.rsqrt(scale) if beta == 0.5 else _ops.pow(scale, -float(beta)))
    return y if dtype is dtypes.float32 else _ops.cast(y, dtype)


lrn = local_response_normalization
