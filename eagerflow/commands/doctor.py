"""`eagerflow doctor`: what a bug report needs to say about the machine and what is installed."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import sys
from pathlib import Path

import eagerflow
from eagerflow import _core, config, errors, version
from eagerflow.framework import plugins
from eagerflow.util import environment, own_code
from eagerflow.util.optional import PACKAGES

Section = dict[str, str | int | None]

# Other packages that change what a program does here.
_BESIDE = ("tensorflow", "tensorflow-cpu", "keras", "tf_keras", "jax", "torch")
# What the processor calls the instructions that kernels may use, on x86-64 and on Arm.
_INSTRUCTIONS = re.compile(r"sse4_\w+|avx\w*|fma|f16c|bmi2|amx\w+|asimd\w*|sve\w*|bf16|i8mm")
# Limits of a control group, of the second version and of the first.
_CONTROL_GROUPS = "/sys/fs/cgroup"
_UNLIMITED = 1 << 60


def report() -> dict[str, Section]:
    """What there is, by subject.

    >>> from eagerflow.commands import doctor
    >>> doctor.report()["eagerflow"]["version"] == tf.__version__
    True
    """
    return {
        "eagerflow": {
            "version": version.EAGERFLOW_VERSION,
            "API": f"TensorFlow {' and '.join(reversed(version.GENERATIONS.values()))}",
            "folder": os.path.dirname(eagerflow.__file__),
            "engine": _core.__file__,
            own_code.NEIGHBOR: "installed" if own_code.is_installed() else "missing",
        },
        "Python": {
            "version": f"{platform.python_version()} ({platform.python_implementation()})",
            "executable": sys.executable,
            "system": f"{_distribution()}{platform.platform()}",
        },
        "packages": _packages(),
        "extras": _extras(),
        "processor": {
            "name": _processor().get("model name") or platform.processor() or platform.machine(),
            "instructions": " ".join(_instructions()) or None,
            "kernels use": _core.isa(),
            "processors": os.cpu_count(),
            "usable by this process": _usable(),
            "quota of the control group": _quota(),
            "threads of an operation": _core.num_threads(),
        },
        "memory": _memory(),
        "devices": _devices(),
        "plugins": {plugin.name: plugin.path for plugin in plugins.installed()},
        "environment": _environment(),
    }


def as_text(sections: dict[str, Section]) -> str:
    """A report as aligned lines.

    >>> from eagerflow.commands import doctor
    >>> print(doctor.as_text({"memory": {"total": "8 GiB", "limit": None}}))
    memory
      total  8 GiB
      limit  none
    """
    blocks = []
    for title, section in sections.items():
        width = max(map(len, section), default=0) + 2
        lines = [
            f"  {key:{width}}{'none' if value is None else value}" for key, value in section.items()
        ]
        blocks.append("\n".join([title, *(lines or ["  none"])]))
    return "\n\n".join(blocks)


def _distribution() -> str:
    try:
        return f"{platform.freedesktop_os_release()['PRETTY_NAME']}, "
    except (OSError, KeyError):
        return ""


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _requirements() -> list[tuple[str, str | None]]:
    """The packages that eagerflow and its extras need, each with its extra, or None."""
    try:
        lines = importlib.metadata.requires("eagerflow") or []
    except importlib.metadata.PackageNotFoundError:  # a folder on the path
        return []
    found = []
    for line in lines:
        name, extra = re.match(r"[\w.-]+", line), re.search(r"extra == ['\"](\w+)", line)
        if name:
            found.append((name[0], extra[1] if extra else None))
    return found


def _packages() -> Section:
    needed: Section = {
        name: _version(name) or f"missing: pip install {name}"
        for name, extra in _requirements()
        if extra is None
    }
    return needed | {name: _version(name) for name in _BESIDE if _version(name)}


def _extras() -> Section:
    """What each extra has of its packages, and how to install the rest."""
    described: Section = {}
    for extra in sorted({extra for _, extra in PACKAGES.values()}):
        packages = [name for name, of in _requirements() if of == extra]
        versions = {name: _version(name) for name in packages}
        missing = [name for name, found in versions.items() if found is None]
        parts = [f"{name} {found}" for name, found in versions.items() if found]
        if missing:
            parts.append(f"missing: {' '.join(missing)} (pip install 'eagerflow[{extra}]')")
        described[extra] = ", ".join(parts)
    return described


def _processor() -> dict[str, str]:
    """What the system says about the first processor."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return {}
    pairs = (line.partition(":") for line in text.partition("\n\n")[0].splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}


def _instructions() -> list[str]:
    flags = _processor().get("flags") or _processor().get("Features") or ""
    return sorted(filter(_INSTRUCTIONS.fullmatch, flags.split()))


def _usable() -> int | None:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def _of_control_group(*files: str) -> str | None:
    """The first of some files of this process's control group that can be read."""
    try:
        groups = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return None
    for file in files:
        for group in groups:
            _, controllers, path = group.split(":", 2)
            # Inside of a container, the group may be the root of what is mounted.
            for folder in (f"{controllers}{path}", f"{controllers}"):
                try:
                    return Path(_CONTROL_GROUPS, folder, file).read_text().strip()
                except OSError:
                    continue
    return None


def _quota() -> str | None:
    """The processors that the control group may use at once."""
    quota = _core.processor_quota()
    return None if quota is None else f"{quota:g} processors"


def _memory() -> Section:
    sizes = {}
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            key, _, value = line.partition(":")
            sizes[key] = int(value.split()[0]) * 1024
    except OSError:
        pass
    limit = _of_control_group("memory.max", "memory.limit_in_bytes") or ""
    return {
        "total": _gibibytes(sizes.get("MemTotal")),
        "available": _gibibytes(sizes.get("MemAvailable")),
        "limit of the control group": _gibibytes(int(limit) if limit.isdigit() else None),
    }


def _gibibytes(size: int | None) -> str | None:
    return None if size is None or size > _UNLIMITED else f"{size / (1 << 30):.1f} GiB"


def _devices() -> Section:
    """The devices that programs see. This loads the plugins of accelerators."""
    try:
        devices = config.list_physical_devices()
    except (errors.OpError, ImportError, OSError) as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return {
        device.name: config.experimental.get_device_details(device).get("device_name", device[1])
        for device in devices
    }


def _environment() -> Section:
    """The variables that are set, and names that look like one and are none."""
    known = set(environment.names())
    found: Section = {name: os.environ[name] for name in environment.names() if name in os.environ}
    for name, value in sorted(os.environ.items()):
        if name.startswith("EAGERFLOW_") and name not in known:
            found[name] = f"{value} (eagerflow does not read this variable)"
    return found
