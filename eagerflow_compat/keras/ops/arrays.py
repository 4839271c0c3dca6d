"""Keras 3's operations on arrays that NumPy's other namespace does not share."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.array_indexing import counted
from eagerflow.framework.op_function import op_function
from eagerflow.keras import config
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.ops import array as _array
from eagerflow.ops import indexing
from eagerflow.ops.numpy_functions import selection, shapes
from eagerflow.ops.numpy_functions.rules import sizes
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike
from eagerflow_compat.keras.ops.promotion import KERAS, pair, result_type, tensor

_ops = _core.ops
Tensor = _core.Tensor


@op_function
def full(shape: ShapeLike | None, fill_value: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """A tensor filled with a value."""
    value = tensor(fill_value, dtype or (None if hasattr(fill_value, "dtype") else config.floatx()))
    return _ops.broadcast_to(value, sizes(shape))


@op_function
def arange(
    start: TensorLike, stop: Any = None, step: Any = None, dtype: DTypeLike | None = None
) -> Tensor:
    """Evenly spaced numbers from start up to, but not including, stop."""
    if dtype is None:
        given = [value for value in (start, stop, step) if value is not None]
        dtype = result_type(*given)
    if stop is None:
        start, stop = 0, start
    kind = dtypes.as_dtype(dtype)
    low, high, by = (tensor(v, kind) for v in (start, stop, 1 if step is None else step))
    return _ops.range(low, high, by)


def shape(x: Any) -> tuple:
    """The shape, with None for sizes of a model's inputs that are not known.

    While a function is traced, such sizes are tensors.
    """
    if isinstance(x, KerasTensor):
        return tuple(x.shape.as_list())
    return tensor(x)._sizes()


def ndim(x: TensorLike) -> int:
    """The number of axes."""
    return len(shape(x))


@op_function
def size(x: TensorLike) -> Tensor:
    """The number of elements."""
    return _array.size(tensor(x))


@op_function
def reshape(x: TensorLike, newshape: ShapeLike) -> Tensor:
    """The elements in another shape; one size may be -1."""
    return _ops.reshape(tensor(x), newshape)


@op_function
def view(x: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """The bytes of a tensor as elements of another dtype.

    Args:
        x: the tensor.
        dtype: the new dtype. If its elements have another size, the last axis has more of them, or
            fewer.

    Raises:
        ValueError: if the last axis does not fit, or if there is none.

    >>> tf.keras.ops.view([1.0, 2.0], "uint16").numpy()
    array([    0, 16256,     0, 16384], dtype=uint16)
    """
    x = tensor(x)
    kind = x.dtype if dtype is None else dtypes.as_dtype(dtype)
    old, new = x.dtype.size, kind.size
    if old == new:
        return _ops.bitcast(x, kind)
    shape = x._sizes()
    if not shape or (isinstance(shape[-1], int) and shape[-1] * old % new):
        raise ValueError(
            f"A tensor of shape {tuple(x.shape)} and dtype {x.dtype.name} cannot be viewed as "
            f"{kind.name}: the bytes along its last axis are no multiple of {new}."
        )
    *outer, last = shape
    if old < new:
        parts = new // old
        return _ops.bitcast(_ops.reshape(x, [*outer, last // parts, parts]), kind)
    return _ops.reshape(_ops.bitcast(x, kind), [*outer, last * (old // new)])


@op_function
def squeeze(x: TensorLike, axis: Any = None) -> Tensor:
    """The tensor without axes of size 1."""
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
def unstack(x: TensorLike, num: int | None = None, axis: int = 0) -> list[Tensor]:
    """The tensors along an axis."""
    return list(_ops.unstack(tensor(x), axis=axis))


@op_function
def split(x: TensorLike, indices_or_sections: TensorLike, axis: int = 0) -> list[Any]:
    """Parts along an axis: a number of equal ones, or those between indices.

    Raises:
        ValueError: if the length along the axis is no multiple of the number of parts.
    """
    x = tensor(x)
    length = x._shape_tuple()[axis]
    if isinstance(indices_or_sections, int) and length % indices_or_sections:
        raise ValueError(
            f"`x` size along axis={axis} is {length}, which does not divide into "
            f"{indices_or_sections} equal parts."
        )
    return list(shapes.split(KERAS, x, indices_or_sections, axis))


@op_function
def array_split(x: TensorLike, indices_or_sections: TensorLike, axis: int = 0) -> list[Tensor]:
    """Parts along an axis, of sizes that differ by one at most."""
    x = tensor(x)
    if not isinstance(indices_or_sections, int):
        return split(x, indices_or_sections, axis)
    width, more = divmod(x._shape_tuple()[axis], indices_or_sections)
    return list(_ops.split(x, [width + (k < more) for k in range(indices_or_sections)], axis))


@op_function
def hsplit(x: TensorLike, indices_or_sections: TensorLike) -> list[Tensor]:
    """Parts along the second axis; of vectors along the first."""
    x = tensor(x)
    return split(x, indices_or_sections, 0 if x.ndim == 1 else 1)


@op_function
def vsplit(x: TensorLike, indices_or_sections: TensorLike) -> list[Tensor]:
    """Parts along the first axis."""
    return split(x, indices_or_sections, 0)


@op_function
def dsplit(x: TensorLike, indices_or_sections: TensorLike) -> list[Tensor]:
    """Parts along the third axis."""
    return split(x, indices_or_sections, 2)


@op_function
def meshgrid(*x: TensorLike, indexing: str = "xy") -> list[Tensor]:
    """Coordinate matrices of a grid."""
    return list(_array.meshgrid(*[tensor(value) for value in x], indexing=indexing))


@op_function
def take(x: TensorLike, indices: TensorLike, axis: int | None = None) -> Tensor:
    """Elements or slices by their indices, counted from the end where negative."""
    x = tensor(x)
    if axis is None:
        x, axis = _ops.reshape(x, [-1]), 0
    indices = tensor(indices)
    if indices.dtype.is_floating or indices.dtype.is_bool:
        indices = _ops.cast(indices, dtypes.int32)
    return _ops.gather(x, counted(indices, x, axis), axis=axis)


def get_item(x: Tensor, key: Any) -> Any:
    """`x[key]`."""
    return x[key]


@op_function
def argpartition(x: TensorLike, kth: int, axis: int = -1) -> Tensor:
    """Indices such that the kth is that of sorted elements, with smaller ones before it."""
    return selection.argsort(KERAS, x, axis)


@op_function
def searchsorted(sorted_sequence: TensorLike, values: Any, side: str = "left") -> Tensor:
    """The indices at which values would be inserted into a sorted vector."""
    sequence, values = pair(sorted_sequence, values)
    shape = list(values._shape_tuple())
    indices = indexing.searchsorted(sequence, _ops.reshape(values, [-1]), side=side)
    return _ops.reshape(_ops.cast(indices, dtypes.int32), shape)


@op_function
def digitize(x: TensorLike, bins: TensorLike) -> Tensor:
    """The indices of the bins that values fall into."""
    return searchsorted(bins, x, side="right")


@op_function
def unravel_index(indices: TensorLike, shape: ShapeLike | None) -> tuple[Tensor, ...]:
    """Indices along each axis from indices into the flat tensor."""
    indices = tensor(indices)
    result = []
    for length in reversed(sizes(shape)):
        divisor = tensor(length, indices.dtype)
        result.append(_ops.floormod(indices, divisor))
        indices = _ops.floordiv(indices, divisor)
    return tuple(reversed(result))


@op_function
def isin(
    x1: TensorLike, x2: TensorLike, assume_unique: bool = False, invert: bool = False
) -> Tensor:
    """Whether elements of x1 are among those of x2."""
    x1, x2 = pair(x1, x2)
    among = _ops.reduce_any(_ops.equal(_ops.expand_dims(x1, -1), _ops.reshape(x2, [-1])), axis=-1)
    return _ops.logical_not(among) if invert else among


def vectorize(pyfunc: Any, *, excluded: Any = None, signature: str | None = None) -> Any:
    """A function that is applied to each element of its arguments, which are broadcast."""
    left_out = set(excluded or ())

    def vectorized(*args: TensorLike) -> Tensor:
        mapped = [tensor(x) for k, x in enumerate(args) if k not in left_out]
        shape = list(np.broadcast_shapes(*[x._shape_tuple() for x in mapped]))
        rows = [_ops.unstack(_ops.reshape(_ops.broadcast_to(x, shape), [-1])) for x in mapped]
        values = []
        for row in zip(*rows, strict=True):
            given = iter(row)
            values.append(
                pyfunc(*[x if k in left_out else next(given) for k, x in enumerate(args)])
            )
        return _ops.reshape(shapes.stack(KERAS, values), shape)

    return vectorized
