"""Hooks, which a monitored session calls before and after each run."""

from __future__ import annotations

import logging
import os
import time
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eagerflow.framework import context
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.io.proto_fields import write_graph
from eagerflow.util import lazy
from eagerflow_compat.v1.global_step import get_global_step

# Imported when it is first used: few programs need it.
summaries = lazy.Module("eagerflow_compat.v1.summary")

_log = logging.getLogger("tensorflow")

_Args = namedtuple("_Args", ("fetches", "feed_dict", "options"))
SessionRunValues = namedtuple("SessionRunValues", ("results", "options", "run_metadata"))
SessionRunValues.__doc__ = "The results of a hook's fetches, and the run's options and metadata."


class SessionRunArgs(_Args):
    """The fetches and feeds that a hook adds to a run.

    Args:
        fetches: tensors whose values the hook reads.
        feed_dict: values for tensors.
        options: accepted.
    """

    __slots__ = ()

    def __new__(cls, fetches: Any, feed_dict: Any = None, options: Any = None) -> SessionRunArgs:
        return super().__new__(cls, fetches, feed_dict, options)


class SessionRunContext:
    """What a hook knows of a run, and how it requests a stop."""

    def __init__(self, original_args: SessionRunArgs, session: Any) -> None:
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self) -> SessionRunArgs:
        """The program's fetches."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether a stop has been requested."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Requests that the session stops."""
        self._stop_requested = True


class SessionRunHook:
    """Base class of hooks; each method may be overridden."""

    def begin(self) -> None:
        """Called once before the session is made, when the graph can still be changed."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Called when the session has been made."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Called before each run; may return what to add to it."""
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Called after each run, with the values of the requested fetches."""

    def end(self, session: Any) -> None:
        """Called before the session is closed, but not after an error."""


class SecondOrStepTimer:
    """Decides when an event is due, every few steps or seconds.

    Args:
        every_secs: seconds, or None.
        every_steps: steps, or None.

    Raises:
        ValueError: unless exactly one is given.
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._every_secs = every_secs
        self._every_steps = every_steps
        self.reset()

    def reset(self) -> None:
        """Resets the last time at which the event was due."""
        self._last_step: int | None = None
        self._last_time: float | None = None

    def should_trigger_for_step(self, step: int) -> bool:
        """Whether the event is due in a step."""
        if self._last_step is None:
            return True
        if step == self._last_step:
            return False
        if self._every_secs is not None:
            return time.time() >= (self._last_time or 0) + self._every_secs
        return step >= self._last_step + (self._every_steps or 1)

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Records that the event happened; returns the seconds and steps since the last time."""
        now = time.time()
        if self._last_step is None:
            elapsed: tuple[float | None, int | None] = (None, None)
        else:
            elapsed = (now - (self._last_time or now), step - self._last_step)
        self._last_step, self._last_time = step, now
        return elapsed

    def last_triggered_step(self) -> int | None:
        """The step of the last event."""
        return self._last_step


def _step_tensor(owner: str) -> Any:
    step = get_global_step()
    if step is None:
        raise RuntimeError(f"Global step should be created to use {owner}.")
    return step


class StopAtStepHook(SessionRunHook):
    """Requests a stop after a number of steps.

    Args:
        num_steps: counted from the first run, or
        last_step: the step after which to stop.

    Raises:
        ValueError: unless exactly one is given.
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps = num_steps
        self._last_step = last_step

    def begin(self) -> None:
        self._step = _step_tensor("StopAtStepHook")

    def after_create_session(self, session: Any, coord: Any) -> None:
        if self._last_step is None:
            self._last_step = int(session.run(self._step)) + (self._num_steps or 0)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        # The step may have been read before the update of the same run.
        if self._last_step is None or run_values.results + 1 < self._last_step:
            return
        if int(run_context.session.run(self._step)) >= self._last_step:
            run_context.request_stop()


class CheckpointSaverListener:
    """Base class of objects that are notified when checkpoints are written."""

    def begin(self) -> None:
        """Called once before the session is made."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Called before a checkpoint is written."""

    def after_save(self, session: Any, global_step_value: int) -> bool | None:
        """Called after a checkpoint has been written; True requests a stop."""
        return None

    def end(self, session: Any, global_step_value: int) -> None:
        """Called at the end of the session."""


