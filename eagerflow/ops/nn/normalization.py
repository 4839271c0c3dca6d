"""Normalisation, moments, dropout and lookups of embeddings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import is_known, of_rank, reshaped, sizes_of
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.composed_op import Input, composed_op
from eagerflow.ops.random import stateful
from eagerflow.ops.random.stateless import stateless_uniform
from eagerflow.typing import Axes, ShapeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor

_NARROW = (dtypes.float16, dtypes.bfloat16)


@op_function
def bias_add(
    value: TensorLike, bias: TensorLike, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """Adds a bias to each channel.

    Args:
        value: values `[batch, ..., channels]`.
        bias: `[channels]`, of the same dtype.
        data_format: None or "N...C" for channels last, "NC..." for channels after the batch.

    Raises:
        ValueError: if `data_format` is of neither form.
        tf.errors.InvalidArgumentError: if the sizes differ.

    >>> tf.nn.bias_add([[1.0, 2.0]], [10.0, 20.0]).numpy()
    array([[11., 22.]], dtype=float32)
    """
    if data_format is None:
        return _ops.bias_add(value, bias, "NHWC")
    if data_format.startswith("NC"):
        return _ops.bias_add(value, bias, "NCHW")
    if data_format.startswith("N") and data_format.endswith("C"):
        return _ops.bias_add(value, bias, "NHWC")
    raise ValueError(
        f"`data_format` must be of the form `N...C` or `NC...`. Received: data_format={data_format}"
    )


@op_function
def moments(
    x: TensorLike, axes: Axes, shift: object = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean and the variance over axes.

    Args:
        x: values; half precision is computed in float32.
        axes: a list of axes.
        shift: ignored.
        keepdims: whether to keep reduced axes with size 1.

    Returns:
        `(mean, variance)`, of the dtype of `x`.

    >>> mean, variance = tf.nn.moments(tf.constant([1.0, 3.0]), axes=[0])
    >>> float(mean), float(variance)
    (2.0, 1.0)
    """
    x = _core.as_tensor(x)
    y = _ops.cast(x, dtypes.float32) if x.dtype in _NARROW else x
    mean = _ops.reduce_mean(y, axis=axes, keepdims=True)
    # TensorFlow treats the mean as constant here: right for first-order gradients only.
    distance = _ops.squared_difference(y, mean)
    variance = _ops.reduce_mean(distance, axis=axes, keepdims=keepdims)
    if not keepdims:
        mean = _shaped_like(mean, variance)
    if x.dtype in _NARROW:
        return _ops.cast(mean, x.dtype), _ops.cast(variance, x.dtype)
    return mean, variance


def _shaped_like(x: Tensor, like: Tensor) -> Tensor:
    """Reshapes a tensor like another one with as many elements."""
    if like.ndim is None:
        return _ops.reshape(x, _ops.shape(like))
    return reshaped(x, sizes_of(like))


