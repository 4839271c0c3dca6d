"""Keras 3's operations on images."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any

from eagerflow import _core
from eagerflow import image as _image
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.image import projective
from eagerflow.keras import config
from eagerflow.ops import conversion
from eagerflow.ops.array import pad
from eagerflow.ops.numpy_functions.rules import sizes
from eagerflow.ops.numpy_functions.shapes import move_axis
from eagerflow.typing import ShapeLike, TensorLike
from eagerflow_compat.keras import random
from eagerflow_compat.keras.ops import filters
from eagerflow_compat.keras.ops import interpolation as between
from eagerflow_compat.keras.ops.linalg import solve
from eagerflow_compat.keras.ops.promotion import floating, pair, result_type, tensor

_ops = _core.ops
Tensor = _core.Tensor


def _is_first(data_format: str | None) -> bool:
    return (data_format or config.image_data_format()) == "channels_first"


def _check_rank(images: Tensor) -> None:
    if images.ndim not in (3, 4):
        raise ValueError(
            "Invalid images rank: expected rank 3 (single image) or rank 4 (batch of images). "
            f"Received: images.shape={tuple(images.shape)}"
        )


def _check_floating(images: Tensor) -> None:
    if not images.dtype.is_floating:
        raise ValueError(
            f"Invalid images dtype: expected float dtype. Received: images.dtype={images.dtype.name}"
        )


def _last(images: Tensor, first: bool) -> Tensor:
    """One image or a batch, with its channels along the last axis."""
    _check_rank(images)
    if not first:
        return images
    return _ops.transpose(images, [1, 2, 0] if images.ndim == 3 else [0, 2, 3, 1])


def _back(images: Tensor, first: bool) -> Tensor:
    if not first:
        return images
    return _ops.transpose(images, [2, 0, 1] if images.ndim == 3 else [0, 3, 1, 2])


@op_function
def resize(
    images: TensorLike,
    size: Any,
    interpolation: str = "bilinear",
    antialias: bool = False,
    crop_to_aspect_ratio: bool = False,
    pad_to_aspect_ratio: bool = False,
    fill_mode: str = "constant",
    fill_value: float = 0.0,
    data_format: str | None = None,
) -> Tensor:
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
    if resized.dtype != dtype:
        rounded = _ops.round(resized) if dtype.is_integer else resized
        resized = conversion.saturate_cast(rounded, dtype)
    return _back(resized, first)


@op_function
def rgb_to_grayscale(images: TensorLike, data_format: str | None = None) -> Tensor:
    """RGB images in grayscale; those of one channel stay as they are."""
    first = _is_first(data_format)
    pixels = _last(tensor(images), first)
    channels = pixels._shape_tuple()[-1]
    if channels not in (1, 3):
        raise ValueError(
            "Invalid channel size: expected 3 (RGB) or 1 (Grayscale). "
            f"Received: images.shape={tuple(pixels.shape)}"
        )
    return _back(pixels if channels == 1 else _image.rgb_to_grayscale(pixels), first)


@op_function
def rgb_to_hsv(images: TensorLike, data_format: str | None = None) -> Tensor:
    """RGB images in hue, saturation and value."""
    first = _is_first(data_format)
    pixels = _last(tensor(images), first)
    _check_floating(pixels)
    return _back(_image.rgb_to_hsv(pixels), first)


@op_function
def hsv_to_rgb(images: TensorLike, data_format: str | None = None) -> Tensor:
    """HSV images in red, green and blue."""
    first = _is_first(data_format)
    pixels = _last(tensor(images), first)
    _check_floating(pixels)
    return _back(_image.hsv_to_rgb(pixels), first)


@op_function
def extract_patches(
    images: TensorLike,
    size: Any,
    strides: Any = None,
    dilation_rate: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
) -> Tensor:
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
    images: TensorLike,
    top_padding: int | None = None,
    left_padding: int | None = None,
    bottom_padding: int | None = None,
    right_padding: int | None = None,
    target_height: int | None = None,
    target_width: int | None = None,
    data_format: str | None = None,
) -> Tensor:
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
    images: TensorLike,
    top_cropping: int | None = None,
    left_cropping: int | None = None,
    bottom_cropping: int | None = None,
    right_cropping: int | None = None,
    target_height: int | None = None,
    target_width: int | None = None,
    data_format: str | None = None,
) -> Tensor:
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
    first = _is_first(data_format)
    edges = _image.sobel_edges(_last(tensor(images), first))
    return _ops.transpose(edges, [0, 3, 1, 2, 4]) if first else edges


@op_function
def ssim(
    img1: TensorLike,
    img2: TensorLike,
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


def _batch(images: Tensor, first: bool) -> Tensor:
    """One image or a batch as a batch with channels last."""
    images = _last(images, first)
    return images if images.ndim == 4 else _ops.expand_dims(images, 0)


def _like(batch: Tensor, images: Tensor, first: bool) -> Tensor:
    """The batch as one image if images were one, and with channels where they had them."""
    return _back(_ops.squeeze(batch, [0]) if images.ndim == 3 else batch, first)


def _expect(name: str, value: str, allowed: Collection) -> None:
    if value not in allowed:
        raise ValueError(f"`{name}` must be one of {tuple(allowed)}. Received: {name}={value}")


def _in_dtype(values: Tensor, dtype: dtypes.DType) -> Tensor:
    """Computed values in the dtype of images, rounded if those are integers."""
    return _ops.cast(_ops.round(values) if dtype.is_integer else values, dtype)


def _transformed(
    images: Tensor, transform: Tensor, interpolation: str, fill_mode: str, fill_value: TensorLike
) -> Tensor:
    """A batch of images `[batch, rows, columns, channels]`, changed by `[1 or batch, 8]`."""
    kind = images.dtype if images.dtype.is_floating else dtypes.float32
    # As in TensorFlow, what images are transformed by has no gradient.
    transform = _ops.stop_gradient(_ops.cast(transform, dtypes.float32))
    rows = _ops.broadcast_to(transform, [images._sizes()[0], 8])
    result = projective.transformed(
        _ops.cast(images, kind),
        _ops.unstack(rows, axis=1),
        fill_mode,
        tensor(fill_value, kind),
        interpolation,
    )
    return _ops.cast(result, images.dtype)


@op_function
def affine_transform(
    images: TensorLike,
    transform: TensorLike,
    interpolation: str = "bilinear",
    fill_mode: str = "constant",
    fill_value: TensorLike = 0,
    data_format: str | None = None,
) -> Tensor:
    """Images whose pixels come from other places of the inputs.

    The pixel at (x, y) comes from `((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k)`, with
    `k = c0 x + c1 y + 1`.

    Args:
        images: one image or a batch.
        transform: `[8]` or `[batch, 8]`: `a0, a1, a2, b0, b1, b2, c0, c1`. It has no gradient.
        interpolation: "nearest" or "bilinear".
        fill_mode: what lies beyond the border: "constant", "nearest", "wrap" or "reflect".
        fill_value: the constant.
        data_format: "channels_last" or "channels_first".

    Returns:
        Images of the same shape and dtype.

    Raises:
        ValueError: for other ranks, interpolations and modes.

    >>> image = tf.reshape(tf.range(6.0), [2, 3, 1])
    >>> moved = tf.keras.ops.image.affine_transform(image, [1.0, 0, 1, 0, 1, 0, 0, 0])
    >>> moved[:, :, 0].numpy()
    array([[1., 2., 0.],
           [4., 5., 0.]], dtype=float32)
    """
    _expect("interpolation", interpolation, projective.INTERPOLATIONS)
    _expect("fill_mode", fill_mode, projective.FILL_MODES)
    images, transform = tensor(images), tensor(transform)
    if transform.ndim not in (1, 2):
        raise ValueError(
            "Invalid transform rank: expected rank 1 (single transform) or rank 2 (batch). Received: "
            f"transform.shape={tuple(transform.shape)}"
        )
    first = _is_first(data_format)
    transform = transform if transform.ndim == 2 else _ops.expand_dims(transform, 0)
    batch = _transformed(_batch(images, first), transform, interpolation, fill_mode, fill_value)
    return _like(batch, images, first)


@op_function
def perspective_transform(
    images: TensorLike,
    start_points: TensorLike,
    end_points: TensorLike,
    interpolation: str = "bilinear",
    fill_value: TensorLike = 0,
    data_format: str | None = None,
) -> Tensor:
    """Images seen from elsewhere: four points of the inputs are at four other places.

    Args:
        images: one image or a batch.
        start_points: `[4, 2]` or `[batch, 4, 2]`, the points (x, y) of the inputs.
        end_points: their places in the outputs, of the same shape.
        interpolation: "nearest" or "bilinear".
        fill_value: what lies beyond the border.
        data_format: "channels_last" or "channels_first".

    Returns:
        Images of the same shape and dtype.

    Raises:
        ValueError: for other shapes and interpolations.

    >>> image = tf.reshape(tf.range(6.0), [2, 3, 1])
    >>> corners = [[0, 0], [2, 0], [0, 1], [2, 1]]
    >>> flipped = [[2, 0], [0, 0], [2, 1], [0, 1]]
    >>> image = tf.keras.ops.image.perspective_transform(image, corners, flipped, "nearest")
    >>> image[:, :, 0].numpy()
    array([[2., 1., 0.],
           [5., 4., 3.]], dtype=float32)
    """
    _expect("interpolation", interpolation, projective.INTERPOLATIONS)
    images, start, end = tensor(images), floating(start_points), floating(end_points)
    _check_rank(images)
    for name, points in (("start_points", start), ("end_points", end)):
        if points.ndim not in (2, 3) or points._shape_tuple()[-2:] != (4, 2):
            raise ValueError(
                f"Invalid {name} shape: expected (4, 2), or (batch, 4, 2). Received: "
                f"{name}.shape={tuple(points.shape)}"
            )
    if start.ndim != end.ndim or not start.shape.is_compatible_with(end.shape):
        raise ValueError(
            "`start_points` and `end_points` must have the same shape. Received: "
            f"start_points.shape={tuple(start.shape)}, end_points.shape={tuple(end.shape)}"
        )
    if start.ndim == 2:
        start, end = _ops.expand_dims(start, 0), _ops.expand_dims(end, 0)
    first = _is_first(data_format)
    transform = compute_homography_matrix(start, end)
    batch = _transformed(_batch(images, first), transform, interpolation, "constant", fill_value)
    return _like(batch, images, first)


@op_function
def compute_homography_matrix(start_points: TensorLike, end_points: TensorLike) -> Tensor:
    """The transforms that take four points to four others; see `affine_transform`.

    Args:
        start_points: `[batch, 4, 2]`, points (x, y) of inputs.
        end_points: their places in outputs, of the same shape.

    Returns:
        `[batch, 8]`, of a floating dtype.

    >>> start = [[[0.0, 0.0], [0, 1], [1, 0], [1, 1]]]
    >>> end = [[[0.0, 0.0], [0, 2], [2, 0], [2, 2]]]
    >>> (tf.keras.ops.image.compute_homography_matrix(start, end).numpy() + 0).tolist()
    [[0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0]]
    """
    start, end = pair(floating(start_points), floating(end_points))
    dtype = start.dtype
    if dtype.size < 4:
        start, end = _ops.cast(start, dtypes.float32), _ops.cast(end, dtypes.float32)
    x, y = (end[..., k] for k in range(2))
    zeros, ones = _ops.zeros_like(x), _ops.ones_like(x)
    # Two equations for each point: of the x and of the y that it comes from.
    rows = [
        _ops.stack([*terms, _ops.negative(target * x), _ops.negative(target * y)], axis=-1)
        for target, terms in (
            (start[..., 0], [x, y, ones, zeros, zeros, zeros]),
            (start[..., 1], [zeros, zeros, zeros, x, y, ones]),
        )
    ]
    targets = _ops.concat([start[..., 0], start[..., 1]], axis=1)
    solution = solve(_ops.concat(rows, axis=1), targets)
    return _ops.cast(solution, dtype)


@op_function
def map_coordinates(
    inputs: TensorLike,
    coordinates: TensorLike,
    order: int,
    fill_mode: str = "constant",
    fill_value: TensorLike = 0,
) -> Tensor:
    """Values of an array at coordinates between its elements.

    Args:
        inputs: the array, of any rank.
        coordinates: `[rank, ...]`, or a list: the coordinates along each axis.
        order: 0 for the nearest element, 1 for linear interpolation.
        fill_mode: what lies beyond the border of a, b, c, d: "constant", "nearest" for `a a|d d`,
            "wrap" for `c d|a b`, "mirror" for `c b|c b`, or "reflect" for `b a|d c`.
        fill_value: the constant.

    Returns:
        `[...]`, of the dtype of the inputs; integers are rounded.

    Raises:
        ValueError: if there are not coordinates for each axis, and for other modes.
        NotImplementedError: for other orders.

    >>> tf.keras.ops.image.map_coordinates([1.0, 2.0, 4.0], [[0.5, 1.5, 3.0]], 1, "reflect").numpy()
    array([1.5, 3. , 4. ], dtype=float32)
    """
    inputs, coordinates = tensor(inputs), tensor(coordinates)
    if coordinates._shape_tuple()[0] != inputs.ndim:
        raise ValueError(
            "The first dim of `coordinates` must be the same as the rank of `inputs`. Received: "
            f"inputs.shape={tuple(inputs.shape)}, coordinates.shape={tuple(coordinates.shape)}"
        )
    if coordinates.ndim < 2:
        raise ValueError(
            "`coordinates` must have 2 axes or more. Received: "
            f"coordinates.shape={tuple(coordinates.shape)}"
        )
    _expect("fill_mode", fill_mode, between.BORDERS)
    if order not in (0, 1):
        raise NotImplementedError(f"`order` must be 0 or 1. Received: order={order}")
    if order == 1:
        # The dtype to compute with.
        kind = result_type(floating(coordinates), floating(inputs), dtypes.float32)
        coordinates = _ops.cast(coordinates, dtypes.as_dtype(kind))
    values = between.values_at(
        _ops.reshape(inputs, [-1]),
        inputs._sizes(),
        _ops.unstack(coordinates, axis=0),
        order,
        fill_mode,
        tensor(fill_value, inputs.dtype),
    )
    return _in_dtype(values, inputs.dtype)


@op_function
def gaussian_blur(
    images: TensorLike,
    kernel_size: Any = (3, 3),
    sigma: TensorLike = (1.0, 1.0),
    data_format: str | None = None,
) -> Tensor:
    """Blurred images; zeros lie beyond their borders.

    Args:
        images: one image or a batch.
        kernel_size: the height and width of the kernel.
        sigma: the standard deviations of the kernel, along rows and along columns.
        data_format: "channels_last" or "channels_first".

    Returns:
        Images of the same shape and dtype.

    >>> image = tf.reshape([0.0, 0, 0, 0, 1, 0, 0, 0, 0], [3, 3, 1])
    >>> tf.keras.ops.image.gaussian_blur(image)[1, :, 0].numpy().round(3)
    array([0.124, 0.204, 0.124], dtype=float32)
    """
    images = tensor(images)
    first = _is_first(data_format)
    batch = floating(_batch(images, first))
    window_size = sizes(kernel_size)
    along_rows, along_columns = (
        filters.bell(size, width, batch.dtype)
        for size, width in zip(window_size, _widths(sigma), strict=True)
    )
    # Keras lets the outer product of the two fill the kernel row by row.
    window = _ops.reshape(_ops.expand_dims(along_columns, 1) * along_rows, window_size)
    return _like(_in_dtype(filters.filtered(batch, window), images.dtype), images, first)


def _widths(sigma: TensorLike) -> Sequence[Any]:
    return list(sigma) if isinstance(sigma, tuple | list) else _ops.unstack(tensor(sigma))


@op_function
def elastic_transform(
    images: TensorLike,
    alpha: float = 20.0,
    sigma: float = 5.0,
    interpolation: str = "bilinear",
    fill_mode: str = "reflect",
    fill_value: TensorLike = 0.0,
    seed: Any = None,
    data_format: str | None = None,
) -> Tensor:
    """Images distorted by a random field, which varies smoothly.

    As in Keras, a pixel moves by the same distance along both axes.

    Args:
        images: one image or a batch; each is distorted in its own way.
        alpha: how far pixels move.
        sigma: the standard deviation of the blur that smooths the field, in pixels.
        interpolation: "nearest" or "bilinear".
        fill_mode: what lies beyond the border: "constant", "nearest", "wrap", "mirror" or
            "reflect".
        fill_value: the constant.
        seed: an integer gives the same field each time, a `SeedGenerator` does not.
        data_format: "channels_last" or "channels_first".

    Returns:
        Images of the same shape and dtype.

    Raises:
        ValueError: for other ranks, interpolations and modes.

    >>> tf.keras.ops.image.elastic_transform(tf.ones([2, 8, 8, 3]), seed=1).shape
    TensorShape([2, 8, 8, 3])
    """
    _expect("interpolation", interpolation, projective.INTERPOLATIONS)
    _expect("fill_mode", fill_mode, between.BORDERS)
    images = tensor(images)
    first = _is_first(data_format)
    batch = _batch(images, first)
    count, height, width, channels = batch._sizes()
    dtype = dtypes.as_dtype(result_type(floating(batch), dtypes.float32))
    field = random.normal((count, height, width, 1), dtype=dtype, seed=seed) * sigma
    extent = int(6 * sigma) | 1
    field = gaussian_blur(field, (extent, extent), (sigma, sigma), "channels_last")
    distance = _ops.squeeze(field, [-1]) * alpha
    rows, columns, numbers = (_ops.range(0, size, 1) for size in (height, width, count))
    positions = [
        distance + _ops.cast(_ops.expand_dims(rows, 1), dtype),
        distance + _ops.cast(columns, dtype),
    ]
    values = between.values_at(
        _ops.reshape(batch, [count * height * width, channels]),
        [height, width],
        positions,
        projective.INTERPOLATIONS.index(interpolation),
        fill_mode,
        tensor(fill_value, batch.dtype),
        _ops.reshape(numbers * (height * width), [count, 1, 1]),
    )
    return _like(_in_dtype(values, images.dtype), images, first)


def _triangle(x: Tensor) -> Tensor:
    return _ops.relu(1.0 - x)


def _cubic(x: Tensor) -> Tensor:
    """Keys's kernel."""
    near = ((1.5 * x - 2.5) * x) * x + 1.0
    far = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    outer = _ops.select(_ops.less(x, 2.0), far, _ops.zeros_like(x))
    return _ops.select(_ops.less(x, 1.0), near, outer)