class CheckpointSaverHook(SessionRunHook):
    """Writes checkpoints periodically, and at the end.

    Args:
        checkpoint_dir: the folder.
        save_secs: the time between two, or
        save_steps: the number of steps.
        saver: the saver; by default that of the scaffold, or the graph's only one.
        checkpoint_basename: the beginning of the files' names.
        scaffold: has the saver.
        listeners: are notified.
        save_graph_def: whether to write the graph as `graph.pbtxt`, too.

    Raises:
        ValueError: for both a saver and a scaffold.
    """

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Sequence[CheckpointSaverListener] | None = None,
        save_graph_def: bool = True,
    ) -> None:
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver = saver
        self._scaffold = scaffold
        self._folder = checkpoint_dir
        self._path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._listeners = list(listeners or ())
        self._writes_graph = save_graph_def

    def begin(self) -> None:
        self._step = _step_tensor("CheckpointSaverHook")
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        step = int(session.run(self._step))
        if self._writes_graph:
            graph = context.default_graph().as_graph_def(add_shapes=True)
            write_graph(graph, self._folder, "graph.pbtxt")
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if not self._timer.should_trigger_for_step(int(run_values.results) + 1):
            return
        step = int(run_context.session.run(self._step))
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        step = int(session.run(self._step))
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: int) -> bool:
        for listener in self._listeners:
            listener.before_save(session, step)
        self._saver_to_use().save(session, self._path, global_step=step)
        requests = [listener.after_save(session, step) for listener in self._listeners]
        return any(requests)

    def _saver_to_use(self) -> Any:
        if self._saver is None:
            if self._scaffold is not None:
                return self._scaffold.saver
            savers = context.default_graph().get_collection(GraphKeys.SAVERS)
            if len(savers) != 1:
                raise RuntimeError(
                    f"There are {len(savers)} savers in the collection SAVERS, but a hook that "
                    "writes checkpoints needs one: give it a saver or a scaffold."
                )
            self._saver = savers[0]
        return self._saver


class LoggingTensorHook(SessionRunHook):
    """Logs the values of tensors periodically.

    Args:
        tensors: tensors or their names, in a dictionary or list.
        every_n_iter: the number of runs between two logs, or
        every_n_secs: the time.
        at_end: whether to log at the end; without the others, only then.
        formatter: a function from a dictionary of values to the text.

    Raises:
        ValueError: unless exactly one of the intervals is given.
    """

    def __init__(
        self,
        tensors: Any,
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[dict], str] | None = None,
    ) -> None:
        self._only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not self._only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError("either at_end and/or exactly one of every_n_iter and every_n_secs")
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if not isinstance(tensors, dict):
            tensors = {item if isinstance(item, str) else item.name: item for item in tensors}
        self._tensors = dict(tensors)
        self._formatter = formatter
        self._at_end = at_end
        if not self._only_at_end:
            self._timer = SecondOrStepTimer(every_n_secs, every_n_iter)

    def begin(self) -> None:
        graph = context.default_graph()
        self._iteration = 0
        self._current = {
            tag: graph.as_graph_element(tensor) for tag, tensor in self._tensors.items()
        }
        if not self._only_at_end:
            self._timer.reset()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        due = not self._only_at_end and self._timer.should_trigger_for_step(self._iteration)
        self._due = due
        return SessionRunArgs(self._current) if due else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if self._due:
            seconds, _ = self._timer.update_last_triggered_step(self._iteration)
            self._show(run_values.results, seconds)
        self._iteration += 1

    def end(self, session: Any) -> None:
        if self._at_end:
            self._show(session.run(self._current), None)

    def _show(self, values: dict, seconds: float | None) -> None:
        if self._formatter:
            text = self._formatter(values)
        else:
            text = ", ".join(f"{tag} = {value}" for tag, value in values.items())
            if seconds is not None:
                text += f" ({seconds:.3f} sec)"
        _log.info("%s", text)


