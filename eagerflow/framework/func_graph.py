"""FuncGraph: the graph of a Python function, and how a function is traced into one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from eagerflow import _core, nest
from eagerflow.framework import context, graph_errors, name_scope, random_seed
from eagerflow.framework.host_call import host_call
from eagerflow.framework.operation import GraphInspection, Operation
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.trace_type import CastContext
from eagerflow.framework.type_spec import TensorSpec, TypeSpec, WeakTensors, weak_as
from eagerflow.typing import Structure, TensorLike

Tensor = _core.Tensor

_core.set_package_folder(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_core.set_name_prefix(name_scope.current_prefix)
_core.set_graph_error_hook(graph_errors.add_places)


class Captures(NamedTuple):
    """The captures of a function, by identity of the outer tensor.

    Args:
        by_val_external: the tensors outside.
        by_val_internal: the tensors that represent them in the function's graph.
    """

    by_val_external: dict[int, Any]
    by_val_internal: dict[int, Any]


class FuncGraph(_core.Graph, GraphInspection):
    """A graph with the structures of the function that it was traced from.

    Args:
        name: the function's name.
    """

    def __init__(self, name: str) -> None:
        outer = _core.building()
        if not isinstance(name, str):
            raise TypeError(f"The name of a function is a string, got {name!r}")
        super().__init__(name)
        # The global seed of random operations, and how many of them have had no seed of their own.
        self.seed: Any = random_seed.current() if outer is None else outer.seed
        self._unseeded = 0
        # Values that each call requests, by key.
        self._asked: dict[Any, Any] = {}
        # The function's arguments and results, with this graph's tensors in them.
        self.structured_input_signature: Any = None
        self.structured_outputs: Any = None
        # Variables that were made while tracing.
        self.created_variables: list[Any] = []
        # The prefix of names inside: none, except in branches and loops.
        self.scope = ""
        # The ids of nodes of a program's graph that nodes of a branch or a loop have to follow.
        self.awaited: list[int] = []
        # Whether a tape records the call that the graph is traced for.
        self.is_recorded = _core.recording() or getattr(outer, "is_recorded", False)

    @contextmanager
    def as_default(self) -> Iterator[FuncGraph]:
        """Adds the operations inside to this graph."""
        if _core.building() is self:  # Tapes go on recording its new nodes.
            yield self
            return
        self.enter()
        try:
            with name_scope.name_scope(self.scope):
                yield self
        finally:
            self.exit()

    @property
    def function_captures(self) -> Captures:
        """The tensors that the function uses from outside, there and here."""
        return Captures(
            {id(outer): outer for outer, _ in self.captures},
            {id(outer): inner for outer, inner in self.captures},
        )

    def unique_name(  # type: ignore[override]
        self, name: str, mark_as_used: bool = True, with_prefix: bool = True
    ) -> str:
        """A name that no node has yet, in the name scope that is open."""
        return super().unique_name(name, with_prefix, mark_as_used)

    def next_op_seed(self) -> int:
        """The seed of the next random operation that has none of its own."""
        position = self._unseeded
        self._unseeded += 1
        return position

    def capture_call_time_value(
        self, closure: Callable[[], Any], spec: Any, key: Any = None, default_value: object = None
    ) -> Any:
        """A value that is computed in each call of the function, not while it is traced.

        Args:
            closure: a function without arguments that returns the value whenever the graph runs.
            spec: the structure of specs of the value.
            key: requests with equal keys share one value.
            default_value: accepted, without effect.

        Raises:
            TypeError: in the call, if the value does not have the spec.

        >>> rate = 0.5
        >>> @tf.function
        ... def scaled(x):
        ...     graph = tf.compat.v1.get_default_graph()
        ...     return x * graph.capture_call_time_value(lambda: rate, tf.TensorSpec([]))
        >>> float(scaled(4.0))
        2.0
        >>> rate = 2.0
        >>> float(scaled(4.0))
        8.0
        """
        if key is not None and key in self._asked:
            return self._asked[key]

        def value() -> Any:
            captured = closure()
            nest.assert_same_structure(spec, captured, expand_composites=False, check_types=False)
            leaves = zip(nest.flatten(spec), nest.flatten(captured), strict=True)
            cast = [one.cast(leaf, CastContext()) for one, leaf in leaves]
            return nest.pack_sequence_as(spec, cast)

        result = host_call(value, spec, name="CapturedAtCall")
        self._asked[key] = result
        return result

    # A function's collections are those of the graph around it.

    def get_collection(self, name: str | None, scope: str | None = None) -> list[Any]:
        """The values of a collection of the default graph."""
        return context.default_graph().get_collection(name, scope)

    def get_collection_ref(self, name: str | None) -> list[Any]:
        """A collection of the default graph itself."""
        return context.default_graph().get_collection_ref(name)

    def add_to_collection(self, name: str | None, value: object) -> None:
        """Appends a value to a collection of the default graph."""
        context.default_graph().add_to_collection(name, value)

    def placeholder_for(self, spec: Structure, name: str) -> Any:
        """Adds the inputs that make up a value of a spec, and returns the value."""
        if isinstance(spec, TensorSpec):
            return self.placeholder(spec.dtype, dims_of(spec.shape), spec.name or name)
        parts = nest.flatten(spec, expand_composites=True)
        inputs = [self.placeholder_for(part, name) for part in parts]
        return nest.pack_sequence_as(spec, inputs, expand_composites=True)


def dims_of(shape: TensorShape) -> list[int | None] | None:
    """The sizes of a shape, None for unknown ones, or None if the rank is unknown."""
    return None if shape._dims is None else list(shape._dims)


class eagerly:
    """Runs the operations inside, also while a function is traced."""

    __slots__ = ()

    def __enter__(self) -> None:
        _core.begin_eager()

    def __exit__(self, kind: Any, error: BaseException | None, traceback: object) -> None:
        _core.end_eager()


def is_symbolic(value: object) -> bool:
    """Whether a value is a tensor of a graph."""
    return isinstance(value, Tensor) and _core.is_symbolic(value)


def trace(
    function: Callable[..., object],
    args: Sequence[object] = (),
    kwargs: dict[str, object] | None = None,
    *,
    name: str,
    graph: FuncGraph | None = None,
) -> FuncGraph:
    """The graph of a call of a function.

    Args:
        function: the function, which is called once.
        args: its arguments, in which each TypeSpec represents a value of the call.
        kwargs: the same by name.
        name: the graph's name.
        graph: the graph to build; a new one if None.

    Returns:
        The finished graph. Its inputs are the tensors that the specs consist of, in the order of
        `nest.flatten`; its outputs are the tensors of the function's result. Its
        `structured_outputs` is that result with None for leaves that are not tensors.
    """
    graph = FuncGraph(name) if graph is None else graph

    def as_input(leaf: Any) -> Tensor:
        return graph.placeholder_for(leaf, "args") if isinstance(leaf, TypeSpec) else leaf

    with graph.as_default():
        inputs = nest.map_structure(as_input, (tuple(args), kwargs or {}))
        result = function(*inputs[0], **inputs[1])
        finish(graph, result)
    return graph


def finish(graph: FuncGraph, result: object) -> None:
    """Ends the tracing of a function that returned `result`."""

    def as_output(leaf: object) -> Tensor | None:
        # A returned operation runs with the graph, and has no value.
        if leaf is None or isinstance(leaf, Operation):
            return None
        return graph.capture(_core.as_tensor(leaf))

    structured = nest.map_structure(as_output, result, expand_composites=True)
    leaves = nest.flatten(structured, expand_composites=True)
    graph.finish([leaf for leaf in leaves if leaf is not None])
    if WeakTensors.exist:
        structured = nest.map_structure(weak_as, structured, result, expand_composites=True)
    graph.structured_outputs = structured


def pack_outputs(graph: FuncGraph, tensors: Sequence[TensorLike]) -> Any:
    """The function's result with these tensors in place of the graph's outputs."""
    remaining = iter(tensors)
    leaves = [
        None if leaf is None else weak_as(next(remaining), leaf)
        for leaf in nest.flatten(graph.structured_outputs, expand_composites=True)
    ]
    return nest.pack_sequence_as(graph.structured_outputs, leaves, expand_composites=True)
