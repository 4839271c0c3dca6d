"""The assertions of test cases about plain values: lengths, order, sets, files and messages of errors."""

from __future__ import annotations

import contextlib
import difflib
import io
import json
import operator
import os
import re
import sys
import tempfile
import threading
import unittest
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any


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


class PlainAssertions(unittest.TestCase):
    """unittest's test case with further assertions about plain values."""

    def _require(self, holds: bool, standard: str, msg: str | None) -> None:
        if not holds:
            self.fail(self._formatMessage(msg, standard))

    def assertEmpty(self, container: Any, msg: str | None = None) -> None:
        """Asserts that a container has no elements."""
        self._require(len(container) == 0, f"{container!r} has length of {len(container)}.", msg)

    def assertNotEmpty(self, container: Any, msg: str | None = None) -> None:
        """Asserts that a container has elements."""
        self._require(len(container) > 0, f"{container!r} has length of 0.", msg)

    def assertLen(self, container: Any, expected_len: int, msg: str | None = None) -> None:
        """Asserts how many elements a container has."""
        size = len(container)
        text = f"{container!r} has length of {size}, expected {expected_len}."
        self._require(size == expected_len, text, msg)

    def assertBetween(self, value: Any, minv: object, maxv: object, msg: str | None = None) -> None:
        """Asserts that a value is between two others, or equals one."""
        text = f"{value!r} unexpectedly not between {minv!r} and {maxv!r}"
        self._require(minv <= value <= maxv, text, msg)

    def assertItemsEqual(self, first: Any, second: Any, msg: str | None = None) -> None:
        """Asserts that two collections have the same elements as often, in any order."""
        self.assertCountEqual(first, second, msg)

    def assertSameElements(
        self, expected_seq: Any, actual_seq: Any, msg: str | None = None
    ) -> None:
        """Asserts that two collections have the same elements, however often."""
        self.assertCountEqual(_distinct(expected_seq), _distinct(actual_seq), msg)

    def assertContainsSubset(
        self, expected_subset: Any, actual_set: Any, msg: str | None = None
    ) -> None:
        """Asserts that a collection has all elements of another."""
        missing = set(expected_subset) - set(actual_set)
        self._require(not missing, f"Missing elements {missing}", msg)

    def assertNoCommonElements(
        self, expected_seq: Any, actual_seq: Any, msg: str | None = None
    ) -> None:
        """Asserts that two collections share no element."""
        common = set(expected_seq) & set(actual_seq)
        self._require(not common, f"Common elements {common}", msg)

    def assertContainsSubsequence(
        self, container: Sequence[object], subsequence: Sequence[object], msg: str | None = None
    ) -> None:
        """Asserts that elements are in a sequence, in this order."""
        remaining = iter(container)
        holds = all(element in remaining for element in subsequence)
        self._require(holds, f"{subsequence} not a subsequence of {container}", msg)

    def assertContainsExactSubsequence(
        self, container: Sequence[object], subsequence: Sequence[object], msg: str | None = None
    ) -> None:
        """Asserts that elements are in a sequence, in this order and without others between."""
        count, wanted = len(subsequence), list(subsequence)
        starts = range(len(container) - count + 1)
        holds = any(list(container[k : k + count]) == wanted for k in starts)
        self._require(holds, f"{subsequence} not an exact subsequence of {container}", msg)

    def assertContainsInOrder(
        self, strings: Iterable[str], target: str, msg: str | None = None
    ) -> None:
        """Asserts that texts are in another one, in this order."""
        at = 0
        for text in [strings] if isinstance(strings, str) else strings:
            index = target.find(text, at)
            self._require(index >= 0, f"Did not find {text!r} in order in {target!r}", msg)
            at = index + len(text)

    def assertTotallyOrdered(self, *groups: Iterable[Any], msg: str | None = None) -> None:
        """Asserts that values of each group equal each other, and are less than later groups'."""
        kept = [list(group) for group in groups]
        for k, group in enumerate(kept):
            for value in group:
                for other in group:
                    self._require(value == other, f"{value!r} != {other!r}", msg)
                for later in (item for rest in kept[k + 1 :] for item in rest):
                    for compare in (operator.lt, operator.le, operator.ne):
                        text = f"{compare.__name__}({value!r}, {later!r}) does not hold"
                        self._require(compare(value, later), text, msg)

    def assertSequenceStartsWith(
        self, prefix: object, whole: Sequence[object], msg: str | None = None
    ) -> None:
        """Asserts that a sequence begins with these elements, of which there is at least one."""
        first = list(prefix) if isinstance(prefix, Collection) else [prefix]
        self.assertNotEmpty(first, "Prefix length is 0.")
        text = f"prefix {first} not found at start of whole {list(whole)}"
        self._require(list(whole)[: len(first)] == first, text, msg)

    def assertSequenceAlmostEqual(
        self,
        expected_seq: Sequence[Any],
        actual_seq: Sequence[Any],
        places: int | None = None,
        msg: str | None = None,
        delta: float | None = None,
    ) -> None:
        """Asserts that the values of two sequences are close to each other."""
        self.assertEqual(len(expected_seq), len(actual_seq), msg)
        for one, other in zip(expected_seq, actual_seq, strict=True):
            self.assertAlmostEqual(one, other, places, msg, delta)  # type: ignore[arg-type]

    def assertDictAlmostEqual(
        self,
        a: Mapping[Any, Any],
        b: Mapping[Any, Any],
        places: int | None = None,
        msg: str | None = None,
        delta: float | None = None,
    ) -> None:
        """Asserts that two dictionaries have the same keys and close values."""
        self.assertCountEqual(a, b, msg)
        for key, value in a.items():
            self.assertAlmostEqual(value, b[key], places, msg, delta)  # type: ignore[arg-type]

    def assertSameStructure(
        self, a: Any, b: Any, aname: str = "a", bname: str = "b", msg: str | None = None
    ) -> None:
        """Asserts that two values are nested alike and have the same leaves."""
        text = "\n".join(difflib.ndiff(repr(a).splitlines(), repr(b).splitlines()))
        self._require(a == b, f"{aname} and {bname} differ:\n{text}", msg)

    def assertJsonEqual(self, first: str, second: str, msg: str | None = None) -> None:
        """Asserts that two texts are the same value in JSON."""
        self.assertEqual(json.loads(first), json.loads(second), msg)

    def assertStartsWith(self, actual: str, expected_start: str, msg: str | None = None) -> None:
        """Asserts that a text begins with another."""
        text = f"{actual!r} does not start with {expected_start!r}"
        self._require(actual.startswith(expected_start), text, msg)

    def assertNotStartsWith(
        self, actual: str, unexpected_start: str, msg: str | None = None
    ) -> None:
        """Asserts that a text does not begin with another."""
        text = f"{actual!r} does start with {unexpected_start!r}"
        self._require(not actual.startswith(unexpected_start), text, msg)

    def assertEndsWith(self, actual: str, expected_end: str, msg: str | None = None) -> None:
        """Asserts that a text ends with another."""
        text = f"{actual!r} does not end with {expected_end!r}"
        self._require(actual.endswith(expected_end), text, msg)

    def assertNotEndsWith(self, actual: str, unexpected_end: str, msg: str | None = None) -> None:
        """Asserts that a text does not end with another."""
        text = f"{actual!r} does end with {unexpected_end!r}"
        self._require(not actual.endswith(unexpected_end), text, msg)

    def assertRegexMatch(
        self, actual_str: Any, regexes: Iterable[object], message: str | None = None
    ) -> None:
        """Asserts that a text has a match of one of several patterns."""
        patterns: list[Any] = [regexes] if isinstance(regexes, str | bytes) else list(regexes)
        text = f"{actual_str!r} matches none of {patterns}"
        self._require(any(re.search(p, actual_str) for p in patterns), text, message)

    def assertIsSubclass(self, cls: type, superclass: Any, msg: str | None = None) -> None:
        """Asserts that a class is a subclass of another."""
        self._require(issubclass(cls, superclass), f"{cls} is not a subclass of {superclass}", msg)

    def assertNotIsSubclass(self, cls: type, superclass: Any, msg: str | None = None) -> None:
        """Asserts that a class is not a subclass of another."""
        self._require(not issubclass(cls, superclass), f"{cls} is a subclass of {superclass}", msg)

    @contextlib.contextmanager
    def assertRaisesWithLiteralMatch(
        self, expected_exception: type[BaseException], expected_exception_message: str
    ) -> Iterator[None]:
        """Asserts that an exception with exactly this message is raised."""
        with self.assertRaises(expected_exception) as caught:
            yield
        self.assertEqual(str(caught.exception), expected_exception_message)

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


def _distinct(items: Iterable[Any]) -> list[Any]:
    distinct: list[Any] = []
    for item in items:
        if item not in distinct:
            distinct.append(item)
    return distinct
