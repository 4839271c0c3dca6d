"""Products of large matrices, which cost arithmetic only."""

import numpy as np

from workload import Case, Target, Workload

MATRIX = np.random.default_rng(0).normal(size=(1000, 1000)).astype(np.float32)


def product_case(matmul, matrix):
    """A Case that multiplies a matrix by itself."""

    def run(count):
        for _ in range(count):
            matmul(matrix, matrix)

    return Case(run, lambda: np.asarray(matmul(matrix, matrix))[0, :10])


def with_tensors(tf):
    return product_case(tf.matmul, tf.constant(MATRIX))


def with_torch(torch):
    return product_case(torch.matmul, torch.from_numpy(MATRIX))


def with_jax(jax):
    matmul = jax.jit(jax.numpy.matmul)
    return product_case(lambda a, b: jax.block_until_ready(matmul(a, b)), jax.numpy.asarray(MATRIX))


def with_numpy(np):
    return product_case(np.matmul, MATRIX)


# MLX multiplies with the reference BLAS here, half a second for each product: minutes for a round.
WORKLOADS = [
    Workload(
        name="matmul",
        title="200 products of a 1000×1000 matrix",
        target=Target("tensorflow", 1.03),
        repeats=200,
        contenders={
            "eagerflow": with_tensors,
            "tensorflow": with_tensors,
            "torch": with_torch,
            "jax": with_jax,
            "numpy": with_numpy,
        },
    ),
]
