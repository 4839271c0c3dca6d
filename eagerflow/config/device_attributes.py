"""The devices of this machine, as TensorFlow's `device_lib` lists them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

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
        return (
            f'name: "{self.name}"\ndevice_type: "{self.device_type}"\n'
            f"memory_limit: {self.memory_limit}\nlocality {{\n}}\n"
            f"incarnation: {self.incarnation}\nxla_global_id: -1\n"
        )


def list_local_devices(session_config: Any = None) -> list[DeviceAttributes]:
    """The devices of this machine: the CPU."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        memory = 256 << 20
    return [DeviceAttributes("/device:CPU:0", "CPU", memory, hash(table.name(0)) & (2**63 - 1), "")]
