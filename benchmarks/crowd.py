"""What keeps the processors from a measurement: other processes, or a limit of processor time."""

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

# A product in the caches of one processor, over and over.
BUSY = "import numpy as np; a = np.ones((200, 200), 'f')\nwhile True: a @ a"
PERIOD = 100_000  # microseconds, the kernel's own choice
# Where Linux has groups of processes: by the first version of their interface, or the second.
GROUPS = (Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup"))


class NotAllowedError(RuntimeError):
    """This machine does not let us do it."""


@contextmanager
def busy_processes() -> Iterator[None]:
    """As many busy processes as processors, of one thread each, while the context lasts."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", BUSY]
    others = [subprocess.Popen(command, env=environment) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


@contextmanager
def half_the_time(processes: Iterable[int]) -> Iterator[None]:
    """Gives each process half of the processors' time while the context lasts, as containers do.

    Args:
        processes: their numbers. Threads that they start later are limited, too.
    """
    groups: dict[int, Path] = {}
    try:
        for process in processes:
            groups[process] = limited_group(f"eagerflow-benchmark-{process}")
            (groups[process] / "cgroup.procs").write_text(str(process))
        yield
    except OSError as error:
        raise NotAllowedError(f"processor time cannot be limited here: {error}") from error
    finally:
        for process, group in groups.items():
            (group.parent / "cgroup.procs").write_text(str(process))
            group.rmdir()


def limited_group(name: str) -> Path:
    """A new group of processes, which gets half of the processors' time."""
    quota = (os.cpu_count() or 1) * PERIOD // 2
    parent = next((parent for parent in GROUPS if parent.is_dir()), None)
    if parent is None:
        raise NotAllowedError("this system has no groups of processes")
    group = parent / name
    group.mkdir()
    if (group / "cpu.cfs_quota_us").exists():
        (group / "cpu.cfs_period_us").write_text(str(PERIOD))
        (group / "cpu.cfs_quota_us").write_text(str(quota))
    else:
        (group / "cpu.max").write_text(f"{quota} {PERIOD}")
    return group
