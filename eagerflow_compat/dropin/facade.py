"""Modules under TensorFlow's names that look their attributes up in this package."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from eagerflow.util import lazy, own_code


def resolve(path: str) -> Any:
    """The module or attribute with this dotted path, or None if there is none.

    >>> from eagerflow_compat.dropin.facade import resolve
    >>> resolve("eagerflow.math") is tf.math, resolve("eagerflow.no_such_name")
    (True, None)
    """
    if not own_code.is_own(path):  # Names in another package may hide its modules.
        owner, _, name = path.rpartition(".")
        module = _imported(path)
        return getattr(resolve(owner), name, None) if module is None and owner else module
    first, *rest = path.split(".")
    value: object = importlib.import_module(first)
    for name in rest:
        value = _child(value, name)
        if value is None:
            return None
    return value


def _child(parent: object, name: str) -> object:
    """An attribute or a submodule, or None."""
    try:
        return getattr(parent, name)
    except AttributeError:
        pass
    if not isinstance(parent, ModuleType):
        return None
    return _imported(f"{parent.__name__}.{name}")


def _imported(path: str) -> ModuleType | None:
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        if error.name is None or not path.startswith(error.name):
            raise
        return None


def nearest_namespaces(root: str, apart: Collection[str] = ()) -> dict[str, str]:
    """The public names below a namespace, and for each the namespace that is nearest to it.

    Args:
        root: the namespace.
        apart: names of namespaces that are left out.
    """
    found: dict[str, str] = {}
    level = [root]
    while level:
        deeper = []
        for namespace in level:
            for name, (module, _) in lazy.origins(namespace).items():
                path = f"{namespace}.{name}"
                if module != namespace:
                    found.setdefault(name, namespace)
                elif name not in apart and _has_stub(path):
                    deeper.append(path)
        level = deeper
    return found


def _has_stub(namespace: str) -> bool:
    file = importlib.import_module(namespace).__file__ or ""
    return Path(file).with_suffix(".pyi").exists()


class Facade(ModuleType):
    """A module whose names are those of other modules, looked up in turn.

    Args:
        name: the module's own name.
        targets: dotted paths of modules or classes; those that do not exist are passed over.
        names: names that the facade answers itself.
        otherwise: returns what a name stands for that no target has, or raises an AttributeError.
        submodules: names that stand for modules below this one, whatever the targets have.
    """

    def __init__(
        self,
        name: str,
        targets: Sequence[str],
        names: dict[str, Any] | None = None,
        otherwise: Callable[[str], Any] | None = None,
        submodules: Collection[str] = (),
    ) -> None:
        super().__init__(name)
        self.__dict__["_targets"] = tuple(targets)
        self.__dict__["_otherwise"] = otherwise
        self.__dict__["_submodules"] = submodules
        self.__dict__.update(names or {})
        first = next(self._existing_targets(), None)
        self.__doc__ = getattr(first, "__doc__", None)

    def _existing_targets(self) -> Iterator[Any]:
        for path in self.__dict__["_targets"]:
            target = resolve(path)
            if target is not None:
                yield target

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":  # what `from module import *` gives
            return [n for n in dir(self) if n[0] != "_" and hasattr(self, n)]
        if name in self.__dict__["_submodules"]:
            return importlib.import_module(f"{self.__name__}.{name}")
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        for target in self._existing_targets():
            try:
                value = getattr(target, name)
            except AttributeError:
                continue
            # Facades answer for whole modules of ours, so that names of a generation stay within it.
            path = f"{self.__name__}.{name}"
            is_module = isinstance(value, ModuleType) and not isinstance(value, Facade)
            if is_module and own_code.is_own(value.__name__):
                try:
                    value = importlib.import_module(path)
                except ModuleNotFoundError:
                    return value
            self.__dict__[name] = value
            return value
        if self.__dict__["_otherwise"] is not None:
            try:
                value = self.__dict__[name] = self.__dict__["_otherwise"](name)
            except AttributeError:
                pass
            else:
                return value
        raise AttributeError(missing(self.__name__, name, dir(self)))

    def __dir__(self) -> list[str]:
        names = {name for name in self.__dict__ if not name.startswith("_")}
        names.update(self.__dict__["_submodules"])
        for target in self._existing_targets():
            listed = getattr(target, "__all__", None) or dir(target)
            names.update(name for name in listed if not name.startswith("_"))
        return sorted(names)


def missing(module: str, name: str, known: Sequence[str]) -> str:
    """What to tell somebody who asks for a name that does not exist."""
    from eagerflow.util import hints, unavailable
    from eagerflow_compat.dropin import (
        estimators,
        generations,
        install,
        packages,
        paths,
        private_names,
    )

    text = f"module {module!r} has no attribute {name!r}"
    hint = hints.of_module(module, name)
    where = paths.second(module.partition(".")[2])
    private = paths.is_private(where)
    if not hint and where and not private and resolve(f"eagerflow.{where}") is None:
        why = unavailable.reason_of_namespace(where)  # of a module of which nothing exists
        hint = f": {why}" if why else ""
    package, _, inside = f"{module}.{name}".partition(".")
    if package == "tensorflow" and estimators.is_path(inside):
        return f"{text}. {estimators.advice()}"
    generation = install.generation()
    if package == "tensorflow" and generation and generations.missing_part(inside, generation):
        second = generations.other(generation)
        has = f"{generations.NAMES[second]} has it: run its programs with --generation {second}"
        return f"{text}{hint.rstrip('.')}. {has}"
    if package == "tensorflow" and generation == "1.x":
        advice = packages.advice(inside)
        if advice is not None:
            return f"{text}. {advice}"
    if hint:
        return text + hint
    close = hints.nearest(name, known)
    if not close and private:
        alike = [n for n in private_names.known() if n[0].lower() == name[0].lower()]
        close = hints.nearest(name, alike)
    text += ": it is not implemented in eagerflow"
    return f"{text}; the nearest names are {', '.join(close)}" if close else text
