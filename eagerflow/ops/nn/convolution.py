"""Convolutions: normalizes public arguments for the engine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import reshaped, sizes_in, sizes_of
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.refusals import refuse_attr
from eagerflow.typing import ShapeLike, Sizes, TensorLike
from eagerflow.util import lazy

# Imported lazily: it imports this module.
conv3d = lazy.Module("eagerflow.ops.nn.conv3d")

_ops = _core.ops
Tensor = _core.Tensor

_PADDINGS = ("SAME", "VALID", "EXPLICIT")


def spatial_list(value: Any, name: str, data_format: str, spatial: int = 2) -> list[int]:
    """One value for each axis of a batch of images, from a single value, or a value for each
    spatial axis or each axis."""
    channels_first = data_format.startswith("NC")
    if value is None:
        return [1] * (spatial + 2)
    if isinstance(value, int):
        sizes = [value] * spatial
    else:
        entries = list(value) if hasattr(value, "__len__") else [value]
        if len(entries) not in (1, spatial, spatial + 2):
            raise ValueError(
                f"{name} should be of length 1, {spatial} or {spatial + 2}. "
                f"Received: {name}={value} of length {len(entries)}"
            )
        sizes = [_whole(size, name) for size in entries]
        if len(sizes) == spatial + 2:
            return sizes
        if len(sizes) == 1:
            sizes *= spatial
    return [1, 1, *sizes] if channels_first else [1, *sizes, 1]


def _whole(size: Any, name: str) -> int:
    if isinstance(size, str | bytes):
        raise TypeError(f"Expected int for argument '{name}' not {size!r}.")
    try:
        return int(size)
    except (TypeError, ValueError):
        raise TypeError(f"Expected int for argument '{name}' not {size!r}.") from None


def padding_of(padding: Any, rank: int = 4) -> tuple[str, list[int] | None]:
    """The padding's name, and the amounts if it is explicit."""
    if isinstance(padding, str):
        if padding not in _PADDINGS:
            refuse_attr("padding", padding, ("SAME", "VALID", "EXPLICIT"))
        if padding == "EXPLICIT":
            raise ValueError(
                '"EXPLICIT" is not a valid value for the padding parameter. To use explicit '
                "padding, the padding parameter must be a list."
            )
        return padding, None
    if not isinstance(padding, list | tuple):
        raise TypeError(f"Expected string for argument 'padding' not {padding}.")
    if len(padding) != rank:
        raise ValueError(
            f"When padding is a list, it must be of size {rank}. Received: padding={padding} of "
            f"size {len(padding)}"
        )
    amounts = []
    for pair in padding:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise ValueError(
                "When padding is a list, each element must be a list or tuple of size 2. "
                f"Received: padding={padding}"
            )
        amounts += [int(pair[0]), int(pair[1])]
    return "EXPLICIT", amounts


def format_name(data_format: str | None) -> str:
    """The data format as text, unchecked."""
    if data_format is None:
        return ""
    if not isinstance(data_format, str):
        raise TypeError(f"Expected string for argument 'data_format' not {data_format!r}.")
    return data_format


def checked_format(data_format: str | None, allowed: tuple[str, str]) -> str:
    """The data format, by default the first of those allowed."""
    if data_format is None:
        return allowed[0]
    if data_format not in allowed:
        raise invalid_argument(
            f"Value for attr 'data_format' of \"{data_format}\" is not in the list of allowed "
            f'values: "{allowed[0]}", "{allowed[1]}"'
        )
    return data_format


