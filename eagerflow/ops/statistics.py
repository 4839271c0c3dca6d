"""NumPy's statistics: quantiles, what ignores NaN, modes, histograms and distinct elements."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import at_least, is_known
from eagerflow.ops.numpy_functions.reductions import nan_as
from eagerflow.ops.numpy_functions.rules import axes_of
from eagerflow.ops.numpy_functions.shapes import move_axis
from eagerflow.typing import Axes, TensorLike

_ops = _core.ops
Tensor = _core.Tensor

Mode = namedtuple("Mode", ["mode", "count"])

# The alpha and beta of the methods that interpolate. A share q of n sorted elements lies at the index
# `n * q + alpha + q * (1 - alpha - beta) - 1` (Hyndman and Fan, "Sample quantiles in statistical packages",
# The American Statistician 50, 1996).
_PLOTTING = {
    "averaged_inverted_cdf": (0.0, 1.0),
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "linear": (1.0, 1.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
_STEPS = ("lower", "higher", "midpoint", "nearest", "inverted_cdf", "closest_observation")


def _floating(x: TensorLike) -> Tensor:
    """The elements; integers and booleans become float64, as in NumPy."""
    x = _core.as_tensor(x)
    return x if x.dtype.is_floating else _ops.cast(x, dtypes.float64)


def _cast(value: Any, dtype: dtypes.DType) -> Tensor:
    """A value in a floating dtype. Python numbers, unlike by `tf.cast`, keep all their digits."""
    return _ops.cast(_core.convert(value, None, dtype), dtype)


@op_function
def quantile(
    x: TensorLike,
    q: TensorLike,
    axis: Axes | None = None,
    method: str = "linear",
    keepdims: bool = False,
) -> Tensor:
    """Quantiles: values below which a share of the elements lies.

    Args:
        x: real numbers; integers become float64.
        q: the share, from 0 to 1, or a tensor of them.
        axis: an axis or several; all by default.
        method: how to interpolate, as in NumPy: "linear", "lower", "higher", "midpoint", "nearest",
            "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf",
            "hazen", "weibull", "median_unbiased" or "normal_unbiased".
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        A tensor whose first axes are those of `q`, and whose others are those of `x` that are not reduced.
        It is NaN where an element is, or where there are none. The gradient reaches the elements between
        which the quantile lies.

    Raises:
        ValueError: for another method, or a share out of range.

    >>> tf.math.quantile([1.0, 2.0, 4.0], [0.0, 0.75]).numpy()
    array([1., 3.], dtype=float32)
    """
    return quantiles(_floating(x), q, axis, method, keepdims, without_nan=False)


@op_function
def nanquantile(
    x: TensorLike,
    q: TensorLike,
    axis: Axes | None = None,
    method: str = "linear",
    keepdims: bool = False,
) -> Tensor:
    """Quantiles of the elements that are not NaN, and NaN where there are none; see `tf.math.quantile`.

    >>> tf.math.nanquantile([1.0, float("nan"), 2.0], 0.25).numpy()
    np.float32(1.25)
    """
    return quantiles(_floating(x), q, axis, method, keepdims, without_nan=True)


@op_function
def percentile(
    x: TensorLike,
    q: TensorLike,
    axis: Axes | None = None,
    method: str = "linear",
    keepdims: bool = False,
) -> Tensor:
    """Percentiles: quantiles whose share `q` is from 0 to 100; see `tf.math.quantile`.

    >>> tf.math.percentile([[1.0, 2.0], [3.0, 7.0]], 50, axis=1).numpy()
    array([1.5, 5. ], dtype=float32)
    """
    return quantiles(_floating(x), _share(q), axis, method, keepdims, without_nan=False)


@op_function
def nanpercentile(
    x: TensorLike,
    q: TensorLike,
    axis: Axes | None = None,
    method: str = "linear",
    keepdims: bool = False,
) -> Tensor:
    """Percentiles of the elements that are not NaN; see `tf.math.nanquantile`.

    >>> tf.math.nanpercentile([1.0, float("nan"), 2.0], 100).numpy()
    np.float32(2.0)
    """
    return quantiles(_floating(x), _share(q), axis, method, keepdims, without_nan=True)


def _share(percent: TensorLike) -> Tensor:
    return _cast(percent, dtypes.float64) / 100.0


@op_function
def median(x: TensorLike, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Medians: the middle element, or the mean of the two in the middle; see `tf.math.quantile`.

    >>> tf.math.median([3.0, 1.0, 7.0]).numpy()
    np.float32(3.0)
    """
    return quantiles(_floating(x), 0.5, axis, "linear", keepdims, without_nan=False)


