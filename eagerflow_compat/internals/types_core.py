"""tensorflow.python.types.core: what tensors are to type checks."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from eagerflow import _core
from eagerflow.framework.variable import Variable
from eagerflow.typing import TensorLike

__all__ = ["Symbol", "Tensor", "TensorLike", "TensorProtocol", "Value"]


# Classes of programs have tensors and variables as bases, and metaclasses that they derive from that of
# variables.
class Tensor(metaclass=type(Variable)):  # type: ignore[metaclass]
    """The class of all tensors, and of variables, which a program's own classes may extend."""

    _extends_tensor = True  # for `tf.is_tensor`


for _each in (_core.Tensor, _core.Variable):
    Tensor.register(_each)


class _TensorsByValue(type(Variable)):  # type: ignore[misc]
    """Tells tensors of graphs from those that have values: both are of one class."""

    def __instancecheck__(cls, instance: object) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        if cls not in (Symbol, Value) or not isinstance(instance, _core.Tensor):
            return False
        return (cls is Symbol) == _core.is_symbolic(instance)


class Symbol(Tensor, metaclass=_TensorsByValue):
    """The class of tensors of graphs."""


class Value(Tensor, metaclass=_TensorsByValue):
    """The class of tensors that have values."""


@runtime_checkable
class TensorProtocol(Protocol):
    """What objects have that are converted to tensors."""

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        """The tensor.

        Args:
            dtype: its dtype, or None.
            name: its name.
        """
