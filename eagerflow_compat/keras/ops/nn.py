"""Keras 3's neural network operations: activations, convolutions, pooling, normalization, losses."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core, nn
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.keras import config
from eagerflow.keras.backend import nn as backend_nn
from eagerflow.keras.layers.arguments import transposed_length
from eagerflow.keras.losses.crossentropy import inner_probabilities
from eagerflow.keras.typing import Sizes
from eagerflow.ops import indexing, loops, norms
from eagerflow.ops.array import repeat
from eagerflow.ops.conversion import saturate_cast
from eagerflow.ops.creation import one_hot as encode
from eagerflow.ops.nn import activation, convolution, pooling
from eagerflow.ops.numpy_functions.rules import axes_of
from eagerflow.typing import Axes, DTypeLike, Structure, TensorLike
from eagerflow.util import lazy
from eagerflow_compat.keras.ops.adaptive_pooling import (
    adaptive_average_pool as adaptive_average_pool,
)
from eagerflow_compat.keras.ops.adaptive_pooling import (
    adaptive_max_pool as adaptive_max_pool,
)
from eagerflow_compat.keras.ops.linalg import norm
from eagerflow_compat.keras.ops.patches import fold as fold
from eagerflow_compat.keras.ops.patches import unfold as unfold
from eagerflow_compat.keras.ops.promotion import floating, result_type, tensor

# Imported when they are first used: few programs need them.
conversion = lazy.Module("eagerflow.sparse.conversion")
sparse_tensor = lazy.Module("eagerflow.sparse.tensor")

_ops = _core.ops
Tensor = _core.Tensor


@op_function
def relu(x: TensorLike) -> Tensor:
    """`max(x, 0)`."""
    return _ops.relu(tensor(x))


@op_function
def relu6(x: TensorLike) -> Tensor:
    """`min(max(x, 0), 6)`."""
    return _ops.relu6(tensor(x))


@op_function
def sigmoid(x: TensorLike) -> Tensor:
    """`1 / (1 + exp(-x))`."""
    x = floating(x)
    output = _ops.sigmoid(x)
    output._keras_logits = x
    return output


@op_function
def log_sigmoid(x: TensorLike) -> Tensor:
    """The logarithm of the sigmoid."""
    return -_ops.softplus(-floating(x))


@op_function
def softplus(x: TensorLike) -> Tensor:
    """`log(exp(x) + 1)`."""
    return _ops.softplus(floating(x))


@op_function
def softsign(x: TensorLike) -> Tensor:
    """`x / (abs(x) + 1)`."""
    return _ops.softsign(floating(x))


@op_function
def silu(x: TensorLike) -> Tensor:
    """`x * sigmoid(x)`."""
    return activation.silu(floating(x))


swish = silu


@op_function
def leaky_relu(x: TensorLike, negative_slope: float = 0.2) -> Tensor:
    """x above zero, `negative_slope * x` below."""
    return _ops.leaky_relu(floating(x), negative_slope)


@op_function
def hard_sigmoid(x: TensorLike) -> Tensor:
    """`x / 6 + 1 / 2`, clipped to [0, 1]."""
    return _ops.clip_by_value(floating(x) / 6.0 + 0.5, 0.0, 1.0)


@op_function
def hard_silu(x: TensorLike) -> Tensor:
    """`x * hard_sigmoid(x)`."""
    x = floating(x)
    return x * hard_sigmoid(x)


hard_swish = hard_silu


@op_function
def hard_tanh(x: TensorLike) -> Tensor:
    """x, clipped to [-1, 1]."""
    return _ops.clip_by_value(floating(x), -1.0, 1.0)


@op_function
def hard_shrink(x: TensorLike, threshold: float = 0.5) -> Tensor:
    """x, and zero where `abs(x)` does not exceed a threshold."""
    x = floating(x)
    return _ops.select(_ops.greater(_ops.abs(x), threshold), x, _ops.zeros_like(x))


@op_function
def soft_shrink(x: TensorLike, threshold: float = 0.5) -> Tensor:
    """x, shrunk towards zero by a threshold."""
    x = floating(x)
    return _ops.sign(x) * _ops.relu(_ops.abs(x) - threshold)


@op_function
def tanh_shrink(x: TensorLike) -> Tensor:
    """`x - tanh(x)`."""
    x = floating(x)
    return x - _ops.tanh(x)


@op_function
def threshold(x: TensorLike, threshold: float, default_value: float) -> Tensor:
    """x, and another value where x is not above a threshold."""
    x = floating(x)
    return _ops.select(_ops.greater(x, threshold), x, _ops.zeros_like(x) + default_value)


@op_function
def elu(x: TensorLike, alpha: float = 1.0) -> Tensor:
    """x above zero, `alpha * (exp(x) - 1)` below."""
    x = floating(x)
    return _ops.select(_ops.greater(x, 0.0), x, alpha * _ops.elu(x))


@op_function
def selu(x: TensorLike) -> Tensor:
    """Scaled `elu`, which keeps means near 0 and variances near 1."""
    return _ops.selu(floating(x))


@op_function
def celu(x: TensorLike, alpha: float = 1.0) -> Tensor:
    """x above zero, `alpha * (exp(x / alpha) - 1)` below."""
    x = floating(x)
    return _ops.relu(x) + alpha * _ops.elu(-_ops.relu(-x) / alpha)


@op_function
def gelu(x: TensorLike, approximate: bool = True) -> Tensor:
    """x times the standard normal distribution function of x."""
    return activation.gelu(floating(x), approximate)


@op_function
def glu(x: TensorLike, axis: int = -1) -> Tensor:
    """Half of the values, times the sigmoid of the other half."""
    x = floating(x)
    size = x._shape_tuple()[axis]
    if size % 2:
        raise ValueError(f"axis size must be divisible by 2. Received: x.shape={tuple(x.shape)}")
    value, gate = _ops.split(x, [size // 2, size // 2], axis)
    return value * _ops.sigmoid(gate)


@op_function
def sparse_plus(x: TensorLike) -> Tensor:
    """A smooth step from 0 to x that is exact outside of [-1, 1]."""
    x = floating(x)
    middle = 0.25 * _ops.square(x + 1.0)
    inner = _ops.select(_ops.less(x, 1.0), middle, x)
    return _ops.select(_ops.less_equal(x, -1.0), _ops.zeros_like(x), inner)


@op_function
def sparse_sigmoid(x: TensorLike) -> Tensor:
    """`(x + 1) / 2`, clipped to [0, 1]."""
    return _ops.clip_by_value(0.5 * (floating(x) + 1.0), 0.0, 1.0)


@op_function
def squareplus(x: TensorLike, b: TensorLike = 4) -> Tensor:
    """`(x + sqrt(x ** 2 + b)) / 2`."""
    x = floating(x)
    return (x + _ops.sqrt(_ops.square(x) + b)) / 2.0


@op_function
def sparsemax(x: TensorLike, axis: int = -1) -> Tensor:
    """The projection onto the probability simplex (Martins and Astudillo, ICML 2016)."""
    x = floating(x)
    ordered = indexing.sort(x, axis=axis, direction="DESCENDING")
    shape = [1] * x.ndim
    shape[axis] = -1
    counts = _ops.reshape(_ops.cast(_ops.range(1, x._shape_tuple()[axis] + 1, 1), x.dtype), shape)
    sums = _ops.cumsum(ordered, axis)
    inside = _ops.cast(_ops.greater(1.0 + counts * ordered, sums), x.dtype)
    k = _ops.reduce_sum(inside, axis=axis, keepdims=True)
    limit = (_ops.reduce_sum(inside * ordered, axis=axis, keepdims=True) - 1.0) / k
    return _ops.relu(x - limit)


@op_function
def softmax(x: TensorLike, axis: Axes | None = -1) -> Tensor:
    """The softmax over an axis, over several, or over all."""
    x = floating(x)
    if isinstance(axis, int):
        output = activation.softmax(x, axis=axis)
        output._keras_logits = x
        return output
    axes = axes_of(axis, x.ndim)
    e = _ops.exp(x - _ops.stop_gradient(_ops.reduce_max(x, axis=axes, keepdims=True)))
    return e / _ops.reduce_sum(e, axis=axes, keepdims=True)


@op_function
def log_softmax(x: TensorLike, axis: Axes = -1) -> Tensor:
    """The logarithm of `softmax`."""
    x = floating(x)
    if isinstance(axis, int):
        return activation.log_softmax(x, axis=axis)
    axes = axes_of(axis, x.ndim)
    x = x - _ops.stop_gradient(_ops.reduce_max(x, axis=axes, keepdims=True))
    return x - _ops.log(_ops.reduce_sum(_ops.exp(x), axis=axes, keepdims=True))


@op_function
def one_hot(
    x: TensorLike,
    num_classes: int,
    axis: int = -1,
    dtype: DTypeLike | None = None,
    sparse: bool = False,
) -> Tensor:
    """One-hot vectors of integers."""
    kind = dtypes.as_dtype(dtype or config.floatx())
    x = tensor(x)
    x = x if x.dtype.is_integer else _ops.cast(x, dtypes.int64)
    encoded = encode(x, num_classes, axis=axis, dtype=kind)
    return conversion.from_dense(encoded) if sparse else encoded


@op_function
def multi_hot(
    inputs: TensorLike,
    num_classes: int | None = None,
    axis: int = -1,
    dtype: DTypeLike | None = None,
    sparse: bool = False,
    **kwargs: Any,
) -> Tensor:
    """Multi-hot vectors of lists of integers."""
    num_classes = kwargs.pop("num_tokens", num_classes)
    if num_classes is None:
        raise ValueError("Argument `num_classes` must be specified.")
    inputs = tensor(inputs)
    over = 1 if inputs.ndim > 1 else 0
    encoded = one_hot(inputs, num_classes, axis, dtype)
    largest = _ops.reduce_any if encoded.dtype.is_bool else _ops.reduce_max
    encoded = largest(encoded, axis=over)
    return conversion.from_dense(encoded) if sparse else encoded


def _layout(data_format: str | None, rank: int) -> tuple[str, bool]:
    first = (data_format or config.image_data_format()) == "channels_first"
    spatial = "DHW"[3 - rank :] if rank > 1 else "W"
    return (f"NC{spatial}" if first else f"N{spatial}C"), first


def _listed(value: Any, rank: int) -> list[int]:
    return [value] * rank if isinstance(value, int) else [int(each) for each in value]


@op_function
def conv(
    inputs: TensorLike,
    kernel: TensorLike,
    strides: Sizes = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Sizes = 1,
) -> Tensor:
    """A convolution over one, two or three spatial axes; channels may be in groups.

    Args:
        inputs: `[batch, ..., channels]`, or with channels before the spatial axes.
        kernel: `[..., channels in a group, filters]`.
        strides: an integer, or one for each spatial axis.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        dilation_rate: an integer, or one for each spatial axis.
    """
    inputs = tensor(inputs)
    rank = inputs.ndim - 2
    layout, _ = _layout(data_format, rank)
    return convolution.convolution(
        inputs,
        tensor(kernel),
        strides=_listed(strides, rank),
        padding=padding.upper(),
        data_format=layout,
        dilations=_listed(dilation_rate, rank),
    )


@op_function
def conv_transpose(
    inputs: TensorLike,
    kernel: TensorLike,
    strides: Sizes = 1,
    padding: str = "valid",
    output_padding: Sizes | None = None,
    data_format: str | None = None,
    dilation_rate: Sizes = 1,
) -> Tensor:
    """The transpose of a convolution, which upsamples; see `conv`.

    Args:
        inputs: `[batch, ..., channels]`, or with channels before the spatial axes.
        kernel: `[..., filters, channels]`.
        strides: an integer, or one for each spatial axis.
        padding: "valid" or "same".
        output_padding: the size added to one side of the output.
        data_format: "channels_last" or "channels_first".
        dilation_rate: an integer, or one for each spatial axis.
    """
    inputs, kernel = tensor(inputs), tensor(kernel)
    rank = inputs.ndim - 2
    layout, first = _layout(data_format, rank)
    all_strides, dilations = _listed(strides, rank), _listed(dilation_rate, rank)
    paddings = [None] * rank if output_padding is None else _listed(output_padding, rank)
    shape, sizes = inputs._sizes(), kernel._shape_tuple()
    spatial = shape[2:] if first else shape[1:-1]
    lengths = [
        transposed_length(length, size, padding.lower(), stride, extra, dilation)
        for length, size, stride, extra, dilation in zip(
            spatial, sizes, all_strides, paddings, dilations, strict=False
        )
    ]
    filters = sizes[-2]
    output = [shape[0], filters, *lengths] if first else [shape[0], *lengths, filters]
    return convolution.conv_transpose(
        inputs,
        kernel,
        output,
        all_strides,
        padding=padding.upper(),
        data_format=layout,
        dilations=dilations,
    )


@op_function
def depthwise_conv(
    inputs: TensorLike,
    kernel: TensorLike,
    strides: Sizes = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Sizes = 1,
) -> Tensor:
    """A depthwise convolution: of each channel by itself; see `conv`."""
    inputs, kernel = tensor(inputs), tensor(kernel)
    rank = inputs.ndim - 2
    if rank == 1:
        first = _layout(data_format, 1)[1]
        step, dilation = _listed(strides, 1), _listed(dilation_rate, 1)
        wide = depthwise_conv(
            _ops.expand_dims(inputs, 2 if first else 1),
            _ops.expand_dims(kernel, 0),
            step * 2,
            padding,
            data_format,
            [1, *dilation],
        )
        return _ops.squeeze(wide, [2 if first else 1])
    layout, first = _layout(data_format, rank)
    steps = _listed(strides, rank)
    return convolution.depthwise_conv2d(
        inputs,
        kernel,
        [1, 1, *steps] if first else [1, *steps, 1],
        padding.upper(),
        layout,
        _listed(dilation_rate, rank),
    )


@op_function
def separable_conv(
    inputs: TensorLike,
    depthwise_kernel: TensorLike,
    pointwise_kernel: TensorLike,
    strides: Sizes = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Sizes = 1,
) -> Tensor:
    """A depthwise convolution, and then a pointwise one."""
    x = depthwise_conv(inputs, depthwise_kernel, strides, padding, data_format, dilation_rate)
    return conv(x, pointwise_kernel, 1, "valid", data_format)


def _pool(
    kind: str, inputs: Any, pool_size: Sizes, strides: Any, padding: str, data_format: str | None
) -> Tensor:
    inputs = tensor(inputs)
    rank = inputs.ndim - 2
    layout, _ = _layout(data_format, rank)
    window = _listed(pool_size, rank)
    steps = window if strides is None else _listed(strides, rank)
    return pooling.pool(
        inputs, window, kind, strides=steps, padding=padding.upper(), data_format=layout
    )


@op_function
def max_pool(
    inputs: TensorLike,
    pool_size: Sizes,
    strides: Sizes | None = None,
    padding: str = "valid",
    data_format: str | None = None,
) -> Tensor:
    """Max pooling."""
    return _pool("MAX", inputs, pool_size, strides, padding, data_format)


@op_function
def average_pool(
    inputs: TensorLike,
    pool_size: Sizes,
    strides: Sizes | None = None,
    padding: str = "valid",
    data_format: str | None = None,
) -> Tensor:
    """Average pooling."""
    return _pool("AVG", inputs, pool_size, strides, padding, data_format)


@op_function
def moments(x: Any, axes: Any, keepdims: bool = False, synchronized: bool = False) -> Any:
    """Means and variances over axes."""
    axes = [axes] if isinstance(axes, int) else list(axes)
    x = floating(x)
    if x.dtype.size >= 4:
        return nn.moments(x, axes, keepdims=keepdims)
    # Sums of squares of 16-bit numbers leave their range.
    found = nn.moments(_ops.cast(x, dtypes.float32), axes, keepdims=keepdims)
    return tuple(saturate_cast(each, x.dtype) for each in found)


def _along(x: Any, vector: TensorLike, axis: int) -> Tensor:
    shape = [1] * x.ndim
    shape[axis] = -1
    return _ops.reshape(tensor(vector, x.dtype), shape)


@op_function
def batch_normalization(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    axis: int,
    offset: TensorLike | None = None,
    scale: TensorLike | None = None,
    epsilon: float = 1e-3,
) -> Tensor:
    """Values, shifted and scaled by vectors along an axis."""
    x = floating(x)
    factor = _ops.rsqrt(_along(x, variance, axis) + epsilon)
    if scale is not None:
        factor = factor * _along(x, scale, axis)
    x = (x - _along(x, mean, axis)) * factor
    return x if offset is None else x + _along(x, offset, axis)


@op_function
def layer_normalization(
    x: TensorLike,
    gamma: TensorLike | None = None,
    beta: TensorLike | None = None,
    axis: Axes = -1,
    epsilon: float | None = None,
    **kwargs: object,
) -> Tensor:
    """Values of mean 0 and variance 1 over axes, scaled and shifted."""
    x = floating(x)
    axes = axes_of(axis, x.ndim)
    mean, variance = nn.moments(x, axes, keepdims=True)
    x = (x - mean) * _ops.rsqrt(variance + (config.epsilon() if epsilon is None else epsilon))
    if gamma is not None:
        x = x * tensor(gamma, x.dtype)
    return x if beta is None else x + tensor(beta, x.dtype)


@op_function
def rms_normalization(
    x: TensorLike, scale: TensorLike | None = None, axis: Axes = -1, epsilon: float | None = None
) -> Tensor:
    """Values, divided by their root mean square over axes."""
    x = floating(x)
    power = _ops.reduce_mean(_ops.square(x), axis=axes_of(axis, x.ndim), keepdims=True)
    x = x * _ops.rsqrt(power + (config.epsilon() if epsilon is None else epsilon))
    return x if scale is None else x * tensor(scale, x.dtype)


@op_function
def normalize(
    x: TensorLike, axis: Axes = -1, order: float = 2, epsilon: float | None = None
) -> Tensor:
    """Values, divided by their norm over axes."""
    x = floating(x)
    axes = axes_of(axis, x.ndim)
    epsilon = config.epsilon() if epsilon is None else epsilon
    if order == 2:
        return norms.unit(x, axes, epsilon)
    length = norm(x, order, axes[0] if len(axes) == 1 else tuple(axes), keepdims=True)
    return x / _ops.maximum(length, epsilon)


@op_function
def binary_crossentropy(target: Any, output: TensorLike, from_logits: bool = False) -> Tensor:
    """The cross-entropy of each element, a probability or a logit."""
    output = floating(output)
    target = tensor(target, output.dtype)
    if from_logits:
        return nn.sigmoid_cross_entropy_with_logits(labels=target, logits=output)
    small = config.epsilon()
    output = inner_probabilities(output, small)
    return -(_ops.xlogy(target, output) + _ops.xlogy(1.0 - target, 1.0 - output))


@op_function
def categorical_crossentropy(
    target: TensorLike, output: TensorLike, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """The cross-entropy of distributions."""
    output = floating(output)
    return backend_nn.categorical_crossentropy(
        tensor(target, output.dtype), output, from_logits, axis
    )


@op_function
def sparse_categorical_crossentropy(
    target: TensorLike, output: TensorLike, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """The cross-entropy of classes given by their ids."""
    return backend_nn.sparse_categorical_crossentropy(target, floating(output), from_logits, axis)


@op_function
def ctc_loss(
    target: TensorLike,
    output: TensorLike,
    target_length: TensorLike,
    output_length: TensorLike,
    mask_index: int = 0,
) -> Tensor:
    """The connectionist temporal classification loss of each sequence."""
    return nn.ctc_loss(
        labels=_ops.cast(tensor(target), dtypes.int32),
        logits=floating(output),
        label_length=_ops.cast(tensor(target_length), dtypes.int32),
        logit_length=_ops.cast(tensor(output_length), dtypes.int32),
        logits_time_major=False,
        blank_index=mask_index,
    )


@op_function
def psnr(x1: TensorLike, x2: TensorLike, max_val: float) -> Tensor:
    """The peak signal-to-noise ratio of all elements, in decibels."""
    error = _ops.reduce_mean(_ops.square(floating(x1) - floating(x2)))
    return 20.0 * math.log10(max_val) - 10.0 / math.log(10.0) * _ops.log(error)


@op_function
def dot_product_attention(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    bias: TensorLike | None = None,
    mask: TensorLike | None = None,
    scale: float | None = None,
    is_causal: bool = False,
    flash_attention: bool | None = None,
    attn_logits_soft_cap: float | None = None,
) -> Tensor:
    """Scaled dot-product attention (Vaswani et al., NeurIPS 2017).

    Args:
        query: `[batch, targets, heads, depth]`.
        key: `[batch, sources, heads or fewer, depth]`: heads are shared by groups of the query's.
        value: like `key`.
        bias: is added to the logits.
        mask: `[batch, heads, targets, sources]`; false where a target must not attend.
        scale: the factor of the logits; the reciprocal root of the depth by default.
        is_causal: whether targets attend to no later sources.
        flash_attention: ignored.
        attn_logits_soft_cap: a soft bound of the logits.
    """
    query, key, value = floating(query), floating(key), floating(value)
    kind = result_type(query, key, value)
    query, key, value = (tensor(given, kind) for given in (query, key, value))
    for given in (query, key, value):
        if given.ndim != 4:
            raise ValueError(
                "`dot_product_attention` only supports 4D inputs. Received: "
                f"query.shape={tuple(query.shape)}, key.shape={tuple(key.shape)}, "
                f"value.shape={tuple(value.shape)}."
            )
    heads, depth = query._shape_tuple()[-2:]
    if key._shape_tuple()[2] != heads:
        key = repeat(key, heads // key._shape_tuple()[2], 2)
        value = repeat(value, heads // value._shape_tuple()[2], 2)
    query, key, value = (_ops.transpose(x, [0, 2, 1, 3]) for x in (query, key, value))
    logits = _ops.matmul(query, key, transpose_b=True)
    logits = logits * (1.0 / math.sqrt(depth) if scale is None else scale)
    if attn_logits_soft_cap is not None:
        logits = _ops.tanh(logits / attn_logits_soft_cap) * attn_logits_soft_cap
    if bias is not None:
        logits = logits + tensor(bias, logits.dtype)
    least = tensor(0.7 * logits.dtype.min, logits.dtype)
    if mask is not None:
        logits = indexing.where(_ops.cast(tensor(mask), dtypes.as_dtype("bool")), logits, least)
    if is_causal:
        targets, sources = logits._shape_tuple()[-2:]
        ones = _ops.ones([targets, sources], dtypes.as_dtype("bool"))
        causal = _ops.matrix_band_part(_ops.cast(ones, dtypes.float32), -1, 0)
        logits = indexing.where(_ops.greater(causal, 0.0), logits, least)
    result = _ops.matmul(activation.softmax(logits), value)
    return _ops.transpose(result, [0, 2, 1, 3])


@op_function
def depth_to_space(x: TensorLike, block_size: int, data_format: str = "channels_last") -> Tensor:
    """Channels rearranged into spatial blocks."""
    first = data_format == "channels_first"
    return nn.depth_to_space(tensor(x), block_size, data_format="NCHW" if first else "NHWC")


@op_function
def space_to_depth(x: TensorLike, block_size: int, data_format: str = "channels_last") -> Tensor:
    """Spatial blocks rearranged into channels."""
    first = data_format == "channels_first"
    return nn.space_to_depth(tensor(x), block_size, data_format="NCHW" if first else "NHWC")


@op_function
def in_top_k(targets: TensorLike, predictions: TensorLike, k: int) -> Tensor:
    """Whether the target is among the k largest predictions of each row."""
    return nn.in_top_k(tensor(targets), tensor(predictions), k)


@op_function
def top_k(x: TensorLike, k: int, sorted: bool = True) -> indexing.TopKV2:
    """The k largest elements of each row, and their indices."""
    return indexing.top_k(tensor(x), k, sorted)


@op_function
def vectorized_map(function: Any, elements: Structure) -> Tensor:
    """A function mapped over the first axis of tensors."""
    return loops.vectorized_map(function, elements)


@op_function
def ctc_decode(
    inputs: TensorLike,
    sequence_lengths: TensorLike,
    strategy: str = "greedy",
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
    mask_index: int | None = 0,
) -> tuple[Tensor, Tensor]:
    """The labels of a CTC model's output.

    Args:
        inputs: logits `[batch, steps, classes]`.
        sequence_lengths: how many steps of each example count `[batch]`.
        strategy: "greedy" for the likeliest class of each step, or "beam_search".
        beam_width: how many prefixes a search keeps.
        top_paths: how many sequences a search returns.
        merge_repeated: whether equal classes that follow each other are one label; a search always
            merges them.
        mask_index: the blank class, which may count from the end; None for the last.

    Returns:
        int32 labels `[paths, batch, steps]`, -1 where a sequence has ended, and scores
        `[batch, paths]`: the negative sum of the largest logits, or log-probabilities of a search.

    Raises:
        ValueError: for other strategies.

    >>> logits = [[[0.0, 2.0, 1.0], [0.0, 2.0, 1.0], [0.0, 1.0, 2.0]]]
    >>> labels, scores = tf.keras.ops.ctc_decode(logits, [3])
    >>> labels.numpy().tolist(), scores.numpy().tolist()
    ([[[1, 2, -1]]], [[-6.0]])
    """
    if strategy not in ("greedy", "beam_search"):
        raise ValueError(f"Invalid strategy {strategy!r}. Expected 'greedy' or 'beam_search'.")
    inputs = floating(inputs)
    if inputs.dtype.size < 4:
        inputs = _ops.cast(inputs, dtypes.float32)
    batch, steps, classes = inputs._sizes()
    frames = _ops.transpose(inputs, [1, 0, 2])
    lengths = _ops.cast(tensor(sequence_lengths), dtypes.int32)
    blank = classes - 1 if mask_index is None else mask_index
    blank = blank + classes if mask_index is not None and mask_index < 0 else blank
    if strategy == "greedy":
        decoded, scores = nn.ctc_greedy_decoder(frames, lengths, merge_repeated, mask_index)
    else:
        # The decoder takes the last class as the blank, and the classes after the blank move.
        others = [frames[..., :blank], frames[..., blank + 1 :]]
        frames = _ops.concat([*others, frames[..., blank : blank + 1]], axis=-1)
        decoded, scores = nn.ctc_beam_search_decoder(frames, lengths, beam_width, top_paths)
    shape = _ops.cast(_ops.stack([batch, steps]), dtypes.int64)
    labels = _ops.stack(
        [
            conversion.to_dense(
                sparse_tensor.SparseTensor(path.indices, path.values, shape), default_value=-1
            )
            for path in decoded
        ]
    )
    labels = _ops.cast(labels, dtypes.int32)
    if strategy == "beam_search":
        labels = _ops.select(_ops.less(labels, blank), labels, labels + 1)
    return labels, scores
