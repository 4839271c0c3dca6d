"""What functions on sparse tensors that work on the host are in TensorFlow; see `host_lowering.py`.

Each rule has the name and the parameters of its function. A sparse result is a list of indices, values and
shape.
"""

from __future__ import annotations

from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.graphdef.emitters import NoSuchNodeError
from eagerflow.graphdef.host_lowering import op, rules_of
from eagerflow.sparse.crossing import DEFAULT_KEY
from eagerflow.sparse.tensor import SparseTensor
from eagerflow.typing import Axes, ShapeLike, TensorLike

Tensor = _core.Tensor

_arithmetic = rules_of("sparse.arithmetic")
_arrangement = rules_of("sparse.arrangement")
_sets = rules_of("ops.sets")
_crossing = rules_of("sparse.crossing")


def _parts(value: SparseTensor) -> list[Tensor]:
    return [value.indices, value.values, value.dense_shape]


# Sparse tensors.


def _sparse_reduced(kind: str, value: SparseTensor, axis: Any, keepdims: Any, sparse: bool) -> Any:
    if axis is None:
        axis = tf.range(tf.size(value.dense_shape))
    axes = tf.cast(tf.reshape(axis, [-1]), tf.int32)
    name = f"SparseReduce{kind}{'Sparse' if sparse else ''}"
    return op(name, *_parts(value), axes, keep_dims=bool(keepdims))


@_arithmetic
def reduce_sum(
    sp_input: SparseTensor, axis: Axes | None = None, keepdims: bool | None = None,
    output_is_sparse: bool = False, name: str | None = None,
) -> list[Tensor]:  # fmt: skip
    return _sparse_reduced("Sum", sp_input, axis, keepdims, output_is_sparse)


@_arithmetic
def reduce_max(
    sp_input: SparseTensor, axis: Axes | None = None, keepdims: bool | None = None,
    output_is_sparse: bool = False, name: str | None = None,
) -> list[Tensor]:  # fmt: skip
    return _sparse_reduced("Max", sp_input, axis, keepdims, output_is_sparse)


@_arithmetic
def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    if isinstance(a, SparseTensor) and isinstance(b, SparseTensor):
        real = a.dtype.real_dtype
        return op("SparseAdd", *_parts(a), *_parts(b), tf.cast(threshold, real))
    value, dense = (a, b) if isinstance(a, SparseTensor) else (b, a)
    return op("SparseTensorDenseAdd", *_parts(value), tf.convert_to_tensor(dense, value.dtype))


@_arithmetic
def maximum(sp_a: SparseTensor, sp_b: Any, name: str | None = None) -> Any:
    return [*op("SparseSparseMaximum", *_parts(sp_a), *_parts(sp_b)), sp_a.dense_shape]


@_arithmetic
def minimum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> Any:
    return [*op("SparseSparseMinimum", *_parts(sp_a), *_parts(sp_b)), sp_a.dense_shape]


@_arithmetic
def softmax(sp_input: SparseTensor, name: str | None = None) -> Any:
    return [sp_input.indices, op("SparseSoftmax", *_parts(sp_input)), sp_input.dense_shape]


@_arrangement
def concat(axis: Any, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: Any = None) -> Any:
    values = list(sp_inputs)
    known = tf.get_static_value(axis)
    rank = values[0].shape.rank
    if known is None or rank is None:
        raise NoSuchNodeError("the axis and the rank must be known")
    axis = int(known) % rank
    shapes = [value.dense_shape for value in values]
    if expand_nonconcat_dims:
        most = tf.reduce_max(tf.stack(shapes), 0)
        along = tf.range(rank) == axis
        shapes = [tf.where(along, shape, most) for shape in shapes]
    return op("SparseConcat", [v.indices for v in values], [v.values for v in values], shapes,
              concat_dim=axis)  # fmt: skip


@_arrangement
def slice(sp_input: SparseTensor, start: Any, size: TensorLike, name: str | None = None) -> Any:
    return op("SparseSlice", *_parts(sp_input), tf.cast(start, tf.int64), tf.cast(size, tf.int64))


@_arrangement
def split(sp_input: Any = None, num_split: Any = None, axis: Any = None, name: Any = None) -> Any:
    count = int(tf.get_static_value(num_split))
    found = op("SparseSplit", tf.cast(axis, tf.int64), *_parts(sp_input), num_split=count)
    return [found[k::count] for k in range(count)]


def _reordered(indices: Tensor, values: Tensor, shape: Tensor) -> list[Tensor]:
    return [*op("SparseReorder", indices, values, shape), shape]


@_arrangement
def reshape(sp_input: Any, shape: ShapeLike, name: str | None = None) -> Any:
    indices, sizes = op(
        "SparseReshape", sp_input.indices, sp_input.dense_shape, tf.cast(shape, tf.int64)
    )
    return [indices, sp_input.values, sizes]


@_arrangement
def transpose(sp_input: SparseTensor, perm: Any = None, name: str | None = None) -> list[Tensor]:
    if perm is None:
        perm = tf.range(tf.size(sp_input.dense_shape) - 1, -1, -1)
    indices = tf.gather(sp_input.indices, perm, axis=1)
    return _reordered(indices, sp_input.values, tf.gather(sp_input.dense_shape, perm))


