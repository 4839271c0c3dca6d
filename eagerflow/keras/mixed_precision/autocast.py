"""Variables that are read in the compute dtype of the layer that runs."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.distribute.values import DistributedValues
from eagerflow.framework.tensor import repr_fields
from eagerflow.framework.variable import Variable
from eagerflow.keras.engine.calls.context import context


class AutoCastVariable(Variable):
    """A variable that reads in the compute dtype of the layer whose `call` runs.

    Everywhere else, and for everything but its value, it is the variable that it wraps: changes,
    tapes and optimizers, checkpoints and arrays use that one, in its own dtype. Tapes record the
    casts, so that gradients have this dtype too.

    Args:
        variable: the variable, of a floating dtype.
    """

    def __init__(self, variable: Any) -> None:
        # A variable with copies is looked into by its strategy.
        self.__dict__.update(variable.__dict__)
        self._variable = variable

    @property
    def true_dtype(self) -> Any:
        """The dtype of the variable itself."""
        return self._variable.dtype

    @property
    def dtype(self) -> Any:  # type: ignore[override]
        """The dtype in which the variable is read now."""
        return context.compute_dtype() or self._variable.dtype

    def _cast(self, value: Any) -> Any:
        dtype = context.compute_dtype()
        return value if dtype is None or value.dtype is dtype else _core.ops.cast(value, dtype)

    def read_value(self) -> Any:
        """The value, in the dtype in which the variable is read now."""
        return self._cast(self._variable.read_value())

    def value(self) -> Any:
        """The value, in the dtype in which the variable is read now."""
        return self._cast(self._variable.value())

    def _assigned(self, method: str, value: Any, read_value: bool) -> Any:
        # What a layer computes in its compute dtype is cast back.
        if context.compute_dtype() is not None and isinstance(value, _core.Tensor | _core.Variable):
            value = _core.ops.cast(value, self._variable.dtype)
        return self._wrapped(getattr(self._variable, method)(value, read_value=read_value))

    def _wrapped(self, changed: Any) -> Any:
        """What a change of the variable gives; a variable if the change gives one."""
        if changed is self._variable:
            return self
        return autocast(changed) if isinstance(changed, _core.Variable) else changed

    def assign(
        self, value: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """Replaces the value. In a layer's call, tensors of other dtypes are cast."""
        return self._assigned("assign", value, read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """Adds to the value. In a layer's call, tensors of other dtypes are cast."""
        return self._assigned("assign_add", delta, read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """Subtracts from the value. In a layer's call, tensors of other dtypes are cast."""
        return self._assigned("assign_sub", delta, read_value)

    def _changed(self, change: Callable[[Any], Any]) -> Any:
        return self._wrapped(self._variable._changed(change))

    def _scatter(self, scatter: Callable, sparse_delta: Any) -> Any:
        return self._wrapped(self._variable._scatter(scatter, sparse_delta))

    def _scatter_each(self, combine: Callable, sparse_delta: Any) -> Any:
        return self._wrapped(self._variable._scatter_each(combine, sparse_delta))

    def __repr__(self) -> str:
        text = (
            f"<AutoCastVariable '{self.name}' shape={self.shape} dtype={self.true_dtype.name} "
            f"dtype_to_cast_to={self.dtype.name}"
        )
        if _core.building() is not None:
            return text + ">"
        return f"{text}, {repr_fields(self.read_value())}>"

    __str__ = __repr__

    def __deepcopy__(self, memo: dict) -> AutoCastVariable:
        made = memo[id(self)] = autocast(copy.deepcopy(self._variable, memo))
        return made

    def __copy__(self) -> AutoCastVariable:
        return self

    def __reduce__(self) -> tuple:
        return autocast, (self._variable,)


class _OfVariable:
    """An attribute of the wrapped variable."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: object) -> Any:
        return self if instance is None else getattr(instance._variable, self._name)

    def __set__(self, instance: Any, value: object) -> None:
        setattr(instance._variable, self._name, value)


for _name in (
    "shape trainable name device handle constraint synchronization aggregation numpy load eval "
    "is_initialized initializer initial_value op graph __array__ _name _handle_name _id _device_id "
    "_dtype _trainable _constraint _synchronization _aggregation _copies _in_sessions _in_graph_mode "
    "_is_resource _distribute_strategy _nodes_in_graph _as_graph_element _keep_remainder _remainder "
    "_set_remainder"
).split():
    setattr(AutoCastVariable, _name, _OfVariable(_name))
# Unlike other variables, these have operators that give a new value.
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(AutoCastVariable, f"__i{_name}__", getattr(Variable, f"__{_name}__"))


@functools.cache
def _class_for(kind: Any) -> type[AutoCastVariable]:
    """The class that wraps variables of a class; that of a strategy is a base of it."""
    if not issubclass(kind, DistributedValues):
        return AutoCastVariable
    return type("AutoCastDistributedVariable", (AutoCastVariable, kind), {})


def autocast(variable: Any) -> AutoCastVariable:
    """A variable that reads in the compute dtype of the layer that runs.

    Args:
        variable: a variable of a floating dtype.
    """
    return _class_for(variable.__class__)(variable)
