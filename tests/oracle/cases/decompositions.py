"""Factorisations, solvers, determinants and functions of matrices.

Factors are unique up to signs, so that those cases return what does not depend on them.
"""

import numpy as np

from oracle.inputs import array, gradient, gradient2, resolve, tensor
from oracle.registry import case, errors

KINDS = ("float32", "float64", "complex64", "complex128")
DOUBLES = ("float64", "complex128")
BATCHES = {"one": (), "three": (3,), "2x2": (2, 2), "none": (0,)}


def square(tf, n, dtype, batch=(), seed=0):
    """Well-conditioned matrices."""
    return tensor(tf, (*batch, n, n), dtype, seed=seed) + 3 * tf.eye(n, dtype=dtype)


def hermitian(tf, n, dtype, batch=(), seed=0):
    a = array((*batch, n, n), dtype, seed=seed).astype(dtype)
    a = a @ np.conj(np.swapaxes(a, -1, -2)) / n + np.diag(np.arange(1, n + 1)).astype(dtype)
    return tf.constant(a.astype(dtype))


@case(loose=10, dtype=KINDS, batch=BATCHES, n=(1, 3))
def cholesky(tf, dtype, batch, n):
    return tf.linalg.cholesky(hermitian(tf, n, dtype, batch))


@case(loose=20, dtype=KINDS, batch=((), (2,)))
def cholesky_gradient(tf, dtype, batch):
    return gradient(tf, tf.linalg.cholesky, hermitian(tf, 3, dtype, batch))


@case(loose=1000)
def cholesky_gradient2(tf):
    return gradient2(tf, tf.linalg.cholesky, hermitian(tf, 3, "float64"))


@case(loose=20, dtype=KINDS)
def cholesky_solve(tf, dtype):
    factor = tf.linalg.cholesky(hermitian(tf, 3, dtype, (2,)))
    return gradient(tf, tf.linalg.cholesky_solve, factor, tensor(tf, (2, 3, 2), dtype, seed=1))


@case(loose=20, dtype=KINDS, batch=BATCHES, shape=((3, 3), (4, 2), (2, 4)), full=(False, True))
def qr(tf, dtype, batch, shape, full):
    a = tensor(tf, (*batch, *shape), dtype)
    q, r = tf.linalg.qr(a, full_matrices=full)
    return q @ r, q.shape, r, tf.matmul(q, q, adjoint_a=True)


@case(loose=1000, dtype=DOUBLES, shape=((3, 3), (4, 2), (2, 4)))
def qr_gradient(tf, dtype, shape):
    def both(a):
        q, r = tf.linalg.qr(a)
        return tf.concat([tf.reshape(q, [-1]), tf.reshape(r, [-1])], 0)

    return gradient(tf, both, tensor(tf, (2, *shape), dtype))["grads"]


@case(loose=1e4)
def qr_gradient2(tf):
    return gradient2(tf, lambda a: tf.linalg.qr(a)[1], tensor(tf, (3, 3), "float64"))


@case(loose=20, dtype=KINDS, batch=BATCHES, shape=((3, 3), (4, 2), (2, 4)), full=(False, True))
def svd(tf, dtype, batch, shape, full):
    a = tensor(tf, (*batch, *shape), dtype)
    s, u, v = tf.linalg.svd(a, full_matrices=full)
    k = min(shape)
    back = tf.matmul(u[..., :k] * tf.cast(s, dtype)[..., None, :], v[..., :k], adjoint_b=True)
    values = tf.linalg.svd(a, compute_uv=False)
    return s, u.shape, v.shape, back, tf.matmul(v, v, adjoint_a=True), values


@case(loose=1e4, dtype=DOUBLES, shape=((3, 3), (4, 2), (2, 4)))
def svd_gradient(tf, dtype, shape):
    def invariant(a):
        s, u, v = tf.linalg.svd(a)
        weights = tensor(tf, s.shape, dtype, seed=4)
        left = tf.matmul(u * weights[..., None, :], u, adjoint_b=True)
        right = tf.matmul(v * weights[..., None, :], v, adjoint_b=True)
        parts = [tf.cast(s, dtype), left, right]
        return tf.concat([tf.reshape(part, [-1]) for part in parts], 0)

    return gradient(tf, invariant, tensor(tf, (2, *shape), dtype))["grads"]


