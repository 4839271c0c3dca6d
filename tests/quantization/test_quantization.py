"""Quantization: what holds for any values."""

import numpy as np
import pytest

import eagerflow as tf

KINDS = ("qint8", "quint8", "qint16", "quint16", "qint32")
NUMBERS = np.linspace(-2.0, 4.0, 101, dtype=np.float32)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", ["MIN_COMBINED", "MIN_FIRST", "SCALED"])
def test_back_and_forth_loses_a_step_at_most(kind, mode):
    found = tf.quantization.quantize(NUMBERS, -2.0, 4.0, tf.as_dtype(kind), mode)
    back = tf.quantization.dequantize(*found, mode)
    bits = found.output.dtype.size * 8
    # Without a sign, this mode has no negative numbers.
    lower = 0.0 if mode == "SCALED" and kind.startswith("quint") else -2.0
    step = 2 * max(abs(lower), 4.0) / 2**bits
    assert np.abs(back.numpy() - np.maximum(NUMBERS, lower)).max() <= max(step, 1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_scaled_keeps_zero(kind):
    found = tf.quantization.quantize([0.0, 1.0], -1.5, 3.0, tf.as_dtype(kind), "SCALED")
    assert found.output.numpy()[0] == 0
    assert tf.quantization.dequantize(*found, "SCALED").numpy()[0] == 0.0


def test_half_to_even_rounds_to_even():
    for mode, expected in (("HALF_TO_EVEN", [0, 2, 2]), ("HALF_AWAY_FROM_ZERO", [1, 2, 3])):
        found = tf.quantization.quantize([0.5, 1.5, 2.5], 0.0, 255.0, "quint8", "SCALED", mode)
        assert found.output.numpy().tolist() == expected


def test_largest_numbers_saturate():
    found = tf.quantization.quantize([9.0, np.inf], -1.0, 1.0, tf.qint32)
    assert found.output.numpy().tolist() == [2**31 - 1] * 2


def test_results_are_named():
    found = tf.quantization.quantize([], 0.0, 1.0, tf.quint8)
    assert found._fields == ("output", "output_min", "output_max")
    assert found.output.shape == [0]


def test_empty_and_mismatched_concat():
    found = tf.quantization.quantize([1.0], 0.0, 1.0, tf.quint8)
    with pytest.raises(tf.errors.InvalidArgumentError, match="as many of each"):
        tf.quantization.quantized_concat(0, [found.output], [], [])
    with pytest.raises(tf.errors.NotFoundError, match="float32"):
        tf.quantization.quantized_concat(0, [[1.0]], [0.0], [1.0])


@pytest.mark.parametrize("axis", [10, -5])
def test_axes_out_of_range(axis):
    match = "Shape must be at least rank 11 but is rank 1" if axis > 0 else "must be at least -1"
    with pytest.raises(tf.errors.InvalidArgumentError, match=match):
        tf.quantization.quantize_and_dequantize_v2(tf.constant([2.5, 2.5]), 0.0, 1.0, axis=axis)
