"""Resizing as TensorFlow's operations `ResizeBilinear`, `ResizeBicubic`, `ResizeArea` define it.

`tf.image.resize` places pixels by their centres; these operations may align the corners instead.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import host_call
from eagerflow.framework.op_function import op_function
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.image.checks import invalid
from eagerflow.image.resampling import Table, keys_cubic, picked, resampled, table_of
from eagerflow.image.resizing import resize
from eagerflow.typing import Array, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def _positions(size: int, new: int, align_corners: bool, half_pixel_centers: bool) -> Array:
    """The coordinate of each new pixel in the old image."""
    at = np.arange(new, dtype=np.float32)
    if align_corners and new > 1:
        return at * np.float32((size - 1) / (new - 1))
    scale = np.float32(size / max(new, 1))
    return (at + np.float32(0.5)) * scale - np.float32(0.5) if half_pixel_centers else at * scale


# For an axis of `size` pixels and the new number of them: the source indices and the weights of what
# each new pixel is the sum of.
Taps = list[tuple[Any, Any]]


def _bilinear(size: int, new: int, align_corners: bool, half_pixel_centers: bool) -> Taps:
    at = np.clip(_positions(size, new, align_corners, half_pixel_centers), 0, size - 1)
    low = np.floor(at).astype(int)
    fraction = at - low
    return [(low, 1 - fraction), (np.minimum(low + 1, size - 1), fraction)]


def _nearest(size: int, new: int, align_corners: bool, half_pixel_centers: bool) -> Taps:
    if half_pixel_centers:
        at = np.floor((np.arange(new) + 0.5) * np.float32(size / max(new, 1)))
    else:
        at = _positions(size, new, align_corners, False)
        at = np.floor(at + 0.5) if align_corners else np.floor(at)
    return [(np.clip(at, 0, size - 1).astype(int), np.ones(new))]


# How finely TensorFlow tabulates the cubic.
_CUBIC_STEPS = 1024


def _bicubic(size: int, new: int, align_corners: bool) -> Taps:
    at = _positions(size, new, align_corners, False)
    low = np.floor(at).astype(int)
    at = low + np.rint((at - low) * _CUBIC_STEPS) / _CUBIC_STEPS
    return [
        (np.clip(low + k, 0, size - 1), keys_cubic(at - (low + k), -0.75)) for k in (-1, 0, 1, 2)
    ]


def _area(size: int, new: int, align_corners: bool) -> Taps:
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


@functools.lru_cache(maxsize=256)
def _table(rule: Callable[..., Taps], size: int, new: int, *options: bool) -> Table:
    """The table of an axis."""
    sources, weights = (np.stack(part) for part in zip(*rule(size, new, *options), strict=True))
    results = np.broadcast_to(np.arange(new), sources.shape)
    return table_of(results.ravel(), sources.ravel(), weights.ravel(), new, size)


def _tables(rule: Callable[..., Taps], images: Tensor, size: Any, *options: bool) -> list[Table]:
    """The tables of rows and of columns."""
    if images.ndim != 4:
        raise ValueError(f"images must be 4-D, got shape {images.shape}")
    known: Any = _core.static_value(size)
    return [
        _table(rule, old, new, *map(bool, options))
        for old, new in zip(images._shape_tuple()[1:3], known.numpy().tolist(), strict=True)
    ]


def _resized(rule: Callable[..., Taps], images: Any, size: Any, *options: bool) -> Tensor:
    return resampled(_ops.cast(images, dtypes.float32), *_tables(rule, images, size, *options))


def _of_known_sizes(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Defers a function to the run of a graph if sizes are unknown."""
    keeps_dtype = function.__name__ == "resize_nearest_neighbor"

    @functools.wraps(function)
    def resized(images: TensorLike, size: TensorLike, *rest: bool, **options: bool) -> Tensor:
        images, size = _core.as_tensor(images), _core.convert(size, None, dtypes.int32)
        aligned = rest[0] if rest else options.get("align_corners", False)
        if aligned and options.get("half_pixel_centers", False):
            raise invalid("If half_pixel_centers is True, align_corners must be False.")
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
    size: TensorLike,
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
    return _resized(_bilinear, images, size, align_corners, half_pixel_centers)


@op_function
@_of_known_sizes
def resize_nearest_neighbor(
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Images resized to the nearest pixels, of their own dtype."""
    images = _core.as_tensor(images)
    return picked(images, *_tables(_nearest, images, size, align_corners, half_pixel_centers))


@op_function
@_of_known_sizes
def resize_bicubic(
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Images resized by cubic convolution, float32."""
    if half_pixel_centers:
        return resize(images, size, "bicubic")
    return _resized(_bicubic, images, size, align_corners)


@op_function
@_of_known_sizes
def resize_area(
    images: TensorLike, size: TensorLike, align_corners: bool = False, name: str | None = None
) -> Tensor:
    """Images resized by averaging areas, float32."""
    return _resized(_area, images, size, align_corners)


_PUBLIC = {
    function.__name__: function
    for function in (resize_bilinear, resize_nearest_neighbor, resize_bicubic, resize_area)
}
