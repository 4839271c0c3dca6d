"""What the machine offers and how the engine uses it."""

from typing import Any

from eagerflow.config import experimental, optimizer, threading
from eagerflow.config.devices import (
    LogicalDevice,
    LogicalDeviceConfiguration,
    PhysicalDevice,
    get_logical_device_configuration,
    get_soft_device_placement,
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    set_logical_device_configuration,
    set_soft_device_placement,
    set_visible_devices,
)
from eagerflow.errors import UnavailableError
from eagerflow.framework.context import process

__all__ = [
    "LogicalDevice",
    "LogicalDeviceConfiguration",
    "PhysicalDevice",
    "experimental",
    "experimental_connect_to_cluster",
    "experimental_connect_to_host",
    "experimental_functions_run_eagerly",
    "experimental_run_functions_eagerly",
    "functions_run_eagerly",
    "get_logical_device_configuration",
    "get_soft_device_placement",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "optimizer",
    "run_functions_eagerly",
    "set_logical_device_configuration",
    "set_soft_device_placement",
    "set_visible_devices",
    "threading",
]


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Lets functions of `tf.function` draw random numbers as the rest of a program does.

    Functions run operation by operation in any case. By default their random operations draw as
    those of a traced function: each from a stream of its own.

    >>> tf.config.run_functions_eagerly(True)
    >>> tf.config.functions_run_eagerly()
    True
    >>> tf.config.run_functions_eagerly(False)
    """
    process.functions_eager = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """What `run_functions_eagerly` was given last; False at first."""
    return process.functions_eager


experimental_run_functions_eagerly = run_functions_eagerly
experimental_functions_run_eagerly = functions_run_eagerly


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
    raise UnavailableError(None, None, f"No machine can be reached at {remote_host}")


def experimental_connect_to_cluster(
    cluster_spec_or_resolver: Any,
    job_name: str = "localhost",
    task_index: int = 0,
    protocol: str | None = None,
    make_master_device_default: bool = True,
    cluster_device_filters: Any = None,
) -> None:
    """Does nothing for a cluster of this machine alone.

    Args:
        cluster_spec_or_resolver: the cluster: its jobs and the addresses of their machines.
        job_name: ignored.
        task_index: ignored.
        protocol: ignored.
        make_master_device_default: ignored.
        cluster_device_filters: ignored.

    Raises:
        tf.errors.UnavailableError: if the cluster has several machines.
    """
    spec = cluster_spec_or_resolver
    if hasattr(spec, "cluster_spec"):
        spec = spec.cluster_spec()
    jobs = spec.as_dict() if hasattr(spec, "as_dict") else dict(spec or {})
    machines = [address for tasks in jobs.values() for address in tasks]
    if len(machines) > 1:
        raise UnavailableError(None, None, f"Only this machine can be used, not {machines}")
