"""Functions of tensors for ragged arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import hosted
from eagerflow.framework.op_function import bind_arguments, parameter_names
from eagerflow.framework.sizes import checked_axis, checked_output_count
from eagerflow.ops import array, indexing, math, segment
from eagerflow.ops import reduction as ops_reduction
from eagerflow.ops.nn import activation
from eagerflow.ragged import arrangement, conversion, graph_specs, reduction
from eagerflow.ragged.arrangement import convert
from eagerflow.ragged.broadcasting import aligned
from eagerflow.ragged.construction import stack_dynamic_partitions
from eagerflow.ragged.dynamic_shape import DynamicRaggedShape
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.sparse.segments import dense_bincount
from eagerflow.typing import Axes, DTypeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


_REDUCTIONS = frozenset(getattr(_ops, name) for name in (*reduction.SEGMENTS, "reduce_mean"))


def override(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """The result of a function of a ragged tensor; NotImplemented if the function needs tensors."""
    if not isinstance(function, _core.OpFunction):
        return NotImplemented
    handler = _COMPOSED.get(function)
    if handler is not None:
        return handler(*args, **kwargs)
    arguments = bind_arguments(function, args, kwargs)
    if arguments is None:
        return NotImplemented
    if function.elementwise:
        return _elementwise(function, arguments)
    handler = _NATIVE.get(function)
    if handler is not None:
        return handler(*_without_name(arguments).values())
    if function in _REDUCTIONS:
        value = arguments.pop("input_tensor")
        return reduction.reduce(function.__name__, convert(value), **_without_name(arguments))
    return NotImplemented


def _without_name(arguments: dict[str, object]) -> dict[str, Any]:
    arguments.pop("name", None)
    return arguments


def _elementwise(function: _core.OpFunction, arguments: dict[str, Any]) -> Any:
    """An operation on the elements that correspond to each other."""
    names = parameter_names(function)[: function.elementwise]
    names = [name for name in names if arguments.get(name) is not None]
    ragged = [arguments[name] for name in names if isinstance(arguments[name], RaggedTensor)]
    if not ragged:
        return NotImplemented
    rest = {key: value for key, value in arguments.items() if key not in names}
    if len(names) == 1:
        return ragged[0].with_flat_values(function(ragged[0].flat_values, **rest))
    if len(ragged) == 1 and sum(type(arguments[name]) is int for name in names) == len(names) - 1:
        # Integers stay as they are: comparisons see their values.
        flats = [getattr(arguments[name], "flat_values", arguments[name]) for name in names]
        return ragged[0].with_flat_values(function(**dict(zip(names, flats, strict=True)), **rest))
    like = next((item.dtype for item in reversed(ragged) if item.dtype is not dtypes.bool), None)
    values = [
        item if isinstance(item, RaggedTensor) else _converted(item, like)
        for item in (arguments[name] for name in names)
    ]
    flats, rebuilt = aligned(values)
    return rebuilt(function(**dict(zip(names, flats, strict=True)), **rest))


def _converted(value: TensorLike, dtype: Any) -> Tensor:
    if isinstance(value, Tensor | _core.Variable):
        return _core.as_tensor(value)
    return _core.convert(value, dtype, None)


@hosted(graph_specs.products)
def _matmul(
    a: Any,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    *rest: object,
) -> Any:
    """Matrix products of rows of matrices; only the row counts of the matrices may be ragged."""
    a, b = convert(a), convert(b)
    options = (transpose_a, transpose_b, adjoint_a, adjoint_b)
    if isinstance(a, RaggedTensor) and isinstance(b, Tensor) and b.ndim == 2:
        flat = a.flat_values
        if flat.ndim >= 2 and a.ragged_rank <= len(a.shape) - 2 and not (transpose_a or adjoint_a):
            return a.with_flat_values(_ops.matmul(flat, b, *options))
    dense = [item.to_tensor() if isinstance(item, RaggedTensor) else item for item in (a, b)]
    for item in (a, b):
        if isinstance(item, RaggedTensor):
            bounds = item.shape
            if len(bounds) < 3:
                _check_matrix(item)
    product = _ops.matmul(dense[0], dense[1], *options)
    source = next(item for item in (a, b) if isinstance(item, RaggedTensor))
    if len(product._shape_tuple()) < 3:
        return product
    lengths_of = a if isinstance(a, RaggedTensor) and not (transpose_a or adjoint_a) else None
    if lengths_of is None:
        return RaggedTensor.from_tensor(product, row_splits_dtype=source._partition.dtype)
    rows = RaggedTensor.from_tensor(
        product, lengths=a._partition.lengths, row_splits_dtype=source._partition.dtype
    )
    return RaggedTensor._of(rows.values, a._partition)


def _check_matrix(value: RaggedTensor) -> None:
    lengths = value._partition.lengths
    if len(lengths) and (lengths != lengths[0]).any():
        raise array.invalid_argument(
            "The matrices in `a` and `b` may not be ragged in their innermost dimension. Row "
            f"lengths are {lengths.tolist()}"
        )


def _gather(params: TensorLike, indices: TensorLike, axis: int = 0, batch_dims: int = 0) -> Any:
    axis, batch = int(axis or 0), int(batch_dims or 0)
    is_dense = isinstance(params, _core.Tensor | _core.Variable)
    if is_dense and not axis and not batch and isinstance(indices, RaggedTensor):
        return indices.with_flat_values(_ops.gather(params, indices.flat_values, 0, 0))
    return arrangement.gather(params, indices, axis, batch)


@hosted(graph_specs.running_sums)
def _cumsum(x: RaggedTensor, axis: Axes = 0, exclusive: bool = False, reverse: bool = False) -> Any:
    axis = checked_axis(axis, len(x.shape))
    if axis > x.ragged_rank:
        inner = axis - x.ragged_rank
        return x.with_flat_values(_ops.cumsum(x.flat_values, inner, exclusive, reverse))
    # Rows are filled up with zeros, so that running sums from either end are right.
    sums = _ops.cumsum(x.to_tensor(), axis, exclusive, reverse)
    if axis < x.ragged_rank:
        x = arrangement.without_lengths(x)
    return x.with_flat_values(_ops.gather_nd(sums, conversion.coordinates(x), 0))


@hosted(graph_specs.coordinates_of)
def _where_indices(condition: RaggedTensor) -> Tensor:
    coordinates = conversion.coordinates(condition)
    flat = condition.flat_values
    indices = _ops.where_indices(flat).numpy()
    outer = coordinates[indices[:, 0]]
    return _core.convert(np.concatenate([outer, indices[:, 1:]], axis=1), dtypes.int64, None)


def _reshape(tensor: RaggedTensor, shape: Any) -> Tensor | RaggedTensor:
    return _ops.reshape(tensor.flat_values, shape)


def _unsorted_segment_sum(data: Any, segment_ids: TensorLike, num_segments: TensorLike) -> Any:
    return reduction.unsorted_segments("reduce_sum", data, segment_ids, num_segments)


def _of_each_value(function: Callable[..., Tensor]) -> Any:
    """Makes a function apply to flat values; its result has a new axis for each value."""

    def applied(value: RaggedTensor, *args: object) -> RaggedTensor:
        return value.with_flat_values(function(value.flat_values, *args))

    return applied


_NATIVE: dict[Callable, Callable] = {
    _ops.bitcast: _of_each_value(_ops.bitcast),
    _ops.one_hot: _of_each_value(_ops.one_hot),
    _ops.concat: arrangement.concat,
    _ops.cumsum: _cumsum,
    _ops.expand_dims: arrangement.expand_dims,
    _ops.gather: _gather,
    _ops.gather_nd: arrangement.gather_nd,
    _ops.matmul: _matmul,
    _ops.reshape: _reshape,
    _ops.reverse: arrangement.reverse,
    _ops.softmax: reduction.softmax,
    _ops.squeeze: lambda input, axis=None: arrangement.squeeze(input, axis),
    _ops.stack: lambda values, axis=0: arrangement.stack(values, axis),
    _ops.tile: arrangement.tile,
    _ops.unsorted_segment_sum: _unsorted_segment_sum,
    _ops.where_indices: _where_indices,
}


def operate(symbol: str, left: Any, right: Any) -> Any:
    """A Python operator with a ragged operand."""
    if symbol in ("and", "or", "xor"):
        ragged = left if isinstance(left, RaggedTensor) else right
        kind = "logical" if ragged.dtype is dtypes.bool else "bitwise"
        return getattr(_ops, f"{kind}_{symbol}")(left, right)
    if symbol in ("eq", "ne"):
        try:
            return OPERATORS[symbol](left, right)
        except (errors.InvalidArgumentError, TypeError, ValueError):
            return symbol == "ne"  # what cannot be compared is unequal, as with tensors
    return OPERATORS[symbol](left, right)


# The functions of Python's operators.
OPERATORS: dict[str, Any] = {
    "add": _ops.add,
    "sub": _ops.subtract,
    "mul": _ops.multiply,
    "truediv": math.truediv,
    "floordiv": _ops.floordiv,
    "mod": _ops.floormod,
    "pow": _ops.pow,
    "eq": _ops.equal,
    "ne": _ops.not_equal,
    "lt": _ops.less,
    "le": _ops.less_equal,
    "gt": _ops.greater,
    "ge": _ops.greater_equal,
    "matmul": _ops.matmul,
}


def _stack(values: list[RaggedTensor], axis: int = 0, name: str | None = None) -> RaggedTensor:
    if isinstance(values, RaggedTensor):
        return array.stack(list(values), axis)
    return arrangement.stack(values, axis)


def _size(input: RaggedTensor, out_type: Any = None, name: str | None = None) -> Tensor:
    dtype = dtypes.int32 if out_type is None else out_type
    return array.size(input.flat_values, dtype)


def _rank(input: RaggedTensor, name: str | None = None) -> Tensor:
    return _core.convert(len(input.shape), dtypes.int32, None)


def _shape(input: RaggedTensor, out_type: DTypeLike | None = None, name: str | None = None) -> Any:
    return DynamicRaggedShape.from_tensor(input, dtypes.int32 if out_type is None else out_type)


def _add_n(inputs: Any, name: str | None = None) -> Any:
    total = inputs[0]
    for item in inputs[1:]:
        total = _ops.add(total, item)
    return total


@hosted(graph_specs.partitioned)
def _dynamic_partition(
    data: Any, partitions: TensorLike, num_partitions: int, name: str | None = None
) -> list:
    which = convert(partitions)
    if isinstance(which, RaggedTensor):
        data, which = convert(data), which.with_row_splits_dtype(dtypes.int64)
        for _ in range(which.ragged_rank):
            if not isinstance(data, RaggedTensor):
                raise ValueError(f"Shapes {data.shape} and {which.shape} are incompatible")
            data = data.values
        data = data.flat_values if isinstance(data, RaggedTensor) else data
        which = which.flat_values
    if not isinstance(data, RaggedTensor):
        return indexing.dynamic_partition(data, which, num_partitions)
    rows = stack_dynamic_partitions(data, which, checked_output_count(num_partitions))
    return [rows[k] for k in range(num_partitions)]


def _bincount(*args: Any, **kwargs: Any) -> Tensor:
    return dense_bincount(*args, **kwargs)


def _segments_of(kind: str) -> Callable:
    def reduced(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
        return reduction.unsorted_segments(kind, data, segment_ids, num_segments)

    return reduced


def _weighted_segments(power: float) -> Callable:
    """Sums of segments, divided by a power of how many elements they have."""

    def reduced(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
        total = reduction.unsorted_segments("reduce_sum", data, segment_ids, num_segments)
        ones = _ops.ones_like(convert(data))
        counts = reduction.unsorted_segments("reduce_sum", ones, segment_ids, num_segments)
        return _ops.divide_real(total, _ops.maximum(counts, _ops.ones_like(counts)) ** power)

    return reduced


_COMPOSED: dict[Callable, Callable] = {
    math.add_n: _add_n,
    segment.bincount: _bincount,
    indexing.dynamic_partition: _dynamic_partition,
    array.rank: _rank,
    ops_reduction.reduce_logsumexp: reduction.reduce_logsumexp,
    ops_reduction.reduce_std: reduction.reduce_std,
    ops_reduction.reduce_variance: reduction.reduce_variance,
    array.shape: _shape,
    activation.softmax: reduction.softmax,
    array.size: _size,
    array.stack: _stack,
    array.split: lambda value, num_or_size_splits, axis=0, num=None, name=None: arrangement.split(
        value, num_or_size_splits, axis
    ),
    segment.unsorted_segment_max: _segments_of("reduce_max"),
    segment.unsorted_segment_mean: _weighted_segments(1.0),
    segment.unsorted_segment_min: _segments_of("reduce_min"),
    segment.unsorted_segment_prod: _segments_of("reduce_prod"),
    segment.unsorted_segment_sqrt_n: _weighted_segments(0.5),
}
