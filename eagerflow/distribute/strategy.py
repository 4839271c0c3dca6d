"""Strategies: how programs distribute work over devices."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.distribute.cluster_resolver import TFConfigClusterResolver
from eagerflow.distribute.collectives import ReduceOp, as_reduce_op
from eagerflow.distribute.contexts import (
    InputContext,
    ReplicaContext,
    ValueContext,
    require_cross_replica,
)
from eagerflow.distribute.extended import DefaultExtended, StrategyExtended
from eagerflow.distribute.input import (
    DealtDataset,
    DistributedDataset,
    DistributedIterator,
    SplitDataset,
    WholeDataset,
)
from eagerflow.distribute.options import CommunicationOptions
from eagerflow.distribute.values import DistributedValues, PerReplica
from eagerflow.framework import distribution_state as distribution
from eagerflow.framework.device import spec_of
from eagerflow.framework.device_spec import DeviceSpec
from eagerflow.framework.device_table import LogicalDevice, table
from eagerflow.framework.variable import variable_creator_scope
from eagerflow.util import lazy

__all__ = [
    "DistributedDataset",
    "DistributedIterator",
    "DistributedValues",
    "InputContext",
    "PerReplica",
    "ReduceOp",
    "ReplicaContext",
    "StrategyExtended",
    "ValueContext",
]

# Needed where there are several processes.
workers = lazy.Module("eagerflow.distribute.workers")
sharding = lazy.Module("eagerflow.distribute.sharding")

_ops = _core.ops


class Strategy:
    """Spreads computation over devices.

    A strategy runs a function once for each of its *replicas*, each on a device of its own. In its
    scope, variables get a copy on each device.

    Args:
        extended: what libraries do with it.
    """

    _should_use_with_coordinator = False
    _is_default = False
    # Whether all replicas see the same gradients when they decide to skip a step.
    _scales_losses = True

    def __init__(self, extended: StrategyExtended) -> None:
        self._extended = extended

    @property
    def extended(self) -> StrategyExtended:
        """Further properties, and what libraries do with the strategy."""
        return self._extended

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are, in all processes together."""
        return self._extended._num_replicas_in_sync

    @property
    def cluster_resolver(self) -> Any:
        """The resolver of the cluster; None without a cluster."""
        return None

    @contextlib.contextmanager
    def scope(self) -> Iterator[Strategy]:
        """A context in which this strategy is in use, and creates variables.

        Raises:
            RuntimeError: in a replica, and in the scope of another strategy.

        >>> strategy = tf.distribute.MirroredStrategy()
        >>> with strategy.scope():
        ...     print(tf.distribute.get_strategy() is strategy)
        True
        """
        require_cross_replica(self)
        current = distribution.strategy()
        if current is not None and current is not self and current is not _default:
            raise RuntimeError(
                f"Mixing different tf.distribute.Strategy objects: {current} is not {self}"
            )
        with contextlib.ExitStack() as stack:
            if current is not self:
                stack.enter_context(variable_creator_scope(self._extended._create_variable))
            stack.enter_context(distribution.inside(self, None))
            yield self

    def run(
        self, fn: Callable[..., Any], args: object = (), kwargs: Any = None, options: object = None
    ) -> Any:
        """Calls a function on each replica.

        Args:
            fn: the function.
            args: its positional arguments; of distributed values, each replica gets its own.
            kwargs: its keyword arguments.
            options: hints; ignored.

        Returns:
            Its results: distributed values, or the value of a single replica.

        Raises:
            RuntimeError: in a replica.
            TypeError: if the arguments are no list or tuple.

        >>> strategy = tf.distribute.MirroredStrategy()
        >>> strategy.run(lambda x: x + 1, args=(tf.constant(1),))
        <tf.Tensor: shape=(), dtype=int32, numpy=2>
        """
        require_cross_replica(self)
        if not isinstance(args, list | tuple):
            raise ValueError(f"positional args must be a list or tuple, got {type(args)}")
        with self.scope():
            return self._extended._run(fn, tuple(args), kwargs or {})

    def experimental_run(self, fn: Callable[..., Any], input_iterator: Any = None) -> _core.Tensor:
        """Calls a function on each replica, with the next element of an iterator if there is one.

        Args:
            fn: the function.
            input_iterator: an iterator of a dataset.
        """
        return self.run(fn, () if input_iterator is None else (input_iterator.get_next(),))

    def reduce(self, reduce_op: Any, value: Any, axis: int | None) -> Any:
        """Reduces the replicas' values, and their elements along an axis if one is passed.

        Args:
            reduce_op: "SUM", "MEAN" or a `ReduceOp`.
            value: what `run` returned.
            axis: an axis of the values, or None.

        Raises:
            ValueError: for an unknown operation, or the sum of a value that the replicas share.
            RuntimeError: in a replica.

        >>> strategy = tf.distribute.MirroredStrategy()
        >>> float(strategy.reduce("MEAN", tf.constant([1.0, 2.0]), axis=0))
        1.5
        """
        require_cross_replica(self)
        operation = as_reduce_op(reduce_op)

        def joined(leaf: Any) -> Any:
            if axis is None:
                return self._extended._reduce_locally(operation, leaf)
            parts = self.experimental_local_results(leaf)
            rank = _core.as_tensor(parts[0]).shape.rank
            if rank is not None and not -rank <= axis < rank:
                raise ValueError(
                    f"Invalid reduction dimension {axis} for input with {rank} dimensions."
                )
            sums = PerReplica([_ops.reduce_sum(part, axis) for part in parts])
            total = self._extended._reduce_locally(ReduceOp.SUM, sums)
            if operation is ReduceOp.SUM:
                return total
            sizes = PerReplica([_ops.shape(part, "int64")[axis] for part in parts])
            count = self._extended._reduce_locally(ReduceOp.SUM, sizes)
            return total / _ops.cast(count, total.dtype)

        return nest.map_structure(joined, value)

    def gather(self, value: Any, axis: int) -> Any:
        """The replicas' values side by side.

        Args:
            value: what `run` returned.
            axis: the axis along which they lie side by side; their sizes along it may differ.

        Raises:
            ValueError: if a value has no such axis.
            RuntimeError: in a replica.
        """
        require_cross_replica(self)
        return nest.map_structure(lambda leaf: self._extended._gathered(leaf, axis), value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The values of the replicas of this process.

        Args:
            value: what `run` returned.

        Returns:
            A tuple with a structure for each replica; with one, if all replicas have the same.
        """
        leaves = nest.flatten(value)
        distributed = [leaf for leaf in leaves if isinstance(leaf, DistributedValues)]
        if not distributed:
            return (value,)
        return tuple(
            nest.pack_sequence_as(
                value,
                [
                    leaf.values[k] if isinstance(leaf, DistributedValues) else leaf
                    for leaf in leaves
                ],
            )
            for k in range(len(distributed[0].values))
        )

    unwrap = experimental_local_results

    def group(self, value: Any, name: str | None = None) -> None:
        """Nothing: what functions do is done when they return."""

    # Input

    def _input_context(self) -> InputContext:
        communicator = self._extended._communicator
        return InputContext(communicator.size, communicator.rank, self.num_replicas_in_sync)

    def _for_one_replica(self, dataset: Any) -> WholeDataset:
        return WholeDataset(dataset)

    def experimental_distribute_dataset(self, dataset: Any, options: object = None) -> Any:
        """A dataset whose elements have a part for each replica.

        Args:
            dataset: a dataset of batches for all replicas together.
            options: a `tf.distribute.InputOptions`.

        Returns:
            A dataset whose batches are split if there are several replicas.

        Raises:
            ValueError: if the dataset's elements are no batches.
        """
        if self._extended._communicator.size > 1:
            dataset = sharding.share_of_process(dataset, self._extended._communicator)
        replicas = len(self._extended._contexts())
        return SplitDataset(dataset, replicas) if replicas > 1 else self._for_one_replica(dataset)

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[..., Any], options: Any = None
    ) -> Any:
        """A dataset whose elements have a part for each replica, from a function that creates datasets.

        Args:
            dataset_fn: takes an `InputContext`, and returns a dataset of batches for one replica.
            options: a `tf.distribute.InputOptions`.
        """
        dataset = dataset_fn(self._input_context())
        replicas = len(self._extended._contexts())
        if replicas > 1:
            dataset = DealtDataset(dataset, replicas)
        if self._extended._communicator.size > 1:
            dataset = sharding.in_step(dataset, self._extended._communicator)
        shared = isinstance(dataset, DistributedDataset)
        return dataset if shared else self._for_one_replica(dataset)

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(self, value_fn: Callable[..., Any]) -> Any:
        """Calls a function for each replica, and returns its values.

        Args:
            value_fn: takes a context with `replica_id_in_sync_group` and `num_replicas_in_sync`.

        Returns:
            Distributed values, for arguments of `run`.
        """
        return PerReplica(
            [
                value_fn(ValueContext(context._replica_id, self.num_replicas_in_sync))
                for context in self._extended._contexts()
            ]
        )


class DefaultStrategy(Strategy):
    """The strategy of programs that use none."""

    _is_default = True

    def __init__(self) -> None:
        super().__init__(DefaultExtended(self))

    def experimental_distribute_values_from_function(self, value_fn: Callable[..., object]) -> Any:
        """Calls a function for the only replica."""
        return value_fn(ValueContext())

    def _for_one_replica(self, dataset: Any) -> Any:
        return dataset


def _device_name(device: str | DeviceSpec | LogicalDevice) -> str:
    full = DeviceSpec("localhost", 0, 0, "CPU", 0)
    return full.make_merged_spec(spec_of(device) or full).to_string()


class MirroredStrategy(Strategy):
    """Runs a replica on each of several devices, and keeps copies of variables there.

    `tf.config.set_logical_device_configuration` divides the CPU into devices, so that programs for
    several devices run.

    Args:
        devices: names of devices, or what `tf.config.list_logical_devices` lists; by default all
            GPUs, or all CPUs if there is none.
        cross_device_ops: a `tf.distribute.CrossDeviceOps`; values are added in the order of the devices
            in any case.

    Raises:
        ValueError: for a name that is none of a device.
        AssertionError: if a device is named twice.

    >>> strategy = tf.distribute.MirroredStrategy()
    >>> with strategy.scope():
    ...     v = tf.Variable(2.0)
    >>> strategy.run(lambda x: v * x, args=(tf.constant(3.0),))
    <tf.Tensor: shape=(), dtype=float32, numpy=6.0>
    """

    def __init__(
        self, devices: Sequence[str | LogicalDevice] | None = None, cross_device_ops: Any = None
    ) -> None:
        if not devices:
            logical = table.logical_devices()
            gpus = [each for each in logical if each.device_type == "GPU"]
            devices = [each.name for each in gpus or logical if each.device_type != "TPU"]
        names = tuple(_device_name(name) for name in devices)
        assert len(set(names)) == len(names), (
            f"No duplicates allowed in `devices` argument: {names}"
        )
        super().__init__(StrategyExtended(self, names, copies=True))
        self._cross_device_ops = cross_device_ops


class OneDeviceStrategy(Strategy):
    """Places everything on one device.

    Args:
        device: the device's name.

    Raises:
        ValueError: for a name that is none of a device.
    """

    def __init__(self, device: str) -> None:
        super().__init__(StrategyExtended(self, [_device_name(device)]))


class CentralStorageStrategy(Strategy):
    """Runs a replica on each of several devices, and keeps variables on one.

    Args:
        compute_devices: names of devices; by default all GPUs, or the CPU.
        parameter_device: the device of variables; by default the CPU.

    >>> tf.distribute.experimental.CentralStorageStrategy().extended.parameter_devices
    ('/job:localhost/replica:0/task:0/device:CPU:0',)
    """

    _scales_losses = False

    def __init__(
        self,
        compute_devices: Sequence[str | LogicalDevice] | None = None,
        parameter_device: str | None = None,
    ) -> None:
        if compute_devices is None:
            gpus = [each for each in table.logical_devices() if each.device_type == "GPU"]
            compute_devices = [each.name for each in gpus] or ["CPU:0"]
        super().__init__(
            StrategyExtended(
                self,
                [_device_name(name) for name in compute_devices],
                [_device_name(parameter_device or "CPU:0")],
            )
        )


class MultiWorkerMirroredStrategy(Strategy):
    """Runs replicas in several processes, which MPI has started, and keeps copies of variables in each.

    `mpiexec -n 4 python -m eagerflow train.py` starts four. A single process is one worker.

    Args:
        cluster_resolver: describes the cluster by its method `cluster_spec`; by default the
            environment variable `TF_CONFIG` does, if it is set. Its tasks of the jobs "chief" and
            "worker" are the workers, in this order.
        communication_options: a `tf.distribute.experimental.CommunicationOptions`, whose
            `bytes_per_pack` is the size of a bucket of gradients, and `timeout_seconds` the time for which
            a process may wait for the others; see the environment variable
            EAGERFLOW_DISTRIBUTED_TIMEOUT.

    Raises:
        ValueError: unless MPI has started one process for each worker of the cluster.
        ImportError: if there are several processes and no MPI.

    >>> strategy = tf.distribute.MultiWorkerMirroredStrategy()
    >>> strategy.run(lambda x: x * 2, args=(tf.constant(3),))
    <tf.Tensor: shape=(), dtype=int32, numpy=6>
    """

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        resolver = cluster_resolver or TFConfigClusterResolver()
        communicator = workers.join_workers(resolver)
        if cluster_resolver is None and communicator.size > 1 and resolver.task_type is None:
            # Programs treat a process without a task as the only one, which writes files.
            resolver = TFConfigClusterResolver("worker", communicator.rank)
        self._cluster_resolver = resolver
        options = communication_options or CommunicationOptions()
        if options.timeout_seconds is not None:
            communicator.wait_at_most(options.timeout_seconds)
        gpus = [each for each in table.logical_devices() if each.device_type == "GPU"]
        names = [each.name for each in gpus] or ["CPU:0"]
        super().__init__(
            StrategyExtended(
                self,
                [_device_name(name) for name in names],
                communicator=communicator,
                copies=True,
                bytes_per_pack=options.bytes_per_pack,
            )
        )

    @property
    def cluster_resolver(self) -> Any:
        """The resolver passed to the constructor, or the one that reads `TF_CONFIG`.

        Of several processes without that variable each is a task of the job "worker", with its rank.
        """
        return self._cluster_resolver


_default = DefaultStrategy()


def get_strategy() -> Strategy:
    """The strategy in use; one for a single device by default."""
    return distribution.strategy() or _default


def has_strategy() -> bool:
    """Whether a strategy other than the default one is in use.

    >>> tf.distribute.has_strategy()
    False
    """
    return distribution.has_strategy()


def in_cross_replica_context() -> bool:
    """Whether the code runs once for all replicas: in a scope, but not in `Strategy.run`."""
    return bool(distribution.state.strategies) and distribution.replica_context() is None


def get_replica_context() -> ReplicaContext | None:
    """The context of the replica for which the code runs; None if it runs for all of them."""
    if distribution.state.strategies:
        return distribution.replica_context()
    return ReplicaContext(_default)


_set_scope: list[Any] = []


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Puts a strategy in use; None ends that.

    Args:
        strategy: the strategy.

    Raises:
        RuntimeError: inside a strategy's scope.
    """
    if len(distribution.state.strategies) > len(_set_scope):
        raise RuntimeError("Must not be called inside a `tf.distribute.Strategy` scope.")
    while _set_scope:
        _set_scope.pop().__exit__(None, None, None)
    if strategy is not None:
        scope = strategy.scope()
        scope.__enter__()
        _set_scope.append(scope)
