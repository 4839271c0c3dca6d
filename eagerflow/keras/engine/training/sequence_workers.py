"""Threads and processes that make the batches of a sequence while others are trained on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from eagerflow.framework import random_seed
from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
processes = lazy.Module("eagerflow.data.processes")


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

    def fetch(
        self,
        sequence: Any,
        order: list[int],
        make: Callable[[Any], Any] | None = None,
        begin: int = 0,
        seeds: tuple[int, ...] = (),
    ) -> Iterator[Any]:
        """The batches of a sequence at certain indices, in order.

        Args:
            sequence: the sequence.
            order: the indices.
            make: what is called with each batch, if anything.
            begin: how many are left out at the beginning.
            seeds: what `round_seeds` returned for these.
        """
        if self.processes and self.pool_size:
            yield from self._by_processes(sequence, order, make, begin, seeds)
            return
        order = order[begin:]
        threads = self.pool_size and self.pool_size > 1
        batches = self._by_threads(sequence, order) if threads else map(sequence.__getitem__, order)
        yield from batches if make is None else map(make, batches)

    def round_seeds(self, resumed: tuple[int, ...] = ()) -> tuple[int, ...]:
        """The seeds for one round of batches that processes make; no draw of others changes.

        They follow from the global seed.

        Args:
            resumed: those of the round, if it is resumed.
        """
        if not self.processes:
            return ()
        seed, memory = random_seed.current(), random_seed.memory()
        if seed is None:
            return resumed or (int.from_bytes(random_seed.system_entropy(7), "little"),)
        memory[_Batches,] = resumed[1] if resumed else memory.get((_Batches,), 0) + 1
        return seed, memory[_Batches,]

    def _by_threads(self, sequence: Any, order: list[int]) -> Iterator[Any]:
        from concurrent.futures import ThreadPoolExecutor

        indices = iter(order)
        futures = []
        pool = ThreadPoolExecutor(self.pool_size)
        try:
            for index in itertools.islice(indices, max(self.queue, self.pool_size)):
                futures.append(pool.submit(sequence.__getitem__, index))
            while futures:
                batch = futures.pop(0).result()
                for index in itertools.islice(indices, 1):
                    futures.append(pool.submit(sequence.__getitem__, index))
                yield batch
        finally:
            pool.shutdown(wait=not futures, cancel_futures=True)

    def _by_processes(
        self,
        sequence: Any,
        order: list[int],
        make: Callable[[Any], Any] | None,
        begin: int,
        seeds: tuple[int, ...],
    ) -> Iterator[Any]:
        room = max(1, -(-self.queue // self.pool_size))
        count = max(1, min(self.pool_size, len(order) - begin))
        requests = itertools.islice(enumerate(order), begin, None)
        team = processes.Processes(_Batches(sequence, seeds), count, room)
        try:
            yield from processes.Answers(team, requests, read=make)
        finally:
            team.close()


def workers_of(sequence: object, asked: Workers) -> Workers:
    """The workers of the arguments of `fit`, or those of a Keras 3 sequence's attributes."""
    own = getattr(sequence, "workers", None)
    if asked[:2] != (1, False) or not isinstance(own, int):
        return asked
    processes = bool(getattr(sequence, "use_multiprocessing", False))
    return Workers(own, processes, getattr(sequence, "max_queue_size", asked.queue))


class _Batches:
    """What a process does: it makes the batches that it is asked for.

    Args:
        sequence: the sequence.
        seeds: those of this round.
    """

    def __init__(self, sequence: Any, seeds: tuple[int, ...]) -> None:
        self._sequence = sequence
        self._seeds = seeds

    def __call__(self, worker: int) -> Callable[[tuple[int, int]], Any]:
        return self._batch

    def _batch(self, request: tuple[int, int]) -> Any:
        position, index = request
        processes.seed_all((*self._seeds, position))
        return self._sequence[index]