@case(loose=1e4, dtype=DOUBLES, shape=((3, 3), (4, 2), (2, 4)))
def svd_values_gradient(tf, dtype, shape):
    def values(a):
        return tf.linalg.svd(a, compute_uv=False)

    return gradient(tf, values, tensor(tf, (2, *shape), dtype))["grads"]


@case(loose=1e5)
def svd_values_gradient2(tf):
    def values(a):
        return tf.linalg.svd(a, compute_uv=False)

    return gradient2(tf, values, tensor(tf, (3, 2), "float64"))


@case(loose=20, dtype=KINDS, batch=BATCHES, n=(1, 3))
def eigh(tf, dtype, batch, n):
    a = hermitian(tf, n, dtype, batch)
    e, v = tf.linalg.eigh(a)
    back = tf.matmul(v * e[..., None, :], v, adjoint_b=True)
    return e, back, tf.linalg.eigvalsh(a)


@case(loose=1e4, dtype=DOUBLES, batch=((), (2,)))
def eigh_gradient(tf, dtype, batch):
    def invariant(a):
        e, v = tf.linalg.eigh(a)
        weights = tf.constant(array(e.shape, dtype, seed=4))
        return tf.matmul(v * weights[..., None, :], v, adjoint_b=True) + e[..., None, :]

    a = hermitian(tf, 3, dtype, batch)
    values = gradient(tf, tf.linalg.eigvalsh, a)["grads"]
    return gradient(tf, invariant, a)["grads"], values


@case(loose=50, dtype=KINDS, batch=BATCHES)
def eig(tf, dtype, batch):
    e, v = tf.linalg.eig(square(tf, 3, dtype, batch))
    a = tf.cast(square(tf, 3, dtype, batch), e.dtype)
    powers = [tf.reduce_sum(e**k, axis=-1) for k in range(1, 4)]
    return powers, tf.matmul(a, v) - v * e[..., None, :] + 1, v.shape


@case(loose=1e4, dtype=DOUBLES)
def eig_gradient(tf, dtype):
    def invariant(a):
        e, v = tf.linalg.eig(a)
        return tf.reduce_sum(e**2) + tf.reduce_sum(tf.cast(tf.abs(v[..., 0, :]) ** 2, e.dtype))

    def values(a):
        return tf.reduce_sum(tf.linalg.eigvals(a) ** 3, axis=-1)

    a = square(tf, 3, dtype, (2,))
    return gradient(tf, invariant, a)["grads"], gradient(tf, values, a)["grads"]


@case(loose=20, dtype=("float16", *KINDS), batch=BATCHES, adjoint=(False, True))
def inv(tf, dtype, batch, adjoint):
    return tf.linalg.inv(square(tf, 3, dtype, batch), adjoint=adjoint)


@case(loose=50, dtype=KINDS, adjoint=(False, True))
def inv_gradient(tf, dtype, adjoint):
    a = square(tf, 3, dtype, (2,))
    return gradient(tf, lambda a: tf.linalg.inv(a, adjoint), a)["grads"]


@case(loose=1e3)
def inv_gradient2(tf):
    return gradient2(tf, tf.linalg.inv, square(tf, 2, "float64"))


@case(loose=20, dtype=KINDS, batch=BATCHES, n=(0, 1, 3))
def det(tf, dtype, batch, n):
    a = square(tf, n, dtype, batch)
    return tf.linalg.det(a), list(tf.linalg.slogdet(a))


@case(loose=50, dtype=KINDS)
def det_gradient(tf, dtype):
    a = square(tf, 3, dtype, (2,))
    logarithm = gradient(tf, lambda a: tf.linalg.slogdet(a)[1], a)
    return gradient(tf, tf.linalg.det, a), logarithm


@case(loose=20, dtype=KINDS)
def logdet(tf, dtype):
    return gradient(tf, tf.linalg.logdet, hermitian(tf, 3, dtype, (2,)))


