"""Frames of signals, beside slices of NumPy."""

import numpy as np
import pytest

import eagerflow as tf

LENGTHS, STEPS, SIZES = [0, 1, 4, 6, 7], [1, 2, 3, 4, 9], [0, 1, 6, 12, 13]


def _frames(x, length, step, pad_end, axis):
    size = x.shape[axis]
    count = -(-size // step) if pad_end else max(0, 1 + (size - length) // step)
    x = np.moveaxis(x, axis, 0)
    x = np.concatenate([x, np.zeros((length + step, *x.shape[1:]))])
    frames = [x[k * step : k * step + length] for k in range(count)]
    found = np.stack(frames) if frames else np.zeros((0, length, *x.shape[1:]))
    return np.moveaxis(found, (0, 1), (axis, axis + 1))


@pytest.mark.parametrize("mode", ["eager", "traced", "sizes unknown"])
@pytest.mark.parametrize("pad_end", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_frames_of_all_lengths_and_steps(axis, pad_end, mode) -> None:
    for size in SIZES:
        shape = [2, 3, 2]
        shape[axis] = size
        x = np.random.default_rng(size).normal(size=shape)
        for length in LENGTHS:
            for step in STEPS:

                def frame(signal, length=length, step=step):
                    return tf.signal.frame(signal, length, step, pad_end, axis=axis)

                expected = _frames(x, length, step, pad_end, axis)
                if mode != "eager":
                    spec = tf.TensorSpec(shape if mode == "traced" else [None] * 3, tf.float64)
                    frame = tf.function(frame, input_signature=[spec])
                np.testing.assert_array_equal(frame(tf.constant(x)), expected)


@pytest.mark.parametrize(("length", "step"), [(4, 2), (6, 4), (7, 3), (4, 9)])
def test_gradients_count_the_frames_of_each_sample(length, step) -> None:
    x = tf.random.normal([2, 30])
    with tf.GradientTape() as tape:
        tape.watch(x)
        frames = tf.signal.frame(x, length, step)
        y = tf.reduce_sum(frames)
    count = np.zeros(30)
    for k in range(frames.shape[1]):
        count[k * step : k * step + length] += 1
    np.testing.assert_array_equal(tape.gradient(y, x), [count, count])
