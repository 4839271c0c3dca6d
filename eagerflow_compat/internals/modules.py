"""tensorflow.python.util.module_wrapper and all_util: what packages do to their own modules."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

__all__ = ["TFModuleWrapper", "remove_undocumented"]


class TFModuleWrapper:
    """Gives a module back as it is: it is not wrapped to warn of names that are deprecated.

    Args:
        wrapped: the module.
        module_name: accepted.
        public_apis: accepted.
        deprecation: accepted.
        has_lite: accepted.
    """

    def __new__(  # type: ignore[misc]
        cls,
        wrapped: ModuleType,
        module_name: str,
        public_apis: object = None,
        deprecation: bool = True,
        has_lite: bool = False,
    ) -> ModuleType:
        return wrapped


def remove_undocumented(
    module_name: str,
    allowed_exception_list: Sequence[str] | None = None,
    doc_string_modules: Sequence[ModuleType] | None = None,
) -> None:
    """Leaves a module as it is: what is not public stays reachable."""
