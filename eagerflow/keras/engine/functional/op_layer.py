"""Operations on symbolic tensors, as layers of a functional model."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.context import building_graph, process
from eagerflow.framework.func_graph import is_symbolic
from eagerflow.graph.symbols import as_tensors
from eagerflow.keras import naming
from eagerflow.keras.engine.calls.arguments import map_arguments
from eagerflow.keras.engine.functional import op_names
from eagerflow.keras.engine.functional.keras_tensor import (
    METHODS,
    PROPERTIES,
    KerasTensor,
    has_symbolic,
)
from eagerflow.keras.engine.functional.node import connect, real_tensor
from eagerflow.keras.engine.functional.op_names import OPERATORS, config_name, function_of
from eagerflow.keras.engine.functional.shape_inference import infer
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.typing import Config

_ops = _core.ops
_SYMBOLS = {f"__{function.__name__.strip('_')}__": symbol for symbol, function in OPERATORS.items()}
_OPERANDS = {"__operators__.getitem": ["x", "slice_spec"], "linalg.matmul": ["a", "b"]}


class TFOpLambda(Layer):
    """A layer that is one operation.

    Args:
        function: the operation's name, or the function itself.
        **kwargs: `name`, and what `Layer` takes.
    """

    function: Callable[..., Any]
    _preserve_input_structure_in_config = True

    def __init__(self, function: Any, **kwargs: Any) -> None:
        if isinstance(function, str):
            symbol, function = function, function_of(function)
        else:
            symbol = config_name(function)
        if not kwargs.get("name"):
            kwargs["name"] = naming.unique_name(f"tf.{symbol}")
        kwargs["autocast"] = False
        super().__init__(**kwargs)
        self.symbol = symbol
        self.__dict__["function"] = function
        self.built = True
        self._must_restore_from_config = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Applies the operation."""
        if has_symbolic(args) or has_symbolic(kwargs.values()):
            return _apply(self, args, kwargs)
        return self.function(*args, **kwargs)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Applies the operation."""
        return self.function(*args, **kwargs)

    def _argument_names(self) -> list[str]:
        if self.function in OPERATORS.values():
            return _OPERANDS.get(self.symbol, ["x", "y"])
        names = getattr(self.function, "parameters", None)
        if names is not None:
            return [name[0] if isinstance(name, tuple) else str(name) for name in names]
        parameters = inspect.signature(self.function).parameters.values()
        return ["*" * (p.kind is p.VAR_POSITIONAL) + p.name for p in parameters]

    def _call_from_config(self, inputs: object, kwargs: dict[str, Any]) -> Any:
        kwargs = {key: _restored(value) for key, value in kwargs.items() if key != "name"}
        operators = [f for symbol, f in OPERATORS.items() if symbol == self.symbol]
        if operators and set(kwargs) <= {"y", "b", "slice_spec"}:
            self.__dict__["function"] = operators[0]
            return _apply(self, (inputs, *kwargs.values()), {})
        args = [inputs]
        for name in self._argument_names():
            if name.startswith("*") and name[1:] in kwargs:
                args.extend(kwargs.pop(name[1:]))
        return _apply(self, args, kwargs)

    def get_config(self) -> Config:
        """The arguments that make a layer like this one."""
        config = {"name": self.name, "trainable": self.trainable, "dtype": self.dtype}
        return config | {"function": self.symbol}


class SlicingOpLambda(TFOpLambda):
    """A layer that picks parts of a tensor by an index."""


class _Attribute(Layer):
    """The base class of layers that read an attribute of a composite value.

    Args:
        name_of_attribute: the attribute's name, which `keras_tensor.py` must list.
        **kwargs: `name`, and what `Layer` takes.
    """

    _listed: dict[Any, tuple[str, ...]]

    def __init__(self, name_of_attribute: str, **kwargs: Any) -> None:
        if not any(name_of_attribute in names for names in self._listed.values()):
            raise ValueError(f"Layers cannot ask for the attribute {name_of_attribute!r}.")
        if not kwargs.get("name"):
            kwargs["name"] = naming.unique_name(f"input.{name_of_attribute}")
        kwargs["autocast"] = False
        super().__init__(**kwargs)
        self.__dict__["_attribute"] = name_of_attribute
        self.built = True
        self._must_restore_from_config = True


class InstanceProperty(_Attribute):
    """A layer that returns a property of a ragged or sparse tensor.

    Args:
        attr_name: the property's name.
        **kwargs: `name`, and what `Layer` takes.
    """

    _listed = PROPERTIES

    def __init__(self, attr_name: str, **kwargs: Any) -> None:
        super().__init__(attr_name, **kwargs)

    def call(self, obj: Any) -> Any:
        """The property."""
        return getattr(obj, self.__dict__["_attribute"])

    def get_config(self) -> Config:
        """The arguments that make a layer like this one."""
        config = {"name": self.name, "trainable": self.trainable, "dtype": self.dtype}
        return config | {"attr_name": self.__dict__["_attribute"]}


class InstanceMethod(_Attribute):
    """A layer that calls a method of a ragged or sparse tensor.

    Args:
        method_name: the method's name.
        **kwargs: `name`, and what `Layer` takes.
    """

    _listed = METHODS

    def __init__(self, method_name: str, **kwargs: Any) -> None:
        super().__init__(method_name, **kwargs)

    def call(self, obj: Any, args: Any, kwargs: Any) -> Any:
        """The method's result for these arguments."""
        return getattr(obj, self.__dict__["_attribute"])(*args, **kwargs)

    def get_config(self) -> Config:
        """The arguments that make a layer like this one."""
        config = {"name": self.name, "trainable": self.trainable, "dtype": self.dtype}
        return config | {"method_name": self.__dict__["_attribute"]}


