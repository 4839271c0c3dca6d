"""Operations of the engine that TensorFlow does not have, as simpler ones.

Each function takes the tensors and then the attributes of its operation, and computes the same results
by operations that TensorFlow has. It is traced, and its nodes are exported.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework import func_graph

Tensor = _core.Tensor

# Those of the kernel, which rounds two of them to float32 for all dtypes, as TensorFlow does.
_GELU_INVERSE_WIDTH, _GELU_CUBIC = float(np.float32(0.5**0.5)), float(np.float32(0.044715))
_GELU_RATE = math.sqrt(2.0 / math.pi)

LOWERED: dict[str, Callable[..., Any]] = {}


def _lowers(function: Callable[..., Any]) -> Callable[..., Any]:
    LOWERED[function.__name__] = function
    return function


def traced(op: str, specs: Sequence[Any], attrs: dict[str, Any], late: Sequence[str] = ()) -> Any:
    """The graph of an operation by simpler ones, for inputs of these specs.

    The last inputs are tensors for the attributes `late`.
    """
    count = len(specs) - len(late)

    def run(*inputs: Tensor) -> Any:
        return LOWERED[op](*inputs[:count], **dict(zip(late, inputs[count:], strict=True)), **attrs)

    return func_graph.trace(run, tuple(specs), name=op)


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
        inner = _GELU_RATE * (x + _GELU_CUBIC * x * x * x)
        return 0.5 * x * (1.0 + tf.tanh(inner))
    return 0.5 * x * (1.0 + tf.math.erf(x * _GELU_INVERSE_WIDTH))


@_lowers
def sigmoid_cross_entropy(labels: Tensor, logits: Tensor) -> Tensor:
    return tf.nn.relu(logits) - logits * labels + tf.math.log1p(tf.exp(-tf.abs(logits)))


@_lowers
def softmax_grad(dy: Tensor, y: Tensor) -> Tensor:
    return (dy - tf.reduce_sum(dy * y, -1, keepdims=True)) * y


@_lowers
def log_softmax_grad(dy: Tensor, y: Tensor) -> Tensor:
    return dy - tf.exp(y) * tf.reduce_sum(dy, -1, keepdims=True)


@_lowers
def linear_scan(
    coefficients: Tensor, terms: Tensor, axis: int, reverse: bool, previous: bool
) -> Tensor:
    # A system with two diagonals: h[k] - c[k] h[k - 1] = terms[k].
    rank = len(terms.shape)
    axis %= rank
    order = [*(k for k in range(rank) if k != axis), axis]
    wide = tf.float32 if terms.dtype.size == 2 else terms.dtype
    c, b = (tf.cast(tf.transpose(x, order), wide) for x in (coefficients, terms))
    ones, none = tf.ones_like(c), tf.zeros_like(c)
    if previous:  # c[k] belongs to the equation of the next element
        shifted = c[..., 1:] if reverse else c[..., :-1]
        pads = [[0, 0]] * (rank - 1) + [[0, 1] if reverse else [1, 0]]
        c = tf.pad(shifted, pads)[..., : tf.shape(b)[-1]]
    bands = [-c, ones, none] if reverse else [none, ones, -c]
    h = tf.linalg.tridiagonal_solve(
        tf.stack(bands, -2), b[..., None], diagonals_format="compact", partial_pivoting=False
    )
    back = [order.index(k) for k in range(rank)]
    return tf.cast(tf.transpose(h[..., 0], back), terms.dtype)


def _range_of(dtype: Any) -> tuple[float, float]:
    """The least and the largest sums of squares that lost no digits."""
    kind = tf.float64 if dtype == tf.float64 else tf.float32
    information = np.finfo(kind.as_numpy_dtype)
    return float(information.tiny / information.eps), float(information.max)


@_lowers
def hypot(x: Tensor, y: Tensor) -> Tensor:
    least, most = _range_of(x.dtype)
    wide = tf.float32 if x.dtype.size == 2 else x.dtype
    a, b = (tf.abs(tf.cast(side, wide)) for side in (x, y))
    total = a * a + b * b
    large, small = tf.maximum(a, b), tf.minimum(a, b)
    scaled = large * tf.sqrt(1.0 + tf.square(tf.math.divide_no_nan(small, large)))
    plain = tf.logical_and(total >= least, total <= most)
    length = tf.where(plain, tf.sqrt(tf.where(plain, total, tf.ones_like(total))), scaled)
    infinite = tf.logical_or(tf.math.is_inf(a), tf.math.is_inf(b))
    return tf.cast(tf.where(infinite, tf.maximum(a, b), length), x.dtype)


@_lowers
def scaled_norm(
    total: Tensor, *tensors: Tensor, axis: Any, keepdims: bool, mean: bool
) -> tuple[Tensor, ...]:
    dtype = tensors[0].dtype
    least, most = _range_of(total.dtype)
    wide = [tf.cast(x, total.dtype) for x in tensors]
    sizes = [tf.reduce_max(tf.abs(x), axis, keepdims=True) for x in wide]
    largest = sizes[0]
    for size in sizes[1:]:
        largest = tf.maximum(largest, tf.reshape(size, tf.shape(largest)))
    exact = tf.reshape(tf.logical_and(total >= least, total <= most), tf.shape(largest))
    root = tf.sqrt(tf.reshape(total, tf.shape(largest)))
    size = tf.where(exact, root, largest)
    half = dtype == tf.float16
    plain = (
        tf.logical_and(exact, tf.logical_and(root >= 2.0**-10, root <= 2.0**10)) if half else exact
    )
    limit = 14.0 if half else 1022.0 if dtype == tf.float64 else 126.0
    can = tf.logical_and(tf.math.is_finite(size), size > 0.0)
    chosen = tf.where(tf.logical_or(plain, tf.logical_not(can)), tf.ones_like(size), size)
    exponent = tf.clip_by_value(tf.floor(tf.math.log(chosen) / math.log(2.0)), -limit, limit)
    inverse = tf.pow(tf.constant(2.0, total.dtype), -exponent)
    reduce = tf.reduce_mean if mean else tf.reduce_sum
    again = [reduce(tf.square(x * tf.reshape(inverse, tf.shape(s))), axis, keepdims=True)
             for x, s in zip(wide, sizes, strict=True)]  # fmt: skip
    squares = again[0]
    for more in again[1:]:
        squares = squares + tf.reshape(more, tf.shape(squares))
    length = tf.where(exact, root * inverse, tf.sqrt(squares))
    found = (length / inverse, length, inverse)
    return tuple(tf.reshape(tf.cast(part, dtype), tf.shape(total)) for part in found)


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
    # Pixels of weight 0 do not count, whatever they are.
    rows = tf.math.multiply_no_nan(rows, row_weights[None, :, :, None, None])
    rows = tf.reduce_sum(rows, 2)
    columns = tf.gather(rows, _taps(column_places, column_weights), axis=2)
    weights = tf.cast(column_weights, columns.dtype)
    columns = tf.math.multiply_no_nan(columns, weights[None, None, :, :, None])
    return tf.reduce_sum(columns, 3)


def _taps(places: Tensor, weights: Tensor) -> Tensor:
    """The places that each row of weights is for: they follow each other."""
    return places[:, None] + tf.range(tf.shape(weights)[1])


def gathered_back(
    dy: Tensor, indices: Tensor, sizes: Sequence[Any], axis: int, batch_dims: int
) -> Tensor:
    """The gradient of what was gathered.

    Args:
        dy: the gradient of the result.
        indices: what was taken.
        sizes: those of the axes of what it was taken from, each a number or a tensor.
        axis: along which axis.
        batch_dims: how many leading axes indices have in common with it.
    """
    rank, places = len(sizes), len(indices.shape)
    axis, batch_dims = axis % rank, batch_dims % (places + 1)
    inner = places - batch_dims
    # The axes of the indices come first, but for the batch.
    order = [*range(batch_dims), *range(axis, axis + inner), *range(batch_dims, axis)]
    order += range(axis + inner, rank - 1 + inner)
    batch, before, after = sizes[:batch_dims], sizes[batch_dims:axis], sizes[axis + 1 :]
    rows = tf.reshape(tf.transpose(dy, order), tf.stack([-1, *before, *after]))
    count = tf.reduce_prod(tf.stack([1, *batch]))
    ids = tf.reshape(indices, tf.stack([count, -1]))
    ids += tf.cast(tf.range(count) * sizes[axis], ids.dtype)[:, None]
    total = tf.math.unsorted_segment_sum(rows, tf.reshape(ids, [-1]), count * sizes[axis])
    whole = tf.reshape(total, tf.stack([*batch, sizes[axis], *before, *after]))
    back = [*range(batch_dims), *range(batch_dims + 1, axis + 1), batch_dims]
    return tf.transpose(whole, [*back, *range(axis + 1, rank)])


@_lowers
def gather_grad(
    dy: Tensor, indices: Tensor, shape: list[int] | Tensor, axis: int, batch_dims: int
) -> Tensor:
    if axis == batch_dims == -1:
        # Each row was taken from alone: the rows follow each other in one vector.
        rows = tf.reshape(indices, tf.stack([-1, tf.shape(indices)[-1]]))
        first = tf.range(tf.shape(rows)[0])[:, None] * shape[-1]
        ids = tf.reshape(rows + tf.cast(first, rows.dtype), [-1])
        total = tf.math.unsorted_segment_sum(tf.reshape(dy, [-1]), ids, tf.reduce_prod(shape))
        return tf.reshape(total, shape)
    sizes = tf.unstack(shape) if isinstance(shape, Tensor) else shape
    if not batch_dims and not axis % len(sizes):
        return tf.math.unsorted_segment_sum(dy, indices, sizes[0])
    return gathered_back(dy, indices, sizes, axis, batch_dims)


@_lowers
def gather_or_zero(params: Tensor, indices: Tensor) -> Tensor:
    rows = tf.gather(params, tf.maximum(indices, 0))
    ones = tf.ones([tf.rank(rows) - tf.rank(indices)], tf.int32)
    inside = tf.reshape(indices >= 0, tf.concat([tf.shape(indices), ones], 0))
    return tf.where(inside, rows, tf.zeros_like(rows))


def with_batch(indices: Tensor, batch_dims: int) -> Tensor:
    """Indices that begin with the indices along the batch axes."""
    if not batch_dims:
        return indices
    sizes = tf.shape(indices)
    rank = len(indices.shape)
    parts = []
    for k in range(batch_dims):
        places = tf.cast(tf.range(sizes[k]), indices.dtype)
        around = [-1 if axis == k else 1 for axis in range(rank)]
        parts.append(tf.broadcast_to(tf.reshape(places, around), tf.concat([sizes[:-1], [1]], 0)))
    return tf.concat([*parts, indices], -1)


@_lowers
def gather_nd(params: Tensor, indices: Tensor, batch_dims: int) -> Tensor:
    return tf.gather_nd(params, with_batch(indices, batch_dims))


@_lowers
def gather_nd_grad(
    dy: Tensor, indices: Tensor, shape: list[int] | Tensor, batch_dims: int
) -> Tensor:
    return tf.scatter_nd(with_batch(indices, batch_dims), dy, tf.cast(shape, indices.dtype))


@_lowers
def partition_order(partitions: Tensor, num_partitions: int) -> Tensor:
    flat = tf.reshape(partitions, [-1])
    rows = tf.dynamic_partition(tf.range(tf.size(flat, tf.int64)), flat, num_partitions)
    return tf.math.invert_permutation(tf.concat(rows, 0))


@_lowers
def sparse_dots(indices: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return tf.reduce_sum(tf.gather(a, indices[:, 0]) * tf.gather(b, indices[:, 1]), -1)


@_lowers
def imag(input: Tensor) -> Tensor:
    return tf.zeros_like(input)


@_lowers
def angle(input: Tensor) -> Tensor:
    zero = tf.zeros_like(input)
    return tf.where(input < 0, zero + tf.constant(math.pi, input.dtype), zero)


@_lowers
def linspace(start: Tensor, stop: Tensor, num: int, axis: int) -> Tensor:
    rank = len(start.shape)
    axis = axis % (rank + 1)
    if num == 1:
        return tf.expand_dims(start, axis)
    wide = tf.complex64 if start.dtype.is_complex else tf.float32
    wide = wide if start.dtype.size <= wide.size else start.dtype
    first, last = (tf.expand_dims(tf.cast(end, wide), axis) for end in (start, stop))
    around = [num if k == axis else 1 for k in range(rank + 1)]
    steps = tf.cast(tf.reshape(tf.range(num), around), wide)
    inside = first + (last - first) / tf.cast(num - 1, wide) * steps
    found = tf.where(tf.reshape(tf.range(num), around) == num - 1, last, inside)
    return tf.cast(found, start.dtype)


def _dilated(
    x: Tensor, kernel: Tensor, strides: list[int], padding: str, explicit: list[int] | None,
    dilations: list[int], data_format: str,
) -> Tensor:  # fmt: skip
    """A depthwise convolution with gaps: a plain one of every so many pixels, which form a batch."""
    first = data_format == "NCHW"
    if first:
        x = tf.transpose(x, [0, 2, 3, 1])
    gaps = dilations[2:] if first else dilations[1:3]
    steps = strides[2:] if first else strides[1:3]
    reach = [(kernel.shape[k] - 1) * gaps[k] for k in range(2)]
    pads = [[0, 0], [0, 0]]
    if padding == "SAME":
        pads = [[all_ // 2, all_ - all_ // 2] for all_ in reach]
    elif padding == "EXPLICIT":
        given = list(explicit or [])
        places = (4, 6) if first else (2, 4)
        pads = [given[k : k + 2] for k in places]
    x = tf.pad(x, [[0, 0], *pads, [0, 0]])
    sizes = tf.unstack(tf.shape(x)[1:3], 2)
    rest = [(-size) % gap for size, gap in zip(sizes, gaps, strict=True)]
    missing = tf.stack([tf.stack([0, more]) for more in rest])
    cells = tf.space_to_batch(x, gaps, missing)
    found = tf.nn.depthwise_conv2d(cells, kernel, [1, 1, 1, 1], "VALID")
    whole = tf.batch_to_space(found, gaps, missing)
    whole = whole[:, :: steps[0], :: steps[1]]
    return tf.transpose(whole, [0, 3, 1, 2]) if first else whole


@_lowers
def depthwise_conv2d(
    input: Tensor, filter: Tensor, strides: list[int], padding: str,
    explicit_paddings: list[int] | None, dilations: list[int], data_format: str,
) -> Tensor:  # fmt: skip
    return _dilated(input, filter, strides, padding, explicit_paddings, dilations, data_format)


@_lowers
def depthwise_conv2d_backprop_input(
    filter: Tensor, out_backprop: Tensor, input_sizes: list[int], *args: Any, **attrs: Any
) -> Tensor:
    x = tf.zeros(input_sizes, filter.dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = depthwise_conv2d(x, filter, *args, **attrs)
    return tape.gradient(y, x, out_backprop)


@_lowers
def depthwise_conv2d_backprop_filter(
    input: Tensor, out_backprop: Tensor, filter_sizes: list[int], *args: Any, **attrs: Any
) -> Tensor:
    kernel = tf.zeros(filter_sizes, input.dtype)
    with tf.GradientTape() as tape:
        tape.watch(kernel)
        y = depthwise_conv2d(input, kernel, *args, **attrs)
    return tape.gradient(y, kernel, out_backprop)


@_lowers
def gelu_grad(dy: Tensor, x: Tensor, approximate: bool) -> Tensor:
    if approximate:
        t = tf.tanh(_GELU_RATE * (x + _GELU_CUBIC * x * x * x))
        inner = _GELU_RATE * (1.0 + 3.0 * _GELU_CUBIC * x * x)
        return dy * 0.5 * (1.0 + t + x * (1.0 - t * t) * inner)
    z = x * _GELU_INVERSE_WIDTH
    density = tf.exp(-tf.square(z)) * (_GELU_INVERSE_WIDTH / math.sqrt(math.pi))
    return dy * (0.5 * (1.0 + tf.math.erf(z)) + x * density)


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


# Derivatives of functions of matrices.


@_lowers
def cholesky_factor_grad(factor: Tensor, dy: Tensor) -> Tensor:
    middle = tf.linalg.band_part(tf.matmul(factor, dy, adjoint_a=True), -1, 0)
    middle = middle - tf.linalg.band_part(middle, 0, 0) * 0.5
    half = tf.linalg.triangular_solve(factor, middle, adjoint=True)
    grad = tf.linalg.triangular_solve(factor, tf.linalg.adjoint(half), adjoint=True)
    return (grad + tf.linalg.adjoint(grad)) * 0.5


def _in_matrices(x: Tensor) -> Tensor:
    return x[..., None, None]


@_lowers
def cofactors(input: Tensor) -> Tensor:
    value = tf.linalg.det(input)

    def regular() -> Tensor:
        return _in_matrices(tf.math.conj(value)) * tf.linalg.inv(input, adjoint=True)

    def singular() -> Tensor:
        s, u, v = tf.linalg.svd(input)
        before = tf.math.cumprod(s, -1, exclusive=True)
        others = before * tf.math.cumprod(s, -1, exclusive=True, reverse=True)
        phase = tf.math.conj(tf.linalg.det(u)) * tf.linalg.det(v)
        products = tf.matmul(u * tf.cast(others, u.dtype)[..., None, :], v, adjoint_b=True)
        return _in_matrices(phase) * products

    return tf.cond(tf.reduce_any(tf.equal(value, 0)), singular, regular)


@_lowers
def cofactors_grad(input: Tensor, dy: Tensor) -> Tensor:
    """For regular matrices only."""
    inverse = tf.linalg.inv(input)
    value = _in_matrices(tf.linalg.det(input))
    turned = tf.matmul(inverse, dy)
    size = _in_matrices(tf.linalg.trace(turned))
    return tf.linalg.adjoint(value * (size * inverse - tf.matmul(turned, inverse)))
