"""A plugin of pytest, `-p without_neighbor`: the package `eagerflow_compat` cannot be imported.

Tests that use the neighbour's names themselves are deselected.
"""

import inspect
import re
import sys

_NAMES = re.compile(r"compat\.v1|contrib|eagerflow_compat|install_as_tensorflow|tf\.tpu")


def pytest_configure(config):
    """Hides the neighbour from this process, but only where pytest loaded this file as a plugin."""
    sys.modules["eagerflow_compat"] = None  # type: ignore[assignment]


def pytest_collection_modifyitems(items):
    """Deselects tests that name the neighbour."""
    items[:] = [
        item
        for item in items
        if not hasattr(item, "function") or not _NAMES.search(inspect.getsource(item.function))
    ]
