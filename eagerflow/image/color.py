"""Colours: between dtypes and between colour spaces."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.errors import FailedPreconditionError
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import is_known, of_any_rank, reshaped, sizes_of, with_sizes
from eagerflow.image.checks import image_of, invalid
from eagerflow.ops.composed_op import FLOAT_TYPES, Input, composed_op
from eagerflow.ops.conversion import saturate_cast
from eagerflow.typing import DTypeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


@op_function(elementwise=1)
def convert_image_dtype(
    image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None
) -> Tensor:
    """Images in another dtype, their values scaled.

    Args:
        image: values. Floats should lie within [0, 1], integers between 0 and their maximum.
        dtype: the dtype of the result.
        saturate: whether values out of range are clipped.

    Raises:
        AttributeError: if a dtype is neither integer nor floating.

    >>> tf.image.convert_image_dtype(tf.constant([0, 255], tf.uint8), tf.float32).numpy()
    array([0., 1.], dtype=float32)
    """
    tensor = _core.as_tensor(image)
    source, target = tensor.dtype, dtypes.as_dtype(dtype)
    for kind in (source, target):
        if not (kind.is_integer or kind.is_floating):
            raise AttributeError("dtype must be either floating point or integer")
    if source is target:
        return _ops.identity(tensor)
    cast = saturate_cast if saturate else _ops.cast
    if source.is_integer and target.is_integer:
        if source.max > target.max:
            scale = (source.max + 1) // (target.max + 1)
            return cast(_ops.floordiv(tensor, _core.convert(scale, source, None)), target)
        scale = (target.max + 1) // (source.max + 1)
        return _ops.multiply(cast(tensor, target), _core.convert(scale, target, None))
    if source.is_floating and target.is_floating:
        return cast(tensor, target)
    if source.is_integer:
        scale = _core.convert(1.0 / source.max, target, None)
        return _ops.multiply(_ops.cast(tensor, target), scale)
    scale = _core.convert(target.max + 0.5, source, None)
    return cast(_ops.multiply(tensor, scale), target)


def as_floats(image: TensorLike) -> tuple[Tensor, dtypes.DType]:
    """An image as floats, and the dtype that it had."""
    tensor = _core.as_tensor(image)
    dtype = tensor.dtype
    if dtype in (dtypes.float16, dtypes.float32):
        return tensor, dtype
    return convert_image_dtype(tensor, dtypes.float32), dtype


def _three_channels(value: TensorLike, name: str) -> Tensor:
    tensor = _core.as_tensor(value)
    if not tensor.dtype.is_floating and not isinstance(value, Tensor):
        tensor = _ops.cast(tensor, dtypes.float32)
    if not tensor.dtype.is_floating:
        _core.refuse_attr("T", tensor.dtype, FLOAT_TYPES, name)
    shape = tensor._shape_tuple()
    if shape == ():
        raise invalid(f"input must be at least 1D, got a scalar [Op:{name}]")
    if shape is not None and shape[-1] not in (3, None):
        raise FailedPreconditionError._of(
            f"input must have 3 channels but input only has shape {tensor.shape} [Op:{name}]"
        )
    return tensor


@composed_op("RGBToHSV", images=Input(FLOAT_TYPES, prefer="float32"))
def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Hue, saturation and value of red, green and blue.

    Args:
        images: floats `[..., 3]` within [0, 1].

    Raises:
        tf.errors.FailedPreconditionError: if the last axis is not 3.
        tf.errors.InvalidArgumentError: if the dtype is not floating.

    >>> tf.image.rgb_to_hsv([0.0, 0.5, 0.0]).numpy()
    array([0.33333334, 1.        , 0.5       ], dtype=float32)
    """
    tensor = _three_channels(images, "RGBToHSV")
    red, green, blue = _ops.unstack(tensor, 3, -1)

    def number(value: float) -> Tensor:
        return _core.convert(value, tensor.dtype, None)

    zero = number(0)
    value = _ops.maximum(_ops.maximum(red, green), blue)
    spread = _ops.subtract(value, _ops.minimum(_ops.minimum(red, green), blue))
    coloured = _ops.greater(spread, zero)
    safe = _ops.select(coloured, spread, number(1))
    bright = _ops.greater(value, zero)
    saturation = _ops.select(
        bright, _ops.divide_real(spread, _ops.select(bright, value, number(1))), zero
    )
    scale = _ops.divide_real(number(1 / 6), safe)
    hue = _ops.select(
        _ops.equal(red, value),
        _ops.multiply(scale, _ops.subtract(green, blue)),
        _ops.select(
            _ops.equal(green, value),
            _ops.add(_ops.multiply(scale, _ops.subtract(blue, red)), number(2 / 6)),
            _ops.add(_ops.multiply(scale, _ops.subtract(red, green)), number(4 / 6)),
        ),
    )
    hue = _ops.select(coloured, hue, zero)
    hue = _ops.select(_ops.less(hue, zero), _ops.add(hue, number(1)), hue)
    return _ops.stack([hue, saturation, value], -1)


