"""Programs in which threads, forks, the garbage collector and callbacks meet in the engine.

`python stress/threads.py SECONDS [NAME ...]` runs each for so long and checks what it gives. Under
ThreadSanitizer, races are reported as they happen.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import eagerflow as tf

THREADS = 8
Work = Callable[[int, int], None]
PROGRAMS: dict[str, Callable[[float], int]] = {}


def program(function: Callable[[float], int]) -> Callable[[float], int]:
    """Lists a program: it runs for so many seconds and gives the number of its rounds."""
    PROGRAMS[function.__name__] = function
    return function


def together(seconds: float, *works: Work) -> int:
    """Calls works[k](k, round) in thread k, again and again, at least once; the number of calls."""
    end = time.monotonic() + seconds
    barrier = threading.Barrier(len(works))
    counts, errors = [0] * len(works), []

    def run(k: int) -> None:
        barrier.wait()
        try:
            while not errors and (time.monotonic() < end or not counts[k]):
                works[k](k, counts[k])
                counts[k] += 1
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return sum(counts)


def equal(got: Any, wanted: Any) -> None:
    np.testing.assert_array_equal(np.asarray(got), np.asarray(wanted))


@program
def variable(seconds: float) -> int:
    """Updates of one variable: none is lost, and readers see consistent values."""
    v = tf.Variable(tf.zeros([30_000], tf.int64))
    one = tf.ones([30_000], tf.int64)
    added = [0] * THREADS

    def add(k: int, _: int) -> None:
        v.assign_add(one)
        added[k] += 1

    def read(k: int, _: int) -> None:
        values = v.numpy() if k % 2 else (v + 0).numpy()
        assert values.min() == values.max()

    def rows(k: int, _: int) -> None:
        assert v[k : k + 3].shape == (3,)
        v.scatter_add(tf.IndexedSlices(tf.zeros([2], tf.int64), tf.constant([k, k])))

    rounds = together(seconds, *[(add, read, add, rows)[k % 4] for k in range(THREADS)])
    equal(v, np.full(30_000, sum(added)))
    return rounds


@program
def tape(seconds: float) -> int:
    """Separate tapes over shared values, and one shared persistent tape."""
    v = tf.Variable(tf.ones([200]))
    with tf.GradientTape(persistent=True) as shared:
        y = tf.reduce_sum(tf.exp(v * v))
    expected = shared.gradient(y, v).numpy()

    def own(k: int, _: int) -> None:
        with tf.GradientTape() as tape:
            z = tf.reduce_sum(v * float(k))
        equal(tape.gradient(z, v), np.full(200, k, "f"))

    def asked(k: int, _: int) -> None:
        np.testing.assert_allclose(shared.gradient(y, v), expected)

    return together(seconds, *[(own, asked)[k % 2] for k in range(THREADS)])


@program
def iterator(seconds: float) -> int:
    """One iterator for several threads: it returns each element once."""
    D = tf.data.Dataset
    pipelines = [
        lambda: D.range(400).shuffle(50).batch(3),
        lambda: D.range(400).map(lambda x: x + 0, num_parallel_calls=4).shuffle(20),
        lambda: D.range(20).interleave(
            lambda k: D.range(k * 20, k * 20 + 20), 4, 2, num_parallel_calls=4
        ),
        lambda: D.range(400).batch(7).unbatch().prefetch(4),
        lambda: D.range(400).filter(lambda x: x >= 0).cache(),
    ]
    end, rounds = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        one = iter(pipelines[rounds % len(pipelines)]())
        found: list[list] = [[] for _ in range(THREADS)]

        def read(k: int, _: int, one: Any = one, found: Any = found) -> None:
            for element in one:
                found[k] += np.ravel(element.numpy()).tolist()

        together(0, *[read] * THREADS)
        numbers = sorted(number for part in found for number in part)
        assert numbers == list(range(400)), (rounds % len(pipelines), len(numbers))
        rounds += 1
    return rounds


@program
def optimizer(seconds: float) -> int:
    """One optimizer that all threads apply gradients with."""
    optimizers = [tf.keras.optimizers.Adam(1e-3), tf.keras.optimizers.SGD(1e-3, momentum=0.9)]
    variables = [tf.Variable(tf.zeros([300])) for _ in range(3)]
    for one in optimizers:
        one.apply_gradients([(tf.ones([300]), v) for v in variables])
    starts = [int(one.iterations) for one in optimizers]

    def apply(k: int, _: int) -> None:
        optimizers[k % 2].apply_gradients([(tf.ones([300]), v) for v in variables])

    rounds = together(seconds, *[apply] * THREADS)
    steps = sum(int(one.iterations) - start for one, start in zip(optimizers, starts, strict=True))
    assert steps == rounds, (steps, rounds)
    for v in variables:
        values = v.numpy()
        assert np.isfinite(values).all() and values.min() == values.max()
    return rounds


@program
def table(seconds: float) -> int:
    """One table that threads fill, read, export and empty."""
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)
    mine = [tf.range(k * 1000, k * 1000 + 100, dtype=tf.int64) for k in range(THREADS)]

    def fill(k: int, _: int) -> None:
        table.insert(mine[k], mine[k] * 2)
        equal(table.lookup(mine[k]), mine[k] * 2)
        table.remove(mine[k][:50])
        equal(table.lookup(mine[k][:50]), np.full(50, -1))

    def export(k: int, _: int) -> None:
        keys, values = table.export()
        equal(values, keys * 2)
        assert table.size() >= 0

    return together(seconds, *[fill] * (THREADS - 2), export, export)


@program
def forks(seconds: float) -> int:
    """Processes that are forked while other threads compute: each computes, too, and ends."""
    x = tf.random.stateless_normal([300, 300], [1, 2])
    expected = tf.reduce_sum(x @ x).numpy()

    def load(k: int, _: int) -> None:
        tf.reduce_sum(tf.tanh(x @ x))
        tf.reduce_sum(tf.sort(x))

    def fork(k: int, _: int) -> None:
        child = os.fork()
        if child == 0:
            try:
                np.testing.assert_allclose(tf.reduce_sum(x @ x), expected, 1e-3)
                assert len(list(tf.data.Dataset.range(8).map(tf.square, 4))) == 8
                os._exit(0)
            finally:
                os._exit(1)
        end = time.monotonic() + 60
        while True:
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > end:
                os.kill(child, 9)
                os.waitpid(child, 0)
                raise AssertionError("A forked process hangs.")
            time.sleep(0.001)
        assert status == 0, f"A forked process ended with {status}."

    return together(seconds, load, load, load, fork)


@program
def collection(seconds: float) -> int:
    """The garbage collector runs while kernels do, and frees cycles that hold tensors."""

    class Cycle:
        def __init__(self, value: Any) -> None:
            self.value, self.itself = value, self

    def make(k: int, _: int) -> None:
        v = Cycle(tf.Variable(tf.ones([2000])))
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_sum(tf.exp(v.value))
        v.tape = tape
        v.gradient = tape.gradient(y, v.value)

    def compute(k: int, _: int) -> None:
        x = tf.ones([200, 200])
        assert float((x @ x)[0, 0]) == 200

    def collect(k: int, _: int) -> None:
        gc.collect()

    return together(seconds, make, make, compute, compute, collect)


@program
def callbacks(seconds: float) -> int:
    """Functions of the program that raise, in every place that calls one."""

    class Wrong(Exception):
        pass

    def bad(*_: Any) -> Any:
        raise Wrong

    @tf.custom_gradient
    def badly_differentiated(x: Any) -> Any:
        return x * 2, bad

    class Array:
        def __array__(self, *_: Any, **__: Any) -> Any:
            raise Wrong

    def fails(call: Callable[[], Any]) -> None:
        try:
            call()
        except (Wrong, tf.errors.OpError, ValueError):
            return
        raise AssertionError("An exception of a callback was lost.")

    def gradient() -> Any:
        x = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            y = badly_differentiated(x)
        return tape.gradient(y, x)

    D = tf.data.Dataset.range(10)

    def work(k: int, round_number: int) -> None:
        calls = [
            gradient,
            lambda: tf.py_function(bad, [1.0], tf.float32),
            lambda: tf.numpy_function(bad, [1.0], tf.float32),
            lambda: tf.map_fn(bad, tf.ones([3])),
            lambda: tf.while_loop(bad, bad, [1]),
            lambda: tf.concat([Array(), Array()], 0),
            lambda: list(D.map(lambda x: tf.py_function(bad, [x], tf.int64), 4)),
            lambda: list(tf.data.Dataset.from_generator(bad, output_types=tf.int32)),
        ]
        fails(calls[round_number % len(calls)])
        assert float(tf.constant(2.0) * 3) == 6

    return together(seconds, *[work] * THREADS)


def main() -> int:
    warnings.simplefilter("ignore")
    sys.setswitchinterval(1e-4)
    seconds, *names = sys.argv[1:]
    failed = 0
    for name in names or PROGRAMS:
        try:
            rounds = PROGRAMS[name](float(seconds))
            print(f"{name}: {rounds} rounds", flush=True)
        except BaseException:
            failed += 1
            print(f"{name}: FAILED\n{traceback.format_exc()}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
