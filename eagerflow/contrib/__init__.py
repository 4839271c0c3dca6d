"""tf.contrib: what of it eager programs used."""

import importlib
from typing import Any

_PARTS = ("eager", "framework", "layers", "rnn", "summary", "training")


def __getattr__(name: str) -> Any:
    # Programs name parts that they never import.
    if name in _PARTS:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_PARTS})
"""tf.contrib: what programs of the first generation took from there."""

import importlib as _importlib
import typing as _typing

_INSIDE = ("eager", "layers", "rnn", "summary")
__all__ = ["eager", "layers", "rnn", "summary"]

if _typing.TYPE_CHECKING:
    from eagerflow.contrib import eager, layers, rnn, summary


def __getattr__(name: str) -> _typing.Any:
    """Imports a namespace when it is first asked for."""
    if name in _INSIDE:
        return _importlib.import_module(f"eagerflow.contrib.{name}")
    raise AttributeError(f"module 'eagerflow.contrib' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
