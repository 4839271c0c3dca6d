"""Interrupted programs: worker threads end, and reading can continue."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import eagerflow as tf
from eagerflow.data import parallel
from python_functions import as_python

D = tf.data.Dataset


def workers():
    """The threads of pipelines that are alive."""
    return [t for t in threading.enumerate() if t.name == "eagerflow-data"]


def end_soon():
    """Whether all workers end soon."""
    for thread in workers():
        thread.join(30)
    return not workers()


@pytest.fixture(autouse=True)
def interruptible():
    """Enables interrupts, which shells disable for programs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def little_patience(monkeypatch):
    monkeypatch.setattr(parallel, "_PATIENCE_SECONDS", 0.05)
    if workers():  # of pipelines that wait to be collected
        gc.collect()
    assert end_soon()


@as_python
def work(x):
    end = time.perf_counter() + 0.001
    while time.perf_counter() < end:
        pass
    return x


PIPELINES = {
    "prefetch": lambda: D.range(10**6).map(work).prefetch(3),
    "map": lambda: D.range(10**6).map(work, num_parallel_calls=3),
    "interleave": lambda: D.range(50).interleave(
        lambda i: D.range(i * 1000, i * 1000 + 1000).map(work), 3, num_parallel_calls=3
    ),
    "quick": lambda: D.range(10**8).map(lambda x: x, num_parallel_calls=2).prefetch(9),
}
PIPELINES["batches"] = lambda: (
    D.range(10**6).map(work, num_parallel_calls=2).batch(2).unbatch().prefetch(2)
)


def interrupted(iterator):
    """Reads until an interrupt; returns it with its traceback, as interactive programs keep it."""
    timer = threading.Timer(0.15, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    read = []
    try:
        for x in iterator:
            read.append(int(x))
    except KeyboardInterrupt as error:
        return read, error
    finally:
        timer.join()
    raise AssertionError("no interrupt came")


@pytest.mark.parametrize("make", PIPELINES.values(), ids=PIPELINES)
def test_an_interrupt_leaves_no_thread(make):
    gc.disable()
    try:
        interrupted(iter(make()))
        assert end_soon()
    finally:
        gc.enable()


@pytest.mark.parametrize("name", PIPELINES)
def test_a_remembered_interrupt_leaves_no_thread_and_reading_goes_on(name):
    iterator = iter(PIPELINES[name]())
    before, error = interrupted(iterator)
    assert end_soon()
    after = [int(next(iterator)) for _ in range(200)]
    assert workers()
    found = before + after
    for lane in {x // 1000 for x in found} if name == "interleave" else [None]:
        part = [x for x in found if lane in (None, x // 1000)]
        assert part == sorted(set(part))
        # Elements in work when the interrupt came may be lost.
        assert part[-1] - part[0] + 1 - len(part) <= 3
    del iterator, error


def test_workers_come_back_when_somebody_reads_again():
    makers = []

    def note(x):
        makers.append(threading.current_thread())
        threading.Event().wait(0.001)
        return x

    iterator = iter(D.range(150).map(as_python(note), num_parallel_calls=2))
    for begin in (0, 50, 100):
        assert [int(next(iterator)) for _ in range(50)] == list(range(begin, begin + 50))
        assert end_soon()
    named = [maker for maker in set(makers) if maker.name == "eagerflow-data"]
    assert len(named) > 2


PROGRAM = """
import os, signal, sys, threading
import eagerflow as tf
signal.signal(signal.SIGINT, signal.default_int_handler)
def work(x):
    if int(x) == 20:
        os.kill(os.getpid(), signal.SIGINT)
    return x + 1
called = lambda x: tf.py_function(work, [x], tf.int64)
dataset = tf.data.Dataset.range(10**9).map(called, num_parallel_calls=2).prefetch(2)
if sys.argv[1] == "leave":
    iterator = iter(dataset)
    next(iterator)
    sys.exit(7)
for x in dataset:
    pass
"""


@pytest.mark.parametrize(("how", "code"), [("interrupt", -signal.SIGINT), ("leave", 7)])
def test_programs_end_though_workers_are_alive(how, code):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, how], capture_output=True, timeout=60, check=False
    )
    assert done.returncode in (code, 128 - code)
    assert b"Fatal" not in done.stderr


def test_an_interrupt_while_the_reader_waits_for_the_lock_loses_no_count():
    held = threading.Event()

    def hold():
        with team.lock:
            held.set()
            time.sleep(0.1)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.1)

    def make(x):
        if x == 1:
            thread.start()
            held.wait()
        return x

    thread = threading.Thread(target=hold)
    team = parallel.Team(iter(range(9)), make, workers=1, room=4, ordered=True)
    # No worker takes the elements: the reader computes them.
    team.started = True
    team.threads.add(thread)
    assert team.next() == 0
    with pytest.raises(KeyboardInterrupt):
        team.next()
    thread.join()
    assert team.busy == 0 and not team.reading
    assert team.next() == 2
