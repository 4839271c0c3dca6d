"""Opening files for reading: regular ones only.

A device never ends and a named pipe waits for a writer, so a model's folder with a link to one would
take all memory, or hang. Each file is opened once and checked by its descriptor: nobody can replace it
in between.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from typing import Any, BinaryIO, TextIO, TypeAlias

from eagerflow.util.descriptors import AT_ONCE, OWN

Path: TypeAlias = "str | bytes | os.PathLike[Any]"

# Serialized protocol buffers have less than 2 GiB; other files that are read as a whole are small.
MOST_BYTES = (1 << 31) - 1
_PIECE = 1 << 20
_KINDS = {
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
}


def check_regular(path: Path, mode: int) -> None:
    """Refuses a file that is not regular.

    Args:
        path: its name.
        mode: `st_mode` of its status.

    Raises:
        OSError: if it is a folder, a device or a pipe.
    """
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "something else")
        raise OSError(errno.EINVAL, f"this is {kind}; only regular files can be read", path)


def open_regular(path: Path, buffering: int = -1) -> BinaryIO:
    """A regular file, opened for reading bytes.

    Args:
        path: the file.
        buffering: as for `open`.

    Raises:
        OSError: if there is no such file, or it is not regular.
    """
    descriptor = os.open(path, os.O_RDONLY | AT_ONCE | OWN)
    try:
        check_regular(path, os.fstat(descriptor).st_mode)
        return open(descriptor, "rb", buffering=buffering)
    except BaseException:
        os.close(descriptor)
        raise


def open_text(path: Path, newline: str | None = None) -> TextIO:
    """A regular file, opened for reading text in UTF-8; errors are those of `open_regular`."""
    return io.TextIOWrapper(open_regular(path), encoding="utf-8", newline=newline)


def read_regular(path: Path, most: int | None = MOST_BYTES) -> bytes:
    """The content of a regular file.

    Args:
        path: the file.
        most: how many bytes it may have; None for any number.

    Raises:
        OSError: if there is no such file, it is not regular, or it is larger.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if most is not None and size > most:
            raise OSError(
                errno.EFBIG, f"the file has {size} bytes; such a file may have {most}", path
            )
        content = file.read(size)
        # A file that grows, or one of the system that states no size.
        while piece := file.read(_PIECE):
            content += piece
            if most is not None and len(content) > most:
                raise OSError(errno.EFBIG, f"the file has more than {most} bytes", path)
        return content
