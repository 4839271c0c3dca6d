"""Supervisor: sessions that are restored, saved and summarized, as before monitored sessions."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from eagerflow.framework import context
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.session import BaseSession, Session
from eagerflow.io.proto_fields import write_graph
from eagerflow.train.coordinator import Coordinator, LooperThread
from eagerflow_compat.v1 import global_step as steps
from eagerflow_compat.v1 import protos
from eagerflow_compat.v1.monitored_session import Scaffold, SessionManager
from eagerflow_compat.v1.summary import FileWriter, summary_message

__all__ = ["Supervisor", "basic_train_loop"]


class Supervisor:
    """Starts sessions of a training program, and saves and summarizes them while they run.

    Arguments that are `Supervisor.USE_DEFAULT` are made from the graph; None leaves the thing out.

    Args:
        graph: the graph, the default one otherwise; it is finalized.
        ready_op: returns the names of variables that are not initialized.
        ready_for_local_init_op: accepted.
        is_chief: whether this process initializes, saves and summarizes.
        init_op: initializes variables; by default all global ones.
        init_feed_dict: values for it.
        local_init_op: initializes local variables and tables.
        logdir: the folder of checkpoints and summaries; None saves nothing.
        summary_op: the summary; by default all of the graph.
        saver: saves and restores; by default all global variables.
        global_step: the step's variable; by default that of the graph.
        save_summaries_secs: seconds between two summaries; 0 writes none.
        save_model_secs: seconds between two checkpoints; 0 writes none.
        recovery_wait_secs: accepted.
        stop_grace_secs: how long threads may take at the end.
        checkpoint_basename: the name of checkpoints in the folder.
        session_manager: makes sessions; by default one with these arguments.
        summary_writer: writes summaries; by default one for the folder.
        init_fn: called with the session after `init_op`.
        local_init_run_options: accepted.

    >>> import tempfile
    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default():
    ...     step = v1.train.get_or_create_global_step()
    ...     train = v1.assign_add(step, 1)
    ...     supervisor = v1.train.Supervisor(logdir=tempfile.mkdtemp())
    ...     with supervisor.managed_session() as session:
    ...         while not supervisor.should_stop() and session.run(train) < 3:
    ...             pass
    ...         int(session.run(step))
    3
    """

    USE_DEFAULT = 0

    def __init__(
        self,
        graph: Any = None,
        ready_op: Any = USE_DEFAULT,
        ready_for_local_init_op: Any = USE_DEFAULT,
        is_chief: bool = True,
        init_op: Any = USE_DEFAULT,
        init_feed_dict: Any = None,
        local_init_op: Any = USE_DEFAULT,
        logdir: str | None = None,
        summary_op: Any = USE_DEFAULT,
        saver: Any = USE_DEFAULT,
        global_step: Any = USE_DEFAULT,
        save_summaries_secs: float = 120,
        save_model_secs: float = 600,
        recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        session_manager: Any = None,
        summary_writer: Any = USE_DEFAULT,
        init_fn: Callable[[BaseSession], object] | None = None,
        local_init_run_options: object = None,
    ) -> None:
        if context.executing_eagerly():
            raise RuntimeError("Supervisors are incompatible with eager execution.")
        default = self.USE_DEFAULT
        self._graph = graph or context.default_graph()
        with self._graph.as_default():
            given = {
                "ready_op": ready_op,
                "init_op": init_op,
                "local_init_op": local_init_op,
                "summary_op": summary_op,
                "saver": saver,
            }
            made = Scaffold(
                **{k: v for k, v in given.items() if v is not default and v is not None}
            )
            made.finalize()
            kept = {k: getattr(made, k) for k, v in given.items() if v is not None}
            if global_step is default:
                global_step = steps.get_global_step(self._graph)
        self._ready_op, self._init_op = kept.get("ready_op"), kept.get("init_op")
        self._local_init_op = kept.get("local_init_op")
        self._init_feed_dict, self._init_fn = init_feed_dict, init_fn
        self._is_chief, self._logdir = is_chief, logdir
        self._summary_op = kept.get("summary_op") if is_chief else None
        self._saver, self._global_step = kept.get("saver"), global_step
        self._save_summaries_secs = save_summaries_secs if is_chief else 0
        self._save_model_secs = save_model_secs if is_chief else 0
        self._stop_grace_secs = stop_grace_secs
        self._save_path = os.path.join(logdir, checkpoint_basename) if logdir else None
        if summary_writer is default:
            summary_writer = FileWriter(logdir) if is_chief and logdir else None
        self._summary_writer = summary_writer
        self._coord = Coordinator()
        self._session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op, ready_op=self._ready_op, graph=self._graph
        )
        self._graph_is_written = False

    @property
    def session_manager(self) -> Any:
        """What makes the sessions."""
        return self._session_manager

    @property
    def coord(self) -> Coordinator:
        """The coordinator of all threads."""
        return self._coord

    @property
    def is_chief(self) -> bool:
        """Whether this process initializes, saves and summarizes."""
        return self._is_chief

    @property
    def init_op(self) -> Any:
        """What initializes variables, or None."""
        return self._init_op

    @property
    def init_feed_dict(self) -> Any:
        """Values for `init_op`."""
        return self._init_feed_dict

    @property
    def ready_op(self) -> Any:
        """What names variables that are not initialized, or None."""
        return self._ready_op

    @property
    def summary_op(self) -> Any:
        """The summary, or None."""
        return self._summary_op

    @property
    def summary_writer(self) -> Any:
        """The writer of summaries, or None."""
        return self._summary_writer

    @property
    def save_summaries_secs(self) -> float:
        """The seconds between two summaries."""
        return self._save_summaries_secs

    @property
    def saver(self) -> Any:
        """What saves and restores, or None."""
        return self._saver

    @property
    def save_model_secs(self) -> float:
        """The seconds between two checkpoints."""
        return self._save_model_secs

    @property
    def save_path(self) -> str | None:
        """The path of checkpoints without step and endings, or None."""
        return self._save_path

    @property
    def global_step(self) -> Any:
        """The variable of the step, or None."""
        return self._global_step

    def prepare_or_wait_for_session(
        self,
        master: str = "",
        config: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Session:
        """A session, restored from the latest checkpoint or initialized, whose queues run."""
        self._coord.clear_stop()
        if self._summary_writer is not None:
            self._summary_writer.reopen()
        with self._graph.as_default():
            session: Session = self._session_manager.prepare_session(
                master,
                init_op=self._init_op,
                saver=self._saver,
                checkpoint_dir=self._logdir,
                config=config,
                init_feed_dict=self._init_feed_dict,
                init_fn=self._init_fn,
            )
        if self._is_chief:
            self._write_graph()
        if start_standard_services and self._is_chief:
            self.start_standard_services(session)
        self.start_queue_runners(session)
        return session

    def start_standard_services(self, sess: Session) -> list[LooperThread]:
        """Starts the threads that write summaries and checkpoints.

        Raises:
            RuntimeError: if this process is not the chief.
        """
        if not self._is_chief:
            raise RuntimeError("Only chief supervisor can start standard services.")
        if not self._logdir:
            return []
        loops: list[tuple[float, Callable[[], object]]] = []
        if self._summary_writer is not None:
            start = protos.SessionLog(status=protos.SessionLog.START)
            self._summary_writer.add_session_log(start, self._step(sess))
            if self._save_summaries_secs:
                if self._summary_op is not None:
                    loops.append((self._save_summaries_secs, lambda: self.summary_computed(sess)))
                if self._global_step is not None:
                    loops.append((self._save_summaries_secs, _StepsPerSecond(self, sess)))
        if self._saver is not None and self._save_model_secs:
            loops.append((self._save_model_secs, lambda: self._save(sess)))
        return [self.loop(seconds, call) for seconds, call in loops]

    def start_queue_runners(self, sess: Session, queue_runners: Any = None) -> list[Any]:
        """Starts threads for queues; by default those of the graph's collection."""
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        return [
            thread
            for runner in queue_runners
            for thread in runner.create_threads(sess, coord=self._coord, daemon=True, start=True)
        ]

    def summary_computed(self, sess: Session, summary: Any = None, global_step: Any = None) -> None:
        """Writes a summary, as a session returned it; by default that of `summary_op`.

        Raises:
            RuntimeError: if there is no writer.
        """
        if self._summary_writer is None:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if summary is None:
            summary = sess.run(self._summary_op)
        step = self._step(sess) if global_step is None else global_step
        self._summary_writer.add_summary(summary, step)

    def loop(
        self,
        timer_interval_secs: float | None,
        target: Callable,
        args: Any = None,
        kwargs: Any = None,
    ) -> LooperThread:
        """Calls a function in a thread, again and again until stop; with None only once."""
        thread = LooperThread(self._coord, timer_interval_secs, target, args, kwargs)
        thread.daemon = True
        thread.start()
        return thread

    def should_stop(self) -> bool:
        """Whether a stop was requested."""
        return self._coord.should_stop()

    def request_stop(self, ex: BaseException | None = None) -> None:
        """Requests that all threads end, because of an exception if there is one."""
        self._coord.request_stop(ex)

    def wait_for_stop(self) -> None:
        """Waits until a stop is requested."""
        self._coord.wait_for_stop()

    def stop_on_exception(self) -> Any:
        """A context that requests a stop if an exception leaves it."""
        return self._coord.stop_on_exception()

    def stop(
        self,
        threads: Any = None,
        close_summary_writer: bool = True,
        ignore_live_threads: bool = False,
    ) -> None:
        """Ends all threads, and raises what was raised in one of them."""
        self._coord.request_stop()
        try:
            self._coord.join(
                threads,
                stop_grace_period_secs=self._stop_grace_secs,
                ignore_live_threads=ignore_live_threads,
            )
        finally:
            if close_summary_writer and self._summary_writer is not None:
                self._summary_writer.add_session_log(
                    protos.SessionLog(status=protos.SessionLog.STOP)
                )
                self._summary_writer.close()
                self._graph_is_written = False

    @contextlib.contextmanager
    def managed_session(
        self,
        master: str = "",
        config: Any = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Session]:
        """A context with a session; an exception in it or in a thread ends all threads."""
        session = None
        try:
            session = self.prepare_or_wait_for_session(
                master, config, start_standard_services=start_standard_services
            )
            with self._graph.as_default(), session.as_default():
                yield session
        except Exception as error:
            self.request_stop(error)
        finally:
            try:
                # Queues may wait for what never comes: closing the session ends them.
                self._coord.request_stop()
                if session is not None:
                    session.close()
            finally:
                self.stop(close_summary_writer=close_summary_writer)

    # The names that they had first.
    PrepareSession = prepare_or_wait_for_session
    StartStandardServices = start_standard_services
    StartQueueRunners = start_queue_runners
    SummaryComputed = summary_computed
    Loop = loop
    ShouldStop = should_stop
    RequestStop = request_stop
    WaitForStop = wait_for_stop
    StopOnException = stop_on_exception
    Stop = stop

    def _write_graph(self) -> None:
        if self._logdir and not os.path.exists(os.path.join(self._logdir, "graph.pbtxt")):
            write_graph(self._graph.as_graph_def(add_shapes=True), self._logdir, "graph.pbtxt")
        if self._summary_writer is not None and not self._graph_is_written:
            self._graph_is_written = True
            self._summary_writer.add_graph(self._graph)

    def _step(self, session: Session) -> int | None:
        return None if self._global_step is None else int(session.run(self._global_step))

    def _save(self, session: Session) -> None:
        assert self._saver is not None
        self._saver.save(session, self._save_path, global_step=self._global_step)
        if self._summary_writer is not None:
            log = protos.SessionLog(
                status=protos.SessionLog.CHECKPOINT, checkpoint_path=self._save_path
            )
            self._summary_writer.add_session_log(log, self._step(session))


class _StepsPerSecond:
    """Writes how many steps a second were made since the last time."""

    def __init__(self, supervisor: Supervisor, session: Session) -> None:
        self._supervisor, self._session = supervisor, session
        self._time, self._count = time.monotonic(), supervisor._step(session) or 0

    def __call__(self) -> None:
        now, step = time.monotonic(), self._supervisor._step(self._session) or 0
        if step == self._count:
            return
        summary = summary_message()
        rate = (step - self._count) / max(now - self._time, 1e-9)
        summary.value.add(tag="global_step/sec", simple_value=rate)
        self._supervisor.summary_computed(self._session, summary, step)
        self._time, self._count = now, step


def basic_train_loop(
    supervisor: Supervisor,
    train_step_fn: Callable,
    args: Any = None,
    kwargs: Any = None,
    master: str = "",
) -> None:
    """Calls a function with a managed session until the supervisor stops.

    Args:
        supervisor: makes the session.
        train_step_fn: gets the session and the further arguments.
        args: more arguments.
        kwargs: more arguments by name.
        master: must be empty.
    """
    with supervisor.managed_session(master) as session:
        while not supervisor.should_stop():
            train_step_fn(session, *(args or ()), **(kwargs or {}))
