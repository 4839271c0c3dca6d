"""Choices of elements and products that NumPy's namespace alone has, or has in its own way."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.experimental.numpy import dtypes
from eagerflow.experimental.numpy.arrays import NUMPY, asarray
from eagerflow.framework.sizes import may_equal, sizes_of
from eagerflow.framework.type_spec import is_weak
from eagerflow.ops.numpy_functions import products, reductions, selection, shapes
from eagerflow.typing import Axes, DTypeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def where(condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None) -> Any:
    """Elements of `x` where a condition is true, of `y` elsewhere; or the indices where it is.

    Raises:
        ValueError: if only one of `x` and `y` is passed.

    >>> tf.experimental.numpy.where([True, False], 1, 2).numpy()
    array([1, 2])
    """
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("Both x and y must be ndarrays, or both must be None.")
    return selection.where(NUMPY, condition, x, y)


def nonzero(a: TensorLike) -> list[Tensor]:
    """The indices of the elements that are not zero: a vector for each axis."""
    return list(selection.nonzero(NUMPY, shapes.at_least(1, asarray(a))))


def compress(condition: TensorLike, a: TensorLike, axis: int | None = None) -> Tensor:
    """The elements, or slices along an axis, for which a vector of conditions is true."""
    a, axis = _flat(asarray(a), axis)
    return _ops.gather(a, _ops.where_indices(NUMPY.truth(condition))[:, 0], axis=axis)


def _flat(a: Tensor, axis: int | None) -> tuple[Tensor, int]:
    return (_ops.reshape(a, [-1]), 0) if axis is None else (a, axis)


def take(
    a: TensorLike,
    indices: TensorLike,
    axis: int | None = None,
    out: None = None,
    mode: str = "clip",
) -> Tensor:
    """Slices by their indices along an axis, or elements of the flat array.

    Args:
        a: an array.
        indices: the indices; negative ones count from the end with mode "wrap".
        axis: the axis; None for all elements as a vector.
        out: must be None.
        mode: what to do with indices that are out of range: "clip", "wrap" or "raise".

    Raises:
        ValueError: for another mode, or an `out`.
    """
    if out is not None:
        raise ValueError("`out` argument is not supported in take.")
    if mode not in ("raise", "clip", "wrap"):
        raise ValueError(f"Invalid mode {mode!r} for take")
    a, axis = _flat(asarray(a), axis)
    indices = asarray(indices, np.int64)
    count = _ops.cast(sizes_of(a)[axis], np.int64)
    if mode == "clip":
        indices = _ops.maximum(_ops.minimum(indices, count - 1), _ops.zeros_like(count))
    elif mode == "wrap":
        indices = _ops.floormod(indices, count)
    return _ops.gather(a, indices, axis=axis)


def sort(
    a: TensorLike, axis: int | None = -1, kind: str = "quicksort", order: None = None
) -> Tensor:
    """Elements in ascending order, along an axis or in a vector.

    Raises:
        ValueError: for a kind other than "quicksort" and "stable", or an order.
    """
    _check_sorting(kind, order)
    return selection.sort(NUMPY, a, axis)


def argsort(
    a: TensorLike, axis: int | None = -1, kind: str = "quicksort", order: None = None
) -> Tensor:
    """The indices of the elements in ascending order; arguments as those of `sort`."""
    _check_sorting(kind, order)
    order_of = selection.argsort(NUMPY, a, axis)
    return _ops.cast(order_of, np.int32) if dtypes.prefers_weak() else order_of


def _check_sorting(kind: str, order: Any) -> None:
    if kind not in ("quicksort", "stable"):
        raise ValueError(f"Invalid value for argument `kind`: {kind!r}")
    if order is not None:
        raise ValueError("The `order` argument is not supported: tensors have no fields.")


def matmul(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Products of matrices; a vector is a row on the left and a column on the right.

    Raises:
        ValueError: for scalars.
    """
    x1, x2 = NUMPY.joined(x1, x2)
    if not x1.ndim or not x2.ndim:
        raise ValueError("matmul: scalars are not allowed, use multiply instead")
    product = products.matmul(NUMPY, x1, x2)
    return _core.weakened(product) if is_weak(x1) else product


def average(
    a: TensorLike,
    axis: Axes | None = None,
    weights: TensorLike | None = None,
    returned: bool = False,
) -> Tensor:
    """Weighted means, and with `returned` also the sums of the weights.

    Raises:
        ValueError: if the shapes differ, and the weights are not a vector along an axis.

    >>> float(tf.experimental.numpy.average([3, 4], weights=[1, 3]))
    3.75
    """
    a = asarray(a)
    if weights is not None:
        weights = asarray(weights)
        same = may_equal(weights._shape_tuple(), a._shape_tuple())
        if not same and (axis is None or weights.ndim != 1):
            raise ValueError("Axis must be specified when the shapes of a and weights differ.")
    return reductions.average(NUMPY, a, axis, weights, returned)


def trace(
    a: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike | None = None
) -> Tensor:
    """Sums of diagonals."""
    return reductions.sum(NUMPY, products.diagonal(NUMPY, a, offset, axis1, axis2), -1, dtype)


def einsum(subscripts: str, *operands: TensorLike, **kwargs: object) -> Tensor:
    """Sums of products by Einstein's convention, see `tf.einsum`."""
    kwargs.pop("optimize", None)
    kwargs.pop("casting", None)
    if kwargs:
        raise ValueError(f"Unsupported arguments: {list(kwargs)}")
    return products.einsum(NUMPY, subscripts, *operands)


def polyval(p: TensorLike, x: TensorLike) -> Tensor:
    """A polynomial's values, given its coefficients from the highest power down."""
    p, x = NUMPY.promoted(p, x)
    value = _ops.zeros_like(x)
    for coefficient in _ops.unstack(p):
        value = value * x + coefficient
    return value


def isscalar(num: TensorLike) -> bool:
    """Whether it is a number, or a tensor without axes."""
    return np.isscalar(num) or (hasattr(num, "shape") and len(num.shape) == 0)


def iscomplexobj(x: TensorLike) -> bool:
    """Whether the dtype is complex."""
    return bool(dtypes.result_type(x).is_complex)


def isrealobj(x: TensorLike) -> bool:
    """Whether the dtype is not complex."""
    return not iscomplexobj(x)
