"""Keras 3's operations on shapes, places and whole arrays, with NumPy's names."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.keras import config
from eagerflow.keras.engine.keras_tensor import is_keras_tensor
from eagerflow.keras.ops.elementwise import divide
from eagerflow.keras.ops.promotion import axes_of, floating, pair, result_type, sizes, tensor
from eagerflow.ops import array as _array
from eagerflow.ops import conversion, indexing
from eagerflow.ops.linalg import diagonals

_ops = _core.ops


@op_function
def array(x: Any, dtype: Any = None) -> Any:
    """A tensor of anything."""
    return tensor(x, dtype)


@op_function
def copy(x: Any) -> Any:
    """A tensor of the same values."""
    return _ops.identity(tensor(x))


@op_function
def zeros(shape: Any, dtype: Any = None) -> Any:
    """Zeros, of the float type by default."""
    return _ops.zeros(sizes(shape), dtypes.as_dtype(dtype or config.floatx()))


@op_function
def ones(shape: Any, dtype: Any = None) -> Any:
    """Ones, of the float type by default."""
    return _ops.ones(sizes(shape), dtypes.as_dtype(dtype or config.floatx()))


empty = zeros


@op_function
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """A tensor that holds one value everywhere."""
    value = tensor(fill_value, dtype or (None if hasattr(fill_value, "dtype") else config.floatx()))
    return _ops.broadcast_to(value, sizes(shape))


@op_function
def zeros_like(x: Any, dtype: Any = None) -> Any:
    """Zeros in the shape of a tensor."""
    return conversion.cast(_ops.zeros_like(tensor(x)), dtype or tensor(x).dtype)


@op_function
def ones_like(x: Any, dtype: Any = None) -> Any:
    """Ones in the shape of a tensor."""
    return conversion.cast(_ops.ones_like(tensor(x)), dtype or tensor(x).dtype)


empty_like = zeros_like


@op_function
def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Any:
    """One value, in the shape of a tensor."""
    x = tensor(x)
    value = tensor(fill_value, dtype or x.dtype)
    return _ops.broadcast_to(value, list(x._shape_tuple()))


@op_function
def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    """Numbers from start, up to but without stop."""
    if dtype is None:
        given = [value for value in (start, stop, step) if value is not None]
        dtype = result_type(*given)
    if stop is None:
        start, stop = 0, start
    kind = dtypes.as_dtype(dtype)
    low, high, by = (tensor(v, kind) for v in (start, stop, 1 if step is None else step))
    return _ops.range(low, high, by)


@op_function
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Numbers at equal distances between two bounds."""
    start, stop = pair(floating(start), floating(stop))
    parts = num - 1 if endpoint else num
    step = divide(stop - start, tensor(builtins.max(parts, 1), start.dtype))
    places = _ops.cast(_ops.range(0, num, 1), start.dtype)
    places = _ops.reshape(places, [num] + [1] * step.ndim)
    values = start + places * step
    if endpoint and num > 1:
        values = _ops.concat([values[:-1], _ops.expand_dims(stop + _ops.zeros_like(step), 0)], 0)
    values = moveaxis(values, 0, axis)
    values = values if dtype is None else conversion.cast(values, dtypes.as_dtype(dtype))
    return (values, step) if retstep else values


@op_function
def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Powers of a base, with exponents at equal distances."""
    exponents = linspace(start, stop, num, endpoint, axis=axis)
    values = _ops.pow(tensor(base, exponents.dtype), exponents)
    return values if dtype is None else conversion.cast(values, dtypes.as_dtype(dtype))


@op_function
def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """Ones on a diagonal, zeros elsewhere."""
    return array(np.eye(N, M, k), dtype or config.floatx())


@op_function
def identity(n: int, dtype: Any = None) -> Any:
    """The unit matrix."""
    return eye(n, dtype=dtype)


@op_function
def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """Ones on and below a diagonal."""
    return array(np.tri(N, M, k), dtype or config.floatx())


@op_function
def tril(x: Any, k: int = 0) -> Any:
    """Matrices with zeros above a diagonal."""
    x = tensor(x)
    rows, columns = x._shape_tuple()[-2:]
    keep = _core.as_tensor(np.tri(rows, columns, k, dtype=bool))
    return _ops.select(keep, x, _ops.zeros_like(x))


@op_function
def triu(x: Any, k: int = 0) -> Any:
    """Matrices with zeros below a diagonal."""
    x = tensor(x)
    rows, columns = x._shape_tuple()[-2:]
    keep = _core.as_tensor(~np.tri(rows, columns, k - 1, dtype=bool))
    return _ops.select(keep, x, _ops.zeros_like(x))


@op_function
def diag(x: Any, k: int = 0) -> Any:
    """A matrix with a vector on a diagonal, or a matrix's diagonal."""
    x = tensor(x)
    if x.ndim == 1:
        side = x._shape_tuple()[0] + abs(k)
        return diagonals.diag(x, k=k, num_rows=side, num_cols=side)
    return diagonal(x, k)


