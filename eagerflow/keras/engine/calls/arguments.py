"""The signature of a layer's `call`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from eagerflow import nest


class CallSpec:
    """The signature of a `call` method, read once per class.

    Args:
        call: the function, its first parameter being the layer.
    """

    def __init__(self, call: Callable[..., Any]) -> None:
        try:
            parameters = list(inspect.signature(call).parameters.values())
        except (TypeError, ValueError):
            parameters = []
        named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        self.full_names = [p.name for p in parameters if p.kind in named]
        self.positional = [
            p.name for p in parameters if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
        ]
        self.takes_any_keyword = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)
        self.takes_any_positional = any(
            p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters
        )
        self.defaults = {
            p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty
        }
        self.required = [
            p.name for p in parameters if p.kind in named and p.default is inspect.Parameter.empty
        ]
        self.first = self.positional[0] if self.positional else "inputs"
        self.expects_training = "training" in self.full_names or self.takes_any_keyword
        self.expects_mask = "mask" in self.full_names or self.takes_any_keyword
        self.default_training = self.defaults.get("training")

    def has(self, name: str, args: tuple, kwargs: dict[str, Any]) -> bool:
        """Whether a call's arguments, including the first, contain `name`."""
        if name in kwargs:
            return True
        return name in self.positional and self.positional.index(name) < len(args)

    def value(self, name: str, args: tuple, kwargs: dict[str, Any]) -> Any:
        """The argument `name` of a call that has it."""
        if name in kwargs:
            return kwargs[name]
        return args[self.positional.index(name)]

    def with_value(
        self, name: str, value: Any, args: tuple, kwargs: dict[str, Any]
    ) -> tuple[tuple, dict[str, Any]]:
        """The arguments with another value for `name`."""
        if name in self.positional:
            position = self.positional.index(name)
            if position < len(args):
                return (*args[:position], value, *args[position + 1 :]), kwargs
        return args, {**kwargs, name: value}

    def missing_first(self, layer_name: str, kwargs: dict[str, Any]) -> ValueError:
        """The error of a call without its first argument."""
        return ValueError(
            f"The first argument to `Layer.call` must always be passed: layer '{layer_name}' needs "
            f"`{self.first}`, but was given only {sorted(kwargs)}."
        )


# The signatures of `call` methods by function.
_specs: dict[Any, CallSpec] = {}


def call_spec_of(call: Any) -> CallSpec:
    """The signature of a bound `call` method."""
    bound_to = getattr(call, "__self__", None)
    function = getattr(call, "__func__", call)
    if bound_to is None:
        return CallSpec(function)
    spec = _specs.get(function)
    if spec is None:
        spec = _specs[function] = CallSpec(call)
    return spec


def flatten_arguments(args: tuple, kwargs: dict[str, object]) -> list[Any]:
    """All leaves of a call's arguments."""
    flat: list[Any] = []
    for value in (*args, *kwargs.values()):
        for leaf in nest.flatten(value):
            if isinstance(leaf, slice):
                flat.extend((leaf.start, leaf.stop, leaf.step))
            else:
                flat.append(leaf)
    return flat


def map_arguments(function: Any, args: tuple, kwargs: dict[str, object]) -> tuple[list, dict]:
    """The arguments of a call with `function` applied to every leaf."""

    def mapped(value: object) -> Any:
        if isinstance(value, slice):
            return slice(function(value.start), function(value.stop), function(value.step))
        if nest.is_nested(value):
            return nest.map_structure(mapped, value)
        return function(value)

    return [mapped(value) for value in args], {key: mapped(value) for key, value in kwargs.items()}
