"""tf.distribute.cluster_resolver: where the tasks of a cluster are, and which of them this is."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any

from eagerflow.distribute.cluster import ClusterSpec


def _with_layer(address: str, rpc_layer: str | None) -> str:
    return f"{rpc_layer}://{address}" if rpc_layer and address else address


class ClusterResolver:
    """Base class of descriptions of a cluster.

    A subclass defines `cluster_spec` and `master`.
    """

    task_type: str | None = None
    task_id: int | None = None
    rpc_layer: str | None = None

    def cluster_spec(self) -> ClusterSpec:
        """The addresses of all tasks."""
        raise NotImplementedError

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """The address of a task, with the protocol before it."""
        raise NotImplementedError

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: object = None
    ) -> dict[str, int]:
        """How many devices of each kind a task has, besides its processor."""
        return {}

    @property
    def environment(self) -> str:
        """Where the cluster runs; empty if that is not known."""
        return ""


class SimpleClusterResolver(ClusterResolver):
    """A cluster with known addresses.

    Args:
        cluster_spec: a `tf.train.ClusterSpec`.
        master: the address that `master()` returns.
        task_type: the job of this task.
        task_id: the index of this task.
        environment: where the cluster runs.
        num_accelerators: devices by kind.
        rpc_layer: the protocol.

    Raises:
        TypeError: if `cluster_spec` has another type.

    >>> cluster = tf.train.ClusterSpec({"worker": ["a:1", "b:2"]})
    >>> resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, rpc_layer="grpc")
    >>> resolver.master("worker", 1)
    'grpc://b:2'
    """

    def __init__(
        self,
        cluster_spec: ClusterSpec,
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str = "",
        num_accelerators: dict[str, int] | None = None,
        rpc_layer: str | None = None,
    ) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        self._cluster_spec = cluster_spec
        self._master = master
        self.task_type = task_type
        self.task_id = task_id
        self._environment = environment
        self._num_accelerators = num_accelerators
        self.rpc_layer = rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        """The addresses of all tasks."""
        return self._cluster_spec

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """The address of a task, or the one that was passed."""
        if task_type is not None and task_id is not None:
            address = self._cluster_spec.task_address(task_type, task_id)
        else:
            address = self._master
        return _with_layer(address, rpc_layer or self.rpc_layer)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: object = None
    ) -> dict[str, int]:
        """The devices that were passed."""
        return dict(self._num_accelerators or {})

    @property
    def environment(self) -> str:
        """The environment that was passed."""
        return self._environment


class TFConfigClusterResolver(ClusterResolver):
    """A cluster that the environment variable `TF_CONFIG` describes in JSON.

    Args:
        task_type: the job of this task, if another than the variable says.
        task_id: the index of this task.
        rpc_layer: the protocol.
        environment: where the cluster runs.
    """

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        self._given = task_type, task_id, rpc_layer, environment

    @staticmethod
    def _config() -> dict[str, Any]:
        return json.loads(os.environ.get("TF_CONFIG") or "{}")

    @property
    def task_type(self) -> str | None:  # type: ignore[override]
        """The job of this task."""
        return self._given[0] or self._config().get("task", {}).get("type")

    @property
    def task_id(self) -> int | None:  # type: ignore[override]
        """The index of this task."""
        index = self._given[1]
        if index is None:
            index = self._config().get("task", {}).get("index")
        return None if index is None else int(index)

    @property
    def rpc_layer(self) -> str | None:  # type: ignore[override]
        """The protocol."""
        return self._given[2] or self._config().get("rpc_layer")

    @property
    def environment(self) -> str:
        """Where the cluster runs."""
        return self._given[3] or ""

    def cluster_spec(self) -> ClusterSpec:
        """The addresses of all tasks."""
        return ClusterSpec(self._config().get("cluster", {}))

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """The address of a task, by default of this one; empty if there is one task at most."""
        cluster = self.cluster_spec()
        if sum(cluster.num_tasks(job) for job in cluster.jobs) < 2:
            return ""
        job = self.task_type if task_type is None else task_type
        index = self.task_id if task_id is None else task_id
        address = cluster.task_address(job or "worker", index or 0)
        return _with_layer(address, rpc_layer or self.rpc_layer)


def _hosts(names: str) -> list[str]:
    """The hosts that Slurm writes in short, such as `a[1-2,07],b`."""
    hosts = []
    for prefix, ranges, suffix in re.findall(r"([^,\[]+)(?:\[([^\]]*)\]([^,]*))?(?:,|$)", names):
        for part in ranges.split(",") if ranges else [""]:
            first, _, last = part.partition("-")
            numbers = range(int(first), int(last or first) + 1) if first else []
            hosts += [f"{prefix}{number:0{len(first)}}{suffix}" for number in numbers] or [prefix]
    return hosts


def _tasks_of_hosts(text: str, hosts: int) -> list[int]:
    """How many tasks hosts have, which Slurm writes in short, such as `2(x3),1`."""
    counts: list[int] = []
    for count, times in re.findall(r"(\d+)(?:\(x(\d+)\))?", text):
        counts += [int(count)] * int(times or 1)
    return counts or [1] * hosts


class SlurmClusterResolver(ClusterResolver):
    """The cluster of a job step of Slurm, whose environment variables describe it.

    Tasks are the processes of the step in Slurm's order, on the hosts in theirs.

    Args:
        jobs: how many tasks the jobs have, by name; by default all are workers.
        port_base: the port of the first task of a host.
        gpus_per_node: how many GPUs a host has.
        gpus_per_task: the number of GPUs of a task; 0 divides the host's GPUs.
        tasks_per_node: the number of tasks of each host; by default Slurm's.
        auto_set_gpu: accepted; Slurm assigns GPUs.
        rpc_layer: the protocol.

    Raises:
        RuntimeError: outside of a job step, or if the jobs have another number of tasks.
    """

    def __init__(
        self,
        jobs: Mapping[str, int] | None = None,
        port_base: int = 8888,
        gpus_per_node: int | None = None,
        gpus_per_task: int | None = None,
        tasks_per_node: int | list[int] | None = None,
        auto_set_gpu: bool = True,
        rpc_layer: str = "grpc",
    ) -> None:
        names = os.environ.get("SLURM_STEP_NODELIST") or os.environ.get("SLURM_JOB_NODELIST")
        if names is None or "SLURM_PROCID" not in os.environ:
            raise RuntimeError(
                "There is no Slurm job step here: SLURM_PROCID and SLURM_STEP_NODELIST are not set. "
                "Start the program with `srun`."
            )
        hosts = _hosts(names)
        if tasks_per_node is None:
            text = os.environ.get("SLURM_STEP_TASKS_PER_NODE", "")
            counts = _tasks_of_hosts(text, len(hosts))
        elif isinstance(tasks_per_node, int):
            counts = [tasks_per_node] * len(hosts)
        else:
            counts = list(tasks_per_node)
        addresses = [
            f"{host}:{port_base + number}"
            for host, count in zip(hosts, counts, strict=False)
            for number in range(count)
        ]
        sizes = dict(jobs or {"worker": len(addresses)})
        if sum(sizes.values()) != len(addresses):
            raise RuntimeError(
                f"The jobs {sizes} have {sum(sizes.values())} tasks, but Slurm has started "
                f"{len(addresses)} processes."
            )
        rank = int(os.environ["SLURM_PROCID"])
        cluster: dict[str, list[str]] = {}
        start = 0
        for job, size in sizes.items():
            cluster[job] = addresses[start : start + size]
            if start <= rank < start + size:
                self.task_type, self.task_id = job, rank - start
            start += size
        self._cluster_spec = ClusterSpec(cluster)
        self._gpus = gpus_per_task or (gpus_per_node or 0) // max(counts)
        self.rpc_layer = rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        """The addresses of all tasks."""
        return self._cluster_spec

    def get_task_info(self) -> tuple[str | None, int | None]:
        """The job and the index of this task."""
        return self.task_type, self.task_id

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """The address of a task, by default of this one."""
        job = self.task_type if task_type is None else task_type
        index = self.task_id if task_id is None else task_id
        address = self._cluster_spec.task_address(job or "worker", index or 0)
        return _with_layer(address, rpc_layer or self.rpc_layer)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: object = None
    ) -> dict[str, int]:
        """The GPUs of each task, as passed."""
        return {"GPU": self._gpus}


class TPUClusterResolver(ClusterResolver):
    """Looks for TPUs, which this package does not support: the error lets programs fall back.

    Args:
        tpu: the name of a TPU.
        zone: accepted, as all that follow.
        job_name: accepted.

    Raises:
        ValueError: always.
    """

    def __init__(
        self,
        tpu: str | None = None,
        zone: str | None = None,
        project: str | None = None,
        job_name: str = "worker",
        coordinator_name: str | None = None,
        coordinator_address: str | None = None,
        credentials: object = "default",
        service: object = None,
        discovery_url: str | None = None,
    ) -> None:
        if not tpu:
            raise ValueError("Please provide a TPU Name to connect to.")
        raise ValueError(f"There is no TPU {tpu!r}: eagerflow computes on the processor.")

    @staticmethod
    def connect(tpu: str | None = None, zone: str | None = None, project: str | None = None) -> Any:
        """Looks for a TPU and prepares it.

        Raises:
            ValueError: always.
        """
        return TPUClusterResolver(tpu, zone, project)


__all__ = [
    "ClusterResolver",
    "SimpleClusterResolver",
    "SlurmClusterResolver",
    "TFConfigClusterResolver",
    "TPUClusterResolver",
]
