"""Functions whose variables are constants."""

from __future__ import annotations

from eagerflow import nest
from eagerflow.framework.func_graph import FuncGraph
from eagerflow.framework.trace_type import TracingContext
from eagerflow.functions import trace_types
from eagerflow.functions.concrete_function import ConcreteFunction
from eagerflow.functions.function_type import FunctionType
from eagerflow.graphdef import exporting
from eagerflow.graphdef.import_graph_def import import_graph_def


def convert_variables_to_constants_v2(
    func: ConcreteFunction, lower_control_flow: bool = True, aggressive_inlining: bool = False
) -> ConcreteFunction:
    """A concrete function with the values of its variables in its graph.

    Args:
        func: a concrete function, which only reads its variables.
        lower_control_flow: accepted, without effect: conditionals and loops stay functional.
        aggressive_inlining: accepted, without effect.

    Returns:
        A function of one tensor for each input of the graph, by position.

    Raises:
        tf.errors.UnimplementedError: if it changes a variable, or calls Python.

    >>> weight = tf.Variable(3.0)
    >>> f = tf.function(lambda x: x * weight).get_concrete_function(tf.TensorSpec([], tf.float32))
    >>> from eagerflow.graphdef.freezing import convert_variables_to_constants_v2
    >>> frozen = convert_variables_to_constants_v2(f)
    >>> len(frozen.graph.variables), float(frozen(tf.constant(2.0))[0])
    (0, 6.0)
    """
    message = exporting.graph_def(func.graph, strict=True, frozen=True)
    graph = FuncGraph(func.graph.name)
    with graph.as_default():
        import_graph_def(message, name="")
        graph.finish([graph.get_tensor_by_name(tensor.name) for tensor in func.graph.outputs])
    output = trace_types.from_value(list(graph.outputs), TracingContext())
    whole = ConcreteFunction(graph, FunctionType([], return_annotation=output), graph.name)
    names = [tensor.name for tensor in func.graph.inputs]
    return whole.prune(
        names, nest.map_structure(lambda tensor: tensor.name, list(func.graph.outputs))
    )
