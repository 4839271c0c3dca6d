"""What test cases do beside assertions: they run threads, and capture what is written."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from typing import Any

from absl.testing import absltest


class CheckedThread:
    """A thread of a test, whose failure is the test's.

    Args:
        testcase: the test.
        target: the function that the thread runs.
        args: its arguments.
        kwargs: its arguments by name.
    """

    def __init__(
        self, testcase: Any, target: Callable[..., Any], args: Any = None, kwargs: Any = None
    ) -> None:
        self._testcase = testcase
        self._call = (target, tuple(args or ()), dict(kwargs or {}))
        self._thread = threading.Thread(target=self._run)
        self._error: BaseException | None = None

    def _run(self) -> None:
        target, args, kwargs = self._call
        try:
            target(*args, **kwargs)
        except BaseException as error:
            self._error = error

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def join(self) -> None:
        """Waits for its end, and fails the test if it has failed."""
        self._thread.join()
        if self._error is not None:
            self._testcase.fail(f"Error in checkedThread: {self._error}")

    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self._thread.is_alive()


class CapturingTestCase(absltest.TestCase):
    """absl's test case, which also runs threads and captures what is written."""

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[Any]:
        """Captures what is written to `sys.stdout` or `sys.stderr`, by Python and by native code.

        Yields:
            An object whose `contents()` returns the text written so far.
        """
        stream.flush()
        number = (sys.__stderr__ if stream is sys.stderr else sys.__stdout__).fileno()  # type: ignore[union-attr]
        kept = os.dup(number)
        python_part = io.StringIO()
        redirect = (
            contextlib.redirect_stderr if stream is sys.stderr else contextlib.redirect_stdout
        )
        with tempfile.TemporaryFile() as file:
            captured = _Captured(python_part, file)
            os.dup2(file.fileno(), number)
            try:
                with redirect(python_part):
                    yield captured
            finally:
                os.dup2(kept, number)
                os.close(kept)
                captured.finish()

    def checkedThread(
        self, target: Callable[..., object], args: object = None, kwargs: object = None
    ) -> CheckedThread:
        """A thread that fails this test when it fails."""
        return CheckedThread(self, target, args, kwargs)


class _Captured:
    """What has been written to a stream."""

    def __init__(self, python_part: io.StringIO, file: Any) -> None:
        self._python_part = python_part
        self._file: Any = file
        self._native_part = ""

    def finish(self) -> None:
        """Keeps what has been written, as the file is about to be closed."""
        self._native_part = self._read()
        self._file = None

    def _read(self) -> str:
        if self._file is None:
            return self._native_part
        self._file.seek(0)
        return self._file.read().decode()

    def contents(self) -> str:
        """The text so far."""
        return self._read() + self._python_part.getvalue()