@case(loose=50, dtype=KINDS, batch=BATCHES, adjoint=(False, True))
def solve(tf, dtype, batch, adjoint):
    a, b = square(tf, 3, dtype, batch), tensor(tf, (*batch, 3, 2), dtype, seed=1)
    return gradient(tf, lambda a, b: tf.linalg.solve(a, b, adjoint=adjoint), a, b)


@case(
    loose=50,
    dtype=KINDS,
    shapes=(
        ((3, 3), (3, 2)),
        ((2, 3, 3), (2, 3, 1)),
        ((3, 3), (2, 3, 2)),
        ((2, 1, 3, 3), (3, 3, 2)),
    ),
    lower=(True, False),
    adjoint=(False, True),
)
def triangular_solve(tf, dtype, shapes, lower, adjoint):
    a = tensor(tf, shapes[0], dtype) + 4 * tf.eye(3, dtype=dtype)
    b = tensor(tf, shapes[1], dtype, seed=1)
    return gradient(
        tf, lambda a, b: tf.linalg.triangular_solve(a, b, lower=lower, adjoint=adjoint), a, b
    )


@case(loose=20)
def triangular_solve_large(tf):
    a = tensor(tf, (40, 40), "float64") + 30 * tf.eye(40, dtype="float64")
    return tf.linalg.triangular_solve(a, tensor(tf, (40, 2), "float64"), lower=False)


@case(loose=100, dtype=DOUBLES, shape=((4, 2), (2, 4), (3, 3)), fast=(True, False))
def lstsq(tf, dtype, shape, fast):
    a, b = tensor(tf, (2, *shape), dtype), tensor(tf, (2, shape[0], 2), dtype, seed=1)
    return tf.linalg.lstsq(a, b, fast=fast)


@case(loose=100, shape=((4, 2), (2, 4), (3, 3)))
def lstsq_regularized(tf, shape):
    a, b = tensor(tf, (2, *shape), "float64"), tensor(tf, (2, shape[0], 2), "float64", seed=1)
    return tf.linalg.lstsq(a, b, l2_regularizer=0.5)


@case(loose=1000, shape=((4, 2), (2, 4)), l2=(0.0, 0.5))
def lstsq_gradient(tf, shape, l2):
    a, b = tensor(tf, shape, "float64"), tensor(tf, (shape[0], 2), "float64", seed=1)
    return gradient(tf, lambda a, b: tf.linalg.lstsq(a, b, l2), a, b)["grads"]


@case(loose=100, shape=((4, 2), (2, 4), (3, 3)))
def pinv(tf, shape):
    return tf.linalg.pinv(tensor(tf, (2, *shape), "float64"))


@case(loose=100)
def pinv_rcond(tf):
    a = tensor(tf, (2, 3, 3), "float64")
    return tf.linalg.pinv(a, rcond=0.5), tf.linalg.pinv(a, rcond=[0.5, 0.0])


