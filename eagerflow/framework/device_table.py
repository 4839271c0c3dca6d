"""The devices of this process: what the machine has, and what programs see of it.

Physical devices are divided into logical ones once, when a program first asks for a device or has made a
tensor. After that nothing about them can be changed.
"""

from __future__ import annotations

import threading
from collections import namedtuple
from typing import Any, Protocol

from eagerflow import _core, errors
from eagerflow.framework.device_spec import DeviceSpec

PhysicalDevice = namedtuple("PhysicalDevice", ["name", "device_type"])
LogicalDevice = namedtuple("LogicalDevice", ["name", "device_type"])

CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")


class Provider(Protocol):
    """Devices of other kinds than the CPU."""

    def physical_devices(self) -> list[PhysicalDevice]:
        """The devices of the machine."""
        ...

    def make_logical(self, device: PhysicalDevice, configurations: Any) -> None:
        """Adds the rows of a visible device to the engine's table.

        Args:
            device: the device.
            configurations: those of `tf.config.set_logical_device_configuration`, or None.
        """
        ...


class DeviceTable:
    """What is configured, and the rows of the engine's table once they are made."""

    def __init__(self) -> None:
        self.providers: list[Provider] = []
        self.configurations: dict[PhysicalDevice, list[Any]] = {}
        self.memory_growth: dict[PhysicalDevice, bool] = {}
        self.soft_placement = True
        self._visible: list[PhysicalDevice] | None = None
        self._made = False
        self._lock = threading.Lock()
        self._names: list[str] = []
        self._rows: dict[tuple[str, int], int] = {}

    def physical_devices(self) -> list[PhysicalDevice]:
        """All devices of the machine, the CPU first."""
        return [CPU, *(device for each in self.providers for device in each.physical_devices())]

    @property
    def visible(self) -> list[PhysicalDevice]:
        """The devices that are used."""
        return self.physical_devices() if self._visible is None else list(self._visible)

    @visible.setter
    def visible(self, devices: list[PhysicalDevice]) -> None:
        self._visible = devices

    @property
    def fixed(self) -> bool:
        """Whether it is too late to configure devices."""
        return self._made or _core.has_allocated()

    def make(self) -> None:
        """Makes the logical devices, if that has not been done."""
        if self._made:
            return
        with self._lock:
            if self._made:
                return
            for _ in self.configurations.get(CPU, ())[1:]:
                _core.add_cpu_device()
            for provider in self.providers:
                for device in provider.physical_devices():
                    if device in self.visible:
                        provider.make_logical(device, self.configurations.get(device))
            self._read()
            self._made = True

    def _read(self) -> None:
        rows = _core.device_table()
        self._rows = {(kind, index): row for row, (kind, index, _) in enumerate(rows)}
        self._names = [name for _, _, name in rows]

    def logical_devices(self) -> list[LogicalDevice]:
        """The devices that programs see."""
        self.make()
        kinds = {device.device_type for device in self.visible}
        return [
            LogicalDevice(f"/device:{kind}:{index}", kind)
            for kind, index in self._rows
            if kind in kinds
        ]

    def name(self, row: int) -> str:
        """The full name of a device.

        >>> from eagerflow.framework.device_table import table
        >>> table.name(0)
        '/job:localhost/replica:0/task:0/device:CPU:0'
        """
        if row >= len(self._names):
            self._read()
        return self._names[row]

    def row(self, kind: str, index: int) -> int | None:
        """The row of a device, or None if there is none."""
        self.make()
        return self._rows.get((kind, index))

    def row_of(self, spec: DeviceSpec) -> int:
        """The row of the device on which operations run that are asked to run on a spec.

        Under soft placement, the CPU stands for devices that are not there.

        Args:
            spec: any parts of a name.

        Returns:
            The row, or -1 for the default device.

        Raises:
            tf.errors.InvalidArgumentError: if there is no such device.
        """
        self.make()
        if spec.device_type is None and is_local(spec):
            return -1
        full = DeviceSpec("localhost", 0, 0, "CPU", 0).make_merged_spec(spec)
        if full.device_index < 0:  # type: ignore[operator]
            raise errors.InvalidArgumentError(
                None, None, f"Malformed device specification '{full.to_string()}'"
            )
        if not is_local(spec):
            raise errors.InvalidArgumentError(None, None, f"{full.to_string()} unknown device.")
        row = self._rows.get((full.device_type, full.device_index))  # type: ignore[arg-type]
        if row is not None:
            return row
        if self.soft_placement:
            return 0
        kinds = ", ".join(dict.fromkeys(kind for kind, _ in self._rows))
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Could not satisfy device specification '{full.to_string()}'. "
            f"enable_soft_placement=0. Supported device types [{kinds}]. "
            f"All available devices [{', '.join(self._names)}].",
        )


def is_local(spec: DeviceSpec) -> bool:
    """Whether a name is that of a device of this process."""
    return spec.job in (None, "localhost") and not spec.replica and not spec.task


table = DeviceTable()
