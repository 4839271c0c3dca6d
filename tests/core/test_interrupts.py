"""Signals reach the program while a kernel runs."""

import gc
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import eagerflow as tf


class Raised(Exception):
    pass


@pytest.fixture
def raised_soon():
    """Sends signals repeatedly; the first that the main thread receives raises Raised there."""
    waiting = True

    def handler(number, frame):
        nonlocal waiting
        if waiting:
            waiting = False
            raise Raised

    before = signal.signal(signal.SIGUSR1, handler)
    # An exception raised in a callback of the garbage collector, such as Hypothesis's, is lost.
    gc.disable()
    stopped = threading.Event()

    def send():
        while not stopped.wait(0.1):
            os.kill(os.getpid(), signal.SIGUSR1)

    sender = threading.Thread(target=send)

    def stop():
        stopped.set()
        sender.join()
        signal.signal(signal.SIGUSR1, before)
        gc.enable()

    yield sender.start, stop
    if not stopped.is_set():
        stop()


def interrupted(raised_soon, function):
    """Whether a call ends by the signal's exception; `function` may take minutes."""
    start, stop = raised_soon
    try:
        start()
        function()
    except Raised:
        pass
    else:
        return False
    finally:
        stop()
    return True


LONG = {
    "elementwise": lambda: tf.math.betainc(*tf.unstack(tf.fill([3, 20_000_000], 0.5))),
    "matmul": lambda: tf.ones([10_000, 10_000]) @ tf.ones([10_000, 10_000]),
    "conv2d": lambda: tf.nn.conv2d(tf.ones([64, 96, 96, 64]), tf.ones([9, 9, 64, 128]), 1, "SAME"),
}


@pytest.mark.parametrize("function", LONG.values(), ids=LONG)
def test_long_kernels_end(raised_soon, function):
    assert interrupted(raised_soon, function)
    np.testing.assert_array_equal((tf.ones([1 << 20]) + 1.0).numpy()[[0, -1]], [2, 2])


def test_handlers_use_the_engine():
    """A handler may compute while a kernel is interrupted, in the usual arithmetic."""
    seen = []

    def handler(number, frame):
        seen.append(float(tf.reduce_sum(tf.ones([1 << 20]))))
        seen.append(np.float32(1e-40) * np.float32(0.5) != 0)

    before = signal.signal(signal.SIGUSR1, handler)
    main = threading.main_thread().ident
    sender = threading.Timer(0.2, lambda: signal.pthread_kill(main, signal.SIGUSR1))
    sender.start()
    try:
        product = tf.ones([4_000, 4_000]) @ tf.ones([4_000, 4_000])
        sender.join()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert product.numpy().min() == product.numpy().max() == 4_000
    assert seen == [1 << 20, True]


def test_variables_are_never_left_half_changed(raised_soon):
    v = tf.Variable(tf.zeros([20_000_000]))
    delta = tf.ones([20_000_000])

    def add():
        for _ in range(1000):
            v.assign_add(delta)

    assert interrupted(raised_soon, add)
    assert float(tf.reduce_min(v)) == float(tf.reduce_max(v))


# A handler runs on the stack of the interrupted code unless another stack was requested, as by
# pytest's faulthandler.
INTERRUPTED_PRODUCTS = """
import signal, eagerflow as tf
signal.signal(signal.SIGALRM, lambda number, frame: None)
a = tf.ones([1500, 1500])
signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
for _ in range(8):
    product = a @ a
signal.setitimer(signal.ITIMER_REAL, 0)
objects = [bytes(i) for i in range(0, 3000, 7)]
del objects
assert product.numpy().min() == product.numpy().max() == 1500
"""


def test_handlers_do_not_write_into_products():
    subprocess.run([sys.executable, "-c", INTERRUPTED_PRODUCTS], check=True)