def _lanczos(radius: float) -> Callable[[Tensor], Tensor]:
    def kernel(x: Tensor) -> Tensor:
        middle = _ops.less_equal(x, 1e-3)
        angle = math.pi * _ops.select(middle, _ops.ones_like(x), x)
        value = radius * _ops.sin(angle) * _ops.sin(angle / radius) / _ops.square(angle)
        value = _ops.select(middle, _ops.ones_like(x), value)
        return _ops.select(_ops.greater(x, radius), _ops.zeros_like(x), value)

    return kernel


# The weight of an element, by its distance.
_KERNELS: dict[str, Callable[[Tensor], Tensor]] = {
    **dict.fromkeys(("linear", "bilinear", "trilinear", "triangle"), _triangle),
    **dict.fromkeys(("cubic", "bicubic", "tricubic"), _cubic),
    "lanczos3": _lanczos(3.0),
    "lanczos5": _lanczos(5.0),
}


def _resampling_weights(
    size: TensorLike,
    count: TensorLike,
    scale: Tensor,
    translation: Tensor,
    kernel: Callable[[Tensor], Tensor],
    antialias: bool,
) -> Tensor:
    """The weights `[size, count]` of an axis's elements in each result along it."""
    inverse = 1.0 / scale
    centres = _ops.cast(_ops.range(0, count, 1), scale.dtype) + 0.5
    places = centres * inverse - translation * inverse - 0.5
    elements = _ops.expand_dims(_ops.cast(_ops.range(0, size, 1), scale.dtype), 1)
    distances = _ops.abs(places - elements)
    if antialias:
        distances = distances / _ops.maximum(inverse, 1.0)
    weights = kernel(distances)
    total = _ops.reduce_sum(weights, axis=0, keepdims=True)
    # Where hardly any element has a weight, and beyond the border, results are zero.
    some = _ops.greater(_ops.abs(total), 1000.0 * 2.0**-23)
    last = _ops.cast(_core.as_tensor(size), scale.dtype) - 0.5
    inside = _ops.logical_and(_ops.greater_equal(places, -0.5), _ops.less_equal(places, last))
    used = _ops.logical_and(some, inside)
    weights = weights / _ops.select(some, total, _ops.ones_like(total))
    return _ops.select(used, weights, _ops.zeros_like(weights))


