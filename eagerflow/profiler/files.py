"""Profiles as files: Chrome's trace format, and the XSpace message that TensorBoard reads."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from eagerflow.profiler.events import Event, Recording
from eagerflow.util import lazy
from eagerflow.util.varints import varints

# Needed where a profile of several processes is written.
watch = lazy.Module("eagerflow.distribute.watch")


class Span(NamedTuple):
    """A bar in a row of a timeline. Times are nanoseconds since the profile began."""

    name: str
    begin: int
    duration: int
    details: Mapping[str, str | int]


class Row(NamedTuple):
    """A row of a timeline."""

    number: int
    name: str
    spans: list[Span]


def rows(recording: Recording) -> list[Row]:
    """A row for each thread, and one for each communicator of several processes."""
    by_thread: dict[int, list[Span]] = {}
    for event in recording.events:
        by_thread.setdefault(event.thread, []).append(_span(event))
    found = [
        Row(thread, recording.threads.get(thread, f"thread {thread}"), spans)
        for thread, spans in by_thread.items()
    ]
    return found + _communication(recording)


def _span(event: Event) -> Span:
    if event.details is not None:
        return Span(event.name, event.begin, event.duration, dict(event.details))
    details: dict[str, str | int] = {}
    if event.line is not None:
        details["line"] = f"{event.line.file}:{event.line.number}"
        details["code"] = event.line.text()
    if event.gradient:
        details["gradient"] = 1
    if event.bytes:
        details["bytes"] = event.bytes
    return Span(event.name, event.begin, event.duration, details)


def _communication(recording: Recording) -> list[Row]:
    """The collectives of several processes since the profile began."""
    watching = watch.current()
    found = []
    for number, ledger in enumerate([] if watching is None else watching.ledgers()):
        row = Row(number, f"communicator {ledger.path}", [])
        for entry in watch.entries_after(ledger, 0):
            _, _, _, size, begin, end = entry
            if begin >= recording.begun:
                start, duration = (begin - recording.begun) * 1e9, (end - begin) * 1e9
                row.spans.append(
                    Span(ledger.text(entry), int(start), int(duration), {"bytes": size})
                )
        found.append(row)
    return found


def write_chrome_trace(recording: Recording, path: str | os.PathLike[str]) -> None:
    """Writes a file for chrome://tracing and Perfetto, compressed if its name ends in `.gz`."""
    process = os.getpid()
    events: list[dict[str, object]] = [_named("process_name", process, 0, "/host:CPU")]
    for row in rows(recording):
        events.append(_named("thread_name", process, row.number, row.name))
        for span in row.spans:
            events.append(
                {
                    "ph": "X",
                    "name": span.name,
                    "pid": process,
                    "tid": row.number,
                    "ts": span.begin / 1000,
                    "dur": span.duration / 1000,
                    "args": {key: str(value) for key, value in span.details.items()},
                }
            )
    name = os.fspath(path)
    with gzip.open(name, "wt") if name.endswith(".gz") else open(name, "w") as file:
        json.dump({"displayTimeUnit": "ns", "traceEvents": events}, file)


def _named(what: str, process: int, row: int, name: str) -> dict[str, object]:
    return {"ph": "M", "name": what, "pid": process, "tid": row, "args": {"name": name}}


def _number(field: int, value: int) -> bytes:
    return varints(field << 3, value & (1 << 64) - 1)


def _bytes(field: int, value: bytes) -> bytes:
    return varints(field << 3 | 2, len(value)) + value


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode("utf-8", "replace"))


def _entry(field: int, number: int, content: bytes) -> bytes:
    """An entry of a map from integers to messages."""
    return _bytes(field, _number(1, number) + _bytes(2, content))


class _Names(dict[str, int]):
    """The numbers of names, from 1, in the order in which they are first asked for."""

    def __missing__(self, name: str) -> int:
        self[name] = len(self) + 1
        return self[name]

    def messages(self, field: int) -> Iterable[bytes]:
        """Entries of a map to the names: fields 1 and 2 of the messages are number and name."""
        for name, number in self.items():
            yield _entry(field, number, _number(1, number) + _text(2, name))


# What TensorBoard takes for the name and type of an operation: "dense/MatMul:MatMul".
_OPERATION = re.compile(r"[A-Z]\w*(, [A-Z]\w*)*")


def _shown_name(event_name: str, is_part: bool) -> str:
    if is_part or not _OPERATION.fullmatch(event_name):
        return event_name
    names = event_name.split(", ")
    return f"{'.'.join(names)}:{names[0] if len(names) == 1 else 'Fused'}"


def xspace(recording: Recording, host: str, since_epoch: int) -> bytes:
    """The XSpace message of a profile: one plane, with a line for each row.

    Args:
        recording: the profile.
        host: the computer's name.
        since_epoch: nanoseconds from 1970 to the begin of the profile.
    """
    names, stats = _Names(), _Names()
    lines = []
    for row in rows(recording):
        events = []
        for span in row.spans:
            is_part = "line" not in span.details
            content = _number(1, names[_shown_name(span.name, is_part)])
            content += _number(2, max(span.begin, 0) * 1000) + _number(3, span.duration * 1000)
            for key, value in span.details.items():
                stat = _number(1, stats[key])
                if isinstance(value, int) or value.isdecimal():
                    stat += _number(4, int(value))
                else:
                    stat += _text(5, value)
                content += _bytes(4, stat)
            events.append(_bytes(4, content))
        head = _number(1, row.number) + _text(2, row.name) + _number(3, since_epoch)
        lines.append(_bytes(3, head + b"".join(events)))
    plane = _number(1, 1) + _text(2, "/host:CPU") + b"".join(lines)
    plane += b"".join(names.messages(4)) + b"".join(stats.messages(5))
    return _bytes(1, plane) + _text(4, host)
