"""Keras 3's statistics and other reductions that are not NumPy's, or that Keras computes its way."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.keras import config
from eagerflow.ops import array as _array
from eagerflow.ops import norms, segment, statistics
from eagerflow.ops.numpy_functions import products
from eagerflow.ops.numpy_functions import reductions as shared
from eagerflow.ops.numpy_functions.shapes import move_axis
from eagerflow.ops.reduction import reduce_logsumexp
from eagerflow.typing import Axes, DTypeLike, TensorLike
from eagerflow_compat.keras.ops.promotion import KERAS, floating, pair, tensor

_ops = _core.ops
Tensor = _core.Tensor


@op_function
def logsumexp(x: TensorLike, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """`log(sum(exp(x)))`, without overflow."""
    return reduce_logsumexp(floating(x), axis, keepdims)


@op_function
def quantile(
    x: TensorLike, q: Any, axis: Axes | None = None, method: str = "linear", keepdims: bool = False
) -> Tensor:
    """Quantiles: values below which a share of the elements lies.

    Args:
        x: the elements.
        q: the share, or several: they are the first axes of the result.
        axis: an axis or several; all by default.
        method: "linear", "lower", "higher", "midpoint", "nearest" or another one of `tf.math.quantile`.
        keepdims: whether reduced axes stay, with size 1.
    """
    return statistics.quantiles(floating(x), q, axis, method, keepdims, without_nan=False)


@op_function
def nanquantile(
    x: TensorLike, q: TensorLike, axis: Any = None, method: str = "linear", keepdims: bool = False
) -> Tensor:
    """Quantiles of the elements that are not NaN; NaN where there are none. See `quantile`.

    >>> tf.keras.ops.nanquantile([[1.0, float("nan"), 2.0]], [0.25, 0.5], axis=1).numpy()
    array([[1.25],
           [1.5 ]], dtype=float32)
    """
    return statistics.quantiles(floating(x), q, axis, method, keepdims, without_nan=True)


@op_function
def percentile(
    x: TensorLike, q: TensorLike, axis: Any = None, method: str = "linear", keepdims: bool = False
) -> Tensor:
    """Percentiles; see `quantile`."""
    return quantile(x, floating(q) / 100.0, axis, method, keepdims)


@op_function
def median(x: TensorLike, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Medians."""
    return quantile(x, 0.5, axis, keepdims=keepdims)


@op_function
def nanpercentile(
    x: TensorLike, q: TensorLike, axis: Any = None, method: str = "linear", keepdims: bool = False
) -> Tensor:
    """Percentiles of the elements that are not NaN; see `nanquantile`."""
    return nanquantile(x, floating(q) / 100.0, axis, method, keepdims)


