"""Configurations from the attributes in which `__init__` stores its arguments."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from eagerflow.util import own_code

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def arguments_config(
    instance: object,
    root: type,
    serialize: Callable[[str, Any], Any] | None = None,
    optional: bool = False,
) -> dict[str, Any]:
    """The constructor arguments of an instance, for its `get_config`.

    Each argument is read from the attribute of its name, with or without an underscore before it.
    The class's `_unsaved_arguments` are left out. For a class of a program, these are the
    arguments of the class of this package that it extends.

    Args:
        instance: the object.
        root: a base class whose arguments are left out.
        serialize: converts an argument's name and value to plain values.
        optional: whether the result is empty if an argument is missing, because a subclass did not
            call that `__init__`.

    Raises:
        AttributeError: if an argument is missing.
    """
    unsaved = getattr(instance, "_unsaved_arguments", ())
    config = {}
    attributes = vars(instance)
    for name in _argument_names(type(instance), root):
        if name in unsaved:
            continue
        if name in attributes:
            value = attributes[name]
        elif f"_{name}" in attributes:
            value = attributes[f"_{name}"]
        elif hasattr(instance, name) or not optional:
            value = getattr(instance, name)
        else:
            return {}
        config[name] = value if serialize is None else serialize(name, value)
    return config


def _argument_names(cls: type, root: type) -> tuple[str, ...]:
    for base in cls.__mro__:
        if base is root:
            break
        if own_code.is_own(base.__module__) and "__init__" in vars(base):
            names = _own_argument_names(base, root)
            if names:
                return names
    return ()


@functools.cache
def _own_argument_names(cls: Any, root: Any) -> tuple[str, ...]:
    excluded = {"self", *inspect.signature(root.__init__).parameters}
    parameters = inspect.signature(cls.__init__).parameters.values()
    return tuple(p.name for p in parameters if p.kind in _NAMED and p.name not in excluded)
