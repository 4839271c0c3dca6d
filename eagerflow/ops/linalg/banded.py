"""Systems and products with band matrices, stored by diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import when_ranks_are_known
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import (
    is_known,
    known_array,
    may_equal,
    reshaped,
    sizes_may_equal,
    sizes_of,
)
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.array import broadcast_static_shape, invalid_argument
from eagerflow.ops.composed_op import COMPLEX_TYPES, Input, composed_op
from eagerflow.ops.linalg import lapack
from eagerflow.ops.linalg.diagonals import diag
from eagerflow.ops.linalg.products import matrix_transpose
from eagerflow.ops.linalg.solvers import triangular_solve
from eagerflow.ops.numpy_ops import COMPLEX, array_of, on_values, pair, text
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor

_DTYPES = (dtypes.float32, dtypes.float64, *COMPLEX)


def _compact(diagonals: TensorLike, diagonals_format: str, loose: bool = False) -> Tensor:
    """The three diagonals as `[..., 3, m]`: above, main, below."""
    if diagonals_format == "compact":
        packed = _core.as_tensor(diagonals)
        if packed.ndim is not None and (
            packed.ndim < 2 or packed._shape_tuple()[-2] not in (3, None)
        ):
            problem = f"Expected diagonals of shape [..., 3, m], got {packed.shape}."
            raise invalid_argument(problem) if loose else ValueError(problem)
        return packed
    if diagonals_format == "matrix":
        matrix = _core.as_tensor(diagonals)
        if len(sizes_of(matrix)) < 2 or not sizes_may_equal(*matrix._shape_tuple()[-2:]):
            raise ValueError(
                "Expected last two dimensions of diagonals to be same, got "
                f"{' and '.join(map(str, matrix._shape_tuple()[-2:]))}"
            )
        m = matrix._shape_tuple()[-1]
        if None in matrix._shape_tuple()[-2:]:
            rest = [0, 0] * (matrix.ndim - 2)
            above = _ops.pad(_ops.diag_part(matrix, 1), [*rest, 0, 1])
            below = _ops.pad(_ops.diag_part(matrix, -1), [*rest, 1, 0])
            return _ops.stack([above, _ops.diag_part(matrix), below], -2)
        flat = reshaped(matrix, [*sizes_of(matrix)[:-2], m * m])
        steps = np.arange(m)
        positions = np.stack([steps * m + steps + 1, steps * (m + 1), steps * m + steps - 1])
        positions[0, -1:], positions[2, :1] = 0, 0
        return _ops.gather(flat, positions, -1, 0)
    if diagonals_format == "sequence":
        if not isinstance(diagonals, list | tuple) or len(diagonals) != 3:
            raise ValueError("Expected diagonals to be a sequence of length 3.")
        above, main, below = (_core.as_tensor(part) for part in diagonals)
        m = main._shape_tuple()[-1]
        if m is None:
            raise ValueError(f"The length of the main diagonal must be known, got {main.shape}.")
        for part in (above, below):
            if part._shape_tuple()[-1] not in (m - 1, m):
                raise ValueError(
                    f"Expected superdiagonal and subdiagonal of length {m - 1} or {m}, got "
                    f"{part._shape_tuple()[-1]}"
                )
        rest = [0, 0] * (main.ndim - 1)
        if above._shape_tuple()[-1] == m - 1:
            above = _ops.pad(above, [*rest, 0, 1])
        if below._shape_tuple()[-1] == m - 1:
            below = _ops.pad(below, [*rest, 1, 0])
        return _ops.stack([above, main, below], -2)
    raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")


def _shifted(x: Tensor, by: int) -> Tensor:
    """Rows moved up (1) or down (-1), filled with zeros."""
    rest = [0, 0] * (x.ndim - 2)
    m = sizes_of(x)[-2]
    one = min(1, m) if is_known(m) else _ops.minimum(m, 1)
    if by > 0:
        return _ops.pad(x[..., one:, :], [*rest, 0, one, 0, 0])
    return _ops.pad(x[..., : m - one, :], [*rest, one, 0, 0, 0])


@op_function(in_graph=when_ranks_are_known())
def tridiagonal_matmul(
    diagonals: Any, rhs: TensorLike, diagonals_format: str = "compact", name: str | None = None
) -> Tensor:
    """The product of tridiagonal matrices with others.

    Args:
        diagonals: with the format "compact" `[..., 3, m]`: the upper, main and lower diagonals,
            padded to the length m (the last element of the upper and the first of the lower one are
            ignored); "sequence": the three in a list, the outer ones of length m or m - 1;
            "matrix": `[..., m, m]`.
        rhs: `[..., m, n]`.
        diagonals_format: see `diagonals`.

    Raises:
        tf.errors.InvalidArgumentError: if the shapes do not fit.

    >>> tf.linalg.tridiagonal_matmul([[9.0, 0.0], [1.0, 1.0], [0.0, 2.0]], [[1.0], [1.0]]).numpy()
    array([[10.],
           [ 3.]], dtype=float32)
    """
    bands, b = pair(_compact(diagonals, diagonals_format, True), rhs, _DTYPES, "TridiagonalMatMul")
    rows, length = b.shape[-2:-1], bands.shape[-1:]
    if not rows.is_compatible_with(length):
        raise invalid_argument(
            f"diagonals of shape {text(bands._shape_tuple())} do not fit rhs of shape "
            f"{text(b._shape_tuple())} [Op:TridiagonalMatMul]"
        )
    above, main, below = (_ops.expand_dims(bands[..., k, :], -1) for k in range(3))
    return above * _shifted(b, 1) + main * b + below * _shifted(b, -1)


@op_function
def tridiagonal_solve(
    diagonals: TensorLike,
    rhs: TensorLike,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """Solves systems with tridiagonal matrices.

    Args:
        diagonals: see `tf.linalg.tridiagonal_matmul`.
        rhs: `[..., m]` or `[..., m, k]`.
        diagonals_format: "compact", "sequence" or "matrix".
        transpose_rhs: whether `rhs` is `[..., k, m]`; has no meaning for vectors.
        conjugate_rhs: whether to conjugate `rhs` first.
        partial_pivoting: ignored; rows are always exchanged for larger pivots.

    Raises:
        ValueError: if the shapes do not fit.
        tf.errors.InvalidArgumentError: if a matrix is singular.

    >>> tf.linalg.tridiagonal_solve([[1.0, 0.0], [2.0, 2.0], [0.0, 1.0]], [3.0, 3.0]).numpy()
    array([1., 1.], dtype=float32)
    """
    if perturb_singular and not partial_pivoting:
        raise ValueError("partial_pivoting must be True if perturb_singular is True.")
    bands, b = pair(_compact(diagonals, diagonals_format), rhs, _DTYPES, "TridiagonalSolve")
    ranked = bands.ndim is not None and b.ndim is not None
    vectors = ranked and b.ndim == bands.ndim - 1
    if ranked and not vectors and b.ndim != bands.ndim:
        raise ValueError(
            f"Expected the rank of rhs to be {bands.ndim - 1} or {bands.ndim}, got {b.ndim}"
        )
    if conjugate_rhs:
        b = _ops.conj(b)
    if vectors:
        b = _ops.expand_dims(b, -1)
    elif transpose_rhs:
        b = matrix_transpose(b)
    shape, rows = bands._shape_tuple(), b._shape_tuple()
    if shape and rows and not may_equal(rows[:-1], (*shape[:-2], shape[-1])):
        raise ValueError(
            f"Expected same batch and matrix sizes, got diagonals of shape {bands.shape} and rhs "
            f"of shape {b.shape}"
        )
    x = _ops.tridiagonal_solve(bands, b)
    # The solution of a transposed right-hand side is not transposed.
    return _ops.squeeze(x, [-1]) if vectors else x


@composed_op(
    "BandedTriangularSolve",
    bands=Input(COMPLEX_TYPES, "float16", "float32", "float64"),
    rhs=Input(COMPLEX_TYPES, "float16", "float32", "float64"),
)
def banded_triangular_solve(
    bands: Any, rhs: TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves systems with triangular band matrices.

    Args:
        bands: `[..., k, m]`: the main diagonal and those below it, padded at their beginning; or,
            if `lower` is False, those above the main diagonal, padded at their end, and the main
            one, last.
        rhs: `[..., m, n]`; batch axes broadcast.
        lower: whether the matrices are lower triangular.
        adjoint: whether to solve with the adjoints.

    Raises:
        tf.errors.InvalidArgumentError: if the shapes do not fit.

    >>> tf.linalg.banded_triangular_solve([[2.0, 4.0], [0.0, 2.0]], [[2.0], [6.0]]).numpy()
    array([[1.],
           [1.]], dtype=float32)
    """
    bands, b = pair(bands, rhs, _DTYPES, "BandedTriangularSolve")
    if bands.ndim is not None and bands.ndim < 2:
        raise invalid_argument(f"In[0] ndims must be >= 2: {bands.ndim} [Op:BandedTriangularSolve]")
    if _core.building() is not None:
        left, right = bands.shape, b.shape
        shape = broadcast_static_shape(left[:-2], right[:-2]).concatenate(right[-2:])
        sizes = None if shape.rank is None else shape.as_list()
        if sizes and sizes[-2] is None:
            sizes[-2] = left[-1]
        spec = TensorSpec(sizes, b.dtype)
        return on_values(banded_triangular_solve, [bands, b], [spec], lower, adjoint)[0]
    count, m = bands._shape_tuple()[-2:]
    if count > m or not count:
        raise invalid_argument(
            f"There must be between 1 and {m} bands, got shape {text(bands._shape_tuple())} "
            "[Op:BandedTriangularSolve]"
        )
    k = (1 - count, 0) if lower else (0, count - 1)
    if count == 1:
        matrix = _ops.diag(bands[..., 0, :])
    else:
        matrix = diag(bands, k=k, num_rows=m, num_cols=m, align="LEFT_RIGHT")
    return triangular_solve(matrix, b, lower, adjoint)


