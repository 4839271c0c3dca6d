"""Streams of indices: the order in which a pipeline reads arrays in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.data.seeds import SeedSequence, Words

# How many indices a shuffle computes at a time.
_CHUNK = 2048
_NOTHING: np.ndarray = np.zeros(0, np.int64)


class IndexStream(ABC):
    """A sequence of indices that is read in blocks."""

    @abstractmethod
    def take(self, count: int) -> Any:
        """The next `count` indices, a range or an array; fewer if the stream ends."""

    @abstractmethod
    def state(self) -> object:
        """The position as plain values."""

    @abstractmethod
    def restore(self, state: object) -> None:
        """Goes to a position of a stream of the same form."""


class Successive(IndexStream):
    """0, 1, 2, … or equally distant ones."""

    def __init__(self, indices: range) -> None:
        self._indices = indices
        self._at = 0

    def take(self, count: int) -> range:
        piece = self._indices[self._at : self._at + count]
        self._at += len(piece)
        return piece

    def state(self) -> int:
        return self._at

    def restore(self, state: Any) -> None:
        self._at = state


class Limited(IndexStream):
    """The first indices of another stream, or those after the first."""

    def __init__(self, source: IndexStream, skip: int, limit: int | None) -> None:
        self._source = source
        self._skip = skip
        self._left = limit

    def take(self, count: int) -> Any:
        while self._skip:
            passed = len(self._source.take(min(self._skip, 65536)))
            self._skip = self._skip - passed if passed else 0
        if self._left is None:
            return self._source.take(count)
        piece = self._source.take(min(count, self._left))
        self._left -= len(piece)
        return piece

    def state(self) -> Any:
        return [self._source.state(), self._skip, self._left]

    def restore(self, state: Any) -> None:
        source, self._skip, self._left = state
        self._source.restore(source)


class Sharded(IndexStream):
    """Each n-th index of another stream."""

    def __init__(self, source: IndexStream, shards: int, index: int) -> None:
        self._source = source
        self._shards = shards
        self._before = index

    def take(self, count: int) -> Any:
        if count == 0:
            return range(0)
        wanted = self._before + 1 + (count - 1) * self._shards
        piece = self._source.take(wanted)
        chosen = piece[self._before :: self._shards]
        self._before = (self._before - len(piece)) % self._shards
        return chosen

    def state(self) -> Any:
        return [self._source.state(), self._before]

    def restore(self, state: Any) -> None:
        source, self._before = state
        self._source.restore(source)


class Repeated(IndexStream):
    """Stream after stream, each made when the one before has ended."""

    def __init__(self, make: Callable[[], IndexStream], times: int, begins_another: bool) -> None:
        self._make = make
        self._times = times
        self._begins_another = begins_another
        self._epoch = 0
        self._empty = True
        self._source: IndexStream | None = make() if times else None

    def take(self, count: int) -> Any:
        pieces: list[Any] = []
        missing = count
        while missing and self._source is not None:
            piece = self._source.take(missing)
            if len(piece):
                self._empty = False
                pieces.append(piece)
                missing -= len(piece)
            if missing:
                self._next_epoch()
        if len(pieces) == 1:
            return pieces[0]
        return np.concatenate([np.asarray(piece) for piece in pieces]) if pieces else range(0)

    def _next_epoch(self) -> None:
        self._epoch += 1
        self._source = None
        if (self._times < 0 and not self._empty) or 0 < self._epoch < self._times:
            self._source = self._make()
        elif self._begins_another:
            self._make()

    def state(self) -> Any:
        return [self._epoch, self._empty, None if self._source is None else self._source.state()]

    def restore(self, state: Any) -> None:
        self._epoch, self._empty, source = state
        if source is None:
            self._source = None
            return
        self._source = self._make()
        self._source.restore(source)


class Shuffled(IndexStream):
    """Another stream's indices in the order of a shuffle buffer."""

    def __init__(
        self, make_source: Callable[[], IndexStream], size: int, sequence: SeedSequence
    ) -> None:
        self._make_source = make_source
        self._made: IndexStream | None = None
        self._size = size
        self._sequence = sequence
        self._seeds = sequence.next()
        self._words = Words(*self._seeds)
        self._ring: np.ndarray | None = None
        self._start = 0
        self._left = 0
        self._ready: np.ndarray = np.zeros(0, np.int64)
        self._at = 0

    @property
    def _source(self) -> IndexStream:
        """The other stream, created on first use, which is when shuffles in it take their seeds."""
        if self._made is None:
            self._made = self._make_source()
        return self._made

    def take(self, count: int) -> np.ndarray:
        if self._at + count > len(self._ready):
            pieces = [self._ready[self._at :]]
            missing = count - len(pieces[0])
            while missing > 0:
                piece = self._draw(max(missing, _CHUNK))
                if not len(piece):
                    break
                pieces.append(piece)
                missing -= len(piece)
            self._ready = np.concatenate(pieces)
            self._at = 0
        piece = self._ready[self._at : self._at + count]
        self._at += len(piece)
        return piece

    def _draw(self, count: int) -> np.ndarray:
        """Up to `count` further indices."""
        if self._ring is None:
            self._ring = np.array(self._source.take(self._size), np.int64)
            self._left = len(self._ring)
        incoming = _NOTHING
        if self._left == self._size:
            incoming = np.asarray(self._source.take(count), np.int64)
        count = len(incoming) or min(count, self._left)
        drawn: np.ndarray = np.empty(count, np.int64)
        if count:
            words = self._words.take(count)
            self._start = _core.draw_shuffled(
                self._ring, self._start, self._left, words, incoming, drawn
            )
            if not len(incoming):
                self._left -= count
        return drawn

    def state(self) -> object:
        return {
            "source": self._source.state(),
            "seeds": list(self._seeds),
            "sequence": self._sequence.position(),
            "taken": self._words.taken,
            "ring": None if self._ring is None else self._ring.tolist(),
            "start": self._start,
            "left": self._left,
            "ready": self._ready[self._at :].tolist(),
        }

    def restore(self, state: Any) -> None:
        self._source.restore(state["source"])
        self._seeds = tuple(state["seeds"])
        self._sequence.go_to(state["sequence"])
        self._words = Words(*self._seeds)
        self._words.skip_to(state["taken"])
        self._ring = None if state["ring"] is None else np.array(state["ring"], np.int64)
        self._start, self._left = state["start"], state["left"]
        self._ready, self._at = np.array(state["ready"], np.int64), 0
