"""tensorflow.python.ops.variable_scope: scopes that are not public."""

from __future__ import annotations

from typing import Any

from eagerflow.graph.variables import VariableV1 as variable
from eagerflow_compat.v1.variable_scope import EagerVariableStore, variable_scope

__all__ = ["EagerVariableStore", "_pure_variable_scope", "variable"]


def _pure_variable_scope(
    name_or_scope: Any, *args: Any, old_name_scope: object = None, **kwargs: Any
) -> Any:
    """A scope for variables' names, which operations do not take on; arguments as `variable_scope`'s."""
    kwargs["auxiliary_name_scope"] = False
    return variable_scope(name_or_scope, None, None, *args, **kwargs)
