"""Single operations on 16 million floats, which cost the movement of memory."""

import numpy as np

from frameworks import computed
from workload import FASTEST_PEER, Case, Target, Workload

ROWS, COLUMNS = 2000, 8000


def inputs():
    """Two matrices, float32 [ROWS, COLUMNS]."""
    generator = np.random.default_rng(0)
    shape = (ROWS, COLUMNS)
    return generator.normal(size=shape).astype(np.float32), np.ones(shape, np.float32)


def with_tensors(operation):
    """The operation as a function of (tf, x, y)."""

    def build(tf):
        x, y = map(tf.constant, inputs())
        return bulk_case(lambda: computed(operation(tf, x, y)))

    return build


def with_torch(operation):
    """The operation as a function of (torch, x, y)."""

    def build(torch):
        x, y = map(torch.from_numpy, inputs())
        return bulk_case(lambda: operation(torch, x, y))

    return build


def with_jax(operation):
    """The operation as a function of (jax, x, y), compiled."""

    def build(jax):
        x, y = map(jax.numpy.asarray, inputs())
        compiled = jax.jit(lambda x, y: operation(jax, x, y))
        return bulk_case(lambda: jax.block_until_ready(compiled(x, y)))

    return build


def with_mlx(operation):
    """The operation as a function of (mlx.core, x, y)."""

    def build(mx):
        x, y = map(mx.array, inputs())

        def evaluated():
            result = operation(mx, x, y)
            mx.eval(result)
            return result

        return bulk_case(evaluated)

    return build


def with_numpy(operation):
    """The operation as a function of (np, x, y)."""

    def build(np):
        x, y = inputs()
        return bulk_case(lambda: operation(np, x, y))

    return build


def bulk_case(operation):
    """A Case of a function that returns an array; a few of its numbers are compared."""

    def run(count):
        for _ in range(count):
            operation()

    return Case(run, lambda: np.ravel(np.asarray(operation()))[:: ROWS * COLUMNS // 16])


def numpy_softmax(np, x, y):
    shifted = np.exp(x - x.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


# Each operation on TensorFlow and eagerflow, PyTorch, JAX, MLX, NumPy.
OPERATIONS = {
    "add": (
        "add, 16 M floats",
        1.05,
        lambda tf, x, y: x + y,
        lambda torch, x, y: x + y,
        lambda jax, x, y: x + y,
        lambda mx, x, y: x + y,
        lambda np, x, y: x + y,
    ),
    "exp": (
        "exp, 16 M floats",
        1.05,
        lambda tf, x, y: tf.exp(x),
        lambda torch, x, y: torch.exp(x),
        lambda jax, x, y: jax.numpy.exp(x),
        lambda mx, x, y: mx.exp(x),
        lambda np, x, y: np.exp(x),
    ),
    "tanh": (
        "tanh, 16 M floats",
        1.05,
        lambda tf, x, y: tf.tanh(x),
        lambda torch, x, y: torch.tanh(x),
        lambda jax, x, y: jax.numpy.tanh(x),
        lambda mx, x, y: mx.tanh(x),
        lambda np, x, y: np.tanh(x),
    ),
    "softmax": (
        "softmax of 2000×8000",
        1.05,
        lambda tf, x, y: tf.nn.softmax(x),
        lambda torch, x, y: torch.softmax(x, dim=-1),
        lambda jax, x, y: jax.nn.softmax(x),
        lambda mx, x, y: mx.softmax(x, -1),
        numpy_softmax,
    ),
    "transpose": (
        "transpose of 2000×8000",
        1.05,
        lambda tf, x, y: tf.transpose(x),
        lambda torch, x, y: x.t().contiguous(),
        lambda jax, x, y: x.T,
        lambda mx, x, y: mx.contiguous(x.T),
        lambda np, x, y: np.ascontiguousarray(x.T),
    ),
    "sum": (
        "sum of 16 M floats",
        1.1,
        lambda tf, x, y: tf.reduce_sum(x),
        lambda torch, x, y: torch.sum(x),
        lambda jax, x, y: jax.numpy.sum(x),
        lambda mx, x, y: mx.sum(x),
        lambda np, x, y: np.sum(x),
    ),
    "sum-axis0": (
        "sum over axis 0 of 2000×8000",
        1.1,
        lambda tf, x, y: tf.reduce_sum(x, axis=0),
        lambda torch, x, y: torch.sum(x, dim=0),
        lambda jax, x, y: jax.numpy.sum(x, axis=0),
        lambda mx, x, y: mx.sum(x, axis=0),
        lambda np, x, y: np.sum(x, axis=0),
    ),
}

WORKLOADS = [
    Workload(
        name=f"bulk-{name}",
        title=title,
        target=Target(FASTEST_PEER, at_most),
        contenders={
            "eagerflow": with_tensors(tensors),
            "tensorflow": with_tensors(tensors),
            "torch": with_torch(torch),
            "jax": with_jax(jax),
            "mlx": with_mlx(mlx),
            "numpy": with_numpy(numpy),
        },
    )
    for name, (title, at_most, tensors, torch, jax, mlx, numpy) in OPERATIONS.items()
]
