"""Byte strings in tensors: element by element, and as ragged rows of substrings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import host_call
from eagerflow.framework.tensor import items
from eagerflow.framework.type_spec import TensorSpec, TypeSpec
from eagerflow.ragged.row_partition import RowPartition
from eagerflow.ragged.spec import RaggedTensorSpec
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.typing import DTypeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def strings(value: TensorLike, op: str) -> Tensor:
    """The value as a tensor of strings.

    Raises:
        TypeError: if it holds anything else.
    """
    if isinstance(value, Tensor | _core.Variable):
        tensor = _core.as_tensor(value)
        if tensor.dtype is not dtypes.string:
            _core.refuse_input(op, 0, dtypes.string, tensor.dtype)
        return tensor
    return _core.convert(value, dtypes.string, None)


def like(dtype: DTypeLike = dtypes.string) -> Callable[..., TypeSpec]:
    """The specs of functions with one result for each string; see `on_host`."""

    def specs(input: Tensor, *args: object, **kwargs: object) -> TypeSpec:
        return TensorSpec(_core.as_tensor(input).shape, dtype)

    return specs


def known_rank(tensor: Tensor) -> Tensor:
    """The tensor.

    Raises:
        ValueError: if its rank is unknown.
    """
    if tensor.ndim is None:
        raise ValueError("Rank of `input` must be statically known.")
    return tensor


def row_spec(input: TensorLike, dtype: DTypeLike = dtypes.string) -> TypeSpec:
    """The spec of a result with a row for each string; see `rows`."""
    value = input if isinstance(input, RaggedTensor) else known_rank(_core.as_tensor(input))
    rank = len(value.shape)
    if not rank:
        return TensorSpec([None], dtype)
    splits = value._partition.dtype if isinstance(value, RaggedTensor) else dtypes.int64
    return RaggedTensorSpec([*value.shape, None], dtype, rank, splits)


def rows_of(*types: Any) -> Callable[..., TypeSpec | tuple[TypeSpec, ...]]:
    """The specs of a function with rows of these dtypes for each string; see `on_host`."""

    def specs(input: Tensor, *args: object, **kwargs: object) -> TypeSpec | tuple[TypeSpec, ...]:
        found = tuple(row_spec(input, dtype) for dtype in types)
        return found[0] if len(found) == 1 else found

    return specs


def from_items(values: Sequence[bytes], shape: Sequence[int]) -> Tensor:
    """A tensor of strings."""
    array = np.empty(len(values), object)
    array[:] = values
    return _core.convert(array.reshape(tuple(shape)), dtypes.string, None)


def each(function: Callable[[bytes], bytes], value: TensorLike, op: str) -> Tensor | RaggedTensor:
    """Applies a function to each string."""
    tensor = strings(value, op)
    if _core.building() is not None:
        spec = TensorSpec(tensor.shape, dtypes.string)
        return host_call(each, spec, (function, tensor, op), name=op)
    return from_items([function(item) for item in items(tensor)], tensor._shape_tuple())


def natively(operation: Callable, value: TensorLike, op: str, *attributes: object) -> Any:
    """Applies an operation of the engine to strings."""
    return operation(strings(value, op), *attributes)


def split_rows(value: TensorLike, separator: bytes, op: str) -> Tensor | RaggedTensor:
    """Splits each string at a separator, or at white space if that is empty; see `rows`."""
    if isinstance(value, RaggedTensor):
        return value.with_flat_values(split_rows(value.flat_values, separator, op))
    tensor = strings(value, op)
    pieces, splits = _ops.string_split(tensor, separator)
    return as_rows(pieces, splits, tensor._shape_tuple())


def as_rows(pieces: Tensor, splits: Tensor, shape: Sequence[int]) -> Tensor | RaggedTensor:
    """The substrings as rows by `splits`: a vector for a scalar, else a ragged tensor."""
    if not shape:
        return pieces
    return _in_shape(RaggedTensor._of(pieces, RowPartition(splits, internal=True)), shape)


def rows(pieces: Sequence[Sequence[Any]], shape: Sequence[int], join: Callable) -> Any:
    """The substrings of each string: a vector for a scalar, else a ragged tensor.

    Args:
        pieces: the substrings of each string.
        shape: the shape of the tensor.
        join: makes a vector of a list of substrings.
    """
    flat = join([piece for row in pieces for piece in row])
    if not shape:
        return flat
    lengths = np.array([len(row) for row in pieces], np.int64)
    return _in_shape(RaggedTensor.from_row_lengths(flat, lengths), shape)


def _in_shape(result: TensorLike, shape: Sequence[int]) -> Any:
    """Rows, one for each string, as ragged rows `[*shape, None]`.

    Each axis is set explicitly, since with an inner size of 0 the number of rows is unknown.
    """
    for axis in range(len(shape) - 1, 0, -1):
        result = RaggedTensor.from_uniform_row_length(result, shape[axis], math.prod(shape[:axis]))
    return result


def byte_vector(pieces: Sequence[bytes]) -> Tensor:
    """A vector of strings."""
    return from_items(pieces, (len(pieces),))


def cut(function: Callable[[bytes], Sequence[Any]], value: Any, op: str, join: Callable) -> Any:
    """Splits each string by `function`; see `rows`."""
    if isinstance(value, RaggedTensor):
        return value.with_flat_values(cut(function, value.flat_values, op, join))
    tensor = strings(value, op)
    return rows([function(item) for item in items(tensor)], tensor._shape_tuple(), join)
