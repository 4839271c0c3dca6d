"""Indexing by arrays, by NumPy's rules: `x[[0, 1], [1, 0]]`, `x[:, mask]`, and `x.at[...]`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.sizes import may_equal, rank_of

_ops = _core.ops
Tensor = _core.Tensor

VALID_INDICES = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
    "tf.int32/tf.int64 tensors are valid indices"
)


def get_item(value: Any, key: Any) -> Tensor:
    """The elements `value[key]`, where parts of the key are arrays of integers or booleans.

    The arrays broadcast, and so do integers beside them. Their axes take the place of those that they
    index, or come first if a slice, a new axis or an ellipsis stands between two of them.

    Args:
        value: a tensor or a variable. Unless only its first axes are indexed, its rank must be known.
        key: what stands between the brackets.

    Returns:
        A tensor of the same dtype. Its gradient adds up where an element was taken several times.

    Raises:
        TypeError: if a part of the key is no index.
        ValueError: if a mask has other sizes than the axes that it indexes.
        tf.errors.InvalidArgumentError: if an index is out of range, or there are too many.

    >>> x = tf.reshape(tf.range(6), [2, 3])
    >>> x[[0, 1], [2, 0]].numpy(), x[:, [0, 2]].numpy().tolist()
    (array([2, 3], dtype=int32), [[0, 2], [3, 5]])
    """
    value = _core.as_tensor(value)
    if isinstance(key, Tensor | _core.Variable | np.ndarray) and key.dtype == dtypes.bool:
        return _masked(value, _core.as_tensor(key))
    return _Selection(value, _parts(key)).take(value)


class At:
    """What `x.at` returns: indexed by a key, the changes of `x[key]`, each of which returns a new tensor.

    >>> x = tf.constant([1.0, 2.0, 3.0])
    >>> x.at[[0, 2]].set(0.0).numpy(), x.numpy()
    (array([0., 2., 0.], dtype=float32), array([1., 2., 3.], dtype=float32))
    """

    __slots__ = ("_value",)

    def __init__(self, value: Tensor) -> None:
        self._value = value

    def __getitem__(self, key: Any) -> Part:
        return Part(self._value, key)

    def __repr__(self) -> str:
        return f"At({self._value!r})"


class Part:
    """The elements `x.at[key]`, which a method changes in a new tensor of the shape and dtype of `x`.

    The values of a method broadcast to the shape of `x[key]`. They are converted to the dtype of `x`;
    a tensor of another dtype is an error. Where the key has an element several times, `set` takes its last
    value, `apply` acts once, and the others apply all of its values. Gradients reach both `x` and the values.
    An index out of range raises a `tf.errors.InvalidArgumentError`.

    A list of integers as the key is an array here, also where `x[key]` reads it like a tuple.

    Args:
        value: the tensor.
        key: what indexes it, as in `x[key]`.

    >>> x = tf.constant([1.0, 2.0, 3.0])
    >>> x.at[x > 1.5].add(10.0).numpy(), x.at[[0, 0]].add([1.0, 2.0]).numpy()
    (array([ 1., 12., 13.], dtype=float32), array([4., 2., 3.], dtype=float32))
    """

    __slots__ = ("_key", "_value")

    def __init__(self, value: Tensor, key: Any) -> None:
        self._value = value
        self._key = (key,) if isinstance(key, list) else key

    def get(self) -> Tensor:
        """The elements themselves.

        >>> tf.constant([1, 2, 3]).at[[2, 0]].get().numpy()
        array([3, 1], dtype=int32)
        """
        return self._value[self._key]

    def set(self, values: Any) -> Tensor:
        """The tensor with other values for the elements.

        >>> tf.zeros([2, 2]).at[:, 0].set([1.0, 2.0]).numpy().tolist()
        [[1.0, 0.0], [2.0, 0.0]]
        """
        return self._scattered(_ops.tensor_scatter_nd_update, None, values)

    def add(self, values: Any) -> Tensor:
        """The tensor with values added to the elements.

        >>> tf.zeros([3]).at[[1, 1, 2]].add(1.0).numpy()
        array([0., 2., 1.], dtype=float32)
        """
        return self._scattered(_ops.tensor_scatter_nd_add, _ops.add, values)

    def subtract(self, values: Any) -> Tensor:
        """The tensor with values subtracted from the elements.

        >>> tf.zeros([3]).at[0].subtract(1.0).numpy()
        array([-1.,  0.,  0.], dtype=float32)
        """
        return self._scattered(_ops.tensor_scatter_nd_sub, _ops.subtract, values)

    def multiply(self, values: Any) -> Tensor:
        """The tensor with the elements multiplied by values.

        >>> tf.ones([3]).at[[0, 0]].multiply([2.0, 3.0]).numpy()
        array([6., 1., 1.], dtype=float32)
        """
        return self._scattered(
            functools.partial(_with_factors, _ops.multiply), _ops.multiply, values
        )

    def divide(self, values: Any) -> Tensor:
        """The tensor with the elements divided by values; integers as in `x / y`, truncated.

        >>> tf.ones([3]).at[[0, 0]].divide([2.0, 4.0]).numpy()
        array([0.125, 1.   , 1.   ], dtype=float32)
        """
        return self._scattered(functools.partial(_with_factors, _divided), _divided, values)

    def power(self, values: Any) -> Tensor:
        """The tensor with the elements raised to powers.

        >>> tf.constant([2.0, 3.0]).at[[0, 0]].power([2.0, 3.0]).numpy()
        array([64.,  3.], dtype=float32)
        """
        return self._scattered(functools.partial(_with_factors, _ops.pow), _ops.pow, values)

    def apply(self, function: Callable[[Tensor], Any]) -> Tensor:
        """The tensor with what a function makes of the elements `x[key]`.

        >>> tf.constant([1.0, 4.0, 9.0]).at[1:].apply(tf.sqrt).numpy()
        array([1., 2., 3.], dtype=float32)
        """
        return self.set(function(self.get()))

    def min(self, values: Any) -> Tensor:
        """The tensor with the smaller of the elements and values.

        >>> tf.constant([1, 5]).at[:].min(3).numpy()
        array([1, 3], dtype=int32)
        """
        return self._scattered(_ops.tensor_scatter_nd_min, _ops.minimum, values)

    def max(self, values: Any) -> Tensor:
        """The tensor with the larger of the elements and values.

        >>> tf.constant([1, 5]).at[:].max(3).numpy()
        array([3, 5], dtype=int32)
        """
        return self._scattered(_ops.tensor_scatter_nd_max, _ops.maximum, values)

    def _scattered(
        self,
        scatter: Callable[[Tensor, Tensor, Tensor], Tensor],
        combine: Callable[[Tensor, Tensor], Tensor] | None,
        values: Any,
    ) -> Tensor:
        return scattered(scatter, combine, self._value, self._key, values)

    def __repr__(self) -> str:
        return f"Part({self._value!r}, {self._key!r})"


def scattered(
    scatter: Callable[[Tensor, Tensor, Tensor], Tensor],
    combine: Callable[[Tensor, Tensor], Tensor] | None,
    value: Tensor,
    key: Any,
    updates: Any,
) -> Tensor:
    """A tensor whose elements at a key are changed.

    Args:
        scatter: changes elements, as `tf.tensor_scatter_nd_update` does.
        combine: an element and what changes it as the new element, for keys without arrays, which have
            each element once; None to replace elements.
        value: the tensor.
        key: the index.
        updates: broadcast to the shape of `value[key]`.

    Raises:
        tf.errors.InvalidArgumentError: if they do not broadcast.
    """
    updates = _core.convert(updates, value.dtype, None)
    parts = _parts(key)
    if not any(map(_is_array, parts)):
        new = updates if combine is None else combine(value[key], updates)
        return _as_before(value, _core.with_part(value, key, new))
    selection = _Selection(value, parts)
    if selection.leads and _has_full_slices(value, selection.depth):
        indices = selection.indices(value)
        depth = selection.depth
        room = _ops.concat([_ops.shape(indices)[:-1], _ops.shape(value)[depth:]], 0)
        static = indices.shape[:-1].concatenate(value.shape[depth:])
        return scatter(value, indices, _broadcast(updates, room, static))
    sizes, flat = _ops.shape(value, dtypes.int64), _positions(value)
    flat = selection.take(flat)
    updates = _broadcast(updates, _ops.shape(flat), flat.shape)
    indices, updates = _ops.reshape(flat, [-1, 1]), _ops.reshape(updates, [-1])
    return _as_before(
        value, _ops.reshape(scatter(_ops.reshape(value, [-1]), indices, updates), sizes)
    )


def _positions(value: Tensor) -> Tensor:
    """The row-major position of each element, int64, in the shape of a tensor."""
    count = _ops.reduce_prod(_ops.shape(value, dtypes.int64))
    positions = _ops.range(_ops.zeros_like(count), count, 1)
    return _as_before(value, _ops.reshape(positions, _ops.shape(value)))


def _as_before(value: Tensor, changed: Tensor) -> Tensor:
    """A tensor with as much of its shape known as that of another one."""
    if _core.is_symbolic(changed) and value.ndim is not None:
        _core.refine_shape(changed, value._shape_tuple())
    return changed


def _divided(value: Tensor, divisor: Tensor) -> Tensor:
    return _ops.cast(value / divisor, value.dtype)


def _with_factors(
    combine: Callable[[Tensor, Tensor], Tensor], value: Tensor, indices: Tensor, updates: Tensor
) -> Tensor:
    """The scatter that combines each element with the product of all its updates."""
    sizes = _ops.shape(value, dtypes.int64)
    depth = indices.shape[-1]
    outer = sizes[:depth]
    # Row-major positions: each axis counts the elements of the axes after it.
    strides = _ops.cumprod(outer, 0, True, True)
    segments = _ops.reduce_sum(_ops.cast(indices, dtypes.int64) * strides, -1)
    rows = _ops.reduce_prod(outer)
    factors = _ops.unsorted_segment_prod(updates, segments, rows)
    return combine(value, _ops.reshape(factors, sizes))


def _broadcast(updates: Tensor, room: Tensor, static: TensorShape) -> Tensor:
    if not may_broadcast(updates.shape, static):
        raise no_room(updates.shape.as_list(), static.as_list())
    return _ops.broadcast_to(updates, room)


def may_broadcast(shape: TensorShape, room: TensorShape) -> bool:
    """Whether a shape may be broadcast to another one, as far as both are known."""
    if shape.rank is None or room.rank is None:
        return True
    pairs = zip(reversed(shape.as_list()), reversed(room.as_list()), strict=False)
    fits = all(size in (1, None, place) or place is None for size, place in pairs)
    return shape.rank <= room.rank and fits


def no_room(shape: list, room: list) -> Exception:
    """The error of values that do not fit the elements that they are assigned to."""
    return errors.InvalidArgumentError._of(
        f"Cannot broadcast input shape {shape} into final shape {room} "
        "[Op:ResourceStridedSliceAssign]"
    )


def _parts(key: Any) -> tuple:
    if not isinstance(key, list):
        return key if isinstance(key, tuple) else (key,)
    # Lists of lists are arrays, as in NumPy, and lists of integers tuples, as in TensorFlow.
    array = bool(key) and all(isinstance(part, bool | list | tuple) for part in key)
    return (key,) if array else tuple(key)


def has_arrays(key: Any) -> bool:
    """Whether parts of a key are arrays of integers or booleans."""
    return any(map(_is_array, _parts(key)))


def _is_array(part: Any) -> bool:
    if isinstance(part, list | tuple):
        return True
    shape = getattr(part, "shape", None)
    if shape is None:
        return False
    return TensorShape(shape).rank != 0 or _core.as_tensor(part).dtype is dtypes.bool


class _Selection:
    """Which elements a key with arrays selects from tensors of one shape.

    Args:
        value: such a tensor.
        parts: the parts of the key.
    """

    def __init__(self, value: Tensor, parts: tuple) -> None:
        arrays = [_index_tensor(part) for part in parts]
        self._basic: list[Any] = []  # applied first; the axes of arrays stay whole
        self._axes: list[int] = []  # of the arrays, after that
        self._arrays: list[Tensor] = []
        # If anything stands between two arrays, their axes come first in the result.
        indexed = [k for k, found in enumerate(arrays) if found is not None]
        self._apart = indexed[-1] - indexed[0] >= len(indexed)
        rank = value.ndim
        used = sum(
            isinstance(part, slice) if array is None else _axes_of(array)
            for part, array in zip(parts, arrays, strict=True)
        )
        if rank is not None and used > rank:
            raise errors.InvalidArgumentError._of(
                f"Index out of range using input dim {rank}; input has only {rank} dims "
                "[Op:StridedSlice]"
            )
        axis = 0  # of the tensor
        for part, array in zip(parts, arrays, strict=True):
            if array is not None:
                found = _along_axes(array, value, axis)
                self._axes += range(len(self._basic), len(self._basic) + len(found))
                self._arrays += found
                self._basic += [slice(None)] * len(found)
                axis += len(found)
            elif part is not Ellipsis:
                self._basic.append(part)
                axis += part is not None
            elif rank is None:
                raise ValueError("Arrays and an ellipsis can only index a tensor of known rank.")
            else:
                self._basic += [slice(None)] * (rank - used)
                axis += rank - used
        self.depth = len(self._axes)
        # Whether the arrays index the first axes, and nothing else is indexed.
        self.leads = self._axes == list(range(len(self._basic)))

    def indices(self, value: Tensor) -> Tensor:
        """The indices `[..., n]`, int64, along the n axes of arrays of the tensor, at least 0."""
        arrays = [
            counted(array, value, axis)
            for axis, array in zip(self._axes, self._arrays, strict=True)
        ]
        if len(arrays) == 1:
            return _ops.expand_dims(arrays[0], -1)
        zeros = functools.reduce(_ops.add, map(_ops.zeros_like, arrays))  # of the shape of them all
        return _ops.stack([i + zeros for i in arrays], -1)

    def take(self, value: Tensor) -> Tensor:
        """The selected elements of a tensor."""
        if not self.leads:
            value = value[tuple(self._basic)]
        axes = self._axes
        if len(axes) == 1:
            # An operation in between, so that rows have a dense gradient, as slices have.
            value = value if axes[0] else _ops.identity(value)
            return _ops.gather(value, counted(self._arrays[0], value, axes[0]), axes[0], 0)
        indices = self.indices(value)
        if axes == list(range(len(axes))):
            return _slices(value, indices)
        result = _slices(_ops.transpose(value, _order(axes, value)), indices)
        if self._apart:
            return result
        count = len(indices.shape) - 1  # the axes of the arrays go where the first of theirs was
        order = [*range(count, count + axes[0]), *range(count)]
        return _ops.transpose(result, _order(order, result))


def _order(first: list[int], value: Tensor) -> Any:
    """All axes of a tensor, beginning with some: a list, or a vector if the rank is unknown."""
    count = max(first) + 1 if value.ndim is None else value.ndim
    order = [*first, *(axis for axis in range(count) if axis not in first)]
    if value.ndim is not None:
        return order
    return _ops.concat([order, _ops.range(count, rank_of(value), 1)], 0)


def _slices(value: Tensor, indices: Tensor) -> Tensor:
    """The slices at indices `[..., n]` of the first n axes."""
    depth = indices.shape[-1]
    if _has_full_slices(value, depth):
        return _ops.gather_nd(value, indices, 0)
    # The operation refuses slices without elements, so their rows are found first.
    sizes = _ops.shape(value)
    count = _ops.reduce_prod(sizes[:depth])
    rows = _ops.reshape(_ops.range(0, count, 1), sizes[:depth])
    value = _ops.reshape(value, _ops.concat([[count], sizes[depth:]], 0))
    return _ops.gather(value, _ops.gather_nd(rows, indices, 0), 0, 0)


def _has_full_slices(value: Tensor, depth: int) -> bool:
    """Whether the slices along the first axes of a tensor are known to have elements."""
    return value.ndim is not None and all(value._shape_tuple()[depth:])


def counted(index: Tensor, value: Tensor, axis: int) -> Tensor:
    """Indices along an axis of a tensor, of which those below 0 count from its end."""
    known = None if value.ndim is None else value._shape_tuple()[axis]
    size = _ops.shape(value, dtypes.int64)[axis] if known is None else known
    from_end = index + _ops.cast(size, index.dtype)
    return _ops.select(_ops.less(index, _ops.zeros_like(index)), from_end, index)


def _index_tensor(part: Any) -> Tensor | None:
    """A part of a key as integers or a mask; None for slices, new axes and an ellipsis."""
    if part is None or part is Ellipsis or isinstance(part, slice):
        return None
    if isinstance(part, list | tuple) and not part:
        return _ops.zeros([0], dtypes.int64)
    tensor = _core.as_tensor(part)
    if tensor.dtype is dtypes.bool and tensor.ndim != 0:
        return tensor
    if not tensor.dtype.is_integer:
        raise TypeError(f"{VALID_INDICES}, and arrays of integers or booleans, got {part!r}")
    return _ops.cast(tensor, dtypes.int64)


def _axes_of(array: Tensor) -> int:
    """How many axes a part of a key indexes."""
    if array.dtype is not dtypes.bool:
        return 1
    if array.ndim is None:
        raise ValueError(
            "A mask of unknown rank can only be the whole index: x[mask]. Set its shape beforehand, as in "
            "tf.ensure_shape(mask, [None])."
        )
    return array.ndim


def _along_axes(array: Tensor, value: Tensor, axis: int) -> list[Tensor]:
    """A part of a key as int64 indices, one tensor for each axis of a tensor that it indexes from one on."""
    if array.dtype is not dtypes.bool:
        return [array]
    return _ops.unstack(_ops.where_indices(_checked(array, value, axis)), axis=1)


def _masked(value: Tensor, mask: Tensor) -> Tensor:
    """The slices along the first axes of a tensor where a mask of these axes holds."""
    mask = _checked(mask, value, 0)
    sizes = _ops.shape(value)
    axes = _ops.shape(_ops.shape(mask))[0] if mask.ndim is None else mask.ndim
    count, inner = _ops.reduce_prod(sizes[:axes]), sizes[axes:]
    rows = _ops.reshape(value, _ops.concat([[count], inner], 0))
    indices = _ops.where_indices(_ops.reshape(mask, [-1]))[:, 0]
    return _ops.gather(rows, indices, 0, 0)


def _checked(mask: Tensor, value: Tensor, axis: int) -> Tensor:
    """A mask that has the sizes of the axes of a tensor that it indexes, from one axis on.

    Raises:
        ValueError: if it has others; while they are unknown, an InvalidArgumentError where it runs.
    """
    known = None if value.ndim is None else value._shape_tuple()
    room = None if known is None or mask.ndim is None else known[axis : axis + mask.ndim]
    if not may_equal(mask._shape_tuple(), room):
        raise ValueError(f"Shapes {room} and {mask._shape_tuple()} are incompatible")
    if room is not None and None not in (*room, *mask._shape_tuple()):
        return mask
    rank = _ops.shape(_ops.shape(mask))[0] if mask.ndim is None else mask.ndim
    return _core.mask_check(mask, _ops.shape(value, dtypes.int64)[axis : axis + rank], axis)
