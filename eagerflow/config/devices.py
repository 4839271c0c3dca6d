"""The devices of this machine."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from eagerflow.framework.device_table import CPU, LogicalDevice, PhysicalDevice, table

__all__ = ["LogicalDevice", "PhysicalDevice"]

_Configuration = namedtuple(
    "_Configuration", ["memory_limit", "experimental_priority", "experimental_device_ordinal"]
)


class LogicalDeviceConfiguration(_Configuration):
    """How much of a physical device a logical one gets.

    Args:
        memory_limit: bytes; for devices with memory of their own.
        experimental_priority: the priority of what runs on it, for GPUs.
        experimental_device_ordinal: its place among the logical devices, for GPUs.

    >>> tf.config.LogicalDeviceConfiguration(memory_limit=1024).memory_limit
    1024
    """

    def __new__(
        cls,
        memory_limit: int | None = None,
        experimental_priority: int | None = None,
        experimental_device_ordinal: int | None = None,
    ) -> LogicalDeviceConfiguration:
        return super().__new__(
            cls, memory_limit, experimental_priority, experimental_device_ordinal
        )


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of this machine that can be used.

    Args:
        device_type: "CPU" or "GPU"; by default all. "XLA_CPU" are those of XLA's plugin for the
            CPU, which are used if a program names them.

    >>> tf.config.list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    if device_type is None:
        return table.physical_devices()
    return table.physical_devices_of(device_type)


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that programs see, which cannot be changed after this.

    Args:
        device_type: "CPU" or "GPU"; by default all.

    >>> tf.config.list_logical_devices("GPU")
    []
    """
    return table.logical_devices(device_type)


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices that are used: all, unless `set_visible_devices` has said others.

    Args:
        device_type: "CPU" or "GPU"; by default all.
    """
    return _of_type(table.visible, device_type)


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Chooses the devices to use.

    Args:
        devices: a device, a list of them, or an empty list for none.
        device_type: "CPU" or "GPU" if the choice is among these only.

    Raises:
        ValueError: for a device that this machine does not have, or that is of another type.
        RuntimeError: if devices have been used already.
    """
    if devices is None:
        devices = []
    elif isinstance(devices, PhysicalDevice) or not isinstance(devices, list | tuple):
        devices = [devices]
    for device in devices:
        if device_type not in (None, checked(device).device_type):
            raise _unrecognized(device)
    others = [d for d in table.visible if device_type is not None and d.device_type != device_type]
    chosen = [*others, *devices]
    if chosen == table.visible:
        return
    if table.fixed:
        raise RuntimeError("Visible devices cannot be modified after being initialized")
    table.visible = chosen


def get_logical_device_configuration(
    device: PhysicalDevice,
) -> list[LogicalDeviceConfiguration] | None:
    """How a device is divided; None if that was not said.

    Args:
        device: one of `list_physical_devices`.

    Raises:
        ValueError: for a device that this machine does not have.
    """
    return table.configurations.get(checked(device))


def set_logical_device_configuration(
    device: PhysicalDevice, logical_devices: list[LogicalDeviceConfiguration]
) -> None:
    """Divides a device into several.

    Logical CPUs compute on the same processors, and share their memory.

    Args:
        device: one of `list_physical_devices`.
        logical_devices: a configuration for each part.

    Raises:
        ValueError: for a device that this machine does not have, or a configuration of a CPU that
            says more than that it is there.
        RuntimeError: if devices have been used already.

    >>> cpu = tf.config.list_physical_devices("CPU")[0]
    >>> halves = [tf.config.LogicalDeviceConfiguration(), tf.config.LogicalDeviceConfiguration()]
    >>> try:
    ...     tf.config.set_logical_device_configuration(cpu, halves)
    ... except RuntimeError as error:
    ...     print(error)  # tensors have been made before
    Virtual devices cannot be modified after being initialized
    """
    checked(device)
    if device == CPU:
        for part in logical_devices:
            if part.memory_limit is not None:
                raise ValueError(
                    "Setting memory limit on CPU virtual devices is currently not supported"
                )
            for name in ("experimental_priority", "experimental_device_ordinal"):
                if getattr(part, name) is not None:
                    raise ValueError(
                        f"Setting {name} on CPU virtual  devices is currently not supported"
                    )
    parts = list(logical_devices)
    if table.configurations.get(device) == parts:
        return
    if table.fixed:
        raise RuntimeError("Virtual devices cannot be modified after being initialized")
    table.configurations[device] = parts


def get_soft_device_placement() -> bool:
    """Whether the CPU stands for devices that do not exist.

    >>> tf.config.get_soft_device_placement()
    True
    """
    return table.soft_placement


def set_soft_device_placement(enabled: bool) -> None:
    """Sets whether the CPU stands for devices that do not exist.

    Args:
        enabled: False makes them errors.
    """
    table.soft_placement = bool(enabled)


def _of_type(devices: list[PhysicalDevice], device_type: str | None) -> list[Any]:
    return [each for each in devices if device_type in (None, each.device_type)]


def _unrecognized(device: Any) -> ValueError:
    return ValueError(
        f"Unrecognized device: {device!r}. tf.config.list_physical_devices() gives those there are."
    )


def checked(device: Any) -> PhysicalDevice:
    """The device, if this machine has it."""
    if device not in list_physical_devices(getattr(device, "device_type", None)):
        raise _unrecognized(device)
    return device
