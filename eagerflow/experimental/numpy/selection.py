"""Elements chosen by place, by condition or by order."""

from __future__ import annotations

from typing import Any

import numpy as np

import eagerflow as tf
from eagerflow.experimental.numpy import dtypes
from eagerflow.experimental.numpy.arrays import asarray, promoted


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Elements of `x` where the condition is true, of `y` elsewhere; or where it is true.

    >>> tf.experimental.numpy.where([True, False], 1, 2).numpy()
    array([1, 2])
    """
    condition = asarray(condition, bool)
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("Both x and y must be ndarrays, or both must be None.")
    x, y = promoted(x, y)
    return tf.where(condition, x, y)


def nonzero(a: Any) -> list[tf.Tensor]:
    """The places of elements that are not 0: one vector for each axis."""
    a = asarray(a, bool)
    if not a.shape.rank:
        a = tf.reshape(a, [1])
    return tf.unstack(tf.where(a), axis=1, num=a.shape.rank)


def select(condlist: Any, choicelist: Any, default: Any = 0) -> tf.Tensor:
    """Elements of the first choice whose condition is true, else the default."""
    if len(condlist) != len(choicelist):
        raise ValueError("The lists of conditions and choices must have the same length.")
    *choices, result = promoted(*choicelist, default)
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        result = tf.where(asarray(condition, bool), choice, result)
    return result


def compress(condition: Any, a: Any, axis: Any = None) -> tf.Tensor:
    """The elements, or slices along an axis, for which a vector of conditions is true."""
    a = asarray(a)
    if axis is None:
        a, axis = tf.reshape(a, [-1]), 0
    chosen = tf.where(asarray(condition, bool))[:, 0]
    return tf.gather(a, chosen, axis=axis)


def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "clip") -> tf.Tensor:
    """Elements by place, along an axis or among all.

    Args:
        a: where to take them from.
        indices: the places; negative ones count from the end with mode "wrap".
        axis: the axis; None for all elements in a vector.
        out: must be None.
        mode: what to do with places outside: "clip", "wrap" or "raise".
    """
    if out is not None:
        raise ValueError("`out` argument is not supported in take.")
    if mode not in ("raise", "clip", "wrap"):
        raise ValueError(f"Invalid mode {mode!r} for take")
    a, indices = asarray(a), asarray(indices, np.int64)
    if axis is None:
        a, axis = tf.reshape(a, [-1]), 0
    count = tf.constant(a.shape[axis], tf.int64)
    if mode == "clip":
        indices = tf.clip_by_value(indices, tf.zeros_like(count), count - 1)
    elif mode == "wrap":
        indices = tf.math.floormod(indices, count)
    return tf.gather(a, indices, axis=axis)


def take_along_axis(arr: Any, indices: Any, axis: Any) -> tf.Tensor:
    """Elements by their places along an axis, as `argsort` and others give them."""
    arr, indices = asarray(arr), asarray(indices, np.int64)
    if axis is None:
        return tf.gather(tf.reshape(arr, [-1]), tf.reshape(indices, [-1]))
    from eagerflow.experimental.numpy.shapes import moveaxis

    arr, indices = moveaxis(arr, axis, -1), moveaxis(indices, axis, -1)
    count = arr.shape[-1]
    indices = tf.where(indices < 0, indices + count, indices)
    outer = np.broadcast_shapes(arr.shape.as_list()[:-1], indices.shape.as_list()[:-1])
    arr = tf.broadcast_to(arr, [*outer, count])
    indices = tf.broadcast_to(indices, [*outer, indices.shape[-1]])
    return moveaxis(tf.gather(arr, indices, batch_dims=len(outer), axis=len(outer)), -1, axis)


def sort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> tf.Tensor:
    """Elements in ascending order, along an axis or in a vector."""
    a, axis = _sortable(a, axis, kind, order)
    return tf.sort(a, axis)


def argsort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> tf.Tensor:
    """The places of the elements in ascending order."""
    a, axis = _sortable(a, axis, kind, order)
    return tf.cast(tf.argsort(a, axis, stable=kind == "stable"), tf.int64)


def _sortable(a: Any, axis: Any, kind: str, order: Any) -> tuple[tf.Tensor, int]:
    if kind not in ("quicksort", "stable"):
        raise ValueError(f"Invalid value for argument `kind`: {kind!r}")
    if order is not None:
        raise ValueError("The `order` argument is not supported: tensors have no fields.")
    a = asarray(a)
    return (tf.reshape(a, [-1]), 0) if axis is None else (a, axis)


def size(x: Any, axis: Any = None) -> np.int64:
    """How many elements there are, in all or along an axis."""
    shape = asarray(x)._shape_tuple()
    if axis is None:
        return np.prod(shape, dtype=np.int64)
    return np.int64(shape[axis])


def shape(a: Any) -> tf.TensorShape:
    """The sizes of the axes."""
    return asarray(a).shape


def ndim(a: Any) -> int:
    """How many axes there are."""
    return len(asarray(a).shape)


def isscalar(num: Any) -> bool:
    """Whether it is a number, or a tensor without axes."""
    return np.isscalar(num) or (hasattr(num, "shape") and len(num.shape) == 0)


def iscomplexobj(x: Any) -> bool:
    """Whether the dtype is complex."""
    return bool(dtypes.result_type(x).is_complex)


def isrealobj(x: Any) -> bool:
    """Whether the dtype is not complex."""
    return not iscomplexobj(x)
