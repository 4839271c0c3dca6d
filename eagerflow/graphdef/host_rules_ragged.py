"""What functions on ragged tensors that work on the host are in TensorFlow; see `host_lowering.py`.

Each rule has the name and the parameters of its function. A ragged result is a list of the values and the row
splits from the outermost on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.graphdef.emitters import NoSuchNodeError
from eagerflow.graphdef.host_lowering import op, rules_of
from eagerflow.ragged.arrangement import splits_dtype
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.typing import Axes, DTypeLike, ShapeLike, TensorLike

Tensor = _core.Tensor
# Values and row splits.
Rows = tuple[Tensor, list[Tensor]]

_arrangement = rules_of("ragged.arrangement")
_broadcasting = rules_of("ragged.broadcasting")
_conversion = rules_of("ragged.conversion")
_construction = rules_of("ragged.construction")
_reduction = rules_of("ragged.reduction")
_partition = rules_of("ragged.row_partition")


def splits_of_rowids(rowids: Tensor, count: Tensor) -> Tensor:
    """The row splits of rows for each of whose values the row is known."""
    kind = rowids.dtype
    rowids = tf.reshape(rowids, [-1])
    return tf.searchsorted(rowids, tf.range(tf.cast(count, kind) + 1), out_type=kind)


def _splits_of_lengths(lengths: Tensor) -> Tensor:
    return tf.concat([tf.zeros([1], lengths.dtype), tf.cumsum(lengths)], 0)


def _lengths(splits: Tensor) -> Tensor:
    return splits[1:] - splits[:-1]


def rowids_of(splits: Tensor, count: Tensor) -> Tensor:
    """For each of so many values its row."""
    kind = splits.dtype
    places = tf.range(tf.cast(count, kind))
    return tf.searchsorted(splits, places, side="right", out_type=kind) - 1


def _nvals(rows: Rows, level: int) -> Tensor:
    """How many values or rows the rows of a level consist of."""
    return rows[1][level][-1]


def rows_of(value: Any, ragged_rank: int | None = None) -> Rows:
    """Values and row splits of a ragged tensor, or of a dense one with rows of one length."""
    if isinstance(value, RaggedTensor):
        flat, splits = value.flat_values, list(value.nested_row_splits)
    else:
        flat, splits = tf.convert_to_tensor(value), []
    kind = splits[0].dtype if splits else dtypes.int64
    inner = flat.shape.rank
    if inner is None:
        raise NoSuchNodeError("the rank must be known")
    wanted = len(splits) + inner - 1 if ragged_rank is None else ragged_rank
    while len(splits) < wanted:
        sizes = tf.shape(flat, kind)
        splits.append(tf.range(sizes[0] + 1) * sizes[1])
        flat = tf.reshape(flat, tf.concat([[-1], sizes[2:]], 0))
    return flat, splits


def _list(rows: Rows) -> list[Tensor]:
    return [rows[0], *rows[1]]


def _gathered(rows: Rows, places: Tensor) -> Rows:
    """Some of the rows."""
    flat, splits = rows
    if not splits:
        return tf.gather(flat, places), []
    kind = splits[0].dtype
    *found, values = op("RaggedGather", splits, flat, tf.cast(places, kind),
                        OUTPUT_RAGGED_RANK=len(splits))  # fmt: skip
    return values, list(found)


_SEGMENTS: dict[str, Any] = {
    "reduce_sum": lambda data, ids, count: tf.math.unsorted_segment_sum(data, ids, count),
    "reduce_prod": lambda data, ids, count: tf.math.unsorted_segment_prod(data, ids, count),
    "reduce_max": lambda data, ids, count: tf.math.unsorted_segment_max(data, ids, count),
    "reduce_min": lambda data, ids, count: tf.math.unsorted_segment_min(data, ids, count),
    "reduce_any": lambda data, ids, count: tf.math.unsorted_segment_max(
        tf.cast(data, tf.int32), ids, count
    ) > 0,
    "reduce_all": lambda data, ids, count: tf.math.unsorted_segment_min(
        tf.cast(data, tf.int32), ids, count
    ) > 0,
}  # fmt: skip


def _segments(name: str, rows: Rows, ids: Tensor, count: Tensor) -> Rows:
    """Rows of the same segment reduced element by element."""
    flat, splits = rows
    if not splits:
        return _SEGMENTS[name](flat, ids, count), []
    lengths = tf.math.unsorted_segment_max(_lengths(splits[0]), ids, count)
    result = _splits_of_lengths(tf.maximum(lengths, 0))
    inner = rowids_of(splits[0], splits[0][-1])
    offsets = tf.range(splits[0][-1]) - tf.gather(splits[0], inner)
    places = tf.gather(result, tf.gather(ids, inner)) + offsets
    values, rest = _segments(name, (flat, splits[1:]), places, result[-1])
    return values, [result, *rest]


def _reduced(name: str, rows: Rows, axis: int) -> Rows:
    flat, splits = rows
    if not splits:
        return getattr(tf, name)(flat, axis), []
    ids = rowids_of(splits[0], splits[0][-1])
    inner = (flat, splits[1:])
    if axis == 0:
        offsets = tf.range(splits[0][-1]) - tf.gather(splits[0], ids)
        zero = tf.zeros([1], splits[0].dtype)
        most = tf.reduce_max(tf.concat([_lengths(splits[0]), zero], 0))
        return _segments(name, inner, offsets, most)
    if axis == 1:
        return _segments(name, inner, ids, tf.shape(splits[0], splits[0].dtype)[0] - 1)
    values, rest = _reduced(name, inner, axis - 1)
    return values, [splits[0], *rest]


def _expanded(rows: Rows, axis: int) -> Rows:
    """Rows with one more axis, of size one."""
    flat, splits = rows
    if not splits or axis > len(splits):
        return tf.expand_dims(flat, axis - len(splits)), splits
    kind = splits[0].dtype
    if axis == 0:
        count = tf.shape(splits[0], kind)[0] - 1
        return flat, [tf.stack([tf.zeros([], kind), count]), *splits]
    count = tf.shape(splits[axis - 1], kind)[0] - 1
    return flat, [*splits[: axis - 1], tf.range(count + 1), *splits[axis - 1 :]]


def _known_axes(axis: Axes, rank: int) -> list[int]:
    known = tf.get_static_value(axis)
    if known is None:
        raise NoSuchNodeError("the axis must be known")
    return [int(item) % rank for item in np.reshape(known, [-1])]


def _known_axis(axis: Axes, rank: int) -> int:
    return _known_axes(axis, rank)[0]


def _rank_of(rows: Rows) -> int:
    rank = rows[0].shape.rank
    if rank is None:
        raise NoSuchNodeError("the rank must be known")
    return len(rows[1]) + rank


@_reduction
def reduce(name: str, value: Any, axis: Axes | None = None, keepdims: bool = False) -> Any:
    rows = rows_of(value, value.ragged_rank)
    rank = _rank_of(rows)
    axes = [] if axis is None else sorted(set(_known_axes(axis, rank)), reverse=True)
    if axis is None or len(axes) == rank:
        total = getattr(tf, name)(rows[0])
        return tf.reshape(total, [1] * rank) if keepdims else total
    if name == "reduce_mean":
        total = reduce("reduce_sum", value, axis, keepdims)
        ones = value.with_flat_values(tf.ones_like(value.flat_values))
        count = reduce("reduce_sum", ones, axis, keepdims)
        if isinstance(total, list):
            return [total[0] / count[0], *total[1:]]
        return total / count
    for item in axes:
        rows = _reduced(name, rows, item)
        if keepdims:
            rows = _expanded(rows, item)
    return _list(rows) if rows[1] else rows[0]


@_reduction
def softmax(logits: Any, axis: Axes | None = None, name: str | None = None) -> Any:
    flat, splits = rows_of(logits, logits.ragged_rank)
    if flat.shape.rank != 1:
        return [tf.nn.softmax(flat), *splits]
    ids = rowids_of(splits[-1], splits[-1][-1])
    count = tf.shape(splits[-1], splits[-1].dtype)[0] - 1
    peaks = tf.stop_gradient(tf.math.unsorted_segment_max(flat, ids, count))
    powers = tf.exp(flat - tf.gather(peaks, ids))
    sums = tf.math.unsorted_segment_sum(powers, ids, count)
    return [powers / tf.gather(sums, ids), *splits]


@_conversion
def to_tensor(value: RaggedTensor, default: Any, shape: ShapeLike) -> Any:
    flat, splits = rows_of(value, value.ragged_rank)
    kind = splits[0].dtype
    sizes: Any = tf.constant(-1, kind)
    if shape is not None:
        if isinstance(shape, Tensor):
            sizes = tf.cast(shape, kind)
        else:
            listed = tf.TensorShape(shape).as_list()
            sizes = tf.constant([-1 if size is None else size for size in listed], kind)
    if default is None:
        default = tf.zeros([], value.dtype) if value.dtype is not tf.string else tf.constant("")
    default = tf.cast(default, value.dtype) if value.dtype is not tf.string else default
    return op("RaggedTensorToTensor", sizes, flat, default, splits,
              row_partition_types=["ROW_SPLITS"] * len(splits))  # fmt: skip


@_conversion
def to_sparse(value: RaggedTensor) -> Any:
    flat, splits = rows_of(value, value.ragged_rank)
    return op("RaggedTensorToSparse", splits, flat)


@_conversion
def from_sparse(st_input: Any, row_splits_dtype: DTypeLike) -> Any:
    rowids = tf.cast(st_input.indices[:, 0], row_splits_dtype)
    return [st_input.values, splits_of_rowids(rowids, st_input.dense_shape[0])]


@_construction
def ragged_range(
    starts: TensorLike, limits: TensorLike | None = None, deltas: TensorLike = 1,
    dtype: DTypeLike | None = None, name: str | None = None, row_splits_dtype: DTypeLike = dtypes.int64,
) -> Any:  # fmt: skip
    if limits is None:
        starts, limits = 0, starts
    kind = dtypes.as_dtype(dtype) if dtype is not None else next(
        (v.dtype for v in (starts, limits, deltas) if isinstance(v, Tensor)), dtypes.int32
    )  # fmt: skip
    given = [tf.cast(v, kind) for v in (starts, limits, deltas)]
    splits, values = op("RaggedRange", *given, Tsplits=dtypes.as_dtype(row_splits_dtype))
    return [values, splits]


@_construction
def row_splits_to_segment_ids(splits: Any, name: object = None, out_type: object = None) -> Tensor:
    return rowids_of(splits, splits[-1])


@_construction
def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: object = None, name: str | None = None
) -> Tensor:
    if num_segments is None:
        padded = tf.concat([tf.constant([-1], segment_ids.dtype), segment_ids], 0)
        num_segments = tf.reduce_max(padded) + 1
    return splits_of_rowids(segment_ids, num_segments)


@_construction
def boolean_mask(data: TensorLike, mask: TensorLike, name: str | None = None) -> Any:
    given, masks = rows_of(data), rows_of(mask)
    depth = len(masks[1])
    if depth == 0:
        found = _gathered(given, tf.reshape(tf.where(mask), [-1]))
        return _list(found) if found[1] else found[0]
    flat, splits = given
    inner = masks[1][-1]
    kept = tf.cast(masks[0], inner.dtype)
    before = _splits_of_lengths(kept)
    values = _gathered((flat, splits[depth:]), tf.reshape(tf.where(masks[0]), [-1]))
    return [values[0], *masks[1][:-1], tf.gather(before, inner), *values[1]]


def _axes_of(value: Any, rank: int, levels: int, kind: Any) -> tuple[Tensor, Tensor, list[Any]]:
    """Flat values, the number of rows, and the starts and lengths of rows along each ragged axis.

    A third value of an axis says whether its rows are stretched to the length of others.
    """
    zero, one = tf.zeros([1], kind), tf.ones([1], kind)
    axes: list[Any] = []
    if isinstance(value, RaggedTensor):
        flat, count = value.flat_values, tf.cast(value.nrows(), kind)
        for item in value._partitions():
            splits = tf.cast(item.row_splits(), kind)
            axes.append((splits[:-1], _lengths(splits), item.static_uniform_row_length == 1))
        missing = rank - len(value.shape)
        if missing:
            outermost = (zero, tf.reshape(count, [1]), count == 1)
            axes = [*[(zero, one, True)] * (missing - 1), outermost, *axes]
            count = one[0]
    else:
        sizes = tf.concat([tf.ones([rank - value.shape.rank], kind), tf.shape(value, kind)], 0)
        flat, count = tf.reshape(value, sizes), sizes[0]
    while len(axes) < levels:
        sizes = tf.shape(flat, kind)
        size = sizes[1]
        axes.append((tf.range(sizes[0]) * size, tf.fill(sizes[:1], size), size == 1))
        flat = tf.reshape(flat, tf.concat([[sizes[0] * size], sizes[2:]], 0))
    return flat, count, axes


@_broadcasting
def broadcast_rows(values: Sequence[Any], rank: int) -> Any:
    ragged = [value for value in values if isinstance(value, RaggedTensor)]
    levels = max(value.ragged_rank + rank - len(value.shape) for value in ragged)
    kind = splits_dtype(ragged)
    operands = [_axes_of(value, rank, levels, kind) for value in values]
    count = operands[0][1]
    for _, rows, _ in operands[1:]:
        count = tf.where(count == 1, rows, count)
    places = [tf.range(count) * tf.cast(rows != 1, kind) for _, rows, _ in operands]
    found = []
    for level in range(levels):
        axes = [axes[level] for _, _, axes in operands]
        joint, stretched = tf.gather(axes[0][1], places[0]), tf.convert_to_tensor(axes[0][2])
        for (_, lengths, single), at in zip(axes[1:], places[1:], strict=True):
            joint = tf.where(stretched, tf.gather(lengths, at), joint)
            stretched = tf.logical_and(stretched, single)
        splits = _splits_of_lengths(joint)
        ids = rowids_of(splits, splits[-1])
        offsets = tf.range(splits[-1]) - tf.gather(splits, ids)
        places = [
            tf.gather(tf.gather(starts, at), ids) + offsets * tf.cast(tf.logical_not(single), kind)
            for (starts, _, single), at in zip(axes, places, strict=True)
        ]
        found.append(splits)
    return [
        *(tf.gather(flat, at) for (flat, _, _), at in zip(operands, places, strict=True)),
        *found,
    ]


def _joined(parts: list[Rows]) -> Rows:
    """Rows after each other."""
    depth = len(parts[0][1])
    flat = tf.concat([part[0] for part in parts], 0)
    splits = []
    for level in range(depth):
        found = [parts[0][1][level]]
        for part in parts[1:]:
            found.append(part[1][level][1:] + found[-1][-1])
        splits.append(tf.concat(found, 0))
    return flat, splits


def _joined_along(parts: list[Rows], axis: int) -> Rows:
    depth = len(parts[0][1])
    if axis == 0:
        return _joined(parts)
    if not depth:
        return tf.concat([part[0] for part in parts], axis), []
    if axis > 1:
        inner = _joined_along([(flat, splits[1:]) for flat, splits in parts], axis - 1)
        return inner[0], [parts[0][1][0], *inner[1]]
    # Row i of the result joins row i of each part.
    count = len(parts)
    flat, splits = _joined(parts)
    rows = (tf.shape(splits[0])[0] - 1) // count
    order = tf.reshape(tf.transpose(tf.reshape(tf.range(rows * count), [count, rows])), [-1])
    flat, splits = _gathered((flat, splits), order)
    return flat, [splits[0][::count], *splits[1:]]


def _alike(values: Any, least: int = 0) -> list[Rows]:
    items = list(values)
    depth = max([least, *(v.ragged_rank for v in items if isinstance(v, RaggedTensor))])
    found = [rows_of(item, depth) for item in items]
    wide = any(splits and splits[0].dtype is dtypes.int64 for _, splits in found)
    kind = dtypes.int64 if wide else dtypes.int32
    return [(flat, [tf.cast(s, kind) for s in splits]) for flat, splits in found]


@_arrangement
def concat(values: TensorLike, axis: Any, name: object = "concat") -> list[Tensor]:
    parts = _alike(values)
    rank = _rank_of(parts[0])
    return _list(_joined_along(parts, _known_axis(axis, rank)))


@_arrangement
def stack(values: Any, axis: Axes = 0, name: str | None = None) -> Any:
    parts = _alike(values, 1 if all(isinstance(v, Tensor) and v.shape.rank for v in values) else 0)
    if not parts[0][1]:
        return tf.stack(list(values))
    rank = _rank_of(parts[0])
    axis = _known_axis(axis, rank + 1)
    if all(isinstance(v, Tensor) for v in values):
        kind = dtypes.int64
        flats = list(values)
        ones = [(f, [tf.stack([tf.zeros([], kind), tf.shape(f, kind)[0]])]) for f in flats]
        return _list(_joined(ones))
    return _list(_joined_along([_expanded(part, axis) for part in parts], axis))


@_arrangement
def expand_dims(value: Any, axis: Any) -> list[Tensor]:
    rows = rows_of(value, value.ragged_rank)
    rank = _rank_of(rows)
    return _list(_expanded(rows, _known_axis(axis, rank + 1)))


@_arrangement
def gather(params: RaggedTensor, indices: Any, axis: int = 0, batch_dims: int = 0) -> Any:
    if axis or batch_dims:
        raise NoSuchNodeError("TensorFlow gathers rows of ragged tensors")
    if not isinstance(params, RaggedTensor):
        flat, splits = rows_of(indices, indices.ragged_rank)
        return [tf.gather(params, flat), *splits]
    rows = rows_of(params, params.ragged_rank)
    if not isinstance(indices, RaggedTensor):
        indices = tf.convert_to_tensor(indices)
    if isinstance(indices, RaggedTensor):
        flat, splits = rows_of(indices, indices.ragged_rank)
        found = _gathered(rows, flat)
        return [found[0], *splits, *found[1]]
    if indices.shape.rank == 0:
        found = _gathered(rows, tf.reshape(indices, [1]))
        return [found[0], *found[1][1:]]
    if indices.shape.rank == 1:
        return _list(_gathered(rows, indices))
    flat, splits = rows_of(indices)
    found = _gathered(rows, flat)
    return [found[0], *(tf.cast(s, found[1][0].dtype) for s in splits), *found[1]]


def _cut(rows: Rows, part: Any) -> Rows:
    """A slice of each row."""
    flat, splits = rows
    outer, lengths = splits[0], _lengths(splits[0])
    step = 1 if part.step is None else part.step
    low, high = (0, lengths) if step > 0 else (-1, lengths - 1)

    def place(value: Any, default: int | Tensor) -> Any:
        if value is None:
            return default + tf.zeros_like(lengths)
        value = tf.cast(value, outer.dtype)
        value = tf.where(value < 0, value + lengths, value + tf.zeros_like(lengths))
        return tf.minimum(tf.maximum(value, low), high)

    first, last = (low, high) if step > 0 else (high, low)
    starts = place(part.start, first) + outer[:-1]
    limits = place(part.stop, last) + outer[:-1]
    found, places = op("RaggedRange", starts, limits, tf.cast(step, outer.dtype),
                       Tsplits=outer.dtype)  # fmt: skip
    inner = _gathered((flat, splits[1:]), places)
    return inner[0], [found, *inner[1]]


@rules_of("ragged.getitem")
def _indexed(value: RaggedTensor, parts: Sequence[object]) -> Any:
    parts = [slice(*part) if isinstance(part, tuple) else part for part in parts]
    rows = rows_of(value, value.ragged_rank)
    if any(part is None or part is Ellipsis for part in parts):
        raise NoSuchNodeError("only rows and their elements are taken")
    rest = list(parts)
    first = rest.pop(0)
    if not isinstance(first, slice):
        row = tf.cast(first, rows[1][0].dtype)
        count = tf.shape(rows[1][0], rows[1][0].dtype)[0] - 1
        row = tf.where(row < 0, row + count, row)
        found = _gathered(rows, tf.reshape(row, [1]))
        flat, splits = found[0], found[1][1:]
        if not rest:
            return [flat, *splits] if splits else flat
        if splits:
            return _indexed(_ragged(flat, splits), rest)
        return flat[tuple(rest)]
    if first != slice(None):
        count = tf.shape(rows[1][0])[0] - 1
        rows = _gathered(rows, tf.range(count)[first])
    if not rest:
        return _list(rows)
    second = rest.pop(0)
    if isinstance(second, slice):
        rows = rows if second == slice(None) else _cut(rows, second)
        if rest and len(rows[1]) == 1:
            return [rows[0][whole_and(rest)], *rows[1]]
        if rest:
            inner = _indexed(_ragged(rows[0], rows[1][1:]), [slice(None), *rest])
            return [inner[0], rows[1][0], *inner[1:]]
        return _list(rows)
    outer = rows[1][0]
    column = tf.cast(second, outer.dtype)
    places = tf.where(column < 0, outer[1:] + column, outer[:-1] + column)
    found = _gathered((rows[0], rows[1][1:]), places)
    if found[1]:
        return _list(found) if not rest else _indexed(_ragged(*found), [slice(None), *rest])
    return found[0][whole_and(rest)] if rest else found[0]


def whole_and(parts: Sequence[object]) -> tuple:
    """An index that keeps the first axis."""
    return (slice(None), *parts)


def _ragged(flat: Tensor, splits: list[Tensor]) -> RaggedTensor:
    spec = tf.RaggedTensorSpec(
        [None] * _rank_of((flat, splits)), flat.dtype, len(splits), splits[0].dtype
    )
    return spec._from_components([flat, *splits])


@_arrangement
def tile(value: Any, multiples: TensorLike) -> Any:
    rows = rows_of(value, value.ragged_rank)
    if len(rows[1]) != 1 or rows[0].shape.rank != 1:
        raise NoSuchNodeError("only rows of numbers are repeated")
    outer, inner = tf.unstack(tf.cast(multiples, tf.int32), 2)
    count = tf.shape(rows[1][0])[0] - 1
    places = tf.tile(tf.range(count), outer[None])
    repeated = tf.reshape(tf.tile(places[:, None], tf.stack([1, inner])), [-1])
    flat, splits = _gathered(rows, repeated)
    total = tf.shape(splits[0])[0] - 1
    chosen = tf.range(tf.size(places) + 1) * tf.where(
        inner > 0, total // tf.maximum(tf.size(places), 1), 0
    )
    return [flat, tf.gather(splits[0], chosen)]


@_arrangement
def reverse(value: Any, axis: Axes) -> list[Tensor]:
    rows = rows_of(value, value.ragged_rank)
    rank = _rank_of(rows)
    for item in _known_axes(axis, rank):
        if item == 0:
            count = tf.shape(rows[1][0])[0] - 1
            rows = _gathered(rows, tf.range(count - 1, -1, -1))
        elif item == 1:
            rows = _cut(rows, slice(None, None, -1))
        else:
            raise NoSuchNodeError("only rows and their elements are reversed")
    return _list(rows)


# Partitions: the row splits alone.


@_conversion
def from_tensor(
    tensor: Any, lengths: TensorLike, padding: Any, ragged_rank: int, row_splits_dtype: DTypeLike
) -> Any:
    kind = dtypes.as_dtype(row_splits_dtype)
    if padding is not None or (lengths is not None and ragged_rank != 1):
        raise NoSuchNodeError("TensorFlow makes rows of all elements, or of given lengths")
    if lengths is None:
        flat, splits = rows_of(tensor, ragged_rank)
        return [flat, *(tf.cast(part, kind) for part in splits)]
    lengths = tf.cast(lengths, kind)
    width = tf.shape(tensor, kind)[1]
    lengths = tf.minimum(lengths, width)
    kept = tf.sequence_mask(lengths, width)
    return [tf.boolean_mask(tensor, kept), _splits_of_lengths(lengths)]


def _in_kind(splits: Tensor, dtype: dtypes.DType) -> list[Tensor]:
    return [splits if dtype is None else tf.cast(splits, dtype)]


@_partition
def from_row_splits(row_splits: Any, validate: bool = True, dtype: Any = None, **rest: Any) -> Any:
    return _in_kind(tf.convert_to_tensor(row_splits, dtype_hint=tf.int64), dtype)


@_partition
def from_row_lengths(row_lengths: Any, validate: Any = True, dtype: Any = None, **rest: Any) -> Any:
    return _in_kind(_splits_of_lengths(row_lengths), dtype)


@_partition
def from_row_starts(
    row_starts: Any, nvals: TensorLike, validate: object = True, dtype: Any = None, **rest: object
) -> list[Tensor]:
    row_starts = tf.convert_to_tensor(row_starts, dtype_hint=tf.int64)
    last = tf.reshape(tf.cast(nvals, row_starts.dtype), [1])
    return _in_kind(tf.concat([row_starts, last], 0), dtype)


@_partition
def from_row_limits(row_limits: Any, validate: bool = True, dtype: Any = None, **rest: Any) -> Any:
    row_limits = tf.convert_to_tensor(row_limits, dtype_hint=tf.int64)
    return _in_kind(tf.concat([tf.zeros([1], row_limits.dtype), row_limits], 0), dtype)


@_partition
def from_value_rowids(
    value_rowids: Any, nrows: Any = None, validate: object = True, dtype: Any = None, **rest: object
) -> list[Tensor]:
    value_rowids = tf.convert_to_tensor(value_rowids, dtype_hint=tf.int64)
    if nrows is None:
        before = tf.constant([-1], value_rowids.dtype)
        nrows = tf.concat([before, value_rowids], 0)[-1] + 1
    return _in_kind(splits_of_rowids(value_rowids, nrows), dtype)


@_partition
def from_uniform_row_length(
    uniform_row_length: TensorLike, nvals: TensorLike | None = None, nrows: TensorLike | None = None,
    validate: object = True, dtype: DTypeLike | None = None, **rest: object,
) -> Any:  # fmt: skip
    kind = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    length = tf.cast(uniform_row_length, kind)
    count = tf.cast(nvals, kind) // length if nrows is None else tf.cast(nrows, kind)
    return [tf.range(count + 1) * length]


@_arrangement
def merge_dims(value: Any, outer_axis: int, inner_axis: int) -> Any:
    rows = rows_of(value, value.ragged_rank)
    rank = _rank_of(rows)
    outer, inner = outer_axis % rank, inner_axis % rank
    flat, splits = rows
    if inner > len(splits):
        raise NoSuchNodeError("only ragged axes are merged")
    if outer == 0:
        rest = splits[inner:]
        return [flat, *rest] if rest else flat
    merged = splits[outer - 1]
    for part in splits[outer:inner]:
        merged = tf.gather(part, merged)
    return [flat, *splits[: outer - 1], merged, *splits[inner:]]


@rules_of("ragged.overrides")
def _cumsum(x: Any, axis: Axes = 0, exclusive: bool = False, reverse: bool = False) -> Any:
    flat, splits = rows_of(x, x.ragged_rank)
    axis = _known_axis(axis, _rank_of((flat, splits)))
    if axis > len(splits):
        return [tf.cumsum(flat, axis - len(splits), exclusive, reverse), *splits]
    if len(splits) > 1:
        raise NoSuchNodeError("only sums of rows of one ragged axis are known")
    dense = tf.ensure_shape(to_tensor(x, None, None), [None, None, *flat.shape[1:]])
    ids = rowids_of(splits[0], splits[0][-1])
    at = tf.stack([ids, tf.range(splits[0][-1]) - tf.gather(splits[0], ids)], 1)
    return [tf.gather_nd(tf.cumsum(dense, axis, exclusive, reverse), at), *splits]
