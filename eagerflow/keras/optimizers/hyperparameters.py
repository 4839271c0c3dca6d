"""Hyperparameters of the legacy optimizers, which become variables when they are first used."""

from __future__ import annotations

from typing import Any


class Hyperparameter:
    """An attribute that is set to a scalar, a tensor, a variable, a schedule or a function.

    Reading it returns the variable that holds the scalar, the result of the function, or the value
    itself.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, optimizer: Any, owner: type | None = None) -> Any:
        if optimizer is None:
            return self
        if self._name not in optimizer._hyper:
            kind = type(optimizer).__name__
            raise AttributeError(f"{kind!r} object has no attribute {self._name!r}")
        return optimizer._get_hyper(self._name)

    def __set__(self, optimizer: Any, value: object) -> None:
        optimizer._set_hyper(self._name, value)


def given(value: object) -> Any:
    """The value of a hyperparameter: calls a function, and returns other values unchanged."""
    plain = hasattr(value, "dtype") or hasattr(value, "get_config")
    return value() if callable(value) and not plain else value


def names_of(optimizer: type) -> set[str]:
    """The names of the hyperparameters that a class declares."""
    return {
        attribute._name
        for base in optimizer.__mro__
        for attribute in vars(base).values()
        if isinstance(attribute, Hyperparameter)
    }
