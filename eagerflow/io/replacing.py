"""Files that take the place of others only when they are complete."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator

from eagerflow.io.os_errors import translated


def new_file_mode() -> int:
    """The permissions that a new file gets; temporary ones are made for their owner alone."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@contextlib.contextmanager
def replaced(path: str) -> Iterator[str]:
    """A context that gives another path to write to, which takes the place of `path` at its end."""
    folder = os.path.dirname(path)
    with translated(path):
        if folder:
            os.makedirs(folder, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=os.path.basename(path), dir=folder or ".")
        os.close(handle)
    try:
        yield temporary
        os.chmod(temporary, new_file_mode())
        with translated(path):
            os.replace(temporary, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
