"""Iterators and optionals in functions that are traced; see `in_graphs` for datasets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from eagerflow import _core, errors
from eagerflow.data.iterator import Iterator as DatasetIterator
from eagerflow.data.iterator import IteratorSpec, Optional
from eagerflow.framework import dtypes
from eagerflow.framework.func_graph import dims_of, eagerly
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.functions import trace_types

Tensor = _core.Tensor

HANDLE = TensorSpec([], dtypes.int64)
_HAS_VALUE = TensorSpec([], dtypes.bool)


def describes(spec: Any, other: Any) -> bool:
    """Whether all elements with a spec have another one, too."""
    return bool(trace_types.from_value(other).is_subtype_of(trace_types.from_value(spec)))


def node(call: Callable[..., Any], inputs: list[Any], specs: list[Any], name: str) -> list[Tensor]:
    """A node with effects that calls Python."""
    outputs = [(spec.dtype, dims_of(spec.shape)) for spec in specs]
    return _core.host_node(call, inputs, outputs, name, True)


# Iterators.


class GraphIterator(DatasetIterator):
    """An iterator that a graph knows by its handle."""

    def __init__(self, handle: Tensor, element_spec: Any) -> None:
        self._handle = handle
        self._element_spec = element_spec
        self._kind = trace_types.from_value(element_spec)

    @property
    def element_spec(self) -> Any:
        """The specs of the elements."""
        return self._element_spec

    @property
    def _type_spec(self) -> Any:
        return IteratorSpec(self._element_spec)

    def get_next(self, name: str | None = None) -> Any:
        """The next element; the function raises a tf.errors.OutOfRangeError if there is none."""
        kind = self._kind

        def run(handle: Tensor) -> list[Any]:
            return kind.to_tensors(_core.object_of(handle).get_next())

        outputs = node(run, [self._handle], kind.flatten(), name or "IteratorGetNext")
        return kind.from_tensors(iter(outputs))

    def __next__(self) -> Any:
        return self.get_next()

    def get_next_as_optional(self) -> Any:
        """The next element as a `tf.experimental.Optional`, empty at the end."""

        def run(handle: Tensor) -> list[Any]:
            return optional_tensors(_core.object_of(handle).get_next_as_optional())

        specs = optional_specs(self._element_spec)
        outputs = node(run, [self._handle], specs, "IteratorGetNextAsOptional")
        return optional_of(iter(outputs), self._element_spec)


def iterator(owned: Any) -> GraphIterator:
    """An iterator that exists, for use in a graph."""
    return GraphIterator(_core.handle_of(owned), owned.element_spec)


def handle_of(value: Any) -> Tensor:
    """The handle of an iterator."""
    return value._handle if isinstance(value, GraphIterator) else _core.handle_of(value)


def iterator_of(handle: Tensor, element_spec: Any) -> Any:
    """The iterator of a handle."""
    if _core.is_symbolic(handle):
        return GraphIterator(handle, element_spec)
    return _core.object_of(handle)


# Optionals.


class GraphOptional(Optional):
    """An Optional of a graph: whether it has a value, and the value, or zeros."""

    def __init__(self, has_value: Tensor, tensors: list[Tensor], element_spec: Any) -> None:
        self._has_value = has_value
        self._tensors = tensors
        self._element_spec = element_spec

    def has_value(self, name: str | None = None) -> Any:
        """Whether there is a value, a boolean scalar."""
        return self._has_value

    def get_value(self, name: str | None = None) -> Any:
        """The value; the function raises a tf.errors.InvalidArgumentError if there is none."""
        kind = trace_types.from_value(self._element_spec)

        def run(has_value: Tensor, *tensors: Tensor) -> list[Any]:
            if not has_value:
                raise errors.InvalidArgumentError(
                    None, None, "The given optional does not have a value."
                )
            return list(tensors)

        inputs = [self._has_value, *self._tensors]
        outputs = node(run, inputs, kind.flatten(), name or "OptionalGetValue")
        return kind.from_tensors(iter(outputs))

    @property
    def element_spec(self) -> Any:
        """The specs of the value."""
        return self._element_spec


def optional_specs(element_spec: Any) -> list[Any]:
    """The specs of the tensors that an Optional consists of in a graph."""
    return [_HAS_VALUE, *trace_types.from_value(element_spec).flatten()]


def optional_tensors(value: Any) -> list[Any]:
    """Whether an Optional has a value, and the tensors of the value, or zeros."""
    if isinstance(value, GraphOptional):
        return [value._has_value, *value._tensors]
    kind = trace_types.from_value(value.element_spec)
    with eagerly():
        if value.has_value():
            return [_core.as_tensor(True), *kind.to_tensors(value.get_value())]
        return [_core.as_tensor(False), *(spec._zero(0) for spec in kind.flatten())]


def optional_of(tensors: Iterator[Any], element_spec: Any) -> Any:
    """The Optional that tensors stand for."""
    kind = trace_types.from_value(element_spec)
    has_value = next(tensors)
    parts = [next(tensors) for _ in kind.flatten()]
    if _core.is_symbolic(has_value):
        return GraphOptional(has_value, parts, element_spec)
    if not has_value:
        return Optional.empty(element_spec)
    return Optional.from_value(kind.from_tensors(iter(parts)))
