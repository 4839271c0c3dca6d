"""The random values behind shuffles: TensorFlow's Philox streams of 32-bit words."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes, random_seed

_BLOCK = 1024


class Words:
    """An infinite sequence of random 32-bit values that two seeds determine."""

    __slots__ = ("_at", "_counter", "_key", "_words", "taken")

    def __init__(self, seed: int, seed2: int) -> None:
        self._key = random_seed.signed(seed)
        self._counter = (seed2 & (2**64 - 1)) << 64
        self._words: np.ndarray = np.zeros(0, np.uint32)
        self._at = 0
        self.taken = 0

    def take(self, count: int) -> np.ndarray:
        """The next `count` values, uint32."""
        self.taken += count
        left = len(self._words) - self._at
        if count <= left:
            self._at += count
            return self._words[self._at - count : self._at]
        first = self._words[self._at :]
        missing = count - left
        blocks = max(_BLOCK, -(-missing // 4) * 4)
        self._words = self._draw(blocks)
        self._at = missing
        return np.concatenate([first, self._words[:missing]]) if left else self._words[:missing]

    def one(self) -> int:
        """The next value."""
        if self._at >= len(self._words):
            self._words = self._draw(_BLOCK)
            self._at = 0
        self._at += 1
        self.taken += 1
        return int(self._words[self._at - 1])

    def skip_to(self, taken: int) -> None:
        """Advances a fresh sequence to where `taken` values have been used."""
        blocks, rest = divmod(taken, 4)
        self._counter += blocks
        self.taken = blocks * 4
        self._words, self._at = self._words[:0], 0
        self.take(rest)

    def _draw(self, count: int) -> np.ndarray:
        counter = self._counter
        self._counter = (counter + count // 4) & (2**128 - 1)
        values = _core.ops.philox_uniform_full_int(
            [count],
            dtypes.uint32,
            self._key,
            random_seed.signed(counter),
            random_seed.signed(counter >> 64),
        )
        return np.asarray(values)


class SeedSequence:
    """The seeds of the passes over one dataset: each pass has its own, or all have the same.

    Args:
        seeds: what `operation_seeds` returned; random ones if None.
        each_iteration: whether each pass has its own.
    """

    def __init__(self, seeds: tuple[int, int] | None, each_iteration: bool) -> None:
        self._seeds = random_seeds() if seeds is None else seeds
        self.each_iteration = each_iteration
        # Identifies the sequence; all unseeded ones are equal.
        self.identity = [each_iteration, seeds]
        self._lock = threading.Lock()
        self._begin(self._seeds)

    def _begin(self, seeds: tuple[int, int]) -> None:
        self._seeds = seeds
        self._words = Words(*seeds) if self.each_iteration else None

    @property
    def is_random(self) -> bool:
        """Whether the program has set no seed."""
        return self.identity[1] is None

    def begin_with(self, seeds: tuple[int, int]) -> None:
        """Begins anew with other seeds, such as those of another process.

        Args:
            seeds: the seeds.
        """
        with self._lock:
            self._begin(seeds)

    def next(self) -> tuple[int, int]:
        """The seeds of the next pass."""
        if self._words is None:
            return self._seeds
        with self._lock:
            return self._words.one(), self._words.one()

    def position(self) -> int:
        """How many values have been used."""
        return 0 if self._words is None else self._words.taken

    def go_to(self, position: int) -> None:
        """Goes to a position that `position` returned in another run."""
        if self._words is not None:
            with self._lock:
                self._words = Words(*self._seeds)
                self._words.skip_to(position)

    @property
    def seeds(self) -> tuple[int, int]:
        """The two seeds themselves."""
        return self._seeds


def operation_seeds(seed: Any) -> tuple[int, int] | None:
    """The pair of seeds for a dataset with this seed; None if the program has set none."""
    if seed is not None:
        seed = int(_core.convert(seed, None, dtypes.int64))
    first, second = random_seed.get_seed(seed)
    first, second = first or 0, second or 0
    if (first, second) == (0, 0):
        return None if seed is None else (0, 2**31 - 1)
    return first, second


def random_seeds() -> tuple[int, int]:
    """A pair of seeds from the system."""
    words = int.from_bytes(random_seed.system_entropy(16), "little")
    return words & (2**63 - 1), words >> 65
