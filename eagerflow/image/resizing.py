"""Images of other sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework import dtypes
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import is_known, may_equal
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.image.checks import in_batch, invalid, three_or_four, whole
from eagerflow.image.geometry import pad_to_bounding_box
from eagerflow.image.resampling import Table, axis_table, picked, resampled
from eagerflow.ops.numpy_ops import on_values

_ops = _core.ops
Tensor = _core.Tensor


class ResizeMethod:
    """The interpolation methods of resized images."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


_METHODS = frozenset(
    value for name, value in vars(ResizeMethod).items() if not name.startswith("_")
)


def _target(size: Any) -> tuple[int, int] | None:
    """The new height and width; None if they are not known while a function is traced."""
    tensor = _core.convert(size, None, dtypes.int32)
    if not may_equal(tensor._shape_tuple(), (2,)):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    if not tensor.dtype.is_integer:
        raise ValueError(f"'size' must hold integers, got {tensor.dtype.name}")
    known = _core.static_value(tensor)
    if known is None:
        return None
    height, width = known.numpy().tolist()
    if height <= 0 or width <= 0:
        raise invalid(f"output dimensions must be positive, got {[height, width]} [Op:Resize]")
    return height, width


def _kept_ratio(height: int, width: int, target: tuple[int, int]) -> tuple[int, int]:
    """The largest size of the same aspect ratio inside the target."""
    scale = min(
        np.float32(target[0]) / np.float32(height), np.float32(target[1]) / np.float32(width)
    )
    return (
        max(int(np.rint(np.float32(scale) * np.float32(height))), 1),
        max(int(np.rint(np.float32(scale) * np.float32(width))), 1),
    )


def _each(images: Any) -> list[Tensor]:
    """The images of a ragged tensor."""
    if len(images.shape) != 4:
        raise ValueError(f"Ragged images have four axes, got shape {images.shape}.")
    parts = [image.to_tensor() if hasattr(image, "to_tensor") else image for image in images]
    if any(0 in part._shape_tuple() for part in parts):
        raise errors.InvalidArgumentError._of("input image must be of non-zero size [Op:Resize]")
    return parts


@op_function
def resize(
    images: Any,
    size: Any,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images of another size.

    Args:
        images: `[height, width, channels]`, or with a batch axis before; ragged, if the sizes of
            images differ.
        size: the new height and width.
        method: one of `tf.image.ResizeMethod`: "bilinear", "nearest", "bicubic", "area",
            "lanczos3", "lanczos5", "gaussian" or "mitchellcubic".
        preserve_aspect_ratio: whether `size` is a box that the result has to fit into.
        antialias: whether to blur images that become smaller.

    Returns:
        float32; the dtype of the images for "nearest".

    Raises:
        ValueError: if the method, a rank or `size` is wrong.

    >>> tf.image.resize([[[1.0], [3.0]]], [1, 4])[0, :, 0].numpy()
    array([1. , 1.5, 2.5, 3. ], dtype=float32)
    """
    target_size = _target(size)
    method = getattr(method, "value", method)
    if method not in _METHODS:
        raise ValueError("Resize method is not implemented: {}".format(method))  # noqa: UP032

    if isinstance(images, CompositeTensor):
        sizes = (preserve_aspect_ratio, antialias)
        return _ops.stack([resize(part, size, method, *sizes) for part in _each(images)], 0)
    if getattr(images, "ndim", 0) is None:
        raise ValueError("'images' contains no shape.")
    tensor = _core.as_tensor(images)
    if 0 in tensor._shape_tuple()[-3:]:
        what = "at least one channel" if 0 not in tensor.shape[-3:-1] else "a height and a width"
        raise invalid(f"images must have {what}, got {tensor.shape} [Op:Resize]")
    tensor = three_or_four(tensor)
    if target_size is None or None in tensor._shape_tuple()[-3:-1]:
        unknown = target_size is None or preserve_aspect_ratio
        spec = _resized_spec(tensor, None if unknown else target_size, method)
        arguments = (method, preserve_aspect_ratio, antialias)
        return on_values(
            resize, [tensor, _core.convert(size, None, dtypes.int32)], [spec], *arguments
        )[0]
    height, width = target_size

    def resized(batch: Tensor) -> Tensor:
        rows, columns = batch._shape_tuple()[1:3]
        target = height, width
        if preserve_aspect_ratio:
            target = _kept_ratio(rows, columns, target)
        if method == "nearest":
            return picked(batch, *_tables("nearest", False, target, (rows, columns)))
        if batch.dtype is not dtypes.float32:
            batch = _ops.cast(batch, dtypes.float32)
        if target == (rows, columns) and method != "gaussian" and method != "mitchellcubic":
            return _ops.identity(batch)
        return resampled(batch, *_tables(method, antialias, target, (rows, columns)))

    return in_batch(tensor, resized)


def _tables(
    method: str, antialias: bool, target: tuple[int, int], sizes: tuple[int, int]
) -> list[Table]:
    """The tables of rows and of columns."""
    return [axis_table(method, antialias, *pair) for pair in zip(target, sizes, strict=True)]


def _resized_spec(images: Tensor, target: Sequence[int | None] | None, method: str) -> TensorSpec:
    *outer, _, _, channels = images.shape
    sizes = (None, None) if target is None else target
    dtype = images.dtype if getattr(method, "value", method) == "nearest" else dtypes.float32
    return TensorSpec([*outer, *sizes, channels], dtype)


@op_function
def resize_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: str = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Tensor:
    """Images of another size and the same aspect ratio, padded with zeros.

    Args:
        image: `[height, width, channels]`, or with a batch axis before.
        target_height: the height of the result.
        target_width: the width of the result.
        method: as in `tf.image.resize`.
        antialias: whether to blur images that become smaller.

    Raises:
        ValueError: if a size is not positive.

    >>> tf.image.resize_with_pad(tf.ones([2, 2, 1]), 2, 4)[0, :, 0].numpy()
    array([0., 1., 1., 0.], dtype=float32)
    """
    tensor = three_or_four(image)
    target = whole(target_height, "target_height"), whole(target_width, "target_width")
    rows, columns = tensor._shape_tuple()[-3:-1]
    if rows is None or columns is None or not is_known(*target):
        sizes = [None if not is_known(size) else size for size in target]
        inputs = [tensor, *(_core.as_tensor(size) for size in target)]
        spec = _resized_spec(tensor, sizes, method)
        return on_values(resize_with_pad, inputs, [spec], method, antialias)[0]
    height, width, top, left = place_within(rows, columns, *target)
    resized = resize(tensor, [height, width], method, antialias=antialias)
    return pad_to_bounding_box(resized, top, left, *target)


def place_within(rows: int, columns: int, *target: int) -> tuple[int, int, int, int]:
    """Height, width, top and left of an image that fills a target as far as its aspect ratio allows.

    Raises:
        ValueError: if a size of the target is not positive.
    """
    if target[0] <= 0:
        raise ValueError("target_height must be > 0.")
    if target[1] <= 0:
        raise ValueError("target_width must be > 0.")
    single = np.float32
    ratio = max(single(columns) / single(target[1]), single(rows) / single(target[0]))
    high, wide = single(rows) / ratio, single(columns) / ratio
    height, width = int(np.floor(high)), int(np.floor(wide))
    top = max(0, int(np.floor((single(target[0]) - high) / 2)))
    left = max(0, int(np.floor((single(target[1]) - wide) / 2)))
    return max(height, 1), max(width, 1), top, left
