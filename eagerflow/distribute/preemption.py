"""Training that saves a checkpoint when its process is told to end."""

from __future__ import annotations

import contextlib
import functools
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from eagerflow import errors
from eagerflow.checkpoint.checkpoint import Checkpoint
from eagerflow.checkpoint.manager import CheckpointManager
from eagerflow.distribute import workers
from eagerflow.distribute.cluster_resolver import TFConfigClusterResolver
from eagerflow.distribute.collectives import Communicator
from eagerflow.framework.context import get_logger

_EXIT_CODE = 42  # what platforms restart
_POLL_SECONDS = 1.0


class TerminationConfig:
    """How a process learns that it must end, and what it does then.

    Args:
        termination_watcher_fn: called once a second, returns True when the process must end; by default
            the signal SIGTERM says so.
        exit_fn: called after the checkpoint is saved; by default `sys.exit(42)`.
        grace_period: the seconds between the notice and the end. If it is not 0, training goes on after
            a checkpoint, and a second one is saved when the time is nearly over.
        save_fn: saves the checkpoint, in place of the manager's or the checkpoint's `save`.

    >>> config = tf.distribute.experimental.TerminationConfig(grace_period=60)
    """

    def __init__(
        self,
        termination_watcher_fn: Callable[[], bool] | None = None,
        exit_fn: Callable[[], Any] | None = None,
        grace_period: float | None = None,
        save_fn: Callable[..., Any] | None = None,
    ) -> None:
        self.termination_watcher_fn = termination_watcher_fn
        self.exit_fn = exit_fn
        self.grace_period = grace_period
        self.save_fn = save_fn


class _Notice:
    """Whether this process has been told to end."""

    def __init__(self) -> None:
        self.time: float | None = None  # when it was told, by the monotonic clock

    def give(self, *of_signal: object) -> None:
        """Tells it."""
        if self.time is None:
            self.time = time.monotonic()


@functools.cache
def _by_signal() -> _Notice:
    """The notice that SIGTERM gives, from now on."""
    notice = _Notice()
    signal.signal(signal.SIGTERM, notice.give)
    return notice


def _by_polling(watcher: Callable[[], bool]) -> _Notice:
    """The notice that a function gives."""
    notice = _Notice()

    def poll() -> None:
        while not watcher():
            time.sleep(_POLL_SECONDS)
        notice.give()

    threading.Thread(target=poll, name="termination watcher", daemon=True).start()
    return notice


