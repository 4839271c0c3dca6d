"""How similar images are: PSNR and SSIM."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import when_ranks_are_known
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import is_known, may_equal, reshaped, sizes_may_equal, sizes_of
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.image.color import convert_image_dtype
from eagerflow.ops.nn.convolution import depthwise_conv2d
from eagerflow.ops.nn.pooling import avg_pool2d
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def _pair(first: TensorLike, second: TensorLike) -> tuple[Tensor, Tensor]:
    """Two images as tensors, checked."""
    a, b = _core.as_tensor(first), _core.as_tensor(second)
    _check_pair(a, b)
    return a, b


def _check_pair(a: Tensor, b: Tensor) -> None:
    first, second = a._shape_tuple(), b._shape_tuple()
    if first is None or second is None:
        return
    if a.ndim < 3 or b.ndim < 3:
        raise ValueError(f"Shapes {a.shape} and {b.shape} must have rank at least 3")
    for x, y in zip(first[::-1], second[::-1], strict=False):
        if not sizes_may_equal(x, y) and 1 not in (x, y):
            raise ValueError(f"Two images are not compatible: {a.shape} and {b.shape}")
    if not may_equal(first[-3:], second[-3:]):
        raise ValueError(f"Shapes {a.shape} and {b.shape} are incompatible")


def _scaled(max_val: TensorLike, dtype: dtypes.DType) -> Tensor:
    """The largest value as a float, scaled as images of that dtype are."""
    value = _core.as_tensor(max_val)
    if dtype.is_integer:
        return convert_image_dtype(_ops.cast(value, dtype), dtypes.float32)
    return _ops.cast(value, dtypes.float32)


@op_function
def psnr(a: TensorLike, b: TensorLike, max_val: TensorLike, name: str | None = None) -> Tensor:
    """The peak signal-to-noise ratio of images, in decibels.

    Args:
        a: `[..., height, width, channels]`.
        b: of the same shape.
        max_val: the largest value that pixels can have.

    Returns:
        One value for each image.

    >>> round(float(tf.image.psnr(tf.zeros([1, 1, 1]), tf.ones([1, 1, 1]) / 10, 1.0)), 3)
    20.0
    """
    a, b = _core.as_tensor(a), _core.as_tensor(b)
    peak = _scaled(max_val, a.dtype)
    first = convert_image_dtype(a, dtypes.float32)
    second = convert_image_dtype(b, dtypes.float32)
    error = _ops.reduce_mean(_ops.squared_difference(first, second), [-3, -2, -1])
    _check_pair(a, b)
    twenty, ten = (
        _core.convert(number / math.log(10), dtypes.float32, None) for number in (20, 10)
    )
    return _ops.subtract(_ops.multiply(twenty, _ops.log(peak)), _ops.multiply(ten, _ops.log(error)))


def _gaussian(size: int, sigma: float) -> np.ndarray:
    offsets = np.arange(size, dtype=np.float32) - np.float32((size - 1) / 2)
    weights = np.exp(-0.5 * np.square(offsets / np.float32(sigma)))
    return (weights / weights.sum()).astype(np.float32)


def _blurred(images: Tensor, weights: np.ndarray) -> Tensor:
    """Images `[n, height, width, channels]` smoothed where the filter fits."""
    channels = sizes_of(images)[-1]
    size = len(weights)
    down = _ops.tile(weights.reshape(size, 1, 1, 1), [1, 1, channels, 1])
    right = _ops.tile(weights.reshape(1, size, 1, 1), [1, 1, channels, 1])
    smoothed = depthwise_conv2d(images, down, [1, 1, 1, 1], "VALID")
    return depthwise_conv2d(smoothed, right, [1, 1, 1, 1], "VALID")


def _ssim_per_channel(
    x: Tensor, y: Tensor, peak: Tensor, size: int, sigma: float, k1: float, k2: float
) -> tuple[Tensor, Tensor]:
    """SSIM and its contrast-structure part at each position and channel."""
    *batch, height, width, channels = sizes_of(x)
    if any(is_known(side) and side < size for side in (height, width)):
        raise errors.InvalidArgumentError._of(
            f"Images of {height}x{width} are smaller than the filter of {size}x{size}"
        )
    weights = _gaussian(size, sigma)

    def smooth(value: Tensor) -> Tensor:
        flat = reshaped(value, [math.prod(batch), height, width, channels])
        return _blurred(flat, weights)

    c1 = _ops.square(_ops.multiply(_core.convert(k1, dtypes.float32, None), peak))
    c2 = _ops.square(_ops.multiply(_core.convert(k2, dtypes.float32, None), peak))
    two = _core.convert(2.0, dtypes.float32, None)
    mean_x, mean_y = smooth(x), smooth(y)
    product = _ops.multiply(_ops.multiply(mean_x, mean_y), two)
    squares = _ops.add(_ops.square(mean_x), _ops.square(mean_y))
    luminance = _ops.divide_real(_ops.add(product, c1), _ops.add(squares, c1))
    cross = _ops.multiply(smooth(_ops.multiply(x, y)), two)
    energy = smooth(_ops.add(_ops.square(x), _ops.square(y)))
    contrast = _ops.divide_real(
        _ops.add(_ops.subtract(cross, product), c2), _ops.add(_ops.subtract(energy, squares), c2)
    )
    shape = [*batch, height - size + 1, width - size + 1, channels]
    return reshaped(_ops.multiply(luminance, contrast), shape), reshaped(contrast, shape)


def _similarities(*_: object, **__: object) -> TensorSpec:
    return TensorSpec(None, dtypes.float32)


@op_function(in_graph=when_ranks_are_known(_similarities))
def ssim(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """The structural similarity of images (Wang et al. 2004, "Image quality assessment").

    Args:
        img1: `[..., height, width, channels]`.
        img2: of the same shape.
        max_val: the largest value that pixels can have.
        filter_size: the size of the Gaussian filter.
        filter_sigma: its standard deviation.
        k1: a small constant.
        k2: another one.
        return_index_map: whether to return the index at each position instead of its mean.

    Returns:
        One value for each image, or `[..., rows, columns]`.

    Raises:
        tf.errors.InvalidArgumentError: if images are smaller than the filter.

    >>> image = tf.reshape(tf.range(144.0), [12, 12, 1])
    >>> round(float(tf.image.ssim(image, image, 255)), 3)
    1.0
    """
    first, second = _pair(img1, img2)
    peak = _scaled(max_val, first.dtype)
    first = convert_image_dtype(first, dtypes.float32)
    second = convert_image_dtype(second, dtypes.float32)
    index, _ = _ssim_per_channel(first, second, peak, filter_size, filter_sigma, k1, k2)
    if not return_index_map:
        index = _ops.reduce_mean(index, [-3, -2])
    return _ops.reduce_mean(index, [-1])


@op_function(in_graph=when_ranks_are_known(_similarities))
def ssim_multiscale(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    power_factors: Sequence = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """The structural similarity of images at several scales (Wang et al. 2003).

    Args:
        img1: `[..., height, width, channels]`.
        img2: of the same shape.
        max_val: the largest value that pixels can have.
        power_factors: the weight of each scale; each halves the images.
        filter_size: the size of the Gaussian filter.
        filter_sigma: its standard deviation.
        k1: a small constant.
        k2: another one.

    Returns:
        One value for each image.

    Raises:
        tf.errors.InvalidArgumentError: if the smallest images are smaller than the filter.

    >>> image = tf.reshape(tf.range(576.0), [24, 24, 1])
    >>> round(float(tf.image.ssim_multiscale(image, image, 576, (0.5, 0.5))), 3)
    1.0
    """
    first, second = _pair(img1, img2)
    peak = _scaled(max_val, first.dtype)
    images = [convert_image_dtype(item, dtypes.float32) for item in (first, second)]
    *batch, height, width, channels = sizes_of(images[0])
    images = [reshaped(item, [math.prod(batch), height, width, channels]) for item in images]
    parts: list[Tensor] = []
    for scale in range(len(power_factors)):
        if scale:
            height, width = (side % 2 for side in sizes_of(images[0])[1:3])
            if not is_known(height, width) or height or width:
                odd = [0, 0, 0, height, 0, width, 0, 0]
                images = [_ops.pad(item, odd, "SYMMETRIC") for item in images]
            images = [avg_pool2d(item, 2, 2, "VALID") for item in images]
        index, contrast = _ssim_per_channel(
            images[0], images[1], peak, filter_size, filter_sigma, k1, k2
        )
        last = scale == len(power_factors) - 1
        part = _ops.reduce_mean(index if last else contrast, [-3, -2])
        parts.append(_ops.relu(part))
    powers = _core.as_tensor(np.array(power_factors, np.float32))
    combined = _ops.reduce_prod(_ops.pow(_ops.stack(parts, -1), powers), [-1])
    return reshaped(_ops.reduce_mean(combined, [-1]), batch)
