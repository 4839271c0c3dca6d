"""Images as arrays and as files, through Pillow."""

from __future__ import annotations

import importlib
import io
import os
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.sizes import Size, at_most, is_known, sizes_of
from eagerflow.keras import config
from eagerflow.typing import FilePath, TensorLike
from eagerflow.util.optional import optional
from eagerflow.util.program_warnings import warn
from eagerflow.util.regular import read_regular

_ops = _core.ops

# Pillow's filters and the methods of `tf.image.resize` by Keras's names.
PIL_METHODS = {
    "nearest": "NEAREST",
    "bilinear": "BILINEAR",
    "bicubic": "BICUBIC",
    "hamming": "HAMMING",
    "box": "BOX",
    "lanczos": "LANCZOS",
}
RESIZE_METHODS = (
    "bilinear",
    "nearest",
    "bicubic",
    "area",
    "lanczos3",
    "lanczos5",
    "gaussian",
    "mitchellcubic",
)


def get_interpolation(interpolation: str) -> str:
    """The name of a method of `tf.image.resize`.

    Raises:
        NotImplementedError: for an unknown name.
    """
    name = interpolation.lower()
    if name not in RESIZE_METHODS:
        raise NotImplementedError(
            f"Value not recognized for `interpolation`: {interpolation}. Supported values are: "
            f"{', '.join(RESIZE_METHODS)}"
        )
    return name


def pillow(module: str = "Image") -> Any:
    """A module of Pillow.

    Raises:
        ImportError: if the package is not installed.
    """
    return optional(f"PIL.{module}", "Making images of arrays, or reading image files,")


def resize(images: TensorLike, size: object, method: str) -> Any:
    """`tf.image.resize`."""
    return importlib.import_module("eagerflow.image").resize(images, size, method=method)


def _checked_format(data_format: str | None) -> str:
    order = config.image_data_format() if data_format is None else data_format
    if order not in ("channels_first", "channels_last"):
        raise ValueError(f"Unknown data_format: {order}")
    return order


def smart_resize(x: TensorLike, size: Any, interpolation: str = "bilinear") -> Any:
    """Images of another size, cropped so that their aspect ratio is preserved.

    Args:
        x: `[height, width, channels]` or `[batch, height, width, channels]`.
        size: the new height and width.
        interpolation: a method of `tf.image.resize`.

    Returns:
        A tensor, or an array if `x` is one.

    Raises:
        ValueError: for other shapes.
    """
    if len(size) != 2:
        raise ValueError(f"Expected `size` to be a tuple of 2 integers, but got: {size}.")
    images = _core.as_tensor(x)
    if images.ndim not in (3, 4):
        raise ValueError(
            "Expected an image array with shape `(height, width, channels)`, or `(batch_size, "
            "height, width, channels)`, but got input with incorrect rank, of shape "
            f"{images.shape}."
        )
    height, width = sizes_of(images)[-3:-1]
    rows = at_most(height, _scaled(width, size[0], size[1]))
    columns = at_most(width, _scaled(height, size[1], size[0]))
    top, left = (height - rows) // 2, (width - columns) // 2
    cut = images[..., top : top + rows, left : left + columns, :]
    resized = resize(cut, size, interpolation)
    return resized.numpy() if isinstance(x, np.ndarray) else resized


def _scaled(length: Size, factor: int, divisor: int) -> Size:
    """A length times a ratio, as 32-bit floats round it."""
    if is_known(length):
        return int(np.float32(length * factor) / np.float32(divisor))
    return _core.ops.cast(
        _core.ops.cast(length * factor, dtypes.float32) / float(divisor), dtypes.int32
    )


def array_to_img(
    x: Any, data_format: str | None = None, scale: bool = True, dtype: Any = None
) -> Any:
    """An array as an image of Pillow.

    Args:
        x: `[height, width, channels]` with 1, 3 or 4 channels.
        data_format: whether the channels come first or last.
        scale: whether values are stretched to the range from 0 to 255.
        dtype: in which they are computed.

    Raises:
        ValueError: for other shapes.

    >>> tf.keras.utils.array_to_img(np.ones((2, 3, 3))).size
    (3, 2)
    """
    image = pillow()
    x = np.asarray(x, dtype=config.floatx() if dtype is None else dtype)
    if x.ndim != 3:
        raise ValueError(
            f"Expected image array to have rank 3 (single image). Got array with shape: {x.shape}"
        )
    if _checked_format(data_format) == "channels_first":
        x = x.transpose(1, 2, 0)
    if scale:
        x = x - np.min(x)
        highest = np.max(x)
        x = x / highest * 255 if highest != 0 else x * 255
    channels = x.shape[2]
    if channels == 4:
        return image.fromarray(x.astype("uint8"), "RGBA")
    if channels == 3:
        return image.fromarray(x.astype("uint8"), "RGB")
    if channels == 1:
        if np.max(x) > 255:
            return image.fromarray(x[:, :, 0].astype("int32"), "I")
        return image.fromarray(x[:, :, 0].astype("uint8"), "L")
    raise ValueError(f"Unsupported channel number: {channels}")


