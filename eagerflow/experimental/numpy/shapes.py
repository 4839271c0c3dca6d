"""Functions of shapes that NumPy's namespace alone has, or has in its own way."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.experimental.numpy.arrays import NUMPY, asarray
from eagerflow.framework.shapes import TensorShape
from eagerflow.ops.array import broadcast_dynamic_shape
from eagerflow.ops.numpy_functions import shapes
from eagerflow.ops.numpy_functions.rules import sizes
from eagerflow.typing import Axes, ShapeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def reshape(a: TensorLike, newshape: ShapeLike, order: str = "C") -> Tensor:
    """The elements in another shape, in row-major ("C") or column-major ("F") order.

    Raises:
        ValueError: for another order.

    >>> tf.experimental.numpy.reshape([1, 2, 3, 4], (2, 2), order="F").numpy()
    array([[1, 3],
           [2, 4]])
    """
    if order not in ("C", "F"):
        raise ValueError(f"Unsupported order argument {order}")
    a = asarray(a)
    if order == "C":
        return _ops.reshape(a, sizes(newshape))
    return _ops.transpose(_ops.reshape(_ops.transpose(a), sizes(newshape)[::-1]))


def flatten(a: TensorLike, order: str = "C") -> Tensor:
    """All elements in a vector, in row-major ("C") or column-major ("F") order."""
    return reshape(a, -1, order)


def squeeze(a: TensorLike, axis: Axes | None = None) -> Tensor:
    """The array without axes of size 1."""
    return _ops.squeeze(asarray(a), axis)


def size(x: TensorLike, axis: int | None = None) -> Any:
    """The number of elements, in all or along an axis; a scalar of a graph where it is unknown."""
    array = asarray(x)
    shape = array._shape_tuple()
    if shape is None or None in (shape if axis is None else (shape[axis],)):
        lengths = _ops.shape(array, np.int64)
        return _ops.reduce_prod(lengths) if axis is None else lengths[axis]
    return np.prod(shape, dtype=np.int64) if axis is None else np.int64(shape[axis])


def shape(a: TensorLike) -> TensorShape:
    """The sizes of the axes."""
    return asarray(a).shape


def ndim(a: TensorLike) -> int:
    """The number of axes."""
    return asarray(a).ndim


def broadcast_arrays(*args: TensorLike, **kwargs: object) -> list[Tensor]:
    """The arrays, all of the shape to which they broadcast."""
    kwargs.pop("subok", None)
    if kwargs:
        raise ValueError(f"Received unsupported arguments {list(kwargs)}")
    arrays = [asarray(x) for x in args]
    common = functools.reduce(broadcast_dynamic_shape, [_ops.shape(x) for x in arrays])
    return [_ops.broadcast_to(x, common) for x in arrays]


def _each(function: Callable[[Tensor], Tensor], arrays: tuple) -> Tensor | list[Tensor]:
    results = [function(asarray(x)) for x in arrays]
    return results[0] if len(results) == 1 else results


def atleast_1d(*arys: Any) -> Tensor | list[Tensor]:
    """The arrays, with one axis at least."""
    return _each(lambda x: shapes.at_least(1, x), arys)


def atleast_2d(*arys: TensorLike) -> Tensor | list[Tensor]:
    """The arrays, with two axes at least."""
    return _each(lambda x: shapes.at_least(2, x), arys)


def atleast_3d(*arys: TensorLike) -> Tensor | list[Tensor]:
    """The arrays, with three axes at least."""
    return _each(shapes.at_least_3d, arys)


def pad(array: TensorLike, pad_width: TensorLike, mode: str, **kwargs: Any) -> Tensor:
    """Elements added before and after those of each axis.

    Args:
        array: an array.
        pad_width: the counts before and after: an integer, a pair, or a pair for each axis.
        mode: "constant", "reflect" or "symmetric".
        **kwargs: `constant_values`, 0 by default.

    Raises:
        ValueError: for another mode.
    """
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError(f"Unsupported padding mode: {mode}")
    widths = asarray(pad_width, np.int32)  # of floats, too, such as `ones`
    return shapes.pad(NUMPY, array, widths, mode, kwargs.pop("constant_values", None))
