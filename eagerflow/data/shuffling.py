"""Dataset.shuffle: a buffer from which the next element is drawn at random."""

from __future__ import annotations

from itertools import islice
from typing import Any

from eagerflow.data.arguments import UNKNOWN, flag, integer, invalid
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor, pack_elements, unpack_elements
from eagerflow.data.dataset import Dataset, UnaryDataset
from eagerflow.data.seeds import SeedSequence, Words
from eagerflow.util import lazy

# Imported when it is first used: it imports this module.
plan = lazy.Module("eagerflow.data.plan")


class ShuffleDataset(UnaryDataset):
    """The elements in random order."""

    _has_state = True
    _repeats_itself = True
    _passing = (*UnaryDataset._passing, "_order")

    def __init__(
        self,
        source: Dataset,
        buffer_size: Any,
        seeds: tuple[int, int] | None,
        reshuffle_each_iteration: Any,
    ) -> None:
        super().__init__(source)
        self._size = integer(buffer_size, "buffer_size")
        if self._size <= 0 and self._size != UNKNOWN:
            raise invalid(
                "buffer_size must be greater than zero or UNKNOWN_CARDINALITY (-2), for a buffer of "
                f"all elements. Got {self._size}."
            )
        if self._size == UNKNOWN and source._count() == -1:
            raise invalid("A full shuffle of an infinite dataset is not possible.")
        if self._size == UNKNOWN:
            self._size = 2**62
        reshuffles = flag(reshuffle_each_iteration, "reshuffle_each_iteration")
        self._seeds = SeedSequence(seeds, reshuffles is not False)
        self._order: list[int] | None = None

    def _cursor(self, context: Context) -> Cursor:
        planned = plan.element_cursor(self, context)
        if planned is not None:
            return planned
        return ShuffleCursor(self._input, context, self._size, self._seeds)

    def _permutation(self) -> list[int]:
        """The fixed order of all elements for `tf.data.experimental.at`.

        Where each pass has the same order, TensorFlow uses the first of the two seeds twice.
        """
        if self._order is None:
            first, second = self._seeds.seeds
            words = Words(first, second if self._seeds.each_iteration else first)
            order = list(range(self._input._count()))
            for i in range(len(order)):
                other = i + words.one() % (len(order) - i)
                order[i], order[other] = order[other], order[i]
            self._order = order
        return self._order

    def _details(self) -> str:
        return "all" if self._size == 2**62 else str(self._size)

    def _how(self) -> str:
        return plan.index_note(self)


class ShuffleCursor(Cursor):
    """Keeps a buffer full and draws from it.

    The buffer is a ring. The drawn element is swapped with the first one, which then makes
    room for the next; this determines the order for a pair of seeds. The input's cursor is made
    when the first element is requested, which matters for shuffles before this one.
    """

    __slots__ = (
        "_buffer",
        "_context",
        "_dataset",
        "_ended",
        "_input",
        "_left",
        "_seeds",
        "_sequence",
        "_size",
        "_start",
        "_words",
    )

    def __init__(
        self, dataset: Dataset, context: Context, size: int, sequence: SeedSequence
    ) -> None:
        self._input: Any = None
        self._context = context
        self._dataset = dataset
        self._size = size
        self._sequence = sequence
        self._seeds = sequence.next()
        self._words = Words(*self._seeds)
        self._buffer: list[Any] = []
        self._start = self._left = 0
        self._ended = False

    def __next__(self) -> Any:
        if not self._ended and self._left < self._size:
            self._fill()
        left, start, buffer = self._left, self._start, self._buffer
        if left == 0:
            raise StopIteration
        index = (start + self._words.one() % left) % len(buffer)
        element = buffer[index]
        buffer[index] = buffer[start]
        buffer[start] = None
        self._start = (start + 1) % len(buffer)
        self._left = left - 1
        return element

    def _opened(self) -> Cursor:
        if self._input is None:
            self._input = self._dataset._cursor(self._context)
        return self._input

    def _fill(self) -> None:
        buffer = self._buffer
        if self._input is None:
            self._opened()
        if len(buffer) < self._size:
            try:
                buffer.extend(islice(self._input, self._size - len(buffer)))
            finally:
                self._left = len(buffer)
            self._ended = len(buffer) < self._size
            return
        try:
            element = next(self._input)
        except StopIteration:
            self._ended = True
        else:
            buffer[self._start - 1] = element
            self._left += 1

    def state(self) -> object:
        ring = self._buffer[self._start :] + self._buffer[: self._start]
        return {
            "input": self._opened().state(),
            "seeds": list(self._seeds),
            "sequence": self._sequence.position(),
            "taken": self._words.taken,
            "ended": self._ended,
            "start": self._start,
            "left": self._left,
            "places": len(self._buffer),
            "buffer": pack_elements(ring[: self._left]),
        }

    def restore(self, state: Any) -> None:
        self._opened().restore(state["input"])
        self._seeds = tuple(state["seeds"])
        self._sequence.go_to(state["sequence"])
        self._words = Words(*self._seeds)
        self._words.skip_to(state["taken"])
        self._ended, self._start, self._left = state["ended"], state["start"], state["left"]
        like = self._dataset.element_spec if state["buffer"] else None
        ring: list[Any] = unpack_elements(like, state["buffer"])
        ring += [None] * (state["places"] - len(ring))
        cut = len(ring) - self._start
        self._buffer = ring[cut:] + ring[:cut]
