"""The memory that this process has, and has had at most. Linux only."""

import resource
from pathlib import Path


def peak() -> int:
    """The most memory that this process has had, in bytes.

    `getrusage` would count what the process had before it ran another program.
    """
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) << 10


def forget_peak() -> int:
    """Measures the most memory anew; returns what is used now."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak()


def data_bytes() -> int:
    """The memory that counts for RLIMIT_DATA."""
    return int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
