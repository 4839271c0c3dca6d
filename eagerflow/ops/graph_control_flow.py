"""Choices and loops in functions that are being traced: nodes with graphs inside."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.errors import InvalidArgumentError
from eagerflow.framework import context, dtypes, func_graph
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.func_graph import FuncGraph
from eagerflow.framework.name_scope import get_current_name_scope
from eagerflow.framework.operation import Operation, last_operation
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec, TypeSpec, WeakTensors, is_weak
from eagerflow.ops.tensor_array import TensorArray
from eagerflow.typing import Structure, TensorLike

Tensor = _core.Tensor


def cond(pred: TensorLike, true_fn: Callable, false_fn: Callable, name: str | None) -> Any:
    """`tf.cond` as a node: both functions are traced."""
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool", pred)
    pred = _core.as_tensor(pred)
    if pred.dtype is not dtypes.bool:
        raise InvalidArgumentError._of(
            f"Input 'pred' of tf.cond passed {pred.dtype.name}, expected bool."
        )
    name = name or "cond"
    branches = {
        "true_fn": _branch(true_fn, name, "true"),
        "false_fn": _branch(false_fn, name, "false"),
    }
    return _choice(pred, branches, name, "tf.cond")


def switch_case(branch_index: Any, branches: Sequence[Callable], name: str | None) -> Any:
    """`tf.switch_case` as a node: all functions are traced; the last one is the default."""
    if branch_index.dtype is not dtypes.int32:
        raise TypeError(
            f"Input 'branch_index' of 'Case' Op has type {branch_index.dtype.name} that does not "
            "match expected type of int32."
        )
    name = name or "switch_case"
    graphs = {
        f"branches[{k}]": _branch(function, name, f"branch{k}")
        for k, function in enumerate(branches)
    }
    return _choice(branch_index, graphs, name, "tf.switch_case")


def _part(node: str, which: str) -> FuncGraph:
    """A new graph for a branch, or for a loop's condition or body.

    In a function, its names begin with that of the node.

    Args:
        node: the name of the node, before it is made unique.
        which: which of the node's graphs it is; the graph's name ends with it.
    """
    outer = _core.building()
    if outer.building_function:
        whole = outer.unique_name(node, mark_as_used=False)
    else:  # the node is in a scope of its own
        whole = get_current_name_scope() or node
    graph = FuncGraph(f"{whole}_{which}".replace("/", "_"))
    graph.is_control_flow_graph = True
    graph.device_label = outer.device_label
    if outer.building_function:
        graph.scope = f"{whole}/"
    return graph


def _follow(parts: Iterable[FuncGraph]) -> None:
    """Lets the node that was added last follow what nodes in its graphs have to follow."""
    awaited = [id for part in parts for id in part.awaited]
    graph = _core.building()
    if not awaited:
        return
    if graph.is_control_flow_graph:
        graph.awaited += awaited
    elif not graph.building_function:
        graph.add_controls(len(graph) - 1, awaited)


def _branch(function: Callable, node: str, which: str) -> FuncGraph:
    """The graph of a branch; operations in its result have run when the branch has."""
    graph = _part(node, which)

    def without_operations() -> Any:
        result = function()
        leaves = nest.flatten(result)
        graph.returned_operations = [isinstance(leaf, Operation) for leaf in leaves]
        # Those from around the branches run before, whichever branch is chosen.
        program = context.building_graph()
        graph.awaited += [
            leaf._node.id
            for leaf in leaves
            if isinstance(leaf, Operation) and program is not None and leaf.graph is program
        ]
        if not any(graph.returned_operations):
            return result
        return nest.map_structure(
            lambda leaf: None if isinstance(leaf, Operation) else leaf, result
        )

    return func_graph.trace(without_operations, name=graph.name, graph=graph)


def _with_what_chose(chosen: Any, index: Tensor, graph: FuncGraph) -> Any:
    """Puts the tensor that chose a branch in place of the operations that the branches return."""
    if not any(graph.returned_operations):
        return chosen
    outer = _core.building()
    last = [] if outer.building_function else [last_operation()]
    with outer.control_dependencies(last) if last else contextlib.nullcontext():
        ran = _core.ops.identity(index)
    leaves = [
        ran if is_operation else leaf
        for leaf, is_operation in zip(nest.flatten(chosen), graph.returned_operations, strict=True)
    ]
    return nest.pack_sequence_as(chosen, leaves)


def _choice(index: Tensor, branches: dict[str, FuncGraph], name: str, function: str) -> Any:
    (first, graph), *others = branches.items()
    for other, other_graph in others:
        _check_alike(first, graph, other, other_graph, function)
    results = _core.choice_node(index, list(branches.values()), name)
    _follow(branches.values())
    chosen = func_graph.pack_outputs(graph, results)
    if WeakTensors.exist:  # results are weak where those of all branches are
        for _, branch in others:
            chosen = nest.map_structure(
                lambda leaf, like: leaf if is_weak(like) else _strong(leaf),
                chosen,
                branch.structured_outputs,
                expand_composites=True,
            )
    return _with_what_chose(chosen, index, graph)


def _strong(value: Any) -> Any:
    return _core.strengthened(value) if is_weak(value) else value


def _check_alike(
    first: str, graph: FuncGraph, second: str, other: FuncGraph, function: str
) -> None:
    """Checks that two branches return values of the same structure and dtypes."""
    one, two = graph.structured_outputs, other.structured_outputs
    counts = [len(nest.flatten(values)) for values in (one, two)]
    if counts[0] != counts[1]:
        raise AssertionError(
            f"{first} and {second} arguments to {function} must return as many values, but return "
            f"{counts[0]} and {counts[1]}: {one!s} and {two!s}"
        )
    tensors = [sum(leaf is not None for leaf in nest.flatten(values)) for values in (one, two)]
    if tensors[0] != tensors[1]:
        raise ValueError(
            f"Lengths of branch outputs of {function} must match: {first} returns {tensors[0]} "
            f"tensors and {second} {tensors[1]}: {one!s} and {two!s}"
        )
    try:
        nest.assert_same_structure(one, two, expand_composites=True)
        for a, b in zip(nest.flatten(one, True), nest.flatten(two, True), strict=True):
            if (a is None) != (b is None):
                raise TypeError(f"{a!s} and {b!s}: one is None, the other a tensor")
            if a is not None and a.dtype is not b.dtype:
                raise TypeError(f"{a!s} and {b!s} have different types")
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{first} and {second} arguments to {function} must have the same number, type, and "
            "overall structure of return values.\n\n"
            f"{first} output: {one!s}\n{second} output: {two!s}"
            f"\n\nError details:\n{error}"
        ) from None


def while_loop(
    cond: Callable,
    body: Callable,
    loop_vars: Structure,
    shape_invariants: Any,
    maximum_iterations: Any,
    name: str | None,
) -> Any:
    """`tf.while_loop` as a node: both functions are traced once."""
    for function, text in ((cond, "cond"), (body, "body")):
        if not callable(function):
            raise TypeError(f"'{text}' must be callable.")
    if not isinstance(loop_vars, list | tuple) or not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    name = name or "while"
    initial = nest.map_structure(_in_graph, loop_vars)
    loop_vars = nest.map_structure(_as_variable, initial, expand_composites=True)
    signature = _signature(loop_vars, shape_invariants)
    if maximum_iterations is not None:
        maximum_iterations = _core.convert(maximum_iterations, None, dtypes.int32)
        if maximum_iterations.dtype not in (dtypes.int32, dtypes.int64):
            raise TypeError(f"Expected int32 for maximum_iterations, got {maximum_iterations}.")

    def test(*variables: Any) -> Tensor:
        result = _core.as_tensor(cond(*variables))
        if result.dtype is not dtypes.bool:
            raise InvalidArgumentError._of(
                f"The cond of tf.while_loop passed {result.dtype.name}, expected bool."
            )
        return result

    def step(*variables: Any) -> Any:
        result = body(*variables)
        if not nest.is_nested(result):
            result = [result]
        if isinstance(result, Mapping) != isinstance(initial, Mapping):
            raise TypeError(
                "The body of tf.while_loop must return a list or tuple with the structure of "
                f"`loop_vars`, got {result!s}."
            )
        nest.assert_same_structure(result, initial, check_types=False, expand_composites=True)
        _check_composites(result, signature)
        return result

    condition = _traced_part(name, "cond", test, signature)
    step_graph = _traced_part(name, "body", step, signature)
    flat = nest.flatten(loop_vars, expand_composites=True)
    _check_invariants(flat, step_graph)
    final = _core.while_node(condition, step_graph, flat, maximum_iterations, name)
    _follow((condition, step_graph))
    return nest.pack_sequence_as(signature, final, expand_composites=True)


def _in_graph(value: object) -> Any:
    """Converts an eager TensorArray to one of this graph; returns other values as they are."""
    if not isinstance(value, TensorArray):
        return value
    spec = value._type_spec
    return spec._from_components(spec._to_components(value))


def _as_variable(value: TensorLike) -> Tensor:
    return _core.building().capture(_core.as_tensor(value))


def _signature(loop_vars: Structure, shape_invariants: Structure) -> Any:
    """The loop's variables as the specs that hold for all iterations."""
    variables = nest.flatten(loop_vars)
    if shape_invariants is None:
        invariants = [None] * len(variables)
    else:
        nest.assert_same_structure(loop_vars, shape_invariants, check_types=False)
        invariants = nest.flatten(shape_invariants)
    return nest.pack_sequence_as(loop_vars, list(map(_variable_spec, variables, invariants)))