@op_function
def diagflat(x: Any, k: int = 0) -> Any:
    """A matrix with all values on a diagonal."""
    return diag(ravel(x), k)


@op_function
def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The diagonals of matrices along two axes, as the last axis."""
    x = moveaxis(tensor(x), (axis1, axis2), (-2, -1))
    rows, columns = x._shape_tuple()[-2:]
    first = max(-offset, 0)
    count = builtins.max(0, min(rows - first, columns - max(offset, 0)))
    places = [(first + i) * columns + max(offset, 0) + i for i in range(count)]
    flat = _ops.reshape(x, [*x._shape_tuple()[:-2], rows * columns])
    return _ops.gather(flat, _core.as_tensor(np.array(places, "int32")), axis=-1)


@op_function
def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Sums of diagonals."""
    return _ops.reduce_sum(diagonal(x, offset, axis1, axis2), axis=-1)


@op_function
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Powers of a vector's elements, as columns."""
    x = tensor(x)
    count = x._shape_tuple()[0] if N is None else N
    powers = np.arange(count) if increasing else np.arange(count)[::-1]
    return _ops.pow(_ops.expand_dims(x, -1), tensor(powers.copy(), x.dtype))


def shape(x: Any) -> tuple:
    """The shape, with None for sizes that are not known."""
    if is_keras_tensor(x):
        return tuple(x.shape.as_list())
    return tuple(tensor(x)._shape_tuple())


def ndim(x: Any) -> int:
    """How many axes there are."""
    return len(shape(x))


@op_function
def size(x: Any) -> Any:
    """How many elements there are."""
    return _array.size(tensor(x))


@op_function
def reshape(x: Any, newshape: Any) -> Any:
    """The elements in another shape; one size may be -1."""
    return _ops.reshape(tensor(x), newshape)


@op_function
def ravel(x: Any) -> Any:
    """The elements as a vector."""
    return _ops.reshape(tensor(x), [-1])


@op_function
def transpose(x: Any, axes: Any = None) -> Any:
    """Axes in another order, reversed by default."""
    x = tensor(x)
    return _ops.transpose(x, list(range(x.ndim))[::-1] if axes is None else list(axes))


@op_function
def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """Axes moved to other places."""
    x = tensor(x)
    one = [source] if isinstance(source, int) else list(source)
    other = [destination] if isinstance(destination, int) else list(destination)
    rank = x.ndim
    one, other = [k % rank for k in one], [k % rank for k in other]
    order = [k for k in range(rank) if k not in one]
    for place, axis in sorted(zip(other, one, strict=True)):
        order.insert(place, axis)
    return _ops.transpose(x, order)


