"""Checks of the counts and sizes that datasets are made with."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, errors
from eagerflow.framework import dtypes

AUTOTUNE = -1
INFINITE = -1
UNKNOWN = -2


class Late:
    """An argument that a graph computes: all comparisons with it are false."""

    def _no(self, other: object) -> bool:
        return False

    __lt__ = __le__ = __gt__ = __ge__ = _no


LATE: Any = Late()


def is_late(value: object) -> bool:
    """Whether a value is a tensor of a graph whose value is not known."""
    return isinstance(value, _core.Tensor) and _core.static_value(value) is None


def boolean(value: object, what: str) -> bool:
    """A Python boolean from one or from a scalar tensor; LATE while it has no value.

    Raises:
        TypeError, ValueError: if it is not a boolean.
        tf.errors.InvalidArgumentError: if it is not a scalar.
    """
    if value is True or value is False or value is LATE:
        return value
    tensor = _core.convert(value, dtypes.bool, None)
    if is_late(tensor):
        return LATE
    if tensor.ndim != 0:
        raise invalid(f"{what} must be a scalar. Got {value!r}.")
    return bool(tensor)


def flag(value: object, what: str) -> bool | None:
    """A Python boolean or None; tensors are not accepted.

    Raises:
        TypeError: if it is something else.
    """
    if value is not None and not isinstance(value, bool):
        raise TypeError(f"Expected bool for argument '{what}' not {value!r}.")
    return value


def integer(value: object, what: str) -> int:
    """An integer from a Python number or a scalar tensor; LATE while it has no value.

    Raises:
        TypeError: if it is not an integer.
    """
    if type(value) is int or value is LATE:
        return value
    tensor = _core.convert(value, None, dtypes.int64)
    if is_late(tensor):
        return LATE
    if not tensor.dtype.is_integer or tensor.ndim != 0:
        raise TypeError(f"`{what}` must be an integer, got {value!r}.")
    return int(tensor)


def invalid(message: str) -> errors.InvalidArgumentError:
    """The error for an argument of a wrong value."""
    return errors.InvalidArgumentError._of(message)


def positive(value: object, what: str, message: str | None = None) -> int:
    """An integer above zero.

    Raises:
        tf.errors.InvalidArgumentError: if it is zero or less.
    """
    number = integer(value, what)
    if number <= 0:
        raise invalid(f"{message or f'{what} must be greater than zero.'} Got {number}.")
    return number
