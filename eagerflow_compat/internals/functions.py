"""tensorflow.python.eager.def_function, eager.function, framework.func_graph, ops.parallel_for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow.framework.func_graph import FuncGraph
from eagerflow.framework.func_graph import trace as _trace
from eagerflow.functions.concrete_function import ConcreteFunction
from eagerflow.functions.function import Function, function
from eagerflow.functions.function_type import FunctionSpec, FunctionType
from eagerflow.ops.creation import range as range_of
from eagerflow.ops.loops import map_fn, vectorized_map

__all__ = [
    "ConcreteFunction",
    "FuncGraph",
    "Function",
    "FunctionSpec",
    "FunctionType",
    "defun",
    "for_loop",
    "func_graph_from_py_func",
    "function",
    "pfor",
    "tf_function",
]

tf_function = defun = function


def func_graph_from_py_func(
    name: str, python_func: Callable[..., Any], args: Any, kwargs: Any, **options: object
) -> FuncGraph:
    """The graph that a function makes when it is called with these arguments."""
    return _trace(python_func, list(args or ()), dict(kwargs or {}), name=name)


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
