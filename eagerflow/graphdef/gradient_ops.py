"""TensorFlow's operations that are gradients of others; `rules.txt` names them.

Most call a tape on the operation that they differentiate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework.sizes import as_column
from eagerflow.graphdef import composed
from eagerflow.ops.reduction import least

_ops = _core.ops
Tensor = _core.Tensor


def pulled(function: Callable[..., Tensor], x: Sequence[Tensor], dy: Tensor) -> list[Tensor]:
    """The gradients by the arguments of a function, weighted by `dy`."""
    arguments = [_ops.identity(value) for value in x]
    with tf.GradientTape() as tape:
        tape.watch(arguments)
        y = function(*arguments)
    return tape.gradient(y, arguments, dy, tf.UnconnectedGradients.ZERO)


# Convolutions and pools.


def conv3d(x: Tensor, filters: Tensor, dy: Tensor, which: int, attrs: Sequence[Any]) -> Tensor:
    """The gradient of `Conv3D` with respect to its input (0) or filter (1); sizes may replace them."""
    whole = [value if _is_whole(value) else tf.zeros(value, dy.dtype) for value in (x, filters)]
    return pulled(lambda a, b: tf.nn.conv3d(a, b, *attrs), whole, dy)[which]


def _is_whole(value: Tensor) -> bool:
    return value.shape.rank != 1


def avg_pool3d(shape: Tensor, dy: Tensor, *attrs: Any) -> Tensor:
    """`AvgPool3DGrad`."""
    return pulled(lambda x: tf.nn.avg_pool3d(x, *attrs), [tf.zeros(shape, dy.dtype)], dy)[0]


def max_pool3d(x: Tensor, dy: Tensor, *attrs: Any) -> Tensor:
    """`MaxPool3DGrad`."""
    return pulled(lambda x: tf.nn.max_pool3d(x, *attrs), [x], dy)[0]


def max_pool3d_again(x: Tensor, y: Tensor, dy: Tensor, *attrs: object) -> Tensor:
    """`MaxPool3DGradGrad`, which is the gradient of a function that is linear in its weights."""
    return pulled(lambda weights: max_pool3d(x, weights, *attrs), [tf.zeros_like(y)], dy)[0]


def windows(tensor: Tensor) -> list[int]:
    """The sizes of windows, which have to be known."""
    value = tf.get_static_value(tensor)
    if value is None:
        raise ValueError("the sizes of windows must be constants")
    return value.tolist()


def _flat_places(places: Tensor, like: Tensor, includes_batch: bool) -> Tensor:
    """Where the largest elements are in the flat batch."""
    places = tf.cast(places, tf.int64)
    if includes_batch:
        return places
    sizes = tf.shape(like, tf.int64)
    begin = tf.range(sizes[0]) * tf.reduce_prod(sizes[1:])
    return places + tf.reshape(begin, [-1, 1, 1, 1])


def max_pool_at(x: Tensor, dy: Tensor, places: Tensor, includes_batch: bool) -> Tensor:
    """`MaxPoolGradWithArgmax`."""
    at = tf.reshape(_flat_places(places, x, includes_batch), [-1])
    total = tf.math.unsorted_segment_sum(tf.reshape(dy, [-1]), at, tf.size(x))
    return tf.reshape(total, tf.shape(x))


def max_pool_at_again(x: Tensor, dy: Tensor, places: Tensor, includes_batch: bool) -> Tensor:
    """`MaxPoolGradGradWithArgmax`."""
    return tf.gather(tf.reshape(dy, [-1]), _flat_places(places, x, includes_batch))


def dilation(x: Tensor, filters: Tensor, dy: Tensor, which: int, *attrs: Any) -> Tensor:
    """The gradient of `Dilation2D` by its input (0) or filter (1)."""
    strides, rates, padding = attrs

    def forward(a: Tensor, b: Tensor) -> Tensor:
        return tf.nn.dilation2d(a, b, strides, padding, "NHWC", rates)

    return pulled(forward, [x, filters], dy)[which]


def fractional_avg_pool(
    shape: Tensor, dy: Tensor, rows: Tensor, columns: Tensor, overlapping: bool
) -> Tensor:
    """`FractionalAvgPoolGrad`."""
    sizes = tf.cast(shape, tf.int64)
    along = [_regions(ends, sizes[k + 1], overlapping) for k, ends in enumerate((rows, columns))]
    shares = [
        tf.cast(inside, dy.dtype) / tf.cast(tf.reduce_sum(tf.cast(inside, tf.int32), 1)[:, None], dy.dtype)
        for inside in along
    ]  # fmt: skip
    return tf.einsum("brcd,ry,cx->byxd", dy, *shares)


def fractional_max_pool(
    x: Tensor, y: Tensor, dy: Tensor, rows: Tensor, columns: Tensor, overlapping: bool
) -> Tensor:
    """`FractionalMaxPoolGrad`: a result's gradient goes to the first largest element of its region."""
    sizes = tf.shape(x, tf.int64)
    r, c = (_regions(ends, sizes[k + 1], overlapping) for k, ends in enumerate((rows, columns)))
    # [batch, row of the result, column of the result, row, column, channel]
    inside = tf.logical_and(r[:, None, :, None], c[None, :, None, :])[None, ..., None]
    values = tf.where(inside, x[:, None, None], least(x.dtype))
    count = tf.shape(y)
    flat = tf.reshape(values, [count[0], count[1], count[2], -1, count[3]])
    chosen = tf.one_hot(tf.argmax(flat, axis=3), tf.shape(flat)[3], axis=3, dtype=dy.dtype)
    total = tf.reduce_sum(chosen * dy[:, :, :, None], [1, 2])
    return tf.reshape(total, tf.shape(x))


