"""Dilations whose rates and strides are of any size beside the image: definitions by loops, in all modes."""

import numpy as np
import pytest

import eagerflow as tf


def by_hand(x, filters, strides, rates, padding):
    lowest = np.finfo(np.float32).min
    starts, counts = [], []
    for size, window, step, rate in zip(x.shape[1:3], filters.shape, strides, rates, strict=False):
        reach = (window - 1) * rate + 1
        count = -(-size // step) if padding == "SAME" else -(-(size - reach + 1) // step)
        missing = max((count - 1) * step + reach - size, 0) if padding == "SAME" else 0
        starts.append(-(missing // 2))
        counts.append(count)
    result = np.full([len(x), *counts, x.shape[3]], lowest, np.float32)
    for place in np.ndindex(*counts):
        for row, column in np.ndindex(*filters.shape[:2]):
            at = [
                start + k * step + tap * rate
                for start, k, step, tap, rate in zip(
                    starts, place, strides, (row, column), rates, strict=True
                )
            ]
            if all(0 <= k < size for k, size in zip(at, x.shape[1:3], strict=True)):
                sums = x[:, at[0], at[1]] + filters[row, column]
                into = result[:, place[0], place[1]]
                np.maximum(into, sums, out=into)
    return result


@pytest.mark.parametrize("rates", [(1, 1), (2, 3), (5, 1), (7, 40), (2**30, 1), (1, 2**30)])
@pytest.mark.parametrize("strides", [(1, 1), (2, 3), (9, 1)])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("mode", ["eager", "traced", "unknown sizes"])
def test_is_its_definition(rates, strides, padding, mode):
    random = np.random.default_rng(3)
    x = random.normal(size=(2, 6, 7, 2)).astype(np.float32)
    filters = random.normal(size=(3, 2, 2)).astype(np.float32)

    def run(x, filters):
        with tf.GradientTape() as tape:
            tape.watch([x, filters])
            y = tf.nn.dilation2d(x, filters, [1, *strides, 1], padding, "NHWC", [1, *rates, 1])
        return y, *tape.gradient(y, [x, filters])

    if mode == "traced":
        run = tf.function(run)
    elif mode == "unknown sizes":
        shapes = [tf.TensorSpec([None] * 4), tf.TensorSpec([None] * 3)]
        run = tf.function(run, input_signature=shapes)
    if (
        padding == "VALID"
        and min(
            (size - 1 - (window - 1) * rate) // step
            for size, window, rate, step in zip((6, 7), (3, 2), rates, strides, strict=True)
        )
        < -1
    ):
        error = ValueError if mode == "traced" else tf.errors.InvalidArgumentError
        with pytest.raises(error):
            run(tf.constant(x), tf.constant(filters))
        return
    y, dx, dw = run(tf.constant(x), tf.constant(filters))
    expected = by_hand(x, filters, strides, rates, padding)
    np.testing.assert_array_equal(y, expected)
    reached = int((expected > np.finfo(np.float32).min).sum())
    assert float(tf.reduce_sum(dx)) == reached
    assert float(tf.reduce_sum(dw)) == reached
