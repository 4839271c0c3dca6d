"""Other arrangements of the same elements: reshaping, joining, splitting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import eagerflow as tf
from eagerflow.experimental.numpy.arrays import array, asarray, promoted

_list = list


def reshape(a: Any, newshape: Any, order: str = "C") -> tf.Tensor:
    """The elements in another shape, in row-major ("C") or column-major ("F") order.

    >>> tf.experimental.numpy.reshape([1, 2, 3, 4], (2, 2), order="F").numpy()
    array([[1, 3],
           [2, 4]])
    """
    if order not in ("C", "F"):
        raise ValueError(f"Unsupported order argument {order}")
    a = asarray(a)
    sizes = np.atleast_1d(newshape).tolist()
    if order == "C":
        return tf.reshape(a, sizes)
    return tf.transpose(tf.reshape(tf.transpose(a), sizes[::-1]))


def ravel(a: Any) -> tf.Tensor:
    """All elements in a vector."""
    return tf.reshape(asarray(a), [-1])


def flatten(a: Any, order: str = "C") -> tf.Tensor:
    """All elements in a vector, in row-major ("C") or column-major ("F") order."""
    return reshape(a, -1, order)


def transpose(a: Any, axes: Any = None) -> tf.Tensor:
    """The axes in another order, reversed by default."""
    return tf.transpose(asarray(a), None if axes is None else _list(axes))


def swapaxes(a: Any, axis1: int, axis2: int) -> tf.Tensor:
    """Two axes interchanged."""
    a = asarray(a)
    order = _list(range(len(a.shape)))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return tf.transpose(a, order)


def moveaxis(a: Any, source: Any, destination: Any) -> tf.Tensor:
    """Axes moved to other places, the others in their order."""
    a = asarray(a)
    rank = len(a.shape)
    moved = [int(i) % rank for i in np.atleast_1d(source)]
    places = [int(i) % rank for i in np.atleast_1d(destination)]
    if len(moved) != len(places):
        raise ValueError("The lengths of source and destination must be equal.")
    order = [i for i in range(rank) if i not in moved]
    for place, axis in sorted(zip(places, moved, strict=True)):
        order.insert(place, axis)
    return tf.transpose(a, order)


def expand_dims(a: Any, axis: Any) -> tf.Tensor:
    """A new axis of size 1."""
    return tf.expand_dims(asarray(a), axis)


def squeeze(a: Any, axis: Any = None) -> tf.Tensor:
    """Without axes of size 1."""
    return tf.squeeze(asarray(a), axis)


def broadcast_to(array: Any, shape: Any) -> tf.Tensor:
    """Repeated along axes of size 1."""
    return tf.broadcast_to(asarray(array), np.atleast_1d(shape).tolist())


def broadcast_arrays(*args: Any, **kwargs: Any) -> _list:
    """The arrays, all of the shape to which they broadcast."""
    kwargs.pop("subok", None)
    if kwargs:
        raise ValueError(f"Received unsupported arguments {_list(kwargs)}")
    values = [asarray(x) for x in args]
    shape = np.broadcast_shapes(*[x._shape_tuple() for x in values])
    return [tf.broadcast_to(x, _list(shape)) for x in values]


def _at_least(rank: int, arrays: tuple) -> Any:
    found = [_with_rank(asarray(x), rank) for x in arrays]
    return found[0] if len(found) == 1 else found


def _with_rank(x: tf.Tensor, rank: int) -> tf.Tensor:
    sizes = x.shape.as_list()
    if rank == 3 and len(sizes) in (1, 2):
        return tf.reshape(x, [1, *sizes, 1] if len(sizes) == 1 else [*sizes, 1])
    return array(x, ndmin=rank)


def atleast_1d(*arys: Any) -> Any:
    """The arrays, with one axis at least."""
    return _at_least(1, arys)


def atleast_2d(*arys: Any) -> Any:
    """The arrays, with two axes at least."""
    return _at_least(2, arys)


def atleast_3d(*arys: Any) -> Any:
    """The arrays, with three axes at least."""
    return _at_least(3, arys)


def _each(values: Any) -> _list:
    return _list(values) if isinstance(values, list | tuple) else tf.unstack(asarray(values))


def stack(arrays: Any, axis: int = 0) -> tf.Tensor:
    """Arrays of one shape, joined along a new axis."""
    return tf.stack(promoted(*_each(arrays)), axis)


def concatenate(arys: Any, axis: Any = 0) -> tf.Tensor:
    """Arrays joined along an axis; all elements in a vector if it is None."""
    values = promoted(*_each(arys))
    if axis is None:
        return tf.concat([tf.reshape(x, [-1]) for x in values], 0)
    return tf.concat(values, axis)


def append(arr: Any, values: Any, axis: Any = None) -> tf.Tensor:
    """Values after those of an array, along an axis or in a vector.

    >>> tf.experimental.numpy.append([1, 2], [3]).numpy()
    array([1, 2, 3])
    """
    return concatenate([arr, values], axis)


def vstack(tup: Any) -> tf.Tensor:
    """Arrays one below the other."""
    return concatenate([atleast_2d(x) for x in _each(tup)], 0)


def hstack(tup: Any) -> tf.Tensor:
    """Arrays side by side: along the second axis, or the only one."""
    values = [atleast_1d(x) for x in _each(tup)]
    return concatenate(values, 0 if len(values[0].shape) == 1 else 1)


def dstack(tup: Any) -> tf.Tensor:
    """Arrays one behind the other, along the third axis."""
    return concatenate([atleast_3d(x) for x in _each(tup)], 2)


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> _list[tf.Tensor]:
    """Parts of an array: so many of equal size, or divided before the given places.

    >>> [part.numpy().tolist() for part in tf.experimental.numpy.split([1, 2, 3, 4], [1, 3])]
    [[1], [2, 3], [4]]
    """
    ary = asarray(ary)
    if isinstance(indices_or_sections, int | np.integer):
        return tf.split(ary, int(indices_or_sections), axis)
    size = ary.shape[axis]
    edges = [0, *np.clip(np.asarray(indices_or_sections), -size, size).tolist(), size]
    edges = [edge + size if edge < 0 else edge for edge in edges]
    sizes = [max(0, after - before) for before, after in zip(edges, edges[1:], strict=False)]
    return [
        tf.gather(ary, tf.range(start, start + count), axis=axis)
        for start, count in zip(edges, sizes, strict=False)
    ]


def hsplit(ary: Any, indices_or_sections: Any) -> _list[tf.Tensor]:
    """Parts side by side, see `split`."""
    ary = asarray(ary)
    return split(ary, indices_or_sections, 0 if len(ary.shape) == 1 else 1)


def vsplit(ary: Any, indices_or_sections: Any) -> _list[tf.Tensor]:
    """Parts one below the other, see `split`."""
    return split(ary, indices_or_sections, 0)


def dsplit(ary: Any, indices_or_sections: Any) -> _list[tf.Tensor]:
    """Parts one behind the other, see `split`."""
    return split(ary, indices_or_sections, 2)


def flip(m: Any, axis: Any = None) -> tf.Tensor:
    """The order of the elements reversed along axes, by default along all."""
    m = asarray(m)
    axes = range(len(m.shape)) if axis is None else np.atleast_1d(axis).tolist()
    return tf.reverse(m, _list(axes))


def flipud(m: Any) -> tf.Tensor:
    """Upside down: the first axis reversed."""
    return flip(m, 0)


def fliplr(m: Any) -> tf.Tensor:
    """Left and right exchanged: the second axis reversed."""
    return flip(m, 1)


def rot90(m: Any, k: int = 1, axes: Sequence[int] = (0, 1)) -> tf.Tensor:
    """Rotated by 90 degrees k times, from the first of the two axes towards the second."""
    m = asarray(m)
    first, second = (int(i) % len(m.shape) for i in axes)
    for _ in range(k % 4):
        m = swapaxes(tf.reverse(m, [second]), first, second)
    return m


def roll(a: Any, shift: Any, axis: Any = None) -> tf.Tensor:
    """Elements moved along axes; those that leave at one end come in at the other."""
    a = asarray(a)
    if axis is None:
        return tf.reshape(tf.roll(tf.reshape(a, [-1]), shift, 0), a.shape.as_list())
    return tf.roll(a, shift, axis)


def repeat(a: Any, repeats: Any, axis: Any = None) -> tf.Tensor:
    """Each element so many times, along an axis or in a vector."""
    return tf.repeat(asarray(a), repeats, axis)


def tile(a: Any, reps: Any) -> tf.Tensor:
    """The whole array so many times along each axis."""
    reps = np.atleast_1d(reps).tolist()
    a = array(a, ndmin=len(reps))
    return tf.tile(a, [1] * (len(a.shape) - len(reps)) + reps)


def pad(array: Any, pad_width: Any, mode: str, **kwargs: Any) -> tf.Tensor:
    """Elements before and after those of each axis.

    Args:
        array: what is padded.
        pad_width: `(before, after)` for each axis, or for all.
        mode: "constant", "reflect" or "symmetric".
        **kwargs: `constant_values`, 0 by default.
    """
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError(f"Unsupported padding mode: {mode}")
    array = asarray(array)
    widths = np.broadcast_to(np.asarray(pad_width), (len(array.shape), 2)).tolist()
    constant = asarray(kwargs.pop("constant_values", 0), array.dtype)
    return tf.pad(array, widths, mode.upper(), constant)
