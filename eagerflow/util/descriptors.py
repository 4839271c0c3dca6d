"""Files by their descriptors, where systems differ."""

from __future__ import annotations

import errno
import os
import sys

if sys.platform == "win32":
    import msvcrt

    # Child processes inherit neither, and bytes are not changed.
    OWN = os.O_NOINHERIT | os.O_BINARY
    NO_LINKS = 0
    AT_ONCE = 0
else:
    import fcntl

    OWN = os.O_CLOEXEC
    NO_LINKS = os.O_NOFOLLOW
    # Opening a named pipe does not wait for its other end, nor a terminal for its line.
    AT_ONCE = os.O_NONBLOCK | os.O_NOCTTY


def lock(descriptor: int) -> bool | None:
    """Whether a file could be locked, until it is closed; None where locks are unknown."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return False if error.errno in (errno.EWOULDBLOCK, errno.EACCES) else None
    return True