def _regions(ends: Tensor, size: Tensor, overlapping: bool) -> Tensor:
    """Which elements along an axis are in each region `[region, element]`."""
    places = tf.range(tf.cast(size, tf.int64))[None]
    begin, end = ends[:-1, None], ends[1:, None]
    after = places <= end if overlapping else places < end
    return tf.logical_and(places >= begin, after)


# Normalisation.


def batch_norm(
    dy: Tensor,
    x: Tensor,
    scale: Tensor,
    mean: Tensor,
    variance: Tensor,
    epsilon: float,
    layout: str,
    training: bool,
) -> tuple[Tensor, ...]:
    """`FusedBatchNormGradV3`: by the input, the scale and the offset, and two empty tensors."""
    dtype = x.dtype
    rank = x.shape.rank or 4
    channels = 1 if layout.startswith("NC") else rank - 1
    axes = [axis for axis in range(rank) if axis != channels]
    shape = [-1 if axis == channels else 1 for axis in range(rank)]
    weights, values = tf.cast(dy, scale.dtype), tf.cast(x, scale.dtype)
    centred = values - tf.reshape(mean, shape)
    inverse = tf.math.rsqrt(variance + epsilon)
    by_offset = tf.reduce_sum(weights, axes)
    by_scale = tf.reduce_sum(weights * centred, axes) * inverse
    factor = tf.reshape(scale * inverse, shape)
    if training:
        across = tf.reduce_mean(weights * centred, axes, keepdims=True)
        weights = weights - tf.reduce_mean(weights, axes, keepdims=True)
        weights -= centred * tf.reshape(tf.square(inverse), shape) * across
    nothing = _ops.zeros([0], scale.dtype)
    return tf.cast(weights * factor, dtype), by_scale, by_offset, nothing, nothing


def local_response(dy: Tensor, x: Tensor, *attrs: Any) -> Tensor:
    """`LRNGrad`."""
    return pulled(lambda x: tf.nn.local_response_normalization(x, *attrs), [x], dy)[0]


# Images.


def resized(how: Callable[..., Tensor], dy: Tensor, images: Tensor, *options: bool) -> Tensor:
    """The gradient of a resizing of images `[batch, rows, columns, channels]`.

    Args:
        how: the function of version 1 that resizes.
        dy: the gradient of its result.
        images: the input of the operation; only its shape and dtype are used.
        *options: whether corners are aligned, and whether pixels have their centres at halves.
    """
    align, half = options
    zeros = tf.zeros_like(images, dy.dtype)

    def forward(x: Tensor) -> Tensor:
        return how(x, tf.shape(dy)[1:3], align, half_pixel_centers=half)

    return tf.cast(pulled(forward, [zeros], dy)[0], images.dtype)


def resized_nearest(dy: Tensor, size: Tensor, align: bool, half: bool) -> Tensor:
    """`ResizeNearestNeighborGrad`."""
    sizes = tf.shape(dy)
    zeros = tf.zeros(tf.concat([sizes[:1], size, sizes[3:]], 0), dy.dtype)
    return pulled(lambda x: composed.resize_nearest(x, sizes[1:3], align, half), [zeros], dy)[0]


