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


# Shapes.


@rule("transpose")
def _transpose(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    perm = attrs["perm"]
    if perm is not None:
        perm = tf.math.invert_permutation(tf.convert_to_tensor(perm))
    return [tf.transpose(dy[0], perm, conjugate=attrs["conjugate"])]


@rule("concat")
def _concat(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    axis = attrs["axis"]
    return tf.split(dy[0], tf.stack([tf.shape(v)[axis] for v in x]), axis, len(x))


@rule("stack")
def _stack(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return tf.unstack(dy[0], len(x), attrs["axis"])


@rule("slice")
def _slice(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    before = tf.cast(tf.convert_to_tensor(attrs["begin"]), tf.int32)
    after = tf.shape(x[0]) - tf.shape(y[0]) - before
    return [raw_ops.Pad(input=dy[0], paddings=tf.stack([before, after], 1))]


@rule("bias_add_grad")
def _bias_add_grad(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    sizes = tf.shape(x[0])
    row = dy[0]
    if attrs["data_format"].startswith("NC"):
        row = tf.reshape(row, tf.concat([sizes[1:2], tf.ones_like(sizes[2:])], 0))
    return [tf.broadcast_to(row, sizes)]
