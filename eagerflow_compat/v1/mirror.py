"""Version 1's namespaces: those of version 2, under their deprecated names too."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from types import ModuleType
from typing import Any

# Namespaces whose functions are the same in both versions, apart from what a module of
# `eagerflow_compat.compat.v1` says.
FUNCTIONS = frozenset(
    {"audio", "bitwise", "image", "io", "linalg", "math", "nn", "quantization", "ragged", "random"}
    | {"sets", "signal", "sparse", "strings"}
)


_OLDER = "eagerflow_compat.v1."


def mirror(
    module: str,
    *sources: str,
    renamed: Mapping[str, str] | None = None,
    hidden: Collection[str] = (),
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The functions `__getattr__` and `__dir__` of a module that exports the names of others.

    Names are imported when they are first used.

    Args:
        module: the name of the module that gets the functions.
        *sources: the modules with the names; the first one that has a name counts.
        renamed: deprecated names, and the path of each below `eagerflow`; "v1" is next door.
        hidden: names of version 2 that version 1 did not have.
    """
    renamed = renamed or {}

    def originals() -> Iterator[ModuleType]:
        for source in sources:
            try:
                yield importlib.import_module(source)
            except ModuleNotFoundError as error:
                if error.name != source:
                    raise

    def find(name: str) -> object:
        if name in renamed:
            return _at(renamed[name])
        return next((found for m in originals() if (found := _in(m, name)) is not None), None)

    def lookup(name: str) -> object:
        if name in _submodules(module):
            return importlib.import_module(f"{module}.{name}")
        if not name.startswith("__") and name not in hidden:
            found = find(name)
            if found is not None:
                found = _version_1(module, name, found)
                sys.modules[module].__dict__[name] = found
                return found
        raise AttributeError(_missing(module, name, names()))

    def names() -> list[str]:
        inside = vars(sys.modules[module])
        own = {name for name in inside if name[0] != "_" and inside[name] is not mirror}
        own.update(_submodules(module))
        for there in originals():
            shown = getattr(there, "__all__", None) or dir(there)
            if there.__name__.startswith(_OLDER):
                shown = [name for name in shown if _in(there, name) is not None]
            own.update(name for name in shown if not name.startswith("_") and name not in hidden)
        own.update(name for name, path in renamed.items() if _at(path) is not None)
        return sorted(own)

    return lookup, names


def _submodules(module: str) -> set[str]:
    """The names of the modules inside a package."""
    folders = vars(sys.modules[module]).get("__path__", ())
    return {found.name for found in pkgutil.iter_modules(folders)}


def _in(module: ModuleType, name: str) -> object:
    """A public name of a module, or None."""
    found = getattr(module, name, None)
    if module.__name__.startswith(_OLDER):
        # What it lists, or else what it defines, and not what that is made from.
        listed = getattr(module, "__all__", None)
        own = (
            getattr(found, "__module__", None) == module.__name__
            if listed is None
            else name in listed
        )
        return found if own else None
    if isinstance(found, ModuleType):
        # Only namespaces: modules that were imported to make this one are not its names.
        inside = found.__name__.startswith("eagerflow")
        return found if inside and not found.__name__.startswith("eagerflow.ops") else None
    return found


def _at(path: str) -> object:
    """What a dotted path below the package names, or None."""
    *modules, name = path.split(".")
    package = "eagerflow_compat" if path.startswith("v1.") else "eagerflow"
    try:
        module = importlib.import_module(".".join([package, *modules]))
    except ModuleNotFoundError:
        return None
    try:
        return _attribute(module, name)
    except ImportError:  # what the name needs is not installed
        return None


def _attribute(module: ModuleType, name: str) -> object:
    """An attribute of a module, or the module of that name below it, or None."""
    found = getattr(module, name, None)
    path = f"{module.__name__}.{name}"
    if found is None and hasattr(module, "__path__") and importlib.util.find_spec(path):
        found = importlib.import_module(path)
    return found


def _version_1(module: str, name: str, found: Any) -> object:
    """The same in version 1: a namespace's own mirror, else what it is."""
    if not isinstance(found, ModuleType) or module != "eagerflow_compat.compat.v1":
        return found
    path = f"{module}.{name}"
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        if error.name != path:
            raise
    if name not in FUNCTIONS:
        return found
    made = ModuleType(path, found.__doc__)
    made.__getattr__, made.__dir__ = mirror(path, found.__name__)  # type: ignore[method-assign]
    sys.modules[path] = made
    return made


def _missing(module: str, name: str, known: Collection[str]) -> str:
    text = f"module {module!r} has no attribute {name!r}"
    if name.startswith("__"):
        return text
    from eagerflow.util import hints

    close = hints.nearest(name, known)
    text += ": it is not implemented in eagerflow"
    return f"{text}; the nearest names are {', '.join(close)}" if close else text
