"""Boxes in images: drawn, cut out, and chosen at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow import dtype as dtypes
from eagerflow.ops.images.checks import invalid
from eagerflow.ops.op_arguments import raises_like

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


@raises_like("DrawBoundingBoxesV2")
def draw_bounding_boxes(images: Any, boxes: Any, colors: Any, name: str | None = None) -> Tensor:
    """Images with the outlines of boxes.

    Args:
        images: float32 or float16 `[batch, height, width, channels]` with 1, 3 or 4 channels.
        boxes: float32 `[batch, n, 4]`: top, left, bottom, right, in heights and widths of the image.
        colors: `[m, channels]`, used in turn; None for a list of ten.
        name: ignored.

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
        given = _core.convert(colors, dtypes.float32, None).numpy()
        if given.size:
            if given.ndim != 2 or given.shape[1] < channels:
                raise invalid(
                    f"colors must have shape [n, {channels}], got {list(given.shape)} "
                    "[Op:DrawBoundingBoxesV2]"
                )
            palette = given[:, :channels]
    result = np.array(tensor.numpy())
    for image in range(batch):
        for k, box in enumerate(corners[image]):
            colour = palette[k % len(palette)].astype(result.dtype)
            _outline(result[image], box, colour, height, width)
    return _core.convert(result, tensor.dtype, None)


def _outline(
    image: np.ndarray, box: np.ndarray, colour: np.ndarray, height: int, width: int
) -> None:
    """Draws one box; what is outside the image is left out."""
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


def _sampling(low: Tensor, high: Tensor, size: int, count: int) -> tuple[Tensor, np.ndarray]:
    """Where crops take their samples along an axis, `[boxes, count]`, and which are inside."""
    last = _core.convert(size - 1, dtypes.float32, None)
    if count > 1:
        step = _ops.multiply(
            _ops.subtract(high, low), _core.convert((size - 1) / (count - 1), dtypes.float32, None)
        )
        offsets = _core.convert(np.arange(count, dtype=np.float32), None, None)
        place = _ops.add(
            _ops.multiply(_ops.expand_dims(low, 1), last),
            _ops.multiply(_ops.expand_dims(step, 1), offsets),
        )
    else:
        half = _core.convert(0.5 * (size - 1), dtypes.float32, None)
        place = _ops.expand_dims(_ops.multiply(_ops.add(low, high), half), 1)
    values = place.numpy()
    return place, (values >= 0) & (values <= size - 1)


@raises_like("CropAndResize")
def crop_and_resize(
    image: Any,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Parts of images, all resized to one size.

    Args:
        image: `[batch, height, width, channels]`, of any numeric dtype.
        boxes: float32 `[n, 4]`: top, left, bottom, right, where 0 is the first and 1 the last row
            or column. A box may be outside in part, or upside down.
        box_indices: int32 `[n]`, which image each is cut from.
        crop_size: the height and width of the result.
        method: "bilinear" or "nearest".
        extrapolation_value: what stands outside.
        name: ignored.

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
    tensor = _core.convert(image, None, None)
    corners = _core.convert(boxes, dtypes.float32, None)
    which = _core.convert(box_indices, dtypes.int32, None).numpy()
    if method not in ("bilinear", "nearest"):
        raise invalid(f"method must be 'bilinear' or 'nearest', got {method!r} [Op:CropAndResize]")
    if tensor.ndim != 4:
        raise invalid(f"input image must be 4-D: {tensor.shape} [Op:CropAndResize]")
    if corners.ndim != 2 or corners._shape_tuple()[1] != 4:
        raise invalid(f"boxes must have 4 columns: {corners.shape} [Op:CropAndResize]")
    if which.shape != (corners._shape_tuple()[0],):
        raise invalid(f"box_index has incompatible shape {list(which.shape)} [Op:CropAndResize]")
    batch, rows, columns, channels = tensor._shape_tuple()
    if which.size and (which.min() < 0 or which.max() >= batch):
        from eagerflow.errors import OutOfRangeError

        raise OutOfRangeError(None, None, "box_index has values outside [0, batch_size)")
    sizes = _core.convert(crop_size, dtypes.int32, None).numpy().reshape(-1).tolist()
    if len(sizes) != 2 or min(sizes) <= 0:
        raise invalid(f"crop dimensions must be positive: {sizes} [Op:CropAndResize]")
    floats = tensor if tensor.dtype is dtypes.float32 else _ops.cast(tensor, dtypes.float32)
    top, left, bottom, right = _ops.unstack(corners, 4, 1)
    down, row_inside = _sampling(top, bottom, rows, sizes[0])
    aside, column_inside = _sampling(left, right, columns, sizes[1])
    flat = _ops.reshape(floats, [batch * rows * columns, channels])
    base = (which.astype(np.int64) * rows)[:, None, None]

    def taken(row: np.ndarray, column: np.ndarray) -> Tensor:
        row = np.clip(row, 0, rows - 1).astype(np.int64)[:, :, None]
        column = np.clip(column, 0, columns - 1).astype(np.int64)[:, None, :]
        return _ops.gather(flat, (base + row) * columns + column, 0, 0)

    if method == "nearest":
        # Halves are rounded away from zero.
        result = taken(np.floor(down.numpy() + 0.5), np.floor(aside.numpy() + 0.5))
    else:
        low, before = np.floor(down.numpy()), np.floor(aside.numpy())
        high, after = np.ceil(down.numpy()), np.ceil(aside.numpy())
        share_down = _ops.reshape(_ops.subtract(down, low), [-1, sizes[0], 1, 1])
        share_aside = _ops.reshape(_ops.subtract(aside, before), [-1, 1, sizes[1], 1])

        def between(first: Tensor, second: Tensor, share: Tensor) -> Tensor:
            return _ops.add(first, _ops.multiply(_ops.subtract(second, first), share))

        upper = between(taken(low, before), taken(low, after), share_aside)
        lower = between(taken(high, before), taken(high, after), share_aside)
        result = between(upper, lower, share_down)
    inside = row_inside[:, :, None] & column_inside[:, None, :]
    if inside.all():
        return result
    outside = _core.convert(extrapolation_value, dtypes.float32, None)
    return _ops.select(inside[..., None], result, outside)