class PreemptionCheckpointHandler:
    """Saves a checkpoint when a process is told to end, and restores it in the next one.

    Between two calls of `run`, processes that MPI has started agree on whether one of them has been told
    to end. If so, all save a checkpoint and exit, and whatever has started them starts them again.

    Args:
        cluster_resolver: that of the strategy; None without a cluster.
        checkpoint_or_checkpoint_manager: a `tf.train.Checkpoint`, or a `tf.train.CheckpointManager`. Its
            last checkpoint is restored now, if there is one.
        checkpoint_dir: the folder of checkpoints, where a checkpoint is passed.
        termination_config: a `TerminationConfig`.

    Raises:
        tf.errors.InvalidArgumentError: for a checkpoint without a folder.
        ValueError: outside of the main thread, which alone receives signals, unless the configuration has
            a `termination_watcher_fn`.

    >>> import tempfile
    >>> steps = tf.Variable(0)
    >>> handler = tf.distribute.experimental.PreemptionCheckpointHandler(
    ...     None,
    ...     tf.train.Checkpoint(steps=steps),
    ...     tempfile.mkdtemp(),
    ...     tf.distribute.experimental.TerminationConfig(termination_watcher_fn=lambda: False),
    ... )
    >>> while steps < 3:
    ...     _ = handler.run(lambda: steps.assign_add(1))
    >>> handler.total_run_calls
    3
    """

    def __init__(
        self,
        cluster_resolver: Any,
        checkpoint_or_checkpoint_manager: Any,
        checkpoint_dir: str | None = None,
        termination_config: TerminationConfig | None = None,
    ) -> None:
        config = termination_config or TerminationConfig()
        watcher = config.termination_watcher_fn
        self._communicator = _joined(cluster_resolver)
        manager = checkpoint_or_checkpoint_manager
        if isinstance(manager, Checkpoint):
            if not checkpoint_dir:
                raise errors.InvalidArgumentError._of(
                    "When a checkpoint is passed, a checkpoint_dir must be passed as well."
                )
            manager = CheckpointManager(manager, checkpoint_dir, max_to_keep=1)
        manager.restore_or_initialize()
        if self._communicator.rank:
            # All processes take part in saving, as copies of variables are joined. One writes the files.
            folder = tempfile.mkdtemp(prefix="other_workers_")
            manager = CheckpointManager(manager.checkpoint, folder, max_to_keep=1)
        self._save = config.save_fn or manager.save
        self._exit = config.exit_fn or functools.partial(sys.exit, _EXIT_CODE)
        self._grace_seconds = config.grace_period or 0
        self._notice = _by_signal() if watcher is None else _by_polling(watcher)
        self._run_calls = 0
        self._seconds_of_save: float | None = None  # of the first checkpoint after the notice
        self._ended = False

    @property
    def total_run_calls(self) -> int:
        """How often `run` has been called in this process."""
        return self._run_calls

    def run(
        self, distributed_train_function: Callable[..., Any], *args: object, **kwargs: object
    ) -> Any:
        """Calls a function; before it, saves a checkpoint and exits if a process must end.

        Args:
            distributed_train_function: the function, which does the same number of steps each time.
            *args: its arguments.
            **kwargs: its arguments by name.
        """
        self.save_checkpoint_if_preempted()
        result = distributed_train_function(*args, **kwargs)
        self._run_calls += 1
        return result

    def save_checkpoint_if_preempted(self, *args: object, **kwargs: object) -> None:
        """Saves a checkpoint and exits if a process must end.

        All processes call it equally often, in place of `run`.

        Args:
            *args: arguments of the function that saves.
            **kwargs: the same by name.
        """
        if self._ended:
            return
        told, late = self._of_all(self._state())
        if told and self._seconds_of_save is None or late:
            begin = time.monotonic()
            self._save(*args, **kwargs)
            self._seconds_of_save = time.monotonic() - begin
            get_logger().info("Saved a checkpoint, as a process must end.")
        if late:
            self._ended = True
            self._exit()

    def _state(self) -> tuple[bool, bool]:
        """Whether this process has been told to end, and whether its time is nearly over."""
        if self._notice.time is None:
            return False, False
        # Steps take time, too: saving begins when twice its time is left.
        needed = 2 * (self._seconds_of_save or 0)
        return True, time.monotonic() >= self._notice.time + self._grace_seconds - needed

    def _of_all(self, own: tuple[bool, bool]) -> tuple[bool, bool]:
        """The states of all processes, joined."""
        if self._communicator.size == 1:
            return own
        states = self._communicator.all_gather_object(own)
        return any(told for told, _ in states), any(late for _, late in states)

    @contextlib.contextmanager
    def watch_preemption_scope(self) -> Iterator[None]:
        """A context for the calls of `run`: what is noticed in the last one is dealt with at its end."""
        yield
        self.save_checkpoint_if_preempted()


def _joined(cluster_resolver: Any) -> Communicator:
    return workers.join_workers(cluster_resolver or TFConfigClusterResolver())


class PreemptionWatcher:
    """Keeps the notice that the process must end, which the signal SIGTERM gives.

    Raises:
        ValueError: outside of the main thread, which alone receives signals.

    >>> tf.distribute.experimental.PreemptionWatcher().preemption_message is None
    True
    """

    def __init__(self) -> None:
        self._notice = _by_signal()

    @property
    def preemption_message(self) -> str | None:
        """What happened; None if nothing has."""
        return None if self._notice.time is None else "The process has received SIGTERM."

    def block_until_worker_exit(self) -> None:
        """Returns at once: workers of other processes end by the signals that they get themselves."""
