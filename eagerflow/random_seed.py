"""Seeds: which Philox stream a random operation draws from."""

from __future__ import annotations

import os
import random as _python_random
from typing import Any

# What stands for the global seed where only the operation has one.
_DEFAULT_GLOBAL_SEED = 87654321
_MAX_INT32 = 2**31 - 1
_MASK64 = 2**64 - 1
# Blocks that a stateful operation sets aside for each of its outputs.
_RESERVED_PER_OUTPUT = 256


class Stream:
    """A Philox key and its 128-bit counter, which moves on with every draw."""

    __slots__ = ("counter", "key")

    def __init__(self, key: int, counter: int) -> None:
        self.key = key & _MASK64
        self.counter = counter

    def take(self, blocks: int) -> tuple[int, int, int]:
        """The key and the counter's halves now, as signed numbers; then skips `blocks`."""
        counter = self.counter
        self.counter = (counter + blocks) & (2**128 - 1)
        return _signed(self.key), _signed(counter & _MASK64), _signed(counter >> 64)


def _signed(word: int) -> int:
    return word - 2**64 if word >= 2**63 else word


class _State:
    """The global seed, and the streams that operations have opened since it was set."""

    def __init__(self) -> None:
        self.seed: int | None = None
        self.operation_seeds = _python_random.Random()
        self.streams: dict[tuple, Stream] = {}


_state = _State()


def set_seed(seed: int) -> None:
    """Sets the global seed: random operations after it give the same numbers in every run.

    Args:
        seed: an integer.

    >>> tf.random.set_seed(1234)
    >>> a = tf.random.uniform([1])
    >>> tf.random.set_seed(1234)
    >>> b = tf.random.uniform([1])
    >>> bool(a == b)
    True
    """
    try:
        _state.seed = int(seed)
    except (TypeError, ValueError):
        # Programs have passed other things; a number made of the text keeps them reproducible.
        _state.seed = _python_random.Random(str(seed)).randint(0, _MAX_INT32 - 1)
    _state.operation_seeds = _python_random.Random(_state.seed)
    _state.streams.clear()


def _truncated(seed: int) -> int:
    """The seed as a number of 31 bits, as TensorFlow passes it on."""
    return int(seed) % _MAX_INT32


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The pair of seeds an operation uses: the global one and its own."""
    if _state.seed is not None:
        if op_seed is None:
            op_seed = _state.operation_seeds.randint(0, _MAX_INT32)
        seeds: tuple[int | None, int | None] = (_truncated(_state.seed), _truncated(op_seed))
    elif op_seed is not None:
        seeds = (_DEFAULT_GLOBAL_SEED, _truncated(op_seed))
    else:
        return (None, None)
    if seeds == (0, 0):
        return (0, _MAX_INT32)
    return seeds


def draw(operation: Any, op_seed: int | None, outputs: int) -> tuple[int, int, int]:
    """Where the numbers of one call of a stateful operation begin.

    Calls with the same operation and seeds go on where the last one stopped.

    Args:
        operation: what tells operations apart (name and dtype).
        op_seed: the seed given to the operation, if any.
        outputs: how many blocks of numbers to set aside.
    """
    first, second = get_seed(op_seed)
    if first is None or second is None:
        return Stream(
            int.from_bytes(os.urandom(8), "little"), int.from_bytes(os.urandom(8), "little") << 64
        ).take(0)
    key = (operation, first, second)
    stream = _state.streams.get(key)
    if stream is None:
        if len(_state.streams) > 10_000:  # op seeds drawn above never come again
            _state.streams.clear()
        stream = Stream(first, (second & _MASK64) << 64)
        if op_seed is not None:
            _state.streams[key] = stream
    return stream.take(outputs)


def reserved(size: int) -> int:
    """Blocks that an operation with `size` outputs sets aside."""
    return size * _RESERVED_PER_OUTPUT
