"""Messages between two processes, whose arrays pass through shared memory.

A message has one value or several. A pipe carries small parts. The buffers of large arrays are copied
into a slot of shared memory, one for each message, and read from there. A sender uses its slots in
turn, so a slot must have been read before so many further messages are sent. Slots are named before
they exist: whoever ends a process can remove what it has left behind.
"""

from __future__ import annotations

import contextlib
import errno
import os
import pickle
from collections.abc import Callable
from multiprocessing import resource_tracker
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
        # The slot of the next message, how much of it is used, and whether the other end knows it.
        self._turn = 0
        self._used = 0
        self._is_new = False
        self._message: list[tuple[bytes, list[Any]]] = []

    def add(self, value: object, of: int = 1) -> None:
        """Adds a value to the next message.

        Args:
            value: the value.
            of: how many values of its size the message will have.

        Raises:
            Exception: if it cannot be pickled; it has not been added then.
        """
        large: list[memoryview] = []

        def is_small(buffer: pickle.PickleBuffer) -> bool:
            raw = buffer.raw()
            if raw.nbytes < _LARGE:
                return True
            large.append(raw)
            return False

        pickled = pickle.dumps(value, protocol=5, buffer_callback=is_small)
        parts: list[Any] = []
        end = self._used
        for raw in large:
            end += -end % _ALIGNMENT + raw.nbytes
            parts.append((end - raw.nbytes, end))
        memory = self._written[self._turn]
        if large and self._used == 0 and (memory is None or memory.size < end):
            _close(memory)
            memory = _created(f"{self._name}-{self._turn}", (end + -end % _ALIGNMENT) * of)
            self._written[self._turn] = memory
            self._is_new = True
        if large and memory is not None and end <= memory.size:
            into: Any = memory.buf
            for (start, stop), raw in zip(parts, large, strict=True):
                into[start:stop] = raw
            self._used = end
        else:  # there is no room: the pipe takes them
            parts = [bytes(raw) for raw in large]
        self._message.append((pickled, parts))

    def send(self) -> None:
        """Sends the values that have been added.

        Raises:
            OSError: if the other process has ended.
        """
        message, self._message = self._message, []
        if not self._used:
            self.connection.send((None, False, message))
            return
        slot, is_new = self._turn, self._is_new
        self._turn, self._used, self._is_new = (slot + 1) % len(self._written), 0, False
        self.connection.send((slot, is_new, message))

    def receive(self, read: Callable[[Any], Any] | None = None) -> list[Any]:
        """The values of the next message.

        Args:
            read: makes a result of each value, whose arrays are in shared memory until it returns; by
                default the results are the values with copies of them.

        Raises:
            EOFError, OSError: if the other process has ended.
        """
        slot, is_new, message = self.connection.recv()
        if slot is not None and (is_new or self._read[slot] is None):
            _close(self._read[slot])
            memory = self._read[slot] = SharedMemory(f"{self._other}-{slot}")
            memory.unlink()  # both ends have it: nothing is left if they are killed
        return [self._value(slot, pickled, parts, read) for pickled, parts in message]

    def _value(
        self, slot: int | None, pickled: bytes, parts: list[Any], read: Callable[[Any], Any] | None
    ) -> Any:
        memory: Any = None if slot is None else self._read[slot]
        is_shared = bool(parts) and type(parts[0]) is tuple
        buffers = [memory.buf[start:end] for start, end in parts] if is_shared else parts
        if read is None or not is_shared:
            value = pickle.loads(pickled, buffers=map(bytearray, buffers))
            return value if read is None else read(value)
        value = pickle.loads(pickled, buffers=buffers)
        try:
            return read(value)
        finally:
            del value
            with contextlib.suppress(BufferError):  # the traceback of an error holds the arrays
                for view in buffers:
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
    # Before it exists: a process that is killed as soon as it does leaves nothing.
    if os.name == "posix":
        resource_tracker.register(f"/{name}", "shared_memory")
    try:
        memory = SharedMemory(name, create=True, size=size)
    except OSError as error:
        if os.name == "posix":
            resource_tracker.unregister(f"/{name}", "shared_memory")
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
