"""The specs of the results of functions on ragged tensors, while a graph is built.

Those functions read rows, and therefore run on the host, see `eagerflow/framework/host_call.py`. Each
function here has the arguments of one of them, and returns the specs of its result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eagerflow import _core
from eagerflow.errors import InvalidArgumentError
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import DType
from eagerflow.framework.shapes import as_shape
from eagerflow.framework.sizes import checked_axis, checked_output_count
from eagerflow.framework.type_spec import TensorSpec, TypeSpec
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.sparse.tensor import SparseTensor, SparseTensorSpec
from eagerflow.typing import Axes, DTypeLike, ShapeLike, TensorLike
from eagerflow.util import lazy

# Imported when it is first used: it imports the functions that these specs are about.
ragged_spec = lazy.Module("eagerflow.ragged.spec")

Tensor = _core.Tensor
Dims = list


def convert(value: TensorLike, dtype: DTypeLike | None = None) -> Any:
    """Converts values to tensors; ragged tensors are unchanged."""
    return value if isinstance(value, RaggedTensor) else _core.convert(value, None, dtype)


def dims_of(value: Any) -> Dims:
    """The sizes of the axes as far as they are known.

    Raises:
        ValueError: if the rank is unknown.
    """
    shape = value.shape
    if shape.rank is None:
        raise ValueError(
            "The rank of a tensor that is combined with ragged tensors must be known, but its shape "
            "is <unknown>."
        )
    return shape.as_list()


def ragged_rank_of(value: TensorLike) -> int:
    """The number of ragged axes, 0 for a tensor."""
    return value.ragged_rank if isinstance(value, RaggedTensor) else 0


def splits_dtype_of(values: Sequence[TensorLike]) -> DType:
    """int64, unless all ragged tensors have int32."""
    used = {value._partition.dtype for value in values if isinstance(value, RaggedTensor)}
    return dtypes.int32 if used == {dtypes.int32} else dtypes.int64


def spec_of(dims: Dims | None, dtype: DTypeLike, ragged_rank: int, splits_dtype: Any) -> TypeSpec:
    """The spec of a value with that many ragged axes."""
    if not ragged_rank:
        return TensorSpec(dims, dtype)
    return ragged_spec.RaggedTensorSpec(dims, dtype, ragged_rank, splits_dtype)


def integer(value: TensorLike) -> int | None:
    """An argument's value, if it is known."""
    known = _core.static_value(_core.as_tensor(value))
    return None if known is None else int(known.numpy())


def axis_of(value: Any, rank: int) -> int:
    """An axis as an index from 0 on.

    Raises:
        ValueError: if it is not known, or there is no such axis.
    """
    axis = integer(value)
    if axis is None:
        raise ValueError("An axis must be known while a function is traced: pass an integer.")
    return checked_axis(axis, rank)


def same(value: RaggedTensor, *args: object, **kwargs: object) -> TypeSpec:
    """A value of the same shape and dtype."""
    return value._type_spec


def _without_lengths(dims: Dims, ragged_rank: int, first: int = 1) -> Dims:
    """The sizes, with None for ragged axes from `first` on."""
    return [None if first <= k <= ragged_rank else size for k, size in enumerate(dims)]


def _total(sizes: Sequence[int | None]) -> int | None:
    return None if None in sizes else sum(sizes)  # type: ignore[arg-type]


def _product(sizes: Sequence[int | None]) -> int | None:
    product = 1
    for size in sizes:
        if size is None:
            return None
        product *= size
    return product


def _items(values: Any) -> tuple[list[Any], int]:
    """Values, and their largest ragged rank."""
    items = [convert(value) for value in values]
    return items, max(map(ragged_rank_of, items))


