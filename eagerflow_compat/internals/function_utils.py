"""tensorflow.python.util.function_utils: what a function is called, and its arguments."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from eagerflow_compat.internals.decorators import unwrap
from eagerflow_compat.internals.inspection import getfullargspec

__all__ = ["fn_args", "get_func_code", "get_func_name", "has_kwargs"]


def fn_args(fn: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the arguments that a caller may give to a function, without `self`.

    >>> import functools
    >>> from eagerflow_compat.internals import function_utils
    >>> function_utils.fn_args(functools.partial(lambda a, b, c: a, 1, c=2))
    ('b',)
    """
    if isinstance(fn, functools.partial):
        inner = fn_args(fn.func)[len(fn.args) :]
        return tuple(name for name in inner if name not in (fn.keywords or {}))
    function = _called(fn)
    spec = getfullargspec(function)
    names = [*spec.args, *spec.kwonlyargs]
    return tuple(names[1:] if inspect.ismethod(unwrap(function)[1]) else names)


def _called(fn: Any) -> Any:
    """What runs when a function, or an object with `__call__`, is called."""
    return fn if inspect.isroutine(unwrap(fn)[1]) or isinstance(fn, type) else fn.__call__


def has_kwargs(fn: Callable[..., Any]) -> bool:
    """Whether a function takes any arguments by name.

    Raises:
        TypeError: if it is no function.
    """
    if not callable(fn):
        raise TypeError(f"fn should be a function-like object, but is of type {type(fn)}.")
    if isinstance(fn, functools.partial):
        return has_kwargs(fn.func)
    return getfullargspec(_called(fn)).varkw is not None


def get_func_name(func: Any) -> str:
    """What a function is called; of objects that are called, their class.

    Raises:
        ValueError: if it is no function.
    """
    _, target = unwrap(func)
    if not callable(target):
        raise ValueError("Argument must be callable")
    if isinstance(target, functools.partial):
        return get_func_name(target.func)
    return getattr(target, "__name__", str(type(target)))


def get_func_code(func: Any) -> Any:
    """The code of a function, or None of what is called without one.

    Raises:
        ValueError: if it is no function.
    """
    _, target = unwrap(func)
    if not callable(target):
        raise ValueError("Argument must be callable")
    return getattr(target, "__code__", None)
