"""The file `checkpoint`: the list of the checkpoints of a folder, and the latest of them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from eagerflow.checkpoint.bundle import data_path, index_path
from eagerflow.io.os_errors import path_text
from eagerflow.io.replacing import replaced
from eagerflow.util.regular import read_regular

_FIELD = re.compile(r'^\s*(\w+)\s*:\s*("(?:[^"\\]|\\.)*"|[-+.\deEinfa]+)\s*$')
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class CheckpointState:
    """The contents of the file.

    Attributes:
        model_checkpoint_path: the latest checkpoint's path without its endings.
        all_model_checkpoint_paths: all that are kept, oldest first.
        all_model_checkpoint_timestamps: when each was made, in seconds since 1970.
        last_preserved_timestamp: when the last one was kept for good.
    """

    def __init__(
        self,
        model_checkpoint_path: str = "",
        all_model_checkpoint_paths: Sequence[str] = (),
        all_model_checkpoint_timestamps: Sequence[float] = (),
        last_preserved_timestamp: float = 0.0,
    ) -> None:
        self.model_checkpoint_path = model_checkpoint_path
        self.all_model_checkpoint_paths = list(all_model_checkpoint_paths)
        self.all_model_checkpoint_timestamps = list(all_model_checkpoint_timestamps)
        self.last_preserved_timestamp = last_preserved_timestamp

    def __repr__(self) -> str:
        return _text(self)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), text[1:-1])


def _text(state: CheckpointState) -> str:
    lines = [f"model_checkpoint_path: {_quoted(state.model_checkpoint_path)}"]
    lines += [
        f"all_model_checkpoint_paths: {_quoted(path)}" for path in state.all_model_checkpoint_paths
    ]
    lines += [
        f"all_model_checkpoint_timestamps: {time!r}"
        for time in state.all_model_checkpoint_timestamps
    ]
    if state.last_preserved_timestamp:
        lines.append(f"last_preserved_timestamp: {state.last_preserved_timestamp!r}")
    return "\n".join(lines) + "\n"


def _state_path(folder: Any, latest_filename: str | None) -> str:
    return os.path.join(path_text(folder), latest_filename or "checkpoint")


def write_state(folder: Any, state: CheckpointState, latest_filename: str | None = None) -> None:
    """Replaces the file at once; paths inside the folder are written relative to it."""
    folder = path_text(folder)

    def relative(path: str) -> str:
        inside = os.path.dirname(os.path.abspath(path)) == os.path.abspath(folder or ".")
        return os.path.basename(path) if inside else path

    relative_state = CheckpointState(
        relative(state.model_checkpoint_path),
        [relative(path) for path in state.all_model_checkpoint_paths],
        state.all_model_checkpoint_timestamps,
        state.last_preserved_timestamp,
    )
    path = _state_path(folder, latest_filename)
    with replaced(path) as temporary, open(temporary, "w", encoding="utf-8") as file:
        file.write(_text(relative_state))


def get_checkpoint_state(
    checkpoint_dir: Any, latest_filename: str | None = None
) -> CheckpointState | None:
    """The contents of the `checkpoint` file of a folder, or None if there is no valid one.

    Args:
        checkpoint_dir: the folder.
        latest_filename: another name of the file.

    >>> tf.train.get_checkpoint_state("/nowhere") is None
    True
    """
    try:
        content = read_regular(_state_path(checkpoint_dir, latest_filename))
        lines = content.decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    folder = path_text(checkpoint_dir)
    state = CheckpointState()
    for line in lines:
        match = _FIELD.match(line)
        if match is None:
            continue
        name, value = match.groups()
        if value.startswith('"'):
            value = os.path.join(folder, _unquoted(value))
        if name == "model_checkpoint_path":
            state.model_checkpoint_path = value
        elif name == "all_model_checkpoint_paths":
            state.all_model_checkpoint_paths.append(value)
        elif name == "all_model_checkpoint_timestamps":
            state.all_model_checkpoint_timestamps.append(float(value))
        elif name == "last_preserved_timestamp":
            state.last_preserved_timestamp = float(value)
    return state if state.model_checkpoint_path else None


def checkpoint_exists(prefix: Any) -> bool:
    """Whether there are files of a checkpoint of that name.

    >>> import os, tempfile
    >>> prefix = os.path.join(tempfile.mkdtemp(), "model")
    >>> before = tf.compat.v1.train.checkpoint_exists(prefix)
    >>> path = tf.train.Checkpoint(v=tf.Variable(1.0)).write(prefix)
    >>> before, tf.compat.v1.train.checkpoint_exists(prefix)
    (False, True)
    """
    prefix = path_text(prefix)
    return os.path.exists(index_path(prefix)) or os.path.exists(data_path(prefix, 0, 1))


def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """The path, without endings, of the newest checkpoint of a folder; None if there is none.

    Args:
        checkpoint_dir: the folder that the checkpoints were saved in.
        latest_filename: another name of the file that lists them.

    >>> import tempfile
    >>> tf.train.latest_checkpoint(tempfile.mkdtemp()) is None
    True
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not os.path.exists(index_path(state.model_checkpoint_path)):
        return None
    return state.model_checkpoint_path
