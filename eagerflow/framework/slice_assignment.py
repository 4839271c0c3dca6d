"""Assignments to parts of variables: `variable[1:3].assign(values)`, `variable[mask].assign_add(1)`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

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
    if _core.building() is not None or indexing.has_arrays(key):
        return _scatter(_ops.tensor_scatter_nd_update, variable, key, val)
    with _core.stop_recording():
        value = _core.convert(val, variable.dtype, None)
        room = variable.read_value()[key].shape
    if not indexing.may_broadcast(value.shape, room):
        raise indexing.no_room(value.shape.as_list(), room.as_list())

    def changed(value_before: _core.Tensor) -> np.ndarray:
        array = np.asarray(value_before.numpy())
        array[_numpy_key(key)] = value.numpy()
        return array

    return variable._changed(changed)


def _scatter(scatter: Callable, variable: Variable, key: Any, val: Any) -> Variable:
    return variable._changed(lambda value: indexing.scattered(scatter, value, key, val))


class PartMethod(advice.Missing):
    """A method that `variable[key]` has besides `assign`, and other tensors do not.

    Args:
        name: its name.
        scatter: the operation that changes elements of a tensor.
    """

    __slots__ = ("_scatter",)

    def __init__(self, name: str, scatter: Callable) -> None:
        super().__init__(name, "TENSOR")
        self._scatter = scatter

    def __get__(self, instance: object, owner: type) -> Any:
        assign: Any = None if instance is None else vars(instance).get("assign")
        if getattr(assign, "func", None) is not _assign_slice:
            raise AttributeError(f"'{owner.__name__}' object has no attribute '{self._name}'")
        return functools.partial(_scatter, self._scatter, *assign.args)


def _numpy_key(key: object) -> tuple:
    """An index expression of plain integers."""

    def number(part: object) -> Any:
        return part if part is None or part is Ellipsis else int(np.asarray(part))

    return tuple(
        slice(number(part.start), number(part.stop), number(part.step))
        if isinstance(part, slice)
        else number(part)
        for part in (key if isinstance(key, tuple | list) else (key,))
    )
