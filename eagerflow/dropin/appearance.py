"""What programs of a TensorFlow version print: the names of types, and the ids of tensors."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import context, shapes, tensor
from eagerflow.framework.variable import Variable
from eagerflow.util import lazy

# Imported for another Keras only.
operators = lazy.Module("eagerflow.compat.internals.operators")

_NAMES: list[tuple[type, str, str]] = [
    (_core.Tensor, "tensorflow.python.framework.tensor", "Tensor"),
    (_core.EagerTensor, "tensorflow.python.framework.ops", "EagerTensor"),
    (_core.SymbolicTensor, "tensorflow.python.framework.ops", "SymbolicTensor"),
    (Variable, "tensorflow.python.ops.resource_variable_ops", "ResourceVariable"),
]
# What `give_up` restores: a type, its module, name and qualified name.
_kept: list[tuple[type, str, str, str]] = []


def take_on(generation: str, keras: bool) -> None:
    """Gives types TensorFlow's names; in the first generation, starts with graphs.

    Without `keras`, operators of the class of tensors are functions, which another Keras gives to its
    own symbolic values.
    """
    if not keras:
        operators.show_as_functions(True)
    for cls, module, name in _NAMES:
        _kept.append((cls, cls.__module__, cls.__name__, cls.__qualname__))
        _rename(cls, module, name, name)
    first = generation == "1.x"
    if first:
        _rename(_core.SymbolicTensor, "tensorflow.python.framework.ops", "Tensor", "Tensor")
    tensor.show_ids(first)
    shapes.show_dimensions(first)
    if first:
        # Imported here for the start of programs that build no graphs.
        from eagerflow.graph import graph  # noqa: F401
    context.set_eager(not first)
    context.process.control_flow_v2 = not first


def give_up() -> None:
    """Undoes `take_on`."""
    if type(_core.Tensor) is not type:
        operators.show_as_functions(False)
    while _kept:
        _rename(*_kept.pop())
    tensor.show_ids(False)
    shapes.show_dimensions(False)
    context.set_eager(True)
    context.process.control_flow_v2 = True


def _rename(cls: Any, module: str, name: str, qualname: str) -> None:
    cls.__module__ = module
    cls.__name__ = name
    cls.__qualname__ = qualname
