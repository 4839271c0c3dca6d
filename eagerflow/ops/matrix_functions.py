"""The exponential, the logarithm and the square root of matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow import dtype as dtypes
from eagerflow.ops.factorization import matrices
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
    array = array_of(a)
    if array.size:
        import scipy.linalg

        array = scipy.linalg.expm(array).astype(array.dtype, copy=False)
    array = array.astype(a.dtype.as_numpy_dtype, copy=False)
    (result,) = differentiable([array], [a], lambda dy: _gradient(expm, a, dy))
    return result


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
