"""Changes of some elements of a variable, as functions."""

from __future__ import annotations

from typing import Any

from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.op_function import op_function


@op_function
def scatter_nd_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Any:
    """Replaces the elements or slices of a variable at the given indices.

    >>> v = tf.Variable([1, 2, 3])
    >>> tf.compat.v1.scatter_nd_update(v, [[0], [2]], [7, 8]).numpy().tolist()
    [7, 2, 8]
    """
    return ref.scatter_nd_update(indices, updates)


@op_function
def scatter_nd_add(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Adds to the elements or slices of a variable at the given indices."""
    return ref.scatter_nd_add(indices, updates)


@op_function
def scatter_nd_sub(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Subtracts from the elements or slices of a variable at the given indices."""
    return ref.scatter_nd_sub(indices, updates)


@op_function
def scatter_mul(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Multiplies the rows of a variable with the given indices."""
    return ref.scatter_mul(IndexedSlices(updates, indices))


@op_function
def scatter_div(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Divides the rows of a variable with the given indices."""
    return ref.scatter_div(IndexedSlices(updates, indices))


@op_function
def scatter_min(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Takes the smaller of the rows of a variable with the given indices, and others."""
    return ref.scatter_min(IndexedSlices(updates, indices))


@op_function
def scatter_max(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Takes the larger of the rows of a variable with the given indices, and others."""
    return ref.scatter_max(IndexedSlices(updates, indices))
