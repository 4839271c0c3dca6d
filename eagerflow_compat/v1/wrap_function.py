"""tf.compat.v1.wrap_function: version 1's code as a concrete function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow.framework.func_graph import FuncGraph
from eagerflow.framework.trace_type import TracingContext
from eagerflow.functions import trace_types, tracing
from eagerflow.functions.concrete_function import ConcreteFunction
from eagerflow.functions.function_type import POSITIONAL_OR_KEYWORD, FunctionType, Parameter
from eagerflow.functions.variable_creation import Creation


class WrappedFunction(ConcreteFunction):
    """A concrete function that owns the variables which it made while it was traced."""

    _created: list[Any]


def wrap_function(
    fn: Callable[..., Any], signature: Sequence[Any], name: str | None = None
) -> WrappedFunction:
    """Traces a function once, in the way of version 1's graphs.

    Its control flow is not converted. Variables that it makes belong to the result, and exist from then
    on; they cannot begin with values that depend on arguments.

    Args:
        fn: the function.
        signature: its arguments: a TensorSpec, or a structure of them, for each that is a tensor.
        name: the name of the result.

    Returns:
        A function of tensors, with `graph`, `variables` and `prune`.

    >>> double = tf.compat.v1.wrap_function(lambda x: x * 2.0, [tf.TensorSpec([], tf.float32)])
    >>> double(tf.constant(3.0)).numpy()
    np.float32(6.0)
    """
    context = TracingContext()
    parameters = []
    for k, argument in enumerate(signature):
        kind = trace_types.from_value(argument, context)
        found = getattr(argument, "name", None) or f"arg_{k}"
        parameters.append(Parameter(tracing.valid_name(found), POSITIONAL_OR_KEYWORD, False, kind))
    graph = FuncGraph(name or "wrapped_function")
    placeholders = tracing.Placeholders(graph, [])
    placeholders.parameter = "Placeholder"
    creation = Creation(True, graph, [])
    with graph.as_default(), creation:
        result = fn(*[p.annotation.placeholder_value(placeholders) for p in parameters])
        output_type, outputs = tracing.flatten_result(result, graph, fn, named=False)
        graph.finish(outputs)
    wrapped = WrappedFunction(
        graph, FunctionType(parameters, graph.capture_types, output_type), graph.name
    )
    wrapped._created = [reference() for reference in creation.created]
    return wrapped
