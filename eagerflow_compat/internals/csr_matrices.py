"""tensorflow.python.ops.linalg.sparse: sparse matrices whose products are sparse.

TensorFlow holds them in compressed rows, by a handle; here the handle is the SparseTensor itself, so
that they pass through functions and gradients as all sparse tensors do.
"""

from __future__ import annotations

import collections
from typing import Any

import eagerflow as tf
from eagerflow.framework.shapes import TensorShape
from eagerflow.sparse.tensor import SparseTensor
from eagerflow.typing import TensorLike

__all__ = [
    "CSRSparseMatrix",
    "SparseMatrix",
    "csr_sparse_matrix_components",
    "csr_sparse_matrix_to_dense",
    "csr_sparse_matrix_to_sparse_tensor",
    "dense_shape_and_type",
    "dense_to_csr_sparse_matrix",
    "matmul",
    "sparse_matrix_mat_mul",
    "sparse_matrix_nnz",
    "sparse_matrix_sparse_mat_mul",
    "sparse_matrix_transpose",
    "sparse_tensor_to_csr_sparse_matrix",
]

Components = collections.namedtuple("Components", ["row_ptrs", "col_inds", "values"])
DenseShapeAndType = collections.namedtuple("DenseShapeAndType", ["shape", "dtype"])
Parts = collections.namedtuple("Parts", ["indices", "values", "dense_shape"])


def _invalid(message: str) -> tf.errors.InvalidArgumentError:
    return tf.errors.InvalidArgumentError(None, None, message)


def _checked(matrix: Any) -> SparseTensor:
    """The SparseTensor of a matrix, or of some.

    Raises:
        tf.errors.InvalidArgumentError: if the rank is not 2 or 3.
    """
    value = matrix._matrix if isinstance(matrix, CSRSparseMatrix) else matrix
    if not isinstance(value, SparseTensor):
        raise TypeError(f"Expected a CSRSparseMatrix, got a {type(matrix).__name__}.")
    if value.shape.rank not in (2, 3):
        raise _invalid(f"A CSRSparseMatrix has rank 2 or 3, not {value.shape.rank}.")
    return value


def _transposed(value: SparseTensor, conjugate: bool = False) -> SparseTensor:
    turned = tf.sparse.transpose(value, [1, 0] if value.shape.rank == 2 else [0, 2, 1])
    return _conjugated(turned) if conjugate else turned


def _conjugated(value: SparseTensor) -> SparseTensor:
    if not value.dtype.is_complex:
        return value
    return SparseTensor(value.indices, tf.math.conj(value.values), value.dense_shape)


def _arranged(value: SparseTensor | tf.Tensor, transpose: bool, adjoint: bool) -> Any:
    """A factor of a product as its flags say."""
    if transpose and adjoint:
        raise _invalid("Only one of transpose and adjoint can be True.")
    if isinstance(value, SparseTensor):
        return _transposed(value, adjoint) if transpose or adjoint else value
    if adjoint:
        return tf.linalg.adjoint(value)
    return tf.linalg.matrix_transpose(value) if transpose else value


# Matrices one after the other are the blocks on the diagonal of a large one.
_Block = collections.namedtuple("_Block", ["rows", "columns", "values", "sizes", "batch"])


def _diagonal(value: SparseTensor) -> _Block:
    """Rows and columns of the elements in that large matrix; sizes of one block, and how many."""
    indices, shape = value.indices, value.dense_shape
    if value.shape.rank == 2:
        return _Block(indices[:, 0], indices[:, 1], value.values, shape, None)
    rows = indices[:, 0] * shape[1] + indices[:, 1]
    columns = indices[:, 0] * shape[2] + indices[:, 2]
    return _Block(rows, columns, value.values, shape[1:], shape[0])


