"""Crossed features: all combinations of the values of each example."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.host_call import always, on_host
from eagerflow.framework.op_function import op_function
from eagerflow.ops.array import invalid_argument
from eagerflow.ragged.row_partition import RowPartition
from eagerflow.ragged.spec import RaggedTensorSpec
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.sparse.tensor import SparseTensor, SparseTensorSpec
from eagerflow.typing import TensorLike
from eagerflow.util.farmhash import fingerprint64, joined

DEFAULT_KEY = 956888297470


class _Rows(NamedTuple):
    """The values of each example: bytes or integers. Examples without values are left out."""

    size: int
    items: dict[int, list[Any]]


def _rows(value: TensorLike) -> _Rows:
    if isinstance(value, RaggedTensor) and value.ragged_rank != 1:
        raise ValueError("tf.ragged.cross only supports inputs with rank=2")
    matrix = value if isinstance(value, SparseTensor | RaggedTensor) else _core.as_tensor(value)
    if len(matrix.shape) != 2:
        raise invalid_argument(f"Crossed tensors must have rank 2, got shape {matrix.shape}")
    if not isinstance(matrix, SparseTensor):
        rows = matrix.to_list() if isinstance(matrix, RaggedTensor) else matrix.numpy().tolist()
        return _Rows(len(rows), {row: items for row, items in enumerate(rows) if items})
    count = int(matrix.dense_shape.numpy()[0])
    found: dict[int, list[Any]] = {}
    indices, values = matrix.indices.numpy()[:, 0].tolist(), matrix.values.numpy().tolist()
    for row, item in zip(indices, values, strict=True):
        if not 0 <= row < count:
            raise invalid_argument(f"Row {row} of a sparse tensor lies outside of its {count} rows")
        found.setdefault(row, []).append(item)
    return _Rows(count, found)


def _checked(inputs: Any) -> list[_Rows]:
    if not isinstance(inputs, list | tuple):
        raise TypeError("Inputs must be a list")
    columns = [_rows(value) for value in inputs]
    for value in inputs:
        known = value if isinstance(value, CompositeTensor) else _core.as_tensor(value)
        dtype: Any = known.dtype
        if dtype is not dtypes.string and not dtype.is_integer:
            raise TypeError(f"Unexpected dtype for inputs: {dtype.name}")
    sizes = {column.size for column in columns}
    if len(sizes) > 1:
        raise invalid_argument(f"Expected batch sizes to be equal, got {sorted(sizes)}")
    return columns


def _sparse_first(inputs: Any) -> Any:
    """The inputs in TensorFlow's order: sparse, then dense."""
    if not isinstance(inputs, list | tuple):
        return inputs
    return sorted(inputs, key=lambda value: not isinstance(value, SparseTensor))


def _crossed(columns: list[_Rows], join: Callable) -> _Rows:
    if not columns:
        return _Rows(0, {})
    first, *others = columns
    shared = sorted(row for row in first.items if all(row in other.items for other in others))
    return _Rows(
        first.size,
        {
            row: [join(items) for items in itertools.product(*(c.items[row] for c in columns))]
            for row in shared
        },
    )


def _text(separator: str | None = None) -> Callable:
    text = _core.convert("_X_" if separator is None else separator, dtypes.string, None).numpy()

    def join(items: tuple) -> bytes:
        return text.join(item if isinstance(item, bytes) else str(item).encode() for item in items)

    return join


def _hashed(num_buckets: int, hash_key: int | None) -> Callable:
    buckets = num_buckets or (1 << 63) - 1
    key = DEFAULT_KEY if hash_key is None else hash_key

    def join(items: tuple) -> int:
        state = key
        for item in items:
            value = fingerprint64(item) if isinstance(item, bytes) else item & ((1 << 64) - 1)
            state = joined(state, value)
        return state % buckets

    return join


