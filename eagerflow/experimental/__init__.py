"""tf.experimental: names whose meaning may change."""

import importlib
from typing import Any

from eagerflow import dlpack
from eagerflow.data.iterator import Optional

__all__ = ["Optional", "dlpack", "numpy"]


def __getattr__(name: str) -> Any:
    # NumPy's functions are many, and few programs name them.
    if name == "numpy":
        return importlib.import_module("eagerflow.experimental.numpy")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
