"""Files and folders: whether they exist, their names, copies, and removal."""

from __future__ import annotations

import fnmatch
import os
import re
import shutil
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from eagerflow import errors
from eagerflow.io.os_errors import make_folder, path_text, translated
from eagerflow.typing import FilePath
from eagerflow.util.regular import check_regular


class FileStatistics(NamedTuple):
    """The size in bytes, the time of modification in ns, and the kind of a path."""

    length: int
    mtime_nsec: int
    is_directory: bool


def exists(path: FilePath) -> bool:
    """Whether there is a file or folder of that name.

    >>> tf.io.gfile.exists("/no/such/file")
    False
    """
    return os.path.exists(path_text(path))


def isdir(path: FilePath) -> bool:
    """Whether the path is a folder.

    >>> tf.io.gfile.isdir("/")
    True
    """
    return os.path.isdir(path_text(path))


def listdir(path: FilePath) -> list[str]:
    """The names in a folder, without `.` and `..`.

    Raises:
        tf.errors.NotFoundError: if there is no such folder.
    """
    text = path_text(path)
    if not os.path.isdir(text):
        raise errors.NotFoundError._of(f"Could not find directory {text}")
    with translated(text):
        return os.listdir(text)


def mkdir(path: FilePath) -> None:
    """Creates a folder in an existing folder, unless it exists.

    Raises:
        tf.errors.NotFoundError: if the folder above is missing.
        tf.errors.AlreadyExistsError: if the path is a file.
    """
    text = path_text(path)
    if os.path.isdir(text):
        return
    with translated(text):
        os.mkdir(text)


def makedirs(path: FilePath) -> None:
    """Creates a folder and missing parent folders.

    >>> import os, tempfile
    >>> folder = os.path.join(tempfile.mkdtemp(), "a", "b")
    >>> tf.io.gfile.makedirs(folder)
    >>> tf.io.gfile.isdir(folder)
    True
    """
    make_folder(path_text(path))


def remove(path: FilePath) -> None:
    """Removes a file.

    Raises:
        tf.errors.NotFoundError: if there is none.
    """
    text = path_text(path)
    with translated(text):
        os.remove(text)


def rmtree(path: FilePath) -> None:
    """Removes a folder and everything in it.

    Raises:
        tf.errors.NotFoundError: if there is none.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.rmtree(folder)
    >>> os.path.exists(folder)
    False
    """
    text = path_text(path)
    with translated(text):
        if os.path.isdir(text) and not os.path.islink(text):
            shutil.rmtree(text)
        else:
            os.remove(text)


def rename(src: FilePath, dst: FilePath, overwrite: bool = False) -> None:
    """Renames or moves a file or folder.

    Args:
        src: the path now.
        dst: the path then.
        overwrite: whether to replace a file at `dst`.

    Raises:
        tf.errors.AlreadyExistsError: if `dst` exists and `overwrite` is false.
        tf.errors.NotFoundError: if `src` does not exist.
    """
    source, target = path_text(src), path_text(dst)
    if not overwrite and os.path.exists(target):
        raise errors.AlreadyExistsError._of("file already exists")
    with translated(source):
        os.replace(source, target)


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file.

    Args:
        src: the file.
        dst: the copy.
        overwrite: whether to replace a file at `dst`.

    Raises:
        tf.errors.AlreadyExistsError: if `dst` exists and `overwrite` is false.
        tf.errors.NotFoundError: if `src` does not exist.
        tf.errors.OpError: if `src` is no regular file: a device has no end.
    """
    source, target = path_text(src), path_text(dst)
    if not overwrite and os.path.exists(target):
        raise errors.AlreadyExistsError._of("file already exists")
    with translated(source):
        check_regular(source, os.stat(source).st_mode)
        shutil.copyfile(source, target)


def stat(path: FilePath) -> FileStatistics:
    """The size, time of last change and kind of a path.

    Raises:
        tf.errors.NotFoundError: if there is none.
    """
    text = path_text(path)
    with translated(text):
        result = os.stat(text)
    return FileStatistics(result.st_size, result.st_mtime_ns, os.path.isdir(text))


def join(path: FilePath, *paths: Any) -> Any:
    """The parts of a path joined by the separator.

    >>> tf.io.gfile.join("a", "b")
    'a/b'
    """
    return os.path.join(path, *paths)


def _matches(pattern: str) -> list[str]:
    """The paths that match one pattern; `**` matches a name as `*` does."""
    if not any(mark in pattern for mark in "*?["):
        return [pattern] if os.path.exists(pattern) else []
    parts = pattern.split("/")
    # A pattern that begins with a wildcard is in the folder ".", with which its matches begin.
    here = "." if any(mark in parts[0] for mark in "*?[") else ""
    matches = ["/"] if pattern.startswith("/") else [here]
    for part in parts:
        if not part:
            continue
        if not any(mark in part for mark in "*?["):
            matches = [os.path.join(base, part) for base in matches]
            matches = [path for path in matches if os.path.lexists(path)]
            continue
        expression = re.compile(fnmatch.translate(part))
        deeper: list[str] = []
        for base in matches:
            try:
                names = os.listdir(base or ".")
            except OSError:
                continue
            deeper.extend(os.path.join(base, n) for n in names if expression.match(n))
        matches = deeper
    return matches


def glob(pattern: FilePath) -> list[str]:
    """The paths that match a pattern or one of a list of them, each pattern's sorted.

    `*` and `?` do not match a slash; `[a-z]` matches one character of a set.

    >>> tf.io.gfile.glob("/no/such/folder/*")
    []
    """
    if isinstance(pattern, str | bytes | os.PathLike):
        return sorted(_matches(path_text(pattern)))
    return [path for item in pattern for path in sorted(_matches(path_text(item)))]


def walk(
    top: FilePath, topdown: bool = True, onerror: Callable | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walks through a folder and its subfolders.

    Args:
        top: where to begin.
        topdown: whether a folder precedes its subfolders.
        onerror: called with the exception where a folder cannot be read.

    Yields:
        `(path, names of folders, names of files)`.

    >>> list(tf.io.gfile.walk("/no/such/folder"))
    []
    """
    folder = path_text(top)
    try:
        names = sorted(listdir(folder))
    except errors.NotFoundError as error:
        if onerror:
            onerror(error)
        return
    inner = [name for name in names if os.path.isdir(os.path.join(folder, name))]
    files = [name for name in names if name not in set(inner)]
    if topdown:
        yield folder, inner, files
    for name in inner:
        yield from walk(os.path.join(folder, name), topdown, onerror)
    if not topdown:
        yield folder, inner, files


def get_registered_schemes() -> list[str]:
    """The kinds of paths that are understood: local files.

    >>> "file" in tf.io.gfile.get_registered_schemes()
    True
    """
    return ["", "file"]
