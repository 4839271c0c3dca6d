"""Tracing: from a Python function and the types of its arguments to a graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.framework.func_graph import FuncGraph, dims_of
from eagerflow.framework.trace_type import TracingContext
from eagerflow.framework.variable import ResourceHandle
from eagerflow.functions import trace_types
from eagerflow.functions.function_type import KEYWORD_ONLY, FunctionType
from eagerflow.typing import Structure

Tensor = _core.Tensor

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.\\/>-]")


class Placeholders:
    """Creates a function's arguments while it is traced.

    Args:
        graph: the graph whose inputs the symbolic tensors become.
        variables: the variables of the call, in the order of their specs.
    """

    def __init__(self, graph: FuncGraph, variables: Sequence[object]) -> None:
        self._graph = graph
        self._variables = iter(variables)
        self.parameter = "args"

    def placeholder(self, spec: Any) -> Tensor:
        """A symbolic tensor with a spec's dtype and shape, named after the spec or the parameter."""
        name = valid_name(spec.name or self.parameter)
        return self._graph.placeholder(spec.dtype, dims_of(spec.shape), name)

    def variable(self, spec: Any) -> Any:
        """The next variable of the call."""
        return next(self._variables)


def valid_name(name: str) -> str:
    """A name that an operation may have."""
    name = _NOT_IN_NAMES.sub("_", name)
    return name if re.match(r"[A-Za-z0-9.]", name) else f"args{name}"


def trace(
    function: Callable[..., object],
    function_type: FunctionType,
    graph: FuncGraph,
    variables: list[_core.Variable],
    described: object,
) -> tuple[Any, list[Tensor]]:
    """Runs a function once on symbolic arguments, with its operations added to a graph.

    Args:
        function: the function.
        function_type: the types of its arguments.
        graph: a new graph; its inputs are the tensors in the arguments.
        variables: the variables in the arguments.
        described: the function that messages name.

    Returns:
        The type of the result, and the tensors in it.

    Raises:
        TypeError: if a part of the result cannot be converted to a tensor.
        ValueError: if the function changes a list or dictionary among its arguments.
    """
    placeholders = Placeholders(graph, variables)
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for name, parameter in function_type.parameters.items():
        placeholders.parameter = name
        value = parameter.annotation.placeholder_value(placeholders)
        if parameter.kind is KEYWORD_ONLY:
            kwargs[name] = value
        else:
            args.append(value)
    before = _copied((args, kwargs))
    result = function(*args, **kwargs)
    _check_unchanged(before, (args, kwargs), function_type, described)
    return flatten_result(result, graph, described)


class _ReturnedHandle:
    """The handle of a variable in a result: every call returns the same one.

    Args:
        handle: the handle.
    """

    def __init__(self, handle: ResourceHandle) -> None:
        self._handle = handle

    def __tf_tracing_type__(self, context: TracingContext) -> trace_types.Literal:
        return trace_types.Literal(self._handle)


def flatten_result(
    result: Structure, graph: FuncGraph, described: object, named: bool = True
) -> tuple[Any, list[Tensor]]:
    """The type of a function's result, and the tensors in it as tensors of the graph.

    Args:
        result: what the function returned.
        graph: the graph.
        described: the function that messages name.
        named: whether each gets an Identity operation, after which it is named.
    """

    def converted(leaf: Any) -> Any:
        if leaf is None or hasattr(type(leaf), "_type_spec"):
            return leaf
        if isinstance(leaf, Tensor):
            return leaf
        if isinstance(leaf, ResourceHandle):
            return _ReturnedHandle(leaf)
        try:
            if isinstance(leaf, type | np.dtype):
                raise TypeError(leaf)
            return _core.constant(leaf, None)
        except (TypeError, ValueError) as error:
            raise TypeError(
                "To be compatible with tf.function, Python functions must return zero or more "
                "Tensors or ExtensionTypes or None values; in compilation of "
                f"{described}, found return value of type {type(leaf).__name__}, which is not a "
                "Tensor or ExtensionType."
            ) from error

    if result is None:
        return trace_types.Literal(None), []
    result = nest.map_structure(converted, result)
    output_type = trace_types.from_value(result, TracingContext())
    tensors = [graph.capture(leaf) for leaf in output_type.to_tensors(result)]
    if named:
        tensors = [_core.ops.identity(tensor) for tensor in tensors]
    return output_type, tensors


def _copied(structure: Structure) -> Any:
    """The structure with containers of its own and the same leaves."""
    if type(structure) is dict:
        return {key: _copied(value) for key, value in structure.items()}
    if type(structure) in (list, tuple):
        return type(structure)([_copied(value) for value in structure])
    return structure


def _same(before: Structure, after: Structure) -> bool:
    """Whether a structure is unchanged since it was copied."""
    if type(before) is not type(after):
        return False
    if type(before) is dict:
        return before.keys() == after.keys() and all(_same(before[k], after[k]) for k in before)
    if type(before) in (list, tuple):
        return len(before) == len(after) and all(map(_same, before, after))
    return before is after


def _check_unchanged(before: Any, after: Any, function_type: FunctionType, described: Any) -> None:
    if _same(before, after):
        return
    names = list(function_type.parameters)
    values = zip([*before[0], *before[1].values()], [*after[0], *after[1].values()], strict=True)
    changed = [name for name, pair in zip(names, values, strict=True) if not _same(*pair)]
    called = f"{getattr(described, '__name__', described)}({', '.join(names)})"
    raise ValueError(
        f"{called} should not modify its Python input arguments. Modifying a copy is allowed. The "
        f"following parameter(s) were modified: {', '.join(changed)}"
    )


def variables_in(function_type: FunctionType, arguments: Mapping[str, object]) -> list[Any]:
    """The variables in a call's arguments, in the order in which a trace asks for them."""
    collected: list[Any] = []
    for name, parameter in function_type.parameters.items():
        trace_types.collect_variables(parameter.annotation, arguments[name], collected)
    return collected