@case
def matrix_rank(tf):
    a = tf.constant([[[1.0, 2.0], [2.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]])
    return tf.linalg.matrix_rank(a), tf.linalg.matrix_rank(a, tol=2.0)


@case(loose=20, dtype=KINDS, batch=((), (3,), (2, 2)))
def lu(tf, dtype, batch):
    a = tensor(tf, (*batch, 3, 3), dtype)
    factor, order = tf.linalg.lu(a)
    rhs = tensor(tf, (*batch, 3, 2), dtype, seed=1)
    return (
        factor,
        order,
        tf.linalg.lu(a, output_idx_type=tf.int64).p,
        tf.linalg.lu_reconstruct(factor, order),
        tf.linalg.lu_solve(factor, order, rhs),
        tf.linalg.lu_matrix_inverse(factor, order),
    )


@case(loose=50, dtype=KINDS, batch=BATCHES, size=(0.1, 1, 20))
def expm(tf, dtype, batch, size):
    a = tensor(tf, (*batch, 3, 3), dtype)
    return tf.linalg.expm(tf.cast(size, dtype) * a / 4)


@case(loose=1000, dtype=DOUBLES)
def expm_gradient(tf, dtype):
    return gradient(tf, tf.linalg.expm, tensor(tf, (2, 3, 3), dtype))["grads"]


@case(loose=200, dtype=("complex64", "complex128"))
def logm(tf, dtype):
    return tf.linalg.logm(square(tf, 3, dtype, (2,)))


@case(loose=200, dtype=KINDS)
def sqrtm(tf, dtype):
    return tf.linalg.sqrtm(hermitian(tf, 3, dtype, (2,))), tf.linalg.sqrtm(-tf.eye(2))


MATRICES = {
    "zero": [[0, 0], [0, 0]],
    "singular": [[1, 1], [1, 1]],
    "nilpotent": [[0, 1], [0, 0]],
    "defective": [[1, 1, 0], [0, 1, 1], [0, 0, 1]],
    "negative": [[-1, 0], [0, -1]],
    "one negative": [[1e12, 0], [0, -1]],
    "turning": [[0, -1], [1, 0]],
    "nearly negative": [[-1, 1e-3], [-1e-3, -1]],
    "general": [[1, 2], [3, 4]],
    "triangular": [[4, 1], [0, 0]],
}


@case(loose=20, dtype=("float64", "complex128"), name=list(MATRICES))
def sqrtm_of_special_matrices(tf, dtype, name):
    root = tf.linalg.sqrtm(tf.constant(MATRICES[name], dtype))
    # Which of the elements next to an infinite one are NaN is an accident.
    return tf.where(tf.reduce_all(tf.math.is_finite(tf.abs(root))), root, tf.cast(np.nan, dtype))


@case(loose=20, name=[name for name in MATRICES if name != "triangular"])
def logm_of_special_matrices(tf, name):
    return tf.linalg.logm(tf.constant(MATRICES[name], "complex128"))


@case(loose=1e4, dtype=DOUBLES)
def sqrtm_gradient(tf, dtype):
    return gradient(tf, tf.linalg.sqrtm, square(tf, 3, dtype, (2,)))["grads"]


TRIDIAGONAL = {
    "compact": lambda tf, dtype: tensor(tf, (2, 3, 4), dtype) + [[0], [4], [0]],
    "matrix": lambda tf, dtype: square(tf, 4, dtype, (2,)),
    "sequence": lambda tf, dtype: [
        tensor(tf, (2, 4), dtype),
        tensor(tf, (2, 4), dtype, seed=1) + 4,
        tensor(tf, (2, 4), dtype, seed=2),
    ],
}


@case(loose=50, dtype=KINDS, form=list(TRIDIAGONAL))
def tridiagonal(tf, dtype, form):
    bands = TRIDIAGONAL[form](tf, dtype)
    b = tensor(tf, (2, 4, 2), dtype, seed=3)
    return [
        tf.linalg.tridiagonal_matmul(bands, b, form),
        tf.linalg.tridiagonal_solve(bands, b, form),
        tf.linalg.tridiagonal_solve(bands, b[..., 0], form),
        tf.linalg.tridiagonal_solve(bands, tf.linalg.matrix_transpose(b), form, True, True),
    ]


@case(loose=200, dtype=KINDS, op=("tridiagonal_matmul", "tridiagonal_solve"))
def tridiagonal_gradient(tf, dtype, op):
    bands = TRIDIAGONAL["compact"](tf, dtype)
    b = tensor(tf, (2, 4, 2), dtype, seed=3)
    return gradient(tf, resolve(tf, f"linalg.{op}"), bands, b)["grads"]


@case(loose=50, dtype=KINDS, lower=(True, False), adjoint=(True, False), count=(1, 2, 4))
def banded(tf, dtype, lower, adjoint, count):
    rows = [[3 if k == (0 if lower else count - 1) else 0] for k in range(count)]
    bands = tensor(tf, (2, count, 4), dtype) + rows
    b = tensor(tf, (2, 4, 2), dtype, seed=1)
    return tf.linalg.banded_triangular_solve(bands, b, lower=lower, adjoint=adjoint)


@case(loose=50, dtype=KINDS)
def eigh_tridiagonal(tf, dtype):
    alpha, beta = tf.cast(tensor(tf, (5,)), dtype), tensor(tf, (4,), dtype, seed=1)
    values, vectors = tf.linalg.eigh_tridiagonal(alpha, beta, eigvals_only=False)
    real = tf.cast(values, dtype)
    return [
        values,
        tf.matmul(vectors * real, vectors, adjoint_b=True) + 1,
        tf.linalg.eigh_tridiagonal(alpha, beta, select="i", select_range=(1, 2)),
        tf.linalg.eigh_tridiagonal(alpha, beta, select="v", select_range=(-1.0, 2.0)),
    ]


ALIGNMENTS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")
BANDS = {"-1..1": (-1, 1), "0..2": (0, 2), "-2..0": (-2, 0), "-2..-1": (-2, -1), "1..2": (1, 2)}


@case(k=BANDS, align=ALIGNMENTS, shape=((3, 4), (4, 3), (3, 3)))
def diag_band(tf, k, align, shape):
    a = tensor(tf, (2, *shape))
    part = tf.linalg.diag_part(a, k=k, align=align, padding_value=9.0)
    made = tf.linalg.diag(
        part, k=k, num_rows=shape[0], num_cols=shape[1], align=align, padding_value=7.0
    )
    return part, made, tf.linalg.set_diag(a, part * 2, k=k, align=align)


@case(k=BANDS)
def diag_band_gradient(tf, k):
    a = tensor(tf, (2, 3, 4))
    part = gradient(tf, lambda a: tf.linalg.diag_part(a, k=k), a)
    band = tensor(tf, part["value"].shape, seed=1)
    return [
        part,
        gradient(tf, lambda b: tf.linalg.diag(b, k=k), band),
        gradient(tf, lambda a, b: tf.linalg.set_diag(a, b, k=k), a, band),
    ]


VECTOR, WIDE = [1.0, 2.0], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]