@composed_op("HSVToRGB", images=Input(FLOAT_TYPES, prefer="float32"))
def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Red, green and blue of hue, saturation and value.

    Args:
        images: floats `[..., 3]` within [0, 1].

    Raises:
        tf.errors.FailedPreconditionError: if the last axis is not 3.
        tf.errors.InvalidArgumentError: if the dtype is not floating.

    >>> tf.image.hsv_to_rgb([0.5, 1.0, 0.5]).numpy()
    array([0. , 0.5, 0.5], dtype=float32)
    """
    tensor = _three_channels(images, "HSVToRGB")
    hue, saturation, value = _ops.unstack(tensor, 3, -1)

    def number(amount: float) -> Tensor:
        return _core.convert(amount, tensor.dtype, None)

    six = _ops.multiply(hue, number(6))
    one = number(1)
    ramps = (
        _ops.subtract(_ops.abs(_ops.subtract(six, number(3))), one),
        _ops.subtract(number(2), _ops.abs(_ops.subtract(six, number(2)))),
        _ops.subtract(number(2), _ops.abs(_ops.subtract(six, number(4)))),
    )
    pale = _ops.subtract(one, saturation)
    channels = []
    for ramp in ramps:
        part = _ops.clip_by_value(ramp, number(0), one)
        channels.append(_ops.multiply(_ops.add(pale, _ops.multiply(saturation, part)), value))
    return _ops.stack(channels, -1)


# Rows are red, green and blue. https://en.wikipedia.org/wiki/YIQ, https://en.wikipedia.org/wiki/YUV
_RGB_TO_YIQ = (
    (0.299, 0.59590059, 0.2115),
    (0.587, -0.27455667, -0.52273617),
    (0.114, -0.32134392, 0.31119955),
)
_YIQ_TO_RGB = (
    (1.0, 1.0, 1.0),
    (0.95598634, -0.27201283, -1.10674021),
    (0.6208248, -0.64720424, 1.70423049),
)
_RGB_TO_YUV = (
    (0.299, -0.14714119, 0.61497538),
    (0.587, -0.28886916, -0.51496512),
    (0.114, 0.43601035, -0.10001026),
)
_YUV_TO_RGB = ((1.0, 1.0, 1.0), (0.0, -0.394642334, 2.03206185), (1.13988303, -0.58062185, 0.0))


def _mixed(images: Tensor, matrix: tuple) -> Tensor:
    tensor = _core.as_tensor(images)
    shape = sizes_of(tensor)
    kernel = _core.convert(matrix, tensor.dtype, None)
    if not shape or (is_known(shape[-1]) and shape[-1] != 3):
        raise invalid(f"Matrix size-incompatible: In[0]: {list(shape)}, In[1]: [3,3] [Op:MatMul]")
    product = _ops.matmul(reshaped(tensor, [math.prod(shape[:-1]), 3]), kernel)
    return reshaped(product, [*shape[:-1], 3])


@op_function
def rgb_to_yiq(images: Any) -> Tensor:
    """Luma and chrominance (YIQ) of red, green and blue, `[..., 3]`.

    >>> tf.image.rgb_to_yiq([[[1.0, 0.0, 0.0]]]).numpy().round(3).ravel()
    array([0.299, 0.596, 0.212], dtype=float32)
    """
    return _mixed(images, _RGB_TO_YIQ)


@op_function
def yiq_to_rgb(images: Any) -> Tensor:
    """Red, green and blue of luma and chrominance (YIQ), `[..., 3]`.

    >>> tf.image.yiq_to_rgb([[[1.0, 0.0, 0.0]]]).numpy().ravel()
    array([1., 1., 1.], dtype=float32)
    """
    return _mixed(images, _YIQ_TO_RGB)


@op_function
def rgb_to_yuv(images: Any) -> Tensor:
    """Luma and chrominance (YUV) of red, green and blue, `[..., 3]`.

    >>> tf.image.rgb_to_yuv([[[1.0, 0.0, 0.0]]]).numpy().round(3).ravel()
    array([ 0.299, -0.147,  0.615], dtype=float32)
    """
    return _mixed(images, _RGB_TO_YUV)


@op_function
def yuv_to_rgb(images: Any) -> Tensor:
    """Red, green and blue of luma and chrominance (YUV), `[..., 3]`.

    >>> tf.image.yuv_to_rgb([[[1.0, 0.0, 0.0]]]).numpy().ravel()
    array([1., 1., 1.], dtype=float32)
    """
    return _mixed(images, _YUV_TO_RGB)


@op_function
def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """The grey levels of colours: `0.2989 red + 0.587 green + 0.114 blue`.

    Args:
        images: `[..., 3]`, of any dtype.

    Returns:
        `[..., 1]` of the same dtype.

    Raises:
        tf.errors.InvalidArgumentError: if the last axis is not 3.

    >>> tf.image.rgb_to_grayscale([[[1.0, 1.0, 1.0]]]).shape
    TensorShape([1, 1, 1])
    """
    tensor = _core.as_tensor(images)
    floats = convert_image_dtype(tensor, dtypes.float32)
    shape = tensor._shape_tuple()
    if shape == () or (shape is not None and shape[-1] not in (3, None)):
        raise invalid(f"Matrix size-incompatible: In[0]: {list(shape)}, In[1]: [3,1] [Op:MatMul]")
    weights = _core.convert(np.array([0.2989, 0.5870, 0.1140]), floats.dtype, None)
    grey = _ops.reduce_sum(_ops.multiply(floats, weights), -1, True)
    return convert_image_dtype(grey, tensor.dtype)


@op_function(in_graph=of_any_rank(3))
def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Grey levels in all three channels.

    Args:
        images: `[..., 1]`.

    Raises:
        ValueError: if the last axis is not 1.

    >>> tf.image.grayscale_to_rgb([[[5]]]).numpy().ravel()
    array([5, 5, 5], dtype=int32)
    """
    tensor = _core.as_tensor(images)
    if len(sizes_of(tensor)) > 2:
        tensor = image_of(tensor, 3)
    if tensor.ndim < 2:
        raise ValueError(
            f"A grayscale image (shape {tensor.shape}) must be at least two-dimensional."
        )
    if tensor._shape_tuple()[-1] not in (1, None):
        raise ValueError("Last dimension of a grayscale image should be size 1.")
    tiled = _ops.tile(tensor, [1] * (tensor.ndim - 1) + [3])
    return with_sizes(tiled, [*sizes_of(tensor)[:-1], 3])
