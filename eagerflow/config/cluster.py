"""Connections to other machines: programs run on this one alone."""

from __future__ import annotations

from typing import Any

from eagerflow.errors import UnavailableError


def experimental_connect_to_host(remote_host: Any = None, job_name: str = "worker") -> None:
    """Programs run on this machine alone.

    Args:
        remote_host: the address of another machine.
        job_name: ignored.

    Raises:
        ValueError: if there is no address.
        tf.errors.UnavailableError: if there is one.
    """
    if not remote_host:
        raise ValueError("Must provide at least one remote_host")
    raise UnavailableError._of(f"No machine can be reached at {remote_host}")


def experimental_connect_to_cluster(
    cluster_spec_or_resolver: Any,
    job_name: str = "localhost",
    task_index: int = 0,
    protocol: str | None = None,
    make_master_device_default: bool = True,
    cluster_device_filters: object = None,
) -> None:
    """Does nothing for a cluster of this machine alone.

    Args:
        cluster_spec_or_resolver: the cluster: its jobs and the addresses of their machines.
        job_name: ignored.
        task_index: ignored.

    Raises:
        tf.errors.UnavailableError: if the cluster has several machines.
    """
    spec = cluster_spec_or_resolver
    if hasattr(spec, "cluster_spec"):
        spec = spec.cluster_spec()
    jobs = spec.as_dict() if hasattr(spec, "as_dict") else dict(spec or {})
    machines = [address for tasks in jobs.values() for address in tasks]
    if len(machines) > 1:
        raise UnavailableError._of(f"Only this machine can be used, not {machines}")
