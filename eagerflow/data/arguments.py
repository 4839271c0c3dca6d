"""Checks of the counts and sizes that datasets are made with."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, errors
from eagerflow.framework import dtypes

AUTOTUNE = -1
INFINITE = -1
UNKNOWN = -2


def integer(value: Any, what: str) -> int:
    """An integer from a Python number or a scalar tensor.

    Raises:
        TypeError: if it is no integer.
    """
    if type(value) is int:
        return value
    tensor = _core.convert(value, None, dtypes.int64)
    if not tensor.dtype.is_integer or tensor.ndim != 0:
        raise TypeError(f"`{what}` must be an integer, got {value!r}.")
    return int(tensor)


def invalid(message: str) -> errors.InvalidArgumentError:
    """The error for an argument of a wrong value."""
    return errors.InvalidArgumentError(None, None, message)


def positive(value: Any, what: str, message: str | None = None) -> int:
    """An integer above zero.

    Raises:
        tf.errors.InvalidArgumentError: if it is zero or less.
    """
    number = integer(value, what)
    if number <= 0:
        raise invalid(f"{message or f'{what} must be greater than zero.'} Got {number}.")
    return number
