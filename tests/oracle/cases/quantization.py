"""Fake quantization, with gradients."""

import numpy as np

from oracle.inputs import gradient, tensor
from oracle.registry import case

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
