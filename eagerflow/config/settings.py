"""Memory of devices, and settings of execution."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.config.devices import checked
from eagerflow.framework.context import process
from eagerflow.framework.device_spec import DeviceSpec
from eagerflow.framework.device_table import CPU, PhysicalDevice, table


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Lets functions of `tf.function` run as Python functions, operation by operation, to debug them.

    >>> tf.config.run_functions_eagerly(True)
    >>> tf.config.functions_run_eagerly()
    True
    >>> tf.config.run_functions_eagerly(False)
    """
    process.functions_eager = bool(run_eagerly)
    _core.pause_traced_calls(process.functions_eager)


def functions_run_eagerly() -> bool:
    """What `run_functions_eagerly` was given last; False at first."""
    return process.functions_eager


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Concerns devices with memory of their own.

    Raises:
        ValueError: for the CPU.
        RuntimeError: if devices have been used already.

    >>> for gpu in tf.config.list_physical_devices("GPU"):
    ...     tf.config.experimental.set_memory_growth(gpu, True)
    """
    if table.configurations.get(checked(device)) is not None:
        raise ValueError("Cannot set memory growth on device when virtual devices configured")
    if device == CPU:
        raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")
    if table.memory_growth.get(device, False) == bool(enable):
        return
    if table.fixed:
        raise RuntimeError("Physical devices cannot be modified after being initialized")
    table.memory_growth[device] = bool(enable)


def get_memory_growth(device: PhysicalDevice) -> bool:
    """Concerns devices with memory of their own.

    Raises:
        KeyError: for the CPU.
    """
    if checked(device) == CPU:
        raise KeyError(device)
    return table.memory_growth.get(device, False)


def _row(device: str) -> int:
    unclear = (
        f"Failed parsing device name: '{device}'. Note a valid device string should at least "
        'contain a device type and a device index, like "GPU:0".'
    )
    try:
        spec = DeviceSpec.from_string(device)
    except ValueError as error:
        raise ValueError(unclear) from error
    if spec.device_type is None or spec.device_index is None:
        raise ValueError(unclear)
    row = table.row(spec.device_type, spec.device_index)
    if row is None:
        raise ValueError(f"No matching devices found for '{device}'")
    return row


def get_memory_info(device: str) -> dict[str, int]:
    """Bytes of large blocks that tensors hold now, and the most they held.

    Args:
        device: "CPU:0", for instance. All CPUs share one memory.

    Raises:
        ValueError: if there is no such device, or the name does not say a type and an index.

    >>> sorted(tf.config.experimental.get_memory_info("CPU:0"))
    ['current', 'peak']
    """
    memory = _core.device_memory(_row(device))
    return {"current": memory["current"], "peak": memory["peak"]}


def get_memory_usage(device: str) -> int:
    """Bytes of large blocks that tensors hold now; see `get_memory_info`."""
    return get_memory_info(device)["current"]


def reset_memory_stats(device: str) -> None:
    """Lets the peak of `get_memory_info` start again from the present."""
    _core.reset_device_peak(_row(device))


def get_device_details(device: PhysicalDevice) -> dict[str, str]:
    """What is known of a device: nothing of the CPU, the vendor's name of others."""
    checked(device)
    return table.details(device)


def get_device_policy() -> str:
    """ "silent": there is one device."""
    return "silent"


def set_device_policy(device_policy: str | None) -> None:
    """Does nothing: there is one device."""


def get_synchronous_execution() -> bool:
    """True: an operation has run when its function returns."""
    return True


def set_synchronous_execution(enable: bool) -> None:
    """Does nothing; see `get_synchronous_execution`."""


class _Determinism:
    """Whether a program has asked for results that repeat, which they do in any case."""

    enabled = False


def enable_op_determinism() -> None:
    """Changes nothing: operations on one machine and number of threads repeat their results."""
    _Determinism.enabled = True


def disable_op_determinism() -> None:
    """Takes `enable_op_determinism` back."""
    _Determinism.enabled = False


def is_op_determinism_enabled() -> bool:
    """Whether `enable_op_determinism` was called last."""
    return _Determinism.enabled


def tensor_float_32_execution_enabled() -> bool:
    """False: products of float32 are computed in float32."""
    return False


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Does nothing; see `tensor_float_32_execution_enabled`."""


def enable_mlir_bridge() -> None:
    """Does nothing: there is no compiler to choose."""


def disable_mlir_bridge() -> None:
    """Does nothing: there is no compiler to choose."""


class ClusterDeviceFilters:
    """Which devices of a cluster each task sees; kept for programs that say so.

    >>> filters = tf.config.experimental.ClusterDeviceFilters()
    >>> filters.set_device_filters("worker", 0, ["/job:ps"])
    """

    def __init__(self) -> None:
        self._filters: dict[tuple[str, int], list[str]] = {}

    def set_device_filters(self, job_name: str, task_index: int, device_filters: list[Any]) -> None:
        """Lets a task see some devices only.

        Args:
            job_name: the name of its job.
            task_index: its number.
            device_filters: the beginnings of the devices' names.

        Raises:
            ValueError: if the filters are no list of names.
        """
        if not all(isinstance(name, str) for name in device_filters):
            raise ValueError("All device filters must be strings.")
        self._filters[job_name, task_index] = list(device_filters)
