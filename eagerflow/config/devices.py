"""The devices of this machine."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

PhysicalDevice = namedtuple("PhysicalDevice", ["name", "device_type"])
LogicalDevice = namedtuple("LogicalDevice", ["name", "device_type"])


class LogicalDeviceConfiguration:
    """How much of a physical device a logical one gets; for devices with memory of their own."""

    def __init__(
        self,
        memory_limit: int | None = None,
        experimental_priority: int | None = None,
        experimental_device_ordinal: int | None = None,
    ) -> None:
        self.memory_limit = memory_limit
        self.experimental_priority = experimental_priority
        self.experimental_device_ordinal = experimental_device_ordinal

    def __repr__(self) -> str:
        return (
            f"LogicalDeviceConfiguration(memory_limit={self.memory_limit}, "
            f"experimental_priority={self.experimental_priority}, "
            f"experimental_device_ordinal={self.experimental_device_ordinal})"
        )


_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")
_LOGICAL_CPU = LogicalDevice("/device:CPU:0", "CPU")


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of this machine that can be used.

    Args:
        device_type: "CPU" or "GPU"; by default all.

    >>> tf.config.list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return [_CPU] if device_type in (None, "CPU") else []


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that programs see.

    >>> tf.config.list_logical_devices("GPU")
    []
    """
    return [_LOGICAL_CPU] if device_type in (None, "CPU") else []


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices that are used: all of `list_physical_devices`."""
    return list_physical_devices(device_type)


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Chooses the devices to use; the CPU cannot be given up.

    Raises:
        ValueError: for a device that this machine does not have.
    """
    if devices is None:
        return
    for device in devices if isinstance(devices, list | tuple) and devices != _CPU else [devices]:
        if device != _CPU:
            raise _unrecognized(device)


def get_logical_device_configuration(device: PhysicalDevice) -> None:
    """None: the CPU is not divided."""
    checked(device)


def set_logical_device_configuration(
    device: PhysicalDevice, logical_devices: list[LogicalDeviceConfiguration]
) -> None:
    """Divides a device into several; the CPU can only stay whole.

    Raises:
        ValueError: for a device that this machine does not have, or a memory limit on the CPU.
    """
    checked(device)
    if any(part.memory_limit is not None for part in logical_devices):
        raise ValueError("Setting memory limit on CPU virtual devices is currently not supported")
    if len(logical_devices) > 1:
        raise ValueError("The CPU cannot be divided into several devices.")


def get_soft_device_placement() -> bool:
    """True: names of devices that do not exist stand for the CPU."""
    return True


def set_soft_device_placement(enabled: bool) -> None:
    """Does nothing; see `get_soft_device_placement`."""


def _unrecognized(device: Any) -> ValueError:
    return ValueError(
        f"Unrecognized device: {device!r}. tf.config.list_physical_devices() gives those there are."
    )


def checked(device: Any) -> PhysicalDevice:
    """The device, if this machine has it."""
    if device != _CPU:
        raise _unrecognized(device)
    return device