@op_function
def scale_and_translate(
    images: TensorLike,
    output_shape: ShapeLike,
    scale: TensorLike,
    translation: TensorLike,
    spatial_dims: Sequence[int],
    method: str,
    antialias: bool = True,
) -> Tensor:
    """An array that is scaled along some of its axes, and then moved.

    The centre of the first element is at 0.5, and `x` comes to lie at `x * scale + translation`.
    Beyond the border are zeros.

    Args:
        images: the array, of any rank.
        output_shape: the size of each axis of the result.
        scale: the factor for each of the axes that are scaled.
        translation: the distance for each of them.
        spatial_dims: these axes.
        method: "linear", "bilinear", "trilinear", "triangle", "cubic", "bicubic", "tricubic",
            "lanczos3" or "lanczos5".
        antialias: whether to smooth while shrinking.

    Returns:
        The array, of the dtype of `images`; integers are rounded.

    Raises:
        ValueError: for other methods.

    >>> tf.keras.ops.image.scale_and_translate(
    ...     [0.0, 1, 2], [5], [2.0], [-0.5], [0], "linear"
    ... ).numpy()
    array([0. , 0.5, 1. , 1.5, 2. ], dtype=float32)
    """
    _expect("method", method, _KERNELS)
    images = tensor(images)
    scales, translations = pair(floating(scale), floating(translation))
    shape = sizes(output_shape)
    result = floating(images)
    for k, axis in enumerate(spatial_dims):
        axis %= images.ndim
        weights = _resampling_weights(
            images._sizes()[axis],
            shape[axis],
            scales[k],
            translations[k],
            _KERNELS[method],
            antialias,
        )
        moved = move_axis(result, axis, -1)
        *outer, size = moved._sizes()
        flat = _ops.matmul(_ops.reshape(moved, [-1, size]), _ops.cast(weights, result.dtype))
        result = move_axis(_ops.reshape(flat, [*outer, shape[axis]]), -1, axis)
    if not images.dtype.is_integer:
        return result
    low, high = (_ops.cast(f(images), result.dtype) for f in (_ops.reduce_min, _ops.reduce_max))
    return _ops.cast(_ops.clip_by_value(_ops.round(result), low, high), images.dtype)
