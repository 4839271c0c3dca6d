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
