"""Convolution and pooling of volumes, as convolution and pooling of their planes.

The elements of a filter along the depth become channels of the planes, so that one two-dimensional
convolution does the arithmetic; pooling works along rows and columns first, then along the depth.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import (
    Size,
    at_least,
    is_known,
    of_rank,
    reshaped,
    sizes_in,
    sizes_of,
)
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.nn.convolution import checked_format, format_name, spatial_list
from eagerflow.ops.refusals import refuse_attr
from eagerflow.typing import ShapeLike, Sizes, TensorLike

_ops = _core.ops
Tensor = _core.Tensor

_LAST = [0, 2, 3, 4, 1]
_FIRST = [0, 4, 1, 2, 3]


def _three(value: Any, name: str, data_format: str, op: str) -> list[int]:
    """The entries for depth, rows and columns."""
    sizes = spatial_list(value, name, data_format, spatial=3)
    first = data_format == "NCDHW"
    if sizes[0] != 1 or sizes[1 if first else 4] != 1:
        raise invalid_argument(
            f"{name} must be 1 along the batch and the channels, got {sizes} [Op:{op}]"
        )
    if any(size < 1 for size in sizes):
        raise invalid_argument(f"{name} must be positive, got {sizes} [Op:{op}]")
    return sizes[2:] if first else sizes[1:4]


def _word(padding: str, op: str) -> str:
    if not isinstance(padding, str):
        raise TypeError(f"Expected string for argument 'padding' not {padding}.")
    if padding not in ("SAME", "VALID"):
        refuse_attr("padding", padding, ("SAME", "VALID"), op)
    return padding


def _volume(value: TensorLike, partner: Any, name: str, op: str) -> Tensor:
    if not isinstance(value, Tensor):
        dtype = None if partner is None else dtypes.result_dtype(partner)
        value = _core.convert(value, None, dtype)
    if value.ndim not in (5, None):
        raise invalid_argument(f"{name} must be 5-dimensional, got {value.shape} [Op:{op}]")
    return of_rank(value, 5)


_FLOATING = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)


def _depth_window(size: Size, window: int, step: int, padding: str) -> tuple[Size, Size, Size]:
    """How many windows fit along the depth, and the zeros before and after it."""
    if padding == "VALID":
        return (size - window) // step + 1, 0, 0
    count = -(-size // step)
    missing = at_least((count - 1) * step + window - size, 0)
    return count, missing // 2, missing - missing // 2


def _places(count: Size, step: int, taps: Size, spread: int) -> Tensor:
    """The indices of the planes that each window covers, `[windows, taps]`."""
    starts = _ops.expand_dims(_ops.range(0, count, 1), 1) * step
    return starts + _ops.range(0, taps, 1) * spread


def _flat_filters(filters: Tensor) -> Tensor:
    """Filters of planes, whose channel axis holds the depth first."""
    depth, rows, columns, channels, out = sizes_of(filters)
    planes = _ops.transpose(filters, [1, 2, 0, 3, 4])
    return reshaped(planes, [rows, columns, depth * channels, out])


@op_function
def conv3d(
    input: TensorLike,
    filters: TensorLike,
    strides: Sizes,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Sizes | None = None,
    name: str | None = None,
) -> Tensor:
    """Three-dimensional convolution (filters are not flipped).

    Args:
        input: volumes `[batch, depth, rows, columns, channels]`.
        filters: `[depth, rows, columns, channels / groups, out_channels]`.
        strides: the window's step: one value for each axis, or for each spatial axis.
        padding: "SAME" or "VALID".
        data_format: "NDHWC", or "NCDHW" for channels first.
        dilations: the spacing of the filter's elements, in the form of `strides`.

    Raises:
        tf.errors.InvalidArgumentError: if shapes do not fit.

    >>> tf.nn.conv3d(tf.ones([1, 3, 3, 3, 1]), tf.ones([2, 2, 2, 1, 4]), [1] * 5, "VALID").shape
    TensorShape([1, 2, 2, 2, 4])
    """
    data_format = checked_format(data_format, ("NDHWC", "NCDHW"))
    word = _word(padding, "Conv3D")
    step = _three(strides, "strides", data_format, "Conv3D")
    spread = [1, 1, 1]
    if dilations is not None:
        spread = _three(dilations, "dilations", data_format, "Conv3D")
    x = _volume(input, filters, "input", "Conv3D")
    if x.dtype not in _FLOATING:
        _core.refuse_attr("T", x.dtype, _FLOATING, "Conv3D")
    filters = _volume(filters, x, "filter", "Conv3D")
    if data_format == "NCDHW":
        x = _ops.transpose(x, _LAST)
    batch, depth, rows, columns, channels = sizes_of(x)
    taps, _, _, per_group, out = sizes_of(filters)
    if is_known(channels, per_group, out) and (
        not per_group or channels % per_group or out % (channels // per_group or 1)
    ):
        raise invalid_argument(
            f"input depth {channels} must be a multiple of the filter's {per_group}, and "
            f"output channels {out} a multiple of the number of groups [Op:Conv3D]"
        )
    groups = channels // per_group
    window = (taps - 1) * spread[0] + 1
    count, before, after = _depth_window(depth, window, step[0], word)
    if is_known(count) and count < 1:
        raise invalid_argument(
            f"a filter of depth {window} does not fit into {depth} planes [Op:Conv3D]"
        )
    if not is_known(before) or before or after:
        x = _ops.pad(x, [0, 0, before, after, 0, 0, 0, 0, 0, 0])
    if not is_known(taps):
        # The taps of a window become an axis before the channels of each group.
        x = _ops.gather(x, _places(count, step[0], taps, spread[0]), 1, 0)
        x = _ops.reshape(x, [batch, count, taps, rows, columns, groups, per_group])
        x = _ops.transpose(x, [0, 1, 3, 4, 5, 2, 6])
    elif taps > 1 or step[0] > 1:
        reach = (count - 1) * step[0] + 1
        parts = []
        for tap in range(taps):
            start = tap * spread[0]
            part = _ops.strided_slice(x, [0, start], [0, start + reach], [1, step[0]], 1, 1)
            if not is_known(groups) or groups != 1:
                part = reshaped(part, [batch, count, rows, columns, groups, per_group])
            parts.append(part)
        x = _ops.concat(parts, -1)
    planes = reshaped(x, [batch * count, rows, columns, taps * channels])
    result = _ops.conv2d(
        planes, _flat_filters(filters), [1, *step[1:], 1], word, None, [1, *spread[1:], 1], "NHWC"
    )
    result = reshaped(result, [batch, count, *sizes_of(result)[1:]])
    return _ops.transpose(result, _FIRST) if data_format == "NCDHW" else result


@op_function
def conv3d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: Sizes,
    padding: str = "SAME",
    data_format: str = "NDHWC",
    dilations: Sizes | None = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv3d` with respect to its input, used as a layer that enlarges volumes.

    Args:
        input: volumes `[batch, depth, rows, columns, in_channels]`.
        filters: `[depth, rows, columns, out_channels, in_channels]`.
        output_shape: the shape of the result.
        strides: by how much each spatial axis grows.
        padding: that of the convolution, "SAME" or "VALID".
        data_format: "NDHWC" or "NCDHW".
        dilations: the spacing of the filter's elements.

    Raises:
        tf.errors.InvalidArgumentError: if shapes do not fit.

    >>> x, filters = tf.ones([1, 2, 2, 2, 3]), tf.ones([3, 3, 3, 5, 3])
    >>> tf.nn.conv3d_transpose(x, filters, [1, 4, 4, 4, 5], strides=2).shape
    TensorShape([1, 4, 4, 4, 5])
    """
    op = "Conv3DBackpropInputV2"
    layout = format_name(data_format)
    spatial_list(strides, "strides", layout, 3)
    if dilations is not None:
        spatial_list(dilations, "dilations", layout, 3)
    word = _word(padding, op)
    data_format = checked_format(data_format, ("NDHWC", "NCDHW"))
    step = _three(strides, "strides", data_format, op)
    spread = [1, 1, 1] if dilations is None else _three(dilations, "dilations", data_format, op)
    x = _volume(input, filters, "input", op)
    if x.dtype not in _FLOATING:
        _core.refuse_attr("T", x.dtype, _FLOATING, op)
    filters = _volume(filters, x, "filter", op)
    sizes = sizes_in(output_shape)
    if len(sizes) != 5:
        raise invalid_argument(f"output_shape must have length 5, got {sizes} [Op:{op}]")
    if data_format == "NCDHW":
        x = _ops.transpose(x, _LAST)
        sizes = [sizes[axis] for axis in _LAST]
    batch, depth, rows, columns, channels = sizes_of(x)
    taps, _, _, out, _ = sizes_of(filters)
    window = (taps - 1) * spread[0] + 1
    count, before, after = _depth_window(sizes[1], window, step[0], word)
    pairs = ((count, depth), (sizes[0], batch), (sizes[4], out))
    if any(is_known(a, b) and a != b for a, b in pairs):
        raise invalid_argument(
            f"an output of shape {sizes} does not belong to an input of shape "
            f"{[batch, depth, rows, columns, channels]} [Op:{op}]"
        )
    planes = _ops.conv2d_backprop_input(
        _flat_filters(filters),
        reshaped(x, [batch * depth, rows, columns, channels]),
        [batch * depth, sizes[2], sizes[3], taps * out],
        [1, *step[1:], 1],
        word,
        None,
        [1, *spread[1:], 1],
        "NHWC",
    )
    planes = reshaped(planes, [batch, depth, sizes[2], sizes[3], taps * out])
    padded_shape = [batch, before + sizes[1] + after, sizes[2], sizes[3], out]
    reach = (depth - 1) * step[0] + 1
    result: Any = None
    if is_known(taps):
        for tap, part in enumerate(_ops.split(planes, [out] * taps, -1)):
            start = tap * spread[0]
            part = _ops.strided_slice_grad(
                part, padded_shape, [0, start], [batch, start + reach], [1, step[0]]
            )
            result = part if result is None else _ops.add(result, part)
    else:
        planes = _ops.reshape(planes, [batch, depth, sizes[2], sizes[3], taps, out])
        plane_ids = _places(depth, step[0], taps, spread[0])
        planes = _ops.transpose(planes, [1, 4, 0, 2, 3, 5])
        summed = _ops.unsorted_segment_sum(planes, plane_ids, padded_shape[1])
        result = _ops.transpose(summed, [1, 0, 2, 3, 4])
    if not is_known(before) or before or after:
        result = _ops.slice(result, [0, before, 0, 0, 0], sizes)
    return _ops.transpose(result, _FIRST) if data_format == "NCDHW" else result


