"""Threads and processes that make the batches of a sequence while others are trained on."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import signal
from collections.abc import Iterator
from typing import Any, NamedTuple

# Sequences that processes read: those that are forked find them here, without a copy.
_sequences: dict[int, Any] = {}
_numbers = itertools.count()


class Workers(NamedTuple):
    """Who makes batches.

    Attributes:
        number: how many threads or processes; 0 stands for the thread that trains.
        processes: whether they are processes.
        queue: how many batches are made ahead at most.
    """

    number: int = 1
    processes: bool = False
    queue: int = 10

    @property
    def ahead(self) -> bool:
        """Whether batches are made before they are asked for."""
        return self.number > 1 or (self.processes and self.number > 0)

    def fetch(self, sequence: Any, order: list[int]) -> Iterator[Any]:
        """The batches of a sequence with certain numbers, in order."""
        if self.processes and self.number and "fork" in multiprocessing.get_all_start_methods():
            return self._by_processes(sequence, order)
        if self.number and self.number > 1:
            return self._by_threads(sequence, order)
        return (sequence[number] for number in order)

    def _by_threads(self, sequence: Any, order: list[int]) -> Iterator[Any]:
        from concurrent.futures import ThreadPoolExecutor

        yield from self._ahead(ThreadPoolExecutor(self.number), sequence.__getitem__, (), order)

    def _by_processes(self, sequence: Any, order: list[int]) -> Iterator[Any]:
        from concurrent.futures import ProcessPoolExecutor

        key = next(_numbers)
        _sequences[key] = sequence
        try:
            pool = ProcessPoolExecutor(
                self.number, multiprocessing.get_context("fork"), _leave_interrupts
            )
            yield from self._ahead(pool, _item, (key,), order)
        finally:
            del _sequences[key]

    def _ahead(self, pool: Any, function: Any, first: tuple, order: list[int]) -> Iterator[Any]:
        """What a function returns for numbers, called in a pool before it is asked for."""
        numbers = iter(order)
        waiting: list[Any] = []
        try:
            for number in itertools.islice(numbers, max(self.queue, self.number)):
                waiting.append(pool.submit(function, *first, number))
            while waiting:
                batch = waiting.pop(0).result()
                for number in itertools.islice(numbers, 1):
                    waiting.append(pool.submit(function, *first, number))
                yield batch
        finally:
            pool.shutdown(wait=not waiting, cancel_futures=True)


def workers_of(sequence: Any, asked: Workers) -> Workers:
    """The workers that `fit` was asked for, or those that a Keras 3 sequence asks for itself."""
    own = getattr(sequence, "workers", None)
    if asked[:2] != (1, False) or not isinstance(own, int):
        return asked
    processes = bool(getattr(sequence, "use_multiprocessing", False))
    return Workers(own, processes, getattr(sequence, "max_queue_size", asked.queue))


def _leave_interrupts() -> None:
    """Leaves Ctrl-C to the process that trains, which ends the others."""
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _item(key: int, number: int) -> Any:
    return _sequences[key][number]
