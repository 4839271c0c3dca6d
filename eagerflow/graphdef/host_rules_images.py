"""What resizing images of unknown sizes is in TensorFlow; see `host_lowering.py`.

Each rule has the name and the parameters of its function.
"""

from __future__ import annotations

from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.graphdef.host_lowering import op, rules_of

Tensor = _core.Tensor

_resizing = rules_of("image.resizing")
_corner_resizing = rules_of("image.corner_resizing")

# The kernels of `ScaleAndTranslate` by method.
_KERNELS = {
    "bilinear": "triangle",
    "bicubic": "keyscubic",
    "lanczos3": "lanczos3",
    "lanczos5": "lanczos5",
    "gaussian": "gaussian",
    "mitchellcubic": "mitchellcubic",
}
_PLAIN = {"bilinear": "ResizeBilinear", "bicubic": "ResizeBicubic"}


def _batch(images: Tensor) -> Tensor:
    return images if images.shape.rank == 4 else images[None]


def _kept_ratio(sizes: Tensor, size: Tensor) -> Tensor:
    """The largest size of the same aspect ratio inside a box."""
    before = tf.cast(sizes, tf.float32)
    scale = tf.reduce_min(tf.cast(size, tf.float32) / before)
    return tf.maximum(tf.cast(tf.round(scale * before), tf.int32), 1)


@_resizing
def resize(
    images: Any, size: Any, method: str = "bilinear", preserve_aspect_ratio: bool = False,
    antialias: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    method = getattr(method, "value", method)
    batch = _batch(images)
    sizes = tf.shape(batch)[1:3]
    size = tf.cast(tf.convert_to_tensor(size), tf.int32)
    if preserve_aspect_ratio:
        size = _kept_ratio(sizes, size)
    if method == "nearest":
        found = op("ResizeNearestNeighbor", batch, size, half_pixel_centers=True)
    elif method == "area":
        found = op("ResizeArea", batch, size)
    elif method in _PLAIN and not antialias:
        found = op(_PLAIN[method], batch, size, half_pixel_centers=True)
    else:
        scale = tf.cast(size, tf.float32) / tf.cast(sizes, tf.float32)
        nowhere = tf.zeros([2])
        found = op(
            "ScaleAndTranslate", tf.cast(batch, tf.float32), size, scale, nowhere,
            kernel_type=_KERNELS[method], antialias=antialias,
        )  # fmt: skip
    return found if images.shape.rank == 4 else found[0]


@_resizing
def resize_with_pad(
    image: Any, target_height: Any, target_width: Any, method: str = "bilinear",
    antialias: bool = False,
) -> Any:  # fmt: skip
    batch = _batch(image)
    target = tf.cast(tf.stack([target_height, target_width]), tf.int32)
    box, before = tf.cast(target, tf.float32), tf.cast(tf.shape(batch)[1:3], tf.float32)
    inside = before / tf.reduce_max(before / box)
    size = tf.maximum(tf.cast(tf.floor(inside), tf.int32), 1)
    first = tf.maximum(tf.cast(tf.floor((box - inside) / 2.0), tf.int32), 0)
    found = resize(batch, size, method, antialias=antialias)
    rows = tf.stack([first, target - size - first], 1)
    found = tf.raw_ops.Pad(input=found, paddings=tf.pad(rows, [[1, 1], [0, 0]]))
    return found if image.shape.rank == 4 else found[0]


@_corner_resizing
def resize_nearest_neighbor(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None,
    half_pixel_centers: bool = False,
) -> Any:  # fmt: skip
    options = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    return op("ResizeNearestNeighbor", images, tf.cast(size, tf.int32), **options)
