"""Indexing and slicing of ragged tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework.array_indexing import VALID_INDICES
from eagerflow.framework.dtypes import as_dtype
from eagerflow.framework.host_call import hosted
from eagerflow.framework.op_function import op_function
from eagerflow.ragged import graph_specs
from eagerflow.ragged.arrangement import gather_rows, ranges, slice_rows
from eagerflow.ragged.row_partition import RowPartition
from eagerflow.ragged.tensor import RaggedTensor

Tensor = _core.Tensor


def getitem(value: RaggedTensor, key: object) -> Tensor | RaggedTensor:
    """`value[key]`.

    Raises:
        TypeError: if a key is of another type than integer, slice, ellipsis or None.
        ValueError: if an integer indexes an inner ragged axis, or there are too many keys.
        IndexError: if a row does not exist.
    """
    keys = _checked_keys(value, key)
    if _core.building() is None:
        return _outer(value, keys)
    # Slices as tuples, so that tensors in them are visible.
    parts = [_bounds_of(item) if isinstance(item, slice) else item for item in keys]
    return _indexed(value, parts)


def _bounds_of(item: slice) -> tuple:
    return item.start, item.stop, item.step


@hosted(graph_specs.indexed)
def _indexed(value: RaggedTensor, parts: list[Tensor]) -> Tensor | RaggedTensor:
    """`value[parts]` with slices as tuples."""
    items = [
        slice(*(None if bound is None else int(bound) for bound in part))
        if isinstance(part, tuple)
        else None
        if part is None
        else int(part)
        for part in parts
    ]
    return _outer(value, items)


def _integer(value: Any) -> Any:
    """An index as an int; as it is, if it has no value yet."""
    return value if _is_symbolic(value) else int(value)


def _is_symbolic(value: object) -> bool:
    return isinstance(value, Tensor) and _core.is_symbolic(value)


@op_function
def ragged_getitem(rt_input: Any, key: Any) -> Tensor | RaggedTensor:
    """`rt_input[key]`; dispatchers take what stands for a ragged tensor, such as another Keras's inputs.

    Raises:
        TypeError: if `rt_input` is no ragged tensor.
    """
    if not isinstance(rt_input, RaggedTensor):
        raise TypeError(f"Ragged tensors are indexed so, not {type(rt_input).__name__}.")
    return getitem(rt_input, key)


def _checked_keys(value: RaggedTensor, key: object) -> list[Any]:
    keys: list[Any] = []
    for item in key if isinstance(key, tuple | list) else (key,):
        if isinstance(item, Tensor | np.integer | np.ndarray) and getattr(item, "ndim", 1) == 0:
            if as_dtype(item.dtype).is_integer:
                item = _integer(item)
        if isinstance(item, slice):
            parts = (item.start, item.stop, item.step)
            item = slice(*(None if part is None else _integer(part) for part in parts))
        elif not (isinstance(item, int) or _is_symbolic(item) or item is None or item is Ellipsis):
            raise TypeError(f"{VALID_INDICES}, got {item!r}")
        keys.append(item)
    rank = len(value.shape)
    used = sum(1 for item in keys if item is not None and item is not Ellipsis)
    if sum(1 for item in keys if item is Ellipsis) > 1:
        raise ValueError("Only a single ellipsis may be used")
    if used > rank:
        if isinstance(keys[1], int) and value._partition.static_uniform_row_length is None:
            if not isinstance(keys[0], int):
                raise ValueError("Cannot index into an inner ragged dimension.")
        raise errors.InvalidArgumentError._of(
            f"Too many indices ({used}) for a ragged tensor of rank {rank}"
        )
    for k, item in enumerate(keys):
        if item is Ellipsis:
            keys[k : k + 1] = [slice(None)] * (rank - used)
            break
    return keys


def _outer(value: Tensor | RaggedTensor, keys: list[Any]) -> Any:
    """Applies keys from axis 0 on."""
    if not keys:
        return value
    if isinstance(value, Tensor):
        return value[tuple(keys)]
    first, rest = keys[0], keys[1:]
    if first is None:
        inner = _outer(value, rest)
        if isinstance(inner, Tensor):
            return inner[None]
        return RaggedTensor.from_uniform_row_length(inner, inner._partition.static_nrows, 1)
    rows = value._partition.static_nrows
    if isinstance(first, int):
        if not -rows <= first < rows:
            raise IndexError(f"Row key {first} out of bounds")
        begin, end = value._partition.splits[first % rows : first % rows + 2].tolist()
        return _outer(slice_rows(value.values, begin, end), rest)
    begin, end, step = first.indices(rows)
    if step == 1:
        chosen = slice_rows(value, begin, max(begin, end))
    else:
        chosen = gather_rows(value, np.arange(begin, end, step))
        length = value._partition.static_uniform_row_length
        if length is not None:
            inner = chosen._partition
            chosen = RaggedTensor._of(
                chosen.values, RowPartition.of(inner.splits, inner.dtype, length)
            )
    return _inner(chosen, rest)


def _inner(value: Tensor | RaggedTensor, keys: list[Any]) -> Any:
    """Applies keys from axis 1 on."""
    if not keys:
        return value
    if isinstance(value, Tensor):
        key = (slice(None), *keys)
        return value[key]
    first, rest = keys[0], keys[1:]
    partition = value._partition
    if first is None:
        inner = _inner(value, rest)
        if isinstance(inner, Tensor):
            return inner[:, None]
        return RaggedTensor.from_uniform_row_length(inner, 1, partition.static_nrows)
    if isinstance(first, int):
        length = partition.static_uniform_row_length
        if length is None:
            raise ValueError("Cannot index into an inner ragged dimension.")
        if not -length <= first < length:
            raise IndexError(f"Index {first} out of bounds for an axis of size {length}")
        return _inner(gather_rows(value.values, partition.splits[:-1] + first % length), rest)
    if first == slice(None):
        return value.with_values(_inner(value.values, rest))
    starts, lengths = partition.splits[:-1], partition.lengths
    step = 1 if first.step is None else first.step
    if step == 0:
        raise ValueError("slice step cannot be zero")
    begin, end = _bounds(first, lengths, step)
    counts = np.maximum(0, -((begin - end) // step))
    offsets = ranges(np.zeros_like(counts), counts) * step
    indices = np.repeat(starts + begin, counts) + offsets
    uniform = partition.static_uniform_row_length
    if uniform is not None:
        uniform = len(range(*first.indices(uniform)))
    result = RaggedTensor._of(
        gather_rows(value.values, indices),
        RowPartition.of_lengths(counts, partition.dtype, uniform),
    )
    return result.with_values(_inner(result.values, rest)) if rest else result


def _bounds(part: slice, lengths: np.ndarray, step: int) -> tuple[np.ndarray, np.ndarray]:
    """The first and last indices of a slice in rows of these lengths, by Python's rules."""
    low, high = (0, lengths) if step > 0 else (-1, lengths - 1)

    def index(value: int | None, fallback: Any) -> np.ndarray:
        if value is None:
            return np.broadcast_to(fallback, lengths.shape)
        return np.clip(np.where(value < 0, value + lengths, value), low, high)

    return (
        index(part.start, low if step > 0 else high),
        index(part.stop, high if step > 0 else low),
    )
