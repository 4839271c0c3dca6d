"""tf.compat.v2: version 2, which is this package itself."""

from typing import Any

import eagerflow
from eagerflow.util import lazy
from eagerflow.v1.switches import enable_v2_behavior as enable_v2_behavior


def __getattr__(name: str) -> Any:
    """The name in the package."""
    return getattr(eagerflow, name)


def __dir__() -> list[str]:
    """The package's names."""
    return [*lazy.origins("eagerflow"), "enable_v2_behavior"]
