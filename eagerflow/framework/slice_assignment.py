"""Assignments to parts of variables: `variable[1:3].assign(values)`, `variable[mask].assign_add(1)`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from eagerflow import _core
from eagerflow.util import advice, lazy

if TYPE_CHECKING:
    from eagerflow.framework.variable import Variable

_ops = _core.ops
indexing = lazy.Module("eagerflow.framework.array_indexing")


def slice_assignment(variable: Variable, key: object) -> Callable:
    """A function that assigns to `variable[key]`."""
    return functools.partial(_assign_slice, variable, key)


def _assign_slice(variable: Variable, key: Any, val: Any, name: str | None = None) -> Variable:
    """Replaces `variable[key]`; `val` is broadcast to its shape."""
    if indexing.has_arrays(key):
        return _scatter(_ops.tensor_scatter_nd_update, None, variable, key, val)
    with _core.stop_recording():
        value = _core.convert(val, variable.dtype, None)
        if _core.building() is None:
            return variable._replace_part(key, value)
        return variable._changed(lambda before: _core.with_part(before, key, value))


def _scatter(
    scatter: Callable, combine: Callable | None, variable: Variable, key: Any, val: Any
) -> Variable:
    return variable._changed(lambda value: indexing.scattered(scatter, combine, value, key, val))


class PartMethod(advice.Missing):
    """A method that `variable[key]` has besides `assign`, and other tensors do not.

    Args:
        name: its name.
        scatter: the operation that changes elements of a tensor.
        combine: the operation on an element and what changes it.
    """

    __slots__ = ("_combine", "_scatter")

    def __init__(self, name: str, scatter: Callable, combine: Callable) -> None:
        super().__init__(name, "TENSOR")
        self._scatter = scatter
        self._combine = combine

    def __get__(self, instance: object, owner: type) -> Any:
        assign: Any = None if instance is None else vars(instance).get("assign")
        if getattr(assign, "func", None) is not _assign_slice:
            raise AttributeError(f"'{owner.__name__}' object has no attribute '{self._name}'")
        return functools.partial(_scatter, self._scatter, self._combine, *assign.args)
