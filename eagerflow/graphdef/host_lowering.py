"""Host functions in exported graphs, as operations of TensorFlow.

A Python function that reads values is one node of our graphs. A rule expresses it by TensorFlow's
operations: it is traced with the arguments of the call, and its nodes are exported. `rules.txt` contains
the rules that only rename arguments, `host_rules_*.py` the others, which call `op`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.errors import InternalError
from eagerflow.framework.func_graph import FuncGraph, dims_of
from eagerflow.graphdef import inverse, op_defs, writer
from eagerflow.graphdef.host_operations import HostOperation
from eagerflow.graphdef.op_defs import OpDef
from eagerflow.util import lazy

Tensor = _core.Tensor

# They register their rules here when they are imported.
_RULES = [
    lazy.Module("eagerflow.graphdef.host_rules_arrays"),
    lazy.Module("eagerflow.graphdef.host_rules_columns"),
    lazy.Module("eagerflow.graphdef.host_rules_examples"),
    lazy.Module("eagerflow.graphdef.host_rules_images"),
    lazy.Module("eagerflow.graphdef.host_rules_ragged"),
    lazy.Module("eagerflow.graphdef.host_rules_sparse"),
    lazy.Module("eagerflow.graphdef.host_rules_texts"),
]

_rules: dict[tuple[str, str], Callable[..., Any]] = {}


class TensorflowOperation:
    """The callee of a node that is only exported, and cannot run here.

    Args:
        definition: the operation.
        counts: the number of the node's inputs for each input of the operation; -1 for a single tensor.
        attrs: the attributes that do not follow from the inputs.
    """

    def __init__(self, definition: OpDef, counts: Sequence[int], attrs: dict[str, Any]) -> None:
        self.definition = definition
        self.counts = list(counts)
        self.attrs = attrs

    def __call__(self, *values: Any) -> list[Any]:
        """Raises: the graph is not run."""
        raise InternalError._of(f"{self.definition.name} is exported, and not run.")

    def emit(self, body: Any, node: _core.Node, name: str) -> Sequence[writer.Ref]:
        """Adds the operation to a file; its results."""
        refs = iter([body.ref(tensor) for tensor in node.inputs])
        inputs = [
            next(refs) if count < 0 else [next(refs) for _ in range(count)] for count in self.counts
        ]
        specs = [(tensor.dtype, tensor.shape) for tensor in node.outputs]
        return body.add(self.definition.name, *inputs, name=name, outputs=specs, **self.attrs)


def op(name: str, *inputs: Any, **attrs: Any) -> Any:
    """Adds an operation of TensorFlow to the graph that is being built.

    Args:
        name: its name.
        *inputs: a tensor, or a list of tensors, for each of its inputs; values become constants.
        **attrs: the attributes that do not follow from the inputs, and have no default.

    Returns:
        The result, or a list if the operation declares more or fewer than one.
    """
    definition = op_defs.find(name)
    assert definition is not None, name
    values: dict[str, Any] = dict(attrs)
    flat: list[Tensor] = []
    counts = []
    for argument, given in zip(definition.inputs, inputs, strict=True):
        wanted = writer.GraphWriter.wanted(definition, argument.type, values)
        items = [given] if argument.is_single else list(given)
        tensors = [
            _core.as_tensor(item)
            if isinstance(item, Tensor | _core.Variable)
            else _core.convert(item, wanted, None)
            for item in items
        ]
        if argument.is_list:
            values[argument.type] = [tensor.dtype for tensor in tensors]
        elif argument.type in definition.attributes and tensors:
            values.setdefault(argument.type, tensors[0].dtype)
        if argument.number:
            values[argument.number] = len(tensors)
        counts.append(-1 if argument.is_single else len(tensors))
        flat += tensors
    found = writer.results_of(definition, name, values, None, False)
    outputs = _core.host_node(
        TensorflowOperation(definition, counts, attrs), flat, [(ref.dtype, None) for ref in found], name
    )  # fmt: skip
    single = len(definition.outputs) == 1 and definition.outputs[0].is_single
    return outputs[0] if single else outputs


def rules_of(module: str) -> Callable[..., Callable[..., Any]]:
    """The decorator of rules for the functions of a module that have the same name and parameters."""

    def register(rule: Callable[..., object]) -> Callable[..., Any]:
        _rules[f"eagerflow.{module}", rule.__name__] = rule
        return rule

    return register


def find(node: _core.Node) -> Callable[..., Any] | None:
    """The rule for a node that calls Python; None if there is none."""
    function = getattr(node.host_function, "function", None)
    if isinstance(function, HostOperation):
        return function.lowered
    if isinstance(function, functools.partial):  # a method of a class
        function = function.func
    name = getattr(function, "__name__", None)
    if name is None or function is None:
        return None
    for module in _RULES:
        module.__name__  # noqa: B018 - imports it
    rule = _rules.get((function.__module__, name))
    if rule is not None:
        return rule
    found = inverse.of_function(function)
    return None if found is None else lambda *args, **kwargs: _plain(function, found, args, kwargs)


def _plain(function: Any, found: inverse.Inverse, args: tuple, kwargs: dict[str, Any]) -> Any:
    """An operation that a function is a plain call of."""
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    given = {theirs: bound.arguments[ours] for theirs, ours in found.parameters.items()}
    inputs = [given.pop(argument.name) for argument in found.definition.inputs]
    attrs = {key: value for key, value in given.items() if value is not None}
    return op(found.definition.name, *inputs, **attrs)


def lowered(node: _core.Node, inputs: Sequence[Tensor]) -> list[Tensor]:
    """The results of a host node for inputs, by operations of TensorFlow.

    There is a rule for it.
    """
    rule = find(node)
    assert rule is not None
    args, kwargs = node.host_function.bound(inputs)
    found = nest.flatten(rule(*args, **kwargs), expand_composites=True)
    return [
        tensor if tensor.dtype is output.dtype else _core.ops.cast(tensor, output.dtype)
        for tensor, output in zip(found, node.outputs, strict=True)
    ]


def traced(node: _core.Node) -> FuncGraph:
    """The graph of a node that calls Python, for which there is a rule."""
    graph = FuncGraph(node.type)
    with graph.as_default():
        inputs = [graph.placeholder(t.dtype, dims_of(t.shape), "x") for t in node.inputs]
        graph.finish(lowered(node, inputs))
    return graph
