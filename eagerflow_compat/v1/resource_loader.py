"""tf.resource_loader: files that lie beside a program's modules."""

from __future__ import annotations

import os
import sys


def load_resource(path: str) -> bytes:
    """The bytes of a file.

    Args:
        path: a path, from TensorFlow's own folder if it is relative.

    Raises:
        OSError: if there is no such file.
    """
    with open(get_path_to_datafile(path), "rb") as file:
        return file.read()


def get_data_files_path() -> str:
    """The folder that relative paths begin at: that of the package.

    >>> import os
    >>> os.path.basename(tf.compat.v1.resource_loader.get_data_files_path())
    'eagerflow'
    """
    return os.path.dirname(sys.modules["eagerflow"].__file__ or "")


def get_root_dir_with_all_resources() -> str:
    """The folder that relative paths begin at."""
    return get_data_files_path()


def get_path_to_datafile(path: str) -> str:
    """The path of a file; one that is not relative stays as it is.

    >>> tf.compat.v1.resource_loader.get_path_to_datafile("/data/words.txt")
    '/data/words.txt'
    """
    return os.path.join(get_data_files_path(), path)


def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """The path itself: systems read ahead by themselves."""
    return path
