"""Factorisations of matrices, computed by LAPACK."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.errors import UnimplementedError
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import DType
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import sizes_may_equal
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.composed_op import COMPLEX_TYPES, Input, composed_op
from eagerflow.ops.linalg import lapack
from eagerflow.ops.linalg.diagonals import diag, diag_part, set_diag
from eagerflow.ops.linalg.products import adjoint
from eagerflow.ops.numpy_ops import (
    MATRIX_DTYPES,
    array_of,
    checked,
    differentiable,
    on_values,
    text,
)
from eagerflow.typing import Array, DTypeLike, TensorLike
from eagerflow.util import lazy

# Imported lazily: it imports this module.
solvers = lazy.Module("eagerflow.ops.linalg.solvers")

_ops = _core.ops
Tensor = _core.Tensor

Qr = namedtuple("Qr", ["q", "r"])
Lu = namedtuple("Lu", ["lu", "p"])

_COMPLEX_OF = {
    dtypes.float32: np.complex64,
    dtypes.float64: np.complex128,
    dtypes.complex64: np.complex64,
    dtypes.complex128: np.complex128,
}


def matrices(value: TensorLike, op: str, square: bool = True, hint: Any = None) -> Tensor:
    """The value as a tensor of matrices.

    Raises:
        tf.errors.InvalidArgumentError: if the rank is below 2, the dtype is not one that LAPACK
            accepts, or the matrices are not square though they must be.
    """
    tensor = checked(value, MATRIX_DTYPES, op, hint)
    shape = tensor._shape_tuple()
    if shape is None:
        return tensor
    if len(shape) < 2:
        raise invalid_argument(f"Input tensor 0 must have rank >= 2, got {tensor.ndim} [Op:{op}]")
    if square and not sizes_may_equal(*shape[-2:]):
        raise invalid_argument(f"Input matrix must be square, got shape {text(shape)} [Op:{op}]")
    return tensor


def known_sizes(a: Tensor, square: bool = True) -> tuple[list | None, int | None, int | None]:
    """The known batch axes, rows and columns of symbolic matrices."""
    shape = a._shape_tuple()
    if shape is None:
        return None, None, None
    *batch, m, n = shape
    if square:
        m = n = n if m is None else m
    return batch, m, n


def spec_of(dtype: DType, batch: list | None, *sizes: int | None) -> TensorSpec:
    """The spec of matrices or vectors with these batch axes."""
    return TensorSpec(None if batch is None else [*batch, *sizes], dtype)


def square_spec(a: Tensor) -> TensorSpec:
    """The spec of symbolic square matrices."""
    return spec_of(a.dtype, *known_sizes(a))


def in_native(a: Tensor) -> Tensor:
    """The matrices in a dtype in which the engine computes; float16 is computed in float32."""
    return _ops.cast(a, dtypes.float32) if a.dtype is dtypes.float16 else a


def as_before(result: Tensor, a: Tensor) -> Tensor:
    """A result for `in_native(a)` in the dtype of a."""
    return _ops.cast(result, a.dtype) if a.dtype is dtypes.float16 else result


def _in_dtype_of(array: np.ndarray, like: Tensor) -> np.ndarray:
    """Casts to the dtype of the input; float16 is computed in float32."""
    return array.astype(np.float16) if like.dtype is dtypes.float16 else array


def _row(vector: Tensor) -> Tensor:
    return _ops.expand_dims(vector, -2)


def _column(vector: Tensor) -> Tensor:
    return _ops.expand_dims(vector, -1)


def _reciprocal(x: Tensor) -> Tensor:
    """1 / x, and nearly 0 where x is nearly 0: for equal eigenvalues."""
    return _ops.divide_real(x, x * x + 1e-20)


@composed_op("Cholesky", input=Input(COMPLEX_TYPES, "float32", "float64", no_kernel=("float16",)))
def cholesky(input: TensorLike, name: str | None = None) -> Tensor:
    """The lower triangular matrices L with positive diagonals for which A = L L^H.

    Args:
        input: Hermitian positive definite matrices `[..., n, n]`, of which the lower triangles are
            read; float32, float64, complex64 or complex128.

    Returns:
        Matrices of the same shape; NaN in the lower triangle where a matrix is not positive
        definite.

    Raises:
        tf.errors.InvalidArgumentError: if the matrices are not square.

    Gradient: I. Murray, "Differentiation of the Cholesky decomposition" (2016).

    >>> tf.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]]).numpy()
    array([[2., 0.],
           [1., 2.]], dtype=float32)
    """
    return _ops.cholesky_factor(input)


def _smaller(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else min(a, b)


@composed_op("Qr", input=Input(COMPLEX_TYPES, "float16", "float32", "float64"))
def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> Qr:
    """The factors of A = Q R: Q with orthonormal columns, R upper triangular.

    Args:
        input: matrices `[..., m, n]`.
        full_matrices: whether Q is `[..., m, m]` and R `[..., m, n]`; otherwise, with
            k = min(m, n), Q is `[..., m, k]` and R `[..., k, n]`.

    Returns:
        A pair `(q, r)`. The signs of the columns of Q are LAPACK's.

    Raises:
        tf.errors.InvalidArgumentError: if the rank is below 2.

    Gradient: S. Walter, L. Lehmann, "Algorithmic differentiation of linear algebra functions"
    (2010); for n > m, D. Roberts, L. Roberts, "QR and LQ decomposition matrix backpropagation
    algorithms for square, wide, and deep matrices" (2020). With `full_matrices` and m > n there is
    no gradient.

    >>> q, r = tf.linalg.qr([[3.0, 0.0], [4.0, 5.0]])
    >>> bool(tf.reduce_max(tf.abs(tf.matmul(q, r) - [[3.0, 0.0], [4.0, 5.0]])) < 1e-5)
    True
    """
    a = checked(input, MATRIX_DTYPES, "Qr")
    q, r = _ops.qr_factors(in_native(a), full_matrices)
    return Qr(as_before(q, a), as_before(r, a))


@op_function
def svd(
    tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> Any:
    """The singular values and vectors: A = U diag(s) V^H.

    Args:
        tensor: matrices `[..., m, n]`.
        full_matrices: whether U is `[..., m, m]` and V `[..., n, n]`; otherwise, with
            k = min(m, n), U is `[..., m, k]` and V `[..., n, k]`.
        compute_uv: whether to compute U and V at all.

    Returns:
        `(s, u, v)`, or `s` alone. The singular values `[..., k]` are descending; signs of vectors are
        LAPACK's.

    Raises:
        tf.errors.InvalidArgumentError: if the rank is below 2.

    Gradient: M. Giles, "An extended collection of matrix derivative results" (2008), and for
    complex matrices Z. Wan, S. Zhang, "Automatic differentiation for complex valued SVD" (2019).

    >>> tf.linalg.svd([[3.0, 0.0], [0.0, -4.0]], compute_uv=False).numpy()
    array([4., 3.], dtype=float32)
    """
    for flag, value in (("compute_uv", compute_uv), ("full_matrices", full_matrices)):
        if not isinstance(value, bool):
            raise TypeError(f"Expected bool for argument '{flag}' not {value!r}.")
    a = matrices(tensor, "Svd", square=False)
    if _core.building() is not None:
        return _symbolic_svd(a, full_matrices, compute_uv)
    m, n = a._shape_tuple()[-2:]
    array = array_of(a, "Svd")
    if not compute_uv and not _core.recording():
        values = _svd(array, False, False)
        return _core.as_tensor(_in_dtype_of(values, a))
    u_array, s_array, vh_array = _svd(array, full_matrices, True)
    v_array = np.ascontiguousarray(np.conj(np.swapaxes(vh_array, -1, -2)))

    def backward(ds: Tensor, du: Tensor, dv: Tensor) -> Tensor:
        if full_matrices and abs(m - n) > 1:
            raise UnimplementedError._of(
                "The gradient of svd with full_matrices=True is not defined if the numbers of "
                f"rows and columns differ by more than 1, got shape {text(a._shape_tuple())}"
            )
        return svd_gradient([s, u, v], [ds, du, dv], m, n, thin=not full_matrices or m == n)

    if not compute_uv:
        # Differentiated again, the gradient needs vectors that depend on the matrix.
        (s,) = differentiable(
            [_in_dtype_of(s_array, a)], [a], lambda ds: svd_values_gradient(a, ds)
        )
        return s
    outputs = [_in_dtype_of(part, a) for part in (s_array, u_array, v_array)]
    s, u, v = differentiable(outputs, [a], backward)
    return s, u, v


def _symbolic_svd(a: Tensor, full_matrices: bool, compute_uv: bool) -> Any:
    batch, m, n = known_sizes(a, square=False)
    k = _smaller(m, n)
    specs = [spec_of(a.dtype.real_dtype, batch, k)]
    if compute_uv:
        u, v = (spec_of(a.dtype, batch, rows, rows if full_matrices else k) for rows in (m, n))
        specs += [u, v]
    results = on_values(svd, [a], specs, full_matrices, compute_uv)
    return tuple(results) if compute_uv else results[0]


def svd_values_gradient(a: Tensor, ds: Tensor) -> Tensor:
    """The gradient with respect to matrices, from that of their singular values."""
    _, u, v = svd(a)
    return _ops.matmul(u * _row(_ops.cast(ds, a.dtype)), v, adjoint_b=True)


def _svd(array: Any, full_matrices: Any, vectors: Any) -> Any:
    if not array.size:
        return _svd_of_nothing(array, full_matrices, vectors)
    finite = np.isfinite(array)
    if finite.all():
        return lapack.svd(array, full_matrices, vectors)
    # LAPACK may search forever for the singular values of matrices that are not finite.
    bad = ~finite.all(axis=(-2, -1), keepdims=True)
    parts = lapack.svd(np.where(bad, array.dtype.type(0), array), full_matrices, vectors)
    if not vectors:
        return np.where(bad[..., 0], np.nan, parts).astype(parts.dtype)
    u, s, vh = parts
    return (
        np.where(bad, np.nan, u).astype(u.dtype),
        np.where(bad[..., 0], np.nan, s).astype(s.dtype),
        np.where(bad, np.nan, vh).astype(vh.dtype),
    )


def _svd_of_nothing(array: Array, full_matrices: bool, vectors: bool) -> Any:
    *batch, m, n = array.shape
    k = min(m, n)
    s = np.zeros([*batch, k], array.real.dtype)
    if not vectors:
        return s
    rows, columns = (m, n) if full_matrices else (k, k)
    u = np.broadcast_to(np.eye(m, rows, dtype=array.dtype), [*batch, m, rows])
    vh = np.broadcast_to(np.eye(columns, n, dtype=array.dtype), [*batch, columns, n])
    return u, s, vh


def svd_gradient(
    factors: Sequence[Tensor], dy: Sequence[Tensor], m: int, n: int, thin: bool
) -> Tensor:
    """The gradient with respect to `m` by `n` matrices, from those of their factors s, u and v.

    `thin` factors have no vectors without a singular value.
    """
    (s, u, v), (ds, du, dv) = factors, dy
    if m < n:  # the transposed problem, so that U is never the wider one
        return adjoint(svd_gradient([s, v, u], [ds, dv, du], n, m, thin))
    k = n
    dtype = u.dtype
    squares = s * s
    gaps = _row(squares) - _column(squares)
    zeros = _ops.zeros_like(s)
    f = _ops.cast(set_diag(_reciprocal(gaps), zeros), dtype)
    s_full = _ops.cast(s, dtype)
    inverse = _ops.cast(_reciprocal(s), dtype)
    thin_u, thin_du = u[..., :, :k], du[..., :, :k]
    udu = _ops.matmul(thin_u, thin_du, adjoint_a=True)
    vdv = _ops.matmul(v, dv, adjoint_a=True)[..., :k, :k]
    middle = f * (udu - adjoint(udu)) * _row(s_full) + _column(s_full) * (f * (vdv - adjoint(vdv)))
    middle = middle + diag(_ops.cast(ds, dtype))
    if dtype.is_complex:
        phases = diag_part(udu)
        phases = phases - _ops.cast(_ops.real(phases), dtype)
        middle = middle + diag(phases * inverse)
    thin_v = v[..., :, :k]
    grad = _ops.matmul(_ops.matmul(thin_u, middle), thin_v, adjoint_b=True)
    if thin:
        outside = thin_du - _ops.matmul(thin_u, udu)
    else:
        # Columns of a full U without a singular value rotate against the others.
        rest, rest_du = u[..., :, k:], du[..., :, k:]
        turn = _ops.matmul(rest, thin_du, adjoint_a=True)
        turn = turn - adjoint(_ops.matmul(thin_u, rest_du, adjoint_a=True))
        outside = _ops.matmul(rest, turn)
    return grad + _ops.matmul(outside * _row(inverse), thin_v, adjoint_b=True)


@op_function
def eigh(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The eigenvalues and eigenvectors of Hermitian matrices.

    Args:
        tensor: matrices `[..., n, n]`, of which the lower triangles are read.

    Returns:
        `(e, v)`: the eigenvalues `[..., n]`, ascending, in the dtype of the matrices, and the
        eigenvectors as columns; their signs are LAPACK's.

    Raises:
        tf.errors.InvalidArgumentError: if the matrices are not square, or hold NaN.

    Gradient: M. Giles, "An extended collection of matrix derivative results" (2008).

    >>> e, v = tf.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])
    >>> e.numpy()
    array([1., 2.], dtype=float32)
    """
    a = checked(tensor, MATRIX_DTYPES, "SelfAdjointEigV2")
    e, v = _ops.eigh_factors(in_native(a))
    return as_before(e, a), as_before(v, a)


