"""Linear systems, inverses and determinants."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow._core.ops import matrix_band_part as band_part
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.sizes import may_equal, sizes_may_equal
from eagerflow.ops.array import broadcast_static_shape, invalid_argument
from eagerflow.ops.composed_op import COMPLEX_TYPES, INEXACT_TYPES, Input, composed_op
from eagerflow.ops.linalg.diagonals import diag_part, set_diag
from eagerflow.ops.linalg.factorization import (
    as_before,
    cholesky,
    in_native,
    known_sizes,
    matrices,
    spec_of,
    square_spec,
    svd,
)
from eagerflow.ops.numpy_ops import (
    MATRIX_DTYPES,
    checked,
    on_values,
    pair,
    text,
)
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor

LogMatrixDeterminant = namedtuple("LogMatrixDeterminant", ["sign", "log_abs_determinant"])


@composed_op("MatrixInverse", input=Input(COMPLEX_TYPES, "float16", "float32", "float64"))
def inv(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverses of matrices.

    Args:
        input: matrices `[..., n, n]`; float16, float32, float64, complex64 or complex128.
        adjoint: whether to invert the adjoints.

    Raises:
        tf.errors.InvalidArgumentError: if the matrices are not square, or one is singular.

    >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    if not isinstance(adjoint, bool):
        raise TypeError(f"Expected bool for argument 'adjoint' not {adjoint!r}.")
    a = checked(input, MATRIX_DTYPES, "MatrixInverse")
    return as_before(_ops.lu_inverse(in_native(a), adjoint), a)


@composed_op(
    "MatrixDeterminant", input=Input(COMPLEX_TYPES, "float32", "float64", no_kernel=("float16",))
)
def det(input: TensorLike, name: str | None = None) -> Tensor:
    """The determinants of matrices `[..., n, n]`.

    The gradient also holds for singular matrices: it consists of their cofactors.

    Raises:
        tf.errors.InvalidArgumentError: if the matrices are not square.

    >>> float(tf.linalg.det([[2.0, 1.0], [1.0, 3.0]]))
    5.0
    """
    return _ops.lu_determinant(input)


@composed_op(
    "LogMatrixDeterminant", input=Input(COMPLEX_TYPES, "float32", "float64", no_kernel=("float16",))
)
def slogdet(input: TensorLike, name: str | None = None) -> LogMatrixDeterminant:
    """The signs and the logarithms of the absolute values of determinants.

    Args:
        input: matrices `[..., n, n]`.

    Returns:
        A pair `(sign, log_abs_determinant)`; the logarithm has the dtype of the matrices.

    Raises:
        tf.errors.InvalidArgumentError: if the matrices are not square.

    >>> sign, logarithm = tf.linalg.slogdet([[0.0, 1.0], [1.0, 0.0]])
    >>> float(sign), float(logarithm)
    (-1.0, 0.0)
    """
    return LogMatrixDeterminant(*_ops.lu_log_determinant(input))


@op_function
def logdet(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The logarithms of the determinants of Hermitian positive definite matrices.

    >>> f"{float(tf.linalg.logdet([[2.0, 0.0], [0.0, 8.0]])):.4f}"
    '2.7726'
    """
    factor = cholesky(matrix)
    return 2.0 * _ops.reduce_sum(_ops.log(_ops.real(diag_part(factor))), axis=-1)


