"""Functions of the program in pipelines: checked when they are given, and called with elements."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from eagerflow import errors
from eagerflow.data import structure
from eagerflow.framework import context

# Of the flags of compiled code: the function takes any number of arguments.
_TAKES_MORE = 4


def caller_of(function: Callable[..., Any]) -> Callable[[Any], Any]:
    """A function of one element that passes a tuple's components to `function` as arguments.

    An error that would look like the end of the pipeline is replaced; see `not_the_end`.
    """

    def call(element: Any) -> Any:
        try:
            if type(element) is tuple:
                return function(*element)
            return function(element)
        except (StopIteration, errors.OutOfRangeError) as error:
            raise not_the_end(error) from error

    return call


def not_the_end(
    error: BaseException, kind: Callable[..., errors.OpError] = errors.InternalError
) -> BaseException:
    """The error that a pipeline raises where a function raises an end-of-sequence error.

    Args:
        error: a StopIteration or an OutOfRangeError, which ends the reading of the pipeline itself.
        kind: the class of errors that TensorFlow has for functions of this step.
    """
    if isinstance(error, StopIteration):
        return RuntimeError("A function of the pipeline raised StopIteration.")
    return kind(None, None, f"Function invocation produced OutOfRangeError: {error}")


def checked_function(
    function: Any, name: str = "func", arguments: int | None = None
) -> Callable[..., Any]:
    """Checks and returns a function.

    Args:
        function: what the program gave.
        name: the parameter's name.
        arguments: the number of arguments it will be called with, if known.

    Raises:
        ValueError: if it cannot be called.
        TypeError: if it cannot be called with that number of arguments.
    """
    if not callable(function):
        raise ValueError(
            f"Argument `{name}` must be a callable. Received {name}={function} "
            f"(of type {type(function)})"
        )
    if getattr(function, "input_signature", None) is None:
        function = getattr(function, "python_function", function)
    if arguments is not None:
        _check_arguments(function, name, arguments)
    if not context.process.graphs_used:
        return function

    def run_eagerly(*args: Any) -> Any:
        with context.running_eagerly():
            return function(*args)

    return run_eagerly


def _check_arguments(function: Any, name: str, count: int) -> None:
    """Checks that a function can be called with a number of arguments.

    Raises:
        TypeError: if not.
    """
    if type(function) is FunctionType:
        code = function.__code__
        optional = len(function.__defaults__ or ())
        if (
            code.co_argcount - optional <= count
            and (count <= code.co_argcount or code.co_flags & _TAKES_MORE)
            and code.co_kwonlyargcount <= len(function.__kwdefaults__ or ())
        ):
            return
    import inspect

    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # native functions may have no signature
    try:
        signature.bind(*[None] * count)
    except TypeError as error:
        parts = "1 argument" if count == 1 else f"{count} arguments"
        raise TypeError(
            f"`{name}` is called with {parts}, which {_name_of(function)}{signature} does not take: "
            f"{error}. An element that is a tuple is handed over as its parts."
        ) from None


def _name_of(function: Any) -> str:
    return getattr(function, "__qualname__", None) or type(function).__qualname__


def parts_of_elements(dataset: Any) -> int | None:
    """The number of arguments a function of an element is called with; None if unknown."""
    like = dataset._like()
    if like is None:
        return None
    return len(like[0]) if type(like[0]) is tuple else 1


def is_true(value: Any) -> bool:
    """The truth of what a predicate returned.

    Raises:
        ValueError: if it is no boolean scalar.
    """
    if value is True or value is False:
        return value
    leaf = structure.as_leaf(value)
    if getattr(leaf, "dtype", None) is None or leaf.dtype.name != "bool" or leaf.ndim != 0:
        raise ValueError(
            "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return "
            f"type is {structure.spec_of(leaf)}."
        )
    return bool(leaf)
