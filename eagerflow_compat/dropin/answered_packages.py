"""The import hook that answers packages whose functions this one has: Horovod and tensorflow-text."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType

# Their modules, and those of this package that stand for them.
_MODULES = {
    "horovod": "eagerflow_compat.horovod",
    "horovod.tensorflow": "eagerflow_compat.horovod",
    "horovod.tensorflow.compression": "eagerflow_compat.horovod.compression",
    "horovod.tensorflow.elastic": "eagerflow_compat.horovod.elastic",
    "horovod.tensorflow.keras": "eagerflow_compat.horovod.keras",
    "horovod.tensorflow.keras.callbacks": "eagerflow_compat.horovod.callbacks",
    "horovod.tensorflow.keras.elastic": "eagerflow_compat.horovod.elastic",
    "horovod.keras": "eagerflow_compat.horovod.keras",
    "horovod.keras.callbacks": "eagerflow_compat.horovod.callbacks",
    "tensorflow_text": "eagerflow_compat.text",
}


class AnsweredFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds such modules in this package, whether theirs is installed or not."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in _MODULES:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Puts our module in the place of an empty one."""
        sys.modules[module.__name__] = importlib.import_module(_MODULES[module.__name__])


def forget() -> None:
    """Has later imports not find the modules again."""
    for name in _MODULES:
        sys.modules.pop(name, None)
