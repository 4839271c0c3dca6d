"""ParameterServerStrategy: workers that train without waiting for each other."""

from __future__ import annotations

import weakref
from typing import Any

from eagerflow.distribute.cluster_resolver import TFConfigClusterResolver
from eagerflow.distribute.extended import StrategyExtended
from eagerflow.distribute.partitioners import Partitioner
from eagerflow.distribute.strategy import Strategy

_JOBS = frozenset(("chief", "evaluator", "ps", "worker"))


class ParameterServerStrategy(Strategy):
    """Training in which each worker changes shared variables whenever it is ready.

    This process does the work of the whole cluster: its memory holds the variables, and its threads are
    the workers, to which a `tf.distribute.coordinator.ClusterCoordinator` gives functions. `Model.fit`
    trains on one of them. The program is started once, as the coordinator; nothing is started for the
    other tasks.

    Args:
        cluster_resolver: describes the cluster, by default the environment variable `TF_CONFIG`. It
            needs at least one task of each of the jobs "worker" and "ps".
        variable_partitioner: accepted: variables stay whole, as all parts would lie in one memory.

    Raises:
        ValueError: for a cluster without workers or servers, with other jobs, or for a process that the
            resolver calls a worker or a server.
        TypeError: if the partitioner cannot be called.

    >>> cluster = tf.train.ClusterSpec({"worker": ["w0:1", "w1:1"], "ps": ["ps0:1"]})
    >>> resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(cluster)
    >>> strategy = tf.distribute.ParameterServerStrategy(resolver)
    >>> with strategy.scope():
    ...     v = tf.Variable(1.0)
    >>> strategy.run(lambda x: v * x, args=(tf.constant(3.0),))
    <tf.Tensor: shape=(), dtype=float32, numpy=3.0>
    """

    _should_use_with_coordinator = True
    _scales_losses = False

    def __init__(
        self, cluster_resolver: Any = None, variable_partitioner: Partitioner | None = None
    ) -> None:
        resolver = cluster_resolver or TFConfigClusterResolver()
        if variable_partitioner is not None and not callable(variable_partitioner):
            raise TypeError(
                "`variable_partitioner` must be a tf.distribute.experimental.partitioners.Partitioner. "
                f"Received: {variable_partitioner!r}"
            )
        self._num_workers = _checked_workers(resolver)
        self._cluster_resolver = resolver
        self._coordinator: weakref.ref[Any] | None = None
        super().__init__(StrategyExtended(self, ["/job:localhost/replica:0/task:0/device:CPU:0"]))

    @property
    def cluster_resolver(self) -> Any:
        """The resolver of the cluster."""
        return self._cluster_resolver


def _checked_workers(resolver: Any) -> int:
    """The number of workers of a cluster."""
    spec = resolver.cluster_spec()
    if not spec:
        raise ValueError(
            "Cluster spec must be non-empty in `tf.distribute.cluster_resolver.ClusterResolver`."
        )
    unknown = sorted(set(spec.jobs) - _JOBS)
    if unknown:
        raise ValueError(f"The jobs of a cluster are {sorted(_JOBS)}, not {unknown}.")
    for job in ("ps", "worker"):
        if job not in spec.jobs or not spec.num_tasks(job):
            raise ValueError(f"There must be at least one {job}.")
    if resolver.task_type in ("ps", "worker"):
        raise ValueError(
            f"This process is the task {resolver.task_id} of the job {resolver.task_type!r}. The process "
            "of the coordinator does the work of all tasks: start the program only there, with the task "
            "type 'chief' or none."
        )
    return spec.num_tasks("worker")
