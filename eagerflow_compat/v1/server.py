"""Server and placement: programs for clusters of TensorFlow 1, as far as one process runs them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow.distribute.cluster import ClusterSpec
from eagerflow.errors import UnimplementedError
from eagerflow.protos.session import MESSAGES

__all__ = ["Server", "replica_device_setter"]

_STATEFUL = ("Variable", "VariableV2", "AutoReloadVariable", "MutableHashTable", "VarHandleOp")


class Server:
    """A server of this process's own session.

    Sessions run in this process: a cluster of one task is served, and programs for several processes
    are run by MPI; see `tf.distribute.MultiWorkerMirroredStrategy`.

    Args:
        server_or_cluster_def: a `tf.train.ServerDef`, a `tf.train.ClusterSpec`, a `ClusterDef` or a
            dictionary of jobs.
        job_name: the job of this task; the only one by default.
        task_index: the index of this task; 0 by default.
        protocol: accepted.
        config: accepted.
        start: accepted.

    Raises:
        tf.errors.UnimplementedError: if the cluster has more than one task.
        ValueError: if there is no such job or task.

    >>> server = tf.compat.v1.train.Server.create_local_server()
    >>> with tf.compat.v1.Session(server.target, graph=tf.Graph()) as session:
    ...     pass
    """

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        if hasattr(server_or_cluster_def, "default_session_config"):
            given = server_or_cluster_def
            job_name, task_index = job_name or given.job_name, task_index or given.task_index
            server_or_cluster_def = given.cluster
        cluster = ClusterSpec(server_or_cluster_def)
        if job_name is None:
            if len(cluster.jobs) != 1:
                raise ValueError("Must specify an explicit job name: there are several jobs.")
            job_name = cluster.jobs[0]
        index = task_index or 0
        cluster.task_address(job_name, index)  # is there
        if sum(map(cluster.num_tasks, cluster.jobs)) != 1:
            raise UnimplementedError._of(
                "A session runs in one process here. For several, start the program under mpiexec "
                "with tf.distribute.MultiWorkerMirroredStrategy or horovod.tensorflow."
            )
        self._server_def = MESSAGES["ServerDef"](
            cluster=cluster.as_cluster_def(),
            job_name=job_name,
            task_index=index,
            protocol=protocol or "grpc",
        )

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """A server of this process alone."""
        return Server({"localhost": ["localhost:0"]}, protocol="grpc", config=config, start=start)

    @property
    def target(self) -> str:
        """What sessions take as their first argument: empty, as they run in this process."""
        return ""

    @property
    def server_def(self) -> Any:
        """The ServerDef message of the server."""
        return self._server_def

    def start(self) -> None:
        """Does nothing: the server is part of this process."""

    def join(self) -> None:
        """Returns at once: no other process asks this one for anything."""


def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Sequence[str] | None = None,
    ps_strategy: Callable[[Any], int] | None = None,
) -> Callable[[Any], str] | None:
    """A function for `tf.device` that spreads variables over the tasks of a job.

    Args:
        ps_tasks: how many tasks hold variables; ignored if there is a cluster.
        ps_device: their device.
        worker_device: the device of all other operations.
        merge_devices: accepted.
        cluster: a cluster whose tasks of the job of `ps_device` hold the variables.
        ps_ops: the kinds of operations that are variables.
        ps_strategy: gives the index of a task for an operation; by default one after the other.

    Returns:
        The function, or None if no task holds variables.

    Raises:
        TypeError: if the cluster or the strategy is nothing of that kind.
    """
    if cluster is not None:
        job = ps_device.partition("/job:")[2].partition("/")[0]
        spec = ClusterSpec(cluster)
        ps_tasks = spec.num_tasks(job) if job in spec.jobs else 0
    if not ps_tasks:
        return None
    if ps_strategy is not None and not callable(ps_strategy):
        raise TypeError("ps_strategy must be callable")
    kinds = _STATEFUL if ps_ops is None else tuple(ps_ops)
    count = 0

    def device(op: Any) -> str:
        nonlocal count
        if getattr(op, "type", None) not in kinds:
            return worker_device
        if ps_strategy is not None:
            task = ps_strategy(op)
        else:
            task, count = count % ps_tasks, count + 1
        return f"{ps_device}/task:{task}"

    return device
