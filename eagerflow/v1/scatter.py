"""Changes of some elements of a variable, as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.op_function import op_function


def _of_slices(name: str, doc: str, locks: bool = False) -> Callable[..., Any]:
    """A method of variables that takes index vectors, as a function."""

    def function(
        ref: Any, indices: Any, updates: Any, use_locking: bool = locks, name: str | None = None
    ) -> Any:
        return getattr(ref, function.__name__)(indices, updates)

    return _named(function, name, doc)


def _of_rows(name: str, doc: str) -> Callable[..., Any]:
    """A method of variables that takes the indices of rows, as a function."""

    def function(
        ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
    ) -> Any:
        return getattr(ref, function.__name__)(IndexedSlices(updates, indices))

    return _named(function, name, doc)


def _named(function: Any, name: str, doc: str) -> Any:
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
