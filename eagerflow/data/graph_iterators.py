"""Iterators and optionals in functions that are traced; see `in_graphs` for datasets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.data.iterator import Iterator as DatasetIterator
from eagerflow.data.iterator import IteratorSpec, Optional, OwnedIterator
from eagerflow.framework import dtypes
from eagerflow.framework.func_graph import dims_of
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.functions import trace_types
from eagerflow.typing import Structure

Tensor = _core.Tensor

HANDLE = TensorSpec([], dtypes.resource)
_HAS_VALUE = TensorSpec([], dtypes.bool)


def describes(spec: Structure, other: object) -> bool:
    """Whether all elements of one spec also fit another spec."""
    return bool(trace_types.from_value(other).is_subtype_of(trace_types.from_value(spec)))


def node(call: Callable[..., Any], inputs: list[Any], specs: list[Any], name: str) -> list[Tensor]:
    """A node with effects that calls Python."""
    outputs = [(spec.dtype, dims_of(spec.shape)) for spec in specs]
    return _core.host_node(call, inputs, outputs, name, True)


# Iterators.


class NextElement:
    """The function of a node that reads the next element of an iterator; `IteratorGetNext` in files.

    Args:
        element_spec: the specs of the elements. Those of an iterator in a file are a tuple,
            whatever the structure of the program's elements.
    """

    def __init__(self, element_spec: Any) -> None:
        self.element_spec = element_spec
        # The specs of the iterator that was read last, and their type.
        self._last = element_spec, trace_types.from_value(element_spec)

    def __call__(self, handle: Tensor) -> list[Tensor]:
        """The tensors of the element."""
        iterator = _core.object_of(handle)
        spec, kind = self._last
        current = iterator.element_spec
        if current is not spec:
            if current != spec:
                kind = trace_types.from_value(current)
            self._last = current, kind
        return kind.to_tensors(iterator.get_next())


class GraphIterator(DatasetIterator):
    """An iterator that a graph refers to by its handle."""

    def __init__(self, handle: Tensor, element_spec: Any) -> None:
        self._handle = handle
        self._element_spec = element_spec
        self._kind = trace_types.from_value(element_spec)

    @property
    def element_spec(self) -> Structure:
        """The specs of the elements."""
        return self._element_spec

    @property
    def _type_spec(self) -> IteratorSpec:
        return IteratorSpec(self._element_spec)

    def get_next(self, name: str | None = None) -> Structure:
        """The next element; the function raises a tf.errors.OutOfRangeError if there is none."""
        run = NextElement(self._element_spec)
        outputs = node(run, [self._handle], self._kind.flatten(), name or "IteratorGetNext")
        return self._kind.from_tensors(iter(outputs))

    def __next__(self) -> Structure:
        return self.get_next()

    def get_next_as_optional(self) -> GraphOptional:
        """The next element as a `tf.experimental.Optional`, empty at the end."""

        def run(handle: Tensor) -> list[Any]:
            return [_core.handle_of(_core.object_of(handle).get_next_as_optional())]

        handle = node(run, [self._handle], [HANDLE], "IteratorGetNextAsOptional")[0]
        return GraphOptional(handle, self._element_spec)


def iterator(owned: OwnedIterator) -> GraphIterator:
    """An iterator that exists, for use in a graph."""
    return GraphIterator(_core.handle_of(owned), owned.element_spec)


def handle_of(value: object) -> Tensor:
    """The handle of an iterator."""
    return value._handle if isinstance(value, GraphIterator) else _core.handle_of(value)


def iterator_of(handle: Tensor, element_spec: Structure) -> Any:
    """The iterator of a handle."""
    if _core.is_symbolic(handle):
        return GraphIterator(handle, element_spec)
    return _core.object_of(handle)


# Optionals.


class GraphOptional(Optional):
    """An Optional of a graph, which refers to it by its handle.

    The specs of its value may be set after it is made, before the value is asked for: loops begin with
    empty ones, and what their bodies put into them is known when these are traced.
    """

    def __init__(self, handle: Tensor, element_spec: Any) -> None:
        self._handle = handle
        self._element_spec = element_spec

    def has_value(self, name: str | None = None) -> Tensor:
        """Whether there is a value, a boolean scalar."""

        def run(handle: Tensor) -> list[Any]:
            return [_core.object_of(handle).has_value()]

        return node(run, [self._handle], [_HAS_VALUE], name or "OptionalHasValue")[0]

    def get_value(self, name: str | None = None) -> tuple[Tensor, Tensor] | Tensor:
        """The value; the function raises a tf.errors.InvalidArgumentError if there is none."""
        kind = trace_types.from_value(self._element_spec)

        def run(handle: Tensor) -> list[Any]:
            return kind.to_tensors(_core.object_of(handle).get_value())

        outputs = node(run, [self._handle], kind.flatten(), name or "OptionalGetValue")
        return kind.from_tensors(iter(outputs))

    @property
    def element_spec(self) -> Structure:
        """The specs of the value."""
        return self._element_spec


def optional_handle(value: Optional) -> Tensor:
    """The handle of an Optional; in a graph, a node creates it for one with a value."""
    if isinstance(value, GraphOptional):
        return value._handle
    if _core.building() is None or value.is_empty:
        return _core.handle_of(value)
    kind = trace_types.from_value(value.element_spec)

    def run(*tensors: Tensor) -> list[Any]:
        return [_core.handle_of(Optional.from_value(kind.from_tensors(iter(tensors))))]

    tensors = kind.to_tensors(value.get_value())
    return node(run, tensors, [HANDLE], "OptionalFromValue")[0]


def optional_of(handle: Tensor, element_spec: Structure) -> Optional:
    """The Optional of a handle."""
    if _core.is_symbolic(handle):
        return GraphOptional(handle, element_spec)
    return _core.object_of(handle)
