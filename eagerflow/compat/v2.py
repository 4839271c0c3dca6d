"""tf.compat.v2: version 2, which is this package itself."""

from typing import Any

import eagerflow
from eagerflow.compat.switches import enable_v2_behavior as enable_v2_behavior
from eagerflow.util import lazy


def __getattr__(name: str) -> Any:
    """The name in the package."""
    return getattr(eagerflow, name)


def __dir__() -> list[str]:
    """The package's names."""
    return [*lazy.origins("eagerflow"), "enable_v2_behavior"]
