"""tensorflow.python.eager.def_function, eager.function, framework.func_graph, ops.parallel_for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow.framework.func_graph import FuncGraph
from eagerflow.framework.func_graph import trace as _trace
from eagerflow.functions.concrete_function import ConcreteFunction
from eagerflow.functions.function import Function, function
from eagerflow.functions.function_type import FunctionSpec, FunctionType

__all__ = [
    "ConcreteFunction",
    "FuncGraph",
    "Function",
    "FunctionSpec",
    "FunctionType",
    "defun",
    "func_graph_from_py_func",
    "function",
    "tf_function",
]

tf_function = defun = function


def func_graph_from_py_func(
    name: str, python_func: Callable[..., Any], args: Any, kwargs: Any, **options: Any
) -> FuncGraph:
    """The graph that a function makes when it is called with these arguments."""
    return _trace(python_func, list(args or ()), dict(kwargs or {}), name=name)