@op_function
def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    """Two axes exchanged."""
    x = tensor(x)
    order = list(range(x.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return _ops.transpose(x, order)


@op_function
def expand_dims(x: Any, axis: Any) -> Any:
    """Axes of size one added."""
    x = tensor(x)
    axes = [axis] if isinstance(axis, int) else list(axis)
    rank = x.ndim + len(axes)
    for k in sorted(k % rank for k in axes):
        x = _ops.expand_dims(x, k)
    return x


@op_function
def squeeze(x: Any, axis: Any = None) -> Any:
    """Axes of size one taken away."""
    x = tensor(x)
    if axis is None:
        return _ops.squeeze(x)
    axes = [axis] if isinstance(axis, int) else list(axis)
    for k in axes:
        if x._shape_tuple()[k] != 1:
            raise ValueError(
                f"Cannot squeeze axis={k}, because the dimension is not 1. Received: "
                f"x.shape={tuple(x.shape)}"
            )
    return _ops.squeeze(x, axes)


@op_function
def broadcast_to(x: Any, shape: Any) -> Any:
    """The elements, repeated to fill a shape."""
    return _ops.broadcast_to(tensor(x), sizes(shape))


@op_function
def concatenate(xs: Any, axis: Any = 0) -> Any:
    """Tensors one behind the other along an axis."""
    kind = dtypes.as_dtype(result_type(*[tensor(x) for x in xs]))
    if axis is None:
        return _ops.concat([conversion.cast(ravel(x), kind) for x in xs], 0)
    return _ops.concat([conversion.cast(tensor(x), kind) for x in xs], axis)


@op_function
def append(x1: Any, x2: Any, axis: int | None = None) -> Any:
    """One tensor behind the other; as vectors without an axis."""
    return concatenate([x1, x2], axis)


@op_function
def stack(x: Any, axis: int = 0) -> Any:
    """Tensors along a new axis."""
    kind = dtypes.as_dtype(result_type(*[tensor(value) for value in x]))
    return _ops.stack([conversion.cast(tensor(value), kind) for value in x], axis=axis)


@op_function
def unstack(x: Any, num: int | None = None, axis: int = 0) -> list[Any]:
    """The tensors along an axis."""
    return list(_ops.unstack(tensor(x), axis=axis))


@op_function
def hstack(xs: Any) -> Any:
    """Tensors side by side: along the second axis, vectors along the first."""
    xs = [x if x.ndim else reshape(x, [1]) for x in map(tensor, xs)]
    return concatenate(xs, 0 if xs[0].ndim == 1 else 1)


@op_function
def vstack(xs: Any) -> Any:
    """Tensors one below the other; vectors are rows."""
    xs = [x if x.ndim > 1 else reshape(x, [1, -1]) for x in map(tensor, xs)]
    return concatenate(xs, 0)


@op_function
def dstack(xs: Any) -> Any:
    """Tensors along the third axis."""

    def deep(x: Any) -> Any:
        x = tensor(x)
        if x.ndim < 2:
            x = reshape(x, [1, -1])
        return x if x.ndim > 2 else expand_dims(x, -1)

    return concatenate([deep(x) for x in xs], 2)


@op_function
def split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Parts along an axis: a number of equal ones, or those between places."""
    x = tensor(x)
    length = x._shape_tuple()[axis]
    if isinstance(indices_or_sections, int):
        if length % indices_or_sections:
            raise ValueError(
                f"`x` size along axis={axis} is {length}, which does not divide into "
                f"{indices_or_sections} equal parts."
            )
        return list(_ops.split(x, [length // indices_or_sections] * indices_or_sections, axis))
    places = [0, *(min(int(k), length) for k in indices_or_sections), length]
    widths = [max(b - a, 0) for a, b in zip(places, places[1:], strict=False)]
    return list(_ops.split(x, widths, axis))


@op_function
def array_split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Parts along an axis that are as equal as they can be."""
    x = tensor(x)
    if not isinstance(indices_or_sections, int):
        return split(x, indices_or_sections, axis)
    width, more = divmod(x._shape_tuple()[axis], indices_or_sections)
    return list(_ops.split(x, [width + (k < more) for k in range(indices_or_sections)], axis))


@op_function
def hsplit(x: Any, indices_or_sections: Any) -> list[Any]:
    """Parts along the second axis; of vectors along the first."""
    x = tensor(x)
    return split(x, indices_or_sections, 0 if x.ndim == 1 else 1)


@op_function
def vsplit(x: Any, indices_or_sections: Any) -> list[Any]:
    """Parts along the first axis."""
    return split(x, indices_or_sections, 0)


@op_function
def dsplit(x: Any, indices_or_sections: Any) -> list[Any]:
    """Parts along the third axis."""
    return split(x, indices_or_sections, 2)


@op_function
def tile(x: Any, repeats: Any) -> Any:
    """Copies side by side."""
    x = tensor(x)
    counts = sizes(repeats)
    rank = builtins.max(len(counts), x.ndim)
    x = _ops.reshape(x, [1] * (rank - x.ndim) + list(x._shape_tuple()))
    return _ops.tile(x, [1] * (rank - len(counts)) + counts)


@op_function
def repeat(x: Any, repeats: Any, axis: int | None = None) -> Any:
    """Each element several times."""
    x = tensor(x)
    if axis is None:
        x, axis = ravel(x), 0
    return _array.repeat(x, repeats, axis)


@op_function
def flip(x: Any, axis: Any = None) -> Any:
    """The elements in reverse, along all axes by default."""
    x = tensor(x)
    return _ops.reverse(x, axes_of(axis, x.ndim))


@op_function
def fliplr(x: Any) -> Any:
    """The elements in reverse along the second axis."""
    return flip(x, 1)


@op_function
def flipud(x: Any) -> Any:
    """The elements in reverse along the first axis."""
    return flip(x, 0)


@op_function
def rot90(array: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """A plane turned by quarters, from the first towards the second axis."""
    x = tensor(array)
    first, second = axes
    for _ in range(k % 4):
        x = flip(swapaxes(x, first, second), first)
    return x


@op_function
def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """Elements moved along axes; those that fall out come in on the other side."""
    x = tensor(x)
    if axis is None:
        return _ops.reshape(_array.roll(ravel(x), shift, 0), list(x._shape_tuple()))
    return _array.roll(x, shift, axis)


@op_function
def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = None) -> Any:
    """Elements added around a tensor.

    Args:
        x: the tensor.
        pad_width: how many before and after on each axis; a number or a pair means all axes.
        mode: "constant", "reflect" or "symmetric".
        constant_values: what is added with "constant", 0 by default.
    """
    x = tensor(x)
    widths = np.broadcast_to(np.asarray(pad_width), (x.ndim, 2)).tolist()
    if mode == "constant":
        return _array.pad(x, widths, "CONSTANT", 0 if constant_values is None else constant_values)
    return _array.pad(x, widths, mode.upper())


@op_function
def meshgrid(*x: Any, indexing: str = "xy") -> list[Any]:
    """The coordinates of a grid's points."""
    return list(_array.meshgrid(*[tensor(value) for value in x], indexing=indexing))


@op_function
def take(x: Any, indices: Any, axis: int | None = None) -> Any:
    """Elements or slices by their places, counted from the end where negative."""
    x = tensor(x)
    if axis is None:
        x, axis = ravel(x), 0
    indices = tensor(indices)
    if indices.dtype.is_floating or indices.dtype.is_bool:
        indices = _ops.cast(indices, dtypes.int32)
    length = x._shape_tuple()[axis]
    indices = _ops.select(_ops.less(indices, _ops.zeros_like(indices)), indices + length, indices)
    return _ops.gather(x, indices, axis=axis)


@op_function
def take_along_axis(x: Any, indices: Any, axis: int | None = None) -> Any:
    """For each line along an axis elements by places of its own."""
    x, indices = tensor(x), tensor(indices)
    if axis is None:
        x, indices, axis = ravel(x), ravel(indices), 0
    axis %= x.ndim
    length = x._shape_tuple()[axis]
    indices = _ops.select(_ops.less(indices, _ops.zeros_like(indices)), indices + length, indices)
    x, indices = moveaxis(x, axis, -1), moveaxis(indices, axis, -1)
    lead = np.broadcast_shapes(x._shape_tuple()[:-1], indices._shape_tuple()[:-1])
    x = _ops.broadcast_to(x, [*lead, length])
    count = indices._shape_tuple()[-1]
    indices = _ops.broadcast_to(indices, [*lead, count])
    rows = int(np.prod(lead, dtype="int64"))
    picked = indexing.gather(
        _ops.reshape(x, [rows, length]), _ops.reshape(indices, [rows, count]), batch_dims=1
    )
    return moveaxis(_ops.reshape(picked, [*lead, count]), -1, axis)


def get_item(x: Any, key: Any) -> Any:
    """`x[key]`."""
    return x[key]


@op_function
def where(condition: Any, x1: Any = None, x2: Any = None) -> Any:
    """Elements of x1 where a condition holds and of x2 elsewhere, or the places where it does."""
    if (x1 is None) != (x2 is None):
        raise ValueError("`x1` and `x2` either both should be `None` or both should have values.")
    if x1 is None:
        return nonzero(condition)
    condition = tensor(condition)
    if not condition.dtype.is_bool:
        condition = _ops.cast(condition, dtypes.as_dtype("bool"))
    x1, x2 = pair(x1, x2)
    return indexing.where(condition, x1, x2)


@op_function
def nonzero(x: Any) -> tuple[Any, ...]:
    """The places of elements that are not zero: a vector for each axis."""
    x = tensor(x)
    truth = x if x.dtype.is_bool else _ops.not_equal(x, _ops.zeros_like(x))
    places = _ops.cast(_ops.where_indices(truth), dtypes.int32)
    return tuple(_ops.unstack(places, axis=1))


@op_function
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """For each element the choice of the first condition that holds."""
    result = tensor(default)
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        result = where(condition, choice, result)
    return result


@op_function
def sort(x: Any, axis: int = -1) -> Any:
    """Elements in ascending order."""
    return indexing.sort(tensor(x), axis=axis)


@op_function
def argsort(x: Any, axis: int | None = -1) -> Any:
    """The places of elements in ascending order."""
    x = tensor(x)
    if axis is None:
        x, axis = ravel(x), 0
    return _ops.cast(indexing.argsort(x, axis=axis, stable=True), dtypes.int32)


@op_function
def argpartition(x: Any, kth: int, axis: int = -1) -> Any:
    """Places such that the kth is that of sorted elements, with smaller ones before it."""
    return argsort(x, axis)


@op_function
def searchsorted(sorted_sequence: Any, values: Any, side: str = "left") -> Any:
    """Where values belong in a sorted vector."""
    sequence, values = pair(sorted_sequence, values)
    shape = list(values._shape_tuple())
    found = indexing.searchsorted(sequence, _ops.reshape(values, [-1]), side=side)
    return _ops.reshape(_ops.cast(found, dtypes.int32), shape)


@op_function
def digitize(x: Any, bins: Any) -> Any:
    """The numbers of the bins that values fall into."""
    return searchsorted(bins, x, side="right")


@op_function
def unravel_index(indices: Any, shape: Any) -> tuple[Any, ...]:
    """Places in a tensor from places in its elements' row."""
    indices = tensor(indices)
    result = []
    for length in reversed(sizes(shape)):
        divisor = tensor(length, indices.dtype)
        result.append(_ops.floormod(indices, divisor))
        indices = _ops.floordiv(indices, divisor)
    return tuple(reversed(result))


@op_function
def isin(x1: Any, x2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """Whether elements of x1 are somewhere in x2."""
    x1, x2 = pair(x1, x2)
    found = _ops.reduce_any(_ops.equal(_ops.expand_dims(x1, -1), ravel(x2)), axis=-1)
    return _ops.logical_not(found) if invert else found


@op_function
def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """Differences of neighbours, taken n times."""
    x = moveaxis(tensor(a), axis, -1)
    for _ in range(n):
        x = x[..., 1:] - x[..., :-1]
    return moveaxis(x, -1, axis)


def vectorize(pyfunc: Any, *, excluded: Any = None, signature: str | None = None) -> Any:
    """A function that is applied to each element of its arguments, which are broadcast."""
    left_out = set(excluded or ())

    def vectorized(*args: Any) -> Any:
        mapped = [tensor(x) for k, x in enumerate(args) if k not in left_out]
        shape = list(np.broadcast_shapes(*[x._shape_tuple() for x in mapped]))
        rows = [_ops.unstack(ravel(_ops.broadcast_to(x, shape))) for x in mapped]
        values = []
        for row in zip(*rows, strict=True):
            given = iter(row)
            values.append(
                pyfunc(*[x if k in left_out else next(given) for k, x in enumerate(args)])
            )
        return _ops.reshape(stack(values), shape)

    return vectorized
