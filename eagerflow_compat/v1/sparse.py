"""Functions of sparse tensors and rows with version 1's names and parameters."""

from __future__ import annotations

import functools
from typing import Any

from eagerflow import _core, sparse
from eagerflow.framework import dtypes
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.op_function import op_function
from eagerflow.io import sparse_serialization
from eagerflow.ops import array
from eagerflow.ops.conversion import convert_to_tensor
from eagerflow.sparse.tensor import SparseTensor
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow_compat.v1.arguments import version_1

_ops = _core.ops

_version_1 = functools.partial(version_1, __name__)


def _of_segments(kind: str, doc: str) -> Any:
    return _version_1(
        f"sparse_segment_{kind}(data, indices, segment_ids, name=None, num_segments=None,"
        " sparse_gradient=False)",
        getattr(sparse, f"segment_{kind}"),
        doc,
    )


sparse_segment_sum = _of_segments("sum", "Sums of some rows for each segment.")
sparse_segment_mean = _of_segments("mean", "Means of some rows for each segment.")
sparse_segment_sqrt_n = _of_segments(
    "sqrt_n", "Sums of some rows for each segment, divided by the root of their number."
)

serialize_sparse = _version_1(
    "serialize_sparse(sp_input, name=None, out_type=dtypes.string)",
    sparse_serialization.serialize_sparse,
    "The parts of a sparse tensor as three serialized tensors.",
)
serialize_many_sparse = _version_1(
    "serialize_many_sparse(sp_input, name=None, out_type=dtypes.string)",
    sparse_serialization.serialize_many_sparse,
    "The parts of each row of a sparse tensor as three serialized tensors.",
)


sparse_add = _version_1(
    "sparse_add(a, b, threshold=None, thresh=None)",
    sparse.add,
    "The sum of sparse or dense tensors.",
    thresh="threshold",
)
sparse_concat = _version_1(
    "sparse_concat(axis=None, sp_inputs=None, name=None, expand_nonconcat_dim=None,"
    " concat_dim=None, expand_nonconcat_dims=None)",
    sparse.concat,
    "Sparse tensors one after the other along an axis.",
    expand_nonconcat_dim="expand_nonconcat_dims",
    concat_dim="axis",
)
sparse_split = _version_1(
    "sparse_split(keyword_required=None, sp_input=None, num_split=None, axis=None, name=None,"
    " split_dim=None)",
    sparse.split,
    "Parts of a sparse tensor along an axis.",
    split_dim="axis",
)


def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: DTypeLike | None = None, name: str | None = None
) -> Any:
    """A tensor of a value; IndexedSlices as they are.

    Raises:
        ValueError: if slices are not of the dtype.

    >>> tf.compat.v1.convert_to_tensor_or_indexed_slices([1, 2]).numpy()
    array([1, 2], dtype=int32)
    """
    if not isinstance(value, IndexedSlices):
        return convert_to_tensor(value, dtype, name=name)
    if dtype is not None and dtypes.as_dtype(dtype) != value.dtype:
        raise ValueError(
            f"Tensor conversion requested dtype {dtypes.as_dtype(dtype).name} for Tensor with "
            f"dtype {value.dtype.name}"
        )
    return value


@op_function
def sparse_merge(
    sp_ids: Any,
    sp_values: SparseTensor,
    vocab_size: Any,
    name: str | None = None,
    already_sorted: bool = False,
) -> SparseTensor:
    """Sparse rows of weights at ids: the values of one tensor are the last indices of the result.

    Args:
        sp_ids: a sparse tensor of integers, or a list of them with one index each.
        sp_values: the weights at the same indices.
        vocab_size: the size of the last axis, or a list of sizes.
        name: ignored.
        already_sorted: whether ids of a row come in order; else they are put in order.

    Raises:
        TypeError: if an argument is not of these types.
        ValueError: if the lists are not of one length.

    >>> ids = tf.SparseTensor([[0, 0], [1, 0]], [2, 0], [2, 1])
    >>> weights = tf.SparseTensor([[0, 0], [1, 0]], [0.5, 1.5], [2, 1])
    >>> tf.sparse.to_dense(tf.compat.v1.sparse_merge(ids, weights, 3)).numpy()
    array([[0. , 0. , 0.5],
           [1.5, 0. , 0. ]], dtype=float32)
    """
    several = not isinstance(sp_ids, SparseTensor)
    if several and not isinstance(vocab_size, list | tuple):
        raise TypeError(
            f"vocab_size has to be a list of Tensors or Python ints. Found {type(vocab_size)}"
        )
    ids, sizes = (list(sp_ids), list(vocab_size)) if several else ([sp_ids], [vocab_size])
    if not all(isinstance(each, SparseTensor) for each in [*ids, sp_values]):
        raise TypeError(
            "sp_ids has to be a SparseTensor or list thereof, and sp_values a SparseTensor. Found "
            f"{type(sp_ids)} and {type(sp_values)}"
        )
    if len(ids) != len(sizes):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    columns = [_ops.cast(each.values, dtypes.int64)[:, None] for each in ids]
    outer = [_ops.cast(sp_values.dense_shape[:-1], dtypes.int64)]
    inner = _ops.reshape(array.stack([_ops.cast(size, dtypes.int64) for size in sizes]), [-1])
    merged = SparseTensor(
        array.concat([ids[0].indices[:, :-1], *columns], 1),
        sp_values.values,
        array.concat([*outer, inner], 0),
    )
    return merged if already_sorted else sparse.reorder(merged)


@op_function
def sparse_matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> _core.Tensor:
    """The product of two dense matrices that may hold many zeros.

    Args:
        a: a float32 or bfloat16 matrix.
        b: another one.
        transpose_a: whether the first one is transposed.
        transpose_b: whether the second one is.
        a_is_sparse: ignored.
        b_is_sparse: ignored.
        name: ignored.

    Returns:
        A float32 matrix.

    >>> tf.compat.v1.sparse_matmul([[0.0, 2.0]], [[1.0], [3.0]]).numpy()
    array([[6.]], dtype=float32)
    """
    first, second = (_ops.cast(each, dtypes.float32) for each in (a, b))
    return _ops.matmul(first, second, transpose_a, transpose_b)


def _reduced(kind: str, doc: str, is_sparse: bool) -> Any:
    return _version_1(
        f"sparse_reduce_{kind}{'_sparse' * is_sparse}(sp_input, axis=None, keepdims=None,"
        " reduction_axes=None, keep_dims=None)",
        functools.partial(getattr(sparse, f"reduce_{kind}"), output_is_sparse=is_sparse),
        doc,
        reduction_axes="axis",
        keep_dims="keepdims",
    )


sparse_reduce_sum = _reduced("sum", "Sums along axes.", False)
sparse_reduce_max = _reduced("max", "Largest elements along axes.", False)
sparse_reduce_sum_sparse = _reduced("sum", "Sums along axes, as a sparse tensor.", True)
sparse_reduce_max_sparse = _reduced("max", "Largest elements along axes, as a sparse tensor.", True)
