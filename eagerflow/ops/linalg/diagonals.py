"""Diagonals of matrices, one or several next to each other: created, read and replaced."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import (
    Size,
    at_least,
    at_most,
    is_known,
    may_equal,
    of_any_rank,
    of_rank,
    reshaped,
    sizes_of,
)
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.assertions import require
from eagerflow.ops.composed_op import NUMERIC_TYPES
from eagerflow.ops.refusals import refuse_attr
from eagerflow.typing import Array, TensorLike

_ops = _core.ops
Tensor = _core.Tensor

_ALIGNMENTS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def _band(k: TensorLike, align: str) -> tuple[Any, Any]:
    """The indices of the lowest and the highest diagonal: the same object for a single diagonal.

    A single index may be a symbolic tensor of unknown value.
    """
    if isinstance(k, int):
        return k, k
    offsets = _core.convert(k, None, dtypes.int32)
    known = _core.static_value(offsets)
    if known is None:
        if offsets.shape.rank == 0:
            return offsets, offsets
        raise ValueError("A band of diagonals must be known while a graph is built, `k` is not.")
    values = known.numpy()
    if values.ndim > 1 or values.size not in (1, 2):
        raise invalid_argument(
            f"diag_index must be a scalar or have one or two elements, got {values.tolist()}"
        )
    low, high = int(values.min()), int(values.max())
    if values.size == 2 and values[0] > values[1]:
        raise invalid_argument(
            f"lower_diag_index must not be larger than upper_diag_index: {values[0]} > {values[1]}"
        )
    if align not in _ALIGNMENTS:
        refuse_attr("align", align, _ALIGNMENTS)
    return low, high


def _positions(rows: Size, columns: Size, low: int, high: int, align: str) -> tuple[Any, Any, Any]:
    """Maps elements of a band to its packed form and back.

    Returns:
        For each element of the matrix `[rows, columns]`, its index in the packed band flattened,
        or the band's size if it is outside; for each element of the packed band
        `[diagonals, length]`, its index in the matrix flattened, or the matrix's size if it is
        padding; and the packed length. Arrays, or tensors where a size is unknown.
    """
    indices_between: Any = np.arange
    pick: Any = np.where
    smaller: Any = np.minimum
    larger: Any = np.maximum
    if not is_known(rows, columns):
        indices_between, pick, smaller, larger = _ops.range, _ops.select, _ops.minimum, _ops.maximum
    length = at_most(rows + min(high, 0), columns - max(low, 0))
    size = (high - low + 1) * length
    upper, lower = (side == "RIGHT" for side in align.split("_"))

    def extents(diagonals: Tensor | Array) -> tuple[Any, Any]:
        """The lengths of diagonals, and where they begin in their packed rows."""
        lengths = smaller(rows + smaller(diagonals, 0), columns - larger(diagonals, 0))
        right = ((diagonals >= 0) & upper) | ((diagonals <= 0) & lower)
        return lengths, pick(right, length - lengths, 0)

    diagonals = indices_between(high, low - 1, -1)[:, None]
    lengths, first = extents(diagonals)
    step = indices_between(0, length, 1) - first
    position = (step - smaller(diagonals, 0)) * columns + step + larger(diagonals, 0)
    packed = pick((step >= 0) & (step < lengths), position, rows * columns)
    row, column = indices_between(0, rows, 1)[:, None], indices_between(0, columns, 1)
    diagonals = column - row
    position = (high - diagonals) * length + extents(diagonals)[1] + smaller(row, column)
    inside = pick((diagonals >= low) & (diagonals <= high), position, size)
    return inside, packed, length


_known_positions = functools.lru_cache(maxsize=256)(_positions)


def _band_positions(
    rows: Size, columns: Size, low: int, high: int, align: str
) -> tuple[Any, Any, Any]:
    find = _known_positions if is_known(rows, columns) else _positions
    return find(rows, columns, low, high, align)


def _check_band(rows: Size, columns: Size, low: int, high: int, op: str) -> None:
    for k in (low, high):

        def refuse(rows: Any, columns: Any, k: int = k) -> None:
            raise invalid_argument(
                f"diag_index is out of bound: {k}. It must be between {-int(rows)} and "
                f"{int(columns)} [Op:{op}]"
            )

        if is_known(rows, columns):
            if not (-rows < k < columns or k == 0):
                refuse(rows, columns)
        elif k:
            require((rows + k > 0) & (columns - k > 0), refuse, rows, columns)


def _given(value: TensorLike) -> Size:
    """A number of rows or columns."""
    size = _core.convert(value, dtypes.int32, None)
    known = _core.static_value(size)
    return size if known is None else int(known)


def _or(size: Size, other: Size) -> Size:
    """A size, or another one if it is -1."""
    if is_known(size):
        return other if size == -1 else size
    return _ops.select(_ops.equal(size, -1), other, size)


def _padding(value: TensorLike, dtype: dtypes.DType) -> Tensor:
    """The padding of matrices and bands: the default, 0, is the empty element of any dtype."""
    if type(value) is int and value == 0:
        return _ops.zeros([], dtype)
    return _core.convert(value, dtype, None)


def _has_operation(x: Tensor) -> bool:
    """Whether the engine has the operations for single diagonals; other dtypes use bands."""
    return x.dtype in NUMERIC_TYPES or x.dtype is dtypes.bool


@op_function(promotion="weak")
def diag(
    diagonal: Any,
    name: str = "diag",
    k: Any = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices from their diagonals, with padding elsewhere.

    Args:
        diagonal: the diagonals `[..., length]`; for several, `[..., diagonals, length]` with the
            highest first.
        k: which diagonal: 0 is the main one, positive ones lie above; or the lowest and the highest
            one of a band.
        num_rows: the number of rows; by default the minimum that fits, and as many as columns if
            that is not passed either.
        num_cols: the number of columns, likewise.
        padding_value: the value elsewhere.
        align: on which side the shorter diagonals of a band have their padding: "RIGHT_LEFT" has
            those above at the right end and those below at the left end of their rows.

    Raises:
        tf.errors.InvalidArgumentError: if the sizes do not fit.

    >>> tf.linalg.diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]], dtype=int32)
    >>> tf.linalg.diag([[9, 8, 0], [1, 2, 3]], k=(0, 1), align="LEFT_RIGHT").numpy()
    array([[1, 9, 0],
           [0, 2, 8],
           [0, 0, 3]], dtype=int32)
    """
    low, high = _band(k, align)
    diagonal = _core.as_tensor(diagonal)
    single = low is high or low == high
    if single and _has_operation(diagonal):
        matrix = _ops.diag(diagonal, low, num_rows, num_cols)
        padding = _padding(padding_value, matrix.dtype)
        known = _core.static_value(padding)
        if known is not None and not np.any(known.numpy()):
            return matrix
        with _core.stop_recording():
            positions = _ops.diag(_ops.ones_like(diagonal, dtypes.bool), low, num_rows, num_cols)
        return _ops.select(positions, matrix, padding)
    if single:
        diagonal = _ops.expand_dims(diagonal, -2)
    return _band_matrix(diagonal, low, high, num_rows, num_cols, padding_value, align)


