"""Optimizers' updates as nodes of a graph, and their slots as its variables."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import context
from eagerflow.framework.name_scope import name_scope
from eagerflow.framework.operation import Operation
from eagerflow.framework.shapes import TensorShape
from eagerflow.graph.partitioned import part_of
from eagerflow.graph.variables import GraphVariable
from eagerflow.ops.control_flow import group, no_op
from eagerflow.typing import DTypeLike


def _slot(name: str, value: object, shape: TensorShape, dtype: DTypeLike) -> GraphVariable:
    """An untrainable variable with a constant initial value."""

    def fill() -> _core.Tensor:
        return _core.ops.fill(_core.convert(value, dtype, None), shape.as_list())

    return GraphVariable(fill, trainable=False, name=name, dtype=dtype)


def _slot_of(variable: Any, optimizer: str, value: object) -> GraphVariable:
    """The slot of a variable; for a part, the same part of the partitioned variable's slot."""
    name = context.building_graph().name_in_variable_scope(f"{variable.op.name}/{optimizer}")
    with name_scope(""):
        slot: Any = _slot(name, value, variable.shape, variable.dtype)
    part = part_of(variable)
    if part is not None:
        # As many characters are left out if a scope precedes the name: checkpoints have had it so.
        own_name = slot.op.name[len(variable.op.name) :]
        slot._save_slice_info = part._replace(full_name=part.full_name + "/" + own_name[1:])
    return slot


def make_slots(optimizer: Any, variables: list[Any]) -> tuple[dict[str, Any], list[dict]]:
    """The slots of an optimizer: those for all variables together, and those of each variable.

    They are made when a graph first needs them, and are among its global variables.
    """
    shared = optimizer._graph_shared
    graph = context.building_graph()
    for name, value in optimizer._shared_values().items():
        if (id(graph), name) not in shared:
            shared[id(graph), name] = _slot(name, value, TensorShape([]), variables[0].dtype)
    slots = []
    for variable in variables:
        known = optimizer._graph_slots.get(id(variable))
        if known is None:
            known = optimizer._graph_slots[id(variable)] = {
                name: _slot_of(variable, optimizer._name, value)
                for name, value in optimizer._initial_slots().items()
            }
            optimizer._kept.append(variable)
        slots.append(known)
    return {name: shared[id(graph), name] for name in optimizer._shared_values()}, slots


def apply_gradients(optimizer: Any, pairs: list, global_step: Any, name: str) -> Any:
    """An operation that changes variables by their gradients, and then adds one to the step.

    Args:
        optimizer: an optimizer of version 1.
        pairs: gradients and variables.
        global_step: a variable, or None.
        name: the operation's name.
    """
    updated = [(gradient, variable) for gradient, variable in pairs if gradient is not None]
    variables = [variable for _, variable in updated]
    shared, slots = make_slots(optimizer, variables)
    optimizer._use(variables, shared, slots)
    graph = _core.building()
    whole = graph.unique_name(name)
    start = len(graph)
    with name_scope(f"{whole}/"):
        optimizer._begin(variables)
        for gradient, variable in updated:
            optimizer._apply(gradient, variable)
        optimizer._finish()
        if global_step is not None:
            global_step.assign_add(_core.ops.ones_like(global_step.read_value()))
    if graph.building_function:  # a branch, whose nodes with effects all run, in their order
        return no_op()
    graph.sequences.append(range(start, len(graph)))
    nodes = [graph.node(id) for id in range(start, len(graph))]
    return group(*[Operation(node) for node in nodes if node.has_effects], name=f"{whole}/")
