"""Calls of functions whose control flow works on symbolic tensors."""

from __future__ import annotations

import functools
import inspect
import types
import weakref
from collections.abc import Callable
from typing import Any

from eagerflow.autograph import libraries, log, status
from eagerflow.autograph.directives import bound_function, do_not_convert, final, is_final
from eagerflow.autograph.user_code import call_converted, explained
from eagerflow.util import lazy

# Imported when a function of the program's is converted; the latter imports malt.
builtin_functions = lazy.Module("eagerflow.autograph.operators.builtin_functions")
transpiler = lazy.Module("eagerflow.autograph.transpiler")


def convert(function: Callable[..., object], features: Any = None) -> Callable[..., Any]:
    """A function that a program has asked to be traced, with converted control flow.

    It runs with the status ENABLED. Its errors say where in the user's code they were raised.

    Args:
        function: the function; one that cannot be converted runs as it is.
        features: None, a Feature, or several of them.
    """

    # The package's own functions run unconverted, without imports. Other libraries' are converted.
    as_it_is = isinstance(function, types.FunctionType) and libraries.is_own(function)

    def converted(*args: Any, **kwargs: Any) -> Any:
        try:
            with status.using(status.Status.ENABLED):
                if as_it_is:
                    return function(*args, **kwargs)
                options = transpiler.options(features, user_requested=True)
                return converted_call(function, args, kwargs, options=options)
        except Exception as error:
            told = explained(error)
            if told is error:
                raise
            raise told from error.__cause__

    if inspect.isfunction(function) or inspect.ismethod(function):
        functools.update_wrapper(converted, function)
    return final(converted)


def convert_in_context(function: Callable[..., object]) -> Callable[..., Any]:
    """A function that a library calls for the program, converted unless its caller is not.

    Args:
        function: the function. One that is converted already is returned as it is.
    """
    if is_final(function):
        return function
    if status.current() is status.Status.DISABLED:
        return do_not_convert(function)
    return convert(function)


def converted_call(
    function: Any,
    args: tuple,
    kwargs: dict[str, object] | None,
    scope: Any = None,
    options: Any = None,
) -> Any:
    """Calls a function, converted where it is the user's.

    Args:
        function: the callable.
        args: its positional arguments.
        kwargs: its keyword arguments, or None.
        scope: the FunctionScope of the converted function that calls it.
        options: how it is converted; by default as `scope` says.
    """
    if options is None:
        options = scope.callopts
    if status.current() is status.Status.DISABLED or is_final(function):
        return _call(function, args, kwargs)
    if isinstance(function, functools.partial):
        merged = {**function.keywords, **(kwargs or {})}
        return converted_call(function.func, (*function.args, *args), merged, scope, options)
    overload = builtin_functions.overload_of(function)
    if overload is not None:
        return _call(overload, args, kwargs)
    if not options.internal_convert_user_code:
        return _call(function, args, kwargs)
    if libraries.runs_as_it_is(function, asked=options.user_requested):
        return _call(function, args, kwargs)
    if isinstance(function, types.MethodType):
        args = (function.__self__, *args)
        return converted_call(function.__func__, args, kwargs, scope, options)
    if not isinstance(function, types.FunctionType):
        called = type(function).__call__
        if isinstance(called, types.FunctionType):
            return converted_call(called, (function, *args), kwargs, scope, options)
        return _call(function, args, kwargs)
    bound = bound_function(function)
    if bound is not None:
        return converted_call(bound[0], (bound[1], *args), kwargs, scope, options)
    if function in _unconvertible:
        return _call(function, args, kwargs)
    try:
        converted = transpiler.convert(function, options)
    except Exception as error:
        _warn_once(function, error)
        return _call(function, args, kwargs)
    log.report(1, "Converted call of %s", function)
    return call_converted(converted, args, kwargs)


def _call(function: Any, args: tuple, kwargs: dict[str, Any] | None) -> Any:
    return function(*args, **kwargs) if kwargs else function(*args)


# Functions that run as they are because they cannot be converted.
_unconvertible: weakref.WeakSet[types.FunctionType] = weakref.WeakSet()


def _warn_once(function: types.FunctionType, error: Exception) -> None:
    """Warns that a function runs as it is."""
    _unconvertible.add(function)
    log.warn(
        "AutoGraph could not transform %s and will run it as-is.\nCause: %s\nTo silence this "
        "warning, decorate the function with @tf.autograph.experimental.do_not_convert",
        function,
        error,
    )
