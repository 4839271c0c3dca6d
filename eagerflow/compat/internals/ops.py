"""tensorflow.python.framework.ops: tensors and the names around them."""

from eagerflow.framework.context import executing_eagerly
from eagerflow.framework.device import device
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.name_scope import name_scope
from eagerflow.framework.tensor import Tensor
from eagerflow.framework.tensor import Tensor as EagerTensor
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.ops.control_flow import control_dependencies, init_scope
from eagerflow.ops.conversion import convert_to_tensor, register_tensor_conversion_function
from eagerflow.v1.switches import enable_eager_execution

__all__ = [
    "EagerTensor",
    "GraphKeys",
    "IndexedSlices",
    "Tensor",
    "control_dependencies",
    "convert_to_tensor",
    "device",
    "enable_eager_execution",
    "executing_eagerly",
    "init_scope",
    "name_scope",
    "register_tensor_conversion_function",
]
