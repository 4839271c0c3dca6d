"""Keras 3 on this engine: `import eagerflow_compat.keras_backend` before `import keras`.

Keras 3 chooses among the backends that it knows by name. This one takes the place of "tensorflow", whose
rules it follows, so that programs, saved models and packages that ask for that backend find it. Modules that
are not here, such as those of distribution and export, are Keras's own for TensorFlow, over the drop-in.

Raises:
    ImportError: if Keras is not installed, or is imported already with another backend.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from eagerflow_compat.dropin import install_as_tensorflow

NAME = "keras.src.backend.tensorflow"
_FOLDER = os.path.dirname(os.path.abspath(__file__))


class _Finder:
    """Finds Keras's backend for TensorFlow here; what is not here, where Keras has it."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != NAME or path is None:
            return None
        theirs = [os.path.join(folder, "tensorflow") for folder in path]
        return importlib.util.spec_from_file_location(
            name,
            os.path.join(_FOLDER, "namespace.py"),
            submodule_search_locations=[_FOLDER, *theirs],
        )


def install() -> None:
    """What the import does; a second call does nothing."""
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    if importlib.util.find_spec("keras") is None:
        raise ImportError("Keras is not installed: `pip install 'keras>=3.15'`.")
    if "keras.src.backend" in sys.modules:
        raise ImportError(
            "Keras is imported already: import eagerflow_compat.keras_backend before it."
        )
    wanted = os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    if wanted != "tensorflow":
        raise ImportError(f"KERAS_BACKEND asks for {wanted!r}: leave it out, or set 'tensorflow'.")
    if "tensorflow" not in sys.modules:
        install_as_tensorflow(keras=False)
    sys.meta_path.insert(0, _Finder())


install()
