"""Quantization and back, and fake quantization with its gradients."""

import numpy as np

from oracle.inputs import gradient, tensor
from oracle.registry import case, errors

X = np.linspace(-9, 9, 37, dtype=np.float32).reshape(1, 37) + np.float32(0.013)


@case(loose=10, bits=(2, 4, 8), narrow=(False, True), limits=((-6, 6), (0, 3), (-1, 2.5), (1, 4)))
def fake_quant(tf, bits, narrow, limits):
    q = tf.quantization
    low, high = map(float, limits)
    x = tf.constant(X)

    def by_args(x):
        return q.fake_quant_with_min_max_args(x, low, high, bits, narrow)

    def by_vars(x, low, high):
        return q.fake_quant_with_min_max_vars(x, low, high, bits, narrow)

    return [
        gradient(tf, by_args, x),
        gradient(tf, by_vars, x, tf.constant(low), tf.constant(high)),
        q.fake_quant_with_min_max_args_gradient(x, x, low, high, bits, narrow),
        list(q.fake_quant_with_min_max_vars_gradient(x, x, low, high, bits, narrow)),
    ]


@case(loose=10, bits=(3, 8))
def per_channel(tf, bits):
    low, high = tf.constant([-1.0, -2.0, 0.0]), tf.constant([1.0, 3.0, 4.0])

    def quant(x, low, high):
        return tf.quantization.fake_quant_with_min_max_vars_per_channel(x, low, high, bits)

    return gradient(tf, quant, tensor(tf, (4, 3), low=-5, high=5), low, high)


@case(
    loose=10,
    bits=(3, 8),
    given=(False, True),
    signed=(True, False),
    mode=("HALF_TO_EVEN", "HALF_UP"),
    narrow=(False, True),
)
def quantize_and_dequantize(tf, bits, given, signed, mode, narrow):
    x = tensor(tf, (3, 4), low=-1 if signed else 0.1, high=4)

    def quant(x):
        return tf.quantization.quantize_and_dequantize_v2(
            x, -0.5 if signed else 0.0, 2.0, signed, bits, given, mode, narrow_range=narrow
        )

    return quant(x)


SPREAD = np.linspace(-3, 6, 24, dtype=np.float32).reshape(2, 3, 4)


def _quantized(tf, result):
    """Bits, and the range."""
    return [result.output.dtype.name, result.output.numpy(), result.output_min, result.output_max]


@case(
    kind=("qint8", "quint8", "qint16", "quint16"),
    mode=("MIN_COMBINED", "MIN_FIRST", "SCALED"),
    narrow=(False, True),
    limits=((-1, 2), (0, 5), (1, 2), (-3, 0.75), (0, 0), (0.3, 0.301)),
)
def quantize(tf, kind, mode, narrow, limits):
    low, high = map(float, limits)
    found = tf.quantization.quantize(SPREAD, low, high, kind, mode, narrow_range=narrow)
    back = tf.quantization.dequantize(*found, mode, narrow_range=narrow)
    return [_quantized(tf, found), back]


@case(kind=("qint8", "quint8", "qint16"), mode=("MIN_COMBINED", "SCALED"), axis=(0, 1, 2, -1))
def quantize_axis(tf, kind, mode, axis):
    count = SPREAD.shape[axis]
    low, high = [-1.0, -3.0, 0.0, -0.5][:count], [1.0, 2.5, 6.0, 0.5][:count]
    x = tf.constant(SPREAD)
    found = tf.quantization.quantize(x, low, high, tf.as_dtype(kind), mode, axis=axis)
    back = tf.quantization.dequantize(*found, mode, axis=axis)
    return [_quantized(tf, found), back]


@case(kind=("qint16", "quint16"))
def quantize_half_to_even(tf, kind):
    x = np.arange(-4, 5, dtype=np.float32) / np.float32(2)
    top = float(2 ** (16 - (kind[0] == "q" and kind[1] == "i")) - 1)
    found = tf.quantization.quantize(x, 0.0, top, kind, "SCALED", "HALF_TO_EVEN")
    return _quantized(tf, found)


@case
def quantize_wide_enough(tf):
    return [
        _quantized(
            tf, tf.quantization.quantize([0.1], 0.0, 0.001, "quint8", ensure_minimum_range=e)
        )
        for e in (0.0, 0.01, 0.5)
    ]


