"""Messages between two processes, whose arrays pass through shared memory.

A pipe carries small parts. The buffers of large arrays are copied into a slot of shared memory, and
read from there. A sender uses its slots in turn, so a slot must have been read before so many further
messages are sent. Slots are named before they exist: whoever ends a process can remove what it has
left behind.
"""

from __future__ import annotations

import contextlib
import errno
import os
import pickle
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.shared_memory import SharedMemory
from typing import Any

# Smaller buffers are pickled: for them, a copy costs less than two addresses.
_LARGE = 1 << 14
# Buffers begin at multiples of this many bytes, as NumPy's own.
_ALIGNMENT = 64
# The folder of shared memory where it is a file system, which may be full.
_FOLDER = "/dev/shm"


class Channel:
    """One end of a pipe.

    Args:
        connection: the end of a pipe of both directions.
        name: begins the names of the slots that this end writes.
        other: begins the names of those that the other end writes.
        slots: how many messages may be on their way in one direction.
    """

    def __init__(self, connection: Connection, name: str, other: str, slots: int) -> None:
        self.connection = connection
        self._name = name
        self._other = other
        self._written: list[SharedMemory | None] = [None] * slots
        self._read: list[SharedMemory | None] = [None] * slots
        self._turn = 0

    def send(self, value: object) -> None:
        """Sends a value.

        Raises:
            Exception: if it cannot be pickled; nothing has been sent then.
            OSError: if the other process has ended.
        """
        large: list[memoryview] = []

        def is_small(buffer: pickle.PickleBuffer) -> bool:
            raw = buffer.raw()
            if raw.nbytes < _LARGE:
                return True
            large.append(raw)
            return False

        pickled = pickle.dumps(value, protocol=5, buffer_callback=is_small)
        if not large:
            self.connection.send((pickled, None, False, []))
            return
        slot, self._turn = self._turn, (self._turn + 1) % len(self._written)
        ends, size = [], 0
        for raw in large:
            size += -size % _ALIGNMENT + raw.nbytes
            ends.append((size - raw.nbytes, size))
        memory = self._written[slot]
        is_new = memory is None or memory.size < size
        if is_new:
            _close(memory)
            memory = self._written[slot] = _created(f"{self._name}-{slot}", size)
        if memory is None:  # there is no room: the pipe takes them
            self.connection.send((pickled, None, False, [bytes(raw) for raw in large]))
            return
        into: Any = memory.buf
        for (start, end), raw in zip(ends, large, strict=True):
            into[start:end] = raw
        self.connection.send((pickled, slot, is_new, ends))

    def receive(self, read: Callable[[Any], Any] | None = None) -> Any:
        """The next value.

        Args:
            read: makes the result of the value, whose arrays are in shared memory until it returns; by
                default the result is the value with copies of them.

        Raises:
            EOFError, OSError: if the other process has ended.
        """
        pickled, slot, is_new, parts = self.connection.recv()
        if slot is None:
            value = pickle.loads(pickled, buffers=map(bytearray, parts))
            return value if read is None else read(value)
        memory = self._read[slot]
        if memory is None or is_new:
            _close(memory)
            memory = self._read[slot] = SharedMemory(f"{self._other}-{slot}")
            memory.unlink()  # both ends have it: nothing is left if they are killed
        if read is None:
            copies = [bytearray(memory.buf[start:end]) for start, end in parts]
            return pickle.loads(pickled, buffers=copies)
        views = [memory.buf[start:end] for start, end in parts]
        value = pickle.loads(pickled, buffers=views)
        try:
            return read(value)
        finally:
            del value
            with contextlib.suppress(BufferError):  # the traceback of an error holds the arrays
                for view in views:
                    view.release()

    def close(self) -> None:
        """Closes the pipe, and gives the shared memory back; the other process has ended."""
        self.connection.close()
        for slot, memory in enumerate(self._read):
            with contextlib.suppress(OSError):
                left = SharedMemory(f"{self._other}-{slot}")
                left.unlink()
                left.close()
            _close(memory)
        for memory in self._written:
            _close(memory)
            if memory is not None:
                with contextlib.suppress(OSError):
                    memory.unlink()


def _close(memory: SharedMemory | None) -> None:
    if memory is not None:
        with contextlib.suppress(BufferError):  # an array is still there: it keeps the memory
            memory.close()


def _created(name: str, size: int) -> SharedMemory | None:
    """A slot of shared memory; None if there is no room for it."""
    try:
        memory = SharedMemory(name, create=True, size=size)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.ENOMEM):
            return None
        raise
    if not os.path.isdir(_FOLDER):
        return memory
    # Memory that does not exist yet would end the process where it is written to.
    file = os.open(os.path.join(_FOLDER, name), os.O_RDWR)
    try:
        os.posix_fallocate(file, 0, size)
    except OSError as error:
        memory.close()
        memory.unlink()
        if error.errno in (errno.ENOSPC, errno.ENOMEM):
            return None
        raise
    finally:
        os.close(file)
    return memory
