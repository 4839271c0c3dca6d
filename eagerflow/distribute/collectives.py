"""How values of replicas become one: sums, means, and values side by side."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from eagerflow import _core
from eagerflow.framework.indexed_slices import IndexedSlices

_ops = _core.ops


class ReduceOp(enum.Enum):
    """How values of several replicas become one."""

    SUM = "SUM"
    MEAN = "MEAN"


def as_reduce_op(value: Any) -> ReduceOp:
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


def reduce_values(operation: ReduceOp, values: Sequence[Any]) -> Any:
    """The sum or the mean of tensors, which are added in their order.

    Args:
        operation: which of them.
        values: tensors of one shape, or `tf.IndexedSlices`, whose rows are put one after the other.
    """
    if any(isinstance(value, IndexedSlices) for value in values):
        return _reduced_rows(operation, values)
    total = _core.as_tensor(values[0])
    if len(values) > 1:
        total = _ops.add_n([_core.as_tensor(value) for value in values])
    return total / len(values) if operation is ReduceOp.MEAN else total


def _reduced_rows(operation: ReduceOp, values: Sequence[Any]) -> Any:
    rows = _ops.concat([value.values for value in values], axis=0)
    indices = _ops.concat([value.indices for value in values], axis=0)
    if operation is ReduceOp.MEAN:
        rows = rows / len(values)
    return IndexedSlices(rows, indices, values[0].dense_shape)


def gather_values(values: Sequence[Any], axis: int) -> Any:
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


def check_axis(tensor: Any, axis: int) -> None:
    """Raises a ValueError unless a tensor can be gathered along an axis."""
    rank = tensor.shape.rank
    if rank is not None and not 0 <= axis < rank:
        raise ValueError(
            f"Values of rank {rank} cannot be gathered along axis {axis}: the axis must be at least "
            "0 and less than their rank."
        )


class Communicator(ABC):
    """Joins the values of the workers of a strategy, each of which has joined its replicas' before.

    All workers call the same methods in the same order.
    """

    @property
    @abstractmethod
    def rank(self) -> int:
        """The number of this worker."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many workers there are."""

    @abstractmethod
    def all_reduce(self, values: Sequence[Any]) -> list[Any]:
        """The sums of tensors over all workers.

        Args:
            values: tensors of the shapes that they have on the other workers.
        """

    @abstractmethod
    def all_gather(self, value: Any, axis: int) -> Any:
        """The tensors of all workers side by side.

        Args:
            value: a tensor; sizes along `axis` may differ.
            axis: the axis.
        """

    @abstractmethod
    def broadcast(self, value: Any, root: int = 0) -> Any:
        """The value of one worker.

        Args:
            value: a tensor of the same shape on all workers.
            root: the worker's number.
        """


class OneProcess(Communicator):
    """The communicator of a worker that is alone."""

    rank = 0
    size = 1

    def all_reduce(self, values: Sequence[Any]) -> list[Any]:
        """The tensors themselves."""
        return list(values)

    def all_gather(self, value: Any, axis: int) -> Any:
        """The tensor itself."""
        return value

    def broadcast(self, value: Any, root: int = 0) -> Any:
        """The tensor itself."""
        return value