def scaled(dy: Tensor, images: Tensor, *attrs: Any) -> Tensor:
    """`ScaleAndTranslateGrad`."""
    return pulled(lambda x: composed.scaled(x, tf.shape(dy)[1:3], *attrs), [images], dy)[0]


# Linear algebra.


def cholesky(factor: Tensor, dy: Tensor) -> Tensor:
    """`CholeskyGrad`."""
    return _core.ops.cholesky_factor_grad(factor, dy)


def tile(dy: Tensor, multiples: Tensor) -> Tensor:
    """`TileGrad`."""
    sizes = tf.shape(dy) // multiples
    parts = tf.reshape(dy, tf.reshape(tf.stack([multiples, sizes], 1), [-1]))
    return tf.reduce_sum(parts, tf.range(0, 2 * tf.size(multiples), 2))


# Sparse tensors.


def segment(dy: Tensor, indices: Tensor, ids: Tensor, count: Tensor, how: str) -> Tensor:
    """`SparseSegmentSumGrad`, `SparseSegmentMeanGrad` and `SparseSegmentSqrtNGrad`."""
    if how != "sum":
        ones = tf.ones(tf.shape(ids), dy.dtype)
        sizes = tf.math.unsorted_segment_sum(ones, ids, tf.shape(dy)[0])
        sizes = tf.maximum(sizes, tf.ones([], dy.dtype))
        divisor = sizes if how == "mean" else tf.sqrt(sizes)
        dy = dy / as_column(divisor, dy)
    return tf.math.unsorted_segment_sum(tf.gather(dy, ids), indices, count)


def segment_rows(
    dy: Tensor, indices: Tensor, ids: Tensor, count: Tensor, how: str
) -> tuple[Tensor, Tensor]:
    """The same as version 2 has it: the rows that get something, and which these are."""
    rows = tf.sort(tf.unique(indices)[0])
    at = tf.searchsorted(rows, indices)
    return segment(dy, at, ids, tf.size(rows), how), rows


def filled_rows(places: Tensor, dy: Tensor) -> tuple[Tensor, Tensor]:
    """`SparseFillEmptyRowsGrad`: with respect to the values, and to the default value."""
    by_values = tf.gather(dy, places)
    count = tf.size(dy)
    visits = tf.math.unsorted_segment_sum(tf.ones_like(places), places, count)
    return by_values, tf.reduce_sum(tf.where(visits > 0, tf.zeros_like(dy), dy))


def at_indices(dy: Tensor, given: Tensor, found: Tensor) -> Tensor:
    """For each index in `given` the value of `dy` at that index in `found`, or 0 if it is missing."""
    limits = tf.reduce_max(tf.concat([given, found, tf.zeros_like(given[:1])], 0), 0) + 1
    steps = tf.math.cumprod(limits, exclusive=True, reverse=True)
    outside = tf.reduce_any(given < 0, 1)
    keys = tf.where(outside, tf.cast(-1, given.dtype), tf.reduce_sum(given * steps, 1))
    there = tf.reduce_sum(found * steps, 1)
    order = tf.argsort(there)
    there = tf.gather(there, order)
    at = tf.minimum(tf.searchsorted(there, keys), tf.maximum(tf.size(there) - 1, 0))
    padded = tf.concat([tf.gather(dy, order), tf.zeros([1], dy.dtype)], 0)
    padded_keys = tf.concat([there, [tf.cast(-2, there.dtype)]], 0)
    same = tf.equal(tf.gather(padded_keys, at), keys)
    return tf.where(same, tf.gather(padded, at), tf.zeros([], dy.dtype))


# Quantization.


def quantized(dy: Tensor, x: Tensor, low: Tensor, high: Tensor, axis: int) -> list[Tensor]:
    """`QuantizeAndDequantizeV4Grad`, which is 0 for the limits, as TensorFlow has it."""
    least, most = low, high
    if axis >= 0:
        shape = [-1 if k == axis else 1 for k in range(x.shape.rank or 1)]
        least, most = tf.reshape(low, shape), tf.reshape(high, shape)
    inside = tf.logical_and(x >= least, x <= most)
    return [tf.where(inside, dy, tf.zeros_like(dy)), tf.zeros_like(low), tf.zeros_like(high)]
