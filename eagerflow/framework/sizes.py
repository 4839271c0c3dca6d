"""Sizes of tensors whose shapes may be partly unknown, for functions composed of operations.

A size that is not known while a graph is built is an int32 scalar of the graph.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework.dtypes import DType, int32

_ops = _core.ops
Tensor = _core.Tensor

# An int, or a scalar tensor where it is not known.
Size = Any
# The known sizes of a shape, `_shape_tuple()`.
Known = Sequence[int | None] | None


_MOST_OUTPUTS = 1 << 24  # the engine's limit, core/ops/array.h


def checked_output_count(count: int | np.integer) -> int:
    """The number of tensors that an operation returns, before lists of that length are built.

    Raises:
        ValueError: if it is too large.
    """
    if count > _MOST_OUTPUTS:
        raise ValueError(f"Number of outputs is too big: {count}")
    return int(count)


_STRING_BYTES = 32  # of a string in the engine, besides long texts


def require_memory(sizes: Sequence[int], dtype: DType) -> None:
    """Refuses a result that cannot be in memory, before work on it begins.

    Args:
        sizes: its shape.
        dtype: its dtype.

    Raises:
        tf.errors.ResourceExhaustedError: if it is larger than the machine's memory.
    """
    _core.require_memory(float(math.prod(sizes)) * (dtype.size or _STRING_BYTES))


def sizes_of(x: Tensor) -> tuple[Size, ...]:
    """The sizes of all axes of a tensor whose rank is known.

    Raises:
        ValueError: if the rank is unknown.
    """
    known = x._shape_tuple()
    if known is None:
        raise ValueError("The rank of a tensor must be known here, but its shape is <unknown>.")
    if None not in known:
        return known
    shape = _ops.shape(x)
    return tuple(shape[k] if size is None else size for k, size in enumerate(known))


def joined_shape(*shapes: Sequence[Size] | Tensor) -> list[Size] | Tensor:
    """Shapes, as `shape_of` returns them, one after the other."""
    if not any(isinstance(shape, Tensor) for shape in shapes):
        return [size for shape in shapes for size in shape]
    vectors = [_core.convert(shape, int32, None) for shape in shapes if not _is_empty(shape)]
    return _ops.concat(vectors, 0)


def _is_empty(shape: Sequence[Size] | Tensor) -> bool:
    return not isinstance(shape, Tensor) and not shape


def may_equal(a: Known, b: Known) -> bool:
    """Whether two shapes may be the same.

    >>> may_equal((2, None), (2, 3)), may_equal((2, 3), None), may_equal((2,), (3,))
    (True, True, False)
    """
    if a == b or a is None or b is None:
        return True
    return len(a) == len(b) and all(map(sizes_may_equal, a, b))


def sizes_may_equal(a: int | None, b: int | None) -> bool:
    """Whether two sizes may be the same."""
    return a is None or b is None or a == b


def is_known(*sizes: Size) -> bool:
    """Whether sizes of `sizes_of`, or values computed from them, are Python integers."""
    return _core.SymbolicTensor not in map(type, sizes)


def known_length(values: Tensor, count: int | None = None) -> int:
    """The number of elements of a vector; `count` if that number is unknown.

    Raises:
        ValueError: if neither is known.
    """
    length = values._size if values._size is not None else count
    if length is None:
        raise ValueError(
            f"The length of a vector must be known here, but its shape is {values.shape}."
        )
    return length


def sizes_in(values: Any, count: int | None = None) -> list[Size]:
    """The sizes in a list or a tensor, which has `count` of them if that is not None.

    Raises:
        ValueError: if the number of sizes is unknown.
    """
    if not isinstance(values, Tensor):
        return list(values)
    if not _core.is_symbolic(values):
        return values.numpy().tolist()
    known = _core.partial_value(values)
    if known is None:
        known = [None] * known_length(values, count)
    return [values[k] if size is None else size for k, size in enumerate(known)]


def at_least(size: Size, least: Size) -> Size:
    """The larger of two sizes."""
    return max(size, least) if is_known(size, least) else _ops.maximum(size, least)


def at_most(size: Size, most: Size) -> Size:
    """The smaller of two sizes."""
    return min(size, most) if is_known(size, most) else _ops.minimum(size, most)


def with_sizes(x: Tensor, sizes: Sequence[Size]) -> Tensor:
    """The result of an operation, with sizes that its shape inference does not know."""
    if _core.is_symbolic(x):
        _core.refine_shape(x, [size if is_known(size) else None for size in sizes])
    return x


def known_array(value: object, dtype: Any, name: str) -> np.ndarray:
    """The elements of an argument that a trace depends on.

    Raises:
        ValueError: if the value is not known while a function is traced.
    """
    known = _core.static_value(_core.convert(value, None, dtype))
    if known is None:
        raise ValueError(
            f"`{name}` must be known while a function is traced, but it is {value}: pass a constant."
        )
    return known.numpy()


def shape_of(x: Tensor) -> Any:
    """The sizes of all axes, or, if the rank is unknown, the vector of them."""
    return _ops.shape(x) if x._shape_tuple() is None else sizes_of(x)


def rank_of(x: Tensor) -> Size:
    """The number of axes."""
    return _ops.shape(_ops.shape(x))[0] if x.ndim is None else x.ndim


def count_of(x: Tensor) -> Size:
    """The number of elements."""
    return _ops.reduce_prod(_ops.shape(x)) if x._size is None else x._size


def reshaped(x: Tensor, sizes: Any) -> Tensor:
    """The tensor in another shape, a list of sizes or a vector.

    A single unknown size follows from the others, and needs no computation.
    """
    if isinstance(sizes, Tensor):
        return _ops.reshape(x, sizes)
    if is_known(*sizes):
        return _ops.reshape(x, sizes)
    unknown = [k for k, size in enumerate(sizes) if isinstance(size, Tensor)]
    if len(unknown) == 1 and 0 not in [s for s in sizes if not isinstance(s, Tensor)]:
        sizes = [-1 if k == unknown[0] else size for k, size in enumerate(sizes)]
    return _ops.reshape(x, sizes)


def as_column(values: Any, x: Tensor) -> Tensor:
    """A vector with a number for each row of a tensor, in a shape that broadcasts with its rows."""
    if x.ndim is not None:
        return _ops.reshape(values, [-1, *[1] * (x.ndim - 1)])
    ones = _ops.ones_like(_ops.shape(x)[1:])
    return _ops.reshape(values, _ops.concat([[-1], ones], 0))


def as_matrix(x: Tensor) -> Tensor:
    """The tensor with all axes but the last merged into one."""
    known = x._shape_tuple()
    if known is None:
        return of_rank(_ops.reshape(x, _ops.concat([[-1], _ops.shape(x)[-1:]], 0)), 2)
    if len(known) == 2:
        return x
    *outer, last = sizes_of(x)
    return reshaped(x, [math.prod(outer), last])


def of_rank(x: Tensor, rank: int) -> Tensor:
    """The tensor; its rank is set to this one if unknown."""
    if x.ndim is None:
        x = _ops.identity(x)
        _core.refine_shape(x, [None] * rank)
    return x


def checked_axis(axis: Any, rank: int, name: str = "axis") -> int:
    """An axis as an index from 0 on. Raises ValueError if there is no such axis."""
    axis = int(axis)
    if not -rank <= axis < rank:
        raise ValueError(f"{name}={axis} out of bounds: expected {-rank}<={name}<{rank}")
    return axis % rank


def with_axes(x: Tensor, first: Size, count: int, function: Callable[[Tensor], Tensor]) -> Tensor:
    """Applies a function of adjacent axes to a tensor whose rank, or whose sizes of these axes, are unknown.

    The axes before them are merged into one, as are those after them; the result has all axes.

    Args:
        x: a tensor.
        first: the first of the axes: an integer, of at least 0, or a scalar tensor.
        count: the number of axes.
        function: accepts a tensor of `count` + 2 axes, and returns one with the same first axis and
            the same last axis.
    """
    shape, end = _ops.shape(x), first + count
    outer, rest = _ops.reduce_prod(shape[:first]), _ops.reduce_prod(shape[end:])
    inner = _ops.concat([outer[None], shape[first:end], rest[None]], 0)
    result = function(of_rank(_ops.reshape(x, inner), count + 2))
    whole = _ops.concat([shape[:first], _ops.shape(result)[1:-1], shape[end:]], 0)
    return _ops.reshape(result, whole)


def of_any_rank(inner: int) -> Callable[[Callable], Callable]:
    """The `in_graph` of a function of the last axes of its first argument.

    If the rank is unknown, the other axes are merged before the call and restored after it.

    Args:
        inner: how many axes the function computes with.

    >>> from eagerflow.framework.op_function import op_function
    >>> from eagerflow.framework.sizes import of_any_rank
    >>> @op_function(in_graph=of_any_rank(1))
    ... def first(x):
    ...     return x[:, :1]
    """

    def of(function: Callable) -> Callable:
        @functools.wraps(function)
        def call(first: Tensor, *args: object, **kwargs: object) -> Any:
            x = _core.as_tensor(first)
            if x.ndim is not None:
                return function(x, *args, **kwargs)
            shape = _ops.shape(x)
            count = _ops.reduce_prod(shape[:-inner])
            flat = _ops.reshape(x, _ops.concat([count[None], shape[-inner:]], 0))
            result = function(of_rank(flat, inner + 1), *args, **kwargs)
            sizes = _ops.concat([shape[:-inner], _ops.shape(result)[1:]], 0)
            return _ops.reshape(result, sizes)

        # The first argument may be passed by name.
        name = next(iter(inspect.signature(function).parameters))

        def in_graph(*args: Any, **kwargs: Any) -> Any:
            return call(*args, **kwargs) if args else call(kwargs.pop(name), **kwargs)

        return in_graph

    return of
