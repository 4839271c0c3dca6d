"""The names under which classes of specs stand in files."""

from __future__ import annotations

from collections.abc import Callable

CLASSES: dict[str, type] = {}
NAMES: dict[type, str] = {}


def register(name: str) -> Callable[[type], type]:
    """A decorator that registers a spec's class under a name such as "package.Name".

    Raises:
        ValueError: if the name or the class has been registered already.
    """
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")

    def decorated(cls: type) -> type:
        if name in CLASSES:
            other = CLASSES[name]
            raise ValueError(
                f"Name {name} has already been registered for class "
                f"{other.__module__}.{other.__name__}."
            )
        if cls in NAMES:
            raise ValueError(
                f"Class {cls.__module__}.{cls.__name__} has already been registered with name "
                f"{get_name(cls)}."
            )
        CLASSES[name] = cls
        NAMES[cls] = name
        return cls

    return decorated


def get_name(cls: type) -> str:
    """The name under which a spec's class has been registered.

    Raises:
        ValueError: if it has not been.
    """
    if cls not in NAMES:
        raise ValueError(f"TypeSpec {cls.__module__}.{cls.__name__} has not been registered.")
    return NAMES[cls]


def is_named(cls: type) -> bool:
    """Whether a class has been registered."""
    return cls in NAMES


def lookup(name: str) -> type:
    """The spec's class that has been registered under a name.

    Raises:
        ValueError: if there is none.
    """
    if name not in CLASSES:
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return CLASSES[name]
