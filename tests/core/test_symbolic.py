"""Tensors without a value, and objects that override operations."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core


def symbol(*shape, dtype=tf.float32):
    return _core.symbolic(dtype, shape)


def test_operations_infer():
    x = symbol(5, 28, 28, 1)
    y = tf.nn.relu(tf.nn.conv2d(x, tf.ones([3, 3, 1, 4]), 1, "VALID") + tf.ones([4]))
    assert _core.is_symbolic(y) and y.shape == (5, 26, 26, 4)
    y = tf.reshape(y, [5, -1]) @ tf.ones([26 * 26 * 4, 10], tf.float32)
    assert _core.is_symbolic(y) and y.shape == (5, 10) and y.dtype == tf.float32
    assert tf.argmax(y, 1).dtype == tf.int64
    assert not _core.is_symbolic(tf.zeros_like(y)) or tf.zeros_like(y).shape == (5, 10)


def test_checks_hold():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        symbol(2, 3) + symbol(4, 5)


def test_symbols_are_shown_and_refused_without_memory_for_values():
    x = symbol(12, 480, 480, 480)
    tf.config.experimental.reset_memory_stats("CPU:0")
    before = tf.config.experimental.get_memory_info("CPU:0")["current"]
    assert repr(x) == "<tf.Tensor: shape=(12, 480, 480, 480), dtype=float32, symbolic>"
    assert not hasattr(x, "numpy")
    with pytest.raises(AttributeError, match="symbolic"):
        x.numpy()
    assert tf.config.experimental.get_memory_info("CPU:0")["peak"] - before < 1 << 20


def test_large_symbols_take_no_memory():
    x = symbol(1 << 40)
    assert (x * 2.0 + x).shape == (1 << 40,)


def test_gradients_infer():
    w = tf.Variable(tf.ones([3, 2]))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.nn.relu(symbol(5, 3) @ w))
    gradient = tape.gradient(loss, w)
    assert _core.is_symbolic(gradient) and gradient.shape == (3, 2)


def test_values_cannot_be_read():
    for read in (
        np.asarray,
        float,
        bool,
        lambda x: tf.where(tf.reshape(x, [1]) > 0),
    ):
        with pytest.raises(TypeError, match="not known"):
            read(symbol())


class Recorder:
    """Records the operations that it overrides."""

    def __init__(self):
        self.calls = []

    def __op_function__(self, function, args, kwargs):
        self.calls.append((function.__name__, args, kwargs))
        return "taken"

    def __radd__(self, other):
        return tf.add(other, self)


def test_arguments_take_operations_over():
    taker = Recorder()
    assert tf.add(1.0, taker) == "taken"
    assert tf.concat([tf.ones([1]), taker], axis=0) == "taken"
    assert tf.reduce_sum(input_tensor=taker, axis=1) == "taken"
    assert tf.convert_to_tensor([[1, taker]]) == "taken"
    assert tf.reshape(tf.ones([4]), [taker, 2]) == "taken"
    assert tf.ones([2]) + taker == "taken"
    names = [name for name, _, _ in taker.calls]
    assert names == ["add", "concat", "reduce_sum", "convert", "reshape", "add"]
    assert taker.calls[2][2] == {"input_tensor": taker, "axis": 1}


def test_others_fail_as_ever():
    with pytest.raises(ValueError, match="object"):
        tf.add(1.0, object())


def test_errors_of_the_taker_pass():
    class Broken:
        def __op_function__(self, function, args, kwargs):
            raise KeyError(function.__name__)

    with pytest.raises(KeyError, match="exp"):
        tf.exp(Broken())
