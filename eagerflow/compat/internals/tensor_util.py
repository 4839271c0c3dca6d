"""tensorflow.python.framework.tensor_util: values of tensors that are known."""

from eagerflow.framework.tensor import is_tensor
from eagerflow.framework.tensor import is_tensor as is_tf_type
from eagerflow.ops.conversion import get_static_value
from eagerflow.ops.conversion import get_static_value as constant_value

__all__ = ["constant_value", "get_static_value", "is_tensor", "is_tf_type"]
