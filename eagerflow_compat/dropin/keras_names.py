"""What Keras's own modules have that is not public, whichever module a release has it in.

`paths.keras_targets` lists the namespaces of modules whose names mean something else elsewhere. For all
others the name decides: it is a helper that packages import, or the last part of a public name.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterator
from typing import Any

from eagerflow.util import lazy, own_code
from eagerflow_compat.dropin.facade import nearest_namespaces, resolve

# Imported when it is first used: it imports this module.
private_names = lazy.Module("eagerflow_compat.dropin.private_names")

_ROOT = "eagerflow.keras"
# The modules with names of Keras's own modules.
_HELPERS = (
    "keras_backend",
    "keras_classes",
    "keras_models",
    "keras_optimizers",
    "keras_recurrent",
    "keras_training",
    "keras_utils",
    "layer_bases",
)


def find(path: str, name: str) -> Any:
    """What a module that is not public has under a name.

    Args:
        path: of the module, below Keras's package.
        name: the name.

    Raises:
        AttributeError: if there is nothing of this name, or the module is public.

    >>> from eagerflow_compat.dropin import keras_names
    >>> path = "src.optimizers.schedules.learning_rate_schedule"
    >>> keras_names.find(path, "ExponentialDecay").__name__
    'ExponentialDecay'
    """
    if _is_public(path):
        raise AttributeError(name)
    for module in _candidates(path, name):
        found = resolve(f"{module}.{name}")
        if found is not None:
            return found
    raise AttributeError(name)


def _is_public(path: str) -> bool:
    return not path or lazy.has_stub(f"{_ROOT}.{path}")


def _candidates(path: str, name: str) -> Iterator[str]:
    if name in _helpers():
        yield _helpers()[name]
    namesake = f"python.util.{path.rpartition('.')[2]}"  # Keras has copies of some modules.
    if namesake in private_names.modules():
        module = importlib.import_module(f"tensorflow.{namesake}")
        if name in dir(module):  # which asks for nothing that an error would be raised about
            yield module.__name__
    if name in _public() and not _is_public(path.removeprefix("src").lstrip(".")):
        yield _public()[name]


@functools.cache
def _helpers() -> dict[str, str]:
    """The modules of the names that are not public."""
    found: dict[str, str] = {}
    for each in _HELPERS:
        module = f"{own_code.NEIGHBOR}.internals.{each}"
        found.update(dict.fromkeys(importlib.import_module(module).__all__, module))
    return found


@functools.cache
def _public() -> dict[str, str]:
    return nearest_namespaces(_ROOT)