def _variable_spec(variable: Any, invariant: object) -> TypeSpec:
    """The spec of a variable for an invariant: a shape, a spec, or None for its own.

    A `TensorArray` is a scalar to the loop, which any invariant of a scalar describes.
    """
    if isinstance(invariant, TypeSpec):
        if not invariant.is_compatible_with(variable):
            raise TypeError(f"The shape invariant {invariant!r} does not describe {variable!r}.")
        return invariant
    if not isinstance(invariant, TensorShape | None):
        raise TypeError(
            "Elements of `shape_invariants` must be shapes, type specs or None, got "
            f"{invariant!r}; use tf.TensorShape."
        )
    if isinstance(variable, Tensor):
        shape = variable.shape if invariant is None else TensorShape(invariant)
        # TensorFlow does not compare the first value with its invariant. No rank describes both.
        same_rank = shape.rank is None or variable.shape.rank in (None, shape.rank)
        return TensorSpec(shape if same_rank else None, variable.dtype)
    spec = variable._type_spec
    if invariant is None:
        return spec
    if not isinstance(variable, TensorArray):
        return variable._shape_invariant_to_type_spec(invariant)
    if not invariant.is_compatible_with([]):
        raise ValueError(
            f"The shape invariant of a TensorArray must describe a scalar, got {invariant}; the "
            "shapes of its elements do not matter here."
        )
    return spec


