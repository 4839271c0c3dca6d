"""Gamma, Poisson and binomial numbers, and shuffled indices."""

import numpy as np

from oracle.inputs import gradient
from oracle.registry import case, errors

ALPHA = [0.1, 0.5, 1.0, 2.0, 30.0]
RATES = [0.0, 0.5, 3.0, 9.9, 10.0, 50.0, 4000.0]
FLOATS = ("float16", "float32", "float64")


@case(loose=20, dtype=FLOATS)
def gamma(tf, dtype):
    tf.random.set_seed(4)
    alpha = tf.constant(ALPHA, dtype)
    first = tf.random.gamma([4], alpha, dtype=dtype, seed=3)
    beta = tf.constant([[0.5], [2.0]], dtype)
    return [
        first,
        tf.random.gamma([4], alpha, dtype=dtype, seed=3),
        tf.random.gamma([2, 2], alpha, beta, dtype),
        tf.random.stateless_gamma([40, 5], [1, 2], alpha, dtype=dtype),
        tf.random.stateless_gamma([3, 2, 5], [5, 2], alpha, beta, dtype),
        tf.random.stateless_gamma([7], [5, 2], tf.constant(0.7, dtype), dtype=dtype),
    ]


@case(loose=1e7)
def gamma_gradient(tf):
    alpha, beta = tf.constant([0.5, 1.5, 4.0], tf.float64), tf.constant([1.0, 2.0, 0.5], tf.float64)

    def draw(alpha, beta):
        return tf.random.stateless_gamma([6, 3], [1, 2], alpha, beta, tf.float64)

    return gradient(tf, draw, alpha, beta)


@case(dtype=("float32", "float64", "int32", "int64"), rate=("float32", "float64"))
def poisson(tf, dtype, rate):
    tf.random.set_seed(4)
    rates = tf.constant(RATES, rate)
    return [
        tf.random.poisson([4], rates, dtype=dtype, seed=3),
        tf.random.poisson([4], rates, dtype=dtype, seed=3),
        tf.random.poisson([], rates, dtype=dtype),
        tf.random.stateless_poisson([20, 7], [1, 2], rates, dtype),
        tf.random.stateless_poisson([5], [1, 2], tf.constant(2.5, rate), dtype),
    ]


@case(dtype=("float32", "float64", "int32", "int64"))
def binomial(tf, dtype):
    counts = tf.constant([0.0, 5.0, 20.0, 200.0, 1000.0])
    chances = tf.constant([[0.0], [0.1], [0.5], [0.95], [1.0]])
    generator = tf.random.Generator.from_seed(7)
    return [
        tf.random.stateless_binomial([3, 5, 5], [1, 2], counts, chances, dtype),
        tf.random.stateless_binomial([9], [3, 2], 12.0, 0.3, dtype),
        generator.binomial([3, 5], counts, 0.4, dtype),
        generator.binomial([4], 50.0, 0.7, dtype),
        generator.state,
    ]


@case(dtype=("int32", "int64", "uint32", "uint64"), count=(1, 2, 9, 300, 70000))
def index_shuffle(tf, dtype, count):
    places = tf.constant(np.arange(0, count, max(count // 50, 1)).astype(dtype))
    last = tf.constant(count - 1, dtype)
    return [
        tf.random_index_shuffle(places, [1, 2, 3], last),
        tf.random_index_shuffle(places, [-1, 5, 9], last, rounds=8),
        tf.random.experimental.index_shuffle(places, [1, 2], last),
        tf.random_index_shuffle(places[0], [[1, 2, 3], [4, 5, 6]], last),
    ]


errors(
    "distributions",
    "wrong",
    {
        "gamma shape": (lambda tf: tf.random.stateless_gamma([3], [1, 2], [0.5, 1.0]), []),
        "poisson shape": (lambda tf: tf.random.stateless_poisson([3], [1, 2], [0.5, 1.0]), []),
        "poisson dtype": (lambda tf: tf.random.poisson([3], [0.5], tf.complex64), []),
        "gamma seed": (lambda tf: tf.random.stateless_gamma([3], [1, 2, 3], 0.5), []),
        "shuffle": (lambda tf: tf.random_index_shuffle(5, [1, 2, 3], 3), []),
    },
)
