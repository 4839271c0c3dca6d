"""tensorflow.python.ops.resource_variable_ops: variables."""

from eagerflow.variable import Variable
from eagerflow.variable import Variable as BaseResourceVariable
from eagerflow.variable import Variable as ResourceVariable

__all__ = ["BaseResourceVariable", "ResourceVariable", "Variable"]
