"""Packages that load libraries compiled against TensorFlow's runtime: their import says what to use."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
from collections.abc import Sequence
from types import ModuleType

# From a package's module to its name for pip, and to what does the same here.
_INSTEAD = {
    "tensorflow_compression": (
        "tensorflow-compression",
        "Compute the rates with tensorflow_probability, and write the symbols with zlib or lzma",
    ),
    "tensorflow_decision_forests": (
        "tensorflow-decision-forests",
        "The package ydf trains the same forests without TensorFlow",
    ),
    "tensorflow_io": (
        "tensorflow-io",
        "Read with tf.data and tf.io, or with pandas, pyarrow or h5py and Dataset.from_generator",
    ),
    "tensorflow_quantum": (
        "tensorflow-quantum",
        "Compute circuits with PennyLane or Cirq, and call them with tf.py_function",
    ),
    "tensorflow_recommenders_addons": (
        "tensorflow-recommenders-addons",
        "Use tf.keras.layers.Embedding and tf.lookup",
    ),
}


class NativeFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds such packages where they are installed, and refuses to import them."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in _INSTEAD:
            return None
        if importlib.machinery.PathFinder.find_spec(fullname) is None:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        package, instead = _INSTEAD[spec.name]
        raise ImportError(
            f"{package} loads a compiled library of TensorFlow, which eagerflow is not: it cannot be "
            f"imported here. {instead}.",
            name=spec.name,
        )

    def exec_module(self, module: ModuleType) -> None:
        """No such module is made."""
