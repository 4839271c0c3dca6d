"""The exponential, the logarithm and the square root of matrices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow import dtype as dtypes
from eagerflow.ops.factorization import NATIVE, matrices
from eagerflow.ops.host import array_of, checked, differentiable
from eagerflow.ops.linalg import adjoint, matrix_transpose
from eagerflow.ops.op_arguments import raises_like

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


def expm(input: Any, name: str | None = None) -> Tensor:
    """The exponentials of matrices.

    Args:
        input: matrices `[..., n, n]`, floating or complex.
        name: ignored.

    Raises:
        ValueError: if the dtype is none of these.
        tf.errors.InvalidArgumentError: if the matrices are not square.

    >>> tf.linalg.expm([[0.0, 0.0], [0.0, 0.0]]).numpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    a = _core.convert(input, None, None)
    if a.dtype not in _EXPONENTIALS:
        raise ValueError(f"tf.linalg.expm does not support matrices of type {a.dtype}")
    a = matrices(a, "MatrixExponential")
    values: Any
    if a.dtype in NATIVE:
        values = _exponential(_ops.stop_gradient(a))
    else:
        values = array_of(a)
        if values.size:
            import scipy.linalg

            values = scipy.linalg.expm(values)
        values = values.astype(a.dtype.as_numpy_dtype, copy=False)
    (result,) = differentiable([values], [a], lambda dy: _gradient(expm, a, dy))
    return result


# For each precision, the degree of the approximation, and the norm up to which it is exact enough.
_DEGREES = {dtypes.float32: (7, 3.925724783138660), dtypes.float64: (13, 5.371920351148152)}


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
    # Matrices that are not finite have no exponential, whatever they are divided by.
    squarings = np.where(np.isfinite(squarings), np.maximum(squarings, 0.0), 0.0)
    scale = np.ldexp(1.0, -squarings.astype(np.int64)).astype(norms.dtype)
    x = _ops.multiply(a, scale[..., None, None])
    *batch, n, _ = a._shape_tuple()
    power = _ops.eye(n, batch_shape=batch, dtype=a.dtype)
    square = _ops.matmul(x, x)
    even, odd = _ops.zeros_like(a), _ops.zeros_like(a)
    for k in range(degree // 2 + 1):
        even = _ops.add(even, _ops.multiply(power, _pade(degree, 2 * k)))
        odd = _ops.add(odd, _ops.multiply(power, _pade(degree, 2 * k + 1)))
        power = _ops.matmul(power, square)
    odd = _ops.matmul(x, odd)
    result = _ops.lu_solve(_ops.subtract(even, odd), _ops.add(even, odd))
    for k in range(int(squarings.max())):
        squared = _ops.matmul(result, result)
        wanted = (squarings > k)[..., None, None]
        result = squared if wanted.all() else _ops.select(wanted, squared, result)
    return result


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


def _each(function: Callable, array: np.ndarray) -> np.ndarray:
    """Applies a function matrix by matrix; NaN where it fails."""
    n = array.shape[-1]
    result = np.empty_like(array)
    pairs = zip(result.reshape(-1, n, n), array.reshape(-1, n, n), strict=True) if n else ()
    for target, matrix in pairs:
        target[...] = np.nan
        if not np.isfinite(matrix).all():
            continue
        value = function(matrix)
        if np.iscomplexobj(target) or not np.iscomplexobj(value):
            target[...] = value
    return result


@raises_like("MatrixLogarithm")
def logm(input: Any, name: str | None = None) -> Tensor:
    """The principal logarithms of matrices.

    Args:
        input: matrices `[..., n, n]`, complex64 or complex128.
        name: ignored.

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
    array = _each(_logarithm, array_of(a))
    (result,) = differentiable([array], [a], lambda dy: _gradient(logm, a, dy))
    return result


def _logarithm(matrix: np.ndarray) -> Any:
    import scipy.linalg

    if not np.linalg.svd(matrix, compute_uv=False)[-1] > 0:
        return np.nan
    return scipy.linalg.logm(matrix)


@raises_like("MatrixSquareRoot")
def sqrtm(input: Any, name: str | None = None) -> Tensor:
    """The principal square roots of matrices.

    Args:
        input: matrices `[..., n, n]`, float32, float64, complex64 or complex128.
        name: ignored.

    Returns:
        Matrices of the same shape; NaN for real matrices that have no real root.

    Raises:
        tf.errors.InvalidArgumentError: if the matrices are not square.

    >>> tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy()
    array([[2., 0.],
           [0., 3.]], dtype=float32)
    """
    a = matrices(input, "MatrixSquareRoot")

    def backward(dy: Tensor) -> Tensor:
        """Solves R^T X + X R^T = dy as one linear system of size n * n."""
        from eagerflow.ops.solvers import solve

        *batch, n, _ = a._shape_tuple()
        eye = _ops.eye(n, batch_shape=batch, dtype=a.dtype)
        system = _kronecker(eye, matrix_transpose(root)) + _kronecker(root, eye)
        order = [*range(len(batch)), len(batch) + 1, len(batch)]
        stacked = _ops.reshape(_ops.transpose(dy, order), [*batch, n * n, 1])
        return _ops.transpose(_ops.reshape(solve(system, stacked), [*batch, n, n]), order)

    (root,) = differentiable([_each(_root, array_of(a))], [a], backward)
    return root


def _root(matrix: np.ndarray) -> Any:
    import scipy.linalg

    return scipy.linalg.sqrtm(matrix)


def _kronecker(a: Tensor, b: Tensor) -> Tensor:
    *batch, n, _ = a._shape_tuple()
    left = _ops.reshape(a, [*batch, n, 1, n, 1])
    right = _ops.reshape(b, [*batch, 1, n, 1, n])
    return _ops.reshape(left * right, [*batch, n * n, n * n])
