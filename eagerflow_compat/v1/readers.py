"""Readers: they take file names from a queue and return keys and values."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import context, dtypes
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graph.nodes import python_node
from eagerflow.graph.session import running_session
from eagerflow.util import lazy
from eagerflow.util.regular import open_regular, read_regular

# Imported when it is first used: few programs need it.
records = lazy.Module("eagerflow_compat.v1.records")

Item = tuple[bytes, bytes]


class _State:
    """The position of a reader in one session, whose threads take turns at it."""

    def __init__(self) -> None:
        self.turn = threading.RLock()
        self.items: Iterator[Item] | None = None  # those of the work that has begun
        self.produced = 0
        self.completed = 0


class ReaderBase:
    """What readers have in common; see `TextLineReader`.

    Raises:
        RuntimeError: if operations run eagerly.
    """

    def __init__(self, name: str | None = None) -> None:
        self._graph = context.building_graph()
        if self._graph is None:
            raise RuntimeError(
                "Readers are not supported when eager execution is enabled. Instead, please use "
                "tf.data to get data into your model."
            )
        self._name = name or type(self).__name__

    def _items(self, work: bytes) -> Iterator[Item]:
        raise NotImplementedError(f"{type(self).__name__} reads nothing.")

    def _state(self) -> _State:
        return running_session()._storage.setdefault(id(self), _State())

    def _next(self, queue: Any) -> Item:
        state = self._state()
        with state.turn:
            while True:
                if state.items is None:
                    (work,) = queue._contents().take(1)[0]
                    state.items = self._items(work.numpy())
                item = next(state.items, None)
                if item is not None:
                    state.produced += 1
                    return item
                state.completed += 1
                state.items = None

    def read(self, queue: Any, name: str | None = None) -> tuple[_core.Tensor, _core.Tensor]:
        """The next key and value.

        Args:
            queue: the queue of file names, from which the next file is taken.
            name: the node's name.
        """

        def read() -> list[_core.Tensor]:
            return [_core.convert(part, dtypes.string, None) for part in self._next(queue)]

        specs = [TensorSpec([], dtypes.string), TensorSpec([], dtypes.string)]
        key, value = python_node(read, kind="ReaderRead", name=name, outputs=specs)
        return key, value

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> tuple[Any, Any]:
        """The next keys and values, up to a number of them: those of one file at most.

        Args:
            queue: the queue of file names, from which the next file is taken.
            num_records: the largest number.
            name: the node's name.
        """

        def read(number: _core.Tensor) -> list[_core.Tensor]:
            state = self._state()
            with state.turn:
                items = [self._next(queue)]
                items.extend(itertools.islice(state.items or (), int(number) - 1))
                state.produced += len(items) - 1
            return [
                _core.convert(np.array(parts, object), dtypes.string, None)
                for parts in zip(*items, strict=True)
            ]

        specs = [TensorSpec([None], dtypes.string), TensorSpec([None], dtypes.string)]
        number = _core.convert(num_records, dtypes.int64, None)
        keys, values = python_node(read, number, kind="ReaderReadUpTo", name=name, outputs=specs)
        return keys, values

    def _counted(self, kind: str, count: Any) -> Any:
        spec = TensorSpec([], dtypes.int64)
        return python_node(
            lambda: _core.convert(count(self._state()), dtypes.int64, None),
            kind=kind,
            outputs=spec,
        )

    def num_records_produced(self, name: str | None = None) -> _core.Tensor:
        """The number of values returned so far."""
        return self._counted("ReaderNumRecordsProduced", lambda state: state.produced)

    def num_work_units_completed(self, name: str | None = None) -> _core.Tensor:
        """The number of files that have been read completely."""
        return self._counted("ReaderNumWorkUnitsCompleted", lambda state: state.completed)

    def reset(self, name: str | None = None) -> Any:
        """An operation that makes the reader start with the next file."""

        def reset() -> None:
            running_session()._storage.pop(id(self), None)

        return python_node(reset, kind="ReaderReset", name=name)


class TextLineReader(ReaderBase):
    """Returns the lines of text files; keys are the file's name and the line number.

    Args:
        skip_header_lines: the number of lines to skip at the beginning of each file.
        name: the reader's name.
    """

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        super().__init__(name)
        self._skip = skip_header_lines or 0

    def _items(self, work: bytes) -> Iterator[Item]:
        with open_regular(work) as file:
            for number, line in enumerate(file, 1):
                if number > self._skip:
                    yield work + b":%d" % number, line.rstrip(b"\n").rstrip(b"\r")


class WholeFileReader(ReaderBase):
    """Returns whole files; keys are their names."""

    def _items(self, work: bytes) -> Iterator[Item]:
        yield work, read_regular(work, None)


class IdentityReader(ReaderBase):
    """Returns the elements of the queue, as keys and as values."""

    def _items(self, work: bytes) -> Iterator[Item]:
        yield work, work


class TFRecordReader(ReaderBase):
    """Returns the records of files; keys are the file's name and the record's index.

    Args:
        name: the reader's name.
        options: how files are compressed.
    """

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        super().__init__(name)
        self._options = options

    def _items(self, work: bytes) -> Iterator[Item]:
        for index, value in enumerate(records.tf_record_iterator(work.decode(), self._options)):
            yield work + b":%d" % index, value


class FixedLengthRecordReader(ReaderBase):
    """Returns pieces of files of one length; keys are the file's name and the piece's index.

    Args:
        record_bytes: the length.
        header_bytes: the number of bytes to skip at the beginning of each file.
        footer_bytes: the number of bytes to skip at the end.
        hop_bytes: the distance of the beginnings of records; by default the length.
        name: the reader's name.
        encoding: accepted: files are not compressed.
    """

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ) -> None:
        super().__init__(name)
        self._sizes = record_bytes, header_bytes or 0, footer_bytes or 0, hop_bytes or record_bytes

    def _items(self, work: bytes) -> Iterator[Item]:
        size, header, footer, hop = self._sizes
        data = read_regular(work, None)
        end = len(data) - footer
        for index, start in enumerate(range(header, end - size + 1, hop)):
            yield work + b":%d" % index, data[start : start + size]
