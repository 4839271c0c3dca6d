"""Seeds: which Philox stream a random operation draws from."""

from __future__ import annotations

import contextlib
import os
import random as _python_random
import threading
from collections.abc import Iterator
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
        self.times_set = 0
        self.lock = threading.Lock()


_state = _State()


class NodeSeeds:
    """The op seeds of a graph's operation in one session; every session starts from the beginning.

    Args:
        seed: the graph's seed, or None.
        number: the operation's index, its seed if it has no other.
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


class TraceSeeds:
    """The op seeds of one trace of a function that TensorFlow would trace to a graph.

    Each operation has its own stream of random values, which continues with every call of the
    function. A stream follows from the global seed at its first use and from the operation's seed,
    or from the count of operations without a seed before it. Setting the global seed resets it.

    Args:
        seed: the global seed, if it is not the one at the first call.
        traces: how often TensorFlow traces the function before it runs: twice where variables are
            made in it.
    """

    __slots__ = ("_known", "_seed", "_streams", "_times_set", "_traces")

    # Operations beyond this index share streams: loops call them without bound.
    LIMIT = 4096

    def __init__(self, seed: Any = None, traces: int = 1) -> None:
        self._seed = seed
        self._traces = traces
        self._times_set = -1
        self._streams: dict[tuple, Any] = {}
        self._known: dict[tuple, Any] = {}

    def once(
        self, position: int, make: Any, owner: Any = None, makes_variables: bool = False
    ) -> Any:
        """The result of `make` when the operation at a position was last traced."""
        key = (min(position, self.LIMIT), owner)
        if key not in self._known:
            traces = max(self._traces, 2) if makes_variables else self._traces
            self._known[key] = [make() for _ in range(traces)][-1]
        return self._known[key]

    def take(
        self, position: int, unseeded: int, operation: Any, op_seed: int | None, blocks: int
    ) -> tuple[int, int, int]:
        """The start of an operation's random values.

        Args:
            position: how many operations came before it in this call.
            unseeded: how many of them had no seed.
            operation: identifies the operation.
            op_seed: its own seed, if any.
            blocks: how many blocks of values it takes.
        """
        with _state.lock:
            self._look_at_the_seed()
            if self._seed is None and op_seed is None:
                return unforeseen()
            first = _DEFAULT_GLOBAL_SEED if self._seed is None else self._seed
            first, second = _pair(first, unseeded if op_seed is None else op_seed)
            key = (min(position, self.LIMIT), operation, second)
            stream = self._streams.get(key)
            if stream is None:
                stream = self._streams[key] = Stream(first, second << 64)
            return stream.take(blocks)

    def inner(self, position: int) -> TraceSeeds:
        """The op seeds of a function that this one calls after `position` operations that draw."""
        with _state.lock:
            self._look_at_the_seed()
            key = (min(position, self.LIMIT),)
            op_seeds = self._streams.get(key)
            if op_seeds is None:
                op_seeds = self._streams[key] = TraceSeeds(self._seed)
            return op_seeds

    def _look_at_the_seed(self) -> None:
        if self._times_set != _state.times_set:
            self._times_set = _state.times_set
            self._streams.clear()
            if self._seed is None:
                self._seed = _state.seed


class _FunctionCall:
    """One call of such a function: it counts the operations that draw.

    `find` returns the function's op seeds for the arguments at their first use.
    """

    __slots__ = ("_arguments", "_find", "_op_seeds", "_position", "_unseeded")

    def __init__(self, find: Any, arguments: tuple = ()) -> None:
        self._find = find
        self._arguments = arguments
        self._op_seeds: TraceSeeds | None = None
        self._position = 0
        self._unseeded = 0

    def op_seeds(self) -> TraceSeeds:
        """The op seeds of the function."""
        if self._op_seeds is None:
            self._op_seeds = self._find(*self._arguments)
        return self._op_seeds

    def __call__(self, operation: Any, op_seed: int | None, blocks: int) -> tuple[int, int, int]:
        """See `draw` of this module."""
        position, unseeded = self._position, self._unseeded
        self._position = position + 1
        if op_seed is None:
            self._unseeded = unseeded + 1
        return self.op_seeds().take(position, unseeded, operation, op_seed, blocks)

    def once(self, make: Any, owner: Any = None, makes_variables: bool = False) -> Any:
        """See `once` of this module."""
        return self.op_seeds().once(self._position, make, owner, makes_variables)

    def inner(self) -> TraceSeeds:
        """The op seeds of a function that is called next."""
        position = self._position
        self._position = position + 1
        return self.op_seeds().inner(position)


class _Source(threading.local):
    """The source that this thread draws from instead of the process's streams."""

    draw: Any = None


_source = _Source()


