"""tf.image of version 1: resizing relative to the corners of pixels."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow import image as modern
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import host_call
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import is_known
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.image.checks import three_or_four, whole
from eagerflow.image.resizing import place_within
from eagerflow.ops import array
from eagerflow.ops.numpy_ops import on_values
from eagerflow.typing import TensorLike
from eagerflow.v1.arguments import version_1

_ops = _core.ops
Tensor = _core.Tensor


def extract_image_patches(
    images: TensorLike,
    ksizes: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: str | None = None,
    name: str | None = None,
    sizes: Any = None,
) -> Tensor:
    """Patches of images, each along the last axis; `ksizes` is a former name of `sizes`.

    Args:
        images: `[batch, height, width, channels]`.
        ksizes: the size of patches, `[1, rows, columns, 1]`.
        strides: the distance of their centers, `[1, rows, columns, 1]`.
        rates: the distance of the pixels of a patch, `[1, rows, columns, 1]`.
        padding: "VALID" or "SAME".
        name: of the operation.
        sizes: the same as `ksizes`.

    Raises:
        ValueError: if both `ksizes` and `sizes` are given.

    >>> images = tf.reshape(tf.range(9), [1, 3, 3, 1])
    >>> ones = [1, 1, 1, 1]
    >>> patches = tf.compat.v1.extract_image_patches(images, [1, 2, 2, 1], ones, ones, "VALID")
    >>> patches[0, 0, 0].numpy().tolist()
    [0, 1, 3, 4]
    """
    if ksizes is not None and sizes is not None:
        raise ValueError("Cannot specify both 'sizes' and 'ksizes'.")
    window = sizes if ksizes is None else ksizes
    return modern.extract_patches(images, window, strides, rates, padding, name)  # type: ignore[arg-type]


_version_1 = functools.partial(version_1, __name__)
crop_and_resize = _version_1(
    "crop_and_resize(image, boxes, box_ind=None, crop_size=None, method='bilinear',"
    " extrapolation_value=0, name=None, box_indices=None)",
    modern.crop_and_resize,
    "Parts of images, resized.",
    box_ind="box_indices",
)
sample_distorted_bounding_box = _version_1(
    "sample_distorted_bounding_box(image_size, bounding_boxes, seed=None, seed2=None,"
    " min_object_covered=0.1, aspect_ratio_range=None, area_range=None, max_attempts=None,"
    " use_image_if_no_bounding_boxes=None, name=None)",
    modern.sample_distorted_bounding_box,
    "A random part of an image that covers enough of its boxes.",
)


class ResizeMethod:
    """The methods of `resize_images`."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


def _positions(size: int, new: int, align_corners: bool, half_pixel_centers: bool) -> Any:
    """The position of each new pixel among the old ones."""
    at = np.arange(new, dtype=np.float32)
    if align_corners and new > 1:
        return at * np.float32((size - 1) / (new - 1))
    scale = np.float32(size / max(new, 1))
    return (at + np.float32(0.5)) * scale - np.float32(0.5) if half_pixel_centers else at * scale


def _cubic(distance: Any) -> Any:
    """Keys's cubic kernel with a = -0.75."""
    a, d = -0.75, np.abs(distance)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


def _along(images: Any, axis: int, taps: list[tuple[Any, Any]]) -> Any:
    """A weighted sum of pixels along an axis; those of weight 0 do not count, whatever they are."""
    total = None
    for indices, weights in taps:
        shape = [1, 1, 1, 1]
        shape[axis] = len(indices)
        part = _ops.gather(images, _core.convert(indices, dtypes.int32, None), axis=axis)
        part = _ops.multiply_no_nan(part, weights.reshape(shape).astype(np.float32))
        total = part if total is None else total + part
    return total


def _resized(images: Any, size: Any, taps_of: Any) -> Any:
    images = _core.as_tensor(images)
    if images.ndim != 4:
        raise ValueError(f"images must be 4-D, got shape {images.shape}")
    known: Any = _core.static_value(_core.as_tensor(size))
    new = [int(n) for n in known.numpy()]
    result = _ops.cast(images, dtypes.float32)
    for axis in (1, 2):
        result = _along(result, axis, taps_of(images._shape_tuple()[axis], new[axis - 1]))
    return result


