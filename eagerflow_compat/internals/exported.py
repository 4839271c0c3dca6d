"""tensorflow.python.util.all_util: the names that a module's documentation lists as `@@name`."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from types import ModuleType

__all__ = ["make_all", "remove_undocumented"]

_LISTED = re.compile(r"^@@(\w+)$", re.MULTILINE)


def make_all(module_name: str, doc_string_modules: Sequence[ModuleType] | None = None) -> list[str]:
    """The names of a module that docstrings list.

    Args:
        module_name: the module's full name.
        doc_string_modules: the modules whose docstrings count; by default the module itself.
    """
    module = sys.modules[module_name]
    listed = {
        name
        for documented in doc_string_modules or [module]
        for name in _LISTED.findall(documented.__doc__ or "")
    }
    return sorted(listed.intersection(dir(module)))


def remove_undocumented(
    module_name: str,
    allowed_exception_list: Sequence[str] | None = None,
    doc_string_modules: Sequence[ModuleType] | None = None,
) -> None:
    """Deletes the public names of a module that are neither listed nor allowed.

    Args:
        module_name: the module's full name.
        allowed_exception_list: names that stay, too.
        doc_string_modules: as for `make_all`.
    """
    kept = {*make_all(module_name, doc_string_modules), *(allowed_exception_list or ())}
    module = sys.modules[module_name]
    for name in set(dir(module)) - kept:
        if not name.startswith("_"):
            delattr(module, name)