def get_property(tensor: KerasTensor, name: str) -> KerasTensor:
    """A property of a symbolic composite value, as the output of a layer."""
    return InstanceProperty(name)(tensor)


def call_method(tensor: KerasTensor, name: str, args: tuple, kwargs: dict[str, object]) -> Any:
    """Calls a method of a symbolic composite value by a layer, and returns its output."""
    return InstanceMethod(name)(tensor, list(args), kwargs)


class MaskOf(Layer):
    """Returns the mask of its input."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._supports_masking = True
        self._compute_output_and_mask_jointly = True

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """The mask, true everywhere if there is none."""
        if mask is None:
            return _ops.ones(inputs._shape_tuple()[:2], "bool")
        return mask


def _restored(value: object) -> Any:
    """An index or operand from a configuration."""
    if isinstance(value, dict):
        if value.get("class_name") == "Ellipsis":
            return Ellipsis
        if set(value) == {"start", "stop", "step"}:
            return slice(value["start"], value["stop"], value["step"])
    if isinstance(value, list | tuple):
        items = [_restored(item) for item in value]
        index = any(isinstance(item, slice) or item is Ellipsis for item in items)
        return tuple(items) if index else items
    return value


def _apply(layer: TFOpLambda, args: Any, kwargs: dict[str, object]) -> Any:
    args, kwargs = map_arguments(real_tensor, tuple(args), kwargs)
    outputs = infer(layer.function, tuple(args), kwargs)
    return connect(layer, tuple(args), kwargs, outputs)


def _graph_of(args: tuple, kwargs: dict[str, object]) -> Any:
    """The program's graph that is built if tensors among the arguments belong to it, or None."""
    if not process.graphs_used:
        return None
    leaves = nest.flatten((args, kwargs))
    return building_graph() if any(map(is_symbolic, leaves)) else None


def call_function(function: Any, args: tuple, kwargs: dict[str, object]) -> Any:
    """Calls a function of symbolic tensors by a layer.

    If arguments include tensors of a program's graph, the call is in that graph. Returns NotImplemented
    for composed functions without a name in configurations: then the functions that they call become layers.
    """
    graph = _graph_of(args, kwargs)
    if graph is not None:
        return function(*as_tensors(args, graph), **as_tensors(kwargs, graph))
    if function is operator.getitem:
        return call_operator("__getitem__", *args)
    if function is _core.convert:
        return _convert(*args)
    if not op_names.is_native(function):
        if op_names.symbol_of(function) is None:
            return NotImplemented
        kwargs.pop("name", None)
    return _apply(TFOpLambda(function), args, kwargs)


def _convert(value: Any, dtype: object, dtype_hint: object) -> Any:
    if not isinstance(value, KerasTensor):
        return _apply(TFOpLambda(_ops.stack), (list(value),), {"axis": 0})
    if dtype is None or value.dtype == dtype:
        return value
    raise ValueError(
        f"Tensor conversion requested dtype {dtype} for a symbolic tensor of dtype "
        f"{value.dtype}: cast it with `tf.cast` first."
    )


def call_operator(name: str, *args: Any) -> KerasTensor:
    """Calls a Python operator on symbolic tensors by a layer."""
    graph = _graph_of(args, {})
    if graph is not None:
        first, *others = as_tensors(args, graph)
        return getattr(first, name)(*others)
    if name == "__getitem__":
        return _apply(SlicingOpLambda(operator.getitem), args, {})
    symbol = _SYMBOLS.get(name)
    if symbol is None:
        # A reflected operator: the symbolic tensor is on the right.
        symbol = _SYMBOLS[f"__{name.strip('_').removeprefix('r')}__"]
        args = args[::-1]
    if symbol == "math.logical_not" and not args[0].dtype.is_bool:
        return _apply(TFOpLambda(_ops.invert), args, {})
    return _apply(TFOpLambda(OPERATORS[symbol]), args, {})
