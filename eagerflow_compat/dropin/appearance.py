"""What programs of a TensorFlow version print: the names of types, and the ids of tensors."""

from __future__ import annotations

from eagerflow import _core
from eagerflow.framework import context, shapes, tensor
from eagerflow.framework.variable import Variable
from eagerflow.util import known_as, lazy

# Imported for another Keras only.
operators = lazy.Module("eagerflow_compat.internals.operators")

_NAMES: list[tuple[type, str, str]] = [
    (_core.Tensor, "tensorflow.python.framework.tensor", "Tensor"),
    (_core.EagerTensor, "tensorflow.python.framework.ops", "EagerTensor"),
    (_core.SymbolicTensor, "tensorflow.python.framework.ops", "SymbolicTensor"),
    (_core.EagerWeakTensor, "tensorflow.python.framework.weak_tensor", "EagerWeakTensor"),
    (_core.GraphWeakTensor, "tensorflow.python.framework.weak_tensor", "GraphWeakTensor"),
    (Variable, "tensorflow.python.ops.resource_variable_ops", "ResourceVariable"),
]


def take_on(generation: str, keras: bool) -> None:
    """Gives types TensorFlow's names; in the first generation, starts with graphs.

    Without `keras`, operators of the class of tensors are functions, which another Keras gives to its
    own symbolic values.
    """
    if not keras:
        operators.show_as_functions(True)
    known_as.show()
    for cls, module, name in _NAMES:
        known_as.rename(cls, module, name)
    first = generation == "1.x"
    if first:
        known_as.rename(_core.SymbolicTensor, "tensorflow.python.framework.ops", "Tensor")
    tensor.show_ids(first)
    _core.compare_by_identity(first)
    shapes.show_dimensions(first)
    if first:
        # Imported here for the start of programs that build no graphs.
        from eagerflow.graph import graph  # noqa: F401
    context.set_eager(not first)
    context.process.control_flow_v2 = context.process.resource_variables = not first
    context.process.version_2 = context.process.v2_dtypes = not first


def give_up() -> None:
    """Undoes `take_on`."""
    if type(_core.Tensor) is not type:
        operators.show_as_functions(False)
    known_as.restore()
    tensor.show_ids(False)
    _core.compare_by_identity(False)
    shapes.show_dimensions(False)
    context.set_eager(True)
    context.process.control_flow_v2 = context.process.resource_variables = True
    context.process.version_2 = context.process.v2_dtypes = True
