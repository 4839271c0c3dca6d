"""Strategies: how programs say over which devices they spread. There is one device, so one replica."""

from __future__ import annotations

import contextlib
import enum
import json
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

from eagerflow import _core, nest
from eagerflow._core.ops import reduce_mean, reduce_sum
from eagerflow.data.dataset import Dataset
from eagerflow.data.iterator import OwnedIterator
from eagerflow.distribute.cluster import ClusterSpec
from eagerflow.framework.device import DeviceSpec

_DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"


class ReduceOp(enum.Enum):
    """How values of several replicas become one."""

    SUM = "SUM"
    MEAN = "MEAN"


class InputReplicationMode(enum.Enum):
    """How input functions are called: once for each worker, or for each replica."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class _State(threading.local):
    def __init__(self) -> None:
        self.strategies: list[Strategy] = []
        self.replicas: list[ReplicaContext] = []


_state = _State()


def _reduce_op(value: Any) -> ReduceOp:
    if isinstance(value, str):
        value = value.upper()
    return value if isinstance(value, ReduceOp) else ReduceOp(value)


class ReplicaContext:
    """What a function run by `Strategy.run` knows of its replica."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy

    @property
    def strategy(self) -> Strategy:
        """The strategy that runs the function."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are: 1."""
        return 1

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The index of this replica: 0, as a tensor."""
        return _core.as_tensor(0)

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices of this replica."""
        return (_DEVICE,)

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """The values of all replicas joined, which is this one's.

        Raises:
            ValueError: for an unknown operation.
        """
        _reduce_op(reduce_op)
        return nest.map_structure(_core.convert, value)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """The values of all replicas side by side, which is this one's."""
        return nest.map_structure(_core.convert, value)

    def merge_call(
        self, merge_fn: Callable[..., Any], args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Calls a function once for all replicas, with the strategy and their values."""
        left = _state.replicas
        _state.replicas = []
        try:
            return merge_fn(self._strategy, *args, **(kwargs or {}))
        finally:
            _state.replicas = left


class ValueContext:
    """What a function that makes values for each replica receives."""

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self.num_replicas_in_sync = num_replicas_in_sync


class InputContext:
    """What a function that makes a dataset for each worker receives.

    Args:
        num_input_pipelines: how many workers make datasets.
        input_pipeline_id: the index of this one.
        num_replicas_in_sync: how many replicas the batches are for.
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
                f"`num_replicas_in_sync` {self.num_replicas_in_sync}"
            )
        return global_batch_size // self.num_replicas_in_sync


