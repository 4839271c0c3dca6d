"""tensorflow.python.util.module_wrapper: a module that would warn of deprecated names."""

from __future__ import annotations

from types import ModuleType

__all__ = ["TFModuleWrapper"]


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
