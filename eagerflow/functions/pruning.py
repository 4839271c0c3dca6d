"""Concrete functions made of a part of another's graph."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.func_graph import FuncGraph
from eagerflow.framework.operation import Operation
from eagerflow.framework.trace_type import TracingContext
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.functions import trace_types
from eagerflow.functions.function_type import POSITIONAL_ONLY, FunctionType, Parameter
from eagerflow.functions.variable_creation import UnliftableError


def pruned(concrete: Any, feeds: Any, fetches: Any, name: str | None) -> Any:
    """The part of a concrete function's graph that computes `fetches` from `feeds`."""
    graph = concrete.graph

    def element(leaf: str) -> _core.Tensor:
        return graph.as_graph_element(leaf) if isinstance(leaf, str) else leaf

    inputs = [_tensor(element(leaf)) for leaf in nest.flatten(feeds)]
    structure = nest.map_structure(element, fetches)
    return function_of_part(
        type(concrete), graph, inputs, structure, name or f"pruned_{graph.name}"
    )


def function_of_part(
    cls: Any, graph: Any, inputs: list[_core.Tensor], structure: Any, name: str
) -> Any:
    """The concrete function of the part of a graph that computes tensors from others.

    Args:
        cls: the class of the function.
        graph: the graph, which stays as it is.
        inputs: tensors of the graph: the arguments.
        structure: a structure of tensors of the graph, the result; operations in it return None.
        name: the function's name.

    Raises:
        UnliftableError: if a result needs a placeholder that is not among the inputs.
    """
    part = FuncGraph(name)
    outputs = [leaf for leaf in nest.flatten(structure) if not isinstance(leaf, Operation)]
    try:
        graph.prune(inputs, outputs, part)
    except IndexError as error:
        raise UnliftableError(
            f"Unable to lift tensor {outputs[0]!r} because it depends transitively on placeholder "
            f"{graph.get_operation_by_name(error.args[0])!r}"
        ) from None
    made = iter(part.outputs)
    result = nest.map_structure(
        lambda leaf: None if isinstance(leaf, Operation) else next(made), structure
    )
    parameters = [
        Parameter(f"arg_{k}", POSITIONAL_ONLY, False, TensorSpec(tensor.shape, tensor.dtype))
        for k, tensor in enumerate(part.inputs)
    ]
    output = trace_types.from_value(result, TracingContext())
    return cls(part, FunctionType(parameters, return_annotation=output), name)


def _tensor(element: _core.Tensor) -> _core.Tensor:
    return element.outputs[0] if isinstance(element, Operation) else element
