"""Brightness, contrast, gamma, hue, saturation and JPEG quality of images."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import of_any_rank, reshaped, sizes_of
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.image import codecs, formats
from eagerflow.image.checks import invalid, real
from eagerflow.image.color import as_floats, convert_image_dtype, hsv_to_rgb, rgb_to_hsv
from eagerflow.ops.composed_op import Input, composed_op
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def _scalar(value: TensorLike, op: str, images: Tensor, name: str) -> Tensor:
    """A factor as a float32 scalar, for images that an operation accepts."""
    factor = _core.convert(value, None, dtypes.float32)
    if factor.dtype is not dtypes.float32:
        _core.refuse_input(op, 1, dtypes.float32, factor.dtype)
    if images.ndim is not None and images.ndim < 3:
        raise invalid(f"input must be at least 3-D, got shape{images.shape} [Op:{op}]")
    if factor.ndim:
        raise invalid(f"{name} must be scalar: {factor.shape} [Op:{op}]")
    return factor


def _check_channels(images: Tensor, op: str) -> None:
    shape = images._shape_tuple()
    if shape is not None and shape[-1] not in (3, None):
        raise invalid(f"input must have 3 channels but instead has {shape[-1]} channels [Op:{op}]")


@op_function(elementwise=1, promotion="none")
def adjust_brightness(image: TensorLike, delta: TensorLike) -> Tensor:
    """Images made brighter.

    Args:
        image: of any dtype.
        delta: the value to add, on the scale of floats in [0, 1).

    >>> tf.image.adjust_brightness([0.25, 0.5], 0.25).numpy()
    array([0.5 , 0.75], dtype=float32)
    """
    floats, dtype = as_floats(image)
    brighter = _ops.add(floats, _ops.cast(_core.as_tensor(delta), floats.dtype))
    return convert_image_dtype(brighter, dtype, saturate=True)


@op_function(in_graph=of_any_rank(3))
def adjust_contrast(images: TensorLike, contrast_factor: TensorLike) -> Tensor:
    """Images with more or less contrast: `(x - mean) * factor + mean`, channel by channel.

    Args:
        images: `[..., height, width, channels]`, of any dtype.
        contrast_factor: the factor.

    >>> tf.image.adjust_contrast([[[1.0], [3.0]]], 2.0)[0, :, 0].numpy()
    array([0., 4.], dtype=float32)
    """
    tensor = _core.as_tensor(images)
    factor = _scalar(contrast_factor, "AdjustContrastv2", tensor, "contrast_factor")
    floats, dtype = as_floats(tensor)
    single = _ops.cast(floats, dtypes.float32)
    *outer, height, width, channels = sizes_of(single)
    mean = _ops.reduce_mean(single, [-3, -2], True)
    # Computes rows of pixels at a time: vectors over a few channels would be too short.
    means = _ops.tile(reshaped(mean, [*outer, 1, channels]), [*[1] * (len(outer) + 1), width])
    rows = reshaped(single, [*outer, height, width * channels])
    adjusted = _ops.add(_ops.multiply(_ops.subtract(rows, means), factor), means)
    adjusted = reshaped(adjusted, [*outer, height, width, channels])
    return convert_image_dtype(_ops.cast(adjusted, floats.dtype), dtype, saturate=True)


@op_function(elementwise=1, promotion="none")
def adjust_gamma(image: TensorLike, gamma: TensorLike = 1, gain: TensorLike = 1) -> Tensor:
    """Gamma correction: `gain * x ** gamma`.

    Args:
        image: of any dtype.
        gamma: the exponent, not negative.
        gain: the factor.

    Raises:
        ValueError: if `gamma` is negative.

    >>> tf.image.adjust_gamma([0.5], gamma=2.0).numpy()
    array([0.25], dtype=float32)
    """
    floats, dtype = as_floats(image)
    exponent = real(gamma, "gamma")
    if exponent is not None and exponent < 0:
        raise ValueError("Gamma should be a non-negative real number.")
    power = _ops.pow(floats, _core.convert(gamma, floats.dtype, None))
    adjusted = _ops.multiply(_core.convert(gain, floats.dtype, None), power)
    return convert_image_dtype(adjusted, dtype, saturate=True)


@op_function
def adjust_hue(image: TensorLike, delta: Any, name: str | None = None) -> Tensor:
    """Images with shifted hues.

    Args:
        image: colours `[..., 3]`, of any dtype.
        delta: how far to shift the hue, in [-1, 1].

    Raises:
        ValueError: if `delta` is outside.

    >>> tf.image.adjust_hue([[[1.0, 0.0, 0.0]]], 1 / 3).numpy().round(3).ravel()
    array([0., 1., 0.], dtype=float32)
    """
    if not isinstance(delta, Tensor) and not -1.0 <= delta <= 1.0:
        raise ValueError("delta must be in the interval [-1, 1]")
    tensor = _core.as_tensor(image)
    turn: Any = _scalar(delta, "AdjustHue", tensor, "delta")
    _check_channels(tensor, "AdjustHue")
    known = _core.static_value(turn)
    if known is not None:
        turn = float(known)
    if known is not None and not -1.0 <= turn <= 1.0:
        raise ValueError("delta must be in the interval [-1, 1]")
    floats, dtype = as_floats(tensor)
    hue, saturation, value = _ops.unstack(rgb_to_hsv(floats), 3, -1)
    moved = _ops.add(hue, _ops.cast(turn + 1.0, hue.dtype))
    turned = _ops.subtract(moved, _ops.floor(moved))
    return convert_image_dtype(
        hsv_to_rgb(_ops.stack([turned, saturation, value], -1)), dtype, saturate=True
    )


@op_function
def adjust_saturation(image: TensorLike, saturation_factor: Any, name: str | None = None) -> Tensor:
    """Images with more or less saturated colours.

    Args:
        image: colours `[..., 3]`, of any dtype.
        saturation_factor: the factor.

    >>> tf.image.adjust_saturation([[[1.0, 0.5, 0.5]]], 0.0).numpy().ravel()
    array([1., 1., 1.], dtype=float32)
    """
    tensor = _core.as_tensor(image)
    factor = _scalar(saturation_factor, "AdjustSaturation", tensor, "scale")
    _check_channels(tensor, "AdjustSaturation")
    floats, dtype = as_floats(tensor)
    sizes = floats._shape_tuple()
    if sizes is None or sizes[-1] is None:  # another number of channels is rejected when it runs
        floats = _ops.stack(_ops.unstack(floats, 3, -1), -1)
    value = _ops.reduce_max(floats, [-1], True)
    chroma = _ops.subtract(value, _ops.reduce_min(floats, [-1], True))
    zero, one = (_core.convert(limit, floats.dtype, None) for limit in (0, 1))
    saturation = _ops.divide_no_nan(chroma, _ops.relu(value))
    saturation = _ops.multiply(saturation, _ops.cast(factor, floats.dtype))
    wanted = _ops.multiply(_ops.clip_by_value(saturation, zero, one), value)
    # At a fixed hue, the value minus a channel is proportional to the chroma.
    below = _ops.multiply(_ops.subtract(value, floats), _ops.divide_no_nan(wanted, chroma))
    return convert_image_dtype(_ops.subtract(value, below), dtype, saturate=True)


@op_function
def adjust_jpeg_quality(
    image: TensorLike, jpeg_quality: TensorLike, dct_method: str = "", name: str | None = None
) -> Tensor:
    """An image as it looks after JPEG compression.

    Args:
        image: `[height, width, channels]` of any dtype, or a batch of them.
        jpeg_quality: 0 to 100.
        dct_method: a hint, as in `tf.io.decode_jpeg`.

    >>> tf.image.adjust_jpeg_quality(tf.ones([8, 8, 3]), 75).shape
    TensorShape([8, 8, 3])
    """
    tensor = _core.as_tensor(image)
    pixels = convert_image_dtype(tensor, dtypes.uint8, saturate=True)
    result = _through_jpeg(pixels, jpeg_quality)
    return convert_image_dtype(result, tensor.dtype, saturate=True)


@composed_op(
    "EncodeJpegVariableQuality",
    in_graph=on_host(lambda images, quality: TensorSpec(images.shape, dtypes.uint8)),
    overridable=False,
    images=Input("uint8"),
    quality=Input("int32"),
)
def _through_jpeg(images: Tensor, quality: TensorLike) -> Tensor:
    number = _core.convert(quality, dtypes.int32, None)
    if images.ndim != 3:
        raise invalid(
            f"image must be 3-dimensional, got shape {images.shape} [Op:EncodeJpegVariableQuality]"
        )
    if number.ndim:
        raise invalid(f"quality must be scalar: {number.shape} [Op:EncodeJpegVariableQuality]")
    amount = int(number)
    if not 0 <= amount <= 100:
        raise invalid(f"quality must be in [0,100], got {amount} [Op:EncodeJpegVariableQuality]")
    array = images.numpy()
    decoded = formats.decode_jpeg(codecs.jpeg_bytes(array, amount), array.shape[-1])
    return _core.as_tensor(decoded)
