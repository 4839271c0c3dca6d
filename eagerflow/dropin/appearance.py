"""What programs of a TensorFlow version print: the names of types, and the ids of tensors."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import context, shapes, tensor
from eagerflow.framework.variable import Variable

_NAMES: list[tuple[type, str, str]] = [
    (_core.Tensor, "tensorflow.python.framework.ops", "EagerTensor"),
    (Variable, "tensorflow.python.ops.resource_variable_ops", "ResourceVariable"),
]
# What `give_up` restores: a type, its module, name and qualified name.
_kept: list[tuple[type, str, str, str]] = []


def take_on(generation: str) -> None:
    """Gives types TensorFlow's names; in the first generation, starts with graphs."""
    for cls, module, name in _NAMES:
        _kept.append((cls, cls.__module__, cls.__name__, cls.__qualname__))
        _rename(cls, module, name, name)
    first = generation == "1.x"
    tensor.show_ids(first)
    shapes.show_dimensions(first)
    if first:
        # Imported here for the start of programs that build no graphs.
        from eagerflow.graph import graph  # noqa: F401
    context.set_eager(not first)


def give_up() -> None:
    """Undoes `take_on`."""
    while _kept:
        _rename(*_kept.pop())
    tensor.show_ids(False)
    shapes.show_dimensions(False)
    context.set_eager(True)


def _rename(cls: Any, module: str, name: str, qualname: str) -> None:
    cls.__module__ = module
    cls.__name__ = name
    cls.__qualname__ = qualname