class NanLossDuringTrainingError(RuntimeError):
    """A loss was NaN."""

    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Stops when a loss is NaN.

    Args:
        loss_tensor: the loss.
        fail_on_nan_loss: whether that is an error.
    """

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss = loss_tensor
        self._fail = fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if not np.isnan(run_values.results).any():
            return
        if self._fail:
            _log.error("Model diverged with loss = NaN.")
            raise NanLossDuringTrainingError
        _log.warning("Model diverged with loss = NaN.")
        run_context.request_stop()


class _SummaryHook(SessionRunHook):
    """Base class of hooks that write summaries."""

    def __init__(self, output_dir: str | None, summary_writer: Any) -> None:
        self._output_dir = output_dir
        self._writer = summary_writer

    def _open(self) -> None:
        if self._writer is None and self._output_dir:
            self._writer = summaries.FileWriterCache.get(self._output_dir)


class StepCounterHook(_SummaryHook):
    """Logs and writes the number of steps per second.

    Args:
        every_n_steps: the number of steps between two, or
        every_n_secs: the time.
        output_dir: the folder of a log for TensorBoard.
        summary_writer: or its writer.
    """

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
    ) -> None:
        super().__init__(output_dir, summary_writer)
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)

    def begin(self) -> None:
        self._open()
        self._step = _step_tensor("StepCounterHook")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if not self._timer.should_trigger_for_step(int(run_values.results) + 1):
            return
        step = int(run_context.session.run(self._step))
        if not self._timer.should_trigger_for_step(step):
            return
        seconds, steps = self._timer.update_last_triggered_step(step)
        if not seconds or steps is None:
            return
        rate = steps / seconds
        _log.info("%s/sec: %g", self._step.op.name, rate)
        if self._writer is not None:
            summary = summaries.summary_message()
            summary.value.add(tag=f"{self._step.op.name}/sec", simple_value=rate)
            self._writer.add_summary(summary, step)


class SummarySaverHook(_SummaryHook):
    """Writes summaries periodically.

    Args:
        save_steps: the number of steps between two, or
        save_secs: the time.
        output_dir: the folder of the log.
        summary_writer: or its writer.
        scaffold: has the summary, or
        summary_op: the summary itself.

    Raises:
        ValueError: unless exactly one of scaffold and summary_op is given.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        super().__init__(output_dir, summary_writer)
        self._summary_op = summary_op
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(save_secs, save_steps)

    def begin(self) -> None:
        self._open()
        self._next_step: int | None = None
        self._step = _step_tensor("SummarySaverHook")

    def _summary(self) -> Any:
        return self._summary_op if self._scaffold is None else self._scaffold.summary_op

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        self._due = self._next_step is None or self._timer.should_trigger_for_step(self._next_step)
        fetches = {"step": self._step}
        if self._due and self._summary() is not None:
            fetches["summary"] = self._summary()
        return SessionRunArgs(fetches)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        step = int(run_values.results["step"]) + 1
        if self._due:
            # The step may have been read before the update of the same run.
            step = int(run_context.session.run(self._step))
            self._timer.update_last_triggered_step(step)
            if "summary" in run_values.results and self._writer is not None:
                result = run_values.results["summary"]
                for summary in result if isinstance(result, list | tuple) else [result]:
                    self._writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session: Any) -> None:
        if self._writer is not None:
            self._writer.flush()


class GlobalStepWaiterHook(SessionRunHook):
    """Delays the first run until the global step has reached a value.

    Args:
        wait_until_step: the step.
    """

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until = wait_until_step
        self._started = False

    def begin(self) -> None:
        self._step = _step_tensor("GlobalStepWaiterHook")

    def before_run(self, run_context: SessionRunContext) -> None:
        while not self._started and self._wait_until > 0:
            if int(run_context.session.run(self._step)) >= self._wait_until:
                break
            time.sleep(0.5)
        self._started = True


class FinalOpsHook(SessionRunHook):
    """Runs operations at the end of a session.

    Args:
        final_ops: what to run; their results are in `final_ops_values`.
        final_ops_feed_dict: values for tensors.
    """

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._final_ops = final_ops
        self._feeds = final_ops_feed_dict
        self._values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """The results, once the session has ended."""
        return self._values

    def end(self, session: Any) -> None:
        if self._final_ops is not None:
            self._values = session.run(self._final_ops, feed_dict=self._feeds)


class FeedFnHook(SessionRunHook):
    """Feeds each run with the result of a function.

    Args:
        feed_fn: returns a dictionary of values for tensors.
    """

    def __init__(self, feed_fn: Callable[[], dict]) -> None:
        self._feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(None, self._feed_fn())