def concatenated(values: Any, axis: Any, name: str = "concat") -> TypeSpec:
    """See `tf.concat`."""
    if isinstance(values, RaggedTensor):
        return values._type_spec
    items, ragged_rank = _items(values)
    if any(item.shape.rank is None for item in items):
        along = integer(axis)
        if along is None or along < 0:
            raise ValueError(
                "The axis along which tensors of unknown rank are joined must be known, and must not "
                f"be negative, got {along}."
            )
        return spec_of(None, items[0].dtype, ragged_rank, splits_dtype_of(items))
    shapes = [dims_of(item) for item in items]
    rank = len(shapes[0])
    if any(len(dims) != rank for dims in shapes):
        texts = ", ".join(str(item.shape) for item in items)
        raise ValueError(f"Shapes {texts} must have the same rank")
    along = axis_of(axis, rank)
    dims = [next((s for s in sizes if s is not None), None) for sizes in zip(*shapes, strict=True)]
    dims[along] = _total([shape[along] for shape in shapes])
    return spec_of(
        _without_lengths(dims, ragged_rank), items[0].dtype, ragged_rank, splits_dtype_of(items)
    )


def stacked(values: TensorLike, axis: Axes = 0, name: str | None = None) -> TypeSpec:
    """See `tf.ragged.stack`."""
    if not isinstance(values, list | tuple):
        values = [values]
    if not values:
        raise ValueError("rt_inputs may not be empty.")
    items, ragged_rank = _items(values)
    shapes = [dims_of(item) for item in items]
    rank = len(shapes[0])
    along = axis_of(axis, rank + 1)
    dims = [next((s for s in sizes if s is not None), None) for sizes in zip(*shapes, strict=True)]
    if not ragged_rank:
        if (rank == 1 and along == 0) or along not in (rank, rank - 1):
            ragged_rank = 1 if rank == 1 or along else 2
            splits = dtypes.int32 if rank == 1 and along == 0 else dtypes.int64
            dims = _without_lengths([*dims[:along], len(items), *dims[along:]], ragged_rank)
            return spec_of(dims, items[0].dtype, ragged_rank, splits)
        return TensorSpec([*dims[:along], len(items), *dims[along:]], items[0].dtype)
    ragged_rank += along <= ragged_rank
    dims = _without_lengths([*dims[:along], len(items), *dims[along:]], ragged_rank)
    return spec_of(dims, items[0].dtype, ragged_rank, splits_dtype_of(items))


def expanded(value: RaggedTensor, axis: Axes) -> TypeSpec:
    """See `tf.expand_dims`."""
    dims, ragged_rank = dims_of(value), value.ragged_rank
    along = axis_of(axis, len(dims) + 1)
    dims.insert(along, 1)
    more = along <= ragged_rank
    return spec_of(dims, value.dtype, ragged_rank + more, value._partition.dtype)


def squeezed(value: RaggedTensor, axis: Any) -> TypeSpec:
    """See `tf.squeeze`."""
    if axis is None:
        raise ValueError("Ragged.squeeze must have an axis argument.")
    dims, ragged_rank = dims_of(value), value.ragged_rank
    rank = len(dims)
    axes = {axis_of(item, rank) for item in ([axis] if isinstance(axis, int) else axis)}
    for item in sorted(axes, reverse=True):
        del dims[item]
        ragged_rank -= item <= ragged_rank
    ragged_rank = max(ragged_rank, 0)
    return spec_of(
        _without_lengths(dims, ragged_rank), value.dtype, ragged_rank, value._partition.dtype
    )


def tiled(value: RaggedTensor, multiples: TensorLike) -> TypeSpec:
    """See `tf.tile`."""
    dims, ragged_rank = dims_of(value), value.ragged_rank
    counts = _core.partial_value(_core.convert(multiples, None, dtypes.int64)) or [None] * len(dims)
    sizes = [
        None if size is None or count is None else size * count
        for size, count in zip(dims, counts, strict=True)
    ]
    if any(count != 1 for count in counts):
        sizes = _without_lengths(sizes, ragged_rank)
    return spec_of(sizes, value.dtype, ragged_rank, value._partition.dtype)