def _sparse_product(a: SparseTensor, b: SparseTensor) -> SparseTensor:
    """The product of matrices in row-major order, in which sums of products may be 0."""
    left, right = _diagonal(a), _diagonal(b)
    # Each element of a meets the row of b that its column names.
    first = tf.searchsorted(right.rows, left.columns, side="left", out_type="int64")
    counts = tf.searchsorted(right.rows, left.columns, side="right", out_type="int64") - first
    element = tf.repeat(tf.range(tf.size(left.rows, out_type="int64")), counts)
    begin = tf.cumsum(counts, exclusive=True)
    place = tf.range(tf.reduce_sum(counts)) - tf.gather(begin - first, element)
    products = tf.gather(left.values, element) * tf.gather(right.values, place)
    width = right.sizes[1]
    column = tf.gather(right.columns, place) % width
    keys = tf.gather(left.rows, element) * width + column
    order = tf.argsort(keys, stable=True)
    distinct, group = tf.unique(tf.gather(keys, order))
    values = tf.math.segment_sum(tf.gather(products, order), group)
    values = tf.ensure_shape(values, distinct.shape)
    rows, height = distinct // width, left.sizes[0]
    if left.batch is None:
        indices = tf.stack([rows, distinct % width], 1)
        return SparseTensor(indices, values, tf.stack([height, width]))
    indices = tf.stack([rows // height, rows % height, distinct % width], 1)
    return SparseTensor(indices, values, tf.stack([left.batch, height, width]))


def _dense_product(a: SparseTensor, b: tf.Tensor) -> tf.Tensor:
    """The product of sparse and dense matrices, as many of these as of those."""
    if a.shape.rank == 2:
        return tf.sparse.sparse_dense_matmul(a, b)
    block = _diagonal(a)
    whole = SparseTensor(
        tf.stack([block.rows, block.columns], 1), block.values, block.sizes * block.batch
    )
    width = tf.shape(b, out_type="int64")[2]
    product = tf.sparse.sparse_dense_matmul(whole, tf.reshape(b, tf.stack([-1, width])))
    return tf.reshape(product, tf.stack([block.batch, block.sizes[0], width]))


def _check_inner(a: Any, b: Any) -> None:
    ranks = a.shape.rank, b.shape.rank
    if ranks[0] != ranks[1]:
        raise _invalid(f"Matrices of ranks {ranks[0]} and {ranks[1]} cannot be multiplied.")
    if not a.shape[-1:].is_compatible_with(b.shape[-2:-1]):
        raise _invalid(f"Inner sizes of {a.shape} and {b.shape} do not match.")
    if not a.shape[:-2].is_compatible_with(b.shape[:-2]):
        raise _invalid(f"Numbers of matrices in {a.shape} and {b.shape} do not match.")


class SparseMatrix:
    """Base class of sparse matrices."""


class CSRSparseMatrix(SparseMatrix):
    """A sparse matrix, or some of the same size, whose products with others are sparse.

    Args:
        value: a SparseTensor, or a dense tensor, of rank 2 or 3.
        indices: int64 [count, rank], the elements to take of a dense one; those that are not 0 by
            default.
        name: ignored.

    Raises:
        tf.errors.InvalidArgumentError: if the rank is not 2 or 3.
    """

    def __init__(self, value: Any, indices: Any = None, name: str | None = None) -> None:
        if isinstance(value, CSRSparseMatrix):
            value = value._matrix
        if not isinstance(value, SparseTensor):
            value = tf.convert_to_tensor(value)
            if indices is None:
                value = tf.sparse.from_dense(value)
            else:
                value = dense_to_csr_sparse_matrix(value, indices)
        self._matrix: SparseTensor = _checked(value)

    @classmethod
    def _from_matrix(cls, matrix: SparseTensor) -> CSRSparseMatrix:
        return cls(matrix)

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._matrix.dtype

    @property
    def shape(self) -> TensorShape:
        """The sizes, as far as they are known."""
        return self._matrix.shape

    def conj(self) -> CSRSparseMatrix:
        """The conjugates of the elements."""
        return CSRSparseMatrix(_conjugated(self._matrix))

    def transpose(self) -> CSRSparseMatrix:
        """The transposed matrices."""
        return CSRSparseMatrix(_transposed(self._matrix))

    def hermitian_transpose(self) -> CSRSparseMatrix:
        """The conjugate transposes."""
        return CSRSparseMatrix(_transposed(self._matrix, True))

    def nnz(self) -> tf.Tensor:
        """int32, how many elements are stored; a vector of the numbers of each of some matrices."""
        return sparse_matrix_nnz(self._matrix)

    def to_dense(self) -> tf.Tensor:
        """The matrices as a dense tensor."""
        return tf.sparse.to_dense(self._matrix)

    def to_sparse_tensor(self) -> SparseTensor:
        """The matrices as a SparseTensor."""
        return self._matrix


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Any:
    """The product of two matrices, or of as many, of which one at least is a CSRSparseMatrix.

    Returns:
        A CSRSparseMatrix if both are, else a dense tensor.

    Raises:
        tf.errors.InvalidArgumentError: if ranks or sizes do not match, or a factor is to be
            transposed twice.
    """
    if not isinstance(a, SparseMatrix) and not isinstance(b, SparseMatrix):
        flags = transpose_a, transpose_b, adjoint_a, adjoint_b
        return tf.matmul(a, b, *flags)
    left, right = (
        _checked(each) if isinstance(each, SparseMatrix) else tf.convert_to_tensor(each)
        for each in (a, b)
    )
    left = _arranged(left, transpose_a, adjoint_a)
    right = _arranged(right, transpose_b, adjoint_b)
    _check_inner(left, right)
    if isinstance(left, SparseTensor) and isinstance(right, SparseTensor):
        return CSRSparseMatrix(_sparse_product(left, right))
    if isinstance(left, SparseTensor):
        return _dense_product(left, right)
    turned = _dense_product(_transposed(right), tf.linalg.matrix_transpose(left))
    return tf.linalg.matrix_transpose(turned)


def dense_shape_and_type(matrix: Any) -> DenseShapeAndType:
    """The shape and the dtype of a matrix."""
    value = _checked(matrix)
    return DenseShapeAndType(value.shape, value.dtype)


def dense_to_csr_sparse_matrix(
    dense_input: TensorLike, indices: TensorLike, name: str | None = None
) -> SparseTensor:
    """The matrix of some elements of a dense one."""
    dense = tf.convert_to_tensor(dense_input)
    shape = tf.shape(dense, out_type="int64")
    return SparseTensor(indices, tf.gather_nd(dense, indices), shape)


def sparse_tensor_to_csr_sparse_matrix(
    indices: TensorLike, values: TensorLike, dense_shape: TensorLike, name: str | None = None
) -> SparseTensor:
    """The matrix of a sparse tensor's parts."""
    return _checked(SparseTensor(indices, values, dense_shape))


def csr_sparse_matrix_to_sparse_tensor(
    sparse_matrix: Any, type: object, name: str | None = None
) -> Parts:
    """The parts of a sparse tensor."""
    value = _checked(sparse_matrix)
    return Parts(value.indices, value.values, value.dense_shape)


def csr_sparse_matrix_to_dense(sparse_input: Any, type: Any, name: str | None = None) -> tf.Tensor:
    """The matrix as a dense tensor."""
    return tf.sparse.to_dense(_checked(sparse_input))


def csr_sparse_matrix_components(
    csr_sparse_matrix: Any, index: Any, type: object, name: str | None = None
) -> Components:
    """Where the rows of one of the matrices begin, the columns of its elements, and their values."""
    value = _checked(csr_sparse_matrix)
    indices, values = value.indices, value.values
    if value.shape.rank == 3:
        own = tf.equal(indices[:, 0], tf.cast(index, "int64"))
        indices, values = tf.boolean_mask(indices, own)[:, 1:], tf.boolean_mask(values, own)
    begins = tf.range(value.dense_shape[-2] + 1)
    row_ptrs = tf.searchsorted(indices[:, 0], begins, out_type="int32")
    return Components(row_ptrs, tf.cast(indices[:, 1], "int32"), values)


def sparse_matrix_nnz(sparse_matrix: Any, name: str | None = None) -> tf.Tensor:
    """int32, how many elements are stored: a scalar, or a vector of each matrix's number."""
    value = _checked(sparse_matrix)
    if value.shape.rank == 2:
        return tf.size(value.values)
    one = tf.ones_like(value.indices[:, 0], "int32")
    return tf.math.unsorted_segment_sum(one, value.indices[:, 0], value.dense_shape[0])


def sparse_matrix_transpose(
    input: TensorLike, type: object, conjugate: bool = False, name: str | None = None
) -> SparseTensor:
    """The transposed matrices."""
    return _transposed(_checked(input), conjugate)


def sparse_matrix_sparse_mat_mul(
    a: Any,
    b: Any,
    type: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """The sparse product of sparse matrices."""
    left, right = CSRSparseMatrix(_checked(a)), CSRSparseMatrix(_checked(b))
    return matmul(left, right, transpose_a, transpose_b, adjoint_a, adjoint_b)._matrix


def sparse_matrix_mat_mul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    transpose_output: bool = False,
    conjugate_output: bool = False,
    name: str | None = None,
) -> tf.Tensor:
    """The product of sparse matrices and dense ones."""
    flags = transpose_a, transpose_b, adjoint_a, adjoint_b
    product = matmul(CSRSparseMatrix(_checked(a)), b, *flags)
    if transpose_output:
        product = tf.linalg.matrix_transpose(product)
    return tf.math.conj(product) if conjugate_output else product
