"""Boxes in images: drawn, cut out, and chosen at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.image.checks import invalid
from eagerflow.ops.composed_op import INDEX_TYPES, Input, composed_op

_ops = _core.ops
Tensor = _core.Tensor

_COLOURS = np.array(
    [
        [1, 1, 0, 1],
        [0, 0, 1, 1],
        [1, 0, 0, 1],
        [0, 1, 0, 1],
        [0.5, 0, 0.5, 1],
        [0.5, 0.5, 0, 1],
        [0.5, 0, 0, 1],
        [0, 0, 0.5, 1],
        [0, 1, 1, 1],
        [1, 0, 1, 1],
    ],
    np.float32,
)


def _like_images(images: Tensor, *_: object, **__: object) -> TensorSpec:
    tensor = _core.convert(images, None, dtypes.float32)
    return TensorSpec(tensor.shape, tensor.dtype)


@composed_op(
    "DrawBoundingBoxesV2",
    in_graph=on_host(_like_images),
    images=Input("float32", "float16", prefer="float32"),
    boxes=Input("float32"),
    colors=Input("float32"),
)
def draw_bounding_boxes(images: Any, boxes: Any, colors: Any, name: str | None = None) -> Tensor:
    """Images with the outlines of boxes.

    Args:
        images: float32 or float16 `[batch, height, width, channels]` with 1, 3 or 4 channels.
        boxes: float32 `[batch, n, 4]`: top, left, bottom, right, relative to the image's size.
        colors: `[m, channels]`, used in turn; None for a list of ten.

    Raises:
        tf.errors.InvalidArgumentError: if shapes do not fit.

    >>> drawn = tf.image.draw_bounding_boxes(tf.zeros([1, 3, 3, 1]), [[[0, 0, 1, 1]]], [[5.0]])
    >>> drawn[0, :, :, 0].numpy()
    array([[5., 5., 5.],
           [5., 0., 5.],
           [5., 5., 5.]], dtype=float32)
    """
    tensor = _core.convert(images, None, dtypes.float32)
    corners = _core.convert(boxes, dtypes.float32, None).numpy()
    if tensor.ndim != 4 or tensor._shape_tuple()[-1] not in (1, 3, 4):
        raise invalid(
            f"The rank of the images should be 4, with 1, 3 or 4 channels, got {tensor.shape} "
            "[Op:DrawBoundingBoxesV2]"
        )
    if corners.ndim != 3 or corners.shape[2] != 4 or corners.shape[0] != tensor._shape_tuple()[0]:
        raise invalid(
            f"boxes must have shape [batch, n, 4], got {list(corners.shape)} "
            "[Op:DrawBoundingBoxesV2]"
        )
    batch, height, width, channels = tensor._shape_tuple()
    palette = _COLOURS[:, :channels]
    if channels == 1:
        palette = np.ones((len(palette), 1), np.float32)
    if colors is not None:
        rows = _core.convert(colors, dtypes.float32, None).numpy()
        if rows.size:
            if rows.ndim != 2 or rows.shape[1] < channels:
                raise invalid(
                    f"colors must have shape [n, {channels}], got {list(rows.shape)} "
                    "[Op:DrawBoundingBoxesV2]"
                )
            palette = rows[:, :channels]
    result = np.array(tensor.numpy())
    for image in range(batch):
        for k, box in enumerate(corners[image]):
            colour = palette[k % len(palette)].astype(result.dtype)
            _outline(result[image], box, colour, height, width)
    return _core.convert(result, tensor.dtype, None)


def _outline(
    image: np.ndarray, box: np.ndarray, colour: np.ndarray, height: int, width: int
) -> None:
    """Draws one box, clipped to the image."""
    if not np.isfinite(box).all():
        return
    top, bottom = (int(np.float32(box[k]) * np.float32(height - 1)) for k in (0, 2))
    left, right = (int(np.float32(box[k]) * np.float32(width - 1)) for k in (1, 3))
    if top > bottom or left > right:
        return
    if top >= height or bottom < 0 or left >= width or right < 0:
        return
    rows = slice(max(top, 0), min(bottom, height - 1) + 1)
    columns = slice(max(left, 0), min(right, width - 1) + 1)
    if top >= 0:
        image[top, columns] = colour
    if bottom < height:
        image[bottom, columns] = colour
    if left >= 0:
        image[rows, left] = colour
    if right < width:
        image[rows, right] = colour


@composed_op(
    "CropAndResize",
    image=Input(INDEX_TYPES, "uint8", "uint16", "int8", "int16", "float16", "float32", "float64"),
    boxes=Input("float32"),
    box_indices=Input("int32"),
    crop_size=Input("int32"),
)
def crop_and_resize(
    image: Any,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Crops of images, all resized to one size.

    Args:
        image: `[batch, height, width, channels]`, of any numeric dtype.
        boxes: float32 `[n, 4]`: top, left, bottom, right, where 0 is the first and 1 the last row
            or column. A box may be outside in part, or upside down.
        box_indices: int32 `[n]`, which image each is cut from.
        crop_size: the height and width of the result.
        method: "bilinear" or "nearest".
        extrapolation_value: the value outside of the image.

    Returns:
        float32 `[n, crop_height, crop_width, channels]`.

    Raises:
        ValueError: if `method` is unknown.
        tf.errors.InvalidArgumentError: if shapes do not fit.
        tf.errors.OutOfRangeError: if an index of an image is out of range.

    >>> image = tf.reshape(tf.range(4.0), [1, 2, 2, 1])
    >>> tf.image.crop_and_resize(image, [[0, 0, 1, 1]], [0], [1, 1]).numpy().ravel()
    array([1.5], dtype=float32)
    """
    if method not in ("bilinear", "nearest"):
        raise invalid(f"method must be 'bilinear' or 'nearest', got {method!r} [Op:CropAndResize]")
    return _ops.crop_and_resize(
        _core.as_tensor(image), boxes, box_indices, crop_size, method, extrapolation_value
    )
