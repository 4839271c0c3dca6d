"""tf.image of version 1: resizing relative to the corners of pixels."""

from __future__ import annotations

import functools
from typing import Any

from eagerflow import _core
from eagerflow import image as modern
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import is_known
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.image.checks import three_or_four, whole
from eagerflow.image.corner_resizing import (
    resize_area,
    resize_bicubic,
    resize_bilinear,
    resize_nearest_neighbor,
)
from eagerflow.image.resizing import place_within
from eagerflow.ops import array
from eagerflow.ops.numpy_ops import on_values
from eagerflow.typing import TensorLike
from eagerflow_compat.v1.arguments import version_1

_ops = _core.ops
Tensor = _core.Tensor


def extract_image_patches(
    images: TensorLike,
    ksizes: Any = None,
    strides: TensorLike | None = None,
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
    size: TensorLike,
    method: str | int = ResizeMethod.BILINEAR,
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


def _within(size: TensorLike, old: Tensor) -> Tensor:
    """The largest size of an image's proportions that fits in a size."""
    old = _ops.cast(old, dtypes.float64)
    factor = _ops.reduce_min(_ops.cast(size, dtypes.float64) / old)
    return _ops.cast(_ops.round(factor * old), dtypes.int32)


@op_function
def resize_image_with_crop_or_pad(
    image: TensorLike, target_height: TensorLike, target_width: TensorLike
) -> Tensor:
    """Images cropped or padded with zeros to a size, evenly on both sides."""
    return modern.resize_with_crop_or_pad(image, target_height, target_width)


@op_function
def resize_image_with_pad(
    image: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
    method: str | int = ResizeMethod.BILINEAR,
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
    images: TensorLike, boxes: TensorLike, name: str | None = None, colors: TensorLike | None = None
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
    size: TensorLike,
    offsets: TensorLike,
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
