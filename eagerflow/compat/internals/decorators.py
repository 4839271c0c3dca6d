"""tensorflow.python.util: decorators that mark functions and change nothing."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def tf_export(*names: str, **kwargs: Any) -> Callable[[Any], Any]:
    """A decorator that leaves a function or class as it is."""
    return lambda function: function


keras_export = tf_export


def deprecated(
    date: str | None, instructions: str, warn_once: bool = True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that leaves a function as it is."""
    return lambda function: function


deprecated_args = deprecated
deprecated_endpoints = tf_export


def make_decorator(
    target: Callable[..., Any], decorator_func: Callable[..., Any], *args: Any, **kwargs: Any
) -> Any:
    """A function that looks like `target`."""
    return functools.wraps(target)(decorator_func)


def unwrap(function: Callable[..., Any]) -> tuple[list[Any], Callable[..., Any]]:
    """The function inside all decorators."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return [], function
