"""Optimizers' updates as nodes of a graph, and their slots as its variables."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import context
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graph.recording import record
from eagerflow.graph.structure import symbols
from eagerflow.graph.variables import GraphVariable


def _slot(name: str, value: Any, shape: Any, dtype: Any) -> GraphVariable:
    """A variable that is not trained and is filled with one value at first."""
    graph = context.default_graph()

    def make() -> Any:
        def fill() -> Any:
            return _core.ops.fill(_core.convert(value, dtype, None), shape.as_list())

        return record(graph, fill, kind="Const", outputs=TensorSpec(shape, dtype))

    with graph.name_scope(None):
        return GraphVariable(make, trainable=False, name=name, dtype=dtype)


def make_slots(optimizer: Any, variables: list[Any]) -> tuple[dict[str, Any], list[dict]]:
    """The slots of an optimizer: those for all variables together, and those of each variable.

    They are made when a graph first needs them, and are among its global variables.
    """
    shared = optimizer._graph_shared
    graph = context.default_graph()
    for name, value in optimizer._shared_values().items():
        if (id(graph), name) not in shared:
            scalar = variables[0].shape.__class__([])
            shared[id(graph), name] = _slot(name, value, scalar, variables[0].dtype)
    slots = []
    for variable in variables:
        known = optimizer._graph_slots.get(id(variable))
        if known is None:
            base = f"{variable.op.name}/{optimizer._name}"
            known = optimizer._graph_slots[id(variable)] = {
                name: _slot(base, value, variable.shape, variable.dtype)
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
    # Learning rates and the like that are tensors of the graph are inputs, too.
    hyperparameters = symbols([value for value in vars(optimizer).values() if not _is_slots(value)])

    def update(
        gradients: list, variables: list, step: Any, shared: dict, slots: list, _: Any
    ) -> None:
        optimizer._use(variables, shared, slots)
        optimizer.apply_gradients(zip(gradients, variables, strict=True), global_step=step)

    return record(
        context.default_graph(),
        update,
        (
            [gradient for gradient, _ in updated],
            variables,
            global_step,
            shared,
            slots,
            hyperparameters,
        ),
        kind=name,
        name=name,
        infers=False,
    )


def _is_slots(value: Any) -> bool:
    return isinstance(value, dict | list)
