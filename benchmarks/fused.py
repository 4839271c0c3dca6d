"""Chains of elementwise operations in plain programs, and what reads them."""

import time

import numpy as np

from frameworks import computed
from traced import chain, chain_arrays, chain_in_additions, compiled, jax_chain, values_case
from workload import ITSELF, Case, Target, Workload

MILLION = 1 << 20


def operations(tf, x, y):
    """100 elementwise operations."""
    for _ in range(25):
        x = tf.abs(x * 0.5 + y) - 0.25
    return x


def operands():
    generator = np.random.default_rng(0)
    return [generator.normal(size=MILLION).astype(np.float32) for _ in range(2)]


def operations_case(tf, wrap):
    x, y = map(tf.constant, operands())
    function = wrap(lambda x, y: operations(tf, x, y))
    return values_case(lambda: function(x, y))


def jax_operations(jax):
    x, y = map(jax.numpy.asarray, operands())
    function = jax.jit(lambda x, y: operations(jax.numpy, x, y))
    return values_case(lambda: function(x, y), jax.block_until_ready)


def squares_in_copies(tf):
    """The time of a sum of squared differences and its gradients, by that of moving the memory.

    That is: two sums of what is read, twice, and two copies.
    """
    x, y = map(tf.constant, chain_arrays()[:2])
    arrays = [np.asarray(x), np.asarray(y)]
    copies = [np.empty_like(array) for array in arrays]

    def gradients():
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            loss = tf.reduce_sum(tf.square(x - y))
        for gradient in tape.gradient(loss, [x, y]):
            computed(gradient)

    def passes():
        tf.reduce_sum(x)
        tf.reduce_sum(y)
        for array, copy in zip(arrays, copies, strict=True):
            np.copyto(copy, array)

    def run(count):
        seconds = [0.0, 0.0]
        for _ in range(count):
            for k, call in enumerate((gradients, passes)):
                start = time.perf_counter()
                call()
                seconds[k] += time.perf_counter() - start
        return seconds[0] / seconds[1]

    return Case(run, lambda: [1.0])


def plain(function):
    return function


WORKLOADS = [
    Workload(
        name="fused-chain",
        title="`tanh(a*b+c)*d-e` over 16 M floats, plain",
        target=Target("tf.function", 0.4),
        contenders={
            "eagerflow": lambda tf: chain(tf, plain),
            "tf.function": lambda tf: chain(tf, tf.function),
            "jit_compile": lambda tf: chain(tf, compiled(tf)),
            "jax": jax_chain,
        },
        also=(Target("jax", 0.4),),
    ),
    Workload(
        name="fused-chain-in-additions",
        title="that chain's time in additions of 16 M floats",
        target=Target(ITSELF, 2.3),
        contenders={"eagerflow": lambda tf: chain_in_additions(tf, plain)},
        measure="share",
    ),
    Workload(
        name="fused-operations",
        title="100 elementwise operations over 1 M floats, plain",
        target=Target("jax", 1.0),
        contenders={
            "eagerflow": lambda tf: operations_case(tf, plain),
            "tf.function": lambda tf: operations_case(tf, tf.function),
            "jax": jax_operations,
        },
        also=(Target("tf.function", 0.2),),
    ),
    Workload(
        name="fused-squares-in-copies",
        title="`reduce_sum(square(x - y))` of 16 M floats with gradients, in two passes over memory",
        target=Target(ITSELF, 1.3),
        contenders={"eagerflow": squares_in_copies},
        measure="share",
    ),
]
