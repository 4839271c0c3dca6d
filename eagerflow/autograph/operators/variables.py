"""Variables of converted functions, which may be unbound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Undefined:
    """The value of a variable that is not bound.

    Args:
        name: the variable's name.
    """

    __slots__ = ("_variable",)

    def __init__(self, name: str) -> None:
        self._variable = name

    def __repr__(self) -> str:
        return self._variable

    def __getitem__(self, key: object) -> Undefined:
        return self  # an element of what is not bound is not bound


class UndefinedReturnValue:
    """The value of a function that has not returned yet."""


def is_undefined(value: object) -> bool:
    """Whether a variable has no value."""
    return isinstance(value, Undefined | UndefinedReturnValue)


def ld(value: object) -> Any:
    """The value of a variable that is read.

    Raises:
        UnboundLocalError: if it has none.
    """
    if type(value) is Undefined:
        raise UnboundLocalError(f"'{value!r}' is used before assignment")
    return value


def ldu(load: Callable[[], object], name: str) -> Any:
    """The value of an attribute or element, or Undefined if there is none."""
    try:
        return load()
    except (AttributeError, KeyError, NameError):
        return Undefined(name)