def _as_sparse(rows: _Rows, dtype: dtypes.DType) -> SparseTensor:
    indices = [(row, column) for row, items in rows.items.items() for column in range(len(items))]
    width = max(map(len, rows.items.values()), default=0)
    values = [item for items in rows.items.values() for item in items]
    return SparseTensor(
        np.array(indices, np.int64).reshape(-1, 2),
        _core.convert(values, dtype, None),
        [rows.size, width],
    )


def _as_ragged(rows: _Rows, dtype: Any) -> RaggedTensor:
    lengths = np.zeros(rows.size, np.int64)
    for row, items in rows.items.items():
        lengths[row] = len(items)
    values = _core.convert([item for items in rows.items.values() for item in items], dtype, None)
    return RaggedTensor._of(values, RowPartition.of_lengths(lengths, dtypes.int64))


def _sparse_spec(dtype: dtypes.DType) -> Callable:
    return always(SparseTensorSpec([None, None], dtype))


def _ragged_spec(dtype: dtypes.DType) -> Callable:
    return always(RaggedTensorSpec([None, None], dtype, 1))


@op_function(in_graph=on_host(_sparse_spec(dtypes.string)))
def cross(inputs: Any, name: str | None = None, separator: str | None = None) -> SparseTensor:
    """All combinations of the values of each row, joined as text.

    Args:
        inputs: a list of sparse or dense matrices of strings or integers, whose values are joined in
            this order, but sparse matrices first.
        separator: the text between the values; "_X_" by default.

    >>> tf.sparse.cross([tf.constant([["a", "b"]]), tf.constant([["c"]])]).values.numpy()
    array([b'a_X_c', b'b_X_c'], dtype=object)
    """
    if any(isinstance(value, RaggedTensor) for value in inputs):
        raise TypeError("Ragged inputs are crossed by tf.ragged.cross")
    join = _text(separator)
    return _as_sparse(_crossed(_checked(_sparse_first(inputs)), join), dtypes.string)


@op_function(in_graph=on_host(_sparse_spec(dtypes.int64)))
def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """Every combination of the values of each row, as the index of a bucket.

    Args:
        inputs: a list of sparse or dense matrices of strings or integers, whose values are joined in
            this order, but those of sparse ones first.
        num_buckets: the number of buckets; by default 2^63 - 1.
        hash_key: the initial value of the hashes.

    >>> tf.sparse.cross_hashed([tf.constant([["a"]]), tf.constant([["d"]])], 100).values.numpy()
    array([82])
    """
    join = _hashed(int(num_buckets), hash_key)
    return _as_sparse(_crossed(_checked(_sparse_first(inputs)), join), dtypes.int64)


@op_function(in_graph=on_host(_ragged_spec(dtypes.string)))
def ragged_cross(inputs: Any, name: str | None = None) -> RaggedTensor:
    """All combinations of the values of each row, joined as text.

    Args:
        inputs: a list of ragged, sparse or dense matrices of strings or integers.

    >>> tf.ragged.cross([tf.ragged.constant([["a"], ["b", "c"]]), tf.constant([["d"], ["e"]])])
    <tf.RaggedTensor [[b'a_X_d'], [b'b_X_e', b'c_X_e']]>
    """
    return _as_ragged(_crossed(_checked(inputs), _text()), dtypes.string)


@op_function(in_graph=on_host(_ragged_spec(dtypes.int64)))
def ragged_cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> RaggedTensor:
    """Every combination of the values of each row, as the index of a bucket.

    Args:
        inputs: a list of ragged, sparse or dense matrices of strings or integers.
        num_buckets: the number of buckets.
        hash_key: what the hashes begin with.

    >>> tf.ragged.cross_hashed([tf.ragged.constant([["a"]]), tf.constant([["d"]])], 100)
    <tf.RaggedTensor [[82]]>
    """
    join = _hashed(int(num_buckets), hash_key)
    return _as_ragged(_crossed(_checked(inputs), join), dtypes.int64)
