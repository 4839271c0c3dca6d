"""Operations of the engine that TensorFlow does not have, as simpler ones.

Each function takes the tensors and then the attributes of its operation, and computes the same results
by operations that TensorFlow has. It is traced, and its nodes are exported.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework import func_graph

Tensor = _core.Tensor

LOWERED: dict[str, Callable[..., Any]] = {}


def _lowers(function: Callable[..., Any]) -> Callable[..., Any]:
    LOWERED[function.__name__] = function
    return function


def traced(op: str, specs: Sequence[Any], attrs: dict[str, Any]) -> Any:
    """The graph of an operation by simpler ones, for inputs of these specs."""
    function = LOWERED[op]
    return func_graph.trace(lambda *inputs: function(*inputs, **attrs), tuple(specs), name=op)


def _rows(x: Tensor, row: Tensor, axis: int) -> Tensor:
    """A vector of numbers for the channels of x, in a shape that broadcasts to that of x."""
    rank = x.shape.rank
    if rank is None or axis % rank == rank - 1:
        return row
    return tf.reshape(row, [-1] + [1] * (rank - 1 - axis % rank))


@_lowers
def batch_norm_inference(
    x: Tensor,
    scale: Tensor,
    offset: Tensor,
    mean: Tensor,
    variance: Tensor,
    epsilon: float,
    axis: int,
) -> Tensor:
    factor = tf.math.rsqrt(variance + epsilon) * scale
    shift = offset - mean * factor
    factor, shift = (tf.cast(part, x.dtype) for part in (factor, shift))
    return x * _rows(x, factor, axis) + _rows(x, shift, axis)


@_lowers
def batch_norm(
    x: Tensor, scale: Tensor, offset: Tensor, epsilon: float, axis: int
) -> tuple[Tensor, ...]:
    wide = tf.cast(x, scale.dtype)
    axes = [k for k in range(len(x.shape)) if k != axis % len(x.shape)]
    mean = tf.reduce_mean(wide, axes)
    centred = wide - _rows(x, mean, axis)
    variance = tf.reduce_mean(tf.square(centred), axes)
    inverse = tf.math.rsqrt(variance + epsilon)
    y = centred * _rows(x, inverse * scale, axis) + _rows(x, offset, axis)
    return tf.cast(y, x.dtype), mean, variance, inverse


@_lowers
def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, epsilon: float) -> tuple[Tensor, ...]:
    wide = tf.cast(x, gamma.dtype)
    axes = list(range(-len(gamma.shape), 0))
    mean = tf.reduce_mean(wide, axes, keepdims=True)
    centred = wide - mean
    inverse = tf.math.rsqrt(tf.reduce_mean(tf.square(centred), axes, keepdims=True) + epsilon)
    y = tf.cast(centred * inverse * gamma + beta, x.dtype)
    return y, tf.squeeze(mean, axes), tf.squeeze(inverse, axes)


@_lowers
def gelu(x: Tensor, approximate: bool) -> Tensor:
    if approximate:
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
        return 0.5 * x * (1.0 + tf.tanh(inner))
    return 0.5 * x * (1.0 + tf.math.erf(x / math.sqrt(2.0)))


@_lowers
def sigmoid_cross_entropy(labels: Tensor, logits: Tensor) -> Tensor:
    return tf.nn.relu(logits) - logits * labels + tf.math.log1p(tf.exp(-tf.abs(logits)))


@_lowers
def softmax_grad(dy: Tensor, y: Tensor) -> Tensor:
    return (dy - tf.reduce_sum(dy * y, -1, keepdims=True)) * y


@_lowers
def log_softmax_grad(dy: Tensor, y: Tensor) -> Tensor:
    return dy - tf.exp(y) * tf.reduce_sum(dy, -1, keepdims=True)


def _ordered(values: Tensor, axis: int, descending: bool) -> tuple[Tensor, Tensor]:
    """The values along the last axis in order, and their places before."""
    rank = len(values.shape)
    axis %= rank
    perm = [*(k for k in range(rank) if k != axis), axis]
    keys = values if axis == rank - 1 else tf.transpose(values, perm)
    if not descending:
        unsigned = values.dtype.is_integer and values.dtype.min == 0
        keys = (
            values.dtype.max - keys if unsigned else -1 - keys if values.dtype.is_integer else -keys
        )
    found, places = tf.math.top_k(keys, tf.shape(keys)[-1])
    if not descending:
        unsigned = values.dtype.is_integer and values.dtype.min == 0
        found = (
            values.dtype.max - found
            if unsigned
            else -1 - found
            if values.dtype.is_integer
            else -found
        )
    if axis == rank - 1:
        return found, places
    back = [perm.index(k) for k in range(rank)]
    return tf.transpose(found, back), tf.transpose(places, back)


@_lowers
def sort(values: Tensor, axis: int, direction: str) -> Tensor:
    return _ordered(values, axis, direction == "DESCENDING")[0]


@_lowers
def argsort(values: Tensor, axis: int, direction: str) -> Tensor:
    return _ordered(values, axis, direction == "DESCENDING")[1]


@_lowers
def resample(
    images: Tensor, row_places: Tensor, row_weights: Tensor, column_places: Tensor,
    column_weights: Tensor,
) -> Tensor:  # fmt: skip
    rows = tf.cast(images, row_weights.dtype)
    rows = tf.gather(rows, _taps(row_places, row_weights), axis=1)
    rows = tf.reduce_sum(rows * row_weights[None, :, :, None, None], 2)
    columns = tf.gather(rows, _taps(column_places, column_weights), axis=2)
    weights = tf.cast(column_weights, columns.dtype)
    return tf.reduce_sum(columns * weights[None, None, :, :, None], 3)


def _taps(places: Tensor, weights: Tensor) -> Tensor:
    """The places that each row of weights is for: they follow each other."""
    return places[:, None] + tf.range(tf.shape(weights)[1])


@_lowers
def gather_grad(
    dy: Tensor, indices: Tensor, shape: list[int], axis: int, batch_dims: int
) -> Tensor:
    if batch_dims or axis % len(shape):
        raise ValueError("gathered along another axis")
    flat = tf.reshape(dy, [-1, *shape[1:]])
    return tf.math.unsorted_segment_sum(flat, tf.reshape(indices, [-1]), shape[0])


_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "tanh": lambda x: tf.tanh(x),
    "relu": lambda x: tf.nn.relu(x),
    "linear": lambda x: x,
    "sigmoid": lambda x: tf.sigmoid(x),
    "hard_sigmoid": lambda x: tf.clip_by_value(0.2 * x + 0.5, 0.0, 1.0),
}


def _steps(
    projection: Tensor,
    states: Sequence[Tensor],
    mask: Tensor | None,
    step: Callable[..., list[Tensor]],
    kept: int,
) -> tuple[list[Tensor], list[Tensor]]:
    """Runs a recurrent step over the first axis: what it keeps of all steps, and the last states.

    Args:
        projection: the inputs.
        states: the states before.
        mask: which steps are to be skipped, if any.
        step: gives the new states, and what else is kept, of an input and the states.
        kept: how many of a step's results are kept of all steps.
    """
    count = tf.shape(projection)[0]
    dtype = projection.dtype
    arrays = [tf.TensorArray(dtype, count) for _ in range(kept)]

    def body(i: Any, arrays: Any, states: Any) -> Any:
        results = step(projection[i], *states)
        if mask is not None:
            keep = tf.expand_dims(mask[i], -1)
            new = [
                tf.where(keep, result, state)
                for result, state in zip(results, states, strict=False)
            ]
            results = [*new, *results[len(states) :]]
        arrays = [array.write(i, result) for array, result in zip(arrays, results, strict=False)]
        return i + 1, arrays, list(results[: len(states)])

    loop = tf.while_loop(lambda i, *_: i < count, body, [tf.constant(0), arrays, list(states)])
    return [array.stack() for array in loop[1]], loop[2]


@_lowers
def lstm(
    projection: Tensor, h: Tensor, c: Tensor, kernel: Tensor, mask: Tensor | None = None,
    *, activation: str, recurrent_activation: str,
) -> tuple[Tensor, ...]:  # fmt: skip
    act, gate = _ACTIVATIONS[activation], _ACTIVATIONS[recurrent_activation]

    def step(x: Tensor, h: Tensor, c: Tensor) -> list[Tensor]:
        i, f, g, o = tf.split(x + tf.matmul(h, kernel), 4, axis=-1)
        i, f, g, o = gate(i), gate(f), act(g), gate(o)
        c = f * c + i * g
        return [o * act(c), c, tf.concat([i, f, g, o], -1)]

    (hs, cs, gates), (h, c) = _steps(projection, [h, c], mask, step, 3)
    return hs, h, c, cs, gates


@_lowers
def simple_rnn(
    projection: Tensor, h: Tensor, kernel: Tensor, mask: Tensor | None = None, *, activation: str
) -> tuple[Tensor, ...]:
    act = _ACTIVATIONS[activation]
    (hs,), (h,) = _steps(projection, [h], mask, lambda x, h: [act(x + tf.matmul(h, kernel))], 1)
    return hs, h


@_lowers
def gru(
    projection: Tensor, h: Tensor, kernel: Tensor, bias: Tensor, mask: Tensor | None = None,
    *, activation: str, recurrent_activation: str,
) -> tuple[Tensor, ...]:  # fmt: skip
    act, gate = _ACTIVATIONS[activation], _ACTIVATIONS[recurrent_activation]

    def step(x: Tensor, h: Tensor) -> list[Tensor]:
        xz, xr, xh = tf.split(x, 3, axis=-1)
        hz, hr, hh = tf.split(tf.matmul(h, kernel) + bias, 3, axis=-1)
        z, r = gate(xz + hz), gate(xr + hr)
        candidate = act(xh + r * hh)
        return [z * h + (1.0 - z) * candidate, tf.concat([z, r, candidate, hh], -1)]

    (hs, gates), (h,) = _steps(projection, [h], mask, step, 2)
    return hs, h, gates