@op_function
def conv2d(
    input: TensorLike,
    filters: TensorLike,
    strides: Sizes,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NHWC",
    dilations: Sizes | None = None,
    name: str | None = None,
) -> Tensor:
    """Two-dimensional convolution (filters are not flipped).

    Args:
        input: images `[batch, rows, columns, channels]`, with any number of batch axes.
        filters: `[rows, columns, channels / groups, out_channels]`.
        strides: the window's step: one value, one for each of rows and columns, or one for each
            axis.
        padding: "SAME" keeps sizes (divided by the stride), "VALID" adds nothing; or a list of
            pairs, how many zeros to add before and after along each axis.
        data_format: "NHWC", or "NCHW" for channels before rows.
        dilations: the spacing of the filter's elements, written as `strides`.

    Raises:
        ValueError: if a list has the wrong length.
        tf.errors.InvalidArgumentError: if shapes do not fit.

    >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.nn.conv2d(image, tf.ones([2, 2, 1, 1]), strides=2, padding="VALID").numpy().reshape(-1)
    array([10., 18., 42., 50.], dtype=float32)
    """
    layout = format_name(data_format)
    if not isinstance(padding, str):
        padding_of(padding)
    steps = spatial_list(strides, "strides", layout)
    spread = None if dilations is None else spatial_list(dilations, "dilations", layout)
    word, amounts = padding_of(padding)
    data_format = checked_format(data_format, ("NHWC", "NCHW"))
    if not isinstance(input, Tensor):
        dtype = dtypes.result_dtype(filters)
        input = _core.convert(input, None, dtype)
    if input.ndim is None or input.ndim <= 4:
        return _ops.conv2d(input, filters, steps, word, amounts, spread, data_format)
    *batch, rows, columns, depth = sizes_of(input)
    flat = reshaped(input, [math.prod(batch), rows, columns, depth])
    result = _ops.conv2d(flat, filters, steps, word, amounts, spread, data_format)
    return reshaped(result, [*batch, *sizes_of(result)[1:]])


@op_function
def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: Sizes,
    padding: str | Sequence[Sequence[int]],
    data_format: str | None = None,
    dilations: Sizes | None = None,
    name: str | None = None,
) -> Tensor:
    """Convolves each channel with filters of its own.

    Args:
        input: images `[batch, rows, columns, channels]`.
        filter: `[rows, columns, channels, multiplier]`.
        strides: one value for each axis; the two spatial ones must be equal.
        padding: "SAME", "VALID", or a list of pairs.
        data_format: "NHWC" (the default) or "NCHW".
        dilations: the spacing of the filter's elements along rows and columns.

    Returns:
        Images with `channels * multiplier` channels.

    Raises:
        tf.errors.InvalidArgumentError: if shapes do not fit.

    >>> image, filters = tf.ones([1, 3, 3, 2]), tf.ones([2, 2, 2, 1])
    >>> tf.nn.depthwise_conv2d(image, filters, [1, 1, 1, 1], "VALID").shape
    TensorShape([1, 2, 2, 2])
    """
    layout = format_name(data_format)
    x = _core.convert(input, None, dtypes.result_dtype(filter))
    if x.ndim is not None and x.ndim < 3:
        raise ValueError(
            f"`input.shape.rank` must be at least 3. Received: input.shape={x.shape} with rank "
            f"{x.ndim}"
        )
    if not isinstance(padding, str):
        padding_of(padding)
    spread = None if dilations is None else spatial_list(dilations, "dilations", layout)
    word, amounts = padding_of(padding)
    data_format = checked_format(data_format, ("NHWC", "NCHW"))
    if not isinstance(strides, list | tuple):
        raise TypeError(
            f"Expected list for 'strides' argument to 'depthwise_conv2d_native' Op, not {strides}."
        )
    if len(strides) != 4:
        raise invalid_argument(
            "Sliding window strides field must specify 4 dimensions [Op:DepthwiseConv2dNative]"
        )
    return _ops.depthwise_conv2d(x, filter, list(strides), word, amounts, spread, data_format)


@op_function
def separable_conv2d(
    input: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: Sizes,
    padding: str | Sequence[Sequence[int]],
    data_format: str | None = None,
    dilations: Sizes | None = None,
    name: str | None = None,
) -> Tensor:
    """A convolution of each channel, followed by one that mixes channels at each position.

    Args:
        input: images `[batch, rows, columns, channels]`.
        depthwise_filter: `[rows, columns, channels, multiplier]`.
        pointwise_filter: `[1, 1, channels * multiplier, out_channels]`.
        strides: of the first convolution, one value for each axis.
        padding: of the first convolution, "SAME", "VALID", or a list of pairs.
        data_format: "NHWC" (the default) or "NCHW".
        dilations: of the first convolution.
    """
    data_format = "NHWC" if data_format is None else data_format
    input = _core.as_tensor(input)
    depthwise_filter = _core.convert(depthwise_filter, None, input.dtype)
    pointwise_filter = _core.convert(pointwise_filter, None, input.dtype)
    if pointwise_filter.ndim not in (4, None):
        raise ValueError(
            f"Shape {pointwise_filter.shape} must have rank 4: `pointwise_filter` is [1, 1, "
            "channels * multiplier, out_channels]"
        )
    channels = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(channels, pointwise_filter, 1, "VALID", data_format)


