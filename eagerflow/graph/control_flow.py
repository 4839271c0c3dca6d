"""Order, choice and repetition in graphs."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import context
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graph import inference
from eagerflow.graph.graph import Operation, ports
from eagerflow.graph.recording import record, with_captured
from eagerflow.graph.structure import is_symbol
from eagerflow.ops import control_flow as eager


def no_op(name: str | None = None) -> Any:
    """An operation that does nothing."""
    graph = context.building_graph()
    if graph is None:
        return None
    return _nothing(graph, name or "NoOp")


def group(*inputs: Any, **kwargs: Any) -> Any:
    """An operation that is done when all the others are.

    Args:
        *inputs: tensors and operations.
        **kwargs: `name`.
    """
    graph = context.building_graph()
    if graph is None:
        return None
    with graph.control_dependencies(
        [item for item in nest.flatten(list(inputs)) if item is not None]
    ):
        return _nothing(graph, kwargs.get("name") or "group_deps")


def _nothing(graph: Any, name: str) -> Any:
    """A node that others wait for."""
    operation = record(graph, lambda: None, kind="NoOp", name=name, infers=False)
    graph._native.set_kind(operation._node, "nothing")
    return operation


def control_dependencies(control_inputs: Any) -> AbstractContextManager:
    """Has the operations made inside run after others; nothing, if operations run eagerly."""
    graph = context.building_graph()
    if graph is None:
        return eager.control_dependencies(control_inputs)
    return graph.control_dependencies(control_inputs)


def init_scope() -> AbstractContextManager:
    """A context manager in which random operations draw as outside of functions."""
    return eager.init_scope()


def tuple(tensors: Sequence, name: str | None = None, control_inputs: Any = None) -> list:
    """The tensors, each of which waits for all of them."""
    graph = context.building_graph()
    if graph is None:
        return list(tensors)
    waits = [item for item in (*tensors, *(control_inputs or ())) if item is not None]
    with graph.control_dependencies(waits):
        return [
            None if tensor is None else record(graph, _core.ops.identity, (tensor,))
            for tensor in tensors
        ]


def with_dependencies(dependencies: Sequence, output_tensor: Any, name: str | None = None) -> Any:
    """A tensor that waits for others."""
    graph = context.building_graph()
    if graph is None:
        return output_tensor
    with graph.control_dependencies(dependencies):
        return record(graph, _core.ops.identity, (output_tensor,), name=name)


def cond(
    pred: Any,
    true_fn: Callable | None = None,
    false_fn: Callable | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable | None = None,
    fn2: Callable | None = None,
) -> Any:
    """Calls one of two functions.

    In a graph, both functions are called to add their nodes; a session runs the nodes of one.

    Args:
        pred: a boolean scalar.
        true_fn: called without arguments if `pred` is true.
        false_fn: called otherwise.
        strict: whether a list of one value stays a list; otherwise the value is returned.
        name: the node's name.
        fn1: a deprecated name of `true_fn`.
        fn2: a deprecated name of `false_fn`.

    Raises:
        TypeError: if one of the functions cannot be called, or in a graph, `pred` is no tensor.
        ValueError: if the functions return different structures.
    """
    for function, older, text in ((true_fn, fn1, "true_fn"), (false_fn, fn2, "false_fn")):
        if function is not None and older is not None:
            raise TypeError(f"cond(): {text} and its older name may not be set simultaneously.")
    true_fn, false_fn = true_fn or fn1, false_fn or fn2
    for function, text in ((true_fn, "true_fn"), (false_fn, "false_fn")):
        if not callable(function):
            raise TypeError(f"'{text}' must be callable.")
    graph = context.building_graph()
    if graph is None:
        return _single(eager.cond(pred, true_fn, false_fn), strict)
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool")
    if not is_symbol(pred):
        pred = record(graph, _core.convert, (pred, None, None))
    with graph.name_scope(name or "cond"):
        controls, graph._controls = (
            graph._controls,
            [],
        )  # branches have no control inputs of their own
        try:
            branches = [_branch(graph, function) for function in (true_fn, false_fn)]
        finally:
            graph._controls = controls
        return _single(_choice(graph, pred, branches), strict)


def _single(result: Any, strict: bool) -> Any:
    """Unwraps the value of a list of one, unless `strict` keeps structures."""
    if not strict and isinstance(result, list | builtins.tuple) and len(result) == 1:
        return result[0]
    return result


def _branch(graph: Any, function: Any) -> Any:
    result = function()

    def as_tensor(leaf: Any) -> Any:
        if leaf is None or isinstance(leaf, Operation) or is_symbol(leaf):
            return leaf
        return record(graph, _core.convert, (leaf, None, None))

    return nest.map_structure(as_tensor, result)


def _choice(graph: Any, pred: Any, branches: list) -> Any:
    flat = [nest.flatten(branch) for branch in branches]
    if len(flat[0]) != len(flat[1]):
        raise ValueError("true_fn and false_fn must return the same number of tensors.")
    for first, second in zip(*flat, strict=True):
        if is_symbol(first) != is_symbol(second):
            raise TypeError("true_fn and false_fn must both return tensors, or both operations.")
        if is_symbol(first) and first.dtype != second.dtype:
            raise TypeError(
                f"true_fn and false_fn must return the same dtypes, got {first.dtype.name} and "
                f"{second.dtype.name}."
            )
    specs = [
        TensorSpec(first.shape.most_specific_compatible_shape(second.shape), first.dtype)
        for first, second in zip(*flat, strict=True)
        if is_symbol(first)
    ]

    if specs:
        operation = record(graph, _only_engine, kind="Merge", outputs=specs)[0].op
    else:
        operation = record(graph, _only_engine, kind="Merge", infers=False)
    operation.inputs = [pred, *(item for item in [*flat[0], *flat[1]] if is_symbol(item))]
    native = graph._native
    native.set_inputs(operation._node, ports([pred]))
    described: list[Any] = []
    for branch in reversed(flat):
        described.append(ports(item for item in branch if is_symbol(item)))
        described.append([item._node for item in branch if isinstance(item, Operation)])
    native.set_choice(operation._node, *described)
    outputs = operation.outputs
    tensors = iter(outputs or ())
    packed = [next(tensors) if is_symbol(item) else operation for item in flat[0]]
    return nest.pack_sequence_as(branches[0], packed)


def _only_engine() -> None:
    raise AssertionError("The engine runs conditionals.")


def case(
    pred_fn_pairs: Any,
    default: Callable | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """Calls the function that belongs to the first true condition, and returns its result."""
    if context.building_graph() is None:
        return eager.case(pred_fn_pairs, default, exclusive)
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    if default is None:
        *pairs, (_, default) = pairs
    function = default
    for condition, chosen in reversed(pairs):
        function = _nested(condition, chosen, function)
    return function()


def _nested(condition: Any, chosen: Callable, otherwise: Any) -> Callable:
    return lambda: cond(condition, chosen, otherwise)


def while_loop(
    cond: Callable,
    body: Callable,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Repeats a function as long as a condition holds.

    In a graph, the two functions are called while a session runs, once per iteration; they may
    use other tensors of the graph.

    Args:
        cond: called with the loop's variables; returns a boolean scalar.
        body: called with the loop's variables; returns their next values.
        loop_vars: the initial values, a list or nested structure.
        shape_invariants: shapes that hold in all iterations, where sizes change.
        parallel_iterations: accepted.
        back_prop: accepted.
        swap_memory: accepted.
        name: the node's name.
        maximum_iterations: an upper limit to the number of iterations.
        return_same_structure: whether a single variable is returned in a list, as it was given.

    Returns:
        The final values; in a graph a single one is unwrapped. Without a graph it is unwrapped if
        `body` returned it so, or there is a limit to the iterations.
    """

    def repeat(values: Any, limit: Any) -> Any:
        limit = eager.iteration_limit(limit, parallel_iterations)
        return eager.repeated(cond, body, values, limit, not return_same_structure)

    graph = context.building_graph()
    if graph is None:
        result, alone = repeat(loop_vars, maximum_iterations)
        if alone or maximum_iterations is not None:
            return _single(result, return_same_structure)
        return result
    # Converted first, so that the loop variables keep their dtypes.
    first = nest.map_structure(
        lambda leaf: leaf if is_symbol(leaf) else record(graph, _core.convert, (leaf, None, None)),
        list(loop_vars) if isinstance(loop_vars, list) else loop_vars,
    )
    shapes = nest.map_structure(lambda leaf: leaf.shape, first)
    flat_shapes = nest.flatten(shapes if shape_invariants is None else shape_invariants)
    specs = [
        TensorSpec(shape, leaf.dtype)
        for shape, leaf in zip(flat_shapes, nest.flatten(first), strict=True)
    ]
    outputs = record(
        graph,
        lambda values, limit: nest.flatten(repeat(values, limit)[0]),
        (first, maximum_iterations),
        kind=name or "while",
        outputs=specs,
    )
    kinds: list[type] = [type(first)]

    def body_noting_type(values: Any) -> Any:
        result = body(*_arguments(values))
        kinds.append(type(result))
        return result

    met = [
        *inference.captured(lambda values: cond(*_arguments(values)), first),
        *inference.captured(body_noting_type, first),
    ]
    if outputs:
        operation = outputs[0].op
        operation.inputs = with_captured(operation.inputs, met)
    result = nest.pack_sequence_as(first, outputs)
    # The result is a list or a tuple, as the body's result is.
    if isinstance(result, list | builtins.tuple) and kinds[-1] in (list, builtins.tuple):
        result = kinds[-1](result)
    return _single(result, return_same_structure)


def _arguments(values: Any) -> Any:
    """The loop variables as a sequence of arguments."""
    return values if isinstance(values, list | builtins.tuple) else [values]
