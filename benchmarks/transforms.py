"""Functions of functions: `tf.func` in functions, `torch.func`, and JAX's transforms, compiled."""

import numpy as np

from frameworks import computed
from workload import FASTEST_PEER, Case, Target, Workload

GENERATOR = np.random.default_rng(0)
POINTS = GENERATOR.normal(size=(256, 16)).astype(np.float32)
MIXING = GENERATOR.normal(scale=0.3, size=(16, 16)).astype(np.float32)
BATCH = GENERATOR.normal(size=(64, 32)).astype(np.float32)
LABELS = GENERATOR.normal(size=64).astype(np.float32)
FIRST = GENERATOR.normal(scale=0.2, size=(32, 64)).astype(np.float32)
SECOND = GENERATOR.normal(scale=0.2, size=(64, 1)).astype(np.float32)


def energies(func, tanh, total):
    """A number of each of 256 vectors."""
    return func.vmap(lambda mixing, x: total(tanh(mixing * x) * x), in_dims=(None, 0))


def hessians(func, tanh, total):
    """The second derivatives of a number of each vector."""

    def of_one(mixing, x):
        return func.hessian(lambda point: total(tanh(mixing * point) * point))(x)

    return func.vmap(of_one, in_dims=(None, 0))


def per_example(func, tanh, total):
    """The gradients of each example's loss by the weights of a perceptron."""

    def loss(weights, x, label):
        error = tanh(x[None] @ weights[0]) @ weights[1] - label
        return total(error * error)

    return func.vmap(func.grad(loss), in_dims=(None, 0, 0))


class JaxNames:
    """JAX's transforms with the arguments of `torch.func`."""

    def __init__(self, jax):
        self.grad = jax.grad
        self.hessian = jax.hessian
        self.vmap = lambda function, in_dims: jax.vmap(function, in_axes=in_dims)


def case(compute):
    def run(count):
        for _ in range(count):
            compute()

    def value():
        found = compute()
        first = found[0] if isinstance(found, (list, tuple)) else found
        return np.asarray(first).reshape(-1)[:20]

    return Case(run, value)


def with_tf(make, arrays):
    def prepared(tf):
        function = tf.function(make(tf.func, tf.tanh, tf.reduce_sum))
        inputs = mapped(tf.constant, arrays)
        return case(lambda: tree_computed(function(*inputs)))

    return prepared


def with_torch(make, arrays):
    def prepared(torch):
        function = make(torch.func, torch.tanh, torch.sum)
        inputs = mapped(torch.from_numpy, arrays)
        return case(lambda: function(*inputs))

    return prepared


def with_jax(make, arrays):
    def prepared(jax):
        function = jax.jit(make(JaxNames(jax), jax.numpy.tanh, jax.numpy.sum))
        inputs = mapped(jax.numpy.asarray, arrays)
        return case(lambda: jax.block_until_ready(function(*inputs)))

    return prepared


def mapped(convert, arrays):
    return [tuple(map(convert, a)) if isinstance(a, tuple) else convert(a) for a in arrays]


def tree_computed(found):
    for part in found if isinstance(found, (list, tuple)) else [found]:
        computed(part)
    return found


WORKLOADS = [
    Workload(
        name=name,
        title=title,
        target=Target(FASTEST_PEER, 1.0),
        contenders={
            "eagerflow": with_tf(make, arrays),
            "torch": with_torch(make, arrays),
            "jax": with_jax(make, arrays),
        },
    )
    for name, title, make, arrays in (
        ("func-vmap", "vmap of a function of 16 numbers over 256 rows", energies, (MIXING, POINTS)),
        ("func-hessian", "Hessians of that function at 256 points", hessians, (MIXING, POINTS)),
        (
            "func-per-example",
            "gradients of each of 64 examples by a perceptron's weights, 32-64-1",
            per_example,
            ((FIRST, SECOND), BATCH, LABELS),
        ),
    )
]