def img_to_array(img: Any, data_format: str | None = None, dtype: Any = None) -> np.ndarray:
    """An image of Pillow as an array with three axes.

    Args:
        img: the image.
        data_format: whether the channels come first or last.
        dtype: by default Keras's float type.

    Raises:
        ValueError: for an image of another shape.

    >>> image = tf.keras.utils.array_to_img(np.ones((2, 3, 1)))
    >>> tf.keras.utils.img_to_array(image).shape
    (2, 3, 1)
    """
    first = _checked_format(data_format) == "channels_first"
    x = np.asarray(img, dtype=config.floatx() if dtype is None else dtype)
    if x.ndim == 3:
        return x.transpose(2, 0, 1) if first else x
    if x.ndim == 2:
        return x[None] if first else x[..., None]
    raise ValueError(f"Unsupported image shape: {x.shape}")


def save_img(
    path: FilePath,
    x: TensorLike,
    data_format: str | None = None,
    file_format: str | None = None,
    scale: bool = True,
    **kwargs: Any,
) -> None:
    """Writes an array as an image file.

    Args:
        path: the file.
        x: as for `array_to_img`.
        data_format: whether the channels come first or last.
        file_format: by default it follows from the file's name.
        scale: whether values are stretched to the range from 0 to 255.
        **kwargs: passed to Pillow's `save`.
    """
    img = array_to_img(x, data_format=data_format, scale=scale)
    if img.mode == "RGBA" and file_format in ("jpg", "jpeg"):
        warn("The JPG format does not support RGBA images, converting to RGB.")
        img = img.convert("RGB")
    img.save(path, format=file_format, **kwargs)


def load_img(
    path: FilePath,
    grayscale: bool = False,
    color_mode: str = "rgb",
    target_size: Any = None,
    interpolation: str = "nearest",
    keep_aspect_ratio: bool = False,
) -> Any:
    """An image file as an image of Pillow.

    Args:
        path: the file, or a BytesIO with its bytes.
        grayscale: deprecated: `color_mode="grayscale"`.
        color_mode: "grayscale", "rgb" or "rgba".
        target_size: height and width; by default as in the file.
        interpolation: "nearest", "bilinear", "bicubic", "hamming", "box" or "lanczos".
        keep_aspect_ratio: whether the image is cut at the sides rather than stretched.

    Raises:
        ValueError: for another color mode or interpolation.
        TypeError: if `path` is not a path.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "black.png")
    >>> tf.keras.utils.save_img(path, np.zeros([8, 6, 3]))
    >>> tf.keras.utils.load_img(path, target_size=(4, 4)).size
    (4, 4)
    """
    if grayscale:
        warn('grayscale is deprecated. Please use color_mode = "grayscale"')
        color_mode = "grayscale"
    image = pillow()
    if isinstance(path, io.BytesIO):
        img = image.open(path)
    elif isinstance(path, str | bytes | os.PathLike):
        img = image.open(io.BytesIO(read_regular(path)))
    else:
        raise TypeError(f"path should be path-like or io.BytesIO, not {type(path)}")
    if color_mode == "grayscale":
        if img.mode not in ("L", "I;16", "I"):
            img = img.convert("L")
    elif color_mode in ("rgb", "rgba"):
        if img.mode != color_mode.upper():
            img = img.convert(color_mode.upper())
    else:
        raise ValueError('color_mode must be "grayscale", "rgb", or "rgba"')
    if target_size is None or img.size == (target_size[1], target_size[0]):
        return img
    if interpolation not in PIL_METHODS:
        raise ValueError(
            f"Invalid interpolation method {interpolation} specified. Supported methods are "
            f"{', '.join(PIL_METHODS)}"
        )
    method = getattr(image.Resampling, PIL_METHODS[interpolation])
    size = (target_size[1], target_size[0])
    if not keep_aspect_ratio:
        return img.resize(size, method)
    width, height = img.size
    rows = min(height, width * size[1] // size[0])
    columns = min(width, height * size[0] // size[1])
    top, left = (height - rows) // 2, (width - columns) // 2
    return img.resize(size, method, box=(left, top, left + columns, top + rows))
