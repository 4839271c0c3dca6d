"""tensorflow.python.autograph.impl.api: how packages look at converted functions."""

from typing import Any

from eagerflow_compat.internals.autograph import tf_convert

__all__ = ["StackTraceMapper", "tf_convert"]


class StackTraceMapper:
    """Maps lines of a converted function to those of its source.

    Args:
        converted_fn: the function.
    """

    def __init__(self, converted_fn: Any) -> None:
        self._source_map = getattr(converted_fn, "ag_source_map", {})

    def get_effective_source_map(self) -> dict[Any, Any]:
        """From files and lines of generated code to those of the source."""
        return self._source_map
