"""Arithmetic on subnormal numbers, for which many processors take a hundred times as long."""

import numpy as np

from frameworks import computed
from training import training_case
from workload import FASTEST_PEER, Case, Target, Workload

SHAPE = (784, 128)
GRADIENT = 1e-21  # its square is subnormal, and so are Adam's second moments
FLOATS = 1 << 20


def adam(tf):
    """Updates of weights by gradients that have all but vanished."""
    weights = tf.Variable(tf.ones(SHAPE))
    gradient = tf.fill(SHAPE, np.float32(GRADIENT))
    optimizer = tf.keras.optimizers.Adam(1e-3)

    def step():
        optimizer.apply_gradients([(gradient, weights)])
        return weights[0, 0]

    return training_case(step)


def torch_adam(torch):
    weights = torch.nn.Parameter(torch.ones(SHAPE))
    weights.grad = torch.full(SHAPE, GRADIENT)
    optimizer = torch.optim.Adam([weights], lr=1e-3, eps=1e-7, fused=True)

    def step():
        optimizer.step()
        return weights[0, 0]

    return training_case(step)


def halving(constant, multiply):
    """The Case of a product of as many subnormal numbers as FLOATS says."""
    x = constant(np.full(FLOATS, 1e-39, np.float32))

    def run(count):
        for _ in range(count):
            multiply(x)

    # Zeros where a contender flushes, subnormal numbers where it does not: alike beside 1.
    return Case(run, lambda: 1 + np.asarray(multiply(x))[:8])


def with_tensors(tf):
    return halving(tf.constant, lambda x: computed(x * 0.5))


def with_jax(jax):
    half = jax.jit(lambda x: x * 0.5)
    return halving(jax.numpy.asarray, lambda x: jax.block_until_ready(half(x)))


WORKLOADS = [
    Workload(
        name="subnormal-adam",
        title="Adam update of 784×128 weights, gradients of 1e-21",
        target=Target("tensorflow", 0.15),
        contenders={"eagerflow": adam, "tensorflow": adam, "torch": torch_adam},
        also=(Target("torch", 1.05),),
    ),
    Workload(
        name="subnormal-multiply",
        title="x * 0.5, 1 M subnormal floats",
        target=Target(FASTEST_PEER, 1.05),
        contenders={
            "eagerflow": with_tensors,
            "tensorflow": with_tensors,
            "torch": lambda torch: halving(torch.from_numpy, lambda x: x * 0.5),
            "jax": with_jax,
            "numpy": lambda np: halving(np.asarray, lambda x: x * np.float32(0.5)),
        },
    ),
]