def pool3d(
    pool: Callable, input: Any, ksize: Any, strides: Sizes, padding: str, data_format: str, op: str
) -> Tensor:
    """Pools rows and columns of each plane, then the planes."""
    layout = format_name(data_format)
    for name, sizes in (("ksize", ksize), ("strides", strides)):
        spatial_list(sizes, name, layout, spatial=3)
    word = _word(padding, op)
    data_format = checked_format(data_format, ("NDHWC", "NCDHW"))
    window = _three(ksize, "ksize", data_format, op)
    step = _three(strides, "strides", data_format, op)
    x = _volume(input, None, "input", op)
    if op == "MaxPool3D" and x.dtype not in _FLOATING:
        _core.refuse_attr("T", x.dtype, _FLOATING, op)
    if data_format == "NCDHW":
        x = _ops.transpose(x, _LAST)
    batch, depth, rows, columns, channels = sizes_of(x)
    if window[1:] != [1, 1] or step[1:] != [1, 1]:
        x = reshaped(x, [batch * depth, rows, columns, channels])
        x = pool(x, [1, *window[1:], 1], [1, *step[1:], 1], word, None, "NHWC")
        rows, columns = sizes_of(x)[1:3]
    x = reshaped(x, [batch, depth, 1, rows * columns * channels])
    x = pool(x, [1, window[0], 1, 1], [1, step[0], 1, 1], word, None, "NHWC")
    x = reshaped(x, [batch, sizes_of(x)[1], rows, columns, channels])
    return _ops.transpose(x, _FIRST) if data_format == "NCDHW" else x


@op_function
def max_pool3d(
    input: TensorLike,
    ksize: Sizes,
    strides: Sizes,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of volumes `[batch, depth, rows, columns, channels]`.

    Raises:
        tf.errors.InvalidArgumentError: if sizes do not fit.

    >>> x = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
    >>> tf.nn.max_pool3d(x, 2, 2, "VALID").numpy().reshape(-1)
    array([7.], dtype=float32)
    """
    return pool3d(_ops.max_pool, input, ksize, strides, padding, data_format, "MaxPool3D")


@op_function
def avg_pool3d(
    input: TensorLike,
    ksize: Sizes,
    strides: Sizes,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of volumes `[batch, depth, rows, columns, channels]`.

    Raises:
        tf.errors.InvalidArgumentError: if sizes do not fit.

    >>> x = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
    >>> tf.nn.avg_pool3d(x, 2, 2, "VALID").numpy().reshape(-1)
    array([3.5], dtype=float32)
    """
    return pool3d(_ops.avg_pool, input, ksize, strides, padding, data_format, "AvgPool3D")
