"""Operations by family; the public names are gathered in `eagerflow` and its namespaces."""

from __future__ import annotations

import copyreg
from typing import Any

from eagerflow import _core


def _native(name: str) -> Any:
    """The native function of a name: what copies and pickles of it are."""
    return getattr(_core.ops, name)


copyreg.pickle(type(_core.ops.add), lambda function: (_native, (function.__name__,)))