errors(
    "decompositions",
    "wrong",
    {
        "cholesky vector": (lambda tf: tf.linalg.cholesky(VECTOR), ["Cholesky"]),
        "cholesky wide": (lambda tf: tf.linalg.cholesky(WIDE), ["square", "Cholesky"]),
        "cholesky int": (lambda tf: tf.linalg.cholesky([[1, 0], [0, 1]]), ["int32"]),
        "inv singular": (lambda tf: tf.linalg.inv([[1.0, 2.0], [2.0, 4.0]]), ["invertible"]),
        "inv wide": (lambda tf: tf.linalg.inv(WIDE), ["MatrixInverse"]),
        "det wide": (lambda tf: tf.linalg.det(WIDE), ["square"]),
        "solve singular": (
            lambda tf: tf.linalg.solve([[1.0, 2.0], [2.0, 4.0]], [[1.0], [2.0]]),
            ["invertible"],
        ),
        "solve ranks": (lambda tf: tf.linalg.solve([[1.0, 0.0], [0.0, 1.0]], VECTOR), ["rank"]),
        "solve rows": (
            lambda tf: tf.linalg.solve([[1.0, 0.0], [0.0, 1.0]], [[1.0]]),
            ["incompatible"],
        ),
        "triangular_solve vector": (
            lambda tf: tf.linalg.triangular_solve([[1.0, 0.0], [0.0, 1.0]], VECTOR),
            ["ndims"],
        ),
        "lu singular": (lambda tf: tf.linalg.lu([[1.0, 2.0], [2.0, 4.0]]), ["invertible"]),
        "qr vector": (lambda tf: tf.linalg.qr(VECTOR), []),
        "svd vector": (lambda tf: tf.linalg.svd(VECTOR), []),
        "svd int": (lambda tf: tf.linalg.svd([[1, 2]]), []),
        "eigh nan": (
            lambda tf: tf.linalg.eigh([[float("nan"), 1.0], [1.0, 1.0]]),
            ["not successful"],
        ),
        "expm int": (lambda tf: tf.linalg.expm([[1, 2], [3, 4]]), ["int32"]),
        "logm real": (lambda tf: tf.linalg.logm([[1.0, 0.0], [0.0, 1.0]]), ["float"]),
        "diag_part band": (
            lambda tf: tf.linalg.diag_part([[1.0, 2.0], [3.0, 4.0]], k=(-2, 0)),
            [],
        ),
    },
)
