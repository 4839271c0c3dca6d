"""Registers gradients of programs, and lets them replace those of the engine.

A gradient whose name is a type of operation, such as "Relu", replaces the engine's for that type. In
graphs, `overridden` calls it. Eagerly, an observer records it on the tapes after each operation.
Other names are used only where `tf.Graph.gradient_override_map` selects them.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from eagerflow import _core, nest
from eagerflow.autodiff import overridden
from eagerflow.autodiff.tape import GradientTape, UnconnectedGradients
from eagerflow.framework import registered_gradients
from eagerflow.framework.registered_gradients import registered, replaced
from eagerflow.util import lazy

op_defs = lazy.Module("eagerflow.graphdef.op_defs")

_ops = _core.ops


def register(name: str, gradient: Callable | None) -> None:
    """Registers a gradient, in place of one of the same name; None for no gradient."""
    registered[name] = gradient
    if name not in replaced and op_defs.find(name) is not None:
        if not replaced:
            # Only while gradients are replaced do tapes and operations pay for it.
            _core.add_observer(_record)
            GradientTape.watch = _watch  # type: ignore[method-assign, assignment]
            GradientTape.gradient = _gradient  # type: ignore[method-assign, assignment]
        replaced.add(name)


def forget(name: str) -> None:
    """Removes a registered gradient; a type of operation has the engine's again."""
    del registered[name]
    if name in replaced:
        replaced.remove(name)
        if not replaced:
            _core.remove_observer(_record)
            del GradientTape.watch, GradientTape.gradient


class _Paused(threading.local):
    """Whether this thread records operations with the engine's gradients, replaced or not."""

    on = False


_paused = _Paused()


@contextmanager
def own_gradients() -> Iterator[None]:
    """Operations inside that run eagerly are recorded with the engine's gradients."""
    before, _paused.on = _paused.on, True
    try:
        yield
    finally:
        _paused.on = before


class EagerCall:
    """An operation that ran eagerly, as gradients of programs receive it.

    Args:
        type: TensorFlow's name of the operation.
        inputs: the tensors that it has read.
        outputs: the tensors that it has returned.
        attributes: the values of its attributes; None if they have not been kept.
    """

    def __init__(
        self,
        type: str,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        attributes: dict[str, Any] | None = None,
    ) -> None:
        self.type = type
        self.inputs = tuple(inputs)
        self.outputs = list(outputs)
        self.attributes = attributes

    @property
    def name(self) -> str:
        """The type: only operations of graphs have names."""
        return self.type

    def get_attr(self, name: str) -> Any:
        """The value of an attribute.

        Raises:
            ValueError: if there is none of that name, or the engine has not kept them.
        """
        if self.attributes is None:
            raise ValueError(
                f"The attribute {name!r} of {self.type} was not kept, as it ran eagerly; call it "
                "inside of a tf.function, whose operations have their attributes."
            )
        if name not in self.attributes:
            raise ValueError(f"Operation '{self.type}' has no attr named '{name}'.")
        return self.attributes[name]


def record(call: EagerCall) -> None:
    """Tells the tapes to differentiate an operation by the gradient that is registered for it."""
    _core.record_custom(call.outputs, call.inputs, functools.partial(_backward, call))


def _record(type: str, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
    if type in replaced and not _paused.on and _core.recording():
        record(EagerCall(type, inputs, outputs))


def _backward(call: EagerCall, weights: Sequence[Any]) -> list[Any]:
    function = registered_gradients.find(call.type)
    if function is None:
        return [None] * len(call.inputs)
    return overridden.checked(function(call, *weights), call)


def _watch(tape: Any, tensor: Any) -> None:
    """`GradientTape.watch`, which keeps tensors that the tape has not seen computed."""
    fresh = [leaf for leaf in nest.flatten(tensor) if not tape._entry(leaf)]
    _core.Tape.watch(tape, tensor)
    tape.__dict__.setdefault("_begins", []).extend(filter(_core.is_symbolic, fresh))


def _gradient(
    tape: Any,
    target: Any,
    sources: Any,
    output_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> Any:
    """`GradientTape.gradient` while gradients are replaced.

    A tape has recorded the nodes of a graph with the engine's gradients. The graph has all that the
    tape knows, so that the nodes are differentiated instead, up to tensors that the tape has not
    recorded.
    """
    graph = _core.building()
    operations = [] if graph is None else graph.overridden_operations()
    targets = nest.flatten(target)
    if not operations or not all(_is_of(graph, leaf) for leaf in targets):
        return _core.Tape.gradient(tape, target, sources, output_gradients, unconnected_gradients)
    known = [source if tape._entry(source) else None for source in nest.flatten(sources)]
    stopped = [t for node in graph.nodes for t in node.outputs if not tape._entry(t)]
    stopped += [t for t in tape.__dict__.get("_begins", ()) if _is_of(graph, t)]
    _core.Tape.gradient(tape, [], [])  # A tape that is not persistent ends with its first use.
    weights = [None] * len(targets) if output_gradients is None else nest.flatten(output_gradients)
    requested = [source for source in known if source is not None]
    found = iter(overridden.gradients(graph, operations, targets, weights, requested, stopped))
    results = [None if source is None else next(found) for source in known]
    if UnconnectedGradients(unconnected_gradients or "none") is UnconnectedGradients.ZERO:
        results = [
            _ops.zeros_like(_core.as_tensor(source)) if gradient is None else gradient
            for source, gradient in zip(nest.flatten(sources), results, strict=True)
        ]
    return nest.pack_sequence_as(sources, results)


def _is_of(graph: Any, value: Any) -> bool:
    return _core.is_symbolic(value) and _core.graph_of(value) is graph
