"""The contexts that tell functions which replicas they run for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.distribute.collectives import (
    ReduceOp,
    as_reduce_op,
    check_axis,
    gather_values,
    recorded,
)
from eagerflow.distribute.values import replica_of
from eagerflow.framework import distribution_state as distribution
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.typing import TensorLike

_ops = _core.ops


class ReplicaContext:
    """The context of a replica in a function that `Strategy.run` calls.

    Args:
        strategy: the strategy.
        replica_id_in_sync_group: the number of the replica.

    >>> strategy = tf.distribute.MirroredStrategy()
    >>> strategy.run(lambda: tf.distribute.get_replica_context().num_replicas_in_sync)
    1
    """

    def __init__(self, strategy: Any, replica_id_in_sync_group: int = 0) -> None:
        self._strategy = strategy
        self._replica_id = int(replica_id_in_sync_group)
        # Among the replicas of this process.
        self._local_id = self._replica_id
        # That runs the function, if replicas have threads of their own.
        self._thread: Any = None

    @property
    def strategy(self) -> Any:
        """The strategy that runs the function."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return self._strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> _core.Tensor:
        """The number of this replica, an int32 scalar."""
        return _core.convert(self._replica_id, "int32", None)

    @property
    def devices(self) -> list[list[str]]:
        """The devices that compute for the replica."""
        return [self._strategy.extended.worker_devices_by_replica[self._local_id]]

    def __enter__(self) -> ReplicaContext:
        self._inside = distribution.inside(self._strategy, self)
        self._inside.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._inside.__exit__(*error)

    def merge_call(
        self, merge_fn: Callable[..., object], args: tuple[object, ...] = (), kwargs: Any = None
    ) -> Any:
        """Waits for all replicas, and calls a function once for them.

        Args:
            merge_fn: called with the strategy and the arguments, in which values that differ between
                replicas are `PerReplica`.
            args: this replica's arguments.
            kwargs: its keyword arguments.

        Returns:
            The function's result; of `PerReplica` values, this replica's.

        Raises:
            RuntimeError: if replicas do not call this equally often.
        """
        if self._thread is not None:
            return self._thread.wait_for_merge(merge_fn, tuple(args), dict(kwargs or {}))
        with distribution.inside(self._strategy, None):
            return replica_of(merge_fn(self._strategy, *args, **(kwargs or {})), 0)

    def all_reduce(self, reduce_op: Any, value: TensorLike, options: object = None) -> Any:
        """The sum or the mean of all replicas' values, in each replica.

        Args:
            reduce_op: "SUM", "MEAN" or a `tf.distribute.ReduceOp`.
            value: a tensor, or a structure of tensors, of equal shapes in all replicas.
            options: hints; ignored.

        Raises:
            ValueError: for an unknown operation.
        """
        operation = as_reduce_op(reduce_op)
        leaves = [
            leaf if isinstance(leaf, IndexedSlices) else _core.as_tensor(leaf)
            for leaf in nest.flatten(value)
        ]
        if self._is_alone() or not leaves:
            return nest.pack_sequence_as(value, leaves)
        if any(isinstance(leaf, IndexedSlices) for leaf in leaves):
            reduced = self._reduced(operation, leaves)
            return nest.pack_sequence_as(value, reduced)

        def gradient(upstream: Sequence[object]) -> list[Any]:
            return self._reduced(operation, upstream)

        reduced = recorded(self._reduced(operation, leaves), leaves, gradient)
        return nest.pack_sequence_as(value, reduced)

    def _is_alone(self) -> bool:
        return self.num_replicas_in_sync == 1

    def _reduced(self, operation: ReduceOp, leaves: Sequence[object]) -> list[Any]:
        def merge(strategy: Any, *values: object) -> Any:
            return strategy.extended._all_reduced(operation, list(values))

        return list(self.merge_call(merge, args=tuple(leaves)))

    def all_gather(self, value: TensorLike, axis: int, options: object = None) -> Any:
        """The values of all replicas side by side, for each of them.

        Args:
            value: a tensor, or a structure of tensors.
            axis: the axis along which they lie side by side; their sizes along it may differ.
            options: hints; ignored.

        Raises:
            ValueError: if a value has no such axis.
        """

        def gathered(leaf: object) -> Any:
            tensor = _core.as_tensor(leaf)
            check_axis(tensor, axis)
            size = _ops.shape(tensor)[axis]

            def gradient(upstream: Sequence[object]) -> list[Any]:
                (total,) = self._reduced(ReduceOp.SUM, upstream)
                sizes = self._gathered(_ops.reshape(size, [1]), 0)
                start = _ops.reduce_sum(sizes[: self._replica_id])
                return [_ops.gather(total, _ops.range(start, start + size, 1), axis=axis)]

            return recorded([self._gathered(tensor, axis)], [tensor], gradient)[0]

        return nest.map_structure(gathered, value)

    def _gathered(self, tensor: _core.Tensor, axis: int) -> Any:
        if self._is_alone():
            return gather_values([tensor], axis)
        return self.merge_call(
            lambda strategy, value: strategy.extended._all_gathered(value, axis), args=(tensor,)
        )


class ValueContext:
    """The argument of a function that creates values for each replica.

    Args:
        replica_id_in_sync_group: the number of the replica.
        num_replicas_in_sync: how many there are.
    """

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self.num_replicas_in_sync = num_replicas_in_sync


class InputContext:
    """The argument of a function that creates a dataset for each worker.

    Args:
        num_input_pipelines: how many workers make datasets.
        input_pipeline_id: the index of this worker.
        num_replicas_in_sync: how many replicas the batches are for.

    >>> tf.distribute.InputContext(num_replicas_in_sync=4).get_per_replica_batch_size(32)
    8
    """

    def __init__(
        self,
        num_input_pipelines: int = 1,
        input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ) -> None:
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """A replica's share of a batch.

        Raises:
            ValueError: if the batch cannot be shared out evenly.
        """
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size} is not divisible by "
                f"`num_replicas_in_sync` {self.num_replicas_in_sync} "
            )
        return global_batch_size // self.num_replicas_in_sync

    def __str__(self) -> str:
        return (
            f"tf.distribute.InputContext(input pipeline id {self.input_pipeline_id}, "
            f"total: {self.num_input_pipelines})"
        )


def require_cross_replica(strategy: Any) -> None:
    """Raises a RuntimeError in a replica."""
    if distribution.replica_context() is not None and distribution.strategy() is strategy:
        raise RuntimeError(
            "Method requires being in cross-replica context, use get_replica_context().merge_call()"
        )