def _of_known_sizes(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function in a form that waits for sizes that are unknown while a graph is built."""
    keeps_dtype = function.__name__ == "resize_nearest_neighbor"

    @functools.wraps(function)
    def resized(images: Any, size: Any, *rest: Any, **options: Any) -> Tensor:
        images, size = _core.as_tensor(images), _core.convert(size, None, dtypes.int32)
        shape = images.shape
        known: Any = _core.static_value(size)
        if known is not None and shape.rank is not None and None not in shape.as_list()[1:3]:
            return function(images, size, *rest, **options)
        if shape.rank is not None and shape.rank != 4:
            raise ValueError(f"images must be 4-D, got shape {images.shape}")
        sizes = [None, None] if known is None else known.numpy().tolist()
        batch, channels = (None, None) if shape.rank is None else (shape[0], shape[3])
        dtype = images.dtype if keeps_dtype else dtypes.float32
        spec = TensorSpec([batch, *sizes, channels], dtype)
        name = function.__name__
        return host_call(_PUBLIC[name], spec, (images, size, *rest), options, name=name)

    return resized


@op_function
@_of_known_sizes
def resize_bilinear(
    images: TensorLike,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Images resized by bilinear interpolation, float32.

    Args:
        images: `[batch, height, width, channels]`.
        size: the new height and width.
        align_corners: whether corner pixels stay where they are.
        name: the node's name.
        half_pixel_centers: whether coordinates are those of pixel centres.

    >>> image = tf.reshape([0.0, 4.0], [1, 1, 2, 1])
    >>> tf.compat.v1.image.resize_bilinear(image, [1, 4]).numpy().ravel()
    array([0., 2., 4., 4.], dtype=float32)
    """

    def taps(size: int, new: int) -> list[tuple[Any, Any]]:
        at = np.clip(_positions(size, new, align_corners, half_pixel_centers), 0, size - 1)
        low = np.floor(at).astype(int)
        fraction = at - low
        return [(low, 1 - fraction), (np.minimum(low + 1, size - 1), fraction)]

    return _resized(images, size, taps)


@op_function
@_of_known_sizes
def resize_nearest_neighbor(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Any:
    """Images resized to the nearest pixels, of their own dtype."""
    images = _core.as_tensor(images)
    known: Any = _core.static_value(_core.as_tensor(size))
    new = [int(n) for n in known.numpy()]
    for axis in (1, 2):
        old = images._shape_tuple()[axis]
        if half_pixel_centers:
            at = np.floor((np.arange(new[axis - 1]) + 0.5) * np.float32(old / new[axis - 1]))
        else:
            at = _positions(old, new[axis - 1], align_corners, False)
            at = np.floor(at + 0.5) if align_corners else np.floor(at)
        indices = _core.as_tensor(np.clip(at, 0, old - 1))
        images = _ops.gather(images, _ops.cast(indices, dtypes.int32), axis=axis)
    return images


# How finely TensorFlow tabulates the cubic.
_CUBIC_STEPS = 1024


@op_function
@_of_known_sizes
def resize_bicubic(
    images: TensorLike,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Images resized by cubic convolution, float32."""
    if half_pixel_centers:
        return modern.resize(images, size, "bicubic")

    def taps(size: int, new: int) -> list[tuple[Any, Any]]:
        at = _positions(size, new, align_corners, False)
        low = np.floor(at).astype(int)
        at = low + np.rint((at - low) * _CUBIC_STEPS) / _CUBIC_STEPS
        return [(np.clip(low + k, 0, size - 1), _cubic(at - (low + k))) for k in (-1, 0, 1, 2)]

    return _resized(images, size, taps)


@op_function
@_of_known_sizes
def resize_area(
    images: TensorLike, size: Any, align_corners: bool = False, name: str | None = None
) -> Tensor:
    """Images resized by averaging areas, float32."""

    def taps(size: int, new: int) -> list[tuple[Any, Any]]:
        scale = (size - 1) / (new - 1) if align_corners and new > 1 else size / new
        first = np.arange(new) * scale
        last = first + scale  # beyond the border, its pixels count again
        low = np.floor(first).astype(int)
        count = int(np.max(np.ceil(last) - low))
        covers = []
        for k in range(count):
            covered = np.minimum(last, low + k + 1) - np.maximum(first, low + k)
            covers.append((np.clip(low + k, 0, size - 1), np.maximum(covered, 0) / scale))
        return covers

    return _resized(images, size, taps)


_PUBLIC = {
    function.__name__: function
    for function in (resize_bilinear, resize_nearest_neighbor, resize_bicubic, resize_area)
}
_FUNCTIONS = {
    ResizeMethod.BILINEAR: resize_bilinear,
    ResizeMethod.NEAREST_NEIGHBOR: resize_nearest_neighbor,
    ResizeMethod.BICUBIC: resize_bicubic,
    ResizeMethod.AREA: resize_area,
    "bilinear": resize_bilinear,
    "nearest": resize_nearest_neighbor,
    "bicubic": resize_bicubic,
    "area": resize_area,
}


@op_function
def resize_images(
    images: TensorLike,
    size: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images of another size.

    Args:
        images: `[batch, height, width, channels]`, or one image.
        size: the new height and width.
        method: one of `ResizeMethod`.
        align_corners: whether corner pixels stay where they are.
        preserve_aspect_ratio: whether both axes are scaled by the smaller factor.
        name: the node's name.

    Raises:
        ValueError: for another method, or images of another rank.
    """
    method = getattr(method, "value", method)
    if method not in _FUNCTIONS:
        raise ValueError("Resize method is not implemented.")
    images = _core.as_tensor(images)
    if images.ndim not in (3, 4):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    batch = images if images.ndim == 4 else _ops.expand_dims(images, 0)
    sizes = batch._shape_tuple()[1:3]
    target: Any = _core.convert(size, None, dtypes.int32)
    known: Any = _core.static_value(target)
    new = None if known is None else tuple(known.numpy().tolist())
    if preserve_aspect_ratio:
        if new is None or None in sizes:
            target, new = _within(target, array.shape(batch)[1:3]), None
        else:
            factor = min(new[0] / sizes[0], new[1] / sizes[1])
            target = new = tuple(round(factor * old) for old in sizes)
    result = batch
    if new is None or new != sizes:
        result = _FUNCTIONS[method](batch, target, align_corners=align_corners)
    return result if images.ndim == 4 else _ops.squeeze(result, [0])


resize = resize_images


def _within(size: Any, old: Any) -> Any:
    """The largest size of an image's proportions that fits in a size."""
    old = _ops.cast(old, dtypes.float64)
    factor = _ops.reduce_min(_ops.cast(size, dtypes.float64) / old)
    return _ops.cast(_ops.round(factor * old), dtypes.int32)


@op_function
def resize_image_with_crop_or_pad(
    image: TensorLike, target_height: Any, target_width: Any
) -> Tensor:
    """Images cropped or padded with zeros to a size, evenly on both sides."""
    return modern.resize_with_crop_or_pad(image, target_height, target_width)


@op_function
def resize_image_with_pad(
    image: TensorLike,
    target_height: Any,
    target_width: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
) -> Tensor:
    """Images resized with their aspect ratio, and padded with zeros to a size."""
    tensor = three_or_four(image)
    target = whole(target_height, "target_height"), whole(target_width, "target_width")
    rows, columns = tensor._shape_tuple()[-3:-1]
    if rows is None or columns is None or not is_known(*target):
        sizes = [size if is_known(size) else None for size in target]
        *outer, _, _, channels = tensor.shape
        nearest = method in (ResizeMethod.NEAREST_NEIGHBOR, "nearest")
        dtype = tensor.dtype if nearest else dtypes.float32
        spec = TensorSpec([*outer, *sizes, channels], dtype)
        inputs = [tensor, *(_core.as_tensor(size) for size in target)]
        return on_values(resize_image_with_pad, inputs, [spec], method, align_corners)[0]
    height, width, top, left = place_within(rows, columns, *target)
    resized = resize_images(tensor, [height, width], method, align_corners)
    return modern.pad_to_bounding_box(resized, top, left, *target)


@op_function
def draw_bounding_boxes(
    images: TensorLike, boxes: Any, name: str | None = None, colors: Any = None
) -> Tensor:
    """Images with the outlines of boxes, in ten colors where none are given.

    Args:
        images: `[batch, height, width, channels]`.
        boxes: `[batch, n, 4]`: top, left, bottom, right, relative to the image's size.
        name: ignored.
        colors: `[m, channels]`, used in turn.
    """
    return modern.draw_bounding_boxes(images, boxes, colors)


def extract_glimpse(
    input: TensorLike,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> Tensor:
    """Windows of images at given positions, with noise outside of the images.

    Args:
        input: `[batch, height, width, channels]`.
        size: the windows' height and width.
        offsets: `[batch, 2]`, the position of each window, rows first.
        centered: whether positions are relative to the image's center.
        normalized: whether positions are relative to the image's size.
        uniform_noise: whether noise is uniform, or gaussian.
        name: ignored.
    """
    noise = "uniform" if uniform_noise else "gaussian"
    return modern.extract_glimpse(input, size, offsets, centered, normalized, noise, name)
