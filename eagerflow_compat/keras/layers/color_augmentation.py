"""Layers that change the colours of images, as in Keras 3."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.keras import config
from eagerflow.keras.layers.arguments import with_arguments_of
from eagerflow.keras.typing import Factor, Sizes
from eagerflow.util import lazy
from eagerflow_compat.keras import random
from eagerflow_compat.keras.layers.image_augmentation import (
    ImageAugmentation,
    limits,
    range_of,
    rescaled,
)
from eagerflow_compat.keras.ops import image as image_ops
from eagerflow_compat.keras.ops.filters import filtered

# Imported when it is first used: few programs need it.
random_images = lazy.Module("eagerflow.keras.layers.random_images")

_ops = _core.ops
_BYTES = (0, 255)


class Coloring(ImageAugmentation):
    """The base of layers for images with a range of values.

    Args:
        value_range: the least and largest value of images.
        data_format: "channels_last" or "channels_first".
        seed: the random seed.
    """

    value_range: list[float]

    def __init__(self, value_range: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.value_range = range_of(value_range)

    def _clipped(self, images: _core.Tensor) -> _core.Tensor:
        return _ops.clip_by_value(images, float(self.value_range[0]), float(self.value_range[1]))


class _RandomColoring(Coloring):
    """A change whose strength is drawn for each image."""

    _bounds: tuple[float, float] = (0, 1)

    def __init__(
        self,
        factor: Factor,
        value_range: Any = (0, 255),
        data_format: str | None = None,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(value_range, data_format=data_format, seed=seed, **kwargs)
        self.factor = limits(factor, *self._bounds)

    def get_random_transformation(self, data: Any, training: Any = True, seed: Any = None) -> Any:
        """The strengths."""
        return {"factor": self._uniform((data._sizes()[0],), self.factor)}

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """The images after the change."""
        return self._changed(self._cast(images), transformation) if training else images

    def _changed(self, images: _core.Tensor, drawn: Any) -> _core.Tensor:
        raise NotImplementedError

    def _per_image(self, values: Any, rank: int = 4) -> _core.Tensor:
        """One value for each image, in a shape that broadcasts with the images."""
        return _ops.reshape(self._cast(values), [-1] + [1] * (rank - 1))


class AutoContrast(Coloring):
    """Images whose values are stretched over the full range, in each channel.

    >>> print(tf.keras.layers.AutoContrast()(tf.constant([[[50.0], [150.0]]])).numpy().ravel())
    [  0. 255.]
    """

    _draws = False

    def __init__(self, value_range: Any = (0, 255), **kwargs: Any) -> None:
        super().__init__(value_range, **kwargs)

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """The images with stretched values; channels of one value stay as they are."""
        original = self._cast(images)
        x = rescaled(original, self.value_range, _BYTES)
        axes = [2, 3] if self._is_first else [1, 2]
        low, high = _ops.reduce_min(x, axes, True), _ops.reduce_max(x, axes, True)
        scale = 255.0 / (high - low)
        x = _ops.clip_by_value(x * scale - low * scale, 0.0, 255.0)
        x = rescaled(x, _BYTES, self.value_range)
        return _ops.select(_ops.is_nan(x), original, x)


@with_arguments_of(Coloring)
class Solarization(Coloring):
    """Images whose bright values are inverted.

    Args:
        addition_factor: what is added to values first, as a share of the range; or a pair of
            shares between which it is drawn.
        threshold_factor: the brightness from which values are inverted, in the same way.

    >>> print(tf.keras.layers.Solarization()(tf.constant([[[0.0], [250.0]]])).numpy().ravel())
    [255.   5.]
    """

    def __init__(
        self,
        addition_factor: Factor = 0.0,
        threshold_factor: Factor = 0.0,
        value_range: Any = (0, 255),
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(value_range, seed=seed, **kwargs)
        self.addition_factor = limits(addition_factor, 0, 1, "addition_factor")
        self.threshold_factor = limits(threshold_factor, 0, 1, "threshold_factor")

    def get_random_transformation(self, data: Any, training: Any = True, seed: Any = None) -> Any:
        """The addition and the threshold for each image."""
        shape = (data._sizes()[0], 1, 1, 1)
        drawn = {}
        for name in ("addition", "threshold"):
            low, high = getattr(self, f"{name}_factor")
            drawn[f"{name}s"] = self._uniform(shape, (low, high * 255), self.compute_dtype)
        return drawn

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """The images with inverted values."""
        x = self._cast(images)
        if not training:
            return x
        x = rescaled(x, self.value_range, _BYTES) + transformation["additions"]
        x = _ops.clip_by_value(x, 0.0, 255.0)
        x = _ops.select(_ops.less(x, transformation["thresholds"]), x, 255.0 - x)
        return rescaled(x, _BYTES, self.value_range)


class Equalization(Coloring):
    """Images in which all values become equally frequent, in each channel over the entire batch.

    Args:
        bins: the number of distinct values.

    >>> x = tf.constant([[[0.0], [1.0], [2.0]]])
    >>> print(tf.keras.layers.Equalization()(x).numpy().ravel())
    [  0. 128. 255.]
    """

    _draws = False

    def __init__(
        self,
        value_range: Any = (0, 255),
        bins: int = 256,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(value_range, data_format=data_format, **kwargs)
        self.bins = bins

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """The equalized images."""
        if not training:
            return images
        axis = 1 if self._is_first else 3
        channels = _ops.unstack(self._cast(images), images._sizes()[axis], axis)
        return _ops.stack([self._equalized(channel) for channel in channels], axis)

    def _equalized(self, channel: _core.Tensor) -> _core.Tensor:
        x = rescaled(channel, self.value_range, _BYTES)
        indices = _ops.cast(x / 255.0 * (self.bins - 1.0), dtypes.int32)
        indices = _ops.clip_by_value(indices, 0, self.bins - 1)
        flat = _ops.reshape(indices, [-1])
        counts = _ops.unsorted_segment_sum(_ops.ones_like(flat), flat, num_segments=self.bins)
        below = _ops.cumsum(counts)
        first = below[int(_ops.argmax(_ops.cast(_ops.greater(below, 0), dtypes.int32), 0))]
        spread = int(below[-1]) - int(first)
        if not spread:
            return channel
        # float64, so that quotients of integers are rounded as in Keras.
        table = _ops.cast((below - first) * 255, dtypes.float64) / float(spread)
        table = _ops.cast(_ops.clip_by_value(_ops.round(table), 0.0, 255.0), x.dtype)
        return rescaled(_ops.gather(table, indices, 0, 0), _BYTES, self.value_range)


class RandomGrayscale(ImageAugmentation):
    """Images without colours, with a probability.

    Args:
        factor: the probability.

    Raises:
        ValueError: if the probability is out of range.

    >>> tf.keras.layers.RandomGrayscale(1.0)(tf.ones([2, 4, 4, 3])).shape
    TensorShape([2, 4, 4, 3])
    """

    def __init__(
        self,
        factor: float = 0.5,
        data_format: str | None = None,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, seed=seed, **kwargs)
        if not 0 <= factor <= 1:
            raise ValueError(f"`factor` should be between 0 and 1. Received: factor={factor}")
        self.factor = factor

    def get_random_transformation(self, data: Any, training: Any = True, seed: Any = None) -> Any:
        """Which images lose their colours."""
        drawn = self._uniform((data._sizes()[0],), (0.0, 1.0))
        return _ops.reshape(_ops.less(drawn, self.factor), [-1, 1, 1, 1])

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """The images, some of them gray."""
        if not training:
            return images
        gray = image_ops.rgb_to_grayscale(images, data_format=self.data_format)
        return _ops.select(transformation, _ops.broadcast_to(gray, images._sizes()), images)


@with_arguments_of(Coloring)
class RandomInvert(_RandomColoring):
    """Images whose values are inverted, with a probability.

    Args:
        factor: the probability, or a pair between which it is drawn.

    >>> x = tf.constant([[[0.0], [250.0]]])
    >>> print(tf.keras.layers.RandomInvert((1.0, 1.0))(x).numpy().ravel())
    [255.   5.]
    """

    def __init__(
        self,
        factor: Factor = 1.0,
        value_range: Any = (0, 255),
        seed: int | None = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(factor, value_range, data_format, seed, **kwargs)

    def get_random_transformation(self, data: Any, training: Any = True, seed: Any = None) -> Any:
        """Which images are inverted."""
        batch = (data._sizes()[0],)
        chance = self._uniform(batch, self.factor)
        return {"apply_inversion": _ops.less(self._uniform(batch, (0.0, 1.0)), chance)}

    def _changed(self, images: _core.Tensor, drawn: Any) -> _core.Tensor:
        chosen = _ops.reshape(drawn["apply_inversion"], [-1, 1, 1, 1])
        return _ops.select(chosen, float(self.value_range[1]) - images, images)


@with_arguments_of(Coloring)
class RandomPosterization(_RandomColoring):
    """Images with fewer bits for each value.

    Args:
        factor: how many bits stay, from 1 to 8; or a pair between which it is drawn.

    >>> x = tf.constant([[[100.0], [200.0]]])
    >>> print(tf.keras.layers.RandomPosterization((1, 1))(x).numpy().ravel())
    [  0. 128.]
    """

    _bounds = (1, 8)

    def get_random_transformation(self, data: Any, training: Any = True, seed: Any = None) -> Any:
        """How many bits are lost."""
        batch = (data._sizes()[0],)
        low, high = self.factor
        if low == high:
            kept = _ops.fill(_core.convert(low, dtypes.uint8, None), batch)
        else:
            kept = random.randint(batch, low, high, dtype="uint8", seed=self.generator)
        return {"shift_factor": 8 - kept}

    def _changed(self, images: _core.Tensor, drawn: Any) -> _core.Tensor:
        shift = _ops.reshape(drawn["shift_factor"], [-1, 1, 1, 1])
        quantized = _ops.cast(rescaled(images, self.value_range, _BYTES), dtypes.uint8)
        quantized = _ops.left_shift(_ops.right_shift(quantized, shift), shift)
        return rescaled(self._cast(quantized), _BYTES, self.value_range)


@with_arguments_of(Coloring)
class RandomSaturation(_RandomColoring):
    """Images with weaker or stronger colours.

    Args:
        factor: 0 for gray, 0.5 for the image's own colours, 1 for the strongest; a number stands
            for the range from 0 to it.

    >>> x = tf.constant([[[0.25, 0.5, 1.0]]])
    >>> layer = tf.keras.layers.RandomSaturation((0.0, 0.0), value_range=(0.0, 1.0))
    >>> print(layer(x).numpy().ravel())
    [1. 1. 1.]
    """

    _bounds = (-1, 1)

    def get_random_transformation(self, data: Any, training: Any = True, seed: Any = None) -> Any:
        """The factors of the saturations."""
        factor = self._uniform((data._sizes()[0],), self.factor)
        return {"factor": factor / (1.0 - factor + config.epsilon())}

    def _changed(self, images: _core.Tensor, drawn: Any) -> _core.Tensor:
        axis = 1 if self._is_first else 3
        hsv = image_ops.rgb_to_hsv(images, data_format=self.data_format)
        hue, saturation, value = _ops.unstack(hsv, 3, axis)
        saturation = self._clipped(saturation * self._per_image(drawn["factor"], 3))
        hsv = _ops.stack([hue, saturation, value], axis)
        return image_ops.hsv_to_rgb(hsv, data_format=self.data_format)


@with_arguments_of(Coloring)
class RandomHue(_RandomColoring):
    """Images whose hues are turned.

    Args:
        factor: how far at most, as a share of half a turn; or a pair of shares.

    >>> tf.keras.layers.RandomHue(0.5)(tf.ones([2, 4, 4, 3])).shape
    TensorShape([2, 4, 4, 3])
    """

    def get_random_transformation(self, data: Any, training: Any = True, seed: Any = None) -> Any:
        """How far the hues of each image are turned."""
        batch = (data._sizes()[0],)
        turned = _ops.greater(self._uniform(batch, (0.0, 1.0)), 0.5)
        factor = self._uniform(batch, self.factor) * 0.5
        return {"factor": _ops.select(turned, _ops.negative(factor), factor)}

    def _changed(self, images: _core.Tensor, drawn: Any) -> _core.Tensor:
        axis = 1 if self._is_first else 3
        x = rescaled(images, self.value_range, (0, 1))
        hsv = image_ops.rgb_to_hsv(x, data_format=self.data_format)
        hue, saturation, value = _ops.unstack(hsv, 3, axis)
        hue = hue + self._per_image(drawn["factor"], 3)
        hue = _ops.select(_ops.greater(hue, 1.0), hue - 1.0, hue)
        hue = _ops.select(_ops.less(hue, 0.0), hue + 1.0, hue)
        hsv = _ops.stack([hue, saturation, value], axis)
        x = image_ops.hsv_to_rgb(hsv, data_format=self.data_format)
        return rescaled(_ops.clip_by_value(x, 0.0, 1.0), (0, 1), self.value_range)


@with_arguments_of(Coloring)
class RandomColorDegeneration(_RandomColoring):
    """Images mixed with their gray versions.

    Args:
        factor: the share of gray at most, or a pair of shares.

    >>> tf.keras.layers.RandomColorDegeneration(0.5)(tf.ones([2, 4, 4, 3])).shape
    TensorShape([2, 4, 4, 3])
    """

    _bounds = (-1, 1)

    def get_random_transformation(self, data: Any, training: Any = True, seed: Any = None) -> Any:
        """The shares."""
        return {"factor": self._uniform((data._sizes()[0], 1, 1, 1), self.factor)}

    def _changed(self, images: _core.Tensor, drawn: Any) -> _core.Tensor:
        gray = image_ops.rgb_to_grayscale(images, data_format=self.data_format)
        return self._clipped(images + self._cast(drawn["factor"]) * (gray - images))


@with_arguments_of(Coloring)
class RandomSharpness(_RandomColoring):
    """Images that are blurred or sharpened.

    Args:
        factor: 0 for blurred, 0.5 for as it is, 1 for sharper; a number stands for the range from
            0 to it.

    >>> tf.keras.layers.RandomSharpness(0.5)(tf.ones([2, 4, 4, 3])).shape
    TensorShape([2, 4, 4, 3])
    """

    def _changed(self, images: _core.Tensor, drawn: Any) -> _core.Tensor:
        x = _ops.transpose(images, [0, 3, 2, 1]) if self._is_first else images
        edge, middle = 1.0 / 13.0, 5.0 / 13.0
        window = [[edge] * 3, [edge, middle, edge], [edge] * 3]
        smooth = filtered(x, _core.convert(window, x.dtype, None))
        x = self._clipped(x + (1.0 - self._per_image(drawn["factor"] * 2.0)) * (smooth - x))
        return _ops.transpose(x, [0, 3, 2, 1]) if self._is_first else x


@with_arguments_of(Coloring)
class RandomGaussianBlur(Coloring):
    """Images that are blurred, with a probability.

    Args:
        factor: the probability, or a pair between which it is drawn.
        kernel_size: the size of the kernel, odd; or a pair for rows and columns.
        sigma: the width of the bell, or a pair between which it is drawn.

    Raises:
        ValueError: for an even size, and for values out of range.

    >>> tf.keras.layers.RandomGaussianBlur()(tf.ones([2, 4, 4, 3])).shape
    TensorShape([2, 4, 4, 3])
    """

    def __init__(
        self,
        factor: Factor = 1.0,
        kernel_size: Sizes = 3,
        sigma: Any = 1.0,
        value_range: Any = (0, 255),
        data_format: str | None = None,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(value_range, data_format=data_format, seed=seed, **kwargs)
        self.factor = limits(factor, 0, 1)
        sizes = kernel_size if isinstance(kernel_size, (tuple, list)) else (kernel_size,) * 2
        if len(sizes) != 2 or any(size % 2 == 0 for size in sizes):
            raise ValueError(
                f"kernel_size must be an odd number. Received: kernel_size={kernel_size}"
            )
        self.kernel_size = tuple(sizes)
        self.sigma = limits(sigma, 0, 1, "sigma")

    def get_random_transformation(self, data: Any, training: Any = True, seed: Any = None) -> Any:
        """Which images are blurred, and how much."""
        batch = (data._sizes()[0],)
        chance = self._uniform(batch, self.factor)
        chosen = _ops.less(self._uniform(batch, (0.0, 1.0)), chance)
        width = self._uniform((2,), self.sigma, self.compute_dtype) + 1e-6
        return {"should_apply_blur": chosen, "blur_factor": width}

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """The images, some of them blurred."""
        x = self._cast(images)
        if not training:
            return x
        width = transformation["blur_factor"]
        blurred = image_ops.gaussian_blur(x, self.kernel_size, width, self.data_format)
        chosen = _ops.reshape(transformation["should_apply_blur"], [-1, 1, 1, 1])
        return self._clipped(_ops.select(chosen, blurred, x))


@with_arguments_of(Coloring)
class RandomColorJitter(Coloring):
    """Images with other brightness, contrast, saturation and hue, one after another.

    Args:
        brightness_factor: for `RandomBrightness`; None leaves it out.
        contrast_factor: for `RandomContrast`.
        saturation_factor: for `RandomSaturation`.
        hue_factor: for `RandomHue`.

    >>> layer = tf.keras.layers.RandomColorJitter(brightness_factor=0.5, hue_factor=0.25)
    >>> layer(tf.ones([2, 4, 4, 3])).shape
    TensorShape([2, 4, 4, 3])
    """

    def __init__(
        self,
        value_range: Any = (0, 255),
        brightness_factor: Factor | None = None,
        contrast_factor: Factor | None = None,
        saturation_factor: Factor | None = None,
        hue_factor: Factor | None = None,
        seed: int | None = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(value_range, data_format=data_format, seed=seed, **kwargs)
        self.brightness_factor = brightness_factor
        self.contrast_factor = contrast_factor
        self.saturation_factor = saturation_factor
        self.hue_factor = hue_factor
        self._steps: list[Any] = []
        if brightness_factor is not None:
            self._steps.append(
                random_images.RandomBrightness(brightness_factor, value_range, seed=seed)
            )
        if contrast_factor is not None:
            self._steps.append(random_images.RandomContrast(contrast_factor, seed=seed))
        for kind, factor in ((RandomSaturation, saturation_factor), (RandomHue, hue_factor)):
            if factor is not None:
                self._steps.append(kind(factor, value_range, data_format, seed))

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """The images after all changes."""
        images = self._cast(images)
        for step in self._steps:
            images = step(images, training=training)
        return images
