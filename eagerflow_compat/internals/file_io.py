"""tensorflow.python.lib.io.file_io: the functions of files by the names that they have there."""

from __future__ import annotations

import os
from typing import Any

from eagerflow.io import gfile
from eagerflow.typing import FilePath

__all__ = [
    "FileIO",
    "atomic_write_string_to_file",
    "copy",
    "create_dir",
    "delete_file",
    "delete_recursively",
    "file_exists",
    "get_matching_files",
    "is_directory",
    "list_directory",
    "read_file_to_string",
    "recursive_create_dir",
    "rename",
    "stat",
    "walk",
    "write_string_to_file",
]

FileIO = gfile.GFile
copy = gfile.copy
create_dir = gfile.mkdir
delete_file = gfile.remove
delete_recursively = gfile.rmtree
file_exists = gfile.exists
get_matching_files = gfile.glob
is_directory = gfile.isdir
list_directory = gfile.listdir
recursive_create_dir = gfile.makedirs
rename = gfile.rename
stat = gfile.stat
walk = gfile.walk


def read_file_to_string(filename: FilePath, binary_mode: bool = False) -> Any:
    """What a file holds: text, or bytes in binary mode."""
    with gfile.GFile(filename, "rb" if binary_mode else "r") as file:
        return file.read()


def write_string_to_file(filename: FilePath, file_content: str | bytes) -> None:
    """Writes a file anew."""
    with gfile.GFile(filename, "w") as file:
        file.write(file_content)


def atomic_write_string_to_file(
    filename: FilePath, contents: str | bytes, overwrite: bool = True
) -> None:
    """Writes a file under another name, and gives it its name when it is complete.

    Raises:
        AlreadyExistsError: if there is one, and it must not be overwritten.
    """
    temporary = f"{os.fsdecode(filename)}.tmp{os.getpid()}"
    write_string_to_file(temporary, contents)
    try:
        gfile.rename(temporary, filename, overwrite)
    except Exception:
        gfile.remove(temporary)
        raise
