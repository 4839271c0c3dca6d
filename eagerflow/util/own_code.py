"""Which modules and files are the library's own: those of this package, and of its neighbour.

The neighbour, `eagerflow_compat`, has version 1, `tf.contrib`, TensorFlow's private modules, names of
other Keras versions and other packages, and `python -m eagerflow`. This package works without it and never
imports it: programs' imports and attributes do.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import os
import sys
from collections.abc import Sequence
from types import ModuleType

NEIGHBOR = "eagerflow_compat"
PACKAGES = ("eagerflow", NEIGHBOR)

# A code object's file is the library's own if it begins so; "<eagerflow." are functions made of text.
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = tuple(os.path.join(_ROOT, package, "") for package in PACKAGES)
FILES = (*FOLDERS, "<eagerflow.", f"<{NEIGHBOR}.")

# What the neighbour has under a public name of this package: `eagerflow.contrib` is its `contrib`.
_NEXT_DOOR = """
compat.v1 contrib dropin horovod keras.datasets.california_housing keras.estimator keras.ops keras.random
keras.tree keras.wrappers keras_backend tpu
""".split()
_BEGINNINGS = tuple(f"{name}." for name in _NEXT_DOOR)


def is_own(module: str | None) -> bool:
    """Whether a module of this name is the library's.

    >>> from eagerflow.util import own_code
    >>> own_code.is_own("eagerflow.keras.layers.dense"), own_code.is_own("eagerflows")
    (True, False)
    """
    return module is not None and module.partition(".")[0] in PACKAGES


def is_installed() -> bool:
    """Whether the neighbour can be imported: both packages come together, in one folder."""
    return sys.modules.get(NEIGHBOR, _ROOT) is not None and os.path.isdir(FOLDERS[1])


def path_of(name: str) -> str:
    """The file or folder of a module, without the ending of its name."""
    return os.path.join(_ROOT, *home(name).split("."))


def home(name: str) -> str:
    """The name of the module that a public name means: one of the neighbour's, or the same name.

    >>> from eagerflow.util import own_code
    >>> own_code.home("eagerflow.keras.ops.nn") == f"{own_code.NEIGHBOR}.keras.ops.nn"
    True
    >>> own_code.home("eagerflow.keras.layers")
    'eagerflow.keras.layers'
    """
    package, _, inside = name.partition(".")
    is_next_door = package == "eagerflow" and f"{inside}.".startswith(_BEGINNINGS)
    return f"{NEIGHBOR}.{inside}" if is_next_door else name


def public(module: str) -> str:
    """What this package calls a module of the neighbour; other names as they are.

    >>> from eagerflow.util import own_code
    >>> own_code.public(f"{own_code.NEIGHBOR}.keras.layers.pipeline")
    'eagerflow.keras.layers.pipeline'
    """
    package, dot, inside = module.partition(".")
    return f"eagerflow{dot}{inside}" if package == NEIGHBOR else module


def absent(name: str) -> str:
    """The message for a name of the neighbour where it is not installed."""
    return (
        f"{name} is part of the package {NEIGHBOR}, which is not installed. It comes with eagerflow: "
        "`pip install --force-reinstall eagerflow`."
    )


class _Finder:  # of no class of `importlib.abc`, which would import `tempfile` into every program
    """Answers `import eagerflow.compat.v1` with the module next door, one object under both names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        there = home(fullname)
        if there == fullname:
            return None
        if not is_installed():
            raise ModuleNotFoundError(absent(fullname), name=fullname)
        from importlib.util import find_spec  # here, as few programs ask for the neighbour

        if find_spec(there) is None:
            return None
        return importlib.machinery.ModuleSpec(fullname, self)  # type: ignore[arg-type]

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = importlib.import_module(home(module.__name__))


def install_finder() -> None:
    """Lets programs import the neighbour's modules by their public names."""
    sys.meta_path.insert(0, _Finder())
