"""What tests read back from event files."""

from __future__ import annotations

import os
from typing import Any

from eagerflow.io import gfile
from eagerflow.io.os_errors import path_text
from eagerflow.typing import FilePath
from eagerflow_compat.v1.summary import summary_iterator

__all__ = ["events_from_file", "events_from_logdir"]


def events_from_file(filepath: FilePath) -> list[Any]:
    """The events of a file, as messages."""
    return list(summary_iterator(filepath))


def events_from_logdir(logdir: FilePath) -> list[Any]:
    """The events of the one file of a folder.

    Raises:
        AssertionError: if there is no such folder, or another number of files in it.
    """
    folder = path_text(logdir)
    if not gfile.exists(folder):
        raise AssertionError(f"There is no folder {folder}")
    files = gfile.listdir(folder)
    if len(files) != 1:
        raise AssertionError(f"Found not exactly one file in {folder}: {files}")
    return events_from_file(os.path.join(folder, files[0]))
