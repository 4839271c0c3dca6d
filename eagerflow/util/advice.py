"""Attributes that a class lacks, and keywords that a function does not have: errors that say what to write.

What they say stands in `eagerflow/util/habits.py` and is imported when an error is raised.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, cast

from eagerflow.util import lazy

# Imports modules that import this one.
hints = lazy.Module("eagerflow.util.hints")

Function = TypeVar("Function", bound=Callable[..., Any])


class Missing:
    """An attribute that other packages' objects have: who reads it hears what to write here.

    Unlike a `__getattr__` of the class, it costs nothing where other attributes are read, and errors
    of the properties of subclasses stay what they are.

    Args:
        name: the attribute's name.
        table: which table of `eagerflow/util/habits.py` has it.
    """

    __slots__ = ("_name", "_table")

    def __init__(self, name: str, table: str) -> None:
        self._name = name
        self._table = table

    def __get__(self, instance: object, owner: type) -> Any:
        for base in owner.__mro__:
            found = vars(base).get(self._name, self)
            if not isinstance(found, Missing):  # of a class that comes later, such as a mixin
                bind = getattr(type(found), "__get__", None)
                return found if bind is None else bind(found, instance, owner)
        raise hints.missing_attribute(owner, self._name, self._table, instance is None)


def lacks(cls: type, table: str, names: str) -> None:
    """Lets errors of attributes that a class lacks say what to write instead.

    Args:
        cls: the class; attributes that it has stay.
        table: the table of `eagerflow/util/habits.py` that has the names.
        names: the names, in one text.

    >>> from eagerflow.util import advice
    >>> class Point:
    ...     pass
    >>> advice.lacks(Point, "TENSOR", "numel")
    >>> hasattr(Point(), "numel"), "numel" in dir(Point())
    (False, False)
    """

    def __dir__(self: object) -> list[str]:
        own = vars(self) if hasattr(self, "__dict__") else ()
        names = object.__dir__(self)
        return [name for name in names if name in own or not _is_missing_in(type(self), name)]

    for name in names.split():
        if not hasattr(cls, name):
            setattr(cls, name, Missing(name, table))
    setattr(cls, "__dir__", __dir__)  # noqa: B010


class ListsOwnAttributes(type):
    """A metaclass whose classes do not list what they lack, for programs that read all that is listed.

    >>> from eagerflow.util.advice import ListsOwnAttributes, lacks
    >>> class Point(metaclass=ListsOwnAttributes):
    ...     pass
    >>> lacks(Point, "TENSOR", "numel")
    >>> "numel" in dir(Point)
    False
    """

    def __dir__(cls) -> list[str]:
        return [name for name in super().__dir__() if not _is_missing_in(cls, name)]


def _is_missing_in(cls: type, name: str) -> bool:
    found = [vars(base)[name] for base in cls.__mro__ if name in vars(base)]
    return bool(found) and all(isinstance(value, Missing) for value in found)


def explained(function: Function) -> Function:
    """Decorates a function in Python whose errors say, where a keyword is unknown, which one was meant.

    A call costs one more: not for functions that programs call often.
    """

    @functools.wraps(function)
    def call(*args: object, **kwargs: object) -> object:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if kwargs:
                hints.explain(error, function, kwargs)
            raise

    return cast(Function, call)


def explain_methods(cls: type) -> None:
    """Decorates the public methods of a class by `explained`."""
    for name, value in list(vars(cls).items()):
        if name[0] == "_":
            continue
        if isinstance(value, FunctionType):
            setattr(cls, name, explained(value))
        elif isinstance(value, staticmethod | classmethod):
            setattr(cls, name, type(value)(explained(value.__func__)))
