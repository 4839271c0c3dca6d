"""Configurations of layers: the arguments that make them, and the shapes they were built for."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from eagerflow.framework.shapes import TensorShape
from eagerflow.keras import activations, constraints, initializers, regularizers

# The modules that resolve arguments, by the last word of the arguments' names:
# `kernel_initializer` is an initializer.
_MODULES: dict[str, Any] = {
    "activation": activations,
    "initializer": initializers,
    "regularizer": regularizers,
    "constraint": constraints,
}

_Method = TypeVar("_Method", bound=Callable[..., Any])


def default(method: _Method) -> _Method:
    """Marks a method that subclasses are expected to override, for packages that ask whether they do."""
    method._is_default = True  # type: ignore[attr-defined]
    return method


def resolve_arguments(layer: Any, arguments: dict[str, object]) -> None:
    """Resolves arguments to functions, and stores these in attributes of a layer.

    Args:
        layer: the layer.
        arguments: the `locals()` of its `__init__`. Activations,
            initializers, regularizers and constraints may be names, configurations or functions;
            other arguments, and those that a base class has resolved, are ignored.
    """
    for name, value in arguments.items():
        module = _MODULES.get(name.rpartition("_")[2])
        if module is not None and name != "activity_regularizer" and name not in layer.__dict__:
            setattr(layer, name, module.get(value))


def serialize_argument(name: str, value: object) -> Any:
    """The plain form of an argument: functions as their names or configurations."""
    module = _MODULES.get(name.rpartition("_")[2])
    return value if module is None else module.serialize(value)


def config_of_call(
    instance: object, arguments: tuple[tuple, dict[str, Any]], config: dict[str, Any]
) -> dict[str, Any]:
    """A configuration of the arguments that an instance of a program's class was made with.

    Args:
        instance: the layer or model.
        arguments: the positional and the keyword arguments of the constructor's call.
        config: what every layer or model has in its configuration.

    Raises:
        NotImplementedError: if an argument is no plain value.
    """
    args, kwargs = arguments
    parameters = list(inspect.signature(type(instance).__init__).parameters.values())[1:]
    names = [p.name for p in parameters if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    if not any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters):
        config = {key: value for key, value in config.items() if key in names}
    for key, value in (dict(zip(names, args, strict=False)) | kwargs).items():
        if key in ("trainable", "dtype") or (key == "name" and value is None):
            continue
        if not _is_plain(value):
            raise NotImplementedError(
                f"Layer {type(instance).__name__} was created by passing non-serializable argument "
                f"values in `__init__()`, and therefore the layer must override `get_config()` in "
                f"order to be serializable: `{key}` is {value!r}."
            )
        config[key] = value
    return config


def _is_plain(value: object) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    return value is None or isinstance(value, str | int | float | bool)


def tensor_shapes(shape: Any) -> Any:
    """What `plain_shape` was given; lists of sizes, as files have them, are shapes, too."""
    if isinstance(shape, dict):
        return {key: tensor_shapes(value) for key, value in shape.items()}
    if isinstance(shape, list | tuple):
        if all(size is None or isinstance(size, int) for size in shape):
            return TensorShape(shape)
        return type(shape)(tensor_shapes(value) for value in shape)
    return shape


def plain_shape(shape: object) -> Any:
    """A shape, or a structure of shapes, as tuples of sizes."""
    if isinstance(shape, TensorShape):
        return None if shape.rank is None else tuple(shape.as_list())
    if isinstance(shape, dict):
        return {key: plain_shape(value) for key, value in shape.items()}
    if isinstance(shape, list):
        return [plain_shape(value) for value in shape]
    if isinstance(shape, tuple):
        return tuple(plain_shape(value) for value in shape)
    return shape
