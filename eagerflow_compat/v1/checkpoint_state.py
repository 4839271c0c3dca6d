"""The list of a folder's checkpoints, which programs of version 1 may write themselves."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from eagerflow.checkpoint.bundle import index_path, remove_bundle
from eagerflow.checkpoint.state import CheckpointState, write_state
from eagerflow.io.os_errors import path_text

__all__ = [
    "generate_checkpoint_state_proto",
    "get_checkpoint_mtimes",
    "remove_checkpoint",
    "update_checkpoint_state",
]


def generate_checkpoint_state_proto(
    save_dir: Any,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> CheckpointState:
    """What the file `checkpoint` of a folder shall say.

    Args:
        save_dir: the folder.
        model_checkpoint_path: the latest checkpoint's path without endings.
        all_model_checkpoint_paths: all that are kept, oldest first; the latest is added.
        all_model_checkpoint_timestamps: when each was made, in seconds since 1970.
        last_preserved_timestamp: when the last one was kept for good.

    Raises:
        ValueError: if there are not as many times as paths.

    >>> tf.compat.v1.train.generate_checkpoint_state_proto("/tmp", "/tmp/m-3").model_checkpoint_path
    '/tmp/m-3'
    """
    latest, paths = path_text(model_checkpoint_path), list(all_model_checkpoint_paths or ())
    if not paths or paths[-1] != latest:
        paths.append(latest)
    times = list(all_model_checkpoint_timestamps or ())
    if times and len(times) != len(paths):
        raise ValueError(
            "Checkpoint timestamps, if provided, must match checkpoint paths (got paths "
            f"{paths} and timestamps {times})"
        )
    folder = path_text(save_dir)
    if not os.path.isabs(folder):
        # Relative paths are relative to the folder.
        absolute = [os.path.join(folder, path) for path in [latest, *paths]]
        latest, *paths = (os.path.relpath(path, folder) for path in absolute)
    return CheckpointState(latest, paths, times, last_preserved_timestamp or 0.0)


def update_checkpoint_state(
    save_dir: Any,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes the file `checkpoint` of a folder; see `generate_checkpoint_state_proto`."""
    state = generate_checkpoint_state_proto(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )
    write_state(save_dir, state, latest_filename)


def get_checkpoint_mtimes(checkpoint_prefixes: Iterable[str]) -> list[float]:
    """When each of the checkpoints was written, in seconds since 1970; missing ones are left out."""
    paths = [index_path(path_text(prefix)) for prefix in checkpoint_prefixes]
    return [os.path.getmtime(path) for path in paths if os.path.exists(path)]


def remove_checkpoint(
    checkpoint_prefix: str, checkpoint_format_version: int = 2, meta_graph_suffix: str = "meta"
) -> None:
    """Removes the files of a checkpoint, those of its graph too; does nothing if there are none."""
    prefix = path_text(checkpoint_prefix)
    remove_bundle(prefix)
    meta = f"{prefix}.{meta_graph_suffix}"
    if os.path.exists(meta):
        os.remove(meta)
