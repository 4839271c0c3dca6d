"""Plugins of accelerators: where they are, and what their devices are called.

A plugin is a shared library with the PJRT interface, by which vendors ship the compiler and runtime of
their devices. None is loaded before a program asks for one of its devices or for a compiled function.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eagerflow import _core, errors
from eagerflow.framework import device_table

# Paths of plugins, separated as in PATH. "GPU=/path" calls the devices of that one GPU:0, GPU:1, ...
VARIABLE = device_table.PLUGINS

# Names of devices, by the platform that their plugin reports.
_TYPES = {"cuda": "GPU", "rocm": "GPU", "gpu": "GPU", "sycl": "GPU", "metal": "GPU", "tpu": "TPU"}
_KIND = re.compile("[A-Z][A-Z0-9_]*")
_GROUPS = ("jax_plugins", "xla_plugins")


@dataclass(frozen=True)
class Plugin:
    """A plugin that is installed.

    Args:
        name: its entry point, or the name of its file.
        path: the shared library.
        device_type: the requested name of its devices' type, or None.
        options: those of the client.
        from_environment: whether the environment variable names it.
    """

    name: str
    path: str
    device_type: str | None = None
    options: dict[str, Any] = field(default_factory=dict, compare=False)
    from_environment: bool = False

    @property
    def is_cpu(self) -> bool:
        """Whether it is for the CPU; known before it is loaded."""
        return "cpu" in self.name

    def client(self) -> Any:
        """The client that runs programs on the plugin's devices. The first call loads the plugin.

        Raises:
            InvalidArgumentError: if devices cannot have the requested name.
            NotFoundError: if the library is missing, or cannot be loaded.
            FailedPreconditionError: if it has no devices, or another version of the interface.
            UnimplementedError: if this build has no accelerators.
        """
        kind = self.device_type
        if kind is not None and (kind == "CPU" or not _KIND.fullmatch(kind)):
            raise errors.InvalidArgumentError._of(
                f"{VARIABLE} calls them {kind!r}: what devices are called has capital letters, digits "
                "and underscores, as GPU has, and CPU is the host's."
            )
        if not self.path:
            raise errors.NotFoundError._of(
                f"{VARIABLE} names no file of a shared library for {self.name!r}."
            )
        return _core.pjrt.load(self.path, self.options)

    def type_of_devices(self) -> str:
        """ "GPU", "TPU", or "XLA_CPU": the kind in the names of its devices."""
        if self.device_type:
            return self.device_type
        platform = self.client().platform.lower()
        return "XLA_CPU" if platform in ("cpu", "host") else _TYPES.get(platform, platform.upper())


def installed() -> list[Plugin]:
    """The plugins that the environment variable names, then those of installed packages, each once.

    >>> [plugin.name for plugin in installed()]  # doctest: +SKIP
    ['xla_cpu_pjrt']
    """
    plugins: dict[str, Plugin] = {}
    for entry in os.environ.get(VARIABLE, "").split(os.pathsep):
        if entry:
            kind, _, path = entry.rpartition("=")
            plugin = Plugin(Path(path).name or entry, path, kind or None, from_environment=True)
            plugins.setdefault(path, plugin)
    for plugin in _of_packages():
        plugins.setdefault(plugin.path, plugin)
    return list(plugins.values())


@functools.cache
def _of_packages() -> tuple[Plugin, ...]:
    plugins = []
    for name, module in _entry_points():
        library = _library_in(module)
        if library is not None:
            plugins.append(Plugin(name, str(library)))
    libtpu = _library_in("libtpu")
    if libtpu is not None:
        plugins.append(Plugin("libtpu", str(libtpu)))
    return tuple(plugins)


def _entry_points() -> list[tuple[str, str]]:
    """The entry points of the groups of plugins: names and modules.

    It reads the files itself: `importlib.metadata` would take longer than all else that a program's
    first tensor needs.
    """
    found: dict[str, list[tuple[str, str, str]]] = {}
    for folder in sys.path:
        with contextlib.suppress(OSError):
            for package in os.listdir(folder or "."):
                if package.endswith((".dist-info", ".egg-info")):
                    entries = _entries_in(os.path.join(folder, package, "entry_points.txt"))
                    if entries:  # the first of two versions on the path counts
                        found.setdefault(package.partition("-")[0], entries)
    entries = [entry for name in sorted(found) for entry in found[name]]
    return [
        (name, module) for wanted in _GROUPS for group, name, module in entries if group == wanted
    ]


def _entries_in(path: str) -> list[tuple[str, str, str]]:
    """Group, name and module of the entry points in a file that has plugins."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError:
        return []
    found: list[tuple[str, str, str]] = []
    if not any(group.encode() in content for group in _GROUPS):
        return found
    group = ""
    for line in content.decode(errors="replace").splitlines():
        name, equals, target = line.partition("=")
        if equals:
            module = target.partition(":")[0].partition("[")[0]
            found.append((group, name.strip(), module.strip()))
        elif line.startswith("["):
            group = line.strip("[] \t")
    return found


def _library_in(module: str) -> Path | None:
    """The plugin among the files of a package, which is not imported."""
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return None
    for folder in (spec and spec.submodule_search_locations) or ():
        for library in sorted(Path(folder).glob("*.so")):
            if any(word in library.name for word in ("pjrt", "plugin", "libtpu")):
                return library
    return None


def compiler() -> tuple[Any, int]:
    """The client and device that functions with `jit_compile=True` run on, on the CPU.

    Raises:
        NotFoundError: if no plugin for the CPU is installed.
        UnimplementedError: if this build has no accelerators.
    """
    for plugin in installed():
        if plugin.is_cpu:
            return plugin.client(), 0
    raise errors.NotFoundError._of(
        "No compiler is installed: `pip install xla-cpu-pjrt` brings XLA for the CPU, and "
        f"{VARIABLE} names other plugins."
    )
