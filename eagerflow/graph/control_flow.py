"""Order, choice and repetition in graphs."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from eagerflow import _core
from eagerflow.framework import context
from eagerflow.framework.func_graph import is_symbolic
from eagerflow.ops import control_flow as eager
from eagerflow.typing import Structure


def init_scope() -> AbstractContextManager:
    """A context manager that leaves functions that are traced: for the graph around, or for none."""
    return eager.init_scope()


def tuple(tensors: Sequence, name: str | None = None, control_inputs: Any = None) -> list:
    """The tensors, each with control inputs from all of them."""
    return list(eager.tuple(tensors, control_inputs, name))


def with_dependencies(dependencies: Sequence, output_tensor: Any, name: str | None = None) -> Any:
    """A tensor with control inputs."""
    graph = context.building_graph()
    if graph is None:
        return output_tensor
    with graph.control_dependencies(dependencies):
        return _core.ops.identity(output_tensor, name=name)


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
        return _single(eager.cond(pred, true_fn, false_fn, name), strict)
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool")
    if not is_symbolic(pred):
        pred = _core.as_tensor(pred)
    return _single(eager.cond(pred, true_fn, false_fn, name), strict)


def _single(result: object, strict: bool) -> Any:
    """Unwraps the value of a list of one, unless `strict` keeps structures."""
    if not strict and isinstance(result, list | builtins.tuple) and len(result) == 1:
        return result[0]
    return result


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


def _nested(condition: object, chosen: Callable, otherwise: Any) -> Callable:
    return lambda: cond(condition, chosen, otherwise)


def while_loop(
    cond: Callable,
    body: Callable,
    loop_vars: Structure,
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
        name: the node's name.
        maximum_iterations: an upper limit to the number of iterations.
        return_same_structure: whether a single variable is returned in a list, as it was given.

    Returns:
        The final values; in a graph a single one is unwrapped. Without a graph it is unwrapped if
        `body` returned it so, or there is a limit to the iterations.
    """

    alone = not isinstance(loop_vars, list | builtins.tuple)
    values = [loop_vars] if alone else loop_vars
    if context.executing_eagerly():
        limit = eager.iteration_limit(maximum_iterations, parallel_iterations)
        bare = not return_same_structure
        result, alone = eager.repeated(cond, body, values, limit, bare)
        if alone or maximum_iterations is not None:
            return _single(result, return_same_structure)
        return result
    kinds: list[type] = [type(values)]

    def body_noting_type(*arguments: object) -> Any:
        result = body(*arguments)
        kinds.append(type(result))
        return result

    result = eager.while_loop(
        cond,
        body_noting_type,
        values,
        shape_invariants,
        parallel_iterations,
        back_prop,
        swap_memory,
        maximum_iterations,
        name,
    )
    # A list or a tuple, as the body's result is, or as the variables are in version 2.
    kind = type(values) if context.process.control_flow_v2 else kinds[-1]
    if kind in (list, builtins.tuple):
        result = kind(result)
    return _single(result, return_same_structure)
