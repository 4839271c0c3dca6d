"""Seeds: which Philox stream a random operation draws from."""

from __future__ import annotations

import contextlib
import os
import random as _python_random
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from eagerflow import _core

# The global seed where only the operation has one.
_DEFAULT_GLOBAL_SEED = 87654321
_MAX_INT32 = 2**31 - 1
_MASK64 = 2**64 - 1
# Blocks that are reserved for each output, however many it uses.
RESERVED_PER_OUTPUT = 256


def signed(word: int) -> int:
    """The lower 64 bits of an integer, as the signed integer that attributes hold."""
    word &= _MASK64
    return word - 2**64 if word >= 2**63 else word


class Stream:
    """A Philox key and its 128-bit counter, which moves on with every draw."""

    __slots__ = ("counter", "key")

    def __init__(self, key: int, counter: int) -> None:
        self.key = signed(key)
        self.counter = counter

    def take(self, blocks: int) -> tuple[int, int, int]:
        """The key and the counter's halves now, as signed integers; then skips `blocks`."""
        counter = self.counter
        self.counter = (counter + blocks) & (2**128 - 1)
        return self.key, signed(counter), signed(counter >> 64)


class _State:
    """The global seed, and the streams that operations have opened since it was set."""

    def __init__(self) -> None:
        self.seed: Any = None
        self.operation_seeds = _python_random.Random()
        self.streams: dict[tuple, Stream] = {}
        self.memory: dict[tuple, Any] = {}
        # The counters of streams that were open in a process that this one resumes, by their keys' text.
        self.resumed: dict[str, int] = {}
        self.lock = threading.Lock()


_state = _State()


class NodeSeeds:
    """The op seeds of a graph's operation in one session; every session starts from the beginning.

    Args:
        seed: the graph's seed, or None.
        number: the operation's index, which is its seed if it has no other.
    """

    def __init__(self, seed: int | None, number: int) -> None:
        self._seed = seed
        self._number = number
        self._streams: dict[tuple, Stream] = {}

    def draw(self, operation: Any, op_seed: int | None, blocks: int) -> tuple[int, int, int]:
        """See `draw` of this module."""
        if self._seed is None and op_seed is None:
            return unforeseen()
        first = _DEFAULT_GLOBAL_SEED if self._seed is None else self._seed
        first, second = _pair(first, self._number if op_seed is None else op_seed)
        stream = self._streams.get((operation, second))
        if stream is None:
            stream = self._streams[operation, second] = Stream(first, second << 64)
        return stream.take(blocks)


def as_nodes_of(graph: Any) -> Any:
    """A function for `drawing`: values are those of operations that are added to a graph now."""

    def draw_as(operation: Any, op_seed: int | None, blocks: int) -> tuple[int, int, int]:
        counts = op_seed is None and graph.seed is not None
        seeds = NodeSeeds(graph.seed, graph.next_op_seed() if counts else 0)
        return seeds.draw(operation, op_seed, blocks)

    return draw_as


class _Source(threading.local):
    """The source that this thread draws from instead of the process's streams."""

    draw: Any = None


_source = _Source()


class _Keeper(threading.local):
    """Makes the variables that hold the positions of streams of graphs, where somebody keeps them."""

    make: Any = None


_keeper = _Keeper()


@contextlib.contextmanager
def keeping(make: object) -> Iterator[None]:
    """Lets graphs that are traced in this block hold the positions of their streams in variables.

    Args:
        make: returns a variable for its first value: the counter's halves and the key, int64 [3].
    """
    before, _keeper.make = _keeper.make, make
    try:
        yield
    finally:
        _keeper.make = before


@contextlib.contextmanager
def drawing(draw: object) -> Iterator[None]:
    """Lets another function draw the values of this thread's random operations in this block.

    Without a function they draw from the process's streams.
    """
    before, _source.draw = _source.draw, draw
    try:
        yield
    finally:
        _source.draw = before


def set_seed(seed: int | None) -> None:
    """Sets the global seed: random operations after it return the same values in every run.

    While a graph is built, it is the seed of this graph, and the global one stays.

    Args:
        seed: an integer, or None for different values in every run.

    >>> tf.random.set_seed(1234)
    >>> a = tf.random.uniform([1])
    >>> tf.random.set_seed(1234)
    >>> b = tf.random.uniform([1])
    >>> bool(a == b)
    True
    """
    if seed is not None and not isinstance(seed, (int, float, str, bytes)):
        seed = int(seed)
    graph = _core.building()
    if graph is None:
        set_global_seed(seed)
    else:
        graph.seed = seed


def set_global_seed(seed: int | None) -> None:
    """Sets the seed of operations outside of graphs, whose streams start from the beginning."""
    with _state.lock:
        _state.seed = seed
        _state.operation_seeds = _python_random.Random(seed)
        _state.streams.clear()
        _state.memory.clear()
        _state.resumed = {}
    _core.restart_random_streams()


def fresh(seed: int, op_seed: int) -> Stream:
    """A new stream of values for an operation with this pair of seeds."""
    first, second = _pair(seed, op_seed)
    return Stream(first, second << 64)


def global_seed() -> Any:
    """The seed of the last `set_seed`, or None."""
    return _state.seed


