"""Classes that programs of TensorFlow know by another name and module than they have here.

Libraries tell datasets by the names of classes, without importing TensorFlow. Classes register here when
they are defined, which may be before or after the drop-in is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_Class = TypeVar("_Class", bound=type)
_Name = tuple[str, str, str]  # module, name, qualified name

_given: list[tuple[type, _Name]] = []
_own: list[tuple[type, _Name]] = []
_shown = False


def known_as(module: str, name: str) -> Callable[[_Class], _Class]:
    """Registers a class's name for programs where the drop-in is installed.

    Args:
        module: the module in TensorFlow.
        name: the name there.
    """

    def register(cls: _Class) -> _Class:
        _given.append((cls, (module, name, name)))
        if _shown:
            _rename(cls, (module, name, name))
        return cls

    return register


def rename(cls: type, module: str, name: str) -> None:
    """Gives a class another name until `restore`."""
    _rename(cls, (module, name, name))


def show() -> None:
    """Gives all registered classes, also those to come, the names in TensorFlow."""
    global _shown
    _shown = True
    for cls, name in _given:
        _rename(cls, name)


def restore() -> None:
    """Gives all classes their own names again."""
    global _shown
    _shown = False
    while _own:
        cls, name = _own.pop()
        cls.__module__, cls.__name__, cls.__qualname__ = name


def _rename(cls: type, name: _Name) -> None:
    _own.append((cls, (cls.__module__, cls.__name__, cls.__qualname__)))
    cls.__module__, cls.__name__, cls.__qualname__ = name
