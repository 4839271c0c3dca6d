"""Modules of other packages that TensorFlow imports, and that programs use without importing them."""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from types import ModuleType

# Only of packages whose own import costs nothing: each name below them is bound, and its module run when
# a program first uses it.
_MODULES = (
    "absl.app",
    "absl.flags",
    "absl.logging",
    "concurrent.futures",
    "urllib.error",
    "urllib.request",
    "urllib.response",
    "xml.dom",
    "xml.sax",
)


def bring() -> None:
    """Makes `import urllib` enough for `urllib.request` and its like, where they are installed."""
    for name in _MODULES:
        if name not in sys.modules:
            _bind(name)


class _Flags(SourceFileLoader):
    """Runs `absl.flags`, then `absl.logging`, which defines flags that programs of TensorFlow have."""

    def exec_module(self, module: ModuleType) -> None:
        """Runs both."""
        super().exec_module(module)
        # An attribute runs a module that is bound lazily.
        getattr(importlib.import_module("absl.logging"), "INFO")  # noqa: B009


def _bind(name: str) -> None:
    package, _, inner = name.rpartition(".")
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return
    if spec is None or spec.loader is None:
        return
    own = _Flags(name, spec.origin or "") if name == "absl.flags" else spec.loader
    spec.loader = loader = importlib.util.LazyLoader(own)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    setattr(sys.modules[package], inner, module)