@op_function
def conv2d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: Sizes,
    padding: str | Sequence[Sequence[int]] = "SAME",
    data_format: str = "NHWC",
    dilations: Sizes | None = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv2d` with respect to its input, used as a layer that enlarges images.

    Args:
        input: images `[batch, rows, columns, in_channels]`.
        filters: `[rows, columns, out_channels, in_channels]`.
        output_shape: the shape of the result.
        strides: by how much rows and columns grow.
        padding: that of the convolution, "SAME", "VALID", or a list of pairs.
        data_format: "NHWC" or "NCHW".
        dilations: the spacing of the filter's elements.

    Raises:
        tf.errors.InvalidArgumentError: if shapes do not fit.

    >>> x, filters = tf.ones([1, 2, 2, 3]), tf.ones([3, 3, 5, 3])
    >>> tf.nn.conv2d_transpose(x, filters, [1, 4, 4, 5], strides=2).shape
    TensorShape([1, 4, 4, 5])
    """
    layout = format_name(data_format)
    if not isinstance(padding, str):
        padding_of(padding)
    steps = spatial_list(strides, "strides", layout)
    spread = None if dilations is None else spatial_list(dilations, "dilations", layout)
    word, amounts = padding_of(padding)
    data_format = checked_format(data_format, ("NHWC", "NCHW"))
    return _ops.conv2d_backprop_input(
        filters, input, output_shape, steps, word, amounts, spread, data_format
    )


def _line_format(data_format: str) -> str:
    if data_format is None:
        return "NWC"
    if data_format not in ("NWC", "NCW"):
        raise ValueError(
            f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}"
        )
    return data_format


def _line_list(value: Any, name: str, data_format: str) -> list[int]:
    channels_first = data_format == "NCW"
    sizes = spatial_list(value, name, data_format, spatial=1)
    step = sizes[2 if channels_first else 1]
    return [1, 1, 1, step] if channels_first else [1, 1, step, 1]


def _line_padding(padding: str | Sequence[Sequence[int]], data_format: str) -> Any:
    if isinstance(padding, str):
        return padding
    word, amounts = padding_of(padding, 3)
    pairs = list(zip(amounts[::2], amounts[1::2], strict=True))  # type: ignore[index]
    pairs.insert(2 if data_format == "NCW" else 1, (0, 0))
    return pairs


@op_function
def conv1d(
    input: TensorLike,
    filters: TensorLike,
    stride: Sizes,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NWC",
    dilations: Sizes | None = None,
    name: str | None = None,
) -> Tensor:
    """One-dimensional convolution.

    Args:
        input: sequences `[batch, length, channels]`.
        filters: `[length, channels, out_channels]`.
        stride: the window's step.
        padding: "SAME", "VALID", or a list of pairs.
        data_format: "NWC" or "NCW".
        dilations: the spacing of the filter's elements.

    >>> x = tf.reshape(tf.range(5.0), [1, 5, 1])
    >>> tf.nn.conv1d(x, tf.ones([2, 1, 1]), 1, "VALID").numpy().reshape(-1)
    array([1., 3., 5., 7.], dtype=float32)
    """
    data_format = _line_format(data_format)
    axis = -2 if data_format == "NWC" else -1
    steps = _line_list(stride, "stride", data_format)
    spread = None if dilations is None else _line_list(dilations, "dilations", data_format)
    image, kernel = _ops.expand_dims(input, axis - 1), _ops.expand_dims(filters, 0)
    result = conv2d(
        image,
        kernel,
        steps,
        _line_padding(padding, data_format),
        "NHWC" if data_format == "NWC" else "NCHW",
        spread,
    )
    return _ops.squeeze(result, [axis - 1])


@op_function
def conv1d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: Sizes,
    padding: str | Sequence[Sequence[int]] = "SAME",
    data_format: str = "NWC",
    dilations: Sizes | None = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv1d` with respect to its input, used as a layer that lengthens sequences.

    Args:
        input: sequences `[batch, length, in_channels]`.
        filters: `[length, out_channels, in_channels]`.
        output_shape: the shape of the result.
        strides: by how much the length grows.
        padding: "SAME", "VALID", or a list of pairs.
        data_format: "NWC" or "NCW".
        dilations: the spacing of the filter's elements.
    """
    data_format = _line_format(data_format)
    axis = 1 if data_format == "NWC" else 2
    steps = _line_list(strides, "strides", data_format)
    spread = None if dilations is None else _line_list(dilations, "dilations", data_format)
    image, kernel = _ops.expand_dims(input, axis), _ops.expand_dims(filters, 0)
    sizes = sizes_in(output_shape)
    sizes.insert(axis, 1)
    result = conv2d_transpose(
        image,
        kernel,
        sizes,
        steps,
        _line_padding(padding, data_format),
        "NHWC" if data_format == "NWC" else "NCHW",
        spread,
    )
    return _ops.squeeze(result, [axis])


@op_function
def atrous_conv2d(
    value: TensorLike, filters: TensorLike, rate: int, padding: str, name: str | None = None
) -> Tensor:
    """`conv2d` whose filter elements lie `rate` apart."""
    return conv2d(value, filters, 1, padding, dilations=rate)


@op_function
def atrous_conv2d_transpose(
    value: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    rate: int,
    padding: str,
    name: str | None = None,
) -> Tensor:
    """`conv2d_transpose` whose filter elements lie `rate` apart."""
    return conv2d_transpose(value, filters, output_shape, 1, padding, dilations=rate)


@op_function
def convolution(
    input: TensorLike,
    filters: TensorLike,
    strides: Sizes | None = None,
    padding: str | Sequence[Sequence[int]] = "VALID",
    data_format: str | None = None,
    dilations: Sizes | None = None,
    name: str | None = None,
) -> Tensor:
    """`conv1d`, `conv2d` or `conv3d`, as the rank of the filters says.

    Raises:
        ValueError: if the rank is not 3, 4 or 5.
    """
    filters = _core.convert(filters, None, dtypes.result_dtype(input))
    strides = 1 if strides is None else strides
    rank = filters.ndim
    if rank is None:
        rank = _core.as_tensor(input).ndim
    if rank == 3:
        return conv1d(input, filters, strides, padding, data_format or "NWC", dilations)
    if rank == 4:
        return conv2d(input, filters, strides, padding, data_format or "NHWC", dilations)
    if rank == 5:
        return conv3d.conv3d(input, filters, strides, padding, data_format or "NDHWC", dilations)
    raise ValueError(f"filters must have rank 3, 4 or 5, got shape {filters.shape}")


@op_function
def conv_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: Any,
    strides: Sizes,
    padding: str | Sequence[Sequence[int]] = "SAME",
    data_format: str | None = None,
    dilations: Sizes | None = None,
    name: str | None = None,
) -> Tensor:
    """The transposed convolution of one to three dimensions, as the length of `output_shape` says.

    Raises:
        ValueError: if the length is not 3, 4 or 5.
    """
    if not hasattr(output_shape, "__len__"):
        raise ValueError(
            "`output_shape` must be a tensor or sized collection. Received: "
            f"output_shape={output_shape}"
        )
    is_tensor = isinstance(output_shape, Tensor)
    rank = output_shape.shape.num_elements() if is_tensor else len(output_shape)
    if rank == 3:
        return conv1d_transpose(
            input, filters, output_shape, strides, padding, data_format or "NWC", dilations
        )
    if rank == 4:
        return conv2d_transpose(
            input, filters, output_shape, strides, padding, data_format or "NHWC", dilations
        )
    if rank == 5:
        return conv3d.conv3d_transpose(
            input, filters, output_shape, strides, padding, data_format or "NDHWC", dilations
        )
    raise ValueError(f"output_shape must have length 3, 4 or 5, got {rank}")


@op_function
def depthwise_conv2d_backprop_input(
    input_sizes: Any,
    filter: TensorLike,
    out_backprop: Any,
    strides: Any,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d` with respect to its input."""
    options = (list(strides), *padding_of(padding), list(dilations), data_format)
    return _ops.depthwise_conv2d_backprop_input(filter, out_backprop, input_sizes, *options)


@op_function
def depthwise_conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: Any,
    out_backprop: TensorLike,
    strides: Any,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d` with respect to its filter."""
    options = (list(strides), *padding_of(padding), list(dilations), data_format)
    return _ops.depthwise_conv2d_backprop_filter(input, out_backprop, filter_sizes, *options)
