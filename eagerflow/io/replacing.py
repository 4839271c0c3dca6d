"""Files that replace others only when they are complete."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator

from eagerflow.io.os_errors import make_folder, translated
from eagerflow.util.descriptors import NO_LINKS, OWN, lock

_LOCK = "lock"
_LONGEST = 200  # bytes of a name; the system allows 255, including prefix and suffix
_ABANDONED = 600.0  # seconds after which a folder without a lock is abandoned


@contextlib.contextmanager
def beside(path: str) -> Iterator[str]:
    """A context with a new folder next to a path, for files that are to be renamed to it.

    The folder is removed at the end. Folders that killed processes left for the same path are removed
    first: a lock, which ends with its process, marks the folders in use.
    """
    folder, name = os.path.split(path)
    start = f".{os.fsdecode(os.fsencode(name)[:_LONGEST])}.saving-"
    with translated(path):
        _remove_abandoned(folder or ".", start)
        own, held = _locked_folder(folder or ".", start)
    try:
        yield own
    finally:
        _remove_locked(own, held)


def _locked_folder(folder: str, start: str) -> tuple[str, int]:
    """A new folder, and the descriptor that holds its lock."""
    while True:
        own = os.path.join(folder, start + os.urandom(6).hex())
        path = os.path.join(own, _LOCK)
        os.mkdir(own, 0o700)
        try:
            held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | OWN, 0o600)
        except FileNotFoundError:
            continue
        # Another process may have removed the folder as abandoned before it was locked.
        if lock(held) is not False and os.path.exists(path):
            return own, held
        os.close(held)


def _remove_locked(folder: str, held: int) -> None:
    """Removes a folder while its lock is held, where open files can be removed."""
    import shutil  # programs that only read checkpoints do not need it

    if os.name == "nt":
        os.close(held)
    shutil.rmtree(folder, ignore_errors=True)
    if os.name != "nt":
        os.close(held)


def _remove_abandoned(folder: str, start: str) -> None:
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        if name.startswith(start):
            with contextlib.suppress(OSError):
                _remove_if_abandoned(os.path.join(folder, name))


def _remove_if_abandoned(path: str) -> None:
    try:
        held = os.open(os.path.join(path, _LOCK), os.O_RDWR | NO_LINKS | OWN)
    except FileNotFoundError:
        # Its process was killed before it made the lock, or is about to make it.
        if time.time() - os.stat(path).st_mtime > _ABANDONED:
            os.rmdir(path)
        return
    if lock(held):
        _remove_locked(path, held)
    else:
        os.close(held)


@contextlib.contextmanager
def replaced(path: str) -> Iterator[str]:
    """A context with another path to write to, which replaces `path` at its end.

    A symbolic link stays, and its target is replaced. The new file has the
    permissions of the old one.
    """
    if os.path.islink(path):
        path = os.path.realpath(path)
    folder, name = os.path.split(path)
    if folder:
        make_folder(folder)
    with beside(path) as own:
        temporary = os.path.join(own, name)
        yield temporary
        with translated(path):
            with contextlib.suppress(FileNotFoundError):
                os.chmod(temporary, os.stat(path).st_mode & 0o777)
            os.replace(temporary, path)
