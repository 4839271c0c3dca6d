"""tensorflow.python.ops.resource_variable_ops: variables."""

from eagerflow.framework.variable import Variable
from eagerflow.framework.variable import Variable as BaseResourceVariable
from eagerflow.framework.variable import Variable as ResourceVariable

__all__ = ["BaseResourceVariable", "ResourceVariable", "Variable"]
