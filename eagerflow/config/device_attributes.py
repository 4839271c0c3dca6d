"""The devices of this machine, as TensorFlow's `device_lib` lists them."""

from __future__ import annotations

import os
from dataclasses import dataclass

from eagerflow import _core
from eagerflow.framework.device_table import table


@dataclass(frozen=True, repr=False)
class DeviceAttributes:
    """What is known of a device."""

    name: str
    device_type: str
    memory_limit: int
    incarnation: int
    physical_device_desc: str

    def __repr__(self) -> str:
        description = self.physical_device_desc
        described = f'physical_device_desc: "{description}"\n' if description else ""
        return (
            f'name: "{self.name}"\ndevice_type: "{self.device_type}"\n'
            f"memory_limit: {self.memory_limit}\nlocality {{\n}}\n"
            f"incarnation: {self.incarnation}\n{described}xla_global_id: -1\n"
        )


def list_local_devices(session_config: object = None) -> list[DeviceAttributes]:
    """The devices of this machine that programs see, the CPU first."""
    return [
        DeviceAttributes(
            device.name,
            device.device_type,
            _core.device_memory(row)["limit"] or _host_memory(),
            hash(table.name(row)) & (2**63 - 1),
            table.descriptions.get(row, ""),
        )
        for row, device in table.logical_rows()
    ]


def _host_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 256 << 20