class StrategyExtended:
    """Further properties of a strategy."""

    # What other Keras packages ask before they train: this process has the whole work.
    should_checkpoint = should_save_summary = experimental_should_init = True
    experimental_require_static_shapes = experimental_between_graph = False
    _global_batch_size = True

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices that compute."""
        return (_DEVICE,)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices that hold variables."""
        return (_DEVICE,)

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """The values of all replicas joined on some devices."""
        return self._strategy.reduce(reduce_op, value, axis=None)

    def update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: tuple[Any, ...] = (),
        kwargs: Any = None,
        group: bool = True,
    ) -> Any:
        """Calls a function with a variable where that is."""
        return fn(var, *args, **(kwargs or {}))

    def variable_created_in_scope(self, v: Any) -> bool:
        """True: every variable may be used under every strategy."""
        return True

    def call_for_each_replica(
        self, fn: Callable[..., Any], args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """What a function returns in each replica; see `Strategy.run`."""
        return self._strategy.run(fn, args, kwargs)

    def _in_multi_worker_mode(self) -> bool:
        return False

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        """A context in which variables are made beside another one."""
        return contextlib.nullcontext()


class DistributedDataset(ABC):
    """What `experimental_distribute_dataset` gives: on one device, any dataset."""

    @property
    @abstractmethod
    def element_spec(self) -> Any:
        """The spec of the elements."""

    @abstractmethod
    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
        """What a function makes of a state and each element in turn."""

    @abstractmethod
    def __iter__(self) -> Any: ...


class DistributedIterator(ABC):
    """What goes through a distributed dataset: on one device, any dataset's iterator."""

    @property
    @abstractmethod
    def element_spec(self) -> Any:
        """The spec of the elements."""

    @abstractmethod
    def get_next(self) -> Any:
        """The next element."""

    @abstractmethod
    def get_next_as_optional(self) -> Any:
        """The next element, or an empty Optional at the end."""


DistributedDataset.register(Dataset)
DistributedIterator.register(OwnedIterator)


class DistributedValues:
    """A value for each replica, of which there is one."""

    def __init__(self, values: Any) -> None:
        self._values = tuple(values)

    @property
    def values(self) -> tuple[Any, ...]:
        """The values, one for each replica."""
        return self._values


class PerReplica(DistributedValues):
    """Values that replicas have made or shall be given."""

    def __repr__(self) -> str:
        shown = "\n".join(f"  {k}: {value!s}" for k, value in enumerate(self._values))
        return f"PerReplica:{{\n{shown}\n}}"


def _of_replica(structure: Any) -> Any:
    """A structure with the values of the only replica."""
    return nest.map_structure(
        lambda leaf: leaf.values[0] if isinstance(leaf, DistributedValues) else leaf, structure
    )


class Strategy:
    """Spreads computation over devices; here there is one, so every program has one replica.

    Args:
        extended: ignored.
    """

    _should_use_with_coordinator = False

    def __init__(self, extended: Any = None) -> None:
        self._extended = StrategyExtended(self)

    @property
    def cluster_resolver(self) -> Any:
        """What knows the cluster that the strategy spans: None."""
        return None

    @property
    def extended(self) -> StrategyExtended:
        """Further properties."""
        return self._extended

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are: 1."""
        return 1

    @contextlib.contextmanager
    def scope(self) -> Iterator[Strategy]:
        """A context in which this strategy is the one in use."""
        _state.strategies.append(self)
        try:
            yield self
        finally:
            _state.strategies.pop()

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, options: Any = None
    ) -> Any:
        """Calls a function on each replica.

        Args:
            fn: the function.
            args: its positional arguments; values of the replica.
            kwargs: its keyword arguments.
            options: ignored.

        Returns:
            What it returns on the only replica.
        """
        _state.replicas.append(ReplicaContext(self))
        try:
            with self.scope():
                return fn(*_of_replica(args), **_of_replica(kwargs or {}))
        finally:
            _state.replicas.pop()

    def experimental_run(self, fn: Callable[..., Any], input_iterator: Any = None) -> Any:
        """Calls a function on each replica, with the next element of an iterator if there is one.

        Args:
            fn: the function.
            input_iterator: an iterator of a dataset.
        """
        return self.run(fn, () if input_iterator is None else (input_iterator.get_next(),))

    def reduce(self, reduce_op: Any, value: Any, axis: int | None) -> Any:
        """Joins the replicas' values, and their elements along an axis if one is given.

        Args:
            reduce_op: "SUM", "MEAN" or a `ReduceOp`.
            value: what `run` returned.
            axis: an axis of the values, or None.

        Raises:
            ValueError: for an unknown operation.

        >>> strategy = tf.distribute.MirroredStrategy()
        >>> float(strategy.reduce("MEAN", tf.constant([1.0, 2.0]), axis=0))
        1.5
        """
        kind = _reduce_op(reduce_op)

        def joined(leaf: Any) -> Any:
            tensor = _core.as_tensor(leaf)
            if axis is None:
                return tensor
            return (reduce_sum if kind is ReduceOp.SUM else reduce_mean)(tensor, axis)

        return nest.map_structure(joined, _of_replica(value))

    def gather(self, value: Any, axis: int) -> Any:
        """The replicas' values side by side, which is the only one's."""
        return nest.map_structure(_core.convert, _of_replica(value))

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The values of the replicas of this machine, a tuple of one."""
        return (_of_replica(value),)

    unwrap = experimental_local_results

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """A dataset for all replicas: the same one."""
        return dataset

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[..., Any], options: Any = None
    ) -> Any:
        """The dataset that a function of an `InputContext` makes."""
        return dataset_fn(InputContext())

    def experimental_distribute_values_from_function(self, value_fn: Callable[..., Any]) -> Any:
        """What a function of a context gives for the only replica.

        Returns:
            A `tf.distribute.DistributedValues`, which `run` takes as an argument.
        """
        return PerReplica([value_fn(ValueContext())])