@op_function
def weighted_moments(
    x: TensorLike,
    axes: Axes,
    frequency_weights: TensorLike,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The weighted mean and variance over axes.

    Args:
        x: floating.
        axes: a list of axes.
        frequency_weights: how often each element counts; broadcasts.
        keepdims: whether to keep reduced axes with size 1.

    >>> mean, _ = tf.nn.weighted_moments(tf.constant([1.0, 4.0]), [0], tf.constant([2.0, 1.0]))
    >>> float(mean)
    2.0
    """
    x = _core.as_tensor(x)
    weights = _core.convert(frequency_weights, None, x.dtype)
    dtype = x.dtype
    if dtype in _NARROW:
        x = _ops.cast(x, dtypes.float32)
    weights = _ops.cast(weights, x.dtype)
    weights = weights + _ops.zeros_like(x)
    total = _ops.reduce_sum(weights, axis=axes, keepdims=True)
    mean = _ops.divide_no_nan(_ops.reduce_sum(weights * x, axis=axes, keepdims=True), total)
    squares = weights * _ops.squared_difference(x, mean)
    variance = _ops.divide_no_nan(_ops.reduce_sum(squares, axis=axes, keepdims=True), total)
    if not keepdims:
        reduced = _ops.reduce_sum(weights, axis=axes)
        mean, variance = _shaped_like(mean, reduced), _shaped_like(variance, reduced)
    return _ops.cast(mean, dtype), _ops.cast(variance, dtype)


@op_function
def sufficient_statistics(
    x: TensorLike, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Any]:
    """The inputs of `normalize_moments`: count, sum, sum of squares, and the shift.

    >>> [float(s) for s in tf.nn.sufficient_statistics(tf.constant([1.0, 3.0]), [0])[:3]]
    [2.0, 4.0, 10.0]
    """
    x = _core.as_tensor(x)
    axes = list(set(axes))
    sizes = sizes_of(x)
    count = math.prod(sizes[axis] for axis in axes)
    if shift is not None:
        shift = _core.convert(shift, x.dtype, None)
        shifted = x - shift
        squares = _ops.squared_difference(x, shift)
    else:
        shifted, squares = x, _ops.square(x)
    return (
        _ops.cast(count, x.dtype),
        _ops.reduce_sum(shifted, axis=axes, keepdims=keepdims),
        _ops.reduce_sum(squares, axis=axes, keepdims=keepdims),
        shift,
    )


@op_function
def normalize_moments(
    counts: TensorLike, mean_ss: Any, variance_ss: TensorLike, shift: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean and the variance from `sufficient_statistics`.

    >>> mean, variance = tf.nn.normalize_moments(2.0, 4.0, 10.0, None)
    >>> float(mean), float(variance)
    (2.0, 1.0)
    """
    share = _ops.reciprocal(counts)
    mean = shifted = _ops.multiply(mean_ss, share)
    if shift is not None:
        mean = shifted + shift
    variance = _ops.multiply(variance_ss, share) - _ops.square(shifted)
    return mean, variance


@op_function
def batch_normalization(
    x: TensorLike,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: float,
    name: str | None = None,
) -> Tensor:
    """scale * (x - mean) / sqrt(variance + epsilon) + offset (Ioffe and Szegedy, 2015).

    Args:
        x: floating.
        mean: broadcasts with `x`, as do the following.
        variance: as `mean`.
        offset: as `mean`, or None for 0.
        scale: as `mean`, or None for 1.
        variance_epsilon: a small value that keeps the divisor from zero.

    >>> tf.nn.batch_normalization([1.0, 3.0], 2.0, 1.0, None, None, 0.0).numpy()
    array([-1.,  1.], dtype=float32)
    """
    x = _core.as_tensor(x)
    if not isinstance(variance, Tensor | _core.Variable):
        epsilon_dtype = dtypes.result_dtype(variance_epsilon)
        variance = _core.convert(variance, epsilon_dtype, x.dtype)
    factor = _ops.rsqrt(_ops.add(variance, variance_epsilon))
    if scale is not None:
        factor = _ops.multiply(factor, scale)
    shift = _ops.negative(_ops.multiply(mean, factor))
    if offset is not None:
        shift = _ops.add(shift, offset)
    if factor.dtype is not x.dtype:
        factor, shift = _ops.cast(factor, x.dtype), _ops.cast(shift, x.dtype)
    return _ops.add(_ops.multiply(x, factor), shift)


@op_function
def batch_norm_with_global_normalization(
    input: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    beta: TensorLike,
    gamma: TensorLike,
    variance_epsilon: float,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """`batch_normalization` with arguments in an older order."""
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon)


@op_function(elementwise=1, promotion="none")
def dropout(
    x: TensorLike,
    rate: Any,
    noise_shape: ShapeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Sets elements to zero at random and scales the others up, so that the mean is kept.

    Args:
        x: floating.
        rate: the fraction of elements that are dropped, in [0, 1).
        noise_shape: the shape of the random choices, which broadcasts with `x`; None entries are
            taken from its shape.
        seed: the seed of the operation, see `tf.random.set_seed`.

    Raises:
        ValueError: if `x` is not floating or `rate` is out of range.

    >>> sorted(set(tf.nn.dropout(tf.ones([100]), rate=0.5).numpy().tolist()))
    [0.0, 2.0]
    """
    is_number = isinstance(rate, int | float)
    if is_number and not 0 <= rate < 1:
        raise ValueError(
            f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}"
        )
    x = _core.as_tensor(x)
    dtype = x.dtype
    if not dtype.is_floating:
        raise ValueError(
            "`x.dtype` must be a floating point tensor as `x` will be scaled. "
            f"Received: x_dtype={dtype}"
        )
    if is_number and rate == 0:
        stateful.uniform([], seed=seed)  # advances the stream as a real dropout would
        return x
    if is_number:
        scaled = _ops.multiply(x, _core.convert(1.0 / (1.0 - rate), dtype, None))
    else:
        rate = _core.as_tensor(rate)
        if rate.shape.rank is None:
            rate = _ops.reshape(rate, [])
        rate.shape.assert_has_rank(0)
        if rate.dtype is not dtype:
            if not rate.dtype.is_floating:
                raise ValueError(
                    "`x.dtype` must be compatible with `rate.dtype`. "
                    f"Received: x.dtype={dtype} and rate.dtype={rate.dtype}"
                )
            rate = _ops.cast(rate, dtype)
        scaled = _ops.divide_real(x, _ops.subtract(1.0, rate))
    noise = stateful.uniform(_noise_shape(x, noise_shape), seed=seed, dtype=dtype)
    keep = _ops.greater_equal(noise, rate)
    return _ops.select(keep, scaled, _ops.zeros([], dtype))


def general_dropout(
    x: TensorLike, rate: Any, uniform_sampler: Any, noise_shape: Any = None, name: str | None = None
) -> Tensor:
    """Like `tf.nn.dropout`, with the caller's random values.

    Args:
        x: floating.
        rate: the fraction of elements that are dropped, in [0, 1).
        uniform_sampler: called with a shape and a dtype, returns values in [0, 1).
        noise_shape: the shape of the random choices, see `tf.nn.dropout`.

    Raises:
        ValueError: if `x` is not floating or `rate` is out of range.

    >>> keep_all = lambda shape, dtype: tf.ones(shape, dtype)
    >>> tf.nn.experimental.general_dropout(tf.ones([2]), 0.5, keep_all).numpy()
    array([2., 2.], dtype=float32)
    """
    if isinstance(rate, int | float) and not 0 <= rate < 1:
        raise ValueError(
            f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}"
        )
    x = _core.as_tensor(x)
    if not x.dtype.is_floating:
        raise ValueError(
            "`x.dtype` must be a floating point tensor as `x` will be scaled. "
            f"Received: x_dtype={x.dtype}"
        )
    if isinstance(rate, int | float):
        if rate == 0:
            return x
        scaled = _ops.multiply(x, _core.convert(1.0 / (1.0 - rate), x.dtype, None))
    else:
        rate = _ops.cast(rate, x.dtype)
        scaled = _ops.divide_real(x, _ops.subtract(1.0, rate))
    noise = uniform_sampler(shape=_noise_shape(x, noise_shape), dtype=x.dtype)
    keep = _ops.greater_equal(noise, rate)
    return _ops.select(keep, scaled, _ops.zeros([], x.dtype))


@op_function(elementwise=1, promotion="none")
def stateless_dropout(
    x: TensorLike,
    rate: TensorLike,
    seed: TensorLike,
    rng_alg: Any = None,
    noise_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Like `tf.nn.dropout`, with choices determined by the arguments alone.

    Args:
        x: floating.
        rate: the fraction of elements that are dropped, in [0, 1).
        seed: two integers.
        rng_alg: the generator, see `tf.random.Algorithm`.
        noise_shape: the shape of the random choices, see `tf.nn.dropout`.

    >>> x = tf.nn.experimental.stateless_dropout(tf.ones([100]), 0.5, seed=[1, 2])
    >>> sorted(set(x.numpy().tolist()))
    [0.0, 2.0]
    """
    alg = "auto_select" if rng_alg is None else rng_alg

    def sampler(shape: ShapeLike, dtype: dtypes.DType) -> Tensor:
        return stateless_uniform(shape, seed, dtype=dtype, alg=alg)

    return general_dropout(x, rate, sampler, noise_shape)


def _noise_shape(x: Tensor, noise_shape: Any) -> Any:
    shape: Any = x._shape_tuple()
    if shape is None or None in shape:
        shape = _ops.shape(x)
    if noise_shape is None:
        return _ops.shape(x) if x.ndim is None else sizes_of(x)
    if isinstance(noise_shape, Tensor):
        return noise_shape
    sizes = list(noise_shape)
    if len(sizes) != x.shape.rank:
        return sizes
    return [shape[axis] if size is None else size for axis, size in enumerate(sizes)]


def _check_images(x: Tensor, block_size: int, data_format: str) -> None:
    """Checks the arguments of functions that divide images into square blocks."""
    if data_format not in ("NHWC", "NCHW"):
        raise invalid_argument(
            f"Value for attr 'data_format' of {data_format!r} is not in the list of allowed "
            'values: "NHWC", "NCHW"'
        )
    if not isinstance(block_size, int | np.integer):
        raise TypeError(f"Expected int for argument 'block_size' not {block_size!r}.")
    if x.ndim not in (4, None):
        raise invalid_argument(f"Input rank should be: 4 instead of: {x.ndim}")


@composed_op("DepthToSpace", input=Input())
def depth_to_space(
    input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Spreads channels over spatial blocks.

    Args:
        input: images `[batch, rows, columns, channels]`.
        block_size: the height and width b of a block; b * b must divide the channels.
        data_format: "NHWC" or "NCHW".

    Raises:
        tf.errors.InvalidArgumentError: if the channels cannot be divided.

    >>> tf.nn.depth_to_space([[[[1, 2, 3, 4]]]], 2).numpy().reshape(2, 2)
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    x = of_rank(_core.as_tensor(input), 4)
    b = block_size
    _check_images(x, b, data_format)
    if data_format == "NCHW":
        x = _ops.transpose(x, [0, 2, 3, 1])
    n, rows, columns, channels = sizes_of(x)
    if b < 2 or (is_known(channels) and channels % (b * b)):
        raise invalid_argument(
            f"Input depth dimension {channels} should be divisible by: {b * b} [Op:DepthToSpace]"
        )
    depth = channels // (b * b)
    blocks = reshaped(x, [n, rows, columns, b, b, depth])
    x = reshaped(_ops.transpose(blocks, [0, 1, 3, 2, 4, 5]), [n, rows * b, columns * b, depth])
    return _ops.transpose(x, [0, 3, 1, 2]) if data_format == "NCHW" else x


@op_function
def space_to_depth(
    input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Gathers spatial blocks into channels; undoes `depth_to_space`.

    Raises:
        tf.errors.InvalidArgumentError: if rows and columns cannot be divided.

    >>> tf.nn.space_to_depth([[[[1], [2]], [[3], [4]]]], 2).numpy().reshape(-1)
    array([1, 2, 3, 4], dtype=int32)
    """
    x = of_rank(_core.as_tensor(input), 4)
    b = block_size
    _check_images(x, b, data_format)
    if data_format == "NCHW":
        x = _ops.transpose(x, [0, 2, 3, 1])
    n, rows, columns, channels = sizes_of(x)
    if b < 2 or any(is_known(size) and size % b for size in (rows, columns)):
        raise invalid_argument(
            f"Image width {columns} and height {rows} should be divisible by block_size: {b} "
            "[Op:SpaceToDepth]"
        )
    blocks = reshaped(x, [n, rows // b, b, columns // b, b, channels])
    x = reshaped(
        _ops.transpose(blocks, [0, 1, 3, 2, 4, 5]), [n, rows // b, columns // b, b * b * channels]
    )
    return _ops.transpose(x, [0, 3, 1, 2]) if data_format == "NCHW" else x
