"""Keras 3's operations on images."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow import image as _image
from eagerflow.framework.op_function import op_function
from eagerflow.keras import config
from eagerflow.keras.ops.promotion import tensor
from eagerflow.ops.array import pad
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def _is_first(data_format: str | None) -> bool:
    return (data_format or config.image_data_format()) == "channels_first"


def _last(images: Any, first: bool) -> Any:
    if not first:
        return images
    return _ops.transpose(images, [1, 2, 0] if images.ndim == 3 else [0, 2, 3, 1])


def _back(images: Any, first: bool) -> Any:
    if not first:
        return images
    return _ops.transpose(images, [2, 0, 1] if images.ndim == 3 else [0, 3, 1, 2])


@op_function
def resize(
    images: Any,
    size: Any,
    interpolation: str = "bilinear",
    antialias: bool = False,
    crop_to_aspect_ratio: bool = False,
    pad_to_aspect_ratio: bool = False,
    fill_mode: str = "constant",
    fill_value: float = 0.0,
    data_format: str | None = None,
) -> Any:
    """Images resized to another size.

    Args:
        images: one image or a batch.
        size: height and width.
        interpolation: "nearest", "bilinear", "bicubic", "lanczos3", "lanczos5" or "area".
        antialias: whether to smooth while shrinking.
        crop_to_aspect_ratio: whether to crop instead of distorting.
        pad_to_aspect_ratio: whether to pad instead of distorting.
        fill_mode: "constant", the only one.
        fill_value: the value of the padding.
        data_format: "channels_last" or "channels_first".
    """
    first = _is_first(data_format)
    images = _last(tensor(images), first)
    height, width = images._shape_tuple()[-3:-1]
    rows, columns = (int(each) for each in size)
    if crop_to_aspect_ratio:
        high = min(height, max(1, int(width * rows / columns)))
        wide = min(width, max(1, int(height * columns / rows)))
        images = _image.crop_to_bounding_box(
            images, (height - high) // 2, (width - wide) // 2, high, wide
        )
    elif pad_to_aspect_ratio:
        high = max(height, int(width * rows / columns))
        wide = max(width, int(height * columns / rows))
        above, left = (high - height) // 2, (wide - width) // 2
        around = [[above, high - height - above], [left, wide - width - left], [0, 0]]
        images = pad(images, [[0, 0]] * (images.ndim - 3) + around, constant_values=fill_value)
    dtype = images.dtype
    resized = _image.resize(images, [rows, columns], interpolation, antialias=antialias)
    return _back(resized if resized.dtype == dtype else _ops.cast(resized, dtype), first)


@op_function
def rgb_to_grayscale(images: TensorLike, data_format: str | None = None) -> Tensor:
    """RGB images in grayscale."""
    first = _is_first(data_format)
    return _back(_image.rgb_to_grayscale(_last(tensor(images), first)), first)


@op_function
def rgb_to_hsv(images: TensorLike, data_format: str | None = None) -> Tensor:
    """RGB images in hue, saturation and value."""
    first = _is_first(data_format)
    return _back(_image.rgb_to_hsv(_last(tensor(images), first)), first)


@op_function
def hsv_to_rgb(images: TensorLike, data_format: str | None = None) -> Tensor:
    """HSV images in red, green and blue."""
    first = _is_first(data_format)
    return _back(_image.hsv_to_rgb(_last(tensor(images), first)), first)


@op_function
def extract_patches(
    images: Any,
    size: Any,
    strides: Any = None,
    dilation_rate: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
) -> Any:
    """Patches of images, as vectors along the last axis.

    Args:
        images: one image or a batch.
        size: the patches' height and width, or one integer for both.
        strides: the distance of patches; their size by default.
        dilation_rate: the distance of a patch's elements.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
    """
    first = _is_first(data_format)
    images = _last(tensor(images), first)
    single = images.ndim == 3
    if single:
        images = _ops.expand_dims(images, 0)
    sizes = [size, size] if isinstance(size, int) else list(size)
    steps = sizes if not strides else [strides] * 2 if isinstance(strides, int) else list(strides)
    rates = [dilation_rate] * 2 if isinstance(dilation_rate, int) else list(dilation_rate)
    patches = _image.extract_patches(
        images, [1, *sizes, 1], [1, *steps, 1], [1, *rates, 1], padding.upper()
    )
    patches = _back(patches, first)
    return _ops.squeeze(patches, [0]) if single else patches


@op_function
def pad_images(
    images: Any,
    top_padding: int | None = None,
    left_padding: int | None = None,
    bottom_padding: int | None = None,
    right_padding: int | None = None,
    target_height: int | None = None,
    target_width: int | None = None,
    data_format: str | None = None,
) -> Any:
    """Images padded with zeros; two of three sizes are given for each axis."""
    first = _is_first(data_format)
    images = _last(tensor(images), first)
    height, width = images._shape_tuple()[-3:-1]
    top, bottom = _around("height", height, top_padding, bottom_padding, target_height)
    left, right = _around("width", width, left_padding, right_padding, target_width)
    around = [[0, 0]] * (images.ndim - 3) + [[top, bottom], [left, right], [0, 0]]
    return _back(pad(images, around), first)


@op_function
def crop_images(
    images: Any,
    top_cropping: int | None = None,
    left_cropping: int | None = None,
    bottom_cropping: int | None = None,
    right_cropping: int | None = None,
    target_height: int | None = None,
    target_width: int | None = None,
    data_format: str | None = None,
) -> Any:
    """Cropped images; two of three sizes are given for each axis."""
    first = _is_first(data_format)
    images = _last(tensor(images), first)
    height, width = images._shape_tuple()[-3:-1]
    less = (
        None if t is None else 2 * s - t
        for s, t in ((height, target_height), (width, target_width))
    )
    high, wide = less
    top, bottom = _around("height", height, top_cropping, bottom_cropping, high)
    left, right = _around("width", width, left_cropping, right_cropping, wide)
    return _back(images[..., top : height - bottom, left : width - right, :], first)


def _around(
    name: str, size: int, before: int | None, after: int | None, target: int | None
) -> tuple[int, int]:
    if [before, after, target].count(None) != 1:
        raise ValueError(
            f"Must specify exactly two of the sizes before and after the {name} and the target "
            f"{name}. Received: {before}, {after}, {target}"
        )
    if before is None:
        before = target - size - after  # type: ignore[operator]
    if after is None:
        after = target - size - before  # type: ignore[operator]
    return before, after


@op_function
def sobel_edges(images: TensorLike, data_format: str | None = None) -> Tensor:
    """Sobel derivatives along both axes, as the last axis."""
    return _image.sobel_edges(_last(tensor(images), _is_first(data_format)))


@op_function
def ssim(
    img1: Any,
    img2: Any,
    max_val: float = 1.0,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    data_format: str | None = None,
) -> Tensor:
    """The structural similarity of images."""
    first = _is_first(data_format)
    one, other = _last(tensor(img1), first), _last(tensor(img2), first)
    return _image.ssim(one, other, max_val, filter_size, filter_sigma, k1, k2)
