"""Convolutions of volumes whose filters have unknown sizes while a function is traced."""

import numpy as np
import pytest

import eagerflow as tf

UNKNOWN = [tf.TensorSpec([None] * 5)] * 2


def volumes(*shape, seed):
    return tf.constant(np.random.RandomState(seed).randn(*shape), tf.float32)


def with_gradients(function, *arguments):
    with tf.GradientTape() as tape:
        tape.watch(arguments)
        result = function(*arguments)
        total = tf.reduce_sum(result * tf.cos(tf.range(float(result.shape[-1] or 1))[:1]))
    return [result, *tape.gradient(total, arguments)]


@pytest.mark.parametrize(
    ("groups", "strides", "padding", "dilation"),
    [
        (1, [1, 1, 1], "SAME", 1),
        (2, [2, 2, 2], "VALID", 1),
        (1, [1, 1, 1], "SAME", 2),
        (2, [2, 1, 1], "SAME", 1),
    ],
)
def test_conv3d(groups, strides, padding, dilation):
    x, w = volumes(2, 6, 5, 5, 4, seed=0), volumes(3, 2, 2, 4 // groups, 6, seed=1)

    def convolved(x, w):
        rates = [1, dilation, dilation, dilation, 1]
        return tf.nn.conv3d(x, w, [1, *strides, 1], padding, dilations=rates)

    def run(x, w):
        return with_gradients(convolved, x, w)

    traced = tf.function(run, input_signature=UNKNOWN)
    for got, expected in zip(traced(x, w), run(x, w), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("step", "dilation"), [(1, 1), (2, 1), (1, 2)])
def test_conv3d_transpose(step, dilation):
    size = 6 // step
    x, w = volumes(2, size, size, size, 3, seed=2), volumes(3, 2, 2, 4, 3, seed=3)

    def enlarged(x, w):
        rates = [1, dilation, dilation, dilation, 1]
        return tf.nn.conv3d_transpose(x, w, [2, 6, 6, 6, 4], step, "SAME", dilations=rates)

    def run(x, w):
        return with_gradients(enlarged, x, w)

    traced = tf.function(run, input_signature=UNKNOWN)
    for got, expected in zip(traced(x, w), run(x, w), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)
