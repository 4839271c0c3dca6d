"""Packages that only some functions need: they are imported when such a function is called."""

from __future__ import annotations

import functools
import importlib
from typing import Any

# What a module is imported from: the package's name, and the extra of this one that brings it.
PACKAGES = {
    "PIL": ("Pillow", "images"),
    "google": ("protobuf", "messages"),
    "h5py": ("h5py", "weights"),
    "matplotlib": ("Matplotlib", "pictures"),
    "mpi4py": ("mpi4py", "mpi"),
    "pygraphviz": ("pygraphviz", "pictures"),
    "onnx": ("onnx", "onnx"),
    "safetensors": ("safetensors", "weights"),
    "scipy": ("SciPy", "science"),
    "sentencepiece": ("sentencepiece", "text"),
    "simplejpeg": ("simplejpeg", "images"),
    "sklearn": ("scikit-learn", "science"),
    "tf2onnx": ("tf2onnx", "onnx"),
    "tensorflow_estimator": ("tensorflow-estimator", "estimator"),
    "tf_slim": ("tf-slim", "slim"),
}


def optional(module: str, what: str, imported: bool = True) -> Any:
    """The module of that name, which `what` needs, the subject of a sentence.

    Args:
        module: the module's name.
        what: what needs it.
        imported: False to look only whether it is there: another process imports it.

    Raises:
        ImportError: if its package is not installed; the message says how to install it.

    >>> optional("json", "Reading a configuration").__name__
    'json'
    """
    try:
        if imported:
            return importlib.import_module(module)
        from importlib.util import find_spec  # here, as few programs ask for it

        if find_spec(module) is None:
            raise ModuleNotFoundError(f"No module named '{module}'", name=module)
        return None
    except ModuleNotFoundError as error:
        top = module.partition(".")[0]
        # An installed package that lacks a dependency of its own reports that itself.
        if top not in PACKAGES or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise ImportError(
            f"{what} needs {PACKAGES[top][0]}: {command(top)}", name=error.name
        ) from error


def command(module: str) -> str:
    """What installs the package of a module: by its own name, or with all others of its extra.

    >>> command("PIL")
    "pip install pillow, or pip install 'eagerflow[images]'"
    """
    package, extra = PACKAGES[module]
    return f"pip install {package.lower()}, or pip install 'eagerflow[{extra}]'"


@functools.cache
def found(module: str) -> Any:
    """The module of that name, or None where its package is not installed."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        return None
