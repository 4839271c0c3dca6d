"""Projective transformations of images.

A transformation is eight numbers a0, a1, a2, b0, b1, b2, c0, c1: the pixel at (x, y) of the result
is that at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) of the image, where k = c0 x + c1 y + 1.
"""

from __future__ import annotations

import functools
from typing import Any

from eagerflow import _core, linalg, raw_ops
from eagerflow.framework import dtypes
from eagerflow.keras.layers import image_transform
from eagerflow.ops import array, creation
from eagerflow.ops.conversion import convert_to_tensor
from eagerflow.typing import ShapeLike, TensorLike

_ops = _core.ops


def _rows(numbers: TensorLike) -> _core.Tensor:
    """One transformation, or one for each of several."""
    rows = convert_to_tensor(numbers, dtypes.float32)
    if rows.shape.rank not in (1, 2):
        raise TypeError("Transforms should have rank 1 or 2.")
    return rows[None] if rows.shape.rank == 1 else rows


def _flat(coefficients: list[_core.Tensor]) -> _core.Tensor:
    """Transformations `[n, 8]` of the six coefficients of affine ones, each `[n]`."""
    none = _ops.zeros_like(coefficients[0])
    return array.stack([*coefficients, none, none], 1)


def _images(images: TensorLike) -> _core.Tensor:
    images = convert_to_tensor(images, name="images")
    if images.shape.rank not in (2, 3, 4):
        raise TypeError(f"Images should have rank between 2 and 4, got the shape {images.shape}.")
    return images


def angles_to_projective_transforms(
    angles: TensorLike, image_height: TensorLike, image_width: TensorLike, name: str | None = None
) -> _core.Tensor:
    """Transformations that turn images about their middles.

    Args:
        angles: in radians, counter-clockwise: a scalar, or one for each image.
        image_height: in pixels.
        image_width: in pixels.
        name: ignored.

    Returns:
        Transformations `[n, 8]`.
    """
    angles = _ops.reshape(convert_to_tensor(angles, dtypes.float32), [-1])
    return _flat(image_transform.rotation(angles, image_height, image_width))


def translations_to_projective_transforms(translations: TensorLike, name: str | None = None) -> Any:
    """Transformations that move images.

    Args:
        translations: how far right and down, in pixels: a vector, or one for each image.
        name: ignored.

    Returns:
        Transformations `[n, 8]`.
    """
    moved = _rows(translations)
    return _flat(image_transform.translation(moved[:, 0], moved[:, 1]))


def flat_transforms_to_matrices(transforms: TensorLike) -> _core.Tensor:
    """Matrices `[n, 3, 3]` of transformations `[n, 8]`."""
    rows = _rows(transforms)
    last = creation.ones([array.shape(rows)[0], 1], rows.dtype)
    return _ops.reshape(array.concat([rows, last], 1), [-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices: TensorLike) -> _core.Tensor:
    """Transformations `[n, 8]` of matrices `[n, 3, 3]`, which are scaled."""
    flat = _ops.reshape(convert_to_tensor(transform_matrices), [-1, 9])
    return (flat / flat[:, 8:])[:, :8]


def compose_transforms(*transforms: TensorLike) -> _core.Tensor:
    """The transformation of several ones, the first of which comes first.

    Raises:
        ValueError: if there is none.

    >>> left = tf.contrib.image.translations_to_projective_transforms([-1.0, 0.0])
    >>> tf.contrib.image.compose_transforms(left, left).numpy()[0, 2]
    np.float32(2.0)
    """
    if not transforms:
        raise ValueError("transforms cannot be empty")
    product = functools.reduce(linalg.matmul, map(flat_transforms_to_matrices, transforms))
    return matrices_to_flat_transforms(product)


def transform(
    images: TensorLike,
    transforms: TensorLike,
    interpolation: str = "NEAREST",
    output_shape: ShapeLike | None = None,
    name: str | None = None,
) -> _core.Tensor:
    """Transformed images, black where there is nothing.

    Args:
        images: `[n, height, width, channels]`, `[height, width, channels]` or `[height, width]`.
        transforms: one transformation, or one for each image; see this module's description.
        interpolation: "NEAREST" or "BILINEAR".
        output_shape: the height and width of the result; those of the images by default.
        name: ignored.

    Raises:
        TypeError: if the images or the transformations have another rank.

    >>> image = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.contrib.image.transform(image, [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0]).numpy()
    array([[2., 0.],
           [4., 0.]], dtype=float32)
    """
    images = _images(images)
    rank = images.shape.rank
    whole = images[None, :, :, None] if rank == 2 else images[None] if rank == 3 else images
    size = array.shape(whole)[1:3] if output_shape is None else output_shape
    result = raw_ops.ImageProjectiveTransformV2(
        images=whole,
        transforms=_rows(transforms),
        output_shape=convert_to_tensor(size, dtypes.int32),
        interpolation=interpolation.upper(),
    )
    return result[0, :, :, 0] if rank == 2 else result[0] if rank == 3 else result


def rotate(
    images: TensorLike, angles: TensorLike, interpolation: str = "NEAREST", name: str | None = None
) -> _core.Tensor:
    """Images turned about their middles; see `transform`.

    Args:
        images: `[n, height, width, channels]`, `[height, width, channels]` or `[height, width]`.
        angles: in radians, counter-clockwise: a scalar, or one for each image.
        interpolation: "NEAREST" or "BILINEAR".
        name: ignored.

    >>> image = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.contrib.image.rotate(image, 3.14159265 / 2).numpy()
    array([[2., 4.],
           [1., 3.]], dtype=float32)
    """
    images = _images(images)
    height = 0 if images.shape.rank in (2, 3) else 1
    sizes = array.shape(images)
    turned = angles_to_projective_transforms(angles, sizes[height], sizes[height + 1])
    return transform(images, turned, interpolation)


def translate(
    images: Any, translations: TensorLike, interpolation: str = "NEAREST", name: str | None = None
) -> _core.Tensor:
    """Images moved right and down; see `transform`.

    Args:
        images: `[n, height, width, channels]`, `[height, width, channels]` or `[height, width]`.
        translations: how far right and down, in pixels: a vector, or one for each image.
        interpolation: "NEAREST" or "BILINEAR".
        name: ignored.
    """
    return transform(images, translations_to_projective_transforms(translations), interpolation)
