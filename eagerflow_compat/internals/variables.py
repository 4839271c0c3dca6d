"""tensorflow.python.ops.resource_variable_ops: variables."""

from typing import Any

from eagerflow import _core
from eagerflow.framework.variable import ResourceHandle, Variable
from eagerflow.framework.variable import Variable as BaseResourceVariable
from eagerflow.framework.variable import Variable as ResourceVariable
from eagerflow.functions.variable_spec import VariableSpec
from eagerflow.graph import variables as graph_variables
from eagerflow.keras.losses import weighting

__all__ = [
    "BaseResourceVariable",
    "ResourceHandle",
    "ResourceVariable",
    "Variable",
    "VariableSpec",
    "assign_variable_op",
    "broadcast_weights",
    "is_resource_variable",
    "read_variable_op",
]


def is_resource_variable(variable: object) -> bool:
    """Whether a value is a variable."""
    return isinstance(variable, _core.Variable)


def broadcast_weights(weights: Any, values: Any) -> _core.Tensor:
    """Weights in the shape of the values that they belong to."""
    return weighting.broadcast_weights(_core.as_tensor(weights), _core.as_tensor(values))


def _to_proto_fn(v: Any, export_scope: str | None = None) -> Any:
    """The VariableDef message of a variable."""
    return v.to_proto(export_scope)


def _from_proto_fn(v: Any, import_scope: str | None = None) -> Any:
    """The variable of the graph that a VariableDef message describes.

    Raises:
        KeyError: if there is none of its name.
    """
    name = f"{import_scope}/{v.variable_name}" if import_scope else v.variable_name
    return {each.name: each for each in graph_variables.global_variables()}[name]


def read_variable_op(resource: ResourceHandle, dtype: Any, name: str | None = None) -> Any:
    """The value of the variable that a handle stands for."""
    return resource.variable.read_value()


def assign_variable_op(resource: ResourceHandle, value: Any, name: str | None = None) -> None:
    """Changes the variable that a handle stands for."""
    resource.variable.assign(value)


def get_eager_safe_handle_data(handle: Any) -> Any:
    """The specs of the variable that a handle stands for."""
    from eagerflow.framework.type_spec import TensorSpec

    return TensorSpec(handle.variable.shape, handle.variable.dtype)
