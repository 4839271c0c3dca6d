"""tf.train.CheckpointManager: several checkpoints in a folder, the oldest deleted."""

from __future__ import annotations

import os
import time
from typing import Any

from eagerflow.checkpoint.bundle import remove_bundle
from eagerflow.checkpoint.checkpoint import Checkpoint
from eagerflow.checkpoint.state import (
    CheckpointState,
    checkpoint_exists,
    get_checkpoint_state,
    write_state,
)
from eagerflow.io.os_errors import make_folder, path_text


class CheckpointManager:
    """Keeps the newest checkpoints of a folder.

    Args:
        checkpoint: the `tf.train.Checkpoint` to save.
        directory: the folder; made if it is not there.
        max_to_keep: how many to keep; None keeps all.
        keep_checkpoint_every_n_hours: one checkpoint in each such interval is never deleted.
        checkpoint_name: the name before the number.
        step_counter: a variable with the step, for `checkpoint_interval`.
        checkpoint_interval: the least number of steps between saves; earlier calls of `save` do nothing.
        init_fn: called by `restore_or_initialize` when there is no checkpoint.
        last_checkpoint_step: the assumed step of the last checkpoint.

    Raises:
        ValueError: for a `max_to_keep` below 1, or an interval without a counter.

    >>> import tempfile
    >>> checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    >>> manager = tf.train.CheckpointManager(checkpoint, tempfile.mkdtemp(), max_to_keep=2)
    >>> for _ in range(3):
    ...     path = manager.save()
    >>> [path.split("/")[-1] for path in manager.checkpoints]
    ['ckpt-2', 'ckpt-3']
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Any = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}."
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError(
                "`step_counter` should be passed if `checkpoint_interval` is not None."
            )
        self._checkpoint = checkpoint
        self._directory = path_text(directory)
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._max_to_keep = max_to_keep
        self._keep_seconds = (
            None if keep_checkpoint_every_n_hours is None else keep_checkpoint_every_n_hours * 3600
        )
        self._step_counter = step_counter
        self._interval = checkpoint_interval
        self._init_fn = init_fn
        self._last_step = last_checkpoint_step
        self._kept: dict[str, float] = {}
        self._latest: str | None = None
        now = time.time()
        state = get_checkpoint_state(self._directory)
        self._last_preserved = now
        if state is not None:
            self._last_preserved = state.last_preserved_timestamp or now
            paths = state.all_model_checkpoint_paths
            times = state.all_model_checkpoint_timestamps
            times = times if len(times) == len(paths) else [now] * len(paths)
            self._latest = state.model_checkpoint_path
            self._kept = {path: min(made, now) for path, made in zip(paths, times, strict=True)}
        self._forget_missing()

    def _forget_missing(self) -> None:
        self._kept = {path: made for path, made in self._kept.items() if checkpoint_exists(path)}
        if self._latest not in self._kept:
            self._latest = next(reversed(self._kept), None)

    @property
    def directory(self) -> str:
        """The folder."""
        return self._directory

    @property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint that is saved."""
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        """The least number of steps between two checkpoints."""
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The newest checkpoint's path, for `restore`; None if there is none."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The paths of the kept checkpoints, oldest first."""
        return list(self._kept)

    def save(
        self, checkpoint_number: Any = None, check_interval: bool = True, options: object = None
    ) -> str | None:
        """Saves a checkpoint and deletes outdated ones.

        Args:
            checkpoint_number: an integer or a variable; by default the checkpoint's counter.
            check_interval: whether to do nothing when too few steps have passed; without, nothing is
                done when none has.
            options: `CheckpointOptions`.

        Returns:
            The path, or None if nothing was saved.
        """
        if self._interval is not None:
            step, last = int(self._step_counter), self._last_step
            if last is not None and (
                step == last or (check_interval and step < last + self._interval)
            ):
                return None
            self._last_step = step
        if checkpoint_number is None:
            self._checkpoint.save_counter.assign_add(1)
            checkpoint_number = self._checkpoint.save_counter
        path = f"{self._prefix}-{int(checkpoint_number)}"
        make_folder(self._directory)
        self._checkpoint.write(path, options)
        self._kept.pop(path, None)
        self._kept[path] = time.time()
        self._latest = path
        removed = self._sweep()
        # The list is written before files are deleted, so that it never names absent ones.
        self._write_state()
        for old in removed:
            remove_bundle(old)
        return path

    def _sweep(self) -> list[str]:
        """Removes outdated checkpoints from the list, and returns those to delete."""
        removed: list[str] = []
        if self._max_to_keep is None:
            return removed
        while len(self._kept) > self._max_to_keep:
            path, made = next(iter(self._kept.items()))
            del self._kept[path]
            if self._keep_seconds is not None and made - self._keep_seconds >= self._last_preserved:
                self._last_preserved = made
                continue
            # The list comes from a file, which must not name files outside the folder for deletion.
            if self._is_inside(path):
                removed.append(path)
        return removed

    def _is_inside(self, path: str) -> bool:
        folder, holder = map(os.path.realpath, (self._directory, os.path.dirname(path)))
        return os.path.commonpath([folder, holder]) == folder

    def _write_state(self) -> None:
        assert self._latest is not None
        state = CheckpointState(
            self._latest, list(self._kept), list(self._kept.values()), self._last_preserved
        )
        write_state(self._directory, state)

    def restore_or_initialize(self) -> str | None:
        """Restores the newest checkpoint, or calls `init_fn` if there is none.

        Returns:
            The path that was restored, or None.
        """
        if self._latest is not None:
            self._checkpoint.restore(self._latest)
            if self._step_counter is not None:
                self._last_step = int(self._step_counter)
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
        return None

    def sync(self) -> None:
        """Waits until everything is written, which it already is."""