def _band_matrix(
    diagonal: Tensor, low: Any, high: Any, num_rows: TensorLike, num_cols: TensorLike,
    padding_value: TensorLike, align: str,
) -> Tensor:  # fmt: skip
    """Matrices with a band `[..., diagonals, length]`."""
    rows, columns = _given(num_rows), _given(num_cols)
    op = "MatrixDiagV3"
    if diagonal.ndim is not None and (
        diagonal.ndim < 2 or diagonal._shape_tuple()[-2] not in (high - low + 1, None)
    ):
        raise invalid_argument(
            f"The number of rows of `diagonal` must be {high - low + 1}, got shape "
            f"{diagonal.shape.as_list()} [Op:{op}]"
        )
    if diagonal.ndim is None:
        sizes = (num_rows, num_cols)
        return of_any_rank(2)(_band_matrix)(diagonal, low, high, *sizes, padding_value, align)
    *batch, count, length = sizes_of(diagonal)
    least_rows, least_columns = length - min(high, 0), length + max(low, 0)
    if is_known(rows, columns) and rows == columns == -1:
        rows = columns = at_least(least_rows, least_columns)
    rows, columns = _or(rows, least_rows), _or(columns, least_columns)
    _check_band(rows, columns, low, high, op)
    inside, _, expected = _band_positions(rows, columns, low, high, align)

    def refuse(rows: Any, columns: Any, expected: Any) -> None:
        raise invalid_argument(
            f"The band of matrices with {int(rows)} rows and {int(columns)} columns has length "
            f"{int(expected)}, `diagonal` has shape {diagonal.shape.as_list()} [Op:{op}]"
        )

    if is_known(expected, length):
        if expected != length:
            refuse(rows, columns, expected)
    else:
        require(_ops.equal(expected, length), refuse, rows, columns, expected)
    padding = _padding(padding_value, diagonal.dtype)
    return _picked(diagonal, batch, (high - low + 1) * length, padding, inside)


def _picked(
    source: Tensor, batch: list[Size], size: Size, padding: Tensor, positions: Tensor | Array
) -> Tensor:
    """Elements of flattened matrices by index; the index after the last is the padding."""
    flat = reshaped(source, [*batch, size])
    last = _ops.broadcast_to(padding, [*batch, 1])
    return _ops.gather(_ops.concat([flat, last], -1), positions, -1, 0)