def _check_composites(result: Structure, signature: Structure) -> None:
    """Checks the shapes of composite values, whose parts may fit all the same."""
    for value, spec in zip(nest.flatten(result), nest.flatten(signature), strict=True):
        if not isinstance(value, CompositeTensor) or not value._stands_for_tensor:
            continue
        before, after = spec.shape, value._type_spec.shape
        if not before.is_compatible_with(after):
            raise ValueError(
                f"A {type(value).__name__} enters the loop with shape {before}, but has shape "
                f"{after} after one iteration. To allow the shape to vary across iterations, use "
                "the `shape_invariants` argument of tf.while_loop to specify a less-specific shape."
            )


def _traced_part(node: str, which: str, function: Callable, signature: Structure) -> FuncGraph:
    """The graph of a loop's condition or body."""
    graph = _part(node, which)
    with graph.as_default():
        inputs = [
            graph.placeholder(spec.dtype, func_graph.dims_of(spec.shape), "Placeholder")
            for spec in nest.flatten(signature, expand_composites=True)
        ]
        variables = nest.pack_sequence_as(signature, inputs, expand_composites=True)
        func_graph.finish(graph, function(*variables))
    return graph


def _check_invariants(variables: list[Tensor], body: FuncGraph) -> None:
    """Checks that dtypes stay the same and shapes get no less specific."""
    for first, before, after in zip(variables, body.inputs, body.outputs, strict=True):
        name = first.name
        if after.dtype is not first.dtype:
            raise TypeError(
                f"Loop var {name} enters the loop with type {first.dtype} but has type "
                f"{after.dtype} after 1 iteration. {name} type should remain constant."
            )
        if not after.shape.is_subtype_of(before.shape):
            raise ValueError(
                f"Input tensor `{name}` enters the loop with shape {before.shape}, but has shape "
                f"{after.shape} after one iteration. To allow the shape to vary across iterations, "
                "use the `shape_invariants` argument of tf.while_loop to specify a less-specific "
                "shape."
            )
        if not first.shape.is_subtype_of(before.shape):
            raise ValueError(
                f"The shape invariant {before.shape} of `{name}` does not describe its first "
                f"value, whose shape is {first.shape}."
            )
