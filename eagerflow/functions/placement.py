"""Whether the devices that a function asks for are there."""

from __future__ import annotations

from typing import Any

from eagerflow import errors
from eagerflow.framework.device_spec import DeviceSpec
from eagerflow.framework.device_table import table


def check_devices(graph: Any) -> None:
    """Raises an error if a function requests a device that does not exist.

    Under soft placement, which is the default, another device replaces it.

    Args:
        graph: the finished graph.

    Raises:
        tf.errors.InvalidArgumentError: which names the operation and the available devices.
    """
    if table.soft_placement:
        return
    for node in graph.nodes:
        if not node.device:
            continue
        spec = DeviceSpec.from_string(node.device)
        kind, index = spec.device_type, spec.device_index or 0
        if kind is None or table.row(kind, index) is not None:
            continue
        available = ", ".join(table.name(row) for row, _ in table.logical_rows())
        raise errors.InvalidArgumentError._of(
            f"Cannot assign a device for operation {node.name}: {{{{node {node.name}}}}} was "
            f"explicitly assigned to {node.device} but available devices are [ {available} ]. Make "
            "sure the device specification refers to a valid device."
        )
