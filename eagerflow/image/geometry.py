"""Images cropped, padded, rotated and flipped."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import (
    at_least,
    at_most,
    is_known,
    known_array,
    of_rank,
    reshaped,
    sizes_of,
    with_sizes,
)
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.image.checks import image_of, invalid, real, three_or_four, whole
from eagerflow.ops.array import pad
from eagerflow.ops.composed_op import NUMERIC_TYPES, Input, composed_op
from eagerflow.ops.control_flow import switch_case
from eagerflow.ops.random import stateful
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def _images(value: TensorLike) -> Tensor:
    """One image or a batch, or one of both if the rank is unknown."""
    tensor = image_of(value)
    return tensor if tensor.ndim is None else three_or_four(tensor)


@op_function
def flip_left_right(image: TensorLike) -> Tensor:
    """Images flipped left to right.

    >>> tf.image.flip_left_right([[[1], [2]]])[0, :, 0].numpy()
    array([2, 1], dtype=int32)
    """
    return _ops.reverse(_images(image), [-2])


@op_function
def flip_up_down(image: TensorLike) -> Tensor:
    """Images flipped upside down.

    >>> tf.image.flip_up_down([[[1]], [[2]]])[:, 0, 0].numpy()
    array([2, 1], dtype=int32)
    """
    return _ops.reverse(_images(image), [-3])


@op_function
def transpose(image: TensorLike, name: str | None = None) -> Tensor:
    """Images transposed: rows become columns.

    >>> tf.image.transpose(tf.zeros([2, 3, 1])).shape
    TensorShape([3, 2, 1])
    """
    tensor = three_or_four(image)
    return _ops.transpose(tensor, [1, 0, 2] if tensor.ndim == 3 else [0, 2, 1, 3])


@op_function
def rot90(image: TensorLike, k: TensorLike = 1, name: str | None = None) -> Tensor:
    """Images rotated counter-clockwise by `k` right angles.

    >>> tf.image.rot90([[[1], [2]]])[:, 0, 0].numpy()
    array([2, 1], dtype=int32)
    """
    tensor = three_or_four(image)
    number = known_array(k, None, "k")
    if number.ndim:
        raise ValueError(f"Shape {number.shape} must have rank 0")
    return switch_case(
        _ops.cast(_ops.floormod(number, 4), dtypes.int32),
        [
            lambda: tensor,
            lambda: _ops.reverse(transpose(tensor), [-3]),
            lambda: _ops.reverse(tensor, [-3, -2]),
            lambda: transpose(_ops.reverse(tensor, [-3])),
        ],
    )


@op_function
def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: TensorLike
) -> Tensor:
    """A crop of images.

    Args:
        image: `[height, width, channels]`, or with a batch axis before.
        offset_height: the crop's first row.
        offset_width: its first column.
        target_height: its height.
        target_width: its width.

    Raises:
        ValueError: if the crop is not inside the image.

    >>> tf.image.crop_to_bounding_box(tf.zeros([4, 5, 1]), 1, 1, 2, 3).shape
    TensorShape([2, 3, 1])
    """
    tensor = three_or_four(image)
    top, left = whole(offset_height, "offset_height"), whole(offset_width, "offset_width")
    height, width = whole(target_height, "target_height"), whole(target_width, "target_width")
    rows, columns = sizes_of(tensor)[-3:-1]
    for number, least, message in (
        (left, 0, "offset_width must be >= 0."),
        (top, 0, "offset_height must be >= 0."),
        (width, 1, "target_width must be > 0."),
        (height, 1, "target_height must be > 0."),
        (columns - left - width, 0, "width must be >= target + offset."),
        (rows - top - height, 0, "height must be >= target + offset."),
    ):
        if is_known(number) and number < least:
            raise ValueError(
                f"{message} The box of {height} x {width} at row {top} and column {left} is asked of "
                f"images of {rows} x {columns}."
            )
    if tensor.ndim == 3:
        return _ops.slice(tensor, [top, left, 0], [height, width, -1])
    return _ops.slice(tensor, [0, top, left, 0], [-1, height, width, -1])


@op_function
def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: TensorLike
) -> Tensor:
    """Images padded with zeros.

    Args:
        image: `[height, width, channels]`, or with a batch axis before.
        offset_height: how many rows of zeros come first.
        offset_width: how many columns of zeros come first.
        target_height: the height of the result.
        target_width: its width.

    Raises:
        ValueError: if the image does not fit.

    >>> tf.image.pad_to_bounding_box([[[1]]], 0, 1, 1, 3)[0, :, 0].numpy()
    array([0, 1, 0], dtype=int32)
    """
    tensor = three_or_four(image)
    top, left = whole(offset_height, "offset_height"), whole(offset_width, "offset_width")
    *outer, rows, columns, channels = sizes_of(tensor)
    height, width = whole(target_height, "target_height"), whole(target_width, "target_width")
    right, bottom = width - left - columns, height - top - rows
    for number, message in (
        (top, "offset_height must be >= 0"),
        (left, "offset_width must be >= 0"),
        (right, "width must be <= target - offset"),
        (bottom, "height must be <= target - offset"),
    ):
        if is_known(number) and number < 0:
            raise ValueError(message)
    padded = _ops.pad(
        tensor, [*(0 for _ in outer), *(0 for _ in outer), top, bottom, left, right, 0, 0]
    )
    return with_sizes(padded, [*outer, height, width, channels])


@op_function
def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: TensorLike) -> Tensor:
    """Images cropped or padded centrally to a size.

    Args:
        image: `[height, width, channels]`, or with a batch axis before.
        target_height: the height of the result.
        target_width: its width.

    Raises:
        ValueError: if a size is not positive.

    >>> tf.image.resize_with_crop_or_pad(tf.ones([4, 2, 1]), 2, 4)[0, :, 0].numpy()
    array([0., 1., 1., 0.], dtype=float32)
    """
    tensor = three_or_four(image)
    height, width = whole(target_height, "target_height"), whole(target_width, "target_width")
    if is_known(width) and width <= 0:
        raise ValueError("target_width must be > 0.")
    if is_known(height) and height <= 0:
        raise ValueError("target_height must be > 0.")
    rows, columns = sizes_of(tensor)[-3:-1]
    cropped = crop_to_bounding_box(
        tensor,
        at_least((rows - height) // 2, 0),
        at_least((columns - width) // 2, 0),
        at_most(rows, height),
        at_most(columns, width),
    )
    top, left = at_least((height - rows) // 2, 0), at_least((width - columns) // 2, 0)
    return pad_to_bounding_box(cropped, top, left, height, width)


def _margin(size: TensorLike, fraction: Any) -> int | Tensor:
    """The size that is cut away before the central fraction of an axis."""
    if is_known(size, fraction):
        return int((size - size * fraction) / 2)
    whole_size = _ops.cast(size, dtypes.float64)
    return _ops.cast((whole_size - whole_size * fraction) / 2, dtypes.int32)


@op_function
def central_crop(image: TensorLike, central_fraction: TensorLike) -> Tensor:
    """The central region of images.

    Args:
        image: `[height, width, channels]`, or with a batch axis before.
        central_fraction: how much of height and width to keep, in (0, 1].

    Raises:
        ValueError: if the fraction is outside.

    >>> tf.image.central_crop(tf.zeros([4, 6, 1]), 0.5).shape
    TensorShape([2, 4, 1])
    """
    tensor = three_or_four(image)
    if getattr(image, "ndim", 0) is None:
        raise ValueError("`image` must have either 3 or 4 dimensions, but its rank is unknown.")
    fraction: Any = real(central_fraction, "central_fraction")
    if fraction is None:
        fraction = _ops.cast(central_fraction, dtypes.float64)
    elif not 0.0 < fraction <= 1.0:
        raise ValueError("central_fraction must be within (0, 1]")
    elif fraction == 1.0:
        return tensor
    rows, columns = sizes_of(tensor)[-3:-1]
    top, left = _margin(rows, fraction), _margin(columns, fraction)
    return crop_to_bounding_box(tensor, top, left, rows - 2 * top, columns - 2 * left)


@composed_op(
    "ExtractImagePatches",
    images=Input(NUMERIC_TYPES, "bool"),
    sizes=list[int],
    strides=list[int],
    rates=list[int],
)
def extract_patches(
    images: Any, sizes: Any, strides: Any, rates: Any, padding: str, name: str | None = None
) -> Tensor:
    """The patches of images under a moving window, each as one vector.

    Args:
        images: `[batch, height, width, channels]`.
        sizes: `[1, height, width, 1]`, the window.
        strides: `[1, down, right, 1]`, how far it moves.
        rates: `[1, down, right, 1]`, how far apart its pixels are.
        padding: "VALID" or "SAME".

    Returns:
        `[batch, rows, columns, height * width * channels]`.

    Raises:
        tf.errors.InvalidArgumentError: if a window is larger than the image or sizes are wrong.

    >>> tf.image.extract_patches(
    ...     tf.reshape(tf.range(9), [1, 3, 3, 1]), [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"
    ... )[0, 0, 0].numpy()
    array([0, 1, 3, 4], dtype=int32)
    """
    import numpy as np

    tensor = of_rank(_core.as_tensor(images), 4)
    if tensor.ndim != 4:
        raise invalid(f"input must be 4-dimensional, got {tensor.shape} [Op:ExtractImagePatches]")
    lists = [[int(item) for item in value] for value in (sizes, strides, rates)]
    for what, value in zip(("sizes", "strides", "rates"), lists, strict=True):
        if len(value) != 4 or value[0] != 1 or value[3] != 1 or min(value) < 1:
            raise invalid(
                f"{what} must be [1, positive, positive, 1], got {value} [Op:ExtractImagePatches]"
            )
    if padding not in ("VALID", "SAME"):
        raise invalid(f"padding must be VALID or SAME, got {padding!r} [Op:ExtractImagePatches]")
    (_, high, wide, _), (_, down, right, _), (_, apart, aside, _) = lists
    batch, rows, columns, channels = sizes_of(tensor)
    indices: list = []
    counts: list = []
    pads: list = [0, 0]
    for size, window, step, rate in ((rows, high, down, apart), (columns, wide, right, aside)):
        extent = (window - 1) * rate + 1
        if padding == "VALID":
            count, before = (size - extent) // step + 1, 0
        else:
            count = -(-size // step)
            before = at_least((count - 1) * step + extent - size, 0) // 2
        if is_known(count) and count <= 0:
            raise invalid(
                f"the window of {extent} is larger than the image of {size} "
                "[Op:ExtractImagePatches]"
            )
        # The image is padded with zeros.
        pads += [before, at_least((count - 1) * step + extent - before - size, 0)]
        counts.append(count)
        if is_known(count):
            starts: Any = np.arange(count)[:, None] * step
        else:
            starts = _ops.expand_dims(_ops.range(0, count * step, step), 1)
        indices.append(starts + np.arange(window, dtype=np.int32) * rate)
    if not is_known(*pads) or any(pads):
        tensor = _ops.pad(tensor, [*pads, 0, 0])
    taken = _ops.gather(_ops.gather(tensor, indices[0], 1, 0), indices[1], 3, 0)
    ordered = _ops.transpose(taken, [0, 1, 3, 2, 4, 5])
    return reshaped(ordered, [batch, *counts, high * wide * channels])


def _glimpse_spec(input: Tensor, size: Any, offsets: Any, *_: object, **__: object) -> TensorSpec:
    tensor = _core.convert(input, dtypes.float32, None)
    known = _core.static_value(_core.convert(size, dtypes.int32, None))
    height, width = (None, None) if known is None else known.numpy().tolist()
    shape = tensor.shape.with_rank(4)
    batch = shape[0] or _core.convert(offsets, dtypes.float32, None).shape.with_rank(2)[0]
    return TensorSpec([batch, height, width, shape[3]], dtypes.float32)


@composed_op(
    "ExtractGlimpseV2",
    in_graph=on_host(_glimpse_spec, effects=True),
    input=Input("float32"),
    size=Input("int32"),
    offsets=Input("float32"),
)
def extract_glimpse(
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """Windows of images at positions.

    Args:
        input: float32 `[batch, height, width, channels]`.
        size: the windows' height and width.
        offsets: `[batch, 2]`, the position of each window, rows first.
        centered: whether (0, 0) is the image's centre and positions are windows' centres.
        normalized: whether positions are relative to the image's height and width.
        noise: what fills the outside: "uniform" or "gaussian" noise, or "zero".

    Raises:
        tf.errors.InvalidArgumentError: if shapes are wrong.

    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.extract_glimpse(image, [1, 1], [[0.0, 0.0]], True, False, "zero").numpy().ravel()
    array([4.], dtype=float32)
    """
    import numpy as np

    tensor = _core.convert(input, dtypes.float32, None)
    positions = _core.convert(offsets, dtypes.float32, None).numpy()
    if tensor.ndim != 4 or positions.shape != (tensor._shape_tuple()[0], 2):
        raise invalid(
            f"input must be 4-dimensional with an offset pair for each image, got {tensor.shape} "
            f"and {positions.shape} [Op:ExtractGlimpseV2]"
        )
    if noise not in ("uniform", "gaussian", "zero"):
        raise invalid(f"noise must be uniform, gaussian or zero, got {noise} [Op:ExtractGlimpseV2]")
    height, width = _core.convert(size, dtypes.int32, None).numpy().tolist()
    batch, rows, columns, channels = tensor._shape_tuple()
    extent = np.array([rows, columns], np.float32)
    if normalized:
        positions = positions * extent
    if centered:
        middle = extent / 2
        if normalized:
            middle = middle - positions / 2 - np.array([height, width], np.float32) / 2
        positions = positions + middle
    starts = np.trunc(positions).astype(np.int64)
    down = starts[:, :1] + np.arange(height)
    right = starts[:, 1:] + np.arange(width)
    inside = ((down >= 0) & (down < rows))[:, :, None] & ((right >= 0) & (right < columns))[:, None]
    index = (
        np.clip(down, 0, rows - 1)[:, :, None] * columns + np.clip(right, 0, columns - 1)[:, None]
    )
    flat = _ops.reshape(tensor, [batch, rows * columns, channels])
    taken = _ops.gather(flat, index, 1, 1)
    if inside.all():
        return taken
    shape = [batch, height, width, channels]
    if noise == "zero":
        filler = _ops.zeros(shape, dtypes.float32)
    else:
        draw = stateful.uniform if noise == "uniform" else stateful.normal
        filler = draw(shape)
    return _ops.select(inside[..., None], taken, filler)


@op_function
def per_image_standardization(image: TensorLike) -> Tensor:
    """Images with mean 0 and variance 1.

    Args:
        image: `[..., height, width, channels]`, of any dtype.

    Returns:
        float32: `(x - mean) / max(stddev, 1 / sqrt(elements))` for each image.

    >>> tf.image.per_image_standardization([[[0.0], [2.0]]])[0, :, 0].numpy()
    array([-1.,  1.], dtype=float32)
    """
    tensor = image_of(image)
    if tensor.ndim is None:
        count = _ops.reduce_prod(_ops.shape(tensor)[-3:])
    else:
        count = math.prod(sizes_of(tensor)[-3:])
    tensor = _ops.cast(tensor, dtypes.float32)
    mean = _ops.reduce_mean(tensor, [-1, -2, -3], True)
    centred = _ops.subtract(tensor, mean)
    variance = _ops.reduce_mean(_ops.square(centred), [-1, -2, -3], True)
    if is_known(count):
        least = _core.convert(count**-0.5, tensor.dtype, None)
    else:
        least = _ops.rsqrt(_ops.cast(count, tensor.dtype))
    return _ops.divide_real(centred, _ops.maximum(_ops.sqrt(variance), least))


@op_function
def image_gradients(image: TensorLike) -> tuple[Tensor, Tensor]:
    """Image gradients: differences downwards and to the right.

    Args:
        image: `[batch, height, width, channels]`.

    Returns:
        `(dy, dx)` of the image's shape; the last row of `dy` and the last column of `dx` are zero.

    Raises:
        ValueError: if the rank is not 4.

    >>> dy, dx = tf.image.image_gradients(tf.reshape(tf.range(4.0), [1, 2, 2, 1]))
    >>> dy[0, :, :, 0].numpy().tolist(), dx[0, :, :, 0].numpy().tolist()
    ([[2.0, 2.0], [0.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]])
    """
    tensor = _core.as_tensor(image)
    if tensor.ndim != 4:
        raise ValueError(
            "image_gradients expects a 4D tensor [batch_size, h, w, d], not {}.".format(  # noqa: UP032
                tensor.shape
            )
        )
    dy = _ops.subtract(tensor[:, 1:], tensor[:, :-1])
    dx = _ops.subtract(tensor[:, :, 1:], tensor[:, :, :-1])
    return (pad(dy, [[0, 0], [0, 1], [0, 0], [0, 0]]), pad(dx, [[0, 0], [0, 0], [0, 1], [0, 0]]))


@op_function
def sobel_edges(image: TensorLike) -> Tensor:
    """Edges by Sobel filters.

    Args:
        image: `[batch, height, width, channels]`.

    Returns:
        `[batch, height, width, channels, 2]`: the change downwards and to the right.

    >>> tf.image.sobel_edges(tf.reshape(tf.range(9.0), [1, 3, 3, 1]))[0, 1, 1, 0].numpy()
    array([24.,  8.], dtype=float32)
    """
    tensor = _core.as_tensor(image)
    padded = pad(tensor, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT")
    two = _core.convert(2, tensor.dtype, None)

    def smoothed(value: Tensor, axis: int) -> Tensor:
        before, middle, after = (
            (value[:, :-2], value[:, 1:-1], value[:, 2:])
            if axis == 1
            else (value[:, :, :-2], value[:, :, 1:-1], value[:, :, 2:])
        )
        return _ops.add(_ops.add(before, _ops.multiply(two, middle)), after)

    down = _ops.subtract(padded[:, 2:], padded[:, :-2])
    right = _ops.subtract(padded[:, :, 2:], padded[:, :, :-2])
    return _ops.stack([smoothed(down, 2), smoothed(right, 1)], -1)


@op_function
def total_variation(images: TensorLike, name: str | None = None) -> Tensor:
    """The sum of absolute differences of neighbouring pixels, for each image.

    Raises:
        ValueError: if the rank is not 3 or 4.

    >>> tf.image.total_variation(tf.reshape(tf.range(4.0), [2, 2, 1])).numpy()
    np.float32(6.0)
    """
    tensor = _core.as_tensor(images)
    if tensor.ndim not in (3, 4):
        raise ValueError("'images' must be either 3 or 4-dimensional.")
    rows = tensor.ndim - 3
    axes = list(range(rows, tensor.ndim))
    down = _ops.subtract(tensor[..., 1:, :, :], tensor[..., :-1, :, :])
    right = _ops.subtract(tensor[..., 1:, :], tensor[..., :-1, :])
    return _ops.add(_ops.reduce_sum(_ops.abs(down), axes), _ops.reduce_sum(_ops.abs(right), axes))
