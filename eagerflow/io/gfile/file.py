"""GFile: a file object that reads and writes text or bytes."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any

from eagerflow import errors
from eagerflow.io.os_errors import path_text, translated
from eagerflow.util.regular import open_regular

_MODES = ("r", "w", "a", "r+", "w+", "a+")


class GFile:
    """A file, opened when it is first used.

    Args:
        name: the path.
        mode: as for `open`: "r", "w", "a", with "b" for bytes and "+" for both ways.

    Raises:
        tf.errors.OpError: of the kind that fits, when the file is first used.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> with tf.io.gfile.GFile(path, "w") as file:
    ...     file.write("one\\ntwo\\n")
    >>> [line for line in tf.io.gfile.GFile(path)]
    ['one\\n', 'two\\n']
    """

    def __init__(self, name: Any, mode: str = "r") -> None:
        self._name = name
        self._mode = mode
        self._binary = "b" in mode
        self._kind = mode.replace("b", "")
        self._file: Any = None
        if self._kind not in _MODES:
            raise errors.InvalidArgumentError._of(
                "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'"
            )

    @property
    def name(self) -> Any:
        """The path."""
        return self._name

    @property
    def mode(self) -> str:
        """How the file was opened."""
        return self._mode

    def _open(self) -> Any:
        if self._file is None:
            path = path_text(self._name)
            with translated(path):
                # Opened as binary, so that positions count bytes in text files, too.
                if self._kind == "r":
                    self._file = open_regular(path)
                else:
                    self._file = open(path, self._kind + "b")
        return self._file

    def _readable(self) -> Any:
        if self._kind in ("w", "a"):
            raise errors.PermissionDeniedError._of("File isn't open for reading")
        return self._open()

    def _writable(self) -> Any:
        if self._kind == "r":
            raise errors.PermissionDeniedError._of("File isn't open for writing")
        return self._open()

    def _decoded(self, data: bytes) -> bytes | str:
        return data if self._binary else data.decode("utf-8")

    def read(self, n: int = -1) -> Any:
        """The next `n` bytes, or all that remain; text in text mode."""
        file = self._readable()
        with translated(self._name):
            return self._decoded(file.read(n))

    def readline(self) -> bytes | str:
        """The next line with its end; empty at the end of the file."""
        file = self._readable()
        with translated(self._name):
            return self._decoded(file.readline())

    def readlines(self) -> list:
        """All lines that remain."""
        return list(self)

    def write(self, file_content: Any) -> None:
        """Appends text or bytes."""
        file = self._writable()
        data = file_content.encode("utf-8") if isinstance(file_content, str) else file_content
        with translated(self._name):
            file.write(data)

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Moves to an offset from the beginning (`whence` 0), the position (1) or the end (2)."""
        if offset is None and position is None:
            raise TypeError("seek(): offset argument required")
        if whence not in (0, 1, 2):
            raise errors.InvalidArgumentError._of(
                f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2."
            )
        file = self._readable()
        with translated(self._name):
            file.seek(position if offset is None else offset, whence)

    def tell(self) -> int:
        """The position in the file, in bytes."""
        return self._open().tell()

    def seekable(self) -> bool:
        """True."""
        return True

    def size(self) -> int:
        """The file's size in bytes."""
        if self._file is not None:
            self.flush()
        path = path_text(self._name)
        with translated(path):
            return os.stat(path).st_size

    def flush(self) -> None:
        """Writes the buffer to the operating system."""
        if self._file is not None:
            with translated(self._name):
                self._file.flush()

    def close(self) -> None:
        """Closes the file; it opens again when used again."""
        if self._file is not None:
            file, self._file = self._file, None
            with translated(self._name):
                file.close()

    def __iter__(self) -> GFile:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__

    def __enter__(self) -> GFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self.close()
