"""Changes of some elements of a variable, as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.op_function import op_function

_ops = _core.ops


def _of_slices(name: str, doc: str, locks: bool = False) -> Callable[..., _core.Variable]:
    """A method of variables that takes index vectors, as a function."""

    def function(
        ref: Any, indices: Any, updates: Any, use_locking: bool = locks, name: str | None = None
    ) -> Any:
        return getattr(ref, function.__name__)(indices, updates)

    return _named(function, name, doc)


def _of_rows(name: str, doc: str) -> Callable[..., _core.Variable]:
    """A method of variables that takes the indices of rows, as a function."""

    def function(
        ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        return getattr(ref, function.__name__)(IndexedSlices(updates, indices))

    return _named(function, name, doc)


def batch_scatter_update(
    ref: Any, indices: _core.Tensor, updates: Any, use_locking: bool = True, name: str | None = None
) -> Any:
    """Replaces elements of a variable whose first axes are batches.

    Args:
        ref: the variable.
        indices: the indices along the first axis that is no batch's, `[*batches, count]`.
        updates: what replaces them, `[*batches, count, ...]`.
        use_locking: accepted.
        name: accepted.

    >>> v = tf.Variable([[1, 2, 3], [4, 5, 6]])
    >>> tf.compat.v1.batch_scatter_update(v, [[0, 1], [2, 0]], [[7, 8], [9, 10]]).numpy().tolist()
    [[7, 8, 3], [10, 5, 9]]
    """
    indices = _ops.cast(_core.as_tensor(indices), dtypes.int64)
    sizes = indices._sizes()
    parts = []
    for axis, size in enumerate(sizes[:-1]):
        # Which batch each index belongs to, along this axis.
        shape = [-1 if a == axis else 1 for a in range(len(sizes))]
        own = _ops.reshape(_ops.range(0, _ops.cast(size, dtypes.int64), 1), shape)
        parts.append(own + _ops.zeros_like(indices))
    return ref.scatter_nd_update(_ops.stack([*parts, indices], axis=-1), updates)


def _named(function: Callable[..., object], name: str, doc: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return op_function(function)


scatter_nd_update = _of_slices(
    "scatter_nd_update",
    """Replaces the elements or slices of a variable at the given indices.

    >>> v = tf.Variable([1, 2, 3])
    >>> tf.compat.v1.scatter_nd_update(v, [[0], [2]], [7, 8]).numpy().tolist()
    [7, 2, 8]
    """,
    locks=True,
)
scatter_nd_add = _of_slices("scatter_nd_add", "Adds to elements or slices of a variable.")
scatter_nd_sub = _of_slices("scatter_nd_sub", "Subtracts from elements or slices of a variable.")
scatter_mul = _of_rows("scatter_mul", "Multiplies rows of a variable.")
scatter_div = _of_rows("scatter_div", "Divides rows of a variable.")
scatter_min = _of_rows("scatter_min", "Takes the smaller values of rows of a variable and others.")
scatter_max = _of_rows("scatter_max", "Takes the larger values of rows of a variable and others.")
