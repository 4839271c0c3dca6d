"""Hyperparameters of the legacy optimizers, which may be computed at each step."""

from __future__ import annotations

from typing import Any

from eagerflow.keras.optimizers.scalars import number


class Hyperparameter:
    """An attribute that is given as a number, a tensor, a variable, or a function of no arguments.

    Reading it gives a float, or a scalar of the graph while a function is traced.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = f"_{name}"

    def __get__(self, optimizer: Any, owner: type | None = None) -> Any:
        if optimizer is None:
            return self
        value = optimizer.__dict__.get(self._name)
        if type(value) is float or value is None:
            return value
        return number(given(value))

    def __set__(self, optimizer: Any, value: Any) -> None:
        optimizer.__dict__[self._name] = value


def given(value: Any) -> Any:
    """What was given for a hyperparameter: the result of a function, others as they are."""
    plain = hasattr(value, "dtype") or hasattr(value, "get_config")
    return value() if callable(value) and not plain else value


def names_of(optimizer: type) -> set[str]:
    """The names of the hyperparameters of a class."""
    return {
        name
        for base in optimizer.__mro__
        for name, attribute in vars(base).items()
        if isinstance(attribute, Hyperparameter)
    }