@op_function
def nanmedian(x: TensorLike, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Medians of the elements that are not NaN, and NaN where there are none.

    >>> tf.math.nanmedian([3.0, float("nan"), 1.0, 7.0]).numpy()
    np.float32(3.0)
    """
    return quantiles(_floating(x), 0.5, axis, "linear", keepdims, without_nan=True)


def quantiles(
    x: Tensor, q: TensorLike, axis: Any, method: str, keepdims: bool, *, without_nan: bool
) -> Tensor:
    """Quantiles of floating elements; see `tf.math.quantile`.

    Args:
        x: the elements.
        q: the shares.
        axis: an axis or several; all by default.
        method: how to interpolate.
        keepdims: whether reduced axes stay.
        without_nan: whether NaN is left out.
    """
    if method not in _PLOTTING and method not in _STEPS:
        raise ValueError(
            f"Invalid method. Received: method={method}. Available methods are {(*_PLOTTING, *_STEPS)}."
        )
    q = _cast(q, dtypes.float64)
    known = _core.static_value(q)
    if known is not None and not ((known.numpy() >= 0) & (known.numpy() <= 1)).all():
        raise ValueError(
            f"Shares must be from 0 to 1 (percentiles from 0 to 100), got {known.numpy()}."
        )
    if x.ndim is None and axis is None and not keepdims:
        x = _ops.reshape(x, [-1])
    rank = x.ndim
    axes = axes_of(axis, rank)
    kept = [k for k in range(rank) if k not in axes]
    shape = x._sizes()
    outer = [shape[k] for k in kept]
    count = math.prod(shape[k] for k in axes)
    x = _ops.reshape(_ops.transpose(x, [*kept, *axes]), [*outer, count])
    if not is_known(count) or count == 0:  # a NaN where there is nothing
        length = at_least(count, 1)
        nothing = _ops.fill(_core.convert(math.nan, x.dtype), [*outer, length - count])
        x = _ops.concat([x, nothing], -1)
        count = length
    missing = _ops.is_nan(x)
    last: Any = count - 1
    if without_nan:
        # Sorted to the end, from where no element is taken.
        x = _ops.select(missing, _ops.zeros_like(x) + math.inf, x)
        present = _ops.cast(_ops.logical_not(missing), dtypes.int32)
        last = _ops.reduce_sum(present, axis=-1, keepdims=True) - 1
        undefined = _ops.less(last, 0)
    else:
        undefined = _ops.reduce_any(missing, axis=-1, keepdims=True)
    x = _ops.sort(x)
    end = _ops.cast(_ops.maximum(last, 0), q.dtype)
    low, high, part = _between(_ops.reshape(q, [-1]), end, method)
    batch_dims = len(kept) if without_nan else 0
    below, above = (
        _ops.gather(x, _ops.cast(index, dtypes.int32), axis=-1, batch_dims=batch_dims)
        for index in (low, high)
    )
    difference = above - below
    # An infinite element is no distance from itself, nor from an equal one.
    infinite = _ops.logical_and(_ops.equal(below, above), _ops.is_inf(below))
    same = _ops.logical_or(_ops.equal(low, high), infinite)
    difference = _ops.select(same, _ops.zeros_like(difference), difference)
    result = below + difference * _ops.cast(part, x.dtype)
    result = _ops.select(undefined, _ops.zeros_like(result) + math.nan, result)
    result = move_axis(result, -1, 0)
    ends = [1 if k in axes else shape[k] for k in range(rank)] if keepdims else outer
    return _ops.reshape(result, [*q._sizes(), *ends])


def _between(q: Tensor, last: Tensor, method: str) -> tuple[Tensor, Tensor, Tensor]:
    """Two indices of sorted elements, and how far between them quantiles lie, from 0 to 1."""
    alpha, beta = _PLOTTING.get(method, (1.0, 1.0))
    position = (last + 1.0) * q + (alpha + q * (1.0 - alpha - beta)) - 1.0
    if alpha == beta == 1.0:
        position = q * last
    if method == "nearest":
        position = _ops.round(position)
    elif method == "inverted_cdf":
        position = _ops.ceil((last + 1.0) * q) - 1.0
    elif method == "closest_observation":  # halves go to the even one, counted from 1
        position = _ops.round((last + 1.0) * q) - 1.0
    first = _ops.floor(position)
    if method == "averaged_inverted_cdf":
        low, high = (_clamped(k, last) for k in (first, first + 1.0))
        whole = _ops.equal(first, position)
        return low, high, _ops.select(whole, 0.5 * _ops.ones_like(first), _ops.ones_like(first))
    position = _clamped(position, last)
    low, high = _ops.floor(position), _ops.ceil(position)
    if method == "lower":
        high = low
    elif method == "higher":
        low = high
    return low, high, 0.5 * (high - low) if method == "midpoint" else position - low


def _clamped(position: Tensor, last: Tensor) -> Tensor:
    return _ops.minimum(_ops.maximum(position, 0.0), last)


@op_function
def nansum(x: TensorLike, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Sums along axes, without NaN.

    >>> tf.math.nansum([1.0, float("nan"), 2.0]).numpy()
    np.float32(3.0)
    """
    return _ops.reduce_sum(nan_as(_core.as_tensor(x), 0.0), axis=axis, keepdims=keepdims)


@op_function
def nanmean(x: TensorLike, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Means along axes, without NaN; NaN where there are no others. Integers become float64.

    >>> tf.math.nanmean([1.0, float("nan"), 2.0]).numpy()
    np.float32(1.5)
    """
    x = _floating(x)
    count = _ops.reduce_sum(_ops.cast(_ops.equal(x, x), x.dtype), axis=axis, keepdims=keepdims)
    total = _ops.reduce_sum(nan_as(x, 0.0), axis=axis, keepdims=keepdims)
    return _ops.divide_real(total, count)


@op_function
def nanvar(
    x: TensorLike, axis: Axes | None = None, keepdims: bool = False, ddof: int = 0
) -> Tensor:
    """Variances along axes, without NaN. Integers become float64.

    Args:
        x: real numbers.
        axis: an axis or several; all by default.
        keepdims: whether reduced axes stay, with size 1.
        ddof: what is subtracted from the number of elements, by which the sum is divided.

    >>> tf.math.nanvar([1.0, float("nan"), 3.0]).numpy()
    np.float32(1.0)
    """
    x = _floating(x)
    count = _ops.reduce_sum(_ops.cast(_ops.equal(x, x), x.dtype), axis=axis, keepdims=keepdims)
    # NaN of infinite elements stays.
    distance = x - nanmean(x, axis, keepdims=True)
    distance = _ops.select(_ops.is_nan(x), _ops.zeros_like(distance), distance)
    squares = _ops.reduce_sum(_ops.square(distance), axis=axis, keepdims=keepdims)
    left = count - float(ddof)
    nothing = _ops.less_equal(left, 0)
    variance = _ops.divide_real(squares, _ops.select(nothing, _ops.ones_like(left), left))
    return _ops.select(nothing, _ops.zeros_like(variance) + math.nan, variance)


@op_function
def nanstd(
    x: TensorLike, axis: Axes | None = None, keepdims: bool = False, ddof: int = 0
) -> Tensor:
    """Standard deviations along axes, without NaN: roots of `tf.math.nanvar`.

    >>> tf.math.nanstd([1.0, float("nan"), 3.0]).numpy()
    np.float32(1.0)
    """
    return _ops.sqrt(nanvar(x, axis, keepdims, ddof))


@op_function
def nanmax(x: TensorLike, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """The largest elements along axes, without NaN; NaN where there are no others.

    >>> tf.math.nanmax([1.0, float("nan"), 2.0]).numpy()
    np.float32(2.0)
    """
    return _extreme(x, axis, keepdims, _ops.reduce_max, -math.inf)


@op_function
def nanmin(x: TensorLike, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """The smallest elements along axes, without NaN; NaN where there are no others.

    >>> tf.math.nanmin([1.0, float("nan"), 2.0]).numpy()
    np.float32(1.0)
    """
    return _extreme(x, axis, keepdims, _ops.reduce_min, math.inf)


def _extreme(
    x: TensorLike, axis: Axes | None, keepdims: bool, reduce: Callable[..., Tensor], neutral: float
) -> Tensor:
    x = _core.as_tensor(x)
    result = reduce(nan_as(x, neutral), axis=axis, keepdims=keepdims)
    if not x.dtype.is_floating:
        return result
    none = _ops.reduce_all(_ops.is_nan(x), axis=axis, keepdims=keepdims)
    return _ops.select(none, _ops.zeros_like(result) + math.nan, result)


@op_function
def mode(x: TensorLike, axis: int | None = None, keepdims: bool = False) -> Mode:
    """The elements that occur most often along an axis, and how often they do.

    Args:
        x: real numbers. Each NaN is unlike all others.
        axis: the axis; by default all elements are counted together.
        keepdims: whether the axis stays, with size 1.

    Returns:
        A pair `(mode, count)`: of equally frequent elements the smallest, and int64 counts.

    >>> found = tf.math.mode([3, 1, 3, 1, 2])
    >>> found.mode.numpy(), found.count.numpy()
    (np.int32(1), np.int64(2))
    """
    x = _core.as_tensor(x)
    rank = x.ndim
    rows = _ops.reshape(x, [-1]) if axis is None else move_axis(x, axis, -1)
    rows = _ops.sort(rows)
    shape = rows._sizes()
    rows = _ops.reshape(rows, [math.prod(shape[:-1]), shape[-1]])
    groups = _ops.cumsum(_ops.cast(_starts(rows, False), dtypes.int64), -1)
    number, length = rows._sizes()
    ids = groups + _ops.reshape(_ops.range(0, _ops.cast(number, dtypes.int64), 1), [-1, 1]) * (
        _ops.cast(length, dtypes.int64) + 1
    )
    flat = _ops.reshape(ids, [-1])
    total = _ops.cast(number, dtypes.int64) * (_ops.cast(length, dtypes.int64) + 1)
    counts = _ops.unsorted_segment_sum(_ops.ones_like(flat), flat, total)
    counts = _ops.gather(counts, ids, 0, 0)
    index = _ops.argmax(counts, axis=-1)
    value, count = (_ops.gather(part, index, 1, 1) for part in (rows, counts))
    ends: list[Any] = list(shape[:-1])
    if keepdims:
        ends = [1] * rank if axis is None else [*ends[: axis % rank], 1, *ends[axis % rank :]]
    return Mode(_ops.reshape(value, ends), _ops.reshape(count, ends))


def _starts(x: Tensor, equal_nan: bool) -> Tensor:
    """Where sorted elements differ from the one before them, along the last axis."""
    now, before = x[..., 1:], x[..., :-1]
    differ = _ops.not_equal(now, before)
    if equal_nan and x.dtype.is_floating:
        differ = _ops.logical_and(
            differ, _ops.logical_not(_ops.logical_and(_ops.is_nan(now), _ops.is_nan(before)))
        )
    return _ops.concat([_ops.ones_like(x[..., :1], dtypes.bool), differ], -1)


@op_function
def histogram(
    x: TensorLike,
    bins: Any = 10,
    range: tuple[Any, Any] | None = None,
    density: bool = False,
    weights: TensorLike | None = None,
) -> tuple[Tensor, Tensor]:
    """How many elements fall into each of several bins.

    Args:
        x: real numbers, of any shape. NaN falls into no bin.
        bins: the number of bins, all of one width; or their ascending edges, a vector.
        range: the lowest and the highest edge; by default the smallest and the largest element.
        density: whether the counts are divided by their sum and by the width of the bins.
        weights: numbers of the shape of `x`, which are added up in place of ones. Gradients reach them.

    Returns:
        The int64 counts `[bins]`, of the dtype of the weights if there are some, floating with `density`;
        and the edges `[bins + 1]`. A bin has its lower edge, the last one its upper edge, too.

    Raises:
        ValueError: if there are less than one bin, or `range` is not ascending.

    >>> counts, edges = tf.math.histogram([1.0, 2.0, 2.5, 5.0], bins=2)
    >>> counts.numpy(), edges.numpy()
    (array([3, 1]), array([1., 3., 5.], dtype=float32))
    """
    x = _ops.reshape(_floating(x), [-1])
    edges = bin_edges(x, bins, range)
    count = edges._sizes()[0] - 1
    place = _ops.searchsorted(edges, x, "right", dtypes.int64) - 1
    place = _ops.select(_ops.equal(x, edges[-1]), _ops.zeros_like(place) + count - 1, place)
    outside = _ops.logical_not(_ops.logical_and(x >= edges[0], x <= edges[-1]))
    place = _ops.select(outside, _ops.zeros_like(place) - 1, place)  # negative segments are dropped
    if weights is None:
        each = _ops.ones_like(place)
    else:
        each = _ops.reshape(_core.as_tensor(weights), [-1])
    counts = _ops.unsorted_segment_sum(each, place, count)
    if density:
        shares = _floating(counts) if weights is not None else _ops.cast(counts, x.dtype)
        widths = _ops.cast(edges[1:] - edges[:-1], shares.dtype)
        counts = shares / _ops.reduce_sum(shares) / widths
    return counts, edges


def bin_edges(x: Tensor, bins: Any, limits: Any) -> Tensor:
    """The edges of the bins of a histogram; see `tf.math.histogram`."""
    if np.ndim(bins) or getattr(bins, "ndim", 0):
        edges = _cast(bins, x.dtype)
        known = _core.static_value(edges)
        if known is not None and (np.diff(known.numpy()) < 0).any():
            raise ValueError(f"The edges in `bins` must ascend, got {bins}.")
        return edges
    if not isinstance(bins, Tensor) and int(bins) < 1:
        raise ValueError(f"`bins` must be positive, got {bins}.")
    if limits is None:
        low, high = _ops.reduce_min(x), _ops.reduce_max(x)
        if not x._size:  # if there is nothing, from 0 to 1
            empty = _ops.equal(x._sizes()[0], 0)
            low = _ops.select(empty, _ops.zeros_like(low), low)
            high = _ops.select(empty, _ops.ones_like(high), high)
    else:
        if not any(isinstance(limit, Tensor) for limit in limits) and limits[0] > limits[1]:
            raise ValueError(f"`range` must be ascending, got {limits}.")
        low, high = (_cast(limit, x.dtype) for limit in limits)
    half = _ops.select(
        _ops.equal(low, high), _core.convert(0.5, x.dtype), _core.convert(0.0, x.dtype)
    )
    return _ops.linspace(low - half, high + half, bins + 1)


@op_function
def unique(
    x: TensorLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> Any:
    """The distinct elements in ascending order; in contrast to `tf.unique` of any shape, or of slices.

    Args:
        x: real numbers or booleans. NaN is like NaN, but not in slices.
        return_index: whether to return where each occurs first, int64.
        return_inverse: whether to return which of them each element is: int64, of the shape of `x`, or along
            the axis a vector.
        return_counts: whether to return how often each occurs, int64.
        axis: the axis along which whole slices are compared; by default single elements are. The number of
            elements of a slice must be known.

    Returns:
        A vector, or with `axis` a tensor like `x` with as many slices as are distinct; if more is asked for,
        a tuple that begins with it. Gradients reach the first of equal elements.

    Raises:
        tf.errors.InvalidArgumentError: if the dtype has no order.

    >>> values, counts = tf.math.unique([[3, 1], [3, 2]], return_counts=True)
    >>> values.numpy(), counts.numpy()
    (array([1, 2, 3], dtype=int32), array([1, 1, 2]))
    >>> tf.math.unique([[3, 1], [0, 2], [3, 1]], axis=0).numpy().tolist()
    [[0, 2], [3, 1]]
    """
    x = _core.as_tensor(x)
    slices = _ops.reshape(x, [-1]) if axis is None else move_axis(x, axis, 0)
    keys = _ops.cast(slices, dtypes.uint8) if x.dtype.is_bool else slices
    count = keys._sizes()[0]
    if axis is None:
        order = _ops.argsort(keys, -1, "ASCENDING")
        starts = _starts(_ops.gather(keys, order, 0, 0), True)
    else:
        sizes = keys._sizes()
        order, starts = _sorted_rows(_ops.reshape(keys, [sizes[0], math.prod(sizes[1:])]))
    order = _ops.cast(order, dtypes.int64)
    first = _ops.squeeze(_ops.where_indices(starts), [1])
    index = _ops.gather(order, first, 0, 0)
    found = _ops.gather(slices, index, 0, 0)
    results = [found if axis is None else move_axis(found, 0, axis)]
    if return_index:
        results.append(index)
    if return_inverse:
        ids = _ops.cumsum(_ops.cast(starts, dtypes.int64)) - 1
        inverse = _ops.gather(ids, _ops.invert_permutation(order), 0, 0)
        results.append(_ops.reshape(inverse, _ops.shape(x)) if axis is None else inverse)
    if return_counts:
        ends = _ops.concat([first[1:], _ops.reshape(_ops.cast(count, dtypes.int64), [1])], 0)
        results.append(ends[: _ops.shape(first)[0]] - first)
    return results[0] if len(results) == 1 else tuple(results)


def _sorted_rows(rows: Tensor) -> tuple[Tensor, Tensor]:
    """The order in which rows ascend, and which of the rows in that order differ from the one before."""
    count, width = rows._sizes()
    if not is_known(width):
        raise ValueError(
            "The number of elements of each slice must be known where slices are compared."
        )
    order = _ops.range(0, count, 1)
    for column in reversed(_ops.unstack(rows, axis=1) if width else []):  # the sorting is stable
        order = _ops.gather(
            order, _ops.argsort(_ops.gather(column, order, 0, 0), -1, "ASCENDING"), 0, 0
        )
    rows = _ops.gather(rows, order, 0, 0)
    differ = _ops.reduce_any(_ops.not_equal(rows[1:], rows[:-1]), axis=1)
    first = _ops.ones_like(order[:1], dtypes.bool)
    return order, _ops.concat([first, differ], 0)
