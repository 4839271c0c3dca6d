"""Datasets, iterators and optionals in functions that are traced.

A pipeline is read on the host. A graph knows a dataset or an iterator by a handle, a scalar that stands
for the object (`_core.handle_of`): nodes that call Python take the handle and read the object.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from eagerflow import _core, errors, nest
from eagerflow.data import structure
from eagerflow.data.arguments import UNKNOWN
from eagerflow.data.batching import BatchDataset
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor
from eagerflow.data.dataset import Dataset
from eagerflow.data.iterator import Iterator as DatasetIterator
from eagerflow.data.iterator import Optional, OwnedIterator
from eagerflow.data.sources import RangeDataset, TensorDataset, TensorSliceDataset
from eagerflow.framework import dtypes
from eagerflow.framework.func_graph import dims_of, eagerly
from eagerflow.framework.host_call import host_call
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.functions import trace_types
from eagerflow.functions.function import Function

Tensor = _core.Tensor

HANDLE = TensorSpec([], dtypes.int64)
_HAS_VALUE = TensorSpec([], dtypes.bool)


def describes(spec: Any, other: Any) -> bool:
    """Whether all elements with a spec have another one, too."""
    return bool(trace_types.from_value(other).is_subtype_of(trace_types.from_value(spec)))


def _node(call: Callable[..., Any], inputs: list[Any], specs: list[Any], name: str) -> list[Tensor]:
    """A node with effects that calls Python."""
    outputs = [(spec.dtype, dims_of(spec.shape)) for spec in specs]
    return _core.host_node(call, inputs, outputs, name, True)


# Datasets.


class GraphDataset(Dataset):
    """A dataset that a graph knows by its handle."""

    def __init__(self, handle: Tensor, element_spec: Any) -> None:
        super().__init__()
        self._handle = handle
        self._spec = (element_spec,)

    def _cursor(self, context: Context) -> Cursor:
        raise RuntimeError("The elements of this dataset are known only when the function runs.")

    def _count(self) -> int:
        return UNKNOWN

    def _make_sample(self, variant: int) -> Any:
        return structure.zero_like(self.element_spec, 1 + variant % 2)


def _unknown(dataset: Dataset, found: dict[int, GraphDataset]) -> dict[int, GraphDataset]:
    """The datasets of graphs that a pipeline reads, by their ids."""
    if isinstance(dataset, GraphDataset):
        found[id(dataset)] = dataset
    for source in dataset._inputs:
        _unknown(source, found)
    return found


def _completed(dataset: Dataset, values: dict[int, Any]) -> Dataset:
    """The pipeline with these datasets for those of graphs, by their ids."""
    if id(dataset) in values:
        return values[id(dataset)]
    sources = tuple(_completed(source, values) for source in dataset._inputs)
    if all(new is old for new, old in zip(sources, dataset._inputs, strict=True)):
        return dataset
    completed = copy.copy(dataset)
    completed._inputs = sources
    return completed


def _with_values(dataset: Dataset) -> tuple[list[Tensor], Callable[..., Dataset]]:
    """The handles that a pipeline needs, and what makes the pipeline of their values."""
    unknown = _unknown(dataset, {})

    def complete(handles: tuple[Tensor, ...]) -> Dataset:
        values = dict(zip(unknown, map(_core.object_of, handles), strict=True))
        return _completed(dataset, values)

    return [found._handle for found in unknown.values()], complete


def handle_of(value: Any) -> Tensor:
    """The handle of a dataset or an iterator."""
    if isinstance(value, GraphDataset | GraphIterator):
        return value._handle
    if isinstance(value, Dataset) and _unknown(value, {}):
        handles, complete = _with_values(value)
        return _node(
            lambda *values: [_core.handle_of(complete(values))], handles, [HANDLE], "Dataset"
        )[0]
    return _core.handle_of(value)


def dataset_of(handle: Tensor, element_spec: Any) -> Any:
    """The dataset of a handle."""
    if _core.is_symbolic(handle):
        return GraphDataset(handle, element_spec)
    return _core.object_of(handle)


def _made(make: Callable[..., Dataset], element_spec: Any, *args: Any) -> Dataset:
    """The dataset that `make(*args)` returns, where a graph may compute the arguments."""
    leaves = nest.flatten(args, expand_composites=True)
    if not any(isinstance(leaf, Tensor | _core.Variable) for leaf in leaves):
        with eagerly():
            return make(*args)
    handle = host_call(
        lambda *values: _core.handle_of(make(*values)), HANDLE, args, name="Dataset", effects=True
    )
    return GraphDataset(handle, element_spec)


def of_tensors(tensors: Any) -> Dataset:
    """A dataset of one element."""
    return _made(TensorDataset, structure.spec_of(structure.normalize(tensors)), tensors)


def of_slices(tensors: Any) -> Dataset:
    """A dataset of the slices of tensors along their first axis."""
    spec = structure.spec_of(structure.normalize(tensors))
    return _made(TensorSliceDataset, structure.map_structure(_of_slice, spec), tensors)


def _of_slice(spec: Any) -> Any:
    if isinstance(spec, TensorSpec) and spec.shape.rank == 0:
        raise ValueError("Unbatching a tensor is only supported for rank >= 1")
    return spec._unbatch()


def of_range(*args: Any, output_type: Any = dtypes.int64) -> Dataset:
    """A dataset of equally spaced integers."""
    return _made(
        lambda *numbers: RangeDataset(*numbers, output_type=output_type),
        TensorSpec([], output_type),
        *args,
    )


def sized(make: Callable[..., Dataset], source: Dataset, size: Tensor, *arguments: Any) -> Dataset:
    """What `make(source, size, *arguments)` returns, for a size that the graph computes."""

    def run(handle: Tensor, size: Tensor) -> Tensor:
        return _core.handle_of(make(_core.object_of(handle), int(size), *arguments))

    spec = source.element_spec
    if make is BatchDataset:
        spec = make(source, 1, False).element_spec
    inputs = (handle_of(source), size)
    return GraphDataset(host_call(run, HANDLE, inputs, name="Dataset", effects=True), spec)


def reduce(dataset: Dataset, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
    """The last state as a value of the graph."""
    handles, complete = _with_values(dataset)
    state = structure.normalize(initial_state)
    kind = trace_types.from_value(state)
    step = Function(reduce_func)

    def run(*inputs: Any) -> list[Any]:
        first = kind.from_tensors(iter(inputs[len(handles) :]))
        return kind.to_tensors(complete(inputs[: len(handles)]).reduce(first, step))

    tensors = [*handles, *kind.to_tensors(state)]
    return kind.from_tensors(iter(_node(run, tensors, kind.flatten(), "ReduceDataset")))


def single_element(dataset: Dataset) -> Any:
    """The only element as a value of the graph."""
    handles, complete = _with_values(dataset)
    kind = trace_types.from_value(dataset.element_spec)

    def run(*inputs: Any) -> list[Any]:
        return kind.to_tensors(complete(inputs).get_single_element())

    outputs = _node(run, handles, kind.flatten(), "DatasetToSingleElement")
    return kind.from_tensors(iter(outputs))


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
        return OwnedIterator._type_spec.fget(self)  # type: ignore[attr-defined]

    def get_next(self, name: str | None = None) -> Any:
        """The next element; the function raises a tf.errors.OutOfRangeError if there is none."""
        kind = self._kind

        def run(handle: Tensor) -> list[Any]:
            return kind.to_tensors(_core.object_of(handle).get_next())

        outputs = _node(run, [self._handle], kind.flatten(), name or "IteratorGetNext")
        return kind.from_tensors(iter(outputs))

    def __next__(self) -> Any:
        return self.get_next()

    def get_next_as_optional(self) -> Any:
        """The next element as a `tf.experimental.Optional`, empty at the end."""

        def run(handle: Tensor) -> list[Any]:
            return optional_tensors(_core.object_of(handle).get_next_as_optional())

        specs = optional_specs(self._element_spec)
        outputs = _node(run, [self._handle], specs, "IteratorGetNextAsOptional")
        return optional_of(iter(outputs), self._element_spec)


def iterate(dataset: Dataset) -> GraphIterator:
    """A new iterator whenever the graph runs."""
    handles, complete = _with_values(dataset)
    outputs = _node(
        lambda *values: [_core.handle_of(OwnedIterator(complete(values)))],
        handles,
        [HANDLE],
        "MakeIterator",
    )
    return GraphIterator(outputs[0], dataset.element_spec)


def iterator(owned: OwnedIterator) -> GraphIterator:
    """An iterator that exists, for use in a graph."""
    return GraphIterator(_core.handle_of(owned), owned.element_spec)


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
        outputs = _node(run, inputs, kind.flatten(), name or "OptionalGetValue")
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
