"""Adds nodes: for functions of graph tensors, and for all calls of version 1's functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core, errors, nest
from eagerflow.framework import context
from eagerflow.framework.shapes import TensorShape
from eagerflow.graph import execution, inference
from eagerflow.graph.graph import Graph
from eagerflow.graph.outside import as_symbols
from eagerflow.graph.structure import replace, symbols
from eagerflow.graph.tensor import GraphTensor

# Node names of functions that are not called what their operations are.
_KINDS = {
    "add": "Add",
    "argmax": "ArgMax",
    "argmin": "ArgMin",
    "boolean_mask": "boolean_mask",
    "clip_by_value": "clip_by_value",
    "constant": "Const",
    "convert": "Const",
    "convert_to_tensor": "Const",
    "divide": "truediv",
    "dropout": "dropout",
    "gather": "GatherV2",
    "floordiv": "FloorDiv",
    "moments": "moments",
    "multiply": "Mul",
    "negative": "Neg",
    "norm": "norm",
    "normal": "random_normal",
    "ones": "ones",
    "ones_like": "ones_like",
    "one_hot": "one_hot",
    "range": "range",
    "reduce_all": "All",
    "reduce_any": "Any",
    "reduce_max": "Max",
    "reduce_mean": "Mean",
    "reduce_min": "Min",
    "reduce_prod": "Prod",
    "reduce_sum": "Sum",
    "shape": "Shape",
    "softmax_cross_entropy_with_logits": "softmax_cross_entropy_with_logits",
    "stack": "stack",
    "subtract": "Sub",
    "squared_difference": "SquaredDifference",
    "transpose": "transpose",
    "truncated_normal": "truncated_normal",
    "uniform": "random_uniform",
    "zeros": "zeros",
    "zeros_like": "zeros_like",
}


def kind_of(function: Any) -> str:
    """The name of nodes that run a function, as TensorFlow's graphs call them."""
    name = getattr(function, "__name__", "") or type(function).__name__
    name = name.rpartition(".")[2].strip("_<>")
    kind = _KINDS.get(name) or getattr(function, "op_name", None)
    if kind is None:
        kind = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    return kind or "Op"


def override(
    function: Callable[..., Any], args: tuple, kwargs: dict[str, Any], kind: str | None = None
) -> Any:
    """The result of a function of graph tensors: a node's tensors, or, in a run, the value."""
    if execution.current_run() is not None or inference.inferring() is not None:
        values = replace(args, execution.resolve)
        named = replace(kwargs, execution.resolve)
        return function(*values, **named)
    graph = context.building_graph() or symbols(args, kwargs)[0].graph
    return record_call(graph, function, args, kwargs, kind)


def record_call(
    graph: Graph,
    function: Callable[..., Any],
    args: tuple,
    kwargs: dict[str, Any],
    kind: str | None = None,
) -> Any:
    """Adds a node for a public function's call, and returns its tensors."""
    name = getattr(function, "__name__", "").lower()
    infers = name != "print" and not name.startswith("assert")
    return record(graph, function, args, kwargs, kind, infers=infers)


