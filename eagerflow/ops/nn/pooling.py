"""Pooling: normalizes public arguments for the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework.op_function import op_function
from eagerflow.ops.nn import conv3d
from eagerflow.ops.nn.convolution import checked_format, format_name, padding_of, spatial_list
from eagerflow.ops.nn.space_batch import with_space_to_batch
from eagerflow.typing import Sizes

_ops = _core.ops
Tensor = _core.Tensor


def _pool2d(
    pool: Callable, input: Tensor, ksize: Any, strides: Sizes, padding: Any, data_format: str | None
) -> Tensor:
    layout = format_name(data_format)
    if isinstance(padding, list | tuple):
        padding_of(padding)
    window = spatial_list(ksize, "ksize", layout)
    steps = spatial_list(strides, "strides", layout)
    word, amounts = padding_of(padding)
    data_format = checked_format(data_format, ("NHWC", "NCHW"))
    return pool(input, window, steps, word, amounts, data_format)


@op_function
def max_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window.

    Args:
        input: images `[batch, rows, columns, channels]`.
        ksize: the window's size: one value, one for each of rows and columns, or one for each
            axis.
        strides: the window's step, in the form of `ksize`.
        padding: "SAME", "VALID", or a list of pairs.
        data_format: "NHWC" or "NCHW".

    Raises:
        tf.errors.InvalidArgumentError: if sizes do not fit.

    >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.nn.max_pool2d(image, ksize=2, strides=2, padding="VALID").numpy().reshape(-1)
    array([ 5.,  7., 13., 15.], dtype=float32)
    """
    return _pool2d(_ops.max_pool, input, ksize, strides, padding, data_format)


@op_function
def avg_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window; padding is not counted.

    Args:
        input: images `[batch, rows, columns, channels]`.
        ksize: the window's size: one value, one for each of rows and columns, or one for each
            axis.
        strides: the window's step, in the form of `ksize`.
        padding: "SAME" or "VALID".
        data_format: "NHWC" or "NCHW".

    Raises:
        tf.errors.InvalidArgumentError: if sizes do not fit.

    >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.nn.avg_pool2d(image, ksize=2, strides=2, padding="VALID").numpy().reshape(-1)
    array([ 2.5,  4.5, 10.5, 12.5], dtype=float32)
    """
    layout = format_name(data_format)
    spatial_list(ksize, "ksize", layout)
    spatial_list(strides, "strides", layout)
    if not isinstance(padding, str):
        raise TypeError(f"Expected string for argument 'padding' not {padding}.")
    return _pool2d(_ops.avg_pool, input, ksize, strides, padding, data_format)


def _pool1d(
    pool: Callable, input: Tensor, ksize: Any, strides: Sizes, padding: Any, data_format: str | None
) -> Tensor:
    layout = format_name(data_format)
    if isinstance(padding, list | tuple) and pool is _ops.max_pool:
        padding_of(padding, 3)
    window = spatial_list(ksize, "ksize", layout, spatial=1)
    steps = spatial_list(strides, "strides", layout, spatial=1)
    if pool is not _ops.max_pool and not isinstance(padding, str):
        _ops.expand_dims(input, 2 if layout == "NCW" else 1)
        raise TypeError(f"Expected string for argument 'padding' not {padding}.")
    data_format = checked_format(data_format, ("NWC", "NCW"))
    first = data_format == "NCW"
    row_axis = 2 if first else 1
    if not isinstance(padding, str):
        padding_of(padding, 3)
        padding = [*padding[:row_axis], (0, 0), *padding[row_axis:]]
    for sizes in (window, steps):
        sizes.insert(row_axis, 1)
    image = _ops.expand_dims(input, row_axis)
    result = _pool2d(pool, image, window, steps, padding, "NCHW" if first else "NHWC")
    return _ops.squeeze(result, [row_axis])


@op_function
def max_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of sequences `[batch, length, channels]`.

    >>> x = tf.reshape(tf.range(6.0), [1, 6, 1])
    >>> tf.nn.max_pool1d(x, 2, 2, "VALID").numpy().reshape(-1)
    array([1., 3., 5.], dtype=float32)
    """
    return _pool1d(_ops.max_pool, input, ksize, strides, padding, data_format)