@case
def dequantize_to_bfloat16(tf):
    x = tf.bitcast(tf.constant([0, 1, 128, 255], tf.uint8), tf.quint8)
    return tf.quantization.dequantize(x, -1.0, 3.0, dtype=tf.bfloat16)


@case(parts=("ab", "aa", "abc", "cb"), axis=(0, 1))
def quantized_concat(tf, parts, axis):
    limits = {"a": (-1.0, 2.0), "b": (-3.0, 5.0), "c": (0.0, 4.0)}
    found = [tf.quantization.quantize(SPREAD, *limits[part], tf.quint8) for part in parts]
    return _quantized(
        tf, tf.quantization.quantized_concat(axis, *map(list, zip(*found, strict=True)))
    )


@case(axis=(0, 1, 2, -1, -2), signed=(True, False), narrow=(False, True))
def quantize_and_dequantize_axis(tf, axis, signed, narrow):
    return tf.quantization.quantize_and_dequantize_v2(
        tf.constant(SPREAD), 0.0, 0.0, signed, 6, narrow_range=narrow, axis=axis
    )


@case
def quantize_and_dequantize_gradients(tf):
    q = tf.quantization

    def quant(x, low, high):
        return q.quantize_and_dequantize_v2(x, low, high, range_given=True)

    def of_inputs(x, low, high):
        return q.quantize_and_dequantize_v2(x, low, high)

    def all_through(x):
        return q.quantize_and_dequantize(x, -1.0, 2.0, range_given=True)

    x, low, high = tf.constant(SPREAD), tf.constant(-1.0), tf.constant(2.0)
    return [gradient(tf, quant, x, low, high), gradient(tf, of_inputs, x, low, high),
            gradient(tf, all_through, x)]  # fmt: skip


def _numbers(tf):
    return tf.quantization.quantize(SPREAD, -1.0, 2.0, tf.quint8)


errors(
    "quantization",
    "errors",
    {
        "reversed": (
            lambda tf: tf.quantization.quantize([1.0], 2.0, 1.0, tf.quint8),
            ["min", "max"],
        ),
        "type": (lambda tf: tf.quantization.quantize([1.0], 0.0, 1.0, tf.int8), ["int8"]),
        "input": (
            lambda tf: tf.quantization.quantize(tf.constant([1]), 0.0, 1.0, tf.quint8),
            ["int32", "float"],
        ),
        "mode": (lambda tf: tf.quantization.quantize([1.0], 0.0, 1.0, tf.quint8, "X"), ["X"]),
        "round mode": (
            lambda tf: tf.quantization.quantize(
                [1.0], 0.0, 1.0, "quint8", round_mode="HALF_TO_EVEN"
            ),
            ["HALF_TO_EVEN", "SCALED"],
        ),
        "limits": (
            lambda tf: tf.quantization.quantize(SPREAD, [0.0, 0.0], [1.0, 1.0], tf.quint8),
            ["min_range"],
        ),
        "limits of an axis": (
            lambda tf: tf.quantization.quantize(SPREAD, [0.0], [1.0], tf.quint8, axis=1),
            ["min_range"],
        ),
        "axis": (lambda tf: tf.quantization.quantize(SPREAD, 0.0, 1.0, tf.quint8, axis=3), ["3"]),
        "min first": (
            lambda tf: tf.quantization.quantize(
                SPREAD, [0.0] * 3, [1.0] * 3, "quint8", "MIN_FIRST", axis=1
            ),
            ["MIN_FIRST"],
        ),
        "no integers": (lambda tf: tf.quantization.dequantize([1], 0.0, 1.0), ["int32", "quint8"]),
        "dtype": (
            lambda tf: tf.quantization.dequantize(*_numbers(tf), dtype=tf.float16),
            ["bfloat16", "float"],
        ),
        "concat axis": (
            lambda tf: tf.quantization.quantized_concat(3, *[[part] for part in _numbers(tf)]),
            ["3"],
        ),
        "bits": (
            lambda tf: tf.quantization.quantize_and_dequantize_v2([1.0], 0.0, 0.0, num_bits=64),
            ["64"],
        ),
    },
)