@op_function
def eigh_tridiagonal(
    alpha: TensorLike,
    beta: TensorLike,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: TensorLike | None = None,
    tol: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """The eigenvalues, and if asked for the eigenvectors, of a Hermitian tridiagonal matrix.

    Args:
        alpha: the main diagonal `[n]`; imaginary parts are ignored.
        beta: the diagonal above it `[n - 1]`; the one below is its conjugate.
        eigvals_only: whether to compute eigenvalues only.
        select: which: "a" all, "v" those in an interval (min, max], "i" those with indices from min
            to max.
        select_range: the pair (min, max).
        tol: the absolute tolerance of the eigenvalues.

    Returns:
        The eigenvalues, ascending; or the pair of them and the eigenvectors as columns.

    Raises:
        ValueError: if the arguments do not fit.

    >>> tf.linalg.eigh_tridiagonal([1.0, 1.0], [0.0]).numpy()
    array([1., 1.], dtype=float32)
    """
    alpha = _core.as_tensor(alpha)
    beta = _core.as_tensor(beta)
    if beta.dtype is not alpha.dtype:
        raise ValueError(
            f"'alpha' and 'beta' must have the same type, got {alpha.dtype!r} and {beta.dtype!r}"
        )
    if alpha.dtype not in _DTYPES or beta.dtype is not alpha.dtype:
        raise TypeError(
            "`alpha` and `beta` must be floating or complex and of one dtype, got "
            f"{alpha.dtype!r} and {beta.dtype!r}"
        )
    if _core.building() is not None:
        n = alpha.shape[0] if select == "a" else None
        specs = [
            TensorSpec([n], alpha.dtype.real_dtype),
            TensorSpec([alpha.shape[0], n], alpha.dtype),
        ]
        arguments = (eigvals_only, select, select_range, tol)
        results = on_values(eigh_tridiagonal, [alpha, beta], specs[: 2 - eigvals_only], *arguments)
        return results[0] if eigvals_only else tuple(results)
    n = alpha._shape_tuple()[0] if alpha.ndim == 1 else -1
    if beta._shape_tuple() != (n - 1,):
        raise ValueError(
            f"`alpha` must have shape [n] and `beta` [n - 1], got {alpha.shape} and {beta.shape}"
        )
    if select not in ("a", "v", "i"):
        raise ValueError(f"'select' must have a value in {{'a', 'v', 'i'}}, got {select!r}.")
    limits = None
    if select != "a":
        if select_range is None:
            raise ValueError("`select_range` must be given for select='v' and 'i'.")
        kind = int if select == "i" else float
        limits = [kind(edge) for edge in known_array(select_range, None, "select_range")]
        if limits[0] > limits[1] or (select == "v" and limits[0] == limits[1]):
            raise ValueError(f"select_range must rise, got {limits}.")
        if select == "i" and not (0 <= limits[0] and limits[1] < n):
            raise ValueError(f"Elements of select_range must lie within [0, {n}), got {limits}.")
    main, side = np.real(array_of(alpha)), array_of(beta)
    real_side = np.abs(side) if np.iscomplexobj(side) else side
    values, vectors = lapack.eigh_tridiagonal(
        main.astype(np.float64), real_side.astype(np.float64), select, limits
    )
    result = _core.as_tensor(values.astype(main.dtype))
    if eigvals_only:
        return result
    if np.iscomplexobj(side):
        # A diagonal matrix of phases makes the off-diagonal elements real and positive.
        size = np.abs(side)
        phase = np.where(size > 0, np.conj(side) / np.where(size > 0, size, 1), 1)
        vectors = np.concatenate([[1], np.cumprod(phase)])[:, None] * vectors
    return result, _core.as_tensor(vectors.astype(side.dtype))
