"""Operations on symbolic tensors, as layers of a functional model."""

from __future__ import annotations

import operator
from typing import Any

from eagerflow import _core
from eagerflow.keras import naming
from eagerflow.keras.engine.call_spec import call_spec_of
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.engine.node import connect, infer, map_arguments, real_tensor

_ops = _core.ops
_OPERATORS: dict[str, Any] = {
    f"__{name}__": getattr(operator, f"__{name}__")
    for name in (
        "add sub mul truediv floordiv mod pow matmul and or xor neg abs invert lt le gt ge eq ne "
        "getitem"
    ).split()
}


def _reflected(function: Any) -> Any:
    return lambda a, b: function(b, a)


for _name in "add sub mul truediv floordiv mod pow matmul and or xor".split():
    _OPERATORS[f"__r{_name}__"] = _reflected(_OPERATORS[f"__{_name}__"])


class TFOpLambda(Layer):
    """A layer that is one operation.

    Args:
        function: the operation's name, or the function itself.
        **kwargs: `name`, and what `Layer` takes.
    """

    function: Any
    _preserve_input_structure_in_config = True

    def __init__(self, function: Any, **kwargs: Any) -> None:
        if isinstance(function, str):
            symbol, function = function, function_of(function)
        else:
            symbol = symbol_of(function)
        kwargs.setdefault("name", None)
        if not kwargs["name"]:
            kwargs["name"] = naming.unique_name(f"tf.{symbol}")
        kwargs["autocast"] = False
        super().__init__(**kwargs)
        self.symbol = symbol
        self.__dict__["function"] = function
        self.built = True
        self._must_restore_from_config = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Applies the operation."""
        return self.function(*args, **kwargs)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Applies the operation."""
        return self.function(*args, **kwargs)

    def _argument_names(self) -> list[str]:
        if self.symbol.startswith("__operators__"):
            return ["x", "slice_spec" if self.symbol.endswith("getitem") else "y"]
        names = getattr(self.function, "parameters", None)
        if names is not None:
            return [str(name) for name in names]
        return call_spec_of(self.function).positional

    def _call_from_config(self, inputs: Any, kwargs: dict[str, Any]) -> Any:
        kwargs = {key: value for key, value in kwargs.items() if key != "name" or value is not None}
        args: tuple = (inputs,)
        if self.symbol.startswith("__operators__"):
            args = (inputs, *map(_restored, kwargs.values()))
            kwargs = {}
        return _apply(self, args, kwargs)

    def _call_again(self, args: list[Any], kwargs: dict[str, Any]) -> Any:
        return _apply(self, tuple(args), kwargs)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make a layer like this one."""
        config = {"name": self.name, "trainable": self.trainable, "dtype": self.dtype}
        return config | {"function": self.symbol}


class SlicingOpLambda(TFOpLambda):
    """A layer that picks parts of a tensor by an index."""


class MaskOf(Layer):
    """Gives the mask of its input."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._supports_masking = True
        self._compute_output_and_mask_jointly = True

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """The mask, true everywhere if there is none."""
        if mask is None:
            return _ops.ones(inputs._shape_tuple()[:2], "bool")
        return mask


def _restored(value: Any) -> Any:
    """An index or operand from a configuration."""
    if isinstance(value, dict):
        if value.get("class_name") == "Ellipsis":
            return Ellipsis
        if set(value) == {"start", "stop", "step"}:
            return slice(value["start"], value["stop"], value["step"])
    if isinstance(value, list | tuple):
        return tuple(_restored(item) for item in value)
    return value


def symbol_of(function: Any) -> str:
    """The name by which a model's configuration refers to an operation."""
    for name, known in _OPERATORS.items():
        if known is function:
            return f"__operators__.{name.strip('_')}"
    name = getattr(function, "__name__", None) or str(function)
    return name.rpartition(".")[2]


def function_of(symbol: str) -> Any:
    """The operation of a name in a configuration.

    Raises:
        ValueError: if there is none.
    """
    if symbol.startswith("__operators__."):
        return _OPERATORS[f"__{symbol.rpartition('.')[2]}__"]
    name = symbol.rpartition(".")[2]
    found = getattr(_ops, name, None)
    if found is None:
        import eagerflow

        found = eagerflow
        for part in symbol.split("."):
            found = getattr(found, part, None)
        if found is None:
            raise ValueError(f"There is no operation '{symbol}'.")
    return found


def _apply(layer: TFOpLambda, args: tuple, kwargs: dict[str, Any]) -> Any:
    args, kwargs = map_arguments(real_tensor, args, kwargs)  # type: ignore[assignment]
    outputs = infer(layer.function, tuple(args), kwargs)
    return connect(layer, tuple(args), kwargs, outputs)


def call_operation(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Makes an operation on symbolic tensors a layer call."""
    return _apply(TFOpLambda(function), tuple(args), dict(kwargs or {}))


def call_operator(name: str, *args: Any) -> Any:
    """Makes an operator on symbolic tensors a layer call."""
    kind = SlicingOpLambda if name == "__getitem__" else TFOpLambda
    return _apply(kind(_OPERATORS[name]), args, {})
