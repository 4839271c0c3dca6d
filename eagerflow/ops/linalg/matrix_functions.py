"""The exponential, the logarithm and the square root of matrices."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.ops.composed_op import COMPLEX_TYPES, Input, composed_op
from eagerflow.ops.linalg import lapack
from eagerflow.ops.linalg.factorization import matrices, square_spec
from eagerflow.ops.linalg.products import adjoint, matrix_transpose
from eagerflow.ops.linalg.solvers import solve
from eagerflow.ops.numpy_ops import array_of, checked, differentiable, on_values
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def _gradient(function: Callable[[Tensor], Tensor], a: Tensor, dy: Tensor) -> Tensor:
    """The gradient of a matrix function, read off its value at a matrix of twice the size.

    f([[A, E], [0, A]]) has the derivative of f at A in the direction E as its upper right block;
    the gradient is that at the adjoint in the direction of dy. See R. Mathias, "A chain rule for
    matrix functions and applications" (1996).
    """
    n = a._shape_tuple()[-1]
    turned = adjoint(a)
    upper = _ops.concat([turned, dy], -1)
    lower = _ops.concat([_ops.zeros_like(a), turned], -1)
    return function(_ops.concat([upper, lower], -2))[..., :n, n:]


@op_function
def expm(input: TensorLike, name: str | None = None) -> Tensor:
    """The exponentials of matrices.

    Args:
        input: matrices `[..., n, n]`, floating or complex.

    Raises:
        ValueError: for another dtype.
        tf.errors.InvalidArgumentError: if the matrices are not square.

    >>> tf.linalg.expm([[0.0, 0.0], [0.0, 0.0]]).numpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    a = _core.as_tensor(input)
    if a.dtype not in _EXPONENTIALS:
        raise ValueError(f"tf.linalg.expm does not support matrices of type {a.dtype}")
    a = matrices(a, "MatrixExponential")
    if _core.building() is not None:
        return on_values(expm, [a], [square_spec(a)])[0]
    wide = _ops.cast(a, dtypes.float32) if a.dtype is dtypes.float16 else a
    values = _ops.cast(_exponential(_ops.stop_gradient(wide)), a.dtype)
    (result,) = differentiable([values], [a], lambda dy: _gradient(expm, a, dy))
    return result


# For each precision, the degree of the approximation, and the norm up to which it is exact enough.
_SINGLE, _DOUBLE = (7, 3.925724783138660), (13, 5.371920351148152)
_DEGREES = {
    dtypes.float32: _SINGLE,
    dtypes.complex64: _SINGLE,
    dtypes.float64: _DOUBLE,
    dtypes.complex128: _DOUBLE,
}


def _exponential(a: Tensor) -> Tensor:
    """Exponentials by scaling, a Padé approximation, and squaring.

    N. Higham, "The scaling and squaring method for the matrix exponential revisited" (2005).
    """
    if not a._size:
        return a
    degree, limit = _DEGREES[a.dtype]
    norms = np.asarray(_ops.reduce_max(_ops.reduce_sum(_ops.abs(a), axis=[-2]), axis=[-1]))
    with np.errstate(all="ignore"):
        squarings = np.ceil(np.log2(norms.astype(np.float64) / limit))
    # Matrices that are not finite have no exponential, at any scaling.
    squarings = np.where(np.isfinite(squarings), np.maximum(squarings, 0.0), 0.0)
    scale = np.ldexp(1.0, -squarings.astype(np.int64)).astype(a.dtype.as_numpy_dtype)
    x = _ops.multiply(a, scale[..., None, None])
    *batch, n, _ = a._shape_tuple()
    square = _ops.matmul(x, x)
    fourth = _ops.matmul(square, square)
    sixth = _ops.matmul(fourth, square)
    powers = [_ops.eye(n, batch_shape=batch, dtype=a.dtype), square, fourth, sixth]

    def every_second(first: int) -> Tensor:
        """The terms of x^first, x^(first + 2) and so on, divided by x^first."""
        terms = [_pade(degree, k) for k in range(first, degree + 1, 2)]
        low = _weighted(powers, terms[:4])
        return low + _ops.matmul(sixth, _weighted(powers[1:], terms[4:])) if terms[4:] else low

    even, odd = every_second(0), _ops.matmul(x, every_second(1))
    result = solve(_ops.subtract(even, odd), _ops.add(even, odd))
    for k in range(int(squarings.max())):
        squared = _ops.matmul(result, result)
        wanted = (squarings > k)[..., None, None]
        result = squared if wanted.all() else _ops.select(wanted, squared, result)
    return result


def _weighted(tensors: list[Tensor], weights: list[float]) -> Tensor:
    parts = [_ops.multiply(*pair) for pair in zip(tensors, weights, strict=False)]
    return functools.reduce(_ops.add, parts)


def _pade(degree: int, k: int) -> float:
    """The coefficient of the k-th power in the approximation's numerator."""
    factorial = math.factorial
    above = factorial(2 * degree - k) * factorial(degree)
    return above / (factorial(2 * degree) * factorial(k) * factorial(degree - k))


_EXPONENTIALS = (
    dtypes.float16,
    dtypes.float32,
    dtypes.float64,
    dtypes.complex64,
    dtypes.complex128,
)


def _adjoint(array: np.ndarray) -> np.ndarray:
    return np.conj(np.swapaxes(array, -1, -2))


# From this many rows on, LAPACK is faster.
_LARGE = 16


