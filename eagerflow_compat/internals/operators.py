"""tf.__operators__, and the operators that another Keras takes from the class of tensors."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.op_function import op_function
from eagerflow.framework.tensor import OPERATORS
from eagerflow.ragged import getitem as rows
from eagerflow.ragged import overrides as ragged
from eagerflow.typing import TensorLike
from eagerflow_compat.internals.decorators import tf_export

_ops: Any = _core.ops


def _operand(value: Any, dtype: Any = None) -> _core.Tensor:
    """A value whose operators are ours: others would call these functions again."""
    own = isinstance(value, _core.Tensor | _core.Variable | CompositeTensor)
    return value if own else tf.convert_to_tensor(value, dtype)


@tf_export("__operators__.add")
@op_function
def add(x: TensorLike, y: TensorLike, name: str | None = None) -> _core.Tensor:
    """`x + y`."""
    return tf.add(x, y)


@tf_export("__operators__.eq")
@op_function
def eq(self: object, other: object) -> Any:
    """`self == other`."""
    return operator.eq(_operand(self), other)


@tf_export("__operators__.ne")
@op_function
def ne(self: object, other: object) -> Any:
    """`self != other`."""
    return operator.ne(_operand(self), other)


@tf_export("__operators__.getitem")
@op_function
def getitem(tensor: _core.Tensor, slice_spec: Any, var: Any = None) -> Any:
    """`tensor[slice_spec]`."""
    return operator.getitem(_operand(tensor) if var is None else var, slice_spec)


ragged_getitem = tf_export("__operators__.ragged_getitem")(rows.ragged_getitem)


def _logical(name: str) -> Callable[..., _core.Tensor]:
    booleans, integers = getattr(_ops, f"logical_{name}"), getattr(_ops, f"bitwise_{name}")

    @op_function
    def function(x: TensorLike, y: TensorLike) -> _core.Tensor:
        x = _operand(x)
        return (booleans if x.dtype is tf.bool else integers)(x, y)

    return function


def _reflected(function: Callable[[TensorLike, TensorLike], _core.Tensor]) -> Callable[..., Any]:
    def reflected(y: Any, x: TensorLike) -> _core.Tensor:
        # What stands on the right, maybe a symbol of another Keras, gives numbers its dtype.
        dtype = getattr(y, "dtype", None)
        return function(x if dtype is None else _operand(x, dtype), y)

    return reflected


_FUNCTIONS: dict[str, Callable[..., _core.Tensor]] = ragged.OPERATORS | {
    "abs": tf.abs,
    "add": add,
    "and": _logical("and"),
    "div": tf.math.truediv,
    "eq": eq,
    "getitem": getitem,
    "invert": tf.math.logical_not,
    "ne": ne,
    "neg": tf.math.negative,
    "or": _logical("or"),
    "xor": _logical("xor"),
}


_OPERATORS = {
    name: _FUNCTIONS.get(name.strip("_")) or _reflected(_FUNCTIONS[name.strip("_")[1:]])
    for name in OPERATORS
}


class OperatorsAsFunctions(type(_core.Tensor)):  # type: ignore[misc]
    """The class of the class of tensors, whose operators are functions that dispatchers replace.

    `tf.Tensor.__sub__` then takes whatever `tf.subtract` takes. Tensors' own operators stay native.
    """

    def __getattribute__(cls, name: str) -> Any:
        return _OPERATORS.get(name) or super().__getattribute__(name)


def show_as_functions(shown: bool) -> None:
    """Lets the class of tensors have its operators as functions, or natively again."""
    _core.set_metaclass(_core.Tensor, OperatorsAsFunctions if shown else type)
