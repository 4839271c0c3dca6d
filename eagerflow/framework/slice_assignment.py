"""Assignments to slices of variables: `variable[1:3].assign(values)`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape

if TYPE_CHECKING:
    from eagerflow.framework.variable import Variable

_ops = _core.ops


def slice_assignment(variable: Variable, key: object) -> Callable:
    """A function that assigns to `variable[key]`."""
    return functools.partial(_assign_slice, variable, key)


def _assign_slice(variable: Variable, key: object, val: Any, name: str | None = None) -> Variable:
    """Replaces `variable[key]`; `val` is broadcast to its shape."""
    if _core.building() is not None:
        return _assign_slice_in_graph(variable, key, val)
    with _core.stop_recording():
        value = _core.convert(val, variable.dtype, None)
        room = variable.read_value()[key]._shape_tuple()
    try:
        part = np.broadcast_to(value.numpy(), room)
    except ValueError:
        raise _no_room(value.shape.as_list(), list(room)) from None

    def changed(value: _core.Tensor) -> np.ndarray:
        array = np.asarray(value.numpy())
        array[_numpy_key(key)] = part
        return array

    return variable._changed(changed)


def _assign_slice_in_graph(variable: Variable, key: object, val: Any) -> Variable:
    with _core.stop_recording():
        value = _core.convert(val, variable.dtype, None)
        current = variable.read_value()
        sizes = _ops.shape(current, dtypes.int64)
        count = _ops.reduce_prod(sizes)
        positions = _ops.reshape(_ops.range(_ops.zeros_like(count), count, 1), sizes)[key]
        if not _may_broadcast(value.shape, positions.shape):
            raise _no_room(value.shape.as_list(), positions.shape.as_list())
        updates = _ops.broadcast_to(value, _ops.shape(positions, dtypes.int64))
        flat = _ops.tensor_scatter_nd_update(
            _ops.reshape(current, [-1]),
            _ops.reshape(positions, [-1, 1]),
            _ops.reshape(updates, [-1]),
        )
        return variable.assign(_ops.reshape(flat, sizes))


def _may_broadcast(shape: TensorShape, room: TensorShape) -> bool:
    if shape.rank is None or room.rank is None:
        return True
    pairs = zip(reversed(shape.as_list()), reversed(room.as_list()), strict=False)
    fits = all(size in (1, None, place) or place is None for size, place in pairs)
    return shape.rank <= room.rank and fits


def _no_room(shape: list, room: list) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError._of(
        f"Cannot broadcast input shape {shape} into final shape {room} "
        "[Op:ResourceStridedSliceAssign]"
    )


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