def _schur(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """T and Q^H of matrices Q T Q^H, in double precision."""
    array = array.astype(np.complex128)
    n = array.shape[-1]
    if n >= _LARGE and np.isfinite(array).all():
        if np.array_equal(array, _adjoint(array)):
            values, vectors = lapack.eigh(array)
            return values[..., None] * np.eye(n, dtype=array.dtype), _adjoint(vectors)
        if array.ndim == 2 and (form := lapack.schur(array)):
            return form
    t, q = _ops.schur(array)
    return np.asarray(t), np.asarray(q)


def _turned_back(t: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Q T Q^H, NaN where T is not finite."""
    with np.errstate(all="ignore"):
        return _adjoint(q) @ t @ q


@composed_op("MatrixLogarithm", input=Input(COMPLEX_TYPES))
def logm(input: TensorLike, name: str | None = None) -> Tensor:
    """The principal logarithms of matrices.

    Args:
        input: matrices `[..., n, n]`, complex64 or complex128.

    Returns:
        Matrices of the same shape; NaN for those that have no logarithm.

    Raises:
        tf.errors.InvalidArgumentError: for another dtype, or matrices that are not square.

    >>> a = tf.eye(2, dtype=tf.complex64)
    >>> float(tf.reduce_max(tf.abs(tf.linalg.logm(a))))
    0.0
    """
    a = checked(input, (dtypes.complex64, dtypes.complex128), "MatrixLogarithm")
    a = matrices(a, "MatrixLogarithm")
    if _core.building() is not None:
        return on_values(logm, [a], [square_spec(a)])[0]
    array = array_of(a, "MatrixLogarithm")
    t, q = _schur(array)
    logarithms = np.full_like(t, np.nan)
    for index in np.ndindex(t.shape[:-2]):
        if np.isfinite(t[index]).all() and np.diagonal(t[index]).all():
            logarithms[index] = _logarithm(t[index])
    values = _turned_back(logarithms, q).astype(array.dtype)
    (result,) = differentiable([values], [a], lambda dy: _gradient(logm, a, dy))
    return result


# The seven-point Gauss-Legendre rule on [0, 1].
_NODES, _WEIGHTS = (part / 2 for part in np.polynomial.legendre.leggauss(7))
# Up to this norm of T - 1 the approximation with seven points is exact in double precision.
_NEAR_ONE = 0.264


def _logarithm(t: np.ndarray) -> np.ndarray:
    """The logarithm of a triangular matrix without zeros on its diagonal.

    By square roots until T is close to 1, and there the integral of E (1 + x E)^-1 from 0 to 1 for
    E = T - 1, whose rule of m points is a Padé approximation (N. Higham, "Functions of matrices",
    2008, 11.4 and 11.5).
    """
    eye = np.eye(len(t))
    diagonal = np.log(np.diagonal(t))
    roots = 0
    while np.linalg.norm(t - eye, 1) > _NEAR_ONE and roots < 100:
        t = np.asarray(_ops.triangle_root(t))
        roots += 1
    e = t - eye
    parts = np.linalg.solve(eye + (_NODES + 0.5)[:, None, None] * e, e)
    result = np.ldexp(1.0, roots) * np.tensordot(_WEIGHTS, parts, 1)
    np.fill_diagonal(result, diagonal)
    return result


@composed_op(
    "MatrixSquareRoot", input=Input(COMPLEX_TYPES, "float32", "float64", no_kernel=("float16",))
)
def sqrtm(input: TensorLike, name: str | None = None) -> Tensor:
    """The principal square roots of matrices.

    Args:
        input: matrices `[..., n, n]`, float32, float64, complex64 or complex128.

    Returns:
        Matrices of the same shape; NaN for real matrices that have no real root.

    Raises:
        tf.errors.InvalidArgumentError: if the matrices are not square.

    >>> tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy()
    array([[2., 0.],
           [0., 3.]], dtype=float32)
    """
    a = matrices(input, "MatrixSquareRoot")
    if _core.building() is not None:
        return on_values(sqrtm, [a], [square_spec(a)])[0]

    def backward(dy: Tensor) -> Tensor:
        """Solves R^T X + X R^T = dy as one linear system of size n * n."""
        *batch, n, _ = a._shape_tuple()
        eye = _ops.eye(n, batch_shape=batch, dtype=a.dtype)
        system = _kronecker(eye, matrix_transpose(root)) + _kronecker(root, eye)
        order = [*range(len(batch)), len(batch) + 1, len(batch)]
        stacked = _ops.reshape(_ops.transpose(dy, order), [*batch, n * n, 1])
        return _ops.transpose(_ops.reshape(solve(system, stacked), [*batch, n, n]), order)

    (root,) = differentiable([_roots(array_of(a))], [a], backward)
    return root


def _roots(array: np.ndarray) -> np.ndarray:
    t, q = _schur(array)
    roots = _turned_back(np.asarray(_ops.triangle_root(t)), q)
    if np.iscomplexobj(array):
        return roots.astype(array.dtype)
    # A real root needs eigenvalues that are not negative, or pairs of them.
    values = np.diagonal(t, axis1=-2, axis2=-1)
    noise = 10 * np.finfo(np.float64).eps * np.abs(t).sum(axis=(-2, -1))[..., None]
    negative = (values.real < -noise) & (np.abs(values.imag) <= noise)
    real = np.where(negative.any(axis=-1)[..., None, None], np.nan, roots.real)
    return real.astype(array.dtype)


def _kronecker(a: Tensor, b: Tensor) -> Tensor:
    *batch, n, _ = a._shape_tuple()
    left = _ops.reshape(a, [*batch, n, 1, n, 1])
    right = _ops.reshape(b, [*batch, 1, n, 1, n])
    return _ops.reshape(left * right, [*batch, n * n, n * n])
