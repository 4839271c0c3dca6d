"""The kernels of the engine's operations on matrices that LAPACK computes: of all those of complex
matrices, and of factorisations into orthonormal factors. They take and return arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.linalg import lapack
from eagerflow.typing import Array

Kernel = Callable[..., list[Array]]

# Up to this size, one dense solver for the batch is faster; above, a triangular one for each matrix.
_SMALL = 32


def _kernel(op: str) -> Callable[[Kernel], Kernel]:
    """The decorator of the kernel of an operation: its arrays, then its attributes by name."""

    def register(function: Kernel) -> Kernel:
        def run(*inputs: Any, **attrs: Any) -> list[Array]:
            return function(*map(np.asarray, inputs), **attrs)

        _core.set_kernel(op, run)
        return function

    return register


def _adjoint(matrices: Array) -> Array:
    return np.conj(np.swapaxes(matrices, -1, -2))


# Cholesky factors.


@_kernel("cholesky_factor")
def _cholesky(a: Array) -> list[Array]:
    try:
        return [np.linalg.cholesky(a)]
    except np.linalg.LinAlgError:
        return [_cholesky_each(a)]


def _cholesky_each(a: Array) -> Array:
    """The factor of each matrix, NaN where a matrix has none."""
    n = a.shape[-1]
    factors = np.empty_like(a)
    flat = factors.reshape(-1, n, n)
    for factor, matrix in zip(flat, a.reshape(-1, n, n), strict=True):
        factor[...] = _cholesky_or_nan(matrix)
    return factors


def _cholesky_or_nan(matrix: Array) -> Array:
    try:
        return np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return np.tril(np.full_like(matrix, np.nan))


@_kernel("cholesky_factor_grad")
def _cholesky_grad(lower: Array, dl: Array) -> list[Array]:
    middle = np.tril(_adjoint(lower) @ dl)
    middle = middle - np.tril(np.triu(middle)) / 2
    half = _solve_triangles(lower, middle, True, True)
    grad = _solve_triangles(lower, _adjoint(half), True, True)
    return [(grad + _adjoint(grad)) / 2]


# Linear systems.


@_kernel("lu_inverse")
def _inverse(a: Array, adjoint: bool) -> list[Array]:
    try:
        return [np.ascontiguousarray(np.linalg.inv(_adjoint(a) if adjoint else a))]
    except np.linalg.LinAlgError:
        raise invalid_argument("Input is not invertible. [Op:MatrixInverse]") from None


@_kernel("lu_solve")
def _solution(a: Array, b: Array, adjoint: bool) -> list[Array]:
    try:
        return [np.linalg.solve(_adjoint(a) if adjoint else a, b)]
    except np.linalg.LinAlgError:
        raise invalid_argument("Input matrix is not invertible. [Op:MatrixSolve]") from None


@_kernel("triangle_solve")
def _triangle_solution(a: Array, b: Array, lower: bool, adjoint: bool) -> list[Array]:
    return [_solve_triangles(a, b, lower, adjoint)]


def _solve_triangles(a: Array, b: Array, lower: bool, adjoint: bool) -> Array:
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    n, k = b.shape[-2:]
    if not n or not k or not np.prod(batch):
        return np.zeros((*batch, n, k), b.dtype)
    regular = np.diagonal(a, axis1=-2, axis2=-1).all()
    if regular and n <= _SMALL:
        triangles = np.tril(a) if lower else np.triu(a)
        if adjoint:
            triangles = _adjoint(triangles)
        return np.linalg.solve(triangles, b).astype(b.dtype, copy=False)
    if not regular:
        return _substitute(a, b, batch, lower, adjoint)
    # The independent half first; its contribution is subtracted from the other half.
    half = n // 2
    first, last = slice(0, half), slice(half, n)
    if lower == adjoint:
        first, last = last, first
    between = _adjoint(a[..., first, last]) if adjoint else a[..., last, first]
    x = np.empty((*batch, n, k), b.dtype)
    x[..., first, :] = _solve_triangles(a[..., first, first], b[..., first, :], lower, adjoint)
    rest = b[..., last, :] - between @ x[..., first, :]
    x[..., last, :] = _solve_triangles(a[..., last, last], rest, lower, adjoint)
    return x


def _substitute(a: Array, b: Array, batch: tuple[int, ...], lower: bool, adjoint: bool) -> Array:
    """Forward or backward substitution, which divides by zeros as IEEE arithmetic does."""
    if adjoint:
        a, lower = _adjoint(a), not lower
    n = a.shape[-1]
    x = np.array(np.broadcast_to(b, (*batch, *b.shape[-2:])))
    with np.errstate(all="ignore"):
        for row in range(n) if lower else range(n - 1, -1, -1):
            known = slice(0, row) if lower else slice(row + 1, n)
            x[..., row, :] -= (a[..., row, known, None] * x[..., known, :]).sum(-2)
            x[..., row, :] /= a[..., row, row, None]
    return x


# Determinants.


@_kernel("lu_determinant")
def _determinant(a: Array) -> list[Array]:
    return [np.asarray(np.linalg.det(a))]


@_kernel("lu_log_determinant")
def _log_determinant(a: Array) -> list[Array]:
    with np.errstate(invalid="ignore"):
        sign, logarithm = np.linalg.slogdet(a)
    sign = np.where(np.isnan(logarithm), logarithm.astype(sign.dtype), sign)
    return [sign, np.asarray(logarithm).astype(a.dtype)]


# Other factors.


@_kernel("lu_factors")
def _lu(a: Array) -> list[Array]:
    """The factors with the pivots of largest absolute value, and the orders of rows.

    LAPACK takes the largest sum of the absolute values of real and imaginary part instead.
    """
    *batch, n, _ = a.shape
    factors = a.reshape(math.prod(batch), n, n).copy()
    orders = np.tile(np.arange(n, dtype=np.int32), (len(factors), 1))
    every = np.arange(len(factors))
    for k in range(n):
        rows = k + np.argmax(np.abs(factors[:, k:, k]), axis=1)
        for table in (factors, orders):
            table[every, k], table[every, rows] = table[every, rows], table[every, k].copy()
        pivots = factors[:, k, k]
        factors[:, k + 1 :, k] /= np.where(pivots == 0, 1, pivots)[:, None]
        factors[:, k + 1 :, k + 1 :] -= factors[:, k + 1 :, k, None] * factors[:, k, None, k + 1 :]
    if np.any(np.diagonal(factors, axis1=1, axis2=2) == 0):
        raise invalid_argument("Input is not invertible. [Op:Lu]")
    return [factors.reshape(a.shape), orders.reshape(*batch, n)]


@_kernel("qr_factors")
def _qr(a: Array, full_matrices: bool) -> list[Array]:
    return list(lapack.qr(a, full_matrices))


@_kernel("eigh_factors")
def _eigh(a: Array, compute_v: bool) -> list[Array]:
    if not np.isfinite(np.tril(a)).all():
        raise invalid_argument(
            "Self-adjoint eigen decomposition was not successful. The input might not be valid. "
            "[Op:SelfAdjointEigV2]"
        )
    if not compute_v:
        return [lapack.eigvalsh(a).astype(a.dtype), np.zeros(0, a.dtype)]
    values, vectors = lapack.eigh(a)
    return [values.astype(a.dtype), vectors]
