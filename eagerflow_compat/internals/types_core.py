"""tensorflow.python.types.core: what tensors are to type checks."""

from __future__ import annotations

from eagerflow import _core
from eagerflow.framework.variable import Variable
from eagerflow.typing import TensorLike

__all__ = ["Symbol", "Tensor", "TensorLike", "Value"]


# Derived from the type of variables, so that a class may have both as bases.
class _Tensors(type(Variable)):  # type: ignore[misc]
    def __instancecheck__(cls, instance: object) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        if cls is Tensor and isinstance(instance, _core.Variable):
            return True
        if cls not in (Tensor, Symbol, Value) or not isinstance(instance, _core.Tensor):
            return False
        return cls is Tensor or (cls is Symbol) == _core.is_symbolic(instance)


class Tensor(metaclass=_Tensors):
    """The class of all tensors, and of variables, which a program's own classes may extend."""

    _extends_tensor = True  # for `tf.is_tensor`


class Symbol(Tensor):
    """The class of tensors of graphs."""


class Value(Tensor):
    """The class of tensors that have values."""
