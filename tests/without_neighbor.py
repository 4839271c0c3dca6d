"""A plugin of pytest, `-p without_neighbor`: the package `eagerflow_compat` cannot be imported."""

import sys

sys.modules["eagerflow_compat"] = None  # type: ignore[assignment]
