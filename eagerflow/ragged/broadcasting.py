"""Broadcasting of ragged and dense tensors to the same rows."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework.host_call import host_call
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ragged.arrangement import ranges, splits_dtype
from eagerflow.ragged.row_partition import RowPartition
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor

# Rows are enumerated. The rows of a value need no more memory than the value; sizes of symbolic
# tensors have no memory behind them, and may be of any magnitude.
_MAX_SYMBOLIC_ROWS = 1 << 16


class _Operand:
    """A value, and the starts and lengths of its rows along each ragged axis of the result."""

    def __init__(self, value: Any, rank: int, levels: int) -> None:
        self.partitions: list[tuple[np.ndarray, np.ndarray, int | None]] = []
        if isinstance(value, RaggedTensor):
            missing = rank - len(value.shape)
            self.flat = value.flat_values
            partitions = [
                (p.splits[:-1], p.lengths, p.static_uniform_row_length) for p in value._partitions()
            ]
            self.rows = value._partition.static_nrows
            if missing:
                partitions.insert(0, (np.zeros(1, np.int64), np.array([self.rows]), self.rows))
                ones = (np.zeros(1, np.int64), np.ones(1, np.int64), 1)
                partitions[0:0] = [ones] * (missing - 1)
                self.rows = 1
            self.partitions = partitions
        else:
            shape = [1] * (rank - value.ndim) + list(value._shape_tuple())
            self.flat = _ops.reshape(value, shape)
            self.rows = shape[0]
        # Dense axes at which another operand is ragged become uniform rows.
        while len(self.partitions) < levels:
            shape = list(self.flat._shape_tuple())
            count, size = shape[0], shape[1]
            if count * size > _MAX_SYMBOLIC_ROWS and _core.is_symbolic(self.flat):
                raise TypeError("Rows of unknown sizes cannot be enumerated: a value is needed.")
            self.flat = _ops.reshape(self.flat, [count * size, *shape[2:]])
            starts = np.arange(count, dtype=np.int64) * size
            self.partitions.append((starts, np.full(count, size, np.int64), size))


def aligned(values: Sequence[TensorLike]) -> tuple[list[Any], Callable[[Any], RaggedTensor]]:
    """Flat values that broadcast element by element.

    Args:
        values: ragged and dense tensors, at least one ragged.

    Returns:
        A tensor for each value, whose first axes have the same size, or size one, or are absent, and
        a function that converts the result to a ragged tensor.

    Raises:
        tf.errors.InvalidArgumentError: if the shapes do not broadcast.
    """
    ragged = [value for value in values if isinstance(value, RaggedTensor)]
    first = ragged[0]
    rank = max(map(_rank_of, values))
    if first._rank == rank and all(_same_rows(first, other) for other in ragged[1:]):
        flats = [_simple(value, first) for value in values]
        if all(flat is not None for flat in flats):
            return flats, first.with_flat_values
    if _core.building() is not None:
        return _aligned_in_graph(values, rank)
    flats, result = _aligned(values, rank)
    return flats, functools.partial(_divided, result)


def _divided(partitions: Sequence[RowPartition], flat: Tensor) -> Any:
    """The ragged tensor of flat values and partitions, the outermost first."""
    for partition in reversed(partitions):
        flat = RaggedTensor._of(flat, partition)
    return flat


def _levels(values: Sequence[TensorLike], rank: int) -> int:
    """The number of ragged axes of a result of that rank."""
    ragged = [value for value in values if isinstance(value, RaggedTensor)]
    return max(value.ragged_rank + rank - value._rank for value in ragged)


def _aligned_in_graph(
    values: Sequence[Any], rank: int
) -> tuple[list[Any], Callable[[Any], RaggedTensor]]:
    """See `aligned`: while a graph is built, rows are compared when it runs."""
    levels = _levels(values, rank)
    dtype = splits_dtype(values)
    shapes = [[1] * (rank - _rank_of(value)) + value.shape.as_list() for value in values]
    sizes = [_broadcast_size([shape[axis] for shape in shapes]) for axis in range(levels + 1)]
    rows = sizes[0]
    specs = (
        [
            TensorSpec([None, *shape[levels + 1 :]], value.dtype)
            for value, shape in zip(values, shapes, strict=True)
        ],
        [
            TensorSpec([None if level or rows is None else rows + 1], dtype)
            for level in range(levels)
        ],
    )
    flats, splits = host_call(broadcast_rows, specs, (list(values), rank), name="BroadcastRagged")
    partitions = [
        RowPartition(item, size, internal=True)
        for item, size in zip(splits, sizes[1:], strict=True)
    ]
    return flats, functools.partial(_divided, partitions)


def broadcast_rows(values: Sequence[TensorLike], rank: int) -> tuple[list[Any], list[Tensor]]:
    """The flat values, and the row splits of the result."""
    flats, partitions = _aligned(values, rank)
    return flats, [partition.row_splits() for partition in partitions]


def _broadcast_size(sizes: list[int | None]) -> int | None:
    """The size of an axis of the result as far as it is known; ragged axes have none."""
    proper = [size for size in sizes if size != 1]
    return next((size for size in proper if size is not None), None) if proper else 1


def _aligned(values: Sequence[TensorLike], rank: int) -> tuple[list[Any], list[RowPartition]]:
    """The flat values, and the partitions of the result."""
    levels = _levels(values, rank)
    ragged = [value for value in values if isinstance(value, RaggedTensor)]
    operands = [_Operand(value, rank, levels) for value in values]
    dtype = splits_dtype(ragged)
    rows = _common(np.array([operand.rows]) for operand in operands)
    indices = []
    for operand in operands:
        single = operand.rows == 1 and rows[0] != 1
        indices.append(np.zeros(rows[0], np.int64) if single else np.arange(rows[0]))
    result: list[RowPartition] = []
    for level in range(levels):
        lengths = []
        for operand, at in zip(operands, indices, strict=True):
            _, sizes, uniform = operand.partitions[level]
            lengths.append((sizes[at], uniform))
        joint, size = _common_lengths(lengths)
        offsets = ranges(np.zeros_like(joint), joint)
        for k, operand in enumerate(operands):
            starts, _, uniform = operand.partitions[level]
            begin = np.repeat(starts[indices[k]], joint)
            stretched = uniform == 1 and not np.array_equal(lengths[k][0], joint)
            indices[k] = begin if stretched else begin + offsets
        result.append(RowPartition.of_lengths(joint, dtype, size))
    flats = []
    for operand, at in zip(operands, indices, strict=True):
        count = operand.flat._shape_tuple()[0]
        if count == len(at) and np.array_equal(at, np.arange(count)):
            flats.append(operand.flat)
        else:
            flats.append(_ops.gather(operand.flat, at, 0, 0))
    return flats, result


def _rank_of(value: Any) -> int:
    return value._rank if isinstance(value, RaggedTensor) else value.ndim


def _same_rows(first: RaggedTensor, other: RaggedTensor) -> bool:
    if first is other:
        return True
    ours, theirs = first._partitions(), other._partitions()
    return len(ours) == len(theirs) and all(
        a is b
        or a._row_splits is b._row_splits
        or (_core.building() is None and np.array_equal(a.splits, b.splits))
        for a, b in zip(ours, theirs, strict=True)
    )


def _simple(value: Any, like: RaggedTensor) -> Any:
    """Flat values that broadcast as they are, or None."""
    if isinstance(value, RaggedTensor):
        return value.flat_values
    if not value.ndim:
        return value
    rank, divided = like._rank, like.ragged_rank
    if value.ndim <= rank - divided - 1:
        return value
    shape = [1] * (rank - value.ndim) + list(value._shape_tuple())
    if all(size == 1 for size in shape[: divided + 1]):
        return _ops.reshape(value, [1, *shape[divided + 1 :]])
    return None


def _common(counts: Any) -> np.ndarray:
    """The number of rows after broadcasting: the one that is not 1."""
    sizes = {int(count[0]) for count in counts} - {1} or {1}
    if len(sizes) > 1:
        raise _misfit(sorted(sizes))
    return np.array(list(sizes))


def _common_lengths(lengths: list[tuple[np.ndarray, int | None]]) -> tuple[np.ndarray, int | None]:
    """The lengths of rows after broadcasting, and their uniform length if there is one."""
    proper = [(sizes, uniform) for sizes, uniform in lengths if uniform != 1]
    if not proper:
        return lengths[0]
    joint, size = proper[0]
    for sizes, uniform in proper[1:]:
        if not np.array_equal(sizes, joint):
            raise _misfit([item.tolist() for item, _ in proper])
        size = size if size is not None else uniform
    if all(uniform is None for _, uniform in proper):
        size = None
    return joint, size


def _misfit(lengths: Any) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError._of(
        f"Unable to broadcast: the lengths of rows of the operands differ: {lengths}"
    )
