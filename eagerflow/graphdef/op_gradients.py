"""Gradients of operations by operations whose sizes are tensors; `gradients.py` uses them.

A rule takes the gradients of the results, the inputs, the results and the attributes, and returns the
gradients of the inputs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.graphdef import lowering

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


# The derivatives of elementwise operations, of an operand and the result. They read what the engine's
# gradients read, which is what second derivatives go back through.
_OF_ONE: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "acos": lambda x, y: -tf.math.rsqrt(1.0 - x * x),
    "acosh": lambda x, y: 1.0 / tf.sinh(y),
    "asin": lambda x, y: tf.math.rsqrt(1.0 - x * x),
    "asinh": lambda x, y: 1.0 / tf.cosh(y),
    "atan": lambda x, y: 1.0 / (1.0 + x * x),
    "atanh": lambda x, y: 1.0 / (1.0 - x * x),
    "cos": lambda x, y: -tf.sin(x),
    "cosh": lambda x, y: tf.sinh(x),
    "digamma": lambda x, y: tf.math.polygamma(tf.ones_like(x), x),
    "erf": lambda x, y: 2.0 / math.sqrt(math.pi) * tf.exp(-x * x),
    "erfc": lambda x, y: -2.0 / math.sqrt(math.pi) * tf.exp(-x * x),
    "erfinv": lambda x, y: 0.5 * math.sqrt(math.pi) * tf.exp(y * y),
    "exp": lambda x, y: y,
    "expm1": lambda x, y: tf.exp(x),
    "lgamma": lambda x, y: tf.math.digamma(x),
    "log": lambda x, y: 1.0 / x,
    "log1p": lambda x, y: 1.0 / (1.0 + x),
    "ndtri": lambda x, y: math.sqrt(2.0 * math.pi) * tf.exp(0.5 * y * y),
    "negative": lambda x, y: -tf.ones_like(x),
    "reciprocal": lambda x, y: -y * y,
    "relu": lambda x, y: tf.cast(x > 0, x.dtype),
    "relu6": lambda x, y: tf.cast(tf.logical_and(x > 0, x < 6), x.dtype),
    "rsqrt": lambda x, y: -0.5 * y * y * y,
    "sigmoid": lambda x, y: y * (1.0 - y),
    "sin": lambda x, y: tf.cos(x),
    "sinh": lambda x, y: tf.cosh(x),
    "softplus": lambda x, y: tf.sigmoid(x),
    "softsign": lambda x, y: 1.0 / tf.square(1.0 + tf.abs(x)),
    "sqrt": lambda x, y: 0.5 / y,
    "square": lambda x, y: 2.0 * x,
    "tan": lambda x, y: 1.0 / tf.square(tf.cos(x)),
    "tanh": lambda x, y: 1.0 - y * y,
}

_special = tf.math.special

_OF_ONE.update({
    "bessel_i0": lambda x, y: _special.bessel_i1(x),
    "bessel_i0e": lambda x, y: _special.bessel_i1e(x) - tf.sign(x) * y,
    "bessel_i1": lambda x, y: _special.bessel_i0(x) - _over(y, x, 0.5),
    "bessel_i1e": lambda x, y: _special.bessel_i0e(x) - tf.sign(x) * y - _over(y, x, 0.5),
    "bessel_j0": lambda x, y: -_special.bessel_j1(x),
    "bessel_j1": lambda x, y: _special.bessel_j0(x) - _over(y, x, 0.5),
    "bessel_k0": lambda x, y: -_special.bessel_k1(x),
    "bessel_k0e": lambda x, y: y - _special.bessel_k1e(x),
    "bessel_k1": lambda x, y: -_special.bessel_k0(x) - y / x,
    "bessel_k1e": lambda x, y: y * (1.0 - 1.0 / x) - _special.bessel_k0e(x),
    "bessel_y0": lambda x, y: -_special.bessel_y1(x),
    "bessel_y1": lambda x, y: _special.bessel_y0(x) - y / x,
    "dawsn": lambda x, y: 1.0 - 2.0 * x * y,
    "expint": lambda x, y: tf.exp(x) / x,
    "fresnel_cos": lambda x, y: tf.cos(math.pi / 2.0 * tf.square(x)),
    "fresnel_sin": lambda x, y: tf.sin(math.pi / 2.0 * tf.square(x)),
    "spence": lambda x, y: -_log_quotient(x),
})  # fmt: skip


def _over(y: Tensor, x: Tensor, at_zero: float) -> Tensor:
    """y / x where x is not zero, and else what the quotient goes to."""
    return tf.where(x == 0, tf.cast(at_zero, x.dtype), tf.math.divide_no_nan(y, x))


def _log_quotient(x: Tensor) -> Tensor:
    """log(x) / (x - 1), by a series near 1 as the engine has it."""
    near = tf.abs(x - 1.0) < 0.25
    inside = tf.where(near, x, tf.ones_like(x))
    w = (inside - 1.0) / (inside + 1.0)
    series = tf.ones_like(x) / 19.0
    for k in range(8, -1, -1):
        series = series * w * w + 1.0 / (2 * k + 1)
    outside = tf.where(near, 2.0 * tf.ones_like(x), x)
    return tf.where(near, 2.0 * series / (inside + 1.0), tf.math.log(outside) / (outside - 1.0))


def _factor(a: Tensor, b: Tensor, undefined: float) -> Tensor:
    """1, but 0 where a is zero and a function of b is not defined."""
    defined = tf.not_equal(b, tf.cast(undefined, b.dtype))
    return tf.cast(tf.logical_or(tf.not_equal(a, tf.zeros_like(a)), defined), a.dtype)


# Those of two operands, by each of them.
_OF_TWO: dict[str, Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]] = {
    "atan2": lambda a, b, y: _turn(a, b),
    "divide_no_nan": lambda a, b, y: (
        tf.math.divide_no_nan(tf.ones_like(y), b),
        tf.math.divide_no_nan(-y, b),
    ),
    "divide_real": lambda a, b, y: (1.0 / b, -y / b),
    "floormod": lambda a, b, y: (tf.ones_like(y), -tf.floor(a / b)),
    "hypot": lambda a, b, y: (tf.math.divide_no_nan(a, y), tf.math.divide_no_nan(b, y)),
    "igamma": lambda a, b, y: (_gamma_slope(a, b), _gamma_density(a, b)),
    "igammac": lambda a, b, y: (-_gamma_slope(a, b), -_gamma_density(a, b)),
    "maximum": lambda a, b, y: _split_at(a >= b, y),
    "minimum": lambda a, b, y: _split_at(a <= b, y),
    "multiply": lambda a, b, y: (b, a),
    "polygamma": lambda a, b, y: (tf.zeros_like(y), tf.math.polygamma(a + 1.0, b)),
    "subtract": lambda a, b, y: (tf.ones_like(y), -tf.ones_like(y)),
    "xdivy": lambda a, b, y: (tf.math.xdivy(_factor(a, b, 0.0), b), tf.math.xdivy(-a, b * b)),
    "xlog1py": lambda a, b, y: (
        tf.math.xlog1py(_factor(a, b, -1.0), b),
        tf.math.xdivy(a, 1.0 + b),
    ),
    "xlogy": lambda a, b, y: (tf.math.xlogy(_factor(a, b, 0.0), b), tf.math.xdivy(a, b)),
}


def _turn(y: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """The derivatives of an angle by the coordinates, whose squares may overflow."""
    length = lowering.LOWERED["hypot"](y, x)
    return x / length / length, -y / length / length


def _has_log(x: Tensor) -> Tensor:
    return tf.not_equal(x, tf.zeros_like(x)) if x.dtype.is_complex else x > 0


def _gamma_slope(a: Tensor, x: Tensor) -> Any:
    """The derivative of the incomplete gamma function by its order."""
    return raw_ops.IgammaGradA(a=a, x=x)


def _gamma_density(a: Tensor, x: Tensor) -> Tensor:
    near = x < 1.0
    small, large = tf.where(near, x, tf.ones_like(x)), tf.where(near, tf.ones_like(x), x)
    by_power = tf.pow(small, a - 1.0) * tf.exp(-small - tf.math.lgamma(a))
    return tf.where(
        near, by_power, tf.exp((a - 1.0) * tf.math.log(large) - large - tf.math.lgamma(a))
    )


def _split_at(first: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    chosen = tf.cast(first, y.dtype)
    return chosen, 1.0 - chosen


def _of_one(derivative: Callable[[Tensor, Tensor], Tensor]) -> Rule:
    return lambda dy, x, y, attrs: [dy[0] * _conj(derivative(x[0], y[0]))]


def _of_two(derivatives: Callable[..., tuple[Tensor, Tensor]]) -> Rule:
    def gradients(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
        found = derivatives(*x, y[0])
        return [summed_to(dy[0] * _conj(d), v) for d, v in zip(found, x, strict=True)]

    return gradients


def _conj(value: Tensor) -> Tensor:
    return tf.math.conj(value) if value.dtype.is_complex else value


RULES.update({name: _of_one(derivative) for name, derivative in _OF_ONE.items()})
RULES.update({name: _of_two(derivatives) for name, derivatives in _OF_TWO.items()})


@rule("multiply_no_nan")
def _multiply_no_nan(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    a, b = map(_conj, x)
    found = tf.math.multiply_no_nan(dy[0], b), tf.math.multiply_no_nan(a, dy[0])
    return [summed_to(part, v) for part, v in zip(found, x, strict=True)]


@rule("squared_difference")
def _squared_difference(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    weight = dy[0]
    if weight.dtype.is_complex:  # the result is real, whatever its dtype
        weight = tf.cast(tf.math.real(weight), weight.dtype)
    by_first = 2.0 * weight * (x[0] - x[1])
    return [summed_to(by_first, x[0]), summed_to(-by_first, x[1])]


@rule("pow")
def _pow(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    base, exponent = map(_conj, x)
    # That x^0 is constant holds at 0, too.
    slope = tf.math.multiply_no_nan(tf.pow(base, exponent - 1.0), exponent)
    by_base = tf.math.multiply_no_nan(slope, dy[0])
    log = tf.math.log(tf.where(_has_log(base), base + tf.zeros_like(y[0]), tf.ones_like(y[0])))
    return [summed_to(by_base, x[0]), summed_to(dy[0] * _conj(y[0]) * log, x[1])]


@rule("add")
def _add(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [summed_to(dy[0], v) for v in x]


@rule("identity")
def _identity(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [dy[0]]


@rule(
    "floor", "ceil", "round", "sign", "zeros_like", "ones_like", "stop_gradient", "floordiv", "argmax",
    "argmin", "shape", "truncatediv",
)  # fmt: skip
def _none(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.zeros_like(v) for v in x]


@rule("cast")
def _cast(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.cast(dy[0], x[0].dtype)]


@rule("abs")
def _abs(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.cast(dy[0], x[0].dtype) * tf.sign(x[0])]


@rule("conj")
def _conjugate(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.math.conj(dy[0])]


@rule("real")
def _real(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.complex(dy[0], tf.zeros_like(dy[0]))]


@rule("imag")
def _imag(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.complex(tf.zeros_like(dy[0]), dy[0])]


@rule("complex")
def _complex(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [summed_to(tf.math.real(dy[0]), x[0]), summed_to(tf.math.imag(dy[0]), x[1])]


@rule("clip_by_value")
def _clip(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    v, low, high = x
    zero = tf.zeros_like(dy[0])
    below, above = v < low, v > high
    inside = tf.where(tf.logical_or(below, above), zero, dy[0])
    return [
        summed_to(inside, v),
        summed_to(tf.where(below, dy[0], zero), low),
        summed_to(tf.where(above, dy[0], zero), high),
    ]


@rule("betainc")
def _betainc(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    a, b, at = x
    beta = tf.math.lgamma(a) + tf.math.lgamma(b) - tf.math.lgamma(a + b)
    slope = tf.exp(tf.math.xlog1py(b - 1.0, -at) + tf.math.xlogy(a - 1.0, at) - beta)
    return [None, None, summed_to(dy[0] * slope, at)]


@rule("igamma_grad_a")
def _igamma_grad_a(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    a, at = x
    slope = tf.math.log(at) - tf.math.digamma(a)
    found = tf.math.multiply_no_nan(slope, dy[0] * _gamma_density(a, at))
    return [None, summed_to(found, at)]


@rule("zeta")
def _zeta(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    power, q = x
    return [None, summed_to(-dy[0] * power * tf.math.zeta(power + 1.0, q), q)]


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
