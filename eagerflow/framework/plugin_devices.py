"""The devices of plugins as devices of this machine."""

from __future__ import annotations

import functools
from typing import Any

from eagerflow import errors
from eagerflow.framework import plugins
from eagerflow.framework.context import get_logger
from eagerflow.framework.device_table import PhysicalDevice

HOST = "XLA_CPU"


class PluginDevices:
    """Devices with memory of their own, from the installed plugins.

    The CPU's plugin has devices only for programs that ask for them by name, or that name the
    plugin in the environment. Most programs use it as a compiler.
    """

    def __init__(self) -> None:
        self._found: dict[PhysicalDevice, tuple[Any, int]] = {}

    def physical_devices(self) -> list[PhysicalDevice]:
        """The devices of accelerators, and of plugins that the environment names."""
        chosen = [each for each in plugins.installed() if each.from_environment or not each.is_cpu]
        return [device for plugin in chosen for device in self._devices_of(plugin)]

    def devices_of_kind(self, kind: str) -> list[PhysicalDevice]:
        """The devices that a program gets by asking for their kind.

        Args:
            kind: "XLA_CPU", for instance.
        """
        if kind != HOST:
            return []
        chosen = [each for each in plugins.installed() if each.is_cpu and not each.device_type]
        return [device for plugin in chosen for device in self._devices_of(plugin)]

    def make_logical(self, device: PhysicalDevice, configurations: Any) -> list[int]:
        """Adds a device to the engine's table, once for each of its configurations.

        Args:
            device: one of the devices above.
            configurations: those of `tf.config.set_logical_device_configuration`, or None.

        Returns:
            The rows.
        """
        client, index = self._found[device]
        limits = [each.memory_limit for each in configurations or ()] or [None]
        return [
            client.add_to_table(index, device.device_type, 0 if limit is None else limit << 20)
            for limit in limits
        ]

    def description(self, device: PhysicalDevice) -> str:
        """The plugin's description of a device."""
        client, index = self._found[device]
        return client.devices[index][1]

    def _devices_of(self, plugin: plugins.Plugin) -> list[PhysicalDevice]:
        client = _client_of(plugin)
        if client is None:
            return []
        kind = plugin.type_of_devices()
        own = [device for device, (other, _) in self._found.items() if other is client]
        if own:
            return own
        first = sum(device.device_type == kind for device in self._found)
        for index in range(len(client.devices)):
            device = PhysicalDevice(f"/physical_device:{kind}:{first + index}", kind)
            self._found[device] = (client, index)
            own.append(device)
        return own


@functools.cache
def _client_of(plugin: plugins.Plugin) -> Any:
    """The plugin's client; None, with a warning, if it cannot be used."""
    try:
        return plugin.client()
    except errors.OpError as error:
        get_logger().warning("Devices of %s will not be used. %s", plugin.name, error.message)
        return None
