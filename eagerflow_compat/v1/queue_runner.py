"""Threads that fill queues while a session runs."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any

from eagerflow import errors
from eagerflow.framework import context
from eagerflow.framework.operation import Operation
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
session = lazy.Module("eagerflow.graph.session")


class QueueRunner:
    """Runs the operations that fill a queue in threads, until the elements end.

    Args:
        queue: the queue; it is closed at the end.
        enqueue_ops: the operations, one for each thread.
        close_op: closes the queue.
        cancel_op: closes the queue, and cancels pending enqueue operations.
        queue_closed_exception_types: the errors that mean that the elements have ended.
        queue_runner_def: accepted.
        import_scope: accepted.

    Raises:
        ValueError: without a queue or operations.
    """

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Sequence | None = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: tuple | None = None,
        queue_runner_def: object = None,
        import_scope: str | None = None,
    ) -> None:
        if queue is None or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        self._queue = queue
        self._enqueue_ops = list(enqueue_ops)
        self._close_op = queue.close() if close_op is None else close_op
        cancels = queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        self._cancel_op = cancels
        self._ends = queue_closed_exception_types or (errors.OutOfRangeError,)
        self._lock = threading.Lock()
        self._runs_per_session: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._exceptions_raised: list[BaseException] = []

    @property
    def queue(self) -> Any:
        """The queue."""
        return self._queue

    @property
    def enqueue_ops(self) -> list[Operation]:
        """The operations that the threads run."""
        return self._enqueue_ops

    @property
    def close_op(self) -> Operation | None:
        """The operation that closes the queue."""
        return self._close_op

    @property
    def cancel_op(self) -> Operation | None:
        """The operation that closes the queue and cancels pending operations."""
        return self._cancel_op

    @property
    def name(self) -> str:
        """The queue's name."""
        return self._queue.name

    @property
    def exceptions_raised(self) -> list[BaseException]:
        """The errors of threads without a coordinator."""
        return self._exceptions_raised

    def _run(self, sess: Any, enqueue_op: Operation, coord: Any) -> None:
        try:
            while not (coord and coord.should_stop()):
                try:
                    sess.run(enqueue_op)
                except self._ends:
                    break
        except (errors.CancelledError, RuntimeError) as error:
            # The session is closed, or the queue cancelled.
            stopped = coord and coord.should_stop()
            if isinstance(error, RuntimeError) and not (sess._closed or stopped):
                self._note(error, coord)
        except Exception as error:
            self._note(error, coord)
        with self._lock:
            self._runs_per_session[sess] -= 1
            last = self._runs_per_session[sess] == 0
        if last and not sess._closed:
            sess.run(self._close_op)

    def _note(self, error: Exception, coord: Any) -> None:
        if coord:
            coord.request_stop(error)
        else:
            self._exceptions_raised.append(error)

    def _close_on_stop(self, sess: Any, cancel_op: Any, coord: Any) -> None:
        coord.wait_for_stop()
        if not sess._closed:
            sess.run(cancel_op)

    def create_threads(
        self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """Makes the threads for a session; none if they run already.

        Args:
            sess: the session.
            coord: stops the threads.
            daemon: whether the process may end before them.
            start: whether to start them.
        """
        with self._lock:
            if self._runs_per_session.get(sess, 0) > 0:
                return []
            self._runs_per_session[sess] = len(self._enqueue_ops)
        threads = [
            threading.Thread(target=self._run, args=(sess, op, coord), daemon=daemon)
            for op in self._enqueue_ops
        ]
        if coord:
            threads.append(
                threading.Thread(
                    target=self._close_on_stop,
                    args=(sess, self._cancel_op, coord),
                    daemon=daemon,
                )
            )
        for thread in threads:
            if coord:
                coord.register_thread(thread)
            if start:
                thread.start()
        return threads


def add_queue_runner(qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Adds a runner to those that `start_queue_runners` starts."""
    context.default_graph().add_to_collection(collection, qr)


def start_queue_runners(
    sess: Any = None,
    coord: Any = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Starts the threads of all runners of the graph.

    Args:
        sess: the session, by default the default one.
        coord: stops the threads.
        daemon: whether the process may end before them.
        start: whether to start them, or only to make them.
        collection: where the runners are.

    Raises:
        ValueError: if there is no session.
        RuntimeError: if operations run eagerly.
    """
    if context.executing_eagerly():
        raise RuntimeError("Queues are not compatible with eager execution.")
    sess = sess or session.get_default_session()
    if sess is None:
        raise ValueError(
            "Cannot start queue runners: No default session is registered. Use `with "
            "sess.as_default()` or pass an explicit session to start_queue_runners(sess=sess)"
        )
    return [
        thread
        for runner in sess.graph.get_collection(collection)
        for thread in runner.create_threads(sess, coord, daemon, start)
    ]