class MirroredStrategy(Strategy):
    """Copies variables to each device of the machine, of which there is one.

    Args:
        devices: names of devices; only the CPU is there.
        cross_device_ops: ignored.

    >>> strategy = tf.distribute.MirroredStrategy()
    >>> with strategy.scope():
    ...     v = tf.Variable(2.0)
    >>> strategy.run(lambda x: v * x, args=(tf.constant(3.0),))
    <tf.Tensor: shape=(), dtype=float32, numpy=6.0>
    """

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        super().__init__()
        _check_devices([devices] if isinstance(devices, str) else devices or ())


class OneDeviceStrategy(Strategy):
    """Places everything on one device.

    Args:
        device: the device's name; only the CPU is there.
    """

    def __init__(self, device: str) -> None:
        super().__init__()
        _check_devices([device])


class MultiWorkerMirroredStrategy(Strategy):
    """Copies variables to the workers of a cluster, of which there is one: this program.

    Args:
        cluster_resolver: knows the cluster, as its method `cluster_spec` says; by default the
            environment variable `TF_CONFIG` does.
        communication_options: ignored.

    Raises:
        ValueError: if the cluster has more than one worker.

    >>> strategy = tf.distribute.MultiWorkerMirroredStrategy()
    >>> strategy.run(lambda x: x * 2, args=(tf.constant(3),))
    <tf.Tensor: shape=(), dtype=int32, numpy=6>
    """

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        super().__init__()
        self._cluster_resolver = cluster_resolver
        if cluster_resolver is not None:
            cluster = cluster_resolver.cluster_spec()
        else:
            cluster = json.loads(os.environ.get("TF_CONFIG") or "{}").get("cluster", {})
        spec = ClusterSpec(cluster)
        workers = sum(spec.num_tasks(job) for job in spec.jobs if job in ("chief", "worker"))
        if workers > 1:
            raise ValueError(
                f"The cluster has {workers} workers. Training runs in one program: leave TF_CONFIG "
                "unset, or name one worker."
            )

    @property
    def cluster_resolver(self) -> Any:
        """What was given to the constructor."""
        return self._cluster_resolver


def _check_devices(devices: Any) -> None:
    for name in devices:
        spec = DeviceSpec.from_string(name)
        if spec.device_type not in (None, "CPU") or (spec.device_index or 0) != 0:
            raise ValueError(f"There is no device {name!r}; there is only {_DEVICE!r}.")


_default = Strategy()


def get_strategy() -> Strategy:
    """The strategy in use; one for a single device by default."""
    return _state.strategies[-1] if _state.strategies else _default


def has_strategy() -> bool:
    """Whether a strategy other than the default one is in use.

    >>> tf.distribute.has_strategy()
    False
    """
    return bool(_state.strategies)


def in_cross_replica_context() -> bool:
    """Whether the code runs once for all replicas: in a scope, but not in `Strategy.run`."""
    return bool(_state.strategies) and not _state.replicas


def get_replica_context() -> ReplicaContext | None:
    """What is known of the replica that the code runs for; None if it runs for all of them."""
    if _state.replicas:
        return _state.replicas[-1]
    return None if _state.strategies else ReplicaContext(_default)


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Makes a strategy the one in use from now on; None ends that.

    Raises:
        RuntimeError: inside a strategy's scope.
    """
    if len(_state.strategies) > 1 or _state.replicas:
        raise RuntimeError("Must not be called inside a `tf.distribute.Strategy` scope.")
    _state.strategies[:] = [] if strategy is None else [strategy]
