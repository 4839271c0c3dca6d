"""Server: what programs start for a task of a cluster, as far as one process runs them."""

from __future__ import annotations

from typing import Any

from eagerflow.distribute.cluster import ClusterSpec
from eagerflow.errors import UnimplementedError
from eagerflow.protos.session import MESSAGES


class Server:
    """A server for a task of a cluster, which is this process.

    Sessions and strategies run in one process: `tf.distribute.ParameterServerStrategy` does the work of
    all tasks, and programs for several processes are run by MPI; see
    `tf.distribute.MultiWorkerMirroredStrategy`.

    Args:
        server_or_cluster_def: a `tf.train.ServerDef`, a `tf.train.ClusterSpec`, a `ClusterDef` or a
            dictionary of jobs.
        job_name: the job of this task; the only one by default.
        task_index: the index of this task; 0 by default.
        protocol: accepted.
        config: accepted.
        start: accepted.

    Raises:
        ValueError: if there is no such job or task.
        tf.errors.UnimplementedError: by `target` and `join`, if the cluster has more than one task.

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
        self._is_alone = sum(map(cluster.num_tasks, cluster.jobs)) == 1
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
        self._require_alone()
        return ""

    @property
    def server_def(self) -> Any:
        """The ServerDef message of the server."""
        return self._server_def

    def start(self) -> None:
        """Does nothing: the server is part of this process."""

    def join(self) -> None:
        """Returns at once: no other process asks this one for anything."""
        self._require_alone()

    def _require_alone(self) -> None:
        if not self._is_alone:
            raise UnimplementedError._of(
                "A session runs in one process here, and no other process asks this one for anything. "
                "Start a program of tf.distribute.ParameterServerStrategy once, as the coordinator. For "
                "several processes, start the program under mpiexec with "
                "tf.distribute.MultiWorkerMirroredStrategy or horovod.tensorflow."
            )
