"""tensorflow.python.ops.resource_variable_ops: variables."""

from typing import Any

from eagerflow import _core
from eagerflow.framework.variable import Variable
from eagerflow.framework.variable import Variable as BaseResourceVariable
from eagerflow.framework.variable import Variable as ResourceVariable

__all__ = ["BaseResourceVariable", "ResourceVariable", "Variable", "is_resource_variable"]


def is_resource_variable(variable: Any) -> bool:
    """Whether a value is a variable."""
    return isinstance(variable, _core.Variable)
