"""Dispatchers of calls that raise a TypeError or ValueError, as they do for values of other libraries.

Registered dispatchers are called by one fallback of all function objects
(`core/bindings/function_object.cpp`); calls that succeed pay nothing for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core, nest
from eagerflow.experimental.dispatch import function_with_dispatch
from eagerflow.util import lazy

# Imported when a program has registered a dispatcher.
op_names = lazy.Module("eagerflow.keras.engine.functional.op_names")


class OpDispatcher:
    """Replaces calls of a function whose arguments the function itself does not accept.

    >>> from eagerflow.experimental import fallback_dispatch
    >>> class Meters:
    ...     value = 2.0
    >>> class OfMeters(fallback_dispatch.OpDispatcher):
    ...     def handle(self, args, kwargs):
    ...         return "meters" if isinstance(args[0], Meters) else self.NOT_SUPPORTED
    >>> OfMeters().register(tf.math.digamma)
    >>> tf.math.digamma(Meters())
    'meters'
    """

    NOT_SUPPORTED = object()

    def handle(self, args: tuple, kwargs: dict[str, object]) -> object:
        """The result for these arguments, or NOT_SUPPORTED."""
        return self.NOT_SUPPORTED

    def register(self, op: Callable) -> None:
        """Asks this dispatcher about failed calls of the function.

        Raises:
            ValueError: if `op` is not a function of TensorFlow's.
        """
        _of_function.setdefault(function_with_dispatch(op), []).append(self)
        _core.set_fallback(_fallback)


class GlobalOpDispatcher:
    """Replaces calls of any function that does not accept its arguments itself."""

    NOT_SUPPORTED = OpDispatcher.NOT_SUPPORTED

    def handle(self, op: Callable, args: tuple, kwargs: dict[str, object]) -> Any:
        """The result of `op` for these arguments, or NOT_SUPPORTED."""

    def register(self) -> None:
        """Asks this dispatcher about failed calls of all functions."""
        _of_all.append(self)
        _core.set_fallback(_fallback)


class _TypeDispatcher(OpDispatcher):
    def __init__(self, function: Callable, types: tuple[type, ...]) -> None:
        self._function = function
        self._types = types

    def handle(self, args: tuple, kwargs: dict[str, object]) -> Any:
        if any(isinstance(item, self._types) for item in nest.flatten([args, kwargs])):
            return self._function(*args, **kwargs)
        return self.NOT_SUPPORTED


_of_function: dict[Any, list[OpDispatcher]] = {}
_of_all: list[GlobalOpDispatcher] = []


def _fallback(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    for dispatcher in _of_function.get(function, ()):
        result = dispatcher.handle(args, kwargs)
        if result is not OpDispatcher.NOT_SUPPORTED:
            return result
    if not _of_all or _is_part(function):
        return NotImplemented
    for anywhere in _of_all:
        result = anywhere.handle(function, args, kwargs)
        if result is not OpDispatcher.NOT_SUPPORTED:
            return result
    return NotImplemented


def _is_part(function: object) -> bool:
    """Whether a function is an operation of public functions, whose dispatchers run instead."""
    return function.__module__ == "eagerflow" and op_names.symbol_of(function) is None


def dispatch_for_types(op: Callable, *types: type) -> Callable[[Callable], Callable]:
    """A decorator: the function replaces failed calls of `op` where an argument has such a type."""

    def register(function: Callable) -> Callable:
        _TypeDispatcher(function, types).register(op)
        return function

    return register
