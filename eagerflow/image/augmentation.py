"""Images changed at random, from the global streams or from seeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import is_known, of_rank, sizes_in, sizes_of
from eagerflow.image import adjustment
from eagerflow.image.checks import invalid, three_or_four
from eagerflow.ops.control_flow import cond
from eagerflow.ops.random import stateful, stateless
from eagerflow.typing import DTypeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor

_Draw = Callable[..., Tensor]


def _stream(seed: int | None) -> _Draw:
    """Uniform random values from the global stream."""

    def draw(shape: Any, low: Tensor, high: Tensor, dtype: DTypeLike = dtypes.float32) -> Tensor:
        return stateful.uniform(shape, low, high, dtype, seed=seed)

    return draw


def _seeded(seed: TensorLike) -> _Draw:
    """Uniform random values that the seed alone determines."""

    def draw(shape: Any, low: Tensor, high: Tensor, dtype: DTypeLike = dtypes.float32) -> Tensor:
        return stateless.stateless_uniform(shape, seed, low, high, dtype)

    return draw


def _flipped(image: TensorLike, axis: int, draw: _Draw) -> Tensor:
    tensor = _core.as_tensor(image)
    if tensor.ndim is None:

        def of(rank: int) -> Callable[[], Tensor]:
            return lambda: _flipped(of_rank(tensor, rank), axis, draw)

        return cond(_ops.equal(_ops.shape(_ops.shape(tensor)), [4])[0], of(4), of(3))
    tensor = three_or_four(tensor)
    mirrored = _ops.reverse(tensor, [axis])
    half = _core.convert(0.5, dtypes.float32, None)
    if tensor.ndim == 3:
        chosen = _ops.less(draw([], 0, 1.0), half)
        if _core.building() is not None:
            return _ops.select(chosen, mirrored, tensor)
        return mirrored if bool(chosen) else _ops.identity(tensor)
    batch = sizes_of(tensor)[0]
    numbers = _ops.round(_ops.reshape(draw([batch], 0, 1.0), [batch, 1, 1, 1]))
    return _ops.select(_ops.greater(numbers, half), mirrored, tensor)


@op_function
def random_flip_left_right(image: TensorLike, seed: int | None = None) -> Tensor:
    """Images flipped left to right, each with probability one half.

    >>> tf.image.random_flip_left_right(tf.ones([2, 2, 1])).shape
    TensorShape([2, 2, 1])
    """
    return _flipped(image, -2, _stream(seed))


@op_function
def random_flip_up_down(image: TensorLike, seed: int | None = None) -> Tensor:
    """Images flipped upside down, each with probability one half.

    >>> tf.image.random_flip_up_down(tf.ones([2, 2, 1])).shape
    TensorShape([2, 2, 1])
    """
    return _flipped(image, -3, _stream(seed))


@op_function
def stateless_random_flip_left_right(image: TensorLike, seed: TensorLike) -> Tensor:
    """Images flipped left to right or not, as the seed `[2]` determines.

    >>> tf.image.stateless_random_flip_left_right([[[1], [2]]], seed=(2, 3)).shape
    TensorShape([1, 2, 1])
    """
    return _flipped(image, -2, _seeded(seed))


@op_function
def stateless_random_flip_up_down(image: TensorLike, seed: TensorLike) -> Tensor:
    """Images flipped upside down or not, as the seed `[2]` determines.

    >>> tf.image.stateless_random_flip_up_down([[[1]], [[2]]], seed=(2, 3)).shape
    TensorShape([2, 1, 1])
    """
    return _flipped(image, -3, _seeded(seed))


def _not_negative(max_delta: Any) -> float:
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return max_delta


def _range(lower: Any, upper: Any) -> None:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")


def _hue_range(max_delta: Any) -> None:
    if max_delta > 0.5:
        raise ValueError("max_delta must be <= 0.5.")
    _not_negative(max_delta)


@op_function(elementwise=1, promotion="none")
def random_brightness(image: Any, max_delta: Any, seed: int | None = None) -> Tensor:
    """Images made brighter or darker by up to `max_delta`.

    Raises:
        ValueError: if `max_delta` is negative.

    >>> tf.image.random_brightness(tf.ones([1, 1, 1]), 0.2).shape
    TensorShape([1, 1, 1])
    """
    _not_negative(max_delta)
    return adjustment.adjust_brightness(image, _stream(seed)([], -max_delta, max_delta))


@op_function(elementwise=1, promotion="none")
def stateless_random_brightness(image: Any, max_delta: Any, seed: Any) -> Tensor:
    """Images made brighter or darker by up to `max_delta`, as the seed `[2]` determines.

    >>> tf.image.stateless_random_brightness(tf.ones([1, 1, 1]), 0.2, (1, 2)).shape
    TensorShape([1, 1, 1])
    """
    _not_negative(max_delta)
    return adjustment.adjust_brightness(image, _seeded(seed)([], -max_delta, max_delta))


@op_function
def random_contrast(image: Any, lower: Any, upper: TensorLike, seed: int | None = None) -> Tensor:
    """Images whose contrast is changed by a factor between `lower` and `upper`.

    Raises:
        ValueError: if `lower` is negative or not below `upper`.

    >>> tf.image.random_contrast(tf.ones([1, 1, 1]), 0.2, 0.5).shape
    TensorShape([1, 1, 1])
    """
    _range(lower, upper)
    return adjustment.adjust_contrast(image, _stream(seed)([], lower, upper))


@op_function
def stateless_random_contrast(image: Any, lower: Any, upper: Any, seed: TensorLike) -> Tensor:
    """Images whose contrast is changed by a factor that the seed `[2]` determines.

    >>> tf.image.stateless_random_contrast(tf.ones([1, 1, 1]), 0.2, 0.5, (1, 2)).shape
    TensorShape([1, 1, 1])
    """
    _range(lower, upper)
    return adjustment.adjust_contrast(image, _seeded(seed)([], lower, upper))


@op_function
def random_hue(image: Any, max_delta: Any, seed: int | None = None) -> Tensor:
    """Images whose hues are shifted by up to `max_delta`.

    Raises:
        ValueError: if `max_delta` is not within [0, 0.5].

    >>> tf.image.random_hue(tf.ones([1, 1, 3]), 0.2).shape
    TensorShape([1, 1, 3])
    """
    _hue_range(max_delta)
    return adjustment.adjust_hue(image, _stream(seed)([], -max_delta, max_delta))


@op_function
def stateless_random_hue(image: Any, max_delta: Any, seed: Any) -> Tensor:
    """Images whose hues are shifted by up to `max_delta`, as the seed `[2]` determines.

    >>> tf.image.stateless_random_hue(tf.ones([1, 1, 3]), 0.2, (1, 2)).shape
    TensorShape([1, 1, 3])
    """
    _hue_range(max_delta)
    return adjustment.adjust_hue(image, _seeded(seed)([], -max_delta, max_delta))


@op_function
def random_saturation(image: Any, lower: Any, upper: TensorLike, seed: int | None = None) -> Tensor:
    """Images whose saturation is changed by a factor between `lower` and `upper`.

    Raises:
        ValueError: if `lower` is negative or not below `upper`.

    >>> tf.image.random_saturation(tf.ones([1, 1, 3]), 0.2, 0.5).shape
    TensorShape([1, 1, 3])
    """
    _range(lower, upper)
    return adjustment.adjust_saturation(image, _stream(seed)([], lower, upper))


@op_function
def stateless_random_saturation(image: Any, lower: Any, upper: Any, seed: Any = None) -> Tensor:
    """Images whose saturation is changed by a factor that the seed `[2]` determines.

    >>> tf.image.stateless_random_saturation(tf.ones([1, 1, 3]), 0.2, 0.5, (1, 2)).shape
    TensorShape([1, 1, 3])
    """
    _range(lower, upper)
    return adjustment.adjust_saturation(image, _seeded(seed)([], lower, upper))


def _quality_range(least: Any, most: Any) -> None:
    if least < 0 or most < 0 or least > 100 or most > 100:
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if least >= most:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")


@op_function
def random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: Any, max_jpeg_quality: TensorLike, seed: int | None = None
) -> Tensor:
    """An image as it looks after JPEG compression of random quality.

    Raises:
        ValueError: if the range is not within [0, 100].

    >>> tf.image.random_jpeg_quality(tf.ones([8, 8, 3]), 75, 95).shape
    TensorShape([8, 8, 3])
    """
    _quality_range(min_jpeg_quality, max_jpeg_quality)
    quality = _stream(seed)([], min_jpeg_quality, max_jpeg_quality, dtypes.int32)
    return adjustment.adjust_jpeg_quality(image, quality)


@op_function
def stateless_random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: TensorLike, max_jpeg_quality: TensorLike, seed: TensorLike
) -> Tensor:
    """An image as it looks after JPEG compression of a quality that the seed `[2]` determines.

    >>> tf.image.stateless_random_jpeg_quality(tf.ones([8, 8, 3]), 75, 95, (1, 2)).shape
    TensorShape([8, 8, 3])
    """
    _quality_range(min_jpeg_quality, max_jpeg_quality)
    quality = _seeded(seed)([], min_jpeg_quality, max_jpeg_quality, dtypes.int32)
    return adjustment.adjust_jpeg_quality(image, quality)


def _cropped(value: TensorLike, size: TensorLike, draw: _Draw) -> Tensor:
    tensor = _core.as_tensor(value)
    wanted = _core.convert(size, None, dtypes.int32)
    if wanted.dtype not in (dtypes.int32, dtypes.int64):
        wanted = _core.convert(size, dtypes.int32, None)
    sizes = sizes_in(wanted)
    shape = sizes_of(of_rank(tensor, len(sizes)))
    if len(sizes) != len(shape) or any(
        is_known(a, b) and a > b for a, b in zip(sizes, shape, strict=True)
    ):
        raise invalid(f"Need value.shape >= size, got {list(shape)} and {sizes}")
    if wanted.ndim != 1:
        raise invalid(f"size must be a vector with a size for each axis, got shape {wanted.shape}")
    numbers = draw([len(shape)], 0, wanted.dtype.max, wanted.dtype)
    if _core.building() is not None:
        room = [_ops.cast(a - b + 1, wanted.dtype) for a, b in zip(shape, sizes, strict=True)]
        begin: Any = _ops.floormod(numbers, _ops.stack(room))
    else:
        begin = [
            int(number) % (whole - part + 1)
            for number, whole, part in zip(numbers.numpy(), shape, sizes, strict=True)
        ]
    return _ops.slice(tensor, begin, sizes)


@op_function
def random_crop(value: Any, size: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """A slice of a tensor at a random position.

    Args:
        value: a tensor of rank n.
        size: the slice's shape `[n]`.
        seed: the operation's seed.

    Raises:
        tf.errors.InvalidArgumentError: if the slice is larger than the tensor.

    >>> tf.image.random_crop(tf.zeros([4, 4, 3]), [2, 2, 3]).shape
    TensorShape([2, 2, 3])
    """
    return _cropped(value, size, _stream(seed))


@op_function
def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Tensor:
    """A slice of a tensor at a position that the seed `[2]` determines.

    >>> tf.image.stateless_random_crop(tf.zeros([4, 4, 3]), [2, 2, 3], seed=(1, 2)).shape
    TensorShape([2, 2, 3])
    """
    return _cropped(value, size, _seeded(seed))
