"""Keras 3's operations on matrices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework.op_function import op_function
from eagerflow.ops import norms
from eagerflow.ops.linalg import factorization, solvers
from eagerflow.ops.linalg.products import matrix_transpose
from eagerflow.ops.numpy_functions.rules import axes_of
from eagerflow.ops.numpy_functions.shapes import move_axis
from eagerflow.typing import Structure, TensorLike
from eagerflow.util import lazy
from eagerflow_compat.keras.ops.promotion import floating, pair, tensor

# Imported when it is first used: few programs need it.
forward_mode = lazy.Module("eagerflow.autodiff.forward_mode")

_ops = _core.ops
Tensor = _core.Tensor


@op_function
def cholesky(x: TensorLike, upper: bool = False) -> Tensor:
    """The triangular factor L with `L @ L.T = x`, or its transpose.

    Raises:
        ValueError: if a matrix is not positive definite, where operations run eagerly.
    """
    lower = factorization.cholesky(floating(x))
    if not _core.is_symbolic(lower) and not bool(_ops.reduce_all(_ops.is_finite(lower))):
        raise ValueError("Cholesky decomposition failed: the matrix is not positive definite.")
    return matrix_transpose(lower) if upper else lower


@op_function
def cholesky_inverse(x: TensorLike, upper: bool = False) -> Tensor:
    """The inverse of a matrix, from its Cholesky factor."""
    x = floating(x)
    lower = matrix_transpose(x) if upper else x
    unit = _ops.eye(x._shape_tuple()[-1], dtype=x.dtype)
    return solvers.cholesky_solve(lower, _ops.broadcast_to(unit, list(x._shape_tuple())))


@op_function
def det(x: TensorLike) -> Tensor:
    """Determinants."""
    return solvers.det(floating(x))


@op_function
def logdet(x: TensorLike) -> Tensor:
    """Logarithms of determinants of positive definite matrices."""
    return solvers.logdet(floating(x))


@op_function
def slogdet(x: TensorLike) -> tuple[Tensor, Tensor]:
    """Signs of determinants and logarithms of their absolute values."""
    return tuple(solvers.slogdet(floating(x)))


@op_function
def eig(x: TensorLike) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors."""
    return factorization.eig(floating(x))


@op_function
def eigh(x: TensorLike) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors of symmetric matrices."""
    return factorization.eigh(floating(x))


@op_function
def inv(x: TensorLike) -> Tensor:
    """Inverses."""
    return solvers.inv(floating(x))


@op_function
def lu_factor(x: TensorLike) -> tuple[Tensor, Tensor]:
    """The LU factors in one matrix, and where the rows of their product are in the argument's."""
    factors, order = factorization.lu(floating(x))
    return factors, _ops.cast(_ops.argsort(order), order.dtype)


@op_function
def lstsq(a: TensorLike, b: TensorLike, rcond: float | None = None) -> Tensor:
    """The least-squares solution of `a @ x = b` of the smallest norm."""
    return _solved(lambda a, b: _ops.matmul(solvers.pinv(a, rcond), b), a, b)


def _solved(solve: Callable[[Tensor, Tensor], Tensor], a: Any, b: Any) -> Tensor:
    """What `solve` returns for matrices b, or for vectors, as matrices of one column."""
    a, b = pair(floating(a), b)
    if b.ndim < a.ndim:
        return _ops.squeeze(solve(a, _ops.expand_dims(b, -1)), [-1])
    return solve(a, b)


@op_function
def matrix_rank(x: TensorLike, tol: float | None = None) -> Tensor:
    """Ranks: the numbers of singular values above the tolerance."""
    return solvers.matrix_rank(floating(x), tol)