def record(
    graph: Graph,
    function: Callable[..., Any],
    args: tuple = (),
    kwargs: dict[str, Any] | None = None,
    kind: str | None = None,
    name: str | None = None,
    outputs: Any = None,
    infers: bool = True,
) -> Any:
    """Adds a node to a graph.

    Args:
        graph: the graph.
        function: what a session calls, with the arguments' values.
        args: positional arguments, in which graph tensors may be anywhere.
        kwargs: keyword arguments, likewise.
        kind: the kind of operation; by default that of the function.
        name: the node's name; by default the kind.
        outputs: a structure of `TensorSpec`s, if it is known what the function returns.
        infers: whether to find that out by a run without values; else the node has no outputs.

    Returns:
        The tensors of the node, in the structure in which the function returns them; the operation
        if there are none.
    """
    kwargs = kwargs or {}
    args, kwargs = as_symbols(tuple(args), graph), as_symbols(kwargs, graph)
    name = name or (kwargs.get("name") if isinstance(kwargs.get("name"), str) else None)
    inputs = symbols(args, kwargs)

    def call(with_values: Callable[[Any], Any]) -> Any:
        return function(*replace(args, with_values), **replace(kwargs, with_values))

    trials, program = None, None
    if outputs is None and infers:
        try:
            with inference.noting() as met:
                trials = inference.infer(call, inputs)
        except errors.InvalidArgumentError as error:
            raise ValueError(error.message) from None
        inputs = with_captured(inputs, met)
        program = trials.program(inputs)
    operation = graph.add_operation(kind or kind_of(function), function, args, kwargs, inputs, name)
    if trials is not None and not inputs:
        program = _constant_program(operation, trials.results[0])
    if outputs is not None:
        operation.structure = outputs
        for k, spec in enumerate(nest.flatten(outputs)):
            samples = inference.samples_of(spec.dtype, spec.shape)
            operation.outputs.append(GraphTensor(operation, k, spec.dtype, spec.shape, samples))
        operation.declare_outputs()
        return nest.pack_sequence_as(outputs, operation.outputs)
    results = [] if trials is None else trials.results
    worked = [result[0] for result in results if result is not None]
    if not worked or worked[0] is None:
        return operation
    given = _outputs(operation, results, worked)
    operation.declare_outputs()
    if program is not None:
        _set_program(operation, program)
    return given


# Operations of the table whose results depend on their attributes alone.
_PURE = frozenset({"zeros", "ones", "fill", "range", "linspace", "eye"})


def _constant_program(operation: Any, result: Any) -> Any:
    """The program of a node without inputs, if every run has the same result."""
    known = None if result is None else result[0]
    pure = getattr(operation.function, "__name__", "") in _PURE
    if type(known) is not _core.Tensor or not (pure or operation.type == "Const"):
        return None
    operation.function, operation.args, operation.kwargs = (lambda: known), (), {}
    return _core.constant_program(known)


def _set_program(operation: Any, program: Any) -> None:
    """Lets the engine run a node, and keeps the shapes that it infers for the results."""
    specs = operation.graph._native.set_program(operation._node, program)
    if specs is None or any(inference.has_values(tensor) for tensor in operation.inputs):
        return
    for tensor, (_, dims) in zip(operation.outputs, specs, strict=True):
        tensor._shape = TensorShape(dims)
        tensor._dims = None if dims is None else tuple(dims)


def with_captured(inputs: list[Any], met: list[Any]) -> list[Any]:
    """The inputs, and the tensors that functions among the arguments capture."""
    known = {id(symbol) for symbol in inputs}
    return [*inputs, *(s for s in {id(s): s for s in met}.values() if id(s) not in known)]


def _outputs(operation: Any, results: list[Any], worked: list[Any]) -> Any:
    """The output tensors of a node, from the results for each choice of sizes."""
    uncertain = any(not tensor.shape.is_fully_defined() for tensor in operation.inputs)
    structure = operation.structure = worked[0]
    leaves = [None if result is None else nest.flatten(result[0]) for result in results]
    first = nest.flatten(structure)
    if any(result is not None and len(result) != len(first) for result in leaves):
        raise ValueError(
            f"The number of tensors that {operation.type} returns depends on sizes that are unknown. "
            f"Operation '{operation.name}', made at:\n{operation.where()}"
        )
    packed: list[Any] = []
    for k, leaf in enumerate(first):
        if not (hasattr(leaf, "dtype") and hasattr(leaf, "shape")):
            packed.append(leaf)
            continue
        samples = [None if result is None else result[k] for result in leaves]
        shape = inference.merged_shape(samples, uncertain)
        # With more than two samples, other sizes were tried than the two choices for unknown ones.
        kept = (
            inference.samples_of(leaf.dtype, shape)
            if len(samples) > 2
            else tuple(inference.lean(sample) for sample in samples)
        )
        if len(kept) == 1:
            kept *= 2
        tensor = GraphTensor(operation, len(operation.outputs), leaf.dtype, shape, kept)
        operation.outputs.append(tensor)
        packed.append(tensor)
    if not operation.outputs:
        return operation
    return nest.pack_sequence_as(structure, packed)