@_arrangement
def expand_dims(sp_input: SparseTensor, axis: Any = None, name: str | None = None) -> Any:
    rank = sp_input.shape.rank
    if rank is None:
        raise NoSuchNodeError("the rank must be known")
    axis = (-1 if axis is None else int(tf.get_static_value(axis))) % (rank + 1)
    indices, shape = sp_input.indices, sp_input.dense_shape
    zeros = tf.zeros_like(indices[:, :1]) if rank else tf.zeros([tf.shape(indices)[0], 1], tf.int64)
    one = tf.ones([1], tf.int64)
    return [
        tf.concat([indices[:, :axis], zeros, indices[:, axis:]], 1), sp_input.values,
        tf.concat([shape[:axis], one, shape[axis:]], 0),
    ]  # fmt: skip


@_arrangement
def reset_shape(sp_input: SparseTensor, new_shape: ShapeLike | None = None) -> Any:
    if new_shape is None:
        shape = tf.reduce_max(sp_input.indices, 0) + 1
    else:
        shape = tf.cast(new_shape, tf.int64)
    return [sp_input.indices, sp_input.values, shape]


@_arrangement
def fill_empty_rows(sp_input: Any, default_value: TensorLike, name: str | None = None) -> Any:
    default = tf.cast(tf.convert_to_tensor(default_value, sp_input.dtype), sp_input.dtype)
    indices, values, empty, _ = op("SparseFillEmptyRows", *_parts(sp_input), default)
    return [indices, values, sp_input.dense_shape, empty]


@rules_of("sparse.conversion")
def to_indicator(sp_input: SparseTensor, vocab_size: TensorLike, name: str | None = None) -> Tensor:
    ids = tf.cast(sp_input.values, tf.int64)
    indices = tf.concat([sp_input.indices[:, :-1], ids[:, None]], 1)
    size = tf.cast(tf.reshape(vocab_size, [1]), tf.int64)
    shape = tf.concat([sp_input.dense_shape[:-1], size], 0)
    ones = tf.ones_like(ids)
    counts = tf.scatter_nd(indices, ones, shape)
    return counts > 0


def _set_operation(a: TensorLike, b: TensorLike, kind: str, validate: bool) -> Any:
    attrs = {"set_operation": kind, "validate_indices": validate}
    if isinstance(a, SparseTensor):
        if isinstance(b, SparseTensor):
            return op("SparseToSparseSetOperation", *_parts(a), *_parts(b), **attrs)
        if kind == "a-b":
            attrs["set_operation"] = "b-a"
        return op("DenseToSparseSetOperation", b, *_parts(a), **attrs)
    if isinstance(b, SparseTensor):
        return op("DenseToSparseSetOperation", a, *_parts(b), **attrs)
    return op("DenseToDenseSetOperation", a, b, **attrs)


@_sets
def intersection(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> list[Tensor]:
    return _set_operation(a, b, "intersection", validate_indices)


@_sets
def union(a: Any, b: Any, validate_indices: bool = True) -> Any:
    return _set_operation(a, b, "union", validate_indices)


@_sets
def difference(a: Any, b: TensorLike, aminusb: bool = True, validate_indices: bool = True) -> Any:
    return _set_operation(a, b, "a-b" if aminusb else "b-a", validate_indices)


@_sets
def size(a: SparseTensor, validate_indices: bool = True) -> Any:
    return op("SetSize", *_parts(a), validate_indices=validate_indices)


@_sets
def edit_distance(hypothesis: Any, truth: Any, normalize: bool = True, name: object = None) -> Any:
    return op("EditDistance", *_parts(hypothesis), *_parts(truth), normalize=normalize)


# Crossed features.


def _columns(inputs: Any) -> tuple[list[SparseTensor], list[Tensor]]:
    """The sparse columns and the dense ones; integers have 64 bits."""
    sparse, dense = [], []
    for column in inputs:
        if isinstance(column, SparseTensor):
            values = column.values
            wide = values if values.dtype is tf.string else tf.cast(values, tf.int64)
            sparse.append(SparseTensor(column.indices, wide, column.dense_shape))
        else:
            column = tf.convert_to_tensor(column)
            dense.append(column if column.dtype is tf.string else tf.cast(column, tf.int64))
    return sparse, dense


def _sparse_lists(columns: list[SparseTensor]) -> list[list[Tensor]]:
    return [
        [column.indices for column in columns],
        [column.values for column in columns],
        [column.dense_shape for column in columns],
    ]


@_crossing
def cross(inputs: TensorLike, name: str | None = None, separator: Any = None) -> Any:
    sparse, dense = _columns(inputs)
    sep = "_X_" if separator is None else separator
    return op(
        "SparseCrossV2", *_sparse_lists(sparse), dense, sep,
        sparse_types=[column.dtype for column in sparse],
        dense_types=[column.dtype for column in dense],
    )  # fmt: skip


@_crossing
def cross_hashed(inputs: Any, num_buckets: int = 0, hash_key: Any = None, name: Any = None) -> Any:
    sparse, dense = _columns(inputs)
    return op(
        "SparseCross", *_sparse_lists(sparse), dense, hashed_output=True,
        num_buckets=int(num_buckets), hash_key=DEFAULT_KEY if hash_key is None else hash_key,
        out_type=tf.int64, internal_type=tf.int64,
        sparse_types=[column.dtype for column in sparse],
        dense_types=[column.dtype for column in dense],
    )  # fmt: skip
