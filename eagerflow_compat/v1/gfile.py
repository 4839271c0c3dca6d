"""Functions of files with the parameters that they had in version 1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eagerflow.io import gfile
from eagerflow.typing import FilePath


def Copy(oldpath: FilePath, newpath: FilePath, overwrite: bool = False) -> None:
    """Copies a file; see `tf.io.gfile.copy`."""
    gfile.copy(oldpath, newpath, overwrite)


def DeleteRecursively(dirname: FilePath) -> None:
    """Removes a folder and all that is in it; see `tf.io.gfile.rmtree`."""
    gfile.rmtree(dirname)


def Exists(filename: FilePath) -> bool:
    """Whether there is a file or folder of that name.

    >>> tf.compat.v1.gfile.Exists(filename="no such file")
    False
    """
    return gfile.exists(filename)


def Glob(filename: FilePath) -> list:
    """The files that match a pattern; see `tf.io.gfile.glob`."""
    return gfile.glob(filename)


def IsDirectory(dirname: FilePath) -> bool:
    """Whether it is a folder; see `tf.io.gfile.isdir`."""
    return gfile.isdir(dirname)


def ListDirectory(dirname: FilePath) -> list:
    """The names of what is in a folder; see `tf.io.gfile.listdir`."""
    return gfile.listdir(dirname)


def MakeDirs(dirname: FilePath) -> None:
    """Makes a folder and those around it; see `tf.io.gfile.makedirs`."""
    gfile.makedirs(dirname)


def MkDir(dirname: FilePath) -> None:
    """Makes a folder; see `tf.io.gfile.mkdir`."""
    gfile.mkdir(dirname)


def Remove(filename: FilePath) -> None:
    """Removes a file; see `tf.io.gfile.remove`."""
    gfile.remove(filename)


def Rename(oldname: FilePath, newname: FilePath, overwrite: bool = False) -> None:
    """Renames a file or folder; see `tf.io.gfile.rename`."""
    gfile.rename(oldname, newname, overwrite)


def Stat(filename: FilePath) -> Any:
    """The size and times of a file; see `tf.io.gfile.stat`."""
    return gfile.stat(filename)


def Walk(top: FilePath, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """The folders below one, each with the names of what is in it; see `tf.io.gfile.walk`.

    Args:
        top: the folder.
        in_order: whether a folder comes before those inside of it.
    """
    return gfile.walk(top, in_order)
