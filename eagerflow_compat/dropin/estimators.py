"""`tf.estimator`, which the package tensorflow-estimator has for both generations."""

from __future__ import annotations

import builtins
import functools
import importlib
import importlib.abc
import importlib.metadata
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

PACKAGE = "tensorflow_estimator"


def is_installed() -> bool:
    """Whether the package is there; it is not imported."""
    return PathFinder.find_spec(PACKAGE) is not None


def is_path(path: str) -> bool:
    """Whether a path below `tensorflow` is one of estimators.

    >>> from eagerflow_compat.dropin import estimators
    >>> estimators.is_path("compat.v1.estimator.inputs"), estimators.is_path("estimators")
    (True, False)
    """
    return path.removeprefix("compat.v1.").split(".")[0] == "estimator"


def advice() -> str:
    """What to tell a program that asks for something of estimators that is not there."""
    if is_installed():
        return f"The package tensorflow-estimator {importlib.metadata.version(PACKAGE)} has no such name."
    return (
        "Estimators are a package of their own, which TensorFlow has not had since 2.16: pip install "
        "six protobuf tensorflow-estimator==2.15.0, or pip install 'eagerflow[estimator]'"
    )


def namespace(path: str, first_generation: bool) -> str:
    """The package's module for `tensorflow.<path>`, a path that begins with `estimator`.

    >>> from eagerflow_compat.dropin import estimators
    >>> estimators.namespace("estimator.export", True)
    'tensorflow_estimator._api.v1.estimator.export'
    """
    return f"{PACKAGE}._api.{'v1' if first_generation else 'v2'}.{path}"


def keras_models() -> Any:
    """The package's module that makes estimators of Keras models."""
    return importlib.import_module(f"{PACKAGE}.python.estimator.keras_lib")


class EstimatorFinder(importlib.abc.MetaPathFinder):
    """Finds the package, which is written in the names of version 2 for programs of both versions.

    Args:
        first_generation: whether `import tensorflow` gives version 1.
    """

    def __init__(self, first_generation: bool) -> None:
        self._first = first_generation

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != PACKAGE:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None and fullname == PACKAGE:
            raise ModuleNotFoundError(f"No module named '{PACKAGE}'. {advice()}", name=PACKAGE)
        if self._first and spec is not None and isinstance(spec.loader, SourceFileLoader):
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
