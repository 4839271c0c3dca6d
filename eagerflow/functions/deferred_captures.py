"""Captures of concrete functions whose values are computed in each call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework.func_graph import FuncGraph, dims_of
from eagerflow.framework.trace_type import TracingContext
from eagerflow.functions import trace_types


def replaced(
    graph: FuncGraph, tensor: Any, closure: Callable[[], Any], spec: Any, placeholder: Any
) -> FuncGraph:
    """A graph like another one, in which the value of a capture is computed in each call.

    Args:
        graph: the graph, which stays as it is.
        tensor: the captured tensor.
        closure: a function without arguments that returns the value.
        spec: the spec of the value.
        placeholder: the tensor that represents `tensor` in the graph; None to look it up.

    Raises:
        ValueError: if `tensor` does not fit the spec.
    """
    if not spec.is_compatible_with(trace_types.from_value(tensor, TracingContext())):
        raise ValueError(
            f"Attempting to substitute closure with spec {spec} that's incompatible with the "
            f"capture, whose value is {tensor!r}."
        )
    inner = graph.capture(tensor) if placeholder is None else placeholder
    part = FuncGraph(graph.name)
    graph.prune([*graph.inputs, inner], graph.outputs, part, True)
    result = FuncGraph(graph.name)
    with result.as_default():
        inputs = [
            result.placeholder(x.dtype, dims_of(x.shape), x.name.rpartition(":")[0])
            for x in graph.inputs
        ]
        value = result.capture_call_time_value(closure, spec)
        outputs = part.run([*inputs, value])
        result.finish([_core.ops.identity(output) for output in outputs])
    result.function_attributes = graph.function_attributes
    return result