@op_function(promotion="weak")
def diag_part(
    input: Any,
    name: str = "diag_part",
    k: Any = 0,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """The diagonals of the last two axes.

    Args:
        input: matrices `[..., m, n]`.
        k: which diagonal: 0 is the main one, positive ones lie above; or the lowest and the highest
            one of a band.
        padding_value: the value that pads the shorter diagonals of a band.
        align: the side of the padding, see `tf.linalg.diag`.

    Returns:
        `[..., length]`; for a band, `[..., diagonals, length]` with the highest first.

    Raises:
        tf.errors.InvalidArgumentError: if there is no such diagonal.

    >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)
    >>> tf.linalg.diag_part([[1, 2], [3, 4]], k=(-1, 0)).numpy()
    array([[1, 4],
           [3, 0]], dtype=int32)
    """
    low, high = _band(k, align)
    matrix = _core.as_tensor(input)
    single = low is high or low == high
    if single and _has_operation(matrix):
        return _ops.diag_part(matrix, low)
    op = "MatrixDiagPartV3"
    if matrix.ndim is not None and matrix.ndim < 2:
        raise invalid_argument(
            f"input must be at least 2-dim, received shape: {matrix.shape.as_list()} [Op:{op}]"
        )
    if matrix.ndim is None:
        return of_any_rank(2)(diag_part)(
            matrix, k=[low, high], padding_value=padding_value, align=align
        )
    *batch, rows, columns = sizes_of(matrix)
    _check_band(rows, columns, low, high, op)
    _, packed, _ = _band_positions(rows, columns, low, high, align)
    padding = _padding(padding_value, matrix.dtype)
    return _picked(matrix, batch, rows * columns, padding, packed[0] if single else packed)


def _with_diagonal(matrix: Tensor, diagonal: Tensor, k: int, rows: Any, columns: Any) -> Tensor:
    """Replaces a diagonal of matrices of unknown size."""
    columns_of = _ops.expand_dims(_ops.range(0, rows, 1), 1) + k
    positions = _ops.equal(columns_of, _ops.range(0, columns, 1))
    return _ops.select(positions, _with_zeros(diagonal, k, rows, columns), matrix)


def _with_zeros(diagonal: Tensor, k: Any, rows: Size, columns: Size) -> Tensor:
    """Matrices with one diagonal, and zeros elsewhere."""
    make = _ops.diag if _has_operation(diagonal) else diag
    return make(diagonal, k=k, num_rows=rows, num_cols=columns)


@op_function
def set_diag(
    input: Any, diagonal: Any, name: str = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Matrices whose diagonals are replaced.

    Args:
        input: matrices `[..., m, n]`.
        diagonal: the new diagonals `[..., length]`; for a band, `[..., diagonals, length]` with the
            highest first.
        k: which diagonal: 0 is the main one, positive ones lie above; or the lowest and the highest
            one of a band.
        align: where shorter diagonals of a band have their padding, see `tf.linalg.diag`.

    Raises:
        tf.errors.InvalidArgumentError: if the shapes do not fit.

    >>> tf.linalg.set_diag([[1, 2], [3, 4]], [7, 8]).numpy()
    array([[7, 2],
           [3, 8]], dtype=int32)
    """
    low, high = _band(k, align)
    matrix = _core.as_tensor(input)
    diagonal = _core.convert(diagonal, None, matrix.dtype)
    op = "MatrixSetDiagV3"
    if matrix.ndim is not None and matrix.ndim < 2:
        raise invalid_argument(
            f"input must be at least 2-dim, received shape: {matrix.shape.as_list()} [Op:{op}]"
        )
    if matrix.ndim is None:
        inner = 1 if low is high or low == high else 2
        sizes = _ops.concat([[-1], _ops.shape(diagonal)[-inner:]], 0)
        flat = of_rank(_ops.reshape(diagonal, sizes), inner + 1)
        band = low if inner == 1 else [low, high]
        return of_any_rank(2)(set_diag)(matrix, flat, k=band, align=align)
    *batch, rows, columns = sizes_of(matrix)
    if (low is high or low == high) and not is_known(rows, columns, low):
        return _with_diagonal(matrix, diagonal, low, rows, columns)
    _check_band(rows, columns, low, high, op)
    inside, _, length = _band_positions(rows, columns, low, high, align)
    outer = matrix._shape_tuple()[:-2]
    known_length = length if is_known(length) else None
    expected = (*outer, known_length) if low == high else (*outer, high - low + 1, known_length)
    if not may_equal(diagonal._shape_tuple(), expected):
        raise invalid_argument(
            f"diagonal must have shape {list(expected)}, got {diagonal.shape.as_list()} [Op:{op}]"
        )
    if low == high:
        positions = np.eye(rows, columns, low, dtype=bool)
        return _ops.select(positions, _with_zeros(diagonal, low, rows, columns), matrix)
    size = (high - low + 1) * length
    padding = _ops.zeros([], matrix.dtype)
    return _ops.select(inside < size, _picked(diagonal, batch, size, padding, inside), matrix)
