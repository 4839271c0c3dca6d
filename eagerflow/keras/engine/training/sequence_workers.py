"""Threads and processes that make the batches of a sequence while others are trained on."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import signal
from collections.abc import Iterator
from typing import Any, NamedTuple

# Sequences that worker processes read: forked processes inherit them here without a copy.
_sequences: dict[int, Any] = {}
_keys = itertools.count()


class Workers(NamedTuple):
    """The threads or processes that create batches.

    Attributes:
        pool_size: the number of threads or processes; with 0 the training thread creates batches.
        processes: whether they are processes.
        queue: the largest number of batches that are created ahead.
    """

    pool_size: int = 1
    processes: bool = False
    queue: int = 10

    @property
    def ahead(self) -> bool:
        """Whether batches are created ahead."""
        return self.pool_size > 1 or (self.processes and self.pool_size > 0)

    def fetch(self, sequence: Any, order: list[int]) -> Iterator[Any]:
        """The batches of a sequence at certain indices, in order."""
        if self.processes and self.pool_size and "fork" in multiprocessing.get_all_start_methods():
            return self._by_processes(sequence, order)
        if self.pool_size and self.pool_size > 1:
            return self._by_threads(sequence, order)
        return (sequence[index] for index in order)

    def _by_threads(self, sequence: Any, order: list[int]) -> Iterator[Any]:
        from concurrent.futures import ThreadPoolExecutor

        yield from self._ahead(ThreadPoolExecutor(self.pool_size), sequence.__getitem__, (), order)

    def _by_processes(self, sequence: Any, order: list[int]) -> Iterator[Any]:
        from concurrent.futures import ProcessPoolExecutor

        key = next(_keys)
        _sequences[key] = sequence
        try:
            pool = ProcessPoolExecutor(
                self.pool_size, multiprocessing.get_context("fork"), _leave_interrupts
            )
            yield from self._ahead(pool, _item, (key,), order)
        finally:
            del _sequences[key]

    def _ahead(self, pool: Any, function: object, first: tuple, order: list[int]) -> Iterator[Any]:
        """The results of a function for indices, computed ahead in a pool."""
        indices = iter(order)
        futures = []
        try:
            for index in itertools.islice(indices, max(self.queue, self.pool_size)):
                futures.append(pool.submit(function, *first, index))
            while futures:
                batch = futures.pop(0).result()
                for index in itertools.islice(indices, 1):
                    futures.append(pool.submit(function, *first, index))
                yield batch
        finally:
            pool.shutdown(wait=not futures, cancel_futures=True)


def workers_of(sequence: object, asked: Workers) -> Workers:
    """The workers of the arguments of `fit`, or those of a Keras 3 sequence's attributes."""
    own = getattr(sequence, "workers", None)
    if asked[:2] != (1, False) or not isinstance(own, int):
        return asked
    processes = bool(getattr(sequence, "use_multiprocessing", False))
    return Workers(own, processes, getattr(sequence, "max_queue_size", asked.queue))


def _leave_interrupts() -> None:
    """Leaves Ctrl-C to the process that trains, which ends the others."""
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _item(key: int, index: int) -> Any:
    return _sequences[key][index]
