"""Jacobians: many rows of derivatives from one computation."""

import numpy as np

from frameworks import computed
from workload import FASTEST_PEER, Case, Target, Workload

GENERATOR = np.random.default_rng(0)
VECTOR = GENERATOR.normal(size=100).astype(np.float32)
BATCH = GENERATOR.normal(size=(32, 64)).astype(np.float32)
FIRST = GENERATOR.normal(scale=0.1, size=(64, 128)).astype(np.float32)
SECOND = GENERATOR.normal(scale=0.1, size=(128, 10)).astype(np.float32)


def case(compute, numbers):
    def run(count):
        for _ in range(count):
            computed(compute())

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


def mlx_jacobian(mx, function, *inputs):
    """The jacobians of a function that gives one row: its way back, mapped over the unit rows."""
    rows = mx.eye(function(*inputs).size)
    return mx.vmap(lambda row: mx.vjp(function, inputs, [row])[1])(rows)


def mlx_case(mx, compute, numbers):
    """A Case of a function that returns a list of arrays."""

    def evaluated():
        result = compute()
        mx.eval(result)
        return result

    return case(evaluated, lambda found: numbers(np.asarray(found[0])))


def mlx_elementwise(mx):
    x = mx.array(VECTOR)

    def function(x):
        return mx.sin(x) * x + mx.exp(x)

    return mlx_case(mx, lambda: mlx_jacobian(mx, function, x), lambda found: np.diag(found)[:5])


def mlx_perceptron(mx):
    x, first, second = map(mx.array, (BATCH[:1], FIRST, SECOND))

    def function(a, b):
        return (mx.tanh(x @ a) @ b)[0]

    def compute():
        return mlx_jacobian(mx, function, first, second)

    return mlx_case(mx, compute, lambda found: found[:5, 0, 0])


def mlx_batch(mx):
    x, first, second = map(mx.array, (BATCH, FIRST, SECOND))

    def one(row):
        return mx.tanh(row @ first) @ second

    jacobians = mx.vmap(lambda row: mlx_jacobian(mx, one, row))
    return mlx_case(mx, lambda: jacobians(x), lambda found: found[0, :5, 0])


WORKLOADS = [
    Workload(
        name=name,
        title=title,
        target=Target(FASTEST_PEER, 1.0),
        contenders={
            "eagerflow": eager,
            "tensorflow": eager,
            "torch": with_torch,
            "mlx": with_mlx,
        },
    )
    for name, title, eager, with_torch, with_mlx in (
        (
            "jacobian-elementwise",
            "jacobian of sin(x) x + exp(x), 100 numbers",
            eager_elementwise,
            torch_elementwise,
            mlx_elementwise,
        ),
        (
            "jacobian-mlp",
            "jacobian of a perceptron's 10 outputs by its weights, 64-128-10",
            eager_perceptron,
            torch_perceptron,
            mlx_perceptron,
        ),
        (
            "jacobian-batch",
            "batch jacobian of that perceptron by its inputs, batch 32",
            eager_batch,
            torch_batch,
            mlx_batch,
        ),
    )
]