@op_function
def norm(x: TensorLike, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Norms of vectors or matrices.

    Args:
        x: the values.
        ord: None and "fro": the root of the sum of squares; "nuc", `inf`, or a number.
        axis: one axis for vectors, two for matrices; None: all values are one vector, or with
            `ord` the rank says which.
        keepdims: whether reduced axes stay, with size 1.

    Raises:
        ValueError: for an order that does not suit.
    """
    x = floating(x)
    if axis is None and ord is not None and x.ndim not in (1, 2):
        raise ValueError(f"Improper number of axes for `ord={ord}`: x.shape={tuple(x.shape)}")
    given: Any = () if axis is None else np.ravel(axis)
    axes = axes_of(axis, x.ndim)
    if any(not -x.ndim <= each < x.ndim for each in given) or len(set(axes)) != len(axes):
        raise ValueError(f"Invalid axes for a tensor of rank {x.ndim}. Received: axis={axis}")
    if ord == "fro" and len(axes) != 2:
        raise ValueError(f"Invalid `ord` argument for vector norm. Received: ord={ord}")
    size = _ops.abs(x)

    def total(values: Any, over: Any, keep: bool = True) -> Any:
        return _ops.reduce_sum(values, axis=over, keepdims=keep)

    if ord is None or (ord in (2, "fro") and (len(axes) == 1 or ord == "fro")):
        return norms.scaled_norm(size, axes, keepdims).norm
    if len(axes) == 1:
        if ord == math.inf:
            return _ops.reduce_max(size, axis=axes, keepdims=keepdims)
        if ord == -math.inf:
            return _ops.reduce_min(size, axis=axes, keepdims=keepdims)
        if ord == 0:
            return total(_ops.cast(_ops.not_equal(x, 0.0), x.dtype), axes, keepdims)
        if isinstance(ord, str):
            raise ValueError(f"Invalid `ord` argument for vector norm. Received: ord={ord}")
        return _ops.pow(total(_ops.pow(size, float(ord)), axes, keepdims), 1.0 / ord)
    if len(axes) != 2:
        raise ValueError(f"Invalid axis values. Received: axis={axis}")
    rows, columns = axes
    if ord in (1, -1, math.inf, -math.inf):
        over, along = (rows, columns) if abs(ord) == 1 else (columns, rows)
        pick = _ops.reduce_max if ord > 0 else _ops.reduce_min
        result = pick(total(size, [over]), axis=[along], keepdims=True)
    elif ord in ("nuc", 2, -2):
        values = factorization.svd(move_axis(x, (rows, columns), (-2, -1)), compute_uv=False)
        pick = {"nuc": _ops.reduce_sum, 2: _ops.reduce_max, -2: _ops.reduce_min}[ord]
        result = pick(values, axis=-1)
        if not keepdims:
            return result
        for k in sorted(axes):
            result = _ops.expand_dims(result, k)
        return result
    else:
        raise ValueError(f"Invalid `ord` argument for matrix norm. Received: ord={ord}")
    return result if keepdims else _ops.squeeze(result, axes)


@op_function
def pinv(x: TensorLike, rcond: float | None = None) -> Tensor:
    """Moore-Penrose pseudoinverses."""
    return solvers.pinv(floating(x), rcond)


@op_function
def qr(x: TensorLike, mode: str = "reduced") -> factorization.Qr:
    """The QR factors: an orthogonal and a triangular matrix.

    Raises:
        ValueError: for a mode that is not "reduced" or "complete".
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(
            "`mode` argument value not supported. Expected one of {'reduced', 'complete'}. "
            f"Received: mode={mode}"
        )
    return factorization.qr(floating(x), full_matrices=mode == "complete")


@op_function
def solve(a: TensorLike, b: TensorLike) -> Tensor:
    """The solution x of `a @ x = b`."""
    return _solved(solvers.solve, a, b)


@op_function
def solve_triangular(a: TensorLike, b: TensorLike, lower: bool = False) -> Tensor:
    """The solution x of `a @ x = b` for a triangular a."""
    return _solved(lambda a, b: solvers.triangular_solve(a, b, lower=lower), a, b)


@op_function
def svd(x: TensorLike, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """u, the singular values s and v with `x = u @ diag(s) @ v`; or the singular values only."""
    x = floating(x)
    if not compute_uv:
        return factorization.svd(x, full_matrices, False)
    s, u, v = factorization.svd(x, full_matrices, True)
    return u, s, matrix_transpose(v)


@op_function
def jvp(fun: Any, primals: Structure, tangents: Structure, has_aux: bool = False) -> Any:
    """A function's value, and its Jacobian-vector product."""
    primals = [tensor(x) for x in primals]
    with forward_mode.ForwardAccumulator(primals, [tensor(x) for x in tangents]) as accumulator:
        result = fun(*primals)
        output, aux = result if has_aux else (result, None)
    derivative = accumulator.jvp(output)
    return (output, derivative, aux) if has_aux else (output, derivative)
