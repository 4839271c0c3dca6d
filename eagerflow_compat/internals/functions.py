"""tensorflow.python.eager.def_function, eager.function, framework.func_graph, ops.parallel_for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.func_graph import FuncGraph
from eagerflow.framework.func_graph import trace as _trace
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.functions.concrete_function import ConcreteFunction
from eagerflow.functions.function import Function, function
from eagerflow.functions.function_type import FunctionSpec, FunctionType
from eagerflow.graphdef.import_graph_def import import_graph_def
from eagerflow.ops.creation import range as range_of
from eagerflow.ops.loops import map_fn, vectorized_map
from eagerflow_compat.internals.nest import flatten_with_tuple_paths
from eagerflow_compat.v1.wrap_function import wrap_function

__all__ = [
    "ConcreteFunction",
    "FuncGraph",
    "Function",
    "FunctionSpec",
    "FunctionType",
    "convert_structure_to_signature",
    "defun",
    "for_loop",
    "func_graph_from_py_func",
    "function",
    "function_from_graph_def",
    "pfor",
    "tf_function",
]

tf_function = defun = function


def func_graph_from_py_func(
    name: str, python_func: Callable[..., Any], args: Any, kwargs: Any, **options: object
) -> FuncGraph:
    """The graph that a function makes when it is called with these arguments."""
    return _trace(python_func, list(args or ()), dict(kwargs or {}), name=name)


def function_from_graph_def(
    graph_def: Any, inputs: Any, outputs: Any, captures: Mapping[str, Any] | None = None
) -> ConcreteFunction:
    """A concrete function of a GraphDef.

    Args:
        graph_def: the message.
        inputs: the names of the tensors that are its arguments, in a structure.
        outputs: the names of its results, in a structure.
        captures: values for the results of other nodes, by the nodes' names.

    >>> from eagerflow_compat.internals.functions import function_from_graph_def
    >>> f = tf.function(lambda x: x + 1.0).get_concrete_function(tf.TensorSpec([], tf.float32))
    >>> names = [tensor.name for tensor in (*f.graph.inputs, *f.graph.outputs)]
    >>> again = function_from_graph_def(f.graph.as_graph_def(), names[0], names[1])
    >>> float(again(tf.constant(2.0)))
    3.0
    """

    def add() -> None:
        held = {f"{name}:0": value for name, value in (captures or {}).items()}
        import_graph_def(graph_def, held, name="")

    return wrap_function(add, []).prune(inputs, outputs)


def convert_structure_to_signature(
    structure: Any, arg_names: Any = None, signature_context: object = None
) -> Any:
    """A structure with the specs of its tensors.

    Args:
        structure: a list or tuple of arguments, which may be structures of tensors, specs and others.
        arg_names: names for the arguments, which specs get where tensors have none.
        signature_context: accepted.
    """
    names = list(arg_names or ())

    def spec(path: Any, value: Any) -> Any:
        if isinstance(value, TensorSpec):
            return value
        if not isinstance(value, _core.Tensor):
            return getattr(value, "_type_spec", value)
        parts = [names[path[0]], *path[1:]] if names else path
        name = "_".join(map(str, parts))
        return TensorSpec(value.shape, value.dtype, name)

    flat = flatten_with_tuple_paths(structure)
    return nest.pack_sequence_as(structure, [spec(*item) for item in flat])


def pfor(
    loop_fn: Callable[[Any], Any],
    iters: Any,
    fallback_to_while_loop: bool = True,
    parallel_iterations: int | None = None,
    warn: bool = False,
) -> Any:
    """The results of `loop_fn(0)` to `loop_fn(iters - 1)`, stacked, computed at once where possible.

    Args:
        loop_fn: a function of the number of an iteration.
        iters: how many there are.
        fallback_to_while_loop: whether they may run one after the other.
        parallel_iterations: accepted.
        warn: accepted.
    """
    return vectorized_map(loop_fn, range_of(iters), fallback_to_while_loop)


def for_loop(loop_fn: Callable[[Any], Any], loop_fn_dtypes: Any, iters: Any, **options: Any) -> Any:
    """As `pfor`, one iteration after the other."""
    return map_fn(loop_fn, range_of(iters), fn_output_signature=loop_fn_dtypes)
