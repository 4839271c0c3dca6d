"""Transformations of images as arrays: rotation, shift, shear, zoom, brightness."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow.keras.utils.image_utils import array_to_img, img_to_array, pillow
from eagerflow.util.optional import optional


def _centred(matrix: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """A transformation matrix about the image's center."""
    y, x = rows / 2 - 0.5, columns / 2 - 0.5
    there = np.array([[1, 0, y], [0, 1, x], [0, 0, 1]])
    back = np.array([[1, 0, -y], [0, 1, -x], [0, 0, 1]])
    return there @ matrix @ back


def _matrix(
    theta: float, tx: float, ty: float, shear: float, zx: float, zy: float
) -> np.ndarray | None:
    """The matrix from output to input coordinates; None for the identity."""
    steps = []
    if theta != 0:
        a = np.deg2rad(theta)
        steps.append([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
    if tx != 0 or ty != 0:
        steps.append([[1, 0, tx], [0, 1, ty], [0, 0, 1]])
    if shear != 0:
        a = np.deg2rad(shear)
        steps.append([[1, -np.sin(a), 0], [0, np.cos(a), 0], [0, 0, 1]])
    if zx != 1 or zy != 1:
        steps.append([[zx, 0, 0], [0, zy, 0], [0, 0, 1]])
    if not steps:
        return None
    matrix = np.array(steps[0])
    for step in steps[1:]:
        matrix = matrix @ np.array(step)
    return matrix


def apply_affine_transform(
    x: np.ndarray,
    theta: float = 0,
    tx: float = 0,
    ty: float = 0,
    shear: float = 0,
    zx: float = 1,
    zy: float = 1,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    order: int = 1,
) -> np.ndarray:
    """Rotates, shifts, shears and zooms an image about its center, with SciPy.

    Args:
        x: an image with three axes.
        theta: the angle in degrees.
        tx: the way along the rows' axis, in pixels.
        ty: the way along the columns' axis, in pixels.
        shear: the shear's angle in degrees.
        zx: the zoom along the rows' axis; above 1, the image gets smaller.
        zy: the zoom along the columns' axis.
        row_axis: the axis of the rows.
        col_axis: the axis of the columns.
        channel_axis: the axis of the channels, the first or the last.
        fill_mode: the values outside the image: "nearest", "constant", "reflect" or "wrap".
        cval: the value outside for "constant".
        order: of the splines between pixels, from 0 to 5.

    Raises:
        ValueError: for other axes or shapes.

    >>> image = np.arange(4.0).reshape(1, 2, 2)
    >>> tf.keras.preprocessing.image.apply_affine_transform(image, theta=90).round().tolist()
    [[[1.0, 3.0], [0.0, 2.0]]]
    """
    axes = [row_axis, col_axis, channel_axis]
    if len(set(axes)) != 3:
        raise ValueError("'row_axis', 'col_axis', and 'channel_axis' must be distinct")
    if set(axes) != {0, 1, 2}:
        raise ValueError(f"Invalid axis' indices: {set(axes) - {0, 1, 2}}")
    if x.ndim != 3:
        raise ValueError("Input arrays must be multi-channel 2D images.")
    if channel_axis not in (0, 2):
        raise ValueError("Channels are allowed and the first and last dimensions.")
    matrix = _matrix(theta, tx, ty, shear, zx, zy)
    if matrix is None:
        return x
    matrix = _centred(matrix, x.shape[row_axis], x.shape[col_axis])
    if col_axis > row_axis:
        # The offsets above are in the order of columns and rows.
        matrix = matrix[[1, 0, 2]][:, [1, 0, 2]]
    ndimage = optional("scipy.ndimage", "Turning, shifting, shearing or zooming images")
    channels = np.moveaxis(x, channel_axis, 0)
    moved = [
        ndimage.affine_transform(
            channel, matrix[:2, :2], matrix[:2, 2], order=order, mode=fill_mode, cval=cval
        )
        for channel in channels
    ]
    return np.moveaxis(np.stack(moved), 0, channel_axis)


def random_rotation(
    x: np.ndarray,
    rg: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> np.ndarray:
    """Rotates an image by up to `rg` degrees; see `apply_affine_transform`."""
    theta = np.random.uniform(-rg, rg)
    settings = (row_axis, col_axis, channel_axis, fill_mode, cval, interpolation_order)
    return apply_affine_transform(x, theta, 0, 0, 0, 1, 1, *settings)


def random_shift(
    x: np.ndarray,
    wrg: float,
    hrg: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> np.ndarray:
    """Shifts an image by up to these fractions of its width and height."""
    tx = np.random.uniform(-hrg, hrg) * x.shape[row_axis]
    ty = np.random.uniform(-wrg, wrg) * x.shape[col_axis]
    settings = (row_axis, col_axis, channel_axis, fill_mode, cval, interpolation_order)
    return apply_affine_transform(x, 0, tx, ty, 0, 1, 1, *settings)


def random_shear(
    x: np.ndarray,
    intensity: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> np.ndarray:
    """Shears an image by up to `intensity` degrees."""
    shear = np.random.uniform(-intensity, intensity)
    settings = (row_axis, col_axis, channel_axis, fill_mode, cval, interpolation_order)
    return apply_affine_transform(x, 0, 0, 0, shear, 1, 1, *settings)


def random_zoom(
    x: np.ndarray,
    zoom_range: Any,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> np.ndarray:
    """Zooms an image by two random factors of a range.

    Raises:
        ValueError: unless the range has two entries.
    """
    if len(zoom_range) != 2:
        raise ValueError(
            f"`zoom_range` should be a tuple or list of two floats. Received: {zoom_range}"
        )
    zx, zy = (1, 1)
    if zoom_range[0] != 1 or zoom_range[1] != 1:
        zx, zy = np.random.uniform(zoom_range[0], zoom_range[1], 2)
    settings = (row_axis, col_axis, channel_axis, fill_mode, cval, interpolation_order)
    return apply_affine_transform(x, 0, 0, 0, 0, zx, zy, *settings)


def apply_channel_shift(x: np.ndarray, intensity: float, channel_axis: int = 0) -> np.ndarray:
    """Adds a value to an image, clipped to its lowest and highest value."""
    return np.clip(x + intensity, np.min(x), np.max(x))


def random_channel_shift(
    x: np.ndarray, intensity_range: float, channel_axis: int = 0
) -> np.ndarray:
    """`apply_channel_shift` with a random value of up to `intensity_range`."""
    intensity = np.random.uniform(-intensity_range, intensity_range)
    return apply_channel_shift(x, intensity, channel_axis)


def apply_brightness_shift(x: np.ndarray, brightness: float, scale: bool = True) -> np.ndarray:
    """Brightens (above 1) or darkens an image, with Pillow.

    Args:
        x: an image with three axes.
        brightness: the factor.
        scale: whether values are stretched to the range from 0 to 255.
    """
    low, high = np.min(x), np.max(x)
    outside = low < 0 or high > 255
    image = array_to_img(x, scale=outside or scale)
    enhanced = pillow("ImageEnhance").Brightness(image).enhance(brightness)
    bright = img_to_array(enhanced)
    if not scale and outside:
        bright = bright / 255 * (high - low) + low
    return bright


def random_brightness(x: np.ndarray, brightness_range: Any, scale: bool = True) -> np.ndarray:
    """`apply_brightness_shift` with a random factor of a range.

    Raises:
        ValueError: unless the range has two entries.
    """
    if len(brightness_range) != 2:
        raise ValueError(
            f"`brightness_range should be tuple or list of two floats. Received: {brightness_range}"
        )
    return apply_brightness_shift(x, np.random.uniform(*brightness_range), scale)


def flip_axis(x: np.ndarray, axis: int) -> np.ndarray:
    """Flips an image along an axis."""
    return np.flip(x, axis)