def split_parts(
    value: RaggedTensor, num_or_size_splits: TensorLike, axis: Axes = 0, num: Any = None
) -> list[TypeSpec]:
    """See `tf.split`."""
    dims, ragged_rank = dims_of(value), value.ragged_rank
    along = axis_of(axis, len(dims))
    if along and dims[along] is None and along <= ragged_rank:
        raise ValueError("Cannot split an inner ragged dimension.")
    if isinstance(num_or_size_splits, int):
        count = checked_output_count(num_or_size_splits)
        whole = dims[along]
        sizes: list[int | None] = [None if whole is None else whole // max(count, 1)] * count
    else:
        split_sizes = _core.as_tensor(num_or_size_splits)
        count = split_sizes._size if num is None else num
        known = _core.partial_value(split_sizes) or [None] * count
        sizes = [None if size is None or size < 0 else size for size in known]
    return [
        spec_of(
            [*dims[:along], size, *dims[along + 1 :]],
            value.dtype,
            ragged_rank,
            value._partition.dtype,
        )
        for size in sizes
    ]


def _rows(value: TensorLike, indices: Dims) -> tuple[Dims, int]:
    """The sizes and the ragged rank of rows at indices of a shape."""
    dims, ragged_rank = dims_of(value), ragged_rank_of(value)
    if not ragged_rank:
        return [*indices, *dims[1:]], 0
    result = [*indices, *dims[1:]]
    count = len(indices) - 1 + ragged_rank
    return _without_lengths(result, count), count


def gathered(params: Any, indices: Any, axis: Axes = 0, batch_dims: TensorLike = 0) -> TypeSpec:
    """See `tf.gather`."""
    params, indices = convert(params), convert(indices)
    values = [params, indices]
    index_dims, splits = dims_of(indices), splits_dtype_of(values)
    batch = integer(batch_dims or 0) or 0
    batch = batch if batch >= 0 else batch + len(index_dims)
    along = axis_of(axis or 0, len(params.shape))
    if batch:
        return _batch_gathered(params, indices, along, batch)
    if along:
        dims = dims_of(params)
        result = [*dims[:along], *index_dims, *dims[along + 1 :]]
        ragged_rank = ragged_rank_of(params)
        own = ragged_rank_of(indices)
        if own and along <= ragged_rank:
            inner = len(index_dims) - own - 1 + ragged_rank - along
            ragged_rank = along + own + (inner if ragged_rank > along else 0)
            return spec_of(_without_lengths(result, ragged_rank), params.dtype, ragged_rank, splits)
        ragged_rank = (
            max(ragged_rank - 1 + len(index_dims), along - 1)
            if along <= ragged_rank
            else (ragged_rank)
        )
        ragged_rank = ragged_rank if ragged_rank_of(params) > 1 or along > 1 else 0
        return spec_of(_without_lengths(result, ragged_rank), params.dtype, ragged_rank, splits)
    flat = indices.flat_values if isinstance(indices, RaggedTensor) else indices
    rows, inner = _rows(params, dims_of(flat))
    ragged_rank = ragged_rank_of(indices) + inner
    result = [*index_dims, *rows[len(dims_of(flat)) :]]
    first = 1 + ragged_rank_of(indices)
    return spec_of(_without_lengths(result, ragged_rank, first), params.dtype, ragged_rank, splits)


def _batch_gathered(params: Tensor, indices: TensorLike, axis: int, batch: int) -> TypeSpec:
    index_dims, splits = dims_of(indices), splits_dtype_of([params, indices])
    own = max(ragged_rank_of(indices), batch - (len(index_dims) == batch))
    rest = max(ragged_rank_of(params), batch) - batch
    flat = len(index_dims) - own
    inner = flat - 1 + rest if rest else 0
    if len(index_dims) == batch:
        inner = max(rest - 1, 0) if rest else 0
    ragged_rank = own + inner
    dims = [*index_dims, *dims_of(params)[axis + 1 :]]
    return spec_of(
        _without_lengths(dims, ragged_rank) if ragged_rank else dims,
        params.dtype,
        ragged_rank,
        splits,
    )


def gathered_at(params: Tensor, indices: TensorLike, batch_dims: int = 0) -> TypeSpec:
    """See `tf.gather_nd`."""
    params, indices = convert(params), convert(indices)
    *outer, depth = dims_of(indices)
    if depth is None:
        raise ValueError("The innermost dimension of indices may not be ragged")
    own = ragged_rank_of(indices)
    flat = len(outer) - own
    rest = max(ragged_rank_of(params) - (depth - 1), 0)
    inner = flat - 1 + rest if rest else 0
    dims = [*outer, *dims_of(params)[depth:]]
    ragged_rank = max(own + inner, 0)
    return spec_of(
        _without_lengths(dims, ragged_rank),
        params.dtype,
        ragged_rank,
        splits_dtype_of([params, indices]),
    )


def merged(value: Any, outer_axis: int, inner_axis: int) -> TypeSpec:
    """See `tf.RaggedTensor.merge_dims`."""
    dims, ragged_rank = dims_of(value), value.ragged_rank
    rank = len(dims)
    outer = checked_axis(outer_axis, rank, "outer_axis")
    inner = checked_axis(inner_axis, rank, "inner_axis")
    if outer > inner:
        raise ValueError(
            f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis "
            f"({inner_axis})"
        )
    sizes = [*dims[:outer], _product(dims[outer : inner + 1]), *dims[inner + 1 :]]
    if outer == inner or outer > ragged_rank:
        left = ragged_rank
    elif outer == 0:
        left = max(ragged_rank - inner, 0)
    else:
        left = outer if inner >= ragged_rank else ragged_rank - (inner - outer)
    return spec_of(sizes, value.dtype, left, value._partition.dtype)


def wanted_sizes(shape: ShapeLike, rank: int) -> list[int | None]:
    """The requested sizes of a dense result; None for sizes that depend on the values."""
    sizes = as_shape(shape).as_list()
    if len(sizes) != rank:
        message = f"Shape {sizes} must have rank {rank}, that of the ragged tensor"
        raise InvalidArgumentError._of(message)
    return sizes


def dense(value: RaggedTensor, default: object = None, shape: Any = None) -> TensorSpec:
    """See `tf.RaggedTensor.to_tensor`."""
    dims = dims_of(value)
    if shape is not None:
        known = shape
        if isinstance(shape, Tensor):
            known = [
                None if size is None or size < 0 else size
                for size in _core.partial_value(shape) or [None] * len(dims)
            ]
        sizes = wanted_sizes(known, len(dims))
        dims = [own if size is None else size for own, size in zip(dims, sizes, strict=True)]
    return TensorSpec(dims, value.dtype)


def sparse(value: RaggedTensor) -> SparseTensorSpec:
    """See `tf.RaggedTensor.to_sparse`."""
    return SparseTensorSpec(dims_of(value), value.dtype)


def check_rows_given(lengths: Any, padding: Any, ragged_rank: Any) -> None:
    """Refuses what `tf.RaggedTensor.from_tensor` cannot find the rows of."""
    if lengths is not None and padding is not None:
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    if not isinstance(ragged_rank, int):
        raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
    if ragged_rank <= 0:
        raise ValueError(f"Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.")


def from_tensor(
    tensor: TensorLike, lengths: Any, padding: Any, ragged_rank: int, row_splits_dtype: DTypeLike
) -> TypeSpec:
    """See `tf.RaggedTensor.from_tensor`."""
    check_rows_given(lengths, padding, ragged_rank)
    value = _core.as_tensor(tensor)
    nested = isinstance(lengths, list | tuple) and lengths and not isinstance(lengths[0], int)
    if nested:
        ragged_rank = len(lengths)
    dims = dims_of(value)
    if len(dims) <= ragged_rank:
        raise ValueError(f"Shape {value.shape} must have rank at least {ragged_rank + 1}")
    if lengths is not None or padding is not None:
        dims = _without_lengths(dims, ragged_rank, 1 if nested else ragged_rank)
    return spec_of(dims, value.dtype, ragged_rank, dtypes.as_dtype(row_splits_dtype))


def from_sparse(st_input: SparseTensor, row_splits_dtype: DTypeLike) -> TypeSpec:
    """See `tf.RaggedTensor.from_sparse`."""
    if not hasattr(st_input, "dense_shape"):
        raise TypeError(
            "Argument `st_input` must be of type SparseTensor, but is of type "
            f"{type(st_input).__name__}."
        )
    rank = st_input.shape.rank
    if rank not in (None, 2):
        raise ValueError(f"Shape {st_input.shape} must have rank 2")
    rows = None if rank is None else st_input.shape.as_list()[0]
    return spec_of([rows, None], st_input.dtype, 1, dtypes.as_dtype(row_splits_dtype))


def indexed(value: RaggedTensor, keys: Sequence[TensorLike]) -> TypeSpec:
    """See `RaggedTensor.__getitem__`: `keys` are integers, None, or `(start, stop, step)`.

    Raises:
        ValueError: if an integer indexes an inner ragged axis.
    """
    dims, ragged_rank = dims_of(value), value.ragged_rank
    result: Dims = []
    # Gathering single rows loses the static sizes of inner rows.
    axis, left, lost = 0, ragged_rank, len(dims)
    for key in keys:
        if key is None:
            # A new axis among the ragged axes becomes a partition, too.
            left += axis <= ragged_rank
            result.append(1)
            continue
        size = dims[axis]
        ragged = axis <= ragged_rank
        if isinstance(key, tuple):
            if ragged and lost < axis:
                size = None
            known = size is not None and all(part is None or isinstance(part, int) for part in key)
            if key != (None, None, None):
                size = len(range(*slice(*key).indices(size))) if known else None
                if ragged and (axis or key[2] not in (None, 1)):
                    lost = min(lost, max(axis, 1))
            result.append(size)
        else:
            if size is None and 0 < axis <= ragged_rank and result:
                raise ValueError("Cannot index into an inner ragged dimension.")
            left -= ragged
            if ragged and result:
                lost = min(lost, axis)
        axis += 1
    result += [
        None if lost < k <= ragged_rank else size for k, size in enumerate(dims) if k >= axis
    ]
    left = max(min(left, len(result) - 1), 0)
    return spec_of(result, value.dtype, left, value._partition.dtype)


def reversed_along(value: RaggedTensor, axis: Axes) -> TypeSpec:
    """See `tf.reverse`."""
    dims, ragged_rank = dims_of(value), value.ragged_rank
    known = _core.static_value(_core.convert(axis, None, dtypes.int32))
    axes = range(1) if known is None else known.numpy().reshape(-1).tolist()
    ragged = [k % len(dims) for k in axes if k % len(dims) <= ragged_rank]
    first = max(2, min(ragged) + 1) if ragged else len(dims)
    return spec_of(
        _without_lengths(dims, ragged_rank, first), value.dtype, ragged_rank, value._partition.dtype
    )


def running_sums(value: RaggedTensor, axis: Axes = 0, *args: object) -> TypeSpec:
    """See `tf.cumsum`."""
    dims, ragged_rank = dims_of(value), value.ragged_rank
    if axis_of(axis, len(dims)) < ragged_rank:
        dims = _without_lengths(dims, ragged_rank)
    return spec_of(dims, value.dtype, ragged_rank, value._partition.dtype)


def reduced(name: str, value: RaggedTensor, axis: Any = None, keepdims: bool = False) -> TypeSpec:
    """See `tf.reduce_sum`."""
    dims, ragged_rank = dims_of(value), value.ragged_rank
    rank = len(dims)
    dtype = dtypes.bool if name in ("reduce_any", "reduce_all") else value.dtype
    if name == "reduce_mean" and dtype.is_integer:
        dtype = dtypes.float64 if dtype.size >= 4 else dtypes.float32
    known = None if axis is None else _core.static_value(_core.convert(axis, None, dtypes.int32))
    if axis is not None and known is None:
        raise ValueError("The axes of a reduction of a ragged tensor must be known: pass integers.")
    axes = list(range(rank))
    if known is not None:
        axes = sorted({axis_of(item, rank) for item in known.numpy().reshape(-1).tolist()})
    if len(axes) == rank:
        return TensorSpec([1] * rank if keepdims else [], dtype)
    for item in reversed(axes):
        if item == 0:
            dims = _without_lengths(dims, ragged_rank)
        else:
            dims = _without_lengths(dims, ragged_rank, item)
        inner = item <= ragged_rank
        del dims[item]
        ragged_rank -= inner and ragged_rank > 0
        if keepdims:
            dims.insert(item, 1)
            ragged_rank += bool(ragged_rank) and item <= ragged_rank
    return spec_of(dims, dtype, ragged_rank, value._partition.dtype)


def segments(name: str | None, data: Any, segment_ids: Any, num_segments: TensorLike) -> TypeSpec:
    """See `tf.math.unsorted_segment_sum`."""
    data, ids = convert(data), convert(segment_ids)
    used = ragged_rank_of(ids)
    ragged_rank = max(ragged_rank_of(data) - used, 0)
    depth = len(ids.shape) if used else (len(ids.shape) if not ragged_rank else 1)
    dims = [integer(num_segments), *dims_of(data)[depth:]]
    return spec_of(
        _without_lengths(dims, ragged_rank), data.dtype, ragged_rank, splits_dtype_of([data])
    )


def _check_prefix(data: Any, which: Any) -> None:
    shape = data.shape[: len(which.shape)]
    if not which.shape.is_compatible_with(shape):
        raise ValueError(f"Shapes {which.shape} and {shape} are incompatible")


def partitioned(
    data: Tensor, partitions: TensorLike, num_partitions: int, name: str | None = None
) -> list[TypeSpec]:
    """See `tf.dynamic_partition`."""
    data, which = convert(data), convert(partitions)
    _check_prefix(data, which)
    ragged_rank = max(ragged_rank_of(data) + 1 - len(which.shape), 0)
    dims = _without_lengths([None, *dims_of(data)[len(which.shape) :]], ragged_rank)
    spec = spec_of(dims, data.dtype, ragged_rank, splits_dtype_of([data]))
    return [spec] * checked_output_count(num_partitions)


def stacked_partitions(
    data: Any, partitions: Tensor, num_partitions: TensorLike, name: str | None = None
) -> TypeSpec:
    """See `tf.ragged.stack_dynamic_partitions`."""
    data, which = convert(data), convert(partitions)
    _check_prefix(data, which)
    ragged_rank = max(ragged_rank_of(data) + 1 - len(which.shape), 0) + 1
    rest = dims_of(data)[len(which.shape) :]
    dims = [integer(num_partitions), None, *rest]
    # Partitions are int32, and so are the splits, unless the data has splits of its own.
    splits = data._partition.dtype if ragged_rank > 1 else dtypes.int32
    return spec_of(_without_lengths(dims, ragged_rank), data.dtype, ragged_rank, splits)


def products(a: Any, b: Any, *options: Any) -> TypeSpec:
    """See `tf.matmul`."""
    a, b = convert(a), convert(b)
    rank = max(len(a.shape), len(b.shape))
    source = a if isinstance(a, RaggedTensor) else b
    dtype = a.dtype
    if rank < 3:
        return TensorSpec([None, None], dtype)
    ends = dims_of(a)[:1] if len(a.shape) == rank else dims_of(b)[:1]
    return spec_of([*ends, *[None] * (rank - 1)], dtype, 1, source._partition.dtype)


def coordinates_of(condition: RaggedTensor) -> TensorSpec:
    """See `tf.where`."""
    return TensorSpec([None, len(condition.shape)], dtypes.int64)


def masked(data: Tensor, mask: Any, name: str | None = None) -> TypeSpec:
    """See `tf.ragged.boolean_mask`."""
    data, mask = convert(data), convert(mask)
    rank = len(mask.shape)
    if rank == 0:
        raise ValueError("mask cannot be scalar.")
    if len(data.shape) < rank:
        raise ValueError(f"mask of rank {rank} is too large for data of shape {data.shape}")
    ragged_rank = max(ragged_rank_of(data), rank - 1)
    dims = dims_of(data)
    if rank == 1:
        dims[0] = None
    return spec_of(
        _without_lengths(dims, ragged_rank), data.dtype, ragged_rank, splits_dtype_of([data, mask])
    )


def ranges(
    starts: TensorLike,
    limits: TensorLike | None = None,
    deltas: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dtypes.int64,
) -> TypeSpec:
    """See `tf.ragged.range`."""
    if limits is None:
        starts, limits = 0, starts
    tensors = [_core.convert(value, dtype, None) for value in (starts, limits, deltas)]
    order = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64]
    kind = max((tensor.dtype for tensor in tensors), key=order.index) if dtype is None else dtype
    counts = [tensor._size for tensor in tensors if tensor.ndim]
    known = [count for count in counts if count is not None]
    rows = known[0] if known else None if counts else 1
    return spec_of([rows, None], kind, 1, row_splits_dtype)
