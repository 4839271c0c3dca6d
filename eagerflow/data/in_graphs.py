"""Datasets in functions that are traced.

A pipeline is read on the host. A graph refers to a dataset or an iterator by a handle, a scalar
(`_core.handle_of`): nodes that call Python accept the handle and read the object.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.data import structure
from eagerflow.data.arguments import UNKNOWN
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor
from eagerflow.data.dataset import Dataset
from eagerflow.data.functions import ElementFunction, TracedFunction
from eagerflow.data.graph_iterators import HANDLE, GraphIterator, node
from eagerflow.data.iterator import OwnedIterator
from eagerflow.framework import context, dtypes
from eagerflow.framework.func_graph import eagerly
from eagerflow.framework.host_call import LateArguments, Maker
from eagerflow.typing import Structure

Tensor = _core.Tensor


class GraphDataset(Dataset):
    """A dataset that a graph refers to by its handle."""

    def __init__(self, handle: Tensor, element_spec: Any) -> None:
        super().__init__()
        self._handle = handle
        self._spec = (element_spec,)

    def _cursor(self, context: Context) -> Cursor:
        raise RuntimeError("The elements of this dataset are known only when the function runs.")

    def _count(self) -> int:
        return UNKNOWN


class _Arguments(LateArguments):
    """The arguments of a dataset, datasets and functions of graphs among them."""

    def _maker(self, leaf: Any) -> Maker | None:
        if isinstance(leaf, Tensor):
            value = _core.static_value(leaf)
            if value is not None:
                return lambda remaining: value
        if isinstance(leaf, GraphDataset):
            self.inputs.append(leaf._handle)
            return lambda remaining: _core.object_of(next(remaining))
        if isinstance(leaf, TracedFunction) and any(map(_core.is_symbolic, leaf.captured)):
            count = len(leaf.captured)
            self.inputs += leaf.captured
            return lambda remaining: leaf.bound([next(remaining) for _ in range(count)])
        if getattr(leaf, "_is_composite_tensor", False):
            spec = leaf._type_spec
            make = self._argument(spec.to_tensors(leaf))
            return make and (lambda remaining: spec.from_tensors(iter(make(remaining))))
        return super()._maker(leaf)


def made(cls: Any, args: tuple[object, ...], kwargs: dict[str, object]) -> Dataset:
    """A dataset of a class; if its arguments are tensors of a graph, a node that creates it."""
    arguments = _Arguments(args, kwargs)
    make = cls._made
    functions = [arg for arg in (*args, *kwargs.values()) if isinstance(arg, ElementFunction)]
    stateful = cls._has_state or any(f.stateful_operation() is not None for f in functions)
    # In a program, a dataset is the same in all runs, and its iterators begin anew.
    if not arguments.inputs and (not stateful or context.building_graph() is not None):
        with eagerly():
            known_args, known_kwargs = arguments.bound(())
            return make(*known_args, **known_kwargs)
    spec = cls._spec_of(*args, **kwargs)

    def run(*values: Tensor) -> list[Tensor]:
        known_args, known_kwargs = arguments.bound(values)
        return [_core.handle_of(make(*known_args, **known_kwargs))]

    return GraphDataset(
        _scalar_node(run, arguments.inputs, HANDLE.dtype, cls.__name__, stateful), spec
    )


def _scalar_node(
    run: Callable[..., Any], inputs: list[Tensor], dtype: Any, name: str, effects: bool = False
) -> Tensor:
    """A node that returns a scalar; without effects, it is dropped if the scalar is not used."""
    return _core.host_node(run, inputs, [(dtype, ())], name, effects)[0]


def handle_of(value: object) -> Tensor:
    """The handle of a dataset."""
    return value._handle if isinstance(value, GraphDataset) else _core.handle_of(value)


def dataset_of(handle: Tensor, element_spec: Structure) -> Dataset:
    """The dataset of a handle."""
    if _core.is_symbolic(handle):
        return GraphDataset(handle, element_spec)
    return _core.object_of(handle)


def reduce(dataset: Dataset, state: object, spec: Structure, function: ElementFunction) -> Any:
    """The last state as a value of the graph.

    Args:
        dataset: the dataset.
        state: the first state.
        spec: the specs of all states.
        function: see `Dataset._reduced`.
    """
    arguments = _Arguments((dataset, state, function), {})
    take = structure.taker(spec)

    def run(*values: Tensor) -> list[Any]:
        source, first, call = arguments.bound(values)[0]
        return take(source._reduced(first, call))

    return _values(run, arguments.inputs, spec, "ReduceDataset")


def _values(run: Callable[..., object], inputs: list[Tensor], spec: Structure, name: str) -> Any:
    """The result of a node with effects, as a value with a spec."""
    parts = [part for leaf in structure.flatten(spec) for part in leaf.flatten()]
    return structure.packer(spec)(node(run, inputs, parts, name))


def single_element(dataset: Dataset) -> Any:
    """The only element as a value of the graph."""
    spec = dataset.element_spec
    take = structure.taker(spec)

    def run(handle: Tensor) -> list[Any]:
        return take(_core.object_of(handle).get_single_element())

    return _values(run, [handle_of(dataset)], spec, "DatasetToSingleElement")


def cardinality(dataset: GraphDataset) -> Tensor:
    """The number of elements, which is known when the graph runs."""

    def run(handle: Tensor) -> list[Any]:
        return [_core.object_of(handle).cardinality()]

    return _scalar_node(run, [dataset._handle], dtypes.int64, "DatasetCardinality")


def iterate(dataset: Dataset) -> GraphIterator:
    """A new iterator whenever the graph runs."""

    def run(handle: Tensor) -> list[Tensor]:
        return [_core.handle_of(OwnedIterator(_core.object_of(handle)))]

    handle = node(run, [handle_of(dataset)], [HANDLE], "MakeIterator")[0]
    return GraphIterator(handle, dataset.element_spec)