@op_function
def avg_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of sequences `[batch, length, channels]`.

    >>> x = tf.reshape(tf.range(6.0), [1, 6, 1])
    >>> tf.nn.avg_pool1d(x, 2, 2, "VALID").numpy().reshape(-1)
    array([0.5, 2.5, 4.5], dtype=float32)
    """
    return _pool1d(_ops.avg_pool, input, ksize, strides, padding, data_format)


def _any_pool(
    pool: Callable, input: Tensor, ksize: Any, strides: Sizes, padding: Any, data_format: str | None
) -> Tensor:
    input = _core.as_tensor(input)
    if input.ndim == 3:
        return _pool1d(pool, input, ksize, strides, padding, data_format)
    if input.ndim == 4:
        return _pool2d(pool, input, ksize, strides, padding, data_format)
    if input.ndim == 5:
        op = "MaxPool3D" if pool is _ops.max_pool else "AvgPool3D"
        return conv3d.pool3d(pool, input, ksize, strides, padding, data_format or "NDHWC", op)
    raise ValueError(f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={input.shape}")


@op_function
def max_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """`max_pool1d`, `max_pool2d` or `max_pool3d`, as the rank of the input says.

    >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.nn.max_pool(x, 2, 2, "VALID").numpy().ravel()
    array([ 5.,  7., 13., 15.], dtype=float32)
    """
    return _any_pool(_ops.max_pool, input, ksize, strides, padding, data_format)


@op_function
def avg_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """`avg_pool1d`, `avg_pool2d` or `avg_pool3d`, as the rank of the input says."""
    return _any_pool(_ops.avg_pool, input, ksize, strides, padding, data_format)


@op_function
def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    strides: Sizes | None = None,
    padding: str = "VALID",
    data_format: str | None = None,
    dilations: Sizes | None = None,
    name: str | None = None,
) -> Tensor:
    """Pooling of the kind "MAX" or "AVG", over windows that may be dilated.

    Args:
        input: `[batch, ..., channels]` with one to three spatial axes.
        window_shape: the size of windows along each of them.
        pooling_type: "MAX" or "AVG".
        strides: the steps of windows, 1 by default and no larger than the windows.
        padding: "VALID" or "SAME".
        data_format: "NC..." if channels come first.
        dilations: the distance between positions of a window, 1 by default. Only windows that step by
            1 and are not padded may be dilated.

    Raises:
        ValueError: if the kind is unknown, or sizes do not fit each other.

    >>> x = tf.reshape(tf.range(6.0), [1, 6, 1])
    >>> tf.nn.pool(x, [2], "MAX", dilations=[2]).numpy().ravel()
    array([2., 3., 4., 5.], dtype=float32)
    """
    pools = {"MAX": _ops.max_pool, "AVG": _ops.avg_pool}
    count = len(window_shape)
    if not 1 <= count <= 3:
        raise ValueError(
            f"`len(window_shape)` must be 1, 2, or 3. Received: window_shape={window_shape} of "
            f"length {count}"
        )
    input = _core.as_tensor(input)
    if input.ndim not in (None, count + 2):
        raise ValueError(f"Shape {input.shape} must have rank {count + 2}")
    rates = _checked_sizes("dilation_rate", dilations, count)
    steps = _checked_sizes("strides", strides, count)
    dilated = any(rate > 1 for rate in rates)
    if dilated and any(step > 1 for step in steps):
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
            f"strides={steps} and dilation_rate={rates}"
        )
    if dilated and padding == "SAME":
        raise ValueError(
            "pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. Received: "
            f"padding={padding} and dilation_rate={rates}"
        )
    if any(step > size for step, size in zip(steps, window_shape, strict=True)):
        raise ValueError(
            "`strides` > `window_shape` not supported: windows would leave gaps. Received: "
            f"strides={steps} and window_shape={window_shape}"
        )
    if pooling_type not in pools:
        raise ValueError(f"pooling_type must be 'MAX' or 'AVG', got {pooling_type!r}")

    def pooled(x: Tensor, num_spatial_dims: int, padding: str) -> Tensor:
        kind = pools[pooling_type]
        return _any_pool(kind, x, list(window_shape), steps, padding, data_format)

    return with_space_to_batch(input, rates, padding, pooled, data_format=data_format)


def _checked_sizes(name: str, sizes: Any, count: int) -> list[int]:
    """One positive integer for each spatial axis."""
    if sizes is None:
        return [1] * count
    if len(sizes) != count:
        raise ValueError(
            f"`len({name})` should be {count}. Received: {name}={sizes} of length {len(sizes)}"
        )
    if any(size < 1 for size in sizes):
        raise ValueError(f"all values of `{name}` must be positive. Received: {name}={sizes}")
    return [int(size) for size in sizes]
