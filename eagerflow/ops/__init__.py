"""Operations by family; the public names are gathered in `eagerflow` and its namespaces."""

from __future__ import annotations

import copyreg
from typing import Any

from eagerflow import _core


def _native(name: str) -> Any:
    """The native function of a name, by which it is copied and pickled."""
    return getattr(_core.ops, name)


def _reduce(function: _core.OpFunction) -> Any:
    if hasattr(function, "op_name"):
        return _native, (function.__name__,)
    return function.__qualname__  # of its module


copyreg.pickle(_core.OpFunction, _reduce)
