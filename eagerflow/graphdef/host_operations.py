"""TensorFlow's operations that call Python here: one node each.

The nodes that a rule records for such an operation can run, but cannot be exported. One opaque node for the
operation can do both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.func_graph import is_symbolic
from eagerflow.framework.host_call import host_call
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graphdef.op_defs import OpDef
from eagerflow.util import lazy

# It imports this module.
host_lowering = lazy.Module("eagerflow.graphdef.host_lowering")


class HostOperation:
    """The callee of an opaque node.

    Args:
        definition: the operation.
        run: computes its results from its inputs and attributes by name.
    """

    def __init__(self, definition: OpDef, run: Callable[[OpDef, Mapping[str, Any]], Any]) -> None:
        self._definition = definition
        self._run = run

    def __call__(self, **arguments: Any) -> Any:
        """The results for values."""
        return self._run(self._definition, arguments)

    def lowered(self, **arguments: object) -> list[_core.Tensor] | _core.Tensor:
        """Adds the operation itself to the graph that is being exported."""
        definition = self._definition
        attrs = {
            name: arguments[name]
            for name in definition.attributes
            if name in arguments and name not in definition.deduced()
        }
        inputs = [arguments[argument.name] for argument in definition.inputs]
        return host_lowering.op(definition.name, *inputs, **attrs)


def whole(
    definition: OpDef, arguments: Mapping[str, object], result: Any,
    run: Callable[[OpDef, Mapping[str, Any]], Any],
) -> Any:  # fmt: skip
    """The results of an operation. Falls back to one opaque node if the rule's nodes cannot be exported.

    Args:
        definition: the operation.
        arguments: its inputs and attributes by name.
        result: what its rule has added to the graph.
        run: see `HostOperation`.
    """
    leaves = nest.flatten(result)
    if not all(isinstance(leaf, _core.Tensor) for leaf in leaves):
        return result
    inputs: list[Any] = nest.flatten([arguments[argument.name] for argument in definition.inputs])
    given = {item.name for item in inputs if is_symbolic(item)}
    if not _calls_python(leaves, given):
        return result
    specs = [TensorSpec(leaf.shape, leaf.dtype) for leaf in leaves]
    operation = HostOperation(definition, run)
    structure = nest.pack_sequence_as(result, specs)
    return host_call(operation, structure, (), dict(arguments), name=definition.name)


def _calls_python(results: list[_core.Tensor], given: set[str]) -> bool:
    """Whether tensors are computed of others by nodes that call Python and cannot be exported."""
    found = False
    seen = set(given)
    waiting = list(results)
    while waiting:
        tensor = waiting.pop()
        if not _core.is_symbolic(tensor) or tensor.name in seen:
            continue
        seen.add(tensor.name)
        node = _core.node_of(tensor)
        if node.host_function is not None and host_lowering.find(node) is None:
            if node.has_effects:  # which would happen twice
                return False
            found = True
        waiting += node.inputs
    return found
