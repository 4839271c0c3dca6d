"""Kernels flush subnormal values to zero on every thread; other code keeps them."""

import threading

import numpy as np
import pytest

import eagerflow as tf

SUBNORMAL = np.float32(1e-40)
LARGE = 1 << 20  # enough elements for several threads


def numpy_keeps_subnormals():
    return SUBNORMAL * np.float32(0.5) != 0


@pytest.mark.parametrize("count", [1, 7, LARGE])
def test_products_and_sums_are_flushed(count):
    x = tf.fill([count], SUBNORMAL)
    np.testing.assert_array_equal(x.numpy(), np.full(count, SUBNORMAL))  # fill computes nothing
    assert not np.any((x * 0.5).numpy())
    assert not np.any((x + x).numpy())
    assert not np.any((tf.fill([count], np.float32(1e-30)) * 1e-15).numpy())
    assert numpy_keeps_subnormals()


def test_doubles_are_flushed():
    assert (tf.constant(1e-310, tf.float64) * 2.0).numpy() == 0
    assert tf.cast(tf.constant(1e-40, tf.float64), tf.float32).numpy() == 0
    assert numpy_keeps_subnormals()


def test_zero_equals_subnormals():
    assert bool(tf.constant(SUBNORMAL) == 0.0)


@pytest.mark.parametrize("size", [2, 64, 1200])
def test_matrix_products(size):
    a = tf.fill([size, size], np.float32(1e-20))
    assert not np.any((a @ a).numpy())
    assert numpy_keeps_subnormals()


def test_convolutions():
    image = tf.fill([8, 32, 32, 8], np.float32(1e-20))
    kernel = tf.fill([3, 3, 8, 16], np.float32(1e-22))
    assert not np.any(tf.nn.conv2d(image, kernel, 1, "SAME").numpy())
    assert numpy_keeps_subnormals()


def test_deferred_results():
    x = tf.fill([64, 1024], SUBNORMAL)
    assert not np.any(tf.nn.bias_add(x, tf.zeros([1024])).numpy())
    assert numpy_keeps_subnormals()


def test_variables():
    v = tf.Variable(tf.fill([LARGE], SUBNORMAL))
    v.assign_add(tf.fill([LARGE], SUBNORMAL))
    assert not np.any(v.numpy())
    assert numpy_keeps_subnormals()


def test_optimizers():
    v = tf.Variable([1.0, 1.0])
    optimizer = tf.optimizers.SGD(1e-20)
    optimizer.apply_gradients([(tf.constant([1e-21, 1e-21]), v)])
    momentum = tf.optimizers.Adam(0.1)
    momentum.apply_gradients([(tf.constant([1e-21, 1e-21]), v)])
    slots = [slot.numpy() for slot in momentum.variables[1:] if slot.shape == [2]]
    assert not np.any((0 < np.abs(slots)) & (np.abs(slots) < np.finfo(np.float32).tiny))
    assert numpy_keeps_subnormals()


def test_gradients():
    x = tf.constant([1e-20, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x[:1] * 1e-20) * 1e-22
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [0, 0])
    assert numpy_keeps_subnormals()


def test_python_functions_inside():
    seen = []

    def compute(x):
        seen.append(numpy_keeps_subnormals())
        return x

    tf.map_fn(compute, tf.ones([3]))
    tf.numpy_function(compute, [tf.ones([3])], tf.float32)
    assert seen and all(seen)


def test_other_threads():
    results = []

    def run():
        results.append(bool(np.any((tf.fill([LARGE], SUBNORMAL) * 2.0).numpy())))
        results.append(not numpy_keeps_subnormals())

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [False] * 8
