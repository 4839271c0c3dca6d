"""tf.keras.backend: shapes, concatenation, repetition and padding."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core
from eagerflow.framework.op_function import op_function
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras import config
from eagerflow.ops import array, conversion
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike
from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
layers = lazy.Module("eagerflow.keras.layers")

_ops = _core.ops


def int_shape(x: Any) -> tuple | None:
    """The shape as a tuple, with None for sizes that are not known.

    >>> tf.keras.backend.int_shape(tf.keras.Input([3]))
    (None, 3)
    """
    shape = TensorShape(x.shape)
    return None if shape.rank is None else tuple(shape.as_list())


def ndim(x: Any) -> int | None:
    """The number of axes."""
    return TensorShape(x.shape).rank


def dtype(x: Any) -> str:
    """The name of the dtype."""
    return x.dtype.name


@op_function
def cast(x: TensorLike, dtype: DTypeLike) -> Any:
    """x in another dtype."""
    return conversion.cast(x, dtype)


@op_function
def cast_to_floatx(x: TensorLike) -> Any:
    """A tensor or array in the float type.

    >>> tf.keras.backend.cast_to_floatx(np.array([1.0])).dtype
    dtype('float32')
    """
    import numpy as np

    if isinstance(x, _core.Tensor | _core.Variable):
        return conversion.cast(x, config.floatx())
    return np.asarray(x, dtype=config.defaults.float_dtype.as_numpy_dtype)


@op_function
def concatenate(tensors: Any, axis: int = -1) -> Any:
    """Tensors concatenated along an axis."""
    return array.concat(list(tensors), axis)


@op_function
def stack(x: Any, axis: int = 0) -> Any:
    """Tensors stacked along a new axis."""
    return array.stack(list(x), axis)


@op_function
def reshape(x: TensorLike, shape: ShapeLike) -> Any:
    """x, reshaped."""
    return _ops.reshape(x, shape)


@op_function
def permute_dimensions(x: TensorLike, pattern: Any) -> _core.Tensor:
    """x with permuted axes."""
    return _ops.transpose(x, list(pattern))


@op_function
def transpose(x: TensorLike) -> _core.Tensor:
    """x with its axes reversed."""
    return _ops.transpose(x)


@op_function
def flatten(x: TensorLike) -> _core.Tensor:
    """x, flattened to one axis."""
    return _ops.reshape(x, [-1])


@op_function
def batch_flatten(x: TensorLike) -> _core.Tensor:
    """x with all axes after the first flattened to one.

    >>> tf.keras.backend.batch_flatten(tf.ones([2, 3, 4])).shape
    TensorShape([2, 12])
    """
    x = _core.as_tensor(x)
    batch, *sizes = x._sizes()
    return _ops.reshape(x, [batch, math.prod(sizes)])


@op_function
def expand_dims(x: TensorLike, axis: int = -1) -> Any:
    """x with a new axis of size one."""
    return _ops.expand_dims(x, axis)


@op_function
def squeeze(x: TensorLike, axis: int) -> _core.Tensor:
    """x without an axis of size one."""
    return _ops.squeeze(x, [axis])


@op_function
def repeat(x: TensorLike, n: int) -> Any:
    """Each row of a matrix, repeated `n` times along a new second axis."""
    return _ops.tile(_ops.expand_dims(x, 1), [1, n, 1])


@op_function
def repeat_elements(x: TensorLike, rep: int, axis: int) -> _core.Tensor:
    """Each element, repeated along an axis."""
    return array.repeat(x, rep, axis=axis)


@op_function
def tile(x: TensorLike, n: Any) -> _core.Tensor:
    """x, tiled along each axis."""
    return _ops.tile(x, [n] if isinstance(n, int) else n)


@op_function
def temporal_padding(x: TensorLike, padding: tuple = (1, 1)) -> _core.Tensor:
    """Sequences with zeros around their steps.

    Raises:
        AssertionError: if the padding is no pair.
    """
    assert len(padding) == 2
    return array.pad(x, [[0, 0], [padding[0], padding[1]], [0, 0]])


def _around(x: TensorLike, padding: Any, data_format: str | None, rank: int) -> _core.Tensor:
    data_format = data_format or config.image_data_format()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Unknown data_format: {data_format}")
    inner = [list(pair) for pair in padding]
    assert len(inner) == rank and all(len(pair) == 2 for pair in inner)
    last = data_format == "channels_last"
    return array.pad(x, [[0, 0], *inner, [0, 0]] if last else [[0, 0], [0, 0], *inner])


@op_function
def spatial_2d_padding(
    x: TensorLike, padding: object = ((1, 1), (1, 1)), data_format: str | None = None
) -> _core.Tensor:
    """Images with zeros around them."""
    return _around(x, padding, data_format, 2)


@op_function
def spatial_3d_padding(
    x: TensorLike, padding: object = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None
) -> Any:
    """Volumes with zeros around them."""
    return _around(x, padding, data_format, 3)


@op_function
def resize_images(
    x: TensorLike,
    height_factor: int,
    width_factor: int,
    data_format: str,
    interpolation: str = "nearest",
) -> Any:
    """Images, enlarged by integer factors."""
    layer = layers.UpSampling2D((height_factor, width_factor), data_format, interpolation)
    return layer(x)


@op_function
def resize_volumes(
    x: TensorLike, depth_factor: int, height_factor: int, width_factor: int, data_format: str
) -> Any:
    """Volumes, enlarged by repeating values.

    Raises:
        ValueError: for an unknown format.
    """
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Invalid data_format: {data_format}")
    first = 2 if data_format == "channels_first" else 1
    for axis, factor in enumerate((depth_factor, height_factor, width_factor), first):
        x = repeat_elements(x, factor, axis)
    return x
