from collections.abc import Callable
from typing import Any

# The operation table's functions: see `parameters` of each, or help().
def __getattr__(name: str) -> Callable[..., Any]: ...
