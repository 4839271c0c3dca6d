"""Jacobians: many rows of derivatives from one computation."""

import numpy as np

from workload import FASTEST_PEER, Case, Target, Workload

GENERATOR = np.random.default_rng(0)
VECTOR = GENERATOR.normal(size=100).astype(np.float32)
BATCH = GENERATOR.normal(size=(32, 64)).astype(np.float32)
FIRST = GENERATOR.normal(scale=0.1, size=(64, 128)).astype(np.float32)
SECOND = GENERATOR.normal(scale=0.1, size=(128, 10)).astype(np.float32)


def case(compute, numbers):
    def run(count):
        for _ in range(count):
            compute()

    return Case(run, lambda: numbers(compute()))


def eager_elementwise(tf):
    x = tf.constant(VECTOR)

    def compute():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x) * x + tf.exp(x)
        return tape.jacobian(y, x)

    return case(compute, lambda jacobian: np.diag(jacobian.numpy())[:5])


def torch_elementwise(torch):
    x = torch.from_numpy(VECTOR)
    function = torch.func.jacrev(lambda x: torch.sin(x) * x + torch.exp(x))
    return case(lambda: function(x), lambda jacobian: np.diag(jacobian.numpy())[:5])


def eager_perceptron(tf):
    x = tf.constant(BATCH[:1])
    first, second = tf.Variable(FIRST), tf.Variable(SECOND)

    def compute():
        with tf.GradientTape() as tape:
            y = (tf.tanh(x @ first) @ second)[0]
        return tape.jacobian(y, [first, second])

    return case(compute, lambda jacobians: jacobians[0].numpy()[:5, 0, 0])


def torch_perceptron(torch):
    x, first, second = map(torch.from_numpy, (BATCH[:1], FIRST, SECOND))
    function = torch.func.jacrev(lambda a, b: (torch.tanh(x @ a) @ b)[0], (0, 1))
    return case(lambda: function(first, second), lambda found: found[0].numpy()[:5, 0, 0])


def eager_batch(tf):
    x, first, second = map(tf.constant, (BATCH, FIRST, SECOND))

    def compute():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.tanh(x @ first) @ second
        return tape.batch_jacobian(y, x)

    return case(compute, lambda jacobian: jacobian.numpy()[0, :5, 0])


def torch_batch(torch):
    x, first, second = map(torch.from_numpy, (BATCH, FIRST, SECOND))
    one = torch.func.jacrev(lambda row: torch.tanh(row @ first) @ second)
    function = torch.func.vmap(one)
    return case(lambda: function(x), lambda jacobian: jacobian.numpy()[0, :5, 0])


WORKLOADS = [
    Workload(
        name=name,
        title=title,
        target=Target(FASTEST_PEER, 1.0),
        contenders={"eagerflow": eager, "tensorflow": eager, "torch": with_torch},
    )
    for name, title, eager, with_torch in (
        (
            "jacobian-elementwise",
            "jacobian of sin(x) x + exp(x), 100 numbers",
            eager_elementwise,
            torch_elementwise,
        ),
        (
            "jacobian-mlp",
            "jacobian of a perceptron's 10 outputs by its weights, 64-128-10",
            eager_perceptron,
            torch_perceptron,
        ),
        (
            "jacobian-batch",
            "batch jacobian of that perceptron by its inputs, batch 32",
            eager_batch,
            torch_batch,
        ),
    )
]
