"""Coordinator: stops several threads together, and reports the exception of one of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from eagerflow import errors


class Coordinator:
    """Stops several threads together.

    Args:
        clean_stop_exception_types: exceptions that end a thread without being errors; by default
            `tf.errors.OutOfRangeError`.

    >>> coordinator = tf.train.Coordinator()
    >>> coordinator.request_stop()
    >>> coordinator.should_stop()
    True
    """

    def __init__(self, clean_stop_exception_types: tuple[Any, ...] | None = None) -> None:
        self._clean = clean_stop_exception_types or (errors.OutOfRangeError,)
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._error: BaseException | None = None
        self._threads: list[threading.Thread] = []
        self._joined = False

    def request_stop(self, ex: Any = None) -> None:
        """Requests all threads to stop.

        Args:
            ex: an exception, or the result of `sys.exc_info`, which `join` raises again.
        """
        error = ex[1] if isinstance(ex, tuple) else ex
        with self._lock:
            if self._joined and error is not None and not isinstance(error, self._clean):
                raise error
            if not self._stopped.is_set():
                if error is not None and not isinstance(error, self._clean):
                    self._error = error
                self._stopped.set()

    def clear_stop(self) -> None:
        """Clears the request to stop."""
        with self._lock:
            self._joined = False
            self._error = None
            self._stopped.clear()

    def should_stop(self) -> bool:
        """Whether a stop has been requested."""
        return self._stopped.is_set()

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits for a request to stop; returns False after a timeout."""
        return self._stopped.wait(timeout)

    @contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Requests a stop if an exception leaves the `with` block, and suppresses the exception."""
        try:
            yield
        except BaseException as error:
            self.request_stop(error)

    def register_thread(self, thread: threading.Thread) -> None:
        """Registers a thread that `join` waits for."""
        with self._lock:
            self._threads.append(thread)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Waits for the threads to end.

        Args:
            threads: further threads than those registered.
            stop_grace_period_secs: how long they may take after a stop has been asked for.
            ignore_live_threads: whether threads that take longer are no error.

        Raises:
            RuntimeError: if threads take longer.
            Exception: the one that a stop was asked for with.
        """
        waiting = [*self._threads, *(threads or ())]
        while any(thread.is_alive() for thread in waiting) and not self._stopped.wait(0.05):
            pass
        end = time.monotonic() + stop_grace_period_secs
        for thread in waiting:
            thread.join(max(0.0, end - time.monotonic()))
        late = [thread.name for thread in waiting if thread.is_alive()]
        with self._lock:
            self._joined = True
            self._threads = []
            error = self._error
        if error is not None:
            raise error
        if late and not ignore_live_threads:
            raise RuntimeError(f"Coordinator stopped with threads still running: {' '.join(late)}")

    @property
    def joined(self) -> bool:
        """Whether `join` has returned."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raises the exception of the request to stop, if there is one."""
        if self._error is not None:
            raise self._error


class LooperThread(threading.Thread):
    """A thread that calls a function repeatedly until its coordinator stops.

    Args:
        coord: the coordinator.
        timer_interval_secs: the time between calls; None calls without a pause.
        target: the function; or a subclass defines `run_loop`.
        args: its arguments.
        kwargs: its keyword arguments.
    """

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., Any] | None = None,
        args: tuple[Any, ...] | None = None,
        kwargs: dict[Any, Any] | None = None,
    ) -> None:
        super().__init__(daemon=True)
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        self._coord = coord
        self._interval = timer_interval_secs
        self._function = target
        self._arguments = args or (), kwargs or {}
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., object],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[Any, Any] | None = None,
    ) -> LooperThread:
        """Starts a thread that calls a function repeatedly."""
        thread = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        thread.start()
        return thread

    def run(self) -> None:
        """Calls the function until the coordinator stops."""
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._interval is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                self.run_loop()
                while not self._coord.wait_for_stop(self._interval):
                    self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Called before the first call."""

    def stop_loop(self) -> None:
        """Called after the last call."""

    def run_loop(self) -> None:
        """Called repeatedly."""
        if self._function is not None:
            args, kwargs = self._arguments
            self._function(*args, **kwargs)
