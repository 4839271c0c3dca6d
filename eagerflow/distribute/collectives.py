"""Collective operations on values of replicas: sums, means, and concatenation."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.ops.segment import as_mean, total_for_mean
from eagerflow.typing import TensorLike

_ops = _core.ops


class ReduceOp(enum.Enum):
    """How to reduce the values of replicas."""

    SUM = "SUM"
    MEAN = "MEAN"


def as_reduce_op(value: _core.Tensor) -> ReduceOp:
    """The operation of a name, in any case.

    Raises:
        ValueError: if there is none of that name.
        TypeError: if it is something else.
    """
    if isinstance(value, str):
        return ReduceOp(value.upper())
    if not isinstance(value, ReduceOp):
        raise TypeError(f"Expected `reduce_op` to be a `tf.distribute.ReduceOp`, not: {value}")
    return value


def reduce_values(operation: ReduceOp, values: Sequence[TensorLike]) -> Any:
    """The sum or the mean of tensors, which are added in their order.

    Args:
        operation: which of them.
        values: tensors of one shape, or `tf.IndexedSlices`, whose rows are put one after the other.
    """
    if any(isinstance(value, IndexedSlices) for value in values):
        return _reduced_rows(operation, values)
    tensors = [_core.as_tensor(value) for value in values]
    if operation is ReduceOp.MEAN and tensors[0].dtype.is_integer:
        total = total_for_mean(lambda parts: _ops.reduce_sum(parts, axis=0), _ops.stack(tensors))
        return as_mean(total / len(tensors), tensors[0].dtype)
    total = _ops.add_n(tensors) if len(tensors) > 1 else tensors[0]
    return total / len(tensors) if operation is ReduceOp.MEAN else total


def _reduced_rows(operation: ReduceOp, values: Sequence[Any]) -> IndexedSlices:
    rows = _ops.concat([value.values for value in values], axis=0)
    indices = _ops.concat([value.indices for value in values], axis=0)
    if operation is ReduceOp.MEAN:
        rows = rows / len(values)
    return IndexedSlices(rows, indices, values[0].dense_shape)


def gather_values(values: Sequence[TensorLike], axis: int) -> _core.Tensor:
    """Tensors side by side.

    Args:
        values: tensors whose sizes agree except for one axis.
        axis: that axis.

    Raises:
        ValueError: if they have no such axis.
    """
    tensors = [_core.as_tensor(value) for value in values]
    check_axis(tensors[0], axis)
    return tensors[0] if len(tensors) == 1 else _ops.concat(tensors, axis=axis)


def check_axis(tensor: _core.Tensor, axis: int) -> None:
    """Raises a ValueError unless a tensor can be gathered along an axis."""
    rank = tensor.shape.rank
    if rank is not None and not 0 <= axis < rank:
        raise ValueError(
            f"Values of rank {rank} cannot be gathered along axis {axis}: the axis must be at least "
            "0 and less than their rank."
        )


def recorded(
    results: list[Any], sources: list[Any], gradient: Callable[[list[Any]], list[Any]]
) -> list[Any]:
    """Records a step from sources to results on the tapes of this thread.

    The backward step is called when a gradient is computed, even while a function is traced: it waits for
    the other replicas, which the graph of a custom gradient could not.

    Args:
        results: tensors.
        sources: the tensors that they were computed from.
        gradient: maps the gradients of the results to those of the sources.
    """
    if not _core.recording():
        return results
    outputs = [_ops.identity(result) for result in results]
    _core.record_custom(outputs, sources, gradient)
    return outputs


class Communicator(ABC):
    """Collectives of the workers of a strategy. Each worker has combined its replicas' values before.

    All workers call the same methods in the same order.
    """

    @property
    @abstractmethod
    def rank(self) -> int:
        """The rank of this worker."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many workers there are."""

    @abstractmethod
    def all_reduce(self, values: Sequence[TensorLike], operation: str = "SUM") -> list[Any]:
        """The sums of tensors over all workers.

        Args:
            values: tensors of the shapes that they have on the other workers.
            operation: "SUM", "MIN", "MAX" or "PROD".
        """

    @abstractmethod
    def all_gather(self, value: _core.Tensor, axis: int) -> _core.Tensor:
        """The tensors of all workers side by side.

        Args:
            value: a tensor; sizes along `axis` may differ.
            axis: the axis.
        """

    @abstractmethod
    def all_gather_rows(self, values: Sequence[TensorLike]) -> list[Any]:
        """The rows of several tensors of all workers.

        Args:
            values: numeric tensors; the number of rows may differ between workers.
        """

    @abstractmethod
    def broadcast(self, value: _core.Tensor, root: int = 0) -> _core.Tensor:
        """The value of one worker.

        Args:
            value: a tensor of the same shape on all workers.
            root: the worker's number.
        """

    @abstractmethod
    def all_to_all(self, value: _core.Tensor, splits: object) -> tuple[Any, Any]:
        """Sends each worker a part of the rows of a tensor.

        Args:
            value: a numeric tensor.
            splits: the number of rows for each worker.

        Returns:
            The rows from all workers, and the number from each.
        """

    @abstractmethod
    def broadcast_object(self, value: object, root: int = 0) -> Any:
        """A Python object of one worker.

        Args:
            value: the object, which can be pickled.
            root: the worker's number.
        """

    @abstractmethod
    def all_gather_object(self, value: object) -> list[Any]:
        """The Python objects of all workers.

        Args:
            value: the object of this one, which can be pickled.
        """

    @abstractmethod
    def barrier(self) -> None:
        """Waits for all workers."""

    @abstractmethod
    def wait_at_most(self, seconds: float) -> None:
        """Ends the job when a worker has waited for others so long.

        Args:
            seconds: for how long.
        """

    @abstractmethod
    def part(self, members: Sequence[int]) -> Communicator | None:
        """A communicator of a subset of the workers; None in other workers. All workers call this.

        Args:
            members: their ranks.
        """

    @abstractmethod
    def on_machine(self) -> Communicator:
        """A communicator of the workers on this machine. All workers call this."""


class OneProcess(Communicator):
    """The communicator of a worker that is alone."""

    rank = 0
    size = 1

    def all_reduce(self, values: Sequence[TensorLike], operation: str = "SUM") -> list[Any]:
        """The tensors themselves."""
        return list(values)

    def all_gather(self, value: _core.Tensor, axis: int) -> _core.Tensor:
        """The tensor itself."""
        return value

    def all_gather_rows(self, values: Sequence[TensorLike]) -> list[Any]:
        """The tensors themselves."""
        return list(values)

    def broadcast(self, value: _core.Tensor, root: int = 0) -> _core.Tensor:
        """The tensor itself."""
        return value

    def all_to_all(self, value: _core.Tensor, splits: Any) -> tuple[Any, Any]:
        """The arguments, since there is one worker."""
        return value, splits

    def broadcast_object(self, value: object, root: int = 0) -> Any:
        """The object itself."""
        return value

    def all_gather_object(self, value: object) -> list[Any]:
        """The object alone."""
        return [value]

    def barrier(self) -> None:
        """Nothing."""

    def wait_at_most(self, seconds: float) -> None:
        """Nothing."""

    def part(self, members: Sequence[int]) -> Communicator | None:
        """This, if it is a member."""
        return self if 0 in members else None

    def on_machine(self) -> Communicator:
        """This."""
        return self
