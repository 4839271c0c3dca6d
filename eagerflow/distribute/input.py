"""Datasets of strategies: elements with a part for each replica."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from eagerflow import _core, nest
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor, InputCursor
from eagerflow.data.dataset import Dataset, UnaryDataset
from eagerflow.data.iterator import OwnedIterator
from eagerflow.distribute.values import PerReplica, PerReplicaSpec, joined
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.typing import Structure
from eagerflow.util.known_as import known_as

_ops = _core.ops


@known_as("tensorflow.python.distribute.input_lib", "DistributedDataset")
class DistributedDataset(ABC):
    """The result of `experimental_distribute_dataset`."""

    @property
    @abstractmethod
    def element_spec(self) -> Structure:
        """The spec of the elements."""

    @abstractmethod
    def reduce(self, initial_state: Any, reduce_func: Callable[..., object]) -> Any:
        """Reduces the elements to a final state."""

    @abstractmethod
    def __iter__(self) -> Any: ...


class DistributedIterator(ABC):
    """An iterator over a distributed dataset."""

    @property
    @abstractmethod
    def element_spec(self) -> Structure:
        """The spec of the elements."""

    @abstractmethod
    def get_next(self) -> Structure:
        """The next element."""

    @abstractmethod
    def get_next_as_optional(self) -> Any:
        """The next element, or an empty Optional at the end."""


DistributedIterator.register(OwnedIterator)


def split_batch(element: Structure, replicas: int) -> Any:
    """Splits a batch for replicas: rows in order, as evenly as possible; the last parts are smaller.

    Args:
        element: a structure of tensors whose first axis is that of the batch.
        replicas: how many parts.
    """
    return nest.map_structure(lambda leaf: PerReplica(split_rows(leaf, replicas)), element)


def split_rows(tensor: Any, replicas: int) -> list[Any]:
    """The parts of one tensor; see `split_batch`.

    Raises:
        ValueError: if it is a scalar.
    """
    shape = tensor.shape
    if shape.rank == 0:
        raise ValueError(
            "A distributed dataset must be batched, so that each replica gets a part of every "
            "element, but it has scalars: call `dataset.batch(global_batch_size)` first."
        )
    size: Any = shape[0]
    if size is None:
        size = _ops.shape(tensor)[0]
    part = (size + replicas - 1) // replicas
    return [tensor[number * part : (number + 1) * part] for number in range(replicas)]


def joined_rows(parts: Any) -> _core.Tensor:
    """Concatenates tensors of replicas.

    Args:
        parts: the tensors.
    """
    return _ops.concat(list(parts), axis=0)


@DistributedDataset.register
class WholeDataset(UnaryDataset):
    """Elements for the only replica of a process."""


@DistributedDataset.register
class SplitDataset(UnaryDataset):
    """Batches, split for replicas.

    Args:
        source: yields the batches.
        replicas: the number of parts.
    """

    def __init__(self, source: Dataset, replicas: int) -> None:
        super().__init__(source)
        self._replicas = replicas

    def _make_spec(self) -> Structure:
        def parts(spec: Structure) -> PerReplicaSpec:
            if not isinstance(spec, TensorSpec) or spec.shape.rank == 0:
                raise ValueError(
                    "A distributed dataset must be batched, so that each replica gets a part of "
                    f"every element, but it has elements with {spec}: call "
                    "`dataset.batch(global_batch_size)` first."
                )
            sizes = spec.shape.as_list() if spec.shape.rank is not None else None
            if sizes is not None:
                size = sizes[0]
                even = size is not None and size % self._replicas == 0
                sizes[0] = size // self._replicas if even and size is not None else None
            return PerReplicaSpec(*[TensorSpec(sizes, spec.dtype)] * self._replicas)

        return nest.map_structure(parts, self._input.element_spec)

    def _cursor(self, context: Context) -> Cursor:
        return _SplitCursor(self._input._cursor(context), self._replicas)


class _SplitCursor(InputCursor):
    __slots__ = ("_replicas",)

    def __init__(self, source: Cursor, replicas: int) -> None:
        super().__init__(source)
        self._replicas = replicas

    def __next__(self) -> Structure:
        return split_batch(next(self._input), self._replicas)


@DistributedDataset.register
class DealtDataset(UnaryDataset):
    """Elements, dealt out to replicas: as many at a time as there are replicas.

    At the end, replicas that get none get empty batches.

    Args:
        source: yields the elements.
        replicas: how many replicas there are.
    """

    def __init__(self, source: Dataset, replicas: int) -> None:
        super().__init__(source)
        self._replicas = replicas

    def _make_spec(self) -> Structure:
        return nest.map_structure(
            lambda spec: PerReplicaSpec(*[spec] * self._replicas), self._input.element_spec
        )

    def _cursor(self, context: Context) -> Cursor:
        return _DealtCursor(self._input._cursor(context), self._replicas, self._input.element_spec)


class _DealtCursor(InputCursor):
    __slots__ = ("_replicas", "_spec")

    def __init__(self, source: Cursor, replicas: int, spec: Any) -> None:
        super().__init__(source)
        self._replicas = replicas
        self._spec = spec

    def __next__(self) -> Structure:
        elements = [next(self._input)]
        while len(elements) < self._replicas:
            try:
                elements.append(next(self._input))
            except StopIteration:
                elements.append(nest.map_structure(empty_batch, self._spec))
        return joined(elements)


def empty_batch(spec: Structure) -> _core.Tensor:
    """A batch without rows.

    Args:
        spec: the spec of the batches.
    """
    sizes = [0, *(size or 0 for size in spec.shape.as_list()[1:])] if spec.shape.rank else []
    return _ops.zeros(sizes, spec.dtype)