def call_as_traced(find: Any, arguments: tuple, function: Any, args: tuple, kwargs: Any) -> Any:
    """The result of a function whose random operations draw as those of a graph do.

    Args:
        find: returns the `TraceSeeds` for `arguments`; called if the function draws.
        arguments: the arguments of `find`.
        function: the function.
        args: its arguments by position.
        kwargs: its arguments by name.
    """
    before = _source.draw
    if type(before) is _FunctionCall:
        _source.draw = _FunctionCall(before.inner)
    else:
        _source.draw = _FunctionCall(find, arguments)
    try:
        return function(*args, **kwargs)
    finally:
        _source.draw = before


@contextlib.contextmanager
def drawing(draw: Any) -> Iterator[None]:
    """Makes random operations of this thread draw by another function in this block.

    Without a function they draw from the process's streams.
    """
    before, _source.draw = _source.draw, draw
    try:
        yield
    finally:
        _source.draw = before


def set_seed(seed: int | None) -> None:
    """Sets the global seed: random operations after it give the same values in every run.

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
    with _state.lock:
        _state.seed = seed
        _state.times_set += 1
        _state.operation_seeds = _python_random.Random(seed)
        _state.streams.clear()
        _state.memory.clear()
    _core.restart_random_streams()


def global_seed() -> Any:
    """The seed that `set_seed` was given last, or None."""
    return _state.seed


def as_traced(function: Any, op_seeds: TraceSeeds) -> Any:
    """A function whose random operations draw with certain op seeds."""

    def find() -> TraceSeeds:
        return op_seeds

    def call(*args: Any, **kwargs: Any) -> Any:
        before = _source.draw
        _source.draw = _FunctionCall(find)
        try:
            return function(*args, **kwargs)
        finally:
            _source.draw = before

    return call


def once(make: Any, owner: Any = None, makes_variables: bool = False) -> Any:
    """What a function without arguments returns: a seed for the random operation that comes next.

    Where a traced function would contain the value, it is made as in its traces and kept.

    Args:
        make: the function.
        owner: distinguishes values at the same position.
        makes_variables: whether variables have just been made, so that there are two traces.
    """
    call = _source.draw
    if type(call) is not _FunctionCall:
        return make()
    return call.once(make, owner, makes_variables)


def inside_function() -> bool:
    """Whether a function is being called whose random operations draw as those of a graph do."""
    return type(_source.draw) is _FunctionCall


def current() -> Any:
    """The global seed, or None."""
    return _state.seed


def _truncated(seed: Any) -> int:
    """The seed as a 31-bit integer, as TensorFlow passes it on."""
    if isinstance(seed, (str, bytes)):
        raise TypeError(f"A seed must be an integer, not {seed!r}.")
    return int(seed % _MAX_INT32)


def _pair(seed: Any, op_seed: Any) -> tuple[int, int]:
    """Both seeds as TensorFlow passes them on; two zeros would mean that there are none."""
    pair = _truncated(seed), _truncated(op_seed)
    return (0, _MAX_INT32) if pair == (0, 0) else pair


def get_seed(op_seed: Any) -> tuple[int | None, int | None]:
    """The pair of seeds an operation uses: the global one and its own.

    In a graph the global seed is the one at the beginning of the trace, and operations without a
    seed of their own are numbered. A pair, which files have, is what it is.
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


def unforeseen(*_: Any) -> tuple[int, int, int]:
    """A key and counter from the system: forked processes do not share streams."""
    words = int.from_bytes(system_entropy(16), "little")
    return signed(words), 0, signed(words >> 64)


def draw(operation: Any, op_seed: int | None, blocks: Any) -> tuple[Any, Any, Any]:
    """The start of the values of one call of a stateful operation: key and counter.

    Calls with the same operation and seeds continue where the last one stopped. In a graph, they
    are tensors, and every run continues where the last one stopped.

    Args:
        operation: what tells operations apart (name and dtypes).
        op_seed: the seed given to the operation, if any.
        blocks: how many blocks of values to reserve; in a graph it may be an int64 scalar.
    """
    if _core.building() is not None:
        first, second = get_seed(op_seed)
        seeds = None if first is None or second is None else (first, second)
        start = _core.random_stream(seeds, blocks)
        return start[0], start[1], start[2]
    if _source.draw is not None:
        return _source.draw(operation, op_seed, blocks)
    with _state.lock:
        first, second = get_seed(op_seed)
        if first is None or second is None:
            return unforeseen()
        if op_seed is None:
            return Stream(first, second << 64).take(0)  # the seed drawn for it is never repeated
        key = (operation, first, second)
        stream = _state.streams.get(key)
        if stream is None:
            stream = _state.streams[key] = Stream(first, second << 64)
        return stream.take(blocks)


def memory() -> dict[tuple, Any]:
    """State that operations keep between calls until the global seed is set."""
    return _state.memory
