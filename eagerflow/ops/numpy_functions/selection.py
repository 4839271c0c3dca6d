"""Elements chosen by index, by condition or by order."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework.array_indexing import counted
from eagerflow.ops import indexing
from eagerflow.ops.array import broadcast_dynamic_shape, broadcast_static_shape
from eagerflow.ops.numpy_functions.rules import Rules, keeps_weakness
from eagerflow.ops.numpy_functions.shapes import move_axis
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def where(rules: Rules, condition: TensorLike, x1: Any = None, x2: TensorLike | None = None) -> Any:
    """Elements of x1 where a condition is true and of x2 elsewhere; or the indices where it is.

    Raises:
        ValueError: if only one of x1 and x2 is given.

    >>> tf.experimental.numpy.where([True, False], 1, 2).numpy()
    array([1, 2])
    """
    if (x1 is None) != (x2 is None):
        raise ValueError("`x1` and `x2` either both should be `None` or both should have values.")
    if x1 is None:
        return nonzero(rules, condition)
    x1, x2 = rules.joined(x1, x2)
    return indexing.where(rules.truth(condition), x1, x2)


def nonzero(rules: Rules, x: TensorLike) -> tuple[Tensor, ...]:
    """The indices of the elements that are not zero: a vector for each axis."""
    indices = _ops.cast(_ops.where_indices(rules.truth(x)), rules.index_dtype)
    return tuple(_ops.unstack(indices, axis=1))


def select(rules: Rules, condlist: Any, choicelist: Any, default: Any = 0) -> Tensor:
    """Elements of the first choice whose condition is true, else of the default.

    Raises:
        ValueError: if there are not as many conditions as choices.
    """
    if len(condlist) != len(choicelist):
        raise ValueError("The lists of conditions and choices must have the same length.")
    *choices, result = rules.promoted(*choicelist, default)
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        result = indexing.where(rules.truth(condition), choice, result)
    return result


def _taken_of_any_size(x: Tensor, indices: Tensor) -> Tensor:
    """Elements along the last axis, of tensors whose sizes are known only when a graph runs."""
    length, count = x._sizes()[-1], indices._sizes()[-1]
    known = broadcast_static_shape(x.shape[:-1], indices.shape[:-1]).concatenate(indices.shape[-1:])
    outer = broadcast_dynamic_shape(_ops.shape(x)[:-1], _ops.shape(indices)[:-1])
    x = _ops.broadcast_to(x, _ops.concat([outer, [length]], 0))
    indices = _ops.broadcast_to(indices, _ops.concat([outer, [count]], 0))
    chosen = indexing.gather(
        _ops.reshape(x, [-1, length]), _ops.reshape(indices, [-1, count]), batch_dims=1
    )
    result = _ops.reshape(chosen, _ops.concat([outer, [count]], 0))
    _core.refine_shape(result, known._dims)
    return result


def take_along_axis(rules: Rules, x: Any, indices: TensorLike, axis: int | None = None) -> Tensor:
    """Elements by their indices along an axis, as `argsort` returns them."""
    x, indices = rules.tensor(x), rules.tensor(indices)
    if axis is None:
        x, indices, axis = _ops.reshape(x, [-1]), _ops.reshape(indices, [-1]), 0
    x, indices = move_axis(x, axis, -1), move_axis(indices, axis, -1)
    indices = counted(indices, x, -1)
    if None in (*x._shape_tuple(), *indices._shape_tuple()):
        return move_axis(_taken_of_any_size(x, indices), -1, axis)
    length, count = x._shape_tuple()[-1], indices._shape_tuple()[-1]
    outer = np.broadcast_shapes(x._shape_tuple()[:-1], indices._shape_tuple()[:-1])
    rows = int(np.prod(outer, dtype="int64"))
    x = _ops.reshape(_ops.broadcast_to(x, [*outer, length]), [rows, length])
    indices = _ops.reshape(_ops.broadcast_to(indices, [*outer, count]), [rows, count])
    chosen = indexing.gather(x, indices, batch_dims=1)
    return move_axis(_ops.reshape(chosen, [*outer, count]), -1, axis)


@keeps_weakness
def sort(rules: Rules, x: TensorLike, axis: int | None = -1) -> Tensor:
    """The elements in ascending order, along an axis or as a vector."""
    x = rules.tensor(x)
    return _ops.sort(_ops.reshape(x, [-1]), 0) if axis is None else _ops.sort(x, axis)


def argsort(rules: Rules, x: TensorLike, axis: int | None = -1) -> Tensor:
    """The indices that sort the elements, along an axis or as a vector; equal ones keep their order."""
    x = rules.tensor(x)
    if axis is None:
        x, axis = _ops.reshape(x, [-1]), 0
    return _ops.cast(indexing.argsort(x, axis, stable=True), rules.index_dtype)