@op_function
def nanmedian(x: TensorLike, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Medians of the elements that are not NaN; NaN where there are none.

    >>> float(tf.keras.ops.nanmedian([3.0, float("nan"), 1.0, 7.0]))
    3.0
    """
    return nanquantile(x, 0.5, axis, keepdims=keepdims)


@op_function
def nanmax(x: TensorLike, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """The largest elements, without NaN; NaN where there are no others."""
    return statistics.nanmax(tensor(x), axis, keepdims)


@op_function
def nanmin(x: TensorLike, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """The smallest elements, without NaN; NaN where there are no others."""
    return statistics.nanmin(tensor(x), axis, keepdims)


@op_function
def nanvar(x: TensorLike, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Variances, without NaN."""
    return statistics.nanvar(floating(x), axis, keepdims)


@op_function
def nanstd(x: TensorLike, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Standard deviations, without NaN."""
    return _ops.sqrt(nanvar(x, axis, keepdims))


@op_function
def nanargmax(x: TensorLike, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The indices of the largest elements, without NaN; -1 where there is nothing else."""
    x = floating(x)
    found = shared.argmax(KERAS, shared.nan_as(x, -math.inf), axis, keepdims)
    return _unless_nan(x, found, axis, keepdims)


@op_function
def nanargmin(x: TensorLike, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The indices of the smallest elements, without NaN; -1 where there is nothing else."""
    x = floating(x)
    found = shared.argmin(KERAS, shared.nan_as(x, math.inf), axis, keepdims)
    return _unless_nan(x, found, axis, keepdims)


def _unless_nan(x: Tensor, found: Tensor, axis: int | None, keepdims: bool) -> Tensor:
    nothing = _ops.reduce_all(_ops.is_nan(x), axis=axis, keepdims=keepdims)
    return _ops.select(nothing, _ops.zeros_like(found) - 1, found)


@op_function
def nancumsum(x: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """Cumulative sums, without NaN."""
    return shared.cumsum(KERAS, shared.nan_as(floating(x), 0.0), axis, dtype)


@op_function
def nancumprod(x: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """Cumulative products, without NaN."""
    return shared.cumprod(KERAS, shared.nan_as(floating(x), 1.0), axis, dtype)


@op_function
def trapezoid(
    y: TensorLike, x: TensorLike | None = None, dx: float = 1.0, axis: int = -1
) -> Tensor:
    """The integral of a sampled function by the trapezoidal rule."""
    y = move_axis(floating(y), axis, -1)
    width: Any = dx
    if x is not None:
        x = move_axis(tensor(x, y.dtype), axis, -1)
        width = x[..., 1:] - x[..., :-1]
    return _ops.reduce_sum((y[..., 1:] + y[..., :-1]) * width * 0.5, axis=-1)


@op_function
def bincount(x: Any, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Tensor:
    """How often each integer occurs."""
    if sparse:
        raise ValueError("`sparse=True` gives sparse tensors, which are not supported here.")
    x = _ops.cast(tensor(x), dtypes.int32)
    if x.ndim < 2:
        return segment.bincount(x, weights=weights, minlength=minlength)
    return segment.bincount(x, weights=weights, minlength=minlength, axis=-1)


@op_function
def histogram(x: TensorLike, bins: int = 10, range: Any = None) -> tuple[Tensor, Tensor]:
    """How many elements fall into each of several equal bins, and the bins' edges."""
    counts, edges = statistics.histogram(floating(x), bins, range)
    return _ops.cast(counts, edges.dtype), edges


@op_function
def einsum(subscripts: str, *operands: TensorLike, **kwargs: object) -> Tensor:
    """Sums of products, written with an index for each axis."""
    return products.einsum(KERAS, subscripts, *operands)


@op_function
def corrcoef(x: TensorLike) -> Tensor:
    """Correlation coefficients of rows."""
    x = floating(x)
    x = x if x.ndim > 1 else _ops.expand_dims(x, 0)
    centered = x - _ops.reduce_mean(x, axis=-1, keepdims=True)
    units = norms.unit(centered, axis=-1)
    return _ops.clip_by_value(_ops.matmul(units, units, transpose_b=True), -1.0, 1.0)


@op_function
def correlate(x1: Any, x2: Any, mode: str = "valid") -> Tensor:
    """The cross-correlation of two vectors."""
    x1, x2 = pair(x1, x2)
    if not x1.dtype.is_floating:
        kind = dtypes.as_dtype(config.floatx())
        x1, x2 = _ops.cast(x1, kind), _ops.cast(x2, kind)
    one, other = x1._shape_tuple()[0], x2._shape_tuple()[0]
    if one < other:
        return _ops.reverse(correlate(x2, x1, mode), [0])
    before = {"valid": 0, "full": other - 1, "same": other // 2}[mode]
    after = {"valid": 0, "full": other - 1, "same": (other - 1) // 2}[mode]
    padded = _array.pad(x1, [[before, after]])
    count = padded._shape_tuple()[0] - other + 1
    indices = np.arange(count)[:, None] + np.arange(other)
    windows = _ops.gather(padded, _core.as_tensor(indices.astype("int32")), axis=0)
    return _ops.reduce_sum(windows * x2, axis=-1)