@op_function
def eigvalsh(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The eigenvalues of Hermitian matrices, ascending; see `tf.linalg.eigh`.

    >>> tf.linalg.eigvalsh([[0.0, 1.0], [1.0, 0.0]]).numpy().round(5) + 0.0
    array([-1.,  1.], dtype=float32)
    """
    a = checked(tensor, MATRIX_DTYPES, "SelfAdjointEigV2")
    # Tapes need the vectors, too.
    return as_before(_ops.eigh_factors(in_native(a), _core.recording())[0], a)


@op_function
def eig(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The eigenvalues and eigenvectors of any square matrices.

    Args:
        tensor: matrices `[..., n, n]`, float32, float64, complex64 or complex128.

    Returns:
        `(e, v)`, both complex: the eigenvalues `[..., n]` and the eigenvectors as columns of
        length 1.

    Raises:
        tf.errors.InvalidArgumentError: if the matrices are not square.

    Gradient: C. Boeddeker et al., "On the computation of complex-valued gradients with application
    to statistically optimum beamforming" (2017), equation 4.77.

    >>> e, v = tf.linalg.eig([[2.0, 0.0], [0.0, 1.0]])
    >>> e.dtype
    tf.complex64
    """
    a = matrices(tensor, "Eig")
    kind = _COMPLEX_OF[dtypes.float32 if a.dtype is dtypes.float16 else a.dtype]
    if _core.building() is not None:
        batch, n, _ = known_sizes(a)
        result = dtypes.as_dtype(kind)
        specs = [spec_of(result, batch, n), spec_of(result, batch, n, n)]
        values, vectors = on_values(eig, [a], specs)
        return values, vectors
    values, vectors = _eig(array_of(a, "Eig"))

    def backward(de: Tensor, dv: Tensor) -> Tensor:
        vt = adjoint(v)
        gaps = _row(e) - _column(e)
        f = _ops.conj(set_diag(_ops.divide_no_nan(_ops.ones_like(gaps), gaps), _ops.zeros_like(e)))
        vdv = _ops.matmul(vt, dv)
        length = _ops.matmul(vt, v) * _row(_ops.cast(_ops.real(diag_part(vdv)), v.dtype))
        grad = solvers.solve(vt, _ops.matmul(diag(de) + f * (vdv - length), vt))
        return _to_dtype(grad, a.dtype)

    e, v = differentiable([values.astype(kind), vectors.astype(kind)], [a], backward)
    return e, v


@op_function
def eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The eigenvalues of any square matrices, complex; see `tf.linalg.eig`.

    >>> tf.linalg.eigvals([[3.0]]).numpy()
    array([3.+0.j], dtype=complex64)
    """
    return eig(tensor)[0]


def _to_dtype(grad: Tensor, dtype: DType) -> Tensor:
    return grad if grad.dtype is dtype else _ops.cast(_ops.real(grad), dtype)


def _eig(array: np.ndarray) -> Any:
    try:
        return lapack.eig(array)
    except np.linalg.LinAlgError:
        raise invalid_argument(
            "Eigen decomposition was not successful. The input might not be valid. [Op:Eig]"
        ) from None


@composed_op(
    "Lu",
    input=Input(COMPLEX_TYPES, "float32", "float64", no_kernel=("float16",)),
    output_idx_type=DType,
)
def lu(input: TensorLike, output_idx_type: DTypeLike = dtypes.int32, name: str | None = None) -> Lu:
    """The factors of P A = L U, with rows exchanged for the largest pivots.

    Args:
        input: matrices `[..., n, n]`.
        output_idx_type: int32 or int64, the dtype of the permutation.

    Returns:
        A pair `(lu, p)`: U in the upper triangle and L, without its diagonal of ones, below it;
        and the rows of A `[..., n]` in the order in which L U has them.

    Raises:
        tf.errors.InvalidArgumentError: if the matrices are not square or a pivot is zero.

    >>> lu, p = tf.linalg.lu([[1.0, 2.0], [4.0, 2.0]])
    >>> lu.numpy(), p.numpy()
    (array([[4.  , 2.  ],
           [0.25, 1.5 ]], dtype=float32), array([1, 0], dtype=int32))
    """
    factors, order = _ops.lu_factors(input)
    kind = dtypes.as_dtype(output_idx_type)
    return Lu(factors, order if kind is dtypes.int32 else _ops.cast(order, kind))