def current() -> Any:
    """The global seed, or None."""
    return _state.seed


def _truncated(seed: Any) -> int:
    """The seed as a 31-bit integer, as TensorFlow passes it on."""
    if isinstance(seed, (str, bytes)):
        raise TypeError(f"A seed must be an integer, not {seed!r}.")
    return int(seed % _MAX_INT32)


def _pair(seed: int, op_seed: Any) -> tuple[int, int]:
    """Both seeds as TensorFlow passes them on; two zeros would mean that there are none."""
    pair = _truncated(seed), _truncated(op_seed)
    return (0, _MAX_INT32) if pair == (0, 0) else pair


def get_seed(op_seed: Any) -> tuple[int | None, int | None]:
    """The pair of seeds an operation uses: the global one and its own.

    In a graph the global seed is the one at the beginning of the trace, and operations without a
    seed of their own are numbered. A pair, which files have, is returned as it is.
    """
    if isinstance(op_seed, tuple):
        return op_seed
    graph = _core.building()
    if graph is not None:
        if graph.seed is not None:
            return _pair(graph.seed, graph.next_op_seed() if op_seed is None else op_seed)
    elif _state.seed is not None:
        if op_seed is None:
            op_seed = _state.operation_seeds.randint(0, _MAX_INT32)
        return _pair(_state.seed, op_seed)
    if op_seed is not None:
        return _pair(_DEFAULT_GLOBAL_SEED, op_seed)
    return (None, None)


def system_entropy(size: int) -> bytes:
    """Unpredictable bytes: the source of every unseeded stream in the package."""
    return os.urandom(size)


def unforeseen(*_: object) -> tuple[int, int, int]:
    """A key and counter from the system: forked processes do not share streams."""
    words = int.from_bytes(system_entropy(16), "little")
    return signed(words), 0, signed(words >> 64)


# More than a tensor of unknown size can need.
_MANY_BLOCKS = 1 << 48


def draw(
    operation: Any, op_seed: int | None, blocks: Any, for_all_slices: bool = False
) -> tuple[Any, Any, Any]:
    """The key and counter at which the values of one call of a stateful operation start.

    Calls with the same operation and seeds continue where the last one stopped. In a graph, they
    are tensors, and every run continues where the last one stopped.

    Args:
        operation: identifies the operation (name and dtypes).
        op_seed: the operation's own seed, if any.
        blocks: how many blocks of values to reserve; in a graph it may be an int64 scalar.
        for_all_slices: whether the values are those of all slices of `tf.vectorized_map`.
    """
    graph = _core.building()
    if graph is not None:
        if graph.slices is not None and graph.slices.randomness == "same":
            with graph.outer.as_default():  # where the stream advances once for all slices
                return draw(operation, op_seed, blocks if isinstance(blocks, int) else _MANY_BLOCKS)
        first, second = get_seed(op_seed)
        seeds = None if first is None or second is None else (first, second)
        if _keeper.make is None:
            start = _core.random_stream(seeds, blocks, for_all_slices)
        else:
            first, low, high = (seeds[0], 0, seeds[1]) if seeds else unforeseen()
            start = _core.advance_state(_keeper.make([low, high, first]), blocks)
        return start[0], start[1], start[2]
    if _source.draw is not None:
        return _source.draw(operation, op_seed, blocks)
    with _state.lock:
        first, second = get_seed(op_seed)
        if first is None or second is None:
            return unforeseen()
        if op_seed is None:
            return Stream(first, second << 64).take(0)  # the seed drawn for it is never repeated
        # Each device has its own stream, so that replicas draw the same values.
        key = (operation, first, second, _core.current_device())
        stream = _state.streams.get(key)
        if stream is None:
            counter = _state.resumed.get(repr(key), second << 64)
            stream = _state.streams[key] = Stream(first, counter)
        return stream.take(blocks)


def advanced(state: Any, blocks: Any) -> Sequence[Any]:
    """The key and counter in a generator's variable, whose counter then advances by `blocks`."""
    graph = _core.building()
    if graph is not None and graph.slices is not None and graph.slices.randomness == "same":
        with graph.outer.as_default():
            return advanced(state, blocks if isinstance(blocks, int) else _MANY_BLOCKS)
    return _core.advance_state(state, blocks)


def position() -> dict[str, Any]:
    """The global seed and the positions of what follows from it, as plain values."""
    with _state.lock:
        kept = {repr(key): str(stream.counter) for key, stream in _state.streams.items()}
        version, words, _ = _state.operation_seeds.getstate()
        return {
            "seed": _state.seed,
            "streams": {**{key: str(each) for key, each in _state.resumed.items()}, **kept},
            "operation_seeds": [version, list(words)],
        }


def go_to(position: dict[str, Any]) -> None:
    """Goes to a position that `position` returned, perhaps in another process."""
    set_global_seed(position["seed"])
    version, words = position["operation_seeds"]
    with _state.lock:
        _state.operation_seeds.setstate((version, tuple(words), None))
        _state.resumed = {key: int(counter) for key, counter in position["streams"].items()}


def memory() -> dict[tuple, Any]:
    """State that operations keep between calls until the global seed is set."""
    return _state.memory
