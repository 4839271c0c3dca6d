"""The devices of this process: the machine's, and the logical devices that programs see.

Physical devices are divided into logical ones once, when a program first asks for a device or has made a
tensor. After that nothing about them can be changed.
"""

from __future__ import annotations

import importlib.util
import os
import threading
from collections import namedtuple
from typing import Any, Protocol

from eagerflow import _core, errors
from eagerflow.framework.device_spec import DeviceSpec
from eagerflow.util import lazy

# Lists the installed packages, which machines without accelerators need not do.
plugin_devices = lazy.Module("eagerflow.framework.plugin_devices")

PhysicalDevice = namedtuple("PhysicalDevice", ["name", "device_type"])
LogicalDevice = namedtuple("LogicalDevice", ["name", "device_type"])

# The variable that names plugins of accelerators, and packages with such plugins (plugins.py).
PLUGINS = "EAGERFLOW_PJRT_PLUGINS"
PLUGIN_PACKAGES = ("jax_plugins", "xla_plugins", "libtpu")

CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")


class Provider(Protocol):
    """Devices of other kinds than the CPU."""

    def physical_devices(self) -> list[PhysicalDevice]:
        """The devices of the machine."""
        ...

    def devices_of_kind(self, kind: str) -> list[PhysicalDevice]:
        """Devices that are not used unless a program asks for their kind."""
        ...

    def make_logical(self, device: PhysicalDevice, configurations: object) -> list[int]:
        """Adds the rows of a visible device to the engine's table, and returns them.

        Args:
            device: the device.
            configurations: those of `tf.config.set_logical_device_configuration`, or None.
        """
        ...

    def description(self, device: PhysicalDevice) -> str:
        """The vendor's name of the device."""
        ...


class DeviceTable:
    """The configuration, and the rows of the engine's table once they exist."""

    def __init__(self) -> None:
        self.providers: list[Provider] = (
            [plugin_devices.PluginDevices()] if _may_have_plugins() else []
        )
        self.configurations: dict[PhysicalDevice, list[Any]] = {}
        self.memory_growth: dict[PhysicalDevice, bool] = {}
        self.soft_placement = True
        self._visible: list[PhysicalDevice] | None = None
        self._made = False
        self._reopened = False
        self._lock = threading.Lock()
        self._names: list[str] = []
        self._rows: dict[tuple[str, int], int] = {}
        self.descriptions: dict[int, str] = {}  # of devices other than the CPU, by row
        self._asked: list[str] = []  # kinds of devices that programs requested by name
        if self.providers:
            _core.find_devices_later(self.make)

    def physical_devices(self) -> list[PhysicalDevice]:
        """The devices that are used unless a program says otherwise, the CPU first."""
        return [CPU, *(device for each in self.providers for device in each.physical_devices())]

    def physical_devices_of(self, kind: str) -> list[PhysicalDevice]:
        """All devices of a kind."""
        usual = [device for device in self.physical_devices() if device.device_type == kind]
        return usual or [d for each in self.providers for d in each.devices_of_kind(kind)]

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
        return self._made or (_core.has_allocated() and not self._reopened)

    def reopen(self) -> None:
        """Lets a program configure devices again; those that were made stay."""
        self.configurations.clear()
        self._made = False
        self._reopened = True

    def make(self) -> None:
        """Creates the logical devices unless they exist."""
        if self._made:
            return
        with self._lock:
            if self._made:
                return
            made = sum(kind == "CPU" for kind, _, _ in _core.device_table())
            for _ in self.configurations.get(CPU, ())[made:]:
                _core.add_cpu_device()
            visible = self.visible
            for provider in [] if self._reopened else self.providers:
                for device in provider.physical_devices():
                    if device in visible:
                        self._add(provider, device)
            self._read()
            accelerators = [(k, 0) for k in ("GPU", "TPU") if (k, 0) in self._rows]
            if accelerators:
                _core.set_default_device(self._rows[accelerators[0]])
            _core.find_devices_later(None)
            self._made = True

    def _add(self, provider: Provider, device: PhysicalDevice) -> None:
        for row in provider.make_logical(device, self.configurations.get(device)):
            self.descriptions[row] = provider.description(device)

    def _make_kind(self, kind: str) -> None:
        with self._lock:
            if kind in self._asked:
                return
            for provider in self.providers:
                for device in provider.devices_of_kind(kind):
                    self._add(provider, device)
            self._read()
            self._asked.append(kind)

    def _read(self) -> None:
        rows = _core.device_table()
        self._rows = {(kind, index): row for row, (kind, index, _) in enumerate(rows)}
        self._names = [name for _, _, name in rows]

    def logical_devices(self, kind: str | None = None) -> list[LogicalDevice]:
        """The devices that programs see: those of a kind, or those that are used unless named."""
        self.make()
        kinds = {device.device_type for device in self.visible} if kind is None else {kind}
        if kind is not None:
            self.row(kind, 0)
        return [device for _, device in self.logical_rows() if device.device_type in kinds]

    def details(self, device: PhysicalDevice) -> dict[str, str]:
        """The details of a device of this machine; none for the CPU."""
        if device == CPU:
            return {}
        for provider in self.providers:
            if device in (*provider.physical_devices(), *provider.devices_of_kind(device[1])):
                return {"device_name": provider.description(device)}
        return {}

    def logical_rows(self) -> list[tuple[int, LogicalDevice]]:
        """The devices that programs see, with their rows, and those that they have named."""
        self.make()
        kinds = {*self._asked, *(device.device_type for device in self.visible)}
        return [
            (row, LogicalDevice(f"/device:{kind}:{index}", kind))
            for (kind, index), row in self._rows.items()
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
        if (kind, 0) not in self._rows and kind not in self._asked:
            self._make_kind(kind)
        return self._rows.get((kind, index))

    def row_of(self, spec: DeviceSpec) -> int:
        """The row of the device that runs the operations requested for a spec.

        Under soft placement, the first device of the kind, or else the CPU, replaces devices that
        do not exist.

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
            raise errors.InvalidArgumentError._of(
                f"Malformed device specification '{full.to_string()}'"
            )
        if not is_local(spec):
            raise errors.InvalidArgumentError._of(f"{full.to_string()} unknown device.")
        row = self.row(full.device_type, full.device_index)  # type: ignore[arg-type]
        if row is not None:
            return row
        if self.soft_placement:
            return self._rows.get((full.device_type, 0), 0)  # type: ignore[arg-type]
        kinds = ", ".join(dict.fromkeys(kind for kind, _ in self._rows))
        raise errors.InvalidArgumentError._of(
            f"Could not satisfy device specification '{full.to_string()}'. "
            f"enable_soft_placement=0. Supported device types [{kinds}]. "
            f"All available devices [{', '.join(self._names)}]."
        )


def is_local(spec: DeviceSpec) -> bool:
    """Whether a name is that of a device of this process."""
    return spec.job in (None, "localhost") and not spec.replica and not spec.task


def _may_have_plugins() -> bool:
    """Whether there may be plugins of accelerators, judged by the names of a few folders."""
    return bool(os.environ.get(PLUGINS)) or any(
        importlib.util.find_spec(module) is not None for module in PLUGIN_PACKAGES
    )


table = DeviceTable()
