"""Gradients of operations by operations whose sizes are tensors; `gradients.py` uses them.

A rule takes the gradients of the results, the inputs, the results and the attributes, and returns the
gradients of the inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import eagerflow as tf
from eagerflow import _core

_ops = _core.ops
Tensor = _core.Tensor
raw_ops: Any = tf.raw_ops
Rule = Callable[[Any, Any, Any, Any], list[Any]]

RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """The decorator of the rule for some operations."""

    def register(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, function))
        return function

    return register


def summed_to(value: Tensor, like: Tensor) -> Tensor:
    """A gradient in the shape of an operand that was broadcast."""
    axes, _ = raw_ops.BroadcastGradientArgs(s0=tf.shape(like), s1=tf.shape(value))
    return tf.reshape(tf.reduce_sum(value, axes), tf.shape(like))


# argmax and the like have no entry's gradient: their results do not vary with their inputs.
@rule("argmax", "argmin", "shape")
def _none(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.zeros_like(v) for v in x]


@rule("betainc")
def _betainc(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    a, b, at = x
    beta = tf.math.lgamma(a) + tf.math.lgamma(b) - tf.math.lgamma(a + b)
    slope = tf.exp(tf.math.xlog1py(b - 1.0, -at) + tf.math.xlogy(a - 1.0, at) - beta)
    return [None, None, summed_to(dy[0] * slope, at)]


@rule("softmax")
def _softmax(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [(dy[0] - tf.reduce_sum(dy[0] * y[0], -1, keepdims=True)) * y[0]]


@rule("log_softmax")
def _log_softmax(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [dy[0] - tf.exp(y[0]) * tf.reduce_sum(dy[0], -1, keepdims=True)]


# Reductions.


def _kept(x: Tensor, value: Tensor, axes: Any) -> Tensor:
    """What a reduction gave, with the axes that it removed."""
    sizes = tf.shape(x)
    rank = tf.rank(x)
    if axes is None:
        return tf.reshape(value, tf.ones_like(sizes))
    chosen = tf.reshape(tf.cast(tf.convert_to_tensor(axes), tf.int32), [-1])
    chosen = tf.where(chosen < 0, chosen + rank, chosen)
    ones = tf.ones_like(chosen)
    return tf.reshape(value, tf.tensor_scatter_nd_update(sizes, chosen[:, None], ones))


@rule("reduce_sum")
def _reduce_sum(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.broadcast_to(_kept(x[0], dy[0], attrs["axis"]), tf.shape(x[0]))]


@rule("reduce_mean")
def _reduce_mean(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    count = tf.maximum(tf.size(x[0]) // tf.maximum(tf.size(y[0]), 1), 1)
    (whole,) = _reduce_sum(dy, x, y, attrs)
    return [whole / tf.cast(count, whole.dtype)]


@rule("reduce_max", "reduce_min")
def _reduce_extreme(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    best, weights = (_kept(x[0], value, attrs["axis"]) for value in (y[0], dy[0]))
    chosen = tf.cast(tf.equal(x[0], best), x[0].dtype)
    counts = _kept(x[0], tf.reduce_sum(chosen, attrs["axis"]), attrs["axis"])
    return [chosen / counts * weights]


@rule("reduce_prod")
def _reduce_prod(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    weights = _kept(x[0], dy[0], attrs["axis"])
    return [weights * _product_of_others(x[0], attrs["axis"])]


def _product_of_others(x: Tensor, axes: Any) -> Tensor:
    """For each element the product of all others that a reduction takes with it, which may be zeros."""
    rank = tf.rank(x)
    every = tf.range(rank)
    chosen = every
    if axes is not None:
        chosen = tf.reshape(tf.cast(tf.convert_to_tensor(axes), tf.int32), [-1]) % rank
    order = tf.concat([chosen, raw_ops.ListDiff(x=every, y=chosen).out], 0)
    last = tf.transpose(x, order)
    sizes = tf.shape(last)
    rows = tf.reshape(tf.math.conj(last), [tf.reduce_prod(sizes[: tf.size(chosen)]), -1])
    others = tf.math.cumprod(rows, exclusive=True) * tf.math.cumprod(
        rows, exclusive=True, reverse=True
    )
    return tf.transpose(tf.reshape(others, sizes), tf.math.invert_permutation(order))


@rule("scaled_norm")
def _scaled_norm(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    _, length, inverse = y
    weight = tf.math.divide_no_nan(dy[0], length) + tf.math.divide_no_nan(dy[1], length) * inverse
    found = [None]
    for tensor in x[1:]:
        own, factor = weight, inverse
        if attrs["axis"] is not None:
            own, factor = (_kept(tensor, value, attrs["axis"]) for value in (weight, inverse))
        if attrs["mean"]:
            own = own * tf.cast(tf.size(length), own.dtype) / tf.cast(tf.size(tensor), own.dtype)
        found.append(tensor * factor * own)
    return found


@rule("l2_loss")
def _l2_loss(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [dy[0] * x[0]]


# Shapes.


@rule("reshape", "expand_dims", "squeeze")
def _reshape(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.reshape(dy[0], tf.shape(x[0]))]


@rule("ensure_shape")
def _ensure_shape(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [dy[0]]


@rule("broadcast_to")
def _broadcast_to(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [summed_to(dy[0], x[0])]


@rule("fill")
def _fill(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.reduce_sum(dy[0])]


@rule("transpose")
def _transpose(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    perm = attrs["perm"]
    if perm is not None:
        perm = tf.math.invert_permutation(tf.convert_to_tensor(perm))
    return [tf.transpose(dy[0], perm, conjugate=attrs["conjugate"])]


@rule("reverse")
def _reverse(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.reverse(dy[0], attrs["axis"])]


@rule("concat")
def _concat(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    axis = attrs["axis"]
    return tf.split(dy[0], tf.stack([tf.shape(v)[axis] for v in x]), axis, len(x))


@rule("split")
def _split(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.concat(dy, attrs["axis"])]


@rule("stack")
def _stack(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return tf.unstack(dy[0], len(x), attrs["axis"])


@rule("unstack")
def _unstack(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.stack(dy, attrs["axis"])]


@rule("slice")
def _slice(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    before = tf.cast(tf.convert_to_tensor(attrs["begin"]), tf.int32)
    after = tf.shape(x[0]) - tf.shape(y[0]) - before
    return [raw_ops.Pad(input=dy[0], paddings=tf.stack([before, after], 1))]


MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


@rule("strided_slice")
def _strided_slice(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    places = {
        key: tf.cast(tf.convert_to_tensor(attrs[key]), tf.int32)
        for key in ("begin", "end", "strides")
    }
    masks = {key: attrs[key] for key in MASKS}
    found = raw_ops.StridedSliceGrad(shape=tf.shape(x[0]), dy=dy[0], **places, **masks)
    return [found]


# Products and windows.


@rule("matmul")
def _matmul(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    (a, b), g = x, dy[0]
    flip_a = attrs["transpose_a"] or attrs["adjoint_a"]
    flip_b = attrs["transpose_b"] or attrs["adjoint_b"]
    if flip_a:
        by_a = tf.matmul(b, g, adjoint_a=flip_b, adjoint_b=True)
    else:
        by_a = tf.matmul(g, b, adjoint_b=not flip_b)
    if flip_b:
        by_b = tf.matmul(g, a, adjoint_a=True, adjoint_b=flip_a)
    else:
        by_b = tf.matmul(a, g, adjoint_a=not flip_a)
    if a.dtype.is_complex:  # what is transposed and not conjugated
        by_a = tf.math.conj(by_a) if attrs["transpose_a"] else by_a
        by_b = tf.math.conj(by_b) if attrs["transpose_b"] else by_b
    if a.shape.rank == b.shape.rank == 2:
        return [by_a, by_b]
    return [summed_to(by_a, a), summed_to(by_b, b)]


@rule("bias_add")
def _bias_add(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    layout = attrs["data_format"]
    return [dy[0], raw_ops.BiasAddGrad(out_backprop=dy[0], data_format=layout)]


def windows(attrs: Any, *names: str) -> dict[str, Any]:
    """The attributes of a convolution or pooling, and others that are named."""
    found = {name: attrs[name] for name in ("strides", "padding", "data_format", *names)}
    if attrs.get("explicit_paddings"):
        found["explicit_paddings"] = attrs["explicit_paddings"]
    return found


def _dilated(attrs: Any) -> dict[str, Any]:
    """The attributes of a convolution."""
    return {**windows(attrs), "dilations": attrs["dilations"] or [1, 1, 1, 1]}


def _convolution(kind: str, dy: Any, x: Any, attrs: Any) -> list[Any]:
    """The gradients of a convolution, by the operations of its kind."""
    images, filters = x
    common = {**_dilated(attrs), "out_backprop": dy[0]}
    by_input = getattr(raw_ops, f"{kind}BackpropInput")
    by_filter = getattr(raw_ops, f"{kind}BackpropFilter")
    return [
        by_input(input_sizes=tf.shape(images), filter=filters, **common),
        by_filter(input=images, filter_sizes=tf.shape(filters), **common),
    ]


@rule("conv2d")
def _conv2d(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return _convolution("Conv2D", dy, x, attrs)


def _by_input_again(kind: str, dy: Any, x: Any, attrs: Any) -> list[Any]:
    """The gradients of the gradient of a convolution by its input."""
    filters, images = x
    common = _dilated(attrs)
    by_filter = getattr(raw_ops, f"{kind}BackpropFilter")(
        input=dy[0], filter_sizes=tf.shape(filters), out_backprop=images, **common
    )
    return [by_filter, getattr(raw_ops, kind)(input=dy[0], filter=filters, **common)]


def _by_filter_again(kind: str, dy: Any, x: Any, attrs: Any) -> list[Any]:
    """The gradients of the gradient of a convolution by its filter."""
    images, found = x
    common = _dilated(attrs)
    by_images = getattr(raw_ops, f"{kind}BackpropInput")(
        input_sizes=tf.shape(images), filter=dy[0], out_backprop=found, **common
    )
    return [by_images, getattr(raw_ops, kind)(input=images, filter=dy[0], **common)]


@rule("conv2d_backprop_input")
def _conv2d_backprop_input(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return _by_input_again("Conv2D", dy, x, attrs)


@rule("conv2d_backprop_filter")
def _conv2d_backprop_filter(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return _by_filter_again("Conv2D", dy, x, attrs)


@rule("depthwise_conv2d_backprop_input")
def _depthwise_backprop_input(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return _by_input_again("DepthwiseConv2dNative", dy, x, attrs)


@rule("depthwise_conv2d_backprop_filter")
def _depthwise_backprop_filter(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return _by_filter_again("DepthwiseConv2dNative", dy, x, attrs)


@rule("depthwise_conv2d")
def _depthwise_conv2d(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return _convolution("DepthwiseConv2dNative", dy, x, attrs)


@rule("max_pool")
def _max_pool(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    found = raw_ops.MaxPoolGrad(
        orig_input=x[0], orig_output=y[0], grad=dy[0], **windows(attrs, "ksize")
    )
    return [found]


@rule("avg_pool")
def _avg_pool(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    found = raw_ops.AvgPoolGrad(
        orig_input_shape=tf.shape(x[0]), grad=dy[0], **windows(attrs, "ksize")
    )
    return [found]
