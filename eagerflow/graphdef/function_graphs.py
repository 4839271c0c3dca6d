"""FunctionDef messages as graphs, for programs that inspect called functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eagerflow import _core
from eagerflow.framework import context, dtypes
from eagerflow.framework.func_graph import FuncGraph, dims_of
from eagerflow.framework.shapes import TensorShape
from eagerflow.graphdef.attributes import shape_of
from eagerflow.graphdef.import_graph_def import own_message
from eagerflow.graphdef.importing import Builder


def function_def_to_graph(
    fdef: Any,
    structured_input_signature: Any = None,
    structured_outputs: Any = None,
    input_shapes: Sequence[Any] | None = None,
    propagate_device_spec: bool = False,
    include_library_functions: bool = False,
) -> FuncGraph:
    """The graph of a function of a GraphDef's library; its callees are in the default graph.

    Args:
        fdef: a FunctionDef message, ours or of another package.
        structured_input_signature: kept in the graph, like `structured_outputs`.
        structured_outputs: see above.
        input_shapes: the shapes of its arguments; by default those of the message.
        propagate_device_spec: accepted, without effect, like `include_library_functions`.
        include_library_functions: see above.

    Raises:
        ValueError: unless there is a shape for each argument.
        tf.errors.InvalidArgumentError: if the message is no function that can be built.

    >>> from eagerflow.graphdef.function_graphs import function_def_to_graph
    >>> concrete = tf.function(lambda x: x * 2.0).get_concrete_function(tf.TensorSpec([3]))
    >>> graph = function_def_to_graph(concrete.function_def)
    >>> graph.inputs[0].shape.as_list(), [tensor.dtype.name for tensor in graph.outputs]
    ([3], ['float32'])
    """
    message = own_message(fdef, "FunctionDef")
    signature = message.signature
    if input_shapes is not None and len(input_shapes) != len(signature.input_arg):
        raise ValueError(
            f"The length of input_shapes {input_shapes} must match the number of inputs "
            f"{len(signature.input_arg)}."
        )
    around = _core.building() or context.process.default_graph
    library = [] if around is None else [one.definition for one in around._functions.values()]
    graph = FuncGraph(signature.name)
    graph.function_name = signature.name
    graph.imported_functions = library
    with graph.as_default():
        inputs = []
        for index, argument in enumerate(signature.input_arg):
            shape = TensorShape(None)
            if input_shapes is not None:
                shape = TensorShape(input_shapes[index])
            else:
                told = message.arg_attr[index].attr["_output_shapes"].list.shape
                shape = shape_of(told[0]) if told else shape
            dtype = dtypes.as_dtype(argument.type)
            inputs.append(graph.placeholder(dtype, dims_of(shape), argument.name))
        builder = Builder([*library, message], size=len(message.node_def), keeps_messages=True)
        graph.finish([graph.capture(tensor) for tensor in builder.call(signature.name, inputs)])
    graph.structured_input_signature = structured_input_signature
    graph.structured_outputs = structured_outputs
    return graph