@composed_op(
    "MatrixSolve",
    matrix=Input(COMPLEX_TYPES, "float32", "float64", no_kernel=("float16",)),
    rhs=Input(COMPLEX_TYPES, "float32", "float64", no_kernel=("float16",)),
)
def solve(matrix: Any, rhs: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Solves A X = B for X.

    Args:
        matrix: A, `[..., n, n]`.
        rhs: B, `[..., n, k]`, with the same batch axes.
        adjoint: whether to solve with the adjoint of A.

    Raises:
        tf.errors.InvalidArgumentError: if the shapes do not fit, or a matrix is singular.

    >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]]).numpy()
    array([[1. ],
           [0.5]], dtype=float32)
    """
    return _ops.lu_solve(matrix, rhs, adjoint)


def _check_rows(a: Tensor, b: Tensor, op: str) -> None:
    """Rejects a right-hand side with other batch axes or another number of rows."""
    (batch, rows, _), (other, right, _) = (known_sizes(x, square=False) for x in (a, b))
    if not may_equal(batch, other) or not sizes_may_equal(rows, right):
        raise invalid_argument(
            f"Input matrix and rhs are incompatible: {text(a._shape_tuple())} and "
            f"{text(b._shape_tuple())} [Op:{op}]"
        )


def _solution_spec(a: Tensor, b: Tensor, batch: TensorShape) -> Any:
    """The spec of symbolic solutions: rows as on both sides, columns as on the right."""
    _, n, _ = known_sizes(a)
    _, rows, columns = known_sizes(b, square=False)
    n = rows if n is None else n
    return spec_of(a.dtype, _sizes(batch), n, columns)


def _sizes(shape: TensorShape) -> list | None:
    return None if shape.rank is None else shape.as_list()


@composed_op("MatrixTriangularSolve", matrix=Input(INEXACT_TYPES), rhs=Input(INEXACT_TYPES))
def triangular_solve(
    matrix: Any, rhs: TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves A X = B for triangular matrices A.

    Args:
        matrix: A, `[..., n, n]`; only one triangle is read.
        rhs: B, `[..., n, k]`; batch axes broadcast.
        lower: whether A is lower triangular; otherwise it is upper triangular.
        adjoint: whether to solve with the adjoint of A.

    Returns:
        X; where the diagonal of A has zeros, it is infinite or NaN.

    Raises:
        tf.errors.InvalidArgumentError: if the shapes do not fit.

    >>> tf.linalg.triangular_solve([[2.0, 0.0], [1.0, 1.0]], [[2.0], [3.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    a, b = pair(matrix, rhs, MATRIX_DTYPES, "MatrixTriangularSolve")
    return as_before(_ops.triangle_solve(in_native(a), in_native(b), lower, adjoint), a)


@op_function
def cholesky_solve(chol: TensorLike, rhs: TensorLike, name: str | None = None) -> Tensor:
    """Solves A X = B, given the Cholesky factors of A.

    Args:
        chol: the lower factors `[..., n, n]`, from `tf.linalg.cholesky`.
        rhs: B, `[..., n, k]`.

    >>> factor = tf.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]])
    >>> tf.linalg.cholesky_solve(factor, [[8.0], [12.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    half = triangular_solve(chol, rhs)
    return triangular_solve(chol, half, adjoint=True)


@op_function
def lstsq(
    matrix: TensorLike,
    rhs: TensorLike,
    l2_regularizer: float = 0.0,
    fast: bool = True,
    name: str | None = None,
) -> Tensor:
    """Solves A X = B by least squares.

    Args:
        matrix: A, `[..., m, n]`.
        rhs: B, `[..., m, k]`.
        l2_regularizer: the weight of the squared norm of X, a scalar.
        fast: whether to solve the normal equations, which needs matrices of full rank; otherwise a
            singular value decomposition is used, which returns the smallest X and ignores
            `l2_regularizer`.

    Raises:
        tf.errors.InvalidArgumentError: if the shapes do not fit.

    >>> tf.linalg.lstsq([[1.0], [1.0]], [[1.0], [3.0]]).numpy()
    array([[2.]], dtype=float32)
    """
    op = "MatrixSolveLs"
    a, b = pair(matrix, rhs, MATRIX_DTYPES, op)
    a = matrices(a, op, square=False)
    _check_rows(a, b, op)
    if _waits_for_shapes(a, b) or (_core.building() is not None and not fast):
        (batch, _, n), (other, _, columns) = (known_sizes(x, square=False) for x in (a, b))
        both = _sizes(TensorShape(batch).merge_with(other))
        spec = spec_of(a.dtype, both, n, columns)
        return on_values(lstsq, [a, b], [spec], l2_regularizer, fast)[0]
    m, n = a._shape_tuple()[-2:]
    if not fast:
        # Singular values below the rounding error of the largest count as zero.
        limit = float(np.finfo(a.dtype.as_numpy_dtype).eps) * max(m, n)
        return _ops.matmul(pinv(a, limit), b)
    size = min(m, n)
    eye = _ops.eye(size, batch_shape=list(a._shape_tuple()[:-2]), dtype=a.dtype)
    damping = eye * _ops.cast(_core.as_tensor(l2_regularizer), a.dtype)
    if m >= n:
        gram = _ops.matmul(a, a, adjoint_a=True) + damping
        return cholesky_solve(cholesky(gram), _ops.matmul(a, b, adjoint_a=True))
    gram = _ops.matmul(a, a, adjoint_b=True) + damping
    return _ops.matmul(a, cholesky_solve(cholesky(gram), b), adjoint_a=True)


@op_function
def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The Moore-Penrose pseudo-inverses of matrices.

    Args:
        a: matrices `[..., m, n]`.
        rcond: singular values up to `rcond` times the largest count as zero; by default
            `10 * max(m, n) * eps`.
        validate_args: ignored; the arguments are always checked.

    Raises:
        TypeError: if the matrices are not floating.
        ValueError: if the rank is below 2.

    >>> tf.linalg.pinv([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]).numpy()
    array([[1. , 0. , 0. ],
           [0. , 0.5, 0. ]], dtype=float32)
    """
    a = _core.as_tensor(a)
    if not (a.dtype.is_floating or a.dtype.is_complex):
        raise TypeError("Input `a` must have `float`-like `dtype`.")
    if a.ndim is not None and a.ndim < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions, got shape {a.shape}.")
    if _core.building() is not None:
        batch, m, n = known_sizes(a, square=False)
        return on_values(pinv, [a], [spec_of(a.dtype, batch, n, m)], rcond)[0]
    if rcond is None:
        eps = np.finfo(a.dtype.real_dtype.as_numpy_dtype).eps
        rcond = 10.0 * max(a._shape_tuple()[-2:]) * float(eps)
    s, u, v = svd(a)
    rcond = _core.convert(rcond, s.dtype, None)
    limit = _ops.expand_dims(rcond, -1) * _ops.reduce_max(s, axis=-1, keepdims=True)
    large = _ops.greater(s, limit)
    inverse = _ops.divide_real(_ops.ones_like(s), _ops.select(large, s, _ops.ones_like(s)))
    inverse = _ops.cast(_ops.select(large, inverse, _ops.zeros_like(s)), a.dtype)
    return _ops.matmul(v * _ops.expand_dims(inverse, -2), u, adjoint_b=True)


@op_function
def matrix_rank(
    a: TensorLike, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The ranks of matrices: the number of singular values that are not zero.

    Args:
        a: matrices `[..., m, n]`, floating.
        tol: the threshold for zero; by default the largest singular value times `max(m, n) * eps`.
        validate_args: ignored; the arguments are always checked.

    Returns:
        int32 `[...]`.

    >>> int(tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]))
    1
    """
    a = _core.as_tensor(a)
    if not (a.dtype.is_floating or a.dtype.is_complex):
        raise TypeError("Input `a` must have `float`-like `dtype`.")
    if a.ndim is not None and a.ndim < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions, got shape {a.shape}.")
    if _core.building() is not None:
        spec = spec_of(dtypes.int32, known_sizes(a, square=False)[0])
        return on_values(matrix_rank, [a], [spec], tol)[0]
    s = svd(_ops.stop_gradient(a), compute_uv=False)
    if tol is None:
        eps = float(np.finfo(a.dtype.real_dtype.as_numpy_dtype).eps)
        tol = max(a._shape_tuple()[-2:]) * eps * _ops.reduce_max(s, axis=-1, keepdims=True)
    return _ops.reduce_sum(_ops.cast(_ops.greater(s, tol), dtypes.int32), axis=-1)


def _waits_for_shapes(*tensors: Tensor) -> bool:
    """Whether a function composed for known shapes is a node that runs when they are known."""
    known = all(tensor.shape.is_fully_defined() for tensor in tensors)
    return _core.building() is not None and not known


def _lu_parts(factor: Tensor, order: Tensor) -> tuple[Tensor, Tensor]:
    """The two triangles of packed factors of known shapes."""
    if factor.ndim < 2:
        raise ValueError(f"Argument `lower_upper` must have rank at least 2, got {factor.shape}.")
    if order._shape_tuple() != factor._shape_tuple()[:-1]:
        raise ValueError(
            f"Argument `perm` of shape {order.shape} does not fit `lower_upper` of shape "
            f"{factor.shape}."
        )
    lower = set_diag(band_part(factor, -1, 0), _ops.ones_like(diag_part(factor)))
    return lower, band_part(factor, 0, -1)


def _inverse_orders(order: Tensor) -> Tensor:
    """The inverses of permutations `[..., n]`, inverted as one of all their elements.

    Raises:
        tf.errors.InvalidArgumentError: if a vector is no permutation.
    """
    *batch, n = order._shape_tuple()
    count = math.prod(batch)
    first = (np.arange(count, dtype=np.int32) * n)[:, None]
    whole = _ops.invert_permutation(_ops.reshape(_ops.reshape(order, [count, n]) + first, [-1]))
    return _ops.reshape(_ops.reshape(whole, [count, n]) - first, [*batch, n])


@op_function
def lu_reconstruct(
    lower_upper: TensorLike, perm: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The matrices that `tf.linalg.lu` has factorised.

    >>> tf.linalg.lu_reconstruct(*tf.linalg.lu([[1.0, 2.0], [4.0, 2.0]])).numpy()
    array([[1., 2.],
           [4., 2.]], dtype=float32)
    """
    factor, order = _core.as_tensor(lower_upper), _core.convert(perm, None, dtypes.int32)
    if _waits_for_shapes(factor, order):
        return on_values(lu_reconstruct, [factor, order], [square_spec(factor)])[0]
    lower, upper = _lu_parts(factor, order)
    batch = factor.ndim - 2
    return _ops.gather(_ops.matmul(lower, upper), _inverse_orders(order), batch, batch)


@op_function
def lu_solve(
    lower_upper: TensorLike,
    perm: TensorLike,
    rhs: TensorLike,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """Solves A X = B, given the factors of A from `tf.linalg.lu`.

    >>> tf.linalg.lu_solve(*tf.linalg.lu([[2.0, 0.0], [0.0, 4.0]]), [[2.0], [2.0]]).numpy()
    array([[1. ],
           [0.5]], dtype=float32)
    """
    a, order = _core.as_tensor(lower_upper), _core.convert(perm, None, dtypes.int32)
    b = _core.convert(rhs, None, a.dtype)
    if _waits_for_shapes(a, order, b):
        both = broadcast_static_shape(
            TensorShape(known_sizes(a)[0]), TensorShape(known_sizes(b, square=False)[0])
        )
        return on_values(lu_solve, [a, order, b], [_solution_spec(a, b, both)])[0]
    lower, upper = _lu_parts(a, order)
    if b.ndim < 2:
        raise ValueError(f"Argument `rhs` must have rank at least 2, got {b.shape}.")
    batch = np.broadcast_shapes(order._shape_tuple()[:-1], b._shape_tuple()[:-2])
    order = _ops.broadcast_to(order, [*batch, order._shape_tuple()[-1]])
    b = _ops.broadcast_to(b, [*batch, *b._shape_tuple()[-2:]])
    permuted = _ops.gather(b, order, len(batch), len(batch))
    return triangular_solve(upper, triangular_solve(lower, permuted), lower=False)


@op_function
def lu_matrix_inverse(
    lower_upper: TensorLike, perm: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The inverses of matrices, given their factors from `tf.linalg.lu`.

    >>> tf.linalg.lu_matrix_inverse(*tf.linalg.lu([[2.0, 0.0], [0.0, 4.0]])).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    factor = _core.as_tensor(lower_upper)
    order = _core.convert(perm, None, dtypes.int32)
    if _waits_for_shapes(factor, order):
        return on_values(lu_matrix_inverse, [factor, order], [square_spec(factor)])[0]
    *batch, n, _ = factor._shape_tuple()
    return lu_solve(factor, perm, _ops.eye(n, batch_shape=batch, dtype=factor.dtype))
