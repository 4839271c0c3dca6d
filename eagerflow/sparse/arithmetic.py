"""Sums, products, extremes and reductions of sparse tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.composite import SparseTensorValue
from eagerflow.framework.host_call import on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import known_array, of_rank, sizes_in
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.array import invalid_argument, slices_at
from eagerflow.sparse.conversion import checked, flat_indices, layout_of, sizes_of, spec_like
from eagerflow.sparse.tensor import SparseTensor, SparseTensorSpec, assembled
from eagerflow.typing import Axes, DTypeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def _check_same_shape(a: SparseTensor, b: SparseTensor, op: str) -> None:
    ours, theirs = sizes_of(a).tolist(), sizes_of(b).tolist()
    if len(ours) != len(theirs):
        raise invalid_argument(
            f"Ranks of input tensors must match, but saw ranks: {len(ours)} and {len(theirs)} "
            f"[Op:{op}]"
        )
    if ours != theirs:
        axis = next(k for k, size in enumerate(ours) if size != theirs[k])
        raise invalid_argument(
            f"Operands' shapes do not match: got {ours[axis]} and {theirs[axis]} for dimension "
            f"{axis} [Op:{op}]"
        )
    if a.dtype is not b.dtype:
        raise invalid_argument(
            f"cannot compute {op} of a {a.dtype.name} tensor and a {b.dtype.name} tensor [Op:{op}]"
        )


def _united(a: SparseTensor, b: SparseTensor) -> tuple[Tensor, Tensor, Tensor, tuple]:
    """The union of the indices in order, the values of both there (or zero), and their sources."""
    indices, *chosen = _ops.sparse_union(a._indices, b._indices)
    first, second = map(_ops.gather_or_zero, (a._values, b._values), chosen)
    return indices, first, second, tuple(chosen)


def _whole(value: Any) -> Any:
    """The sparse tensor of a `SparseTensorValue`; others as they are."""
    return SparseTensor.from_value(value) if isinstance(value, SparseTensorValue) else value


def _sum_spec(a: Any, b: Any, threshold: object = 0) -> SparseTensorSpec | TensorSpec:
    a, b = map(_whole, (a, b))
    sparse = [value for value in (a, b) if isinstance(value, SparseTensor)]
    if not sparse:
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if len(sparse) == 2:
        return SparseTensorSpec(a.shape.merge_with(b.shape), a.dtype)
    dense = _core.convert(b if sparse[0] is a else a, None, sparse[0].dtype)
    return TensorSpec(dense.shape, dense.dtype)


@op_function(in_graph=on_host(_sum_spec))
def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """The sum of two tensors, at least one of which is sparse.

    Args:
        a: sparse or dense.
        b: sparse or dense, of the same shape and dtype.
        threshold: sums of elements of two sparse tensors with smaller absolute values are dropped.

    Returns:
        A sparse tensor if both are sparse, else a dense one.

    Raises:
        TypeError: if both are dense.
        tf.errors.InvalidArgumentError: if shapes differ.

    >>> tf.sparse.to_dense(tf.sparse.add(tf.sparse.eye(2), tf.sparse.eye(2))).numpy()
    array([[2., 0.],
           [0., 2.]], dtype=float32)
    """
    a, b = map(_whole, (a, b))
    sparse = [isinstance(value, SparseTensor) for value in (a, b)]
    if not any(sparse):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if all(sparse):
        _check_same_shape(a, b, "SparseAdd")
        limit = _core.as_tensor(threshold)
        if limit._size == 1 and not limit.numpy() and a.dtype is b.dtype:
            total, indices = _ops.sparse_sum(a._values, a._indices, b._values, b._indices)
        else:
            indices, first, second, chosen = _united(a, b)
            total = _ops.add(first, second)
            # Only small sums are dropped, not elements that only one tensor has.
            alone = _ops.less(_ops.minimum(*chosen), 0)
            large = np.abs(total.numpy()) >= limit.numpy()
            keep = _ops.reshape(_ops.where_indices(_ops.logical_or(alone, large)), [-1])
            indices, total = _ops.gather(indices, keep, 0, 0), slices_at(total, keep)
        return assembled(indices, total, a._dense_shape, a._in_order and b._in_order)
    value, dense = (a, b) if sparse[0] else (b, a)
    dense = _core.convert(dense, None, value.dtype)
    shape, sizes = list(dense._shape_tuple()), sizes_of(value).tolist()
    if len(shape) != len(sizes):
        raise invalid_argument(
            f"Two operands should have the same number of dims, got {len(sizes)} and {len(shape)} "
            "[Op:SparseTensorDenseAdd]"
        )
    for axis, (size, other) in enumerate(zip(sizes, shape, strict=True)):
        if size != other:
            raise invalid_argument(
                f"Dimension {axis} does not equal (no broadcasting is supported): sparse side "
                f"{size} vs dense side {other} [Op:SparseTensorDenseAdd]"
            )
    return _ops.tensor_scatter_nd_add(dense, value.indices, value.values)


@op_function(in_graph=on_host(spec_like))
def maximum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """The elementwise maximum of two sparse tensors; missing elements are zero.

    >>> a, b = tf.sparse.from_dense([1, 0, -1]), tf.sparse.from_dense([0, 2, 0])
    >>> tf.sparse.maximum(a, b).values.numpy()
    array([1, 2, 0], dtype=int32)
    """
    a, b = checked(sp_a), checked(sp_b)
    _check_same_shape(a, b, "SparseSparseMaximum")
    indices, first, second, _ = _united(a, b)
    return assembled(indices, _ops.maximum(first, second), a._dense_shape)


@op_function(in_graph=on_host(spec_like))
def minimum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """The elementwise minimum of two sparse tensors; missing elements are zero.

    >>> a, b = tf.sparse.from_dense([1, 0, -1]), tf.sparse.from_dense([0, 2, 0])
    >>> tf.sparse.minimum(a, b).values.numpy()
    array([ 0,  0, -1], dtype=int32)
    """
    a, b = checked(sp_a), checked(sp_b)
    _check_same_shape(a, b, "SparseSparseMinimum")
    indices, first, second, _ = _united(a, b)
    return assembled(indices, _ops.minimum(first, second), a._dense_shape)


def _matrix(value: TensorLike, name: str) -> Tensor:
    tensor = of_rank(_core.as_tensor(value), 2)
    if tensor.ndim != 2:
        raise invalid_argument(f"Tensor '{name}' is not a matrix [Op:SparseTensorDenseMatMul]")
    return tensor


def _adjoint(value: Tensor) -> Tensor:
    return _ops.transpose(value, [1, 0], value.dtype.is_complex)


@op_function
def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """The product of a sparse and a dense matrix, in either order.

    Args:
        sp_a: a sparse or dense matrix.
        b: a dense matrix, or a sparse one if `sp_a` is dense.
        adjoint_a: whether to use the conjugate transpose of `sp_a`.
        adjoint_b: whether to use the conjugate transpose of `b`.

    Raises:
        tf.errors.InvalidArgumentError: if they are no matrices, or sizes do not fit.

    >>> tf.sparse.sparse_dense_matmul(tf.sparse.eye(2), [[1.0], [2.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    if isinstance(b, SparseTensor) and not isinstance(sp_a, SparseTensor):
        dense = _core.convert(sp_a, None, b.dtype)
        product = sparse_dense_matmul(b, dense, not adjoint_b, not adjoint_a)
        return _adjoint(product)
    value = checked(sp_a)
    dense = _matrix(_core.convert(b, None, value.dtype), "b")
    if value.dense_shape._size not in (2, None):
        raise invalid_argument("Tensor 'a_shape' must have 2 elements [Op:SparseTensorDenseMatMul]")
    if value.dtype is not dense.dtype:
        raise invalid_argument(
            f"cannot compute SparseTensorDenseMatMul of a {value.dtype.name} and a "
            f"{dense.dtype.name} matrix [Op:SparseTensorDenseMatMul]"
        )
    if adjoint_b:
        dense = _adjoint(dense)
    if _core.building() is None:
        rows, columns = sizes_of(value).tolist()
    else:
        rows, columns = sizes_in(value.dense_shape, 2)
    layout = layout_of(value)
    return _ops.sparse_matmul(
        value._values, value._indices, dense, layout, rows, columns, adjoint_a
    )


def _kept_axes(axis: Any, rank: int, op: str) -> list[int]:
    """The axes that a reduction keeps."""
    if axis is None:
        return []
    if type(axis) is int:
        axes = [axis]
    else:
        axes = known_array(axis, None, "axis").reshape(-1).tolist()
    for item in axes:
        if not -rank <= item < rank:
            raise invalid_argument(
                f"Invalid reduction dimension {item}, for input with {rank} dimensions. [Op:{op}]"
            )
    dropped = {item % rank for item in axes}
    return [item for item in range(rank) if item not in dropped]


def _reduced(value: SparseTensor, axis: Any, keepdims: Any, sparse: bool, largest: bool) -> Any:
    op = "SparseReduceMax" if largest else "SparseReduceSum"
    sizes = sizes_of(value).tolist()
    kept = _kept_axes(axis, len(sizes), op)
    shape = [sizes[k] for k in kept]
    final = [sizes[k] if k in kept else 1 for k in range(len(sizes))] if keepdims else shape
    if not sparse and not kept and not largest:
        return _ops.reshape(_ops.reduce_sum(value._values, [0]), final)
    if len(sizes) == 2 and len(kept) == 1 and not (sparse or largest or value.dtype.is_complex):
        layout = layout_of(value)
        if layout is not None:  # the product with a vector of ones reads less than the indices
            adjoint = kept == [1]
            ones = _ops.ones([sizes[0] if adjoint else sizes[1], 1], value.dtype)
            total = _ops.sparse_matmul(
                value._values, value._indices, ones, layout, sizes[0], sizes[1], adjoint
            )
            return _ops.reshape(total, final)
    ids = _ops.sparse_flat_places(value._indices, value._dense_shape, kept)
    if sparse:
        present, segment_ids = np.unique(ids.numpy(), return_inverse=True)
        total = _segments(value._values, _core.as_tensor(segment_ids), len(present), largest)
        if not final or not len(present):
            indices = np.zeros((len(present), len(final)), np.int64)
        else:
            indices = np.stack(np.unravel_index(present, final), axis=-1)
        return SparseTensor(indices, total, np.array(final, np.int64))
    total = _segments(value._values, ids, math.prod(shape), largest)
    return total if final == [total._size] else _ops.reshape(total, final)


def _segments(values: Tensor, ids: Tensor, count: int, largest: bool) -> Tensor:
    if not largest:
        return _ops.unsorted_segment_sum(values, ids, count)
    peaks = _ops.unsorted_segment_max(values, ids, count)
    lowest = _core.convert(values.dtype.min, values.dtype, None)
    if not bool(_ops.reduce_any(_ops.equal(peaks, lowest))):
        return peaks
    # Only then may segments be empty.
    present = _ops.scatter_nd(_ops.expand_dims(ids, 1), _ops.ones_like(ids), [count])
    return _ops.select(_ops.equal(present, 0), _ops.zeros_like(peaks), peaks)


def _reduced_spec(
    sp_input: SparseTensor,
    axis: Axes | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> SparseTensorSpec | TensorSpec:
    value = checked(sp_input)
    shape: Any = None
    if value.shape.rank is not None:
        sizes = value.shape.as_list()
        kept = _kept_axes(axis, len(sizes), "SparseReduceSum")
        shape = [sizes[k] for k in kept]
        if keepdims:
            shape = [sizes[k] if k in kept else 1 for k in range(len(sizes))]
    return (SparseTensorSpec if output_is_sparse else TensorSpec)(shape, value.dtype)


@op_function(in_graph=on_host(_reduced_spec))
def reduce_sum(
    sp_input: SparseTensor,
    axis: Axes | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor | SparseTensor:
    """The sum of elements along axes.

    Args:
        sp_input: the sparse tensor.
        axis: one axis or several; all by default.
        keepdims: whether reduced axes stay, with size one.
        output_is_sparse: whether the result is sparse.

    >>> tf.sparse.reduce_sum(tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]]), axis=1).numpy()
    array([3, 3], dtype=int32)
    """
    return _reduced(checked(sp_input), axis, keepdims, output_is_sparse, False)


@op_function(in_graph=on_host(_reduced_spec))
def reduce_max(
    sp_input: SparseTensor,
    axis: Axes | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor | SparseTensor:
    """The largest present element along axes; zero if there is none.

    >>> tf.sparse.reduce_max(tf.sparse.from_dense([[1, 0, 2], [0, -3, 0]]), axis=1).numpy()
    array([ 2, -3], dtype=int32)
    """
    return _reduced(checked(sp_input), axis, keepdims, output_is_sparse, True)


@op_function(in_graph=on_host(spec_like))
def softmax(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """The softmax of the present elements along the last axis.

    >>> tf.sparse.softmax(tf.SparseTensor([[0, 0], [0, 2]], [1.0, 1.0], [1, 3])).values.numpy()
    array([0.5, 0.5], dtype=float32)
    """
    value = checked(sp_input)
    sizes = sizes_of(value)
    if len(sizes) < 2:
        raise invalid_argument(
            f"Input should have rank >= 2, but got: {len(sizes)} [Op:SparseSoftmax]"
        )
    if math.prod(map(int, sizes)) >= 2**63:
        raise invalid_argument(
            f"A sparse tensor of shape {list(sizes)} has too many elements [Op:SparseSoftmax]"
        )
    rows = flat_indices(value.indices.numpy()[:, :-1], sizes[:-1])
    if (rows[1:] >= rows[:-1]).all():
        ids = np.cumsum(np.append(0, rows[1:] != rows[:-1])[: len(rows)])
    else:
        ids = np.unique(rows, return_inverse=True)[1]
    count = int(ids.max(initial=-1)) + 1
    peaks = _ops.stop_gradient(_ops.unsorted_segment_max(value.values, ids, count))
    powers = _ops.exp(_ops.subtract(value.values, _ops.gather(peaks, ids, 0, 0)))
    sums = _ops.unsorted_segment_sum(powers, ids, count)
    return value.with_values(_ops.divide_real(powers, _ops.gather(sums, ids, 0, 0)))


@op_function
def sampled_addmm(
    indices: TensorLike,
    values: TensorLike,
    dense_shape: TensorLike,
    mat1: TensorLike,
    mat2: TensorLike,
    beta: TensorLike = 1.0,
    alpha: TensorLike = 1.0,
    output_type: DTypeLike = dtypes.float32,
) -> tuple[Tensor, Tensor, Tensor]:
    """`alpha * (mat1 @ mat2) + beta * values` at the indices of a sparse matrix.

    Returns:
        Indices, values and shape.

    >>> _, values, _ = tf.sparse.sampled_addmm([[0, 0]], [1.0], [1, 1], [[2.0]], [[3.0]])
    >>> values.numpy()
    array([7.], dtype=float32)
    """
    indices = _core.as_tensor(indices)
    first = _core.convert(mat1, output_type, None)
    second = _core.convert(mat2, output_type, None)
    coordinates = indices.numpy()
    if coordinates.ndim != 2 or coordinates.shape[1] < 2 or not indices.dtype.is_integer:
        raise ValueError(
            "indices must be integers of shape [n, 2], one row for each value, got "
            f"{indices.dtype.name} of shape {indices.shape}"
        )
    rows = slices_at(first, coordinates[:, -2])
    columns = _ops.gather(_ops.transpose(second, [1, 0]), coordinates[:, -1], 0, 0)
    products = _ops.reduce_sum(_ops.multiply(rows, columns), 1)
    scale = _core.convert(alpha, output_type, None)
    kept = _ops.multiply(
        _core.convert(beta, output_type, None), _core.convert(values, output_type, None)
    )
    total = _ops.add(_ops.multiply(scale, products), kept)
    return indices, total, _core.as_tensor(dense_shape)
