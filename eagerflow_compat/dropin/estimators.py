"""`tf.estimator`, which the package tensorflow-estimator has for both generations."""

from __future__ import annotations

import builtins
import functools
import importlib
import importlib.abc
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

PACKAGE = "tensorflow_estimator"


def is_installed() -> bool:
    """Whether the package is there; it is not imported."""
    return importlib.util.find_spec(PACKAGE) is not None


def namespace(path: str, first_generation: bool) -> str:
    """The package's module for `tensorflow.<path>`, a path that begins with `estimator`.

    >>> from eagerflow_compat.dropin import estimators
    >>> estimators.namespace("estimator.export", True)
    'tensorflow_estimator._api.v1.estimator.export'
    """
    return f"{PACKAGE}._api.{'v1' if first_generation else 'v2'}.{path}"


class EstimatorFinder(importlib.abc.MetaPathFinder):
    """Finds the package for programs of version 1: it is written in the names of version 2."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != PACKAGE:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    """Runs a module to which `import tensorflow` gives version 2."""

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = _builtins()
        super().exec_module(module)


@functools.cache
def _builtins() -> dict[str, Any]:
    return {**vars(builtins), "__import__": _import}


def _import(
    name: str,
    globals: Mapping[str, object] | None = None,
    locals: Mapping[str, object] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    if name == "tensorflow" and level == 0:
        return importlib.import_module("tensorflow.compat.v2")
    return builtins.__import__(name, globals, locals, fromlist or (), level)


def forget() -> None:
    """Has later imports load the package again, for the generation that there is then."""
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]
