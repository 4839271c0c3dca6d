"""tf.xla.experimental: scopes and functions that TensorFlow compiles."""

import pytest

import eagerflow as tf


def test_a_scope_in_a_function():
    @tf.function
    def triple(x):
        with tf.xla.experimental.jit_scope():
            return x * 3.0

    assert triple(2.0).numpy() == 6.0
    with pytest.raises(RuntimeError, match="eager execution"), tf.xla.experimental.jit_scope():
        pass


def test_results_are_those_of_tensorflow():
    compile = tf.xla.experimental.compile
    (one,) = compile(lambda x: x + 1, [2.0])
    assert one.numpy() == 3.0
    first, second = compile(lambda: (tf.constant(1.0), 2.0))
    assert isinstance(second, tf.Tensor) and first.numpy() == 1.0
    assert compile(lambda: {"a": 1})["a"].numpy() == 1
    assert compile(lambda: None) is None
