"""Layers that change images at random in training."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.image.projective import FILL_MODES, INTERPOLATIONS, as_float, transformed
from eagerflow.keras.engine.calls.training_mode import by_training
from eagerflow.keras.layers.arguments import with_arguments_of
from eagerflow.keras.layers.image_preprocessing import cropped, fitted, resized_shape
from eagerflow.keras.layers.image_transform import FULL_TURN, rotation, translation, zoom
from eagerflow.keras.layers.preprocessing_layer import as_tensor
from eagerflow.keras.layers.random_layer import BaseRandomLayer
from eagerflow.keras.typing import Config, Factor
from eagerflow.ops import control_flow, conversion
from eagerflow.ops.random import stateless
from eagerflow.typing import ShapeLike

_ops = _core.ops


class RandomImages(BaseRandomLayer):
    """A layer that changes images in training."""

    _computes_in_floats = True  # also for images of integers

    def __init__(self, seed: int | None, **kwargs: Any) -> None:
        super().__init__(seed=seed, force_generator=True, autocast=False, **kwargs)
        self.seed = seed

    def call(self, inputs: Any, training: Any = True) -> Any:
        images = conversion.cast(as_tensor(inputs), self._compute_dtype_object)
        return by_training(training, lambda on: self._in_training(images) if on else images)

    def _in_training(self, images: _core.Tensor) -> _core.Tensor:
        if images.dtype.is_floating or not self._computes_in_floats:
            return self._changed(images)
        return _ops.cast(self._changed(_ops.cast(images, dtypes.float32)), images.dtype)

    def _changed(self, images: _core.Tensor) -> Any:
        """Images `[rows, columns, channels]`, or a batch of them, after the change."""
        raise NotImplementedError

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        return input_shape

    def get_config(self) -> Config:
        return {**super().get_config(), "rng_type": "stateful", "seed": self.seed}


class RandomFlip(RandomImages):
    """Images that are mirrored at random.

    Args:
        mode: "horizontal", "vertical" or "horizontal_and_vertical".
        seed: the random seed.

    Raises:
        ValueError: for another mode.

    >>> tf.keras.layers.RandomFlip("horizontal")(tf.ones([2, 4, 4, 3])).shape
    TensorShape([2, 4, 4, 3])
    """

    def __init__(
        self, mode: str = "horizontal_and_vertical", seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(seed, **kwargs)
        if mode not in ("horizontal", "vertical", "horizontal_and_vertical"):
            raise ValueError(
                f"RandomFlip layer {self.name} received an unknown mode argument {mode}"
            )
        self.mode = mode

        self.horizontal = "horizontal" in mode
        self.vertical = "vertical" in mode

    def _changed(self, images: _core.Tensor) -> _core.Tensor:
        if self.horizontal:
            images = self._flipped(images, -2)
        if self.vertical:
            images = self._flipped(images, -3)
        return images

    def _flipped(self, images: _core.Tensor, axis: int) -> _core.Tensor:
        seed = self._random_generator.make_seed_for_stateless_op()
        mirrored = _ops.reverse(images, [axis])
        if images.ndim == 3:
            chance = stateless.stateless_uniform([], seed)
            return _ops.select(_ops.less(chance, 0.5), mirrored, images)
        batch = images._sizes()[0]
        chances = _ops.reshape(stateless.stateless_uniform([batch], seed), [batch, 1, 1, 1])
        return _ops.select(_ops.greater(chances, 0.5), mirrored, images)


class RandomCrop(RandomImages):
    """A random part of images in training; otherwise their middle, resized.

    Args:
        height: the rows of the result.
        width: the columns of the result.
        seed: the random seed.

    >>> tf.keras.layers.RandomCrop(4, 6)(tf.ones([2, 10, 8, 3])).shape
    TensorShape([2, 4, 6, 3])
    """

    def __init__(self, height: int, width: int, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(seed, **kwargs)
        self.height = height
        self.width = width

    def call(self, inputs: Any, training: Any = True) -> Any:
        images = conversion.cast(as_tensor(inputs), self._compute_dtype_object)
        rows, columns = images._sizes()[-3:-1]
        down, right = rows - self.height, columns - self.width

        def resize() -> _core.Tensor:
            return conversion.cast(fitted(images, self.height, self.width), images.dtype)

        def crop() -> _core.Tensor:
            drawn = self._random_generator.random_uniform(
                [2], 0, dtypes.int32.max, dtype=dtypes.int32
            )
            corner = _ops.floormod(drawn, [down + 1, right + 1])
            return cropped(images, corner[0], corner[1], self.height, self.width)

        def crop_if_large() -> _core.Tensor:
            if type(down) is int and type(right) is int:
                return resize() if down < 0 or right < 0 else crop()
            return control_flow.cond(
                _ops.reduce_all(_ops.greater_equal([down, right], 0)), crop, resize
            )

        return by_training(training, lambda on: crop_if_large() if on else resize())

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        return resized_shape(input_shape, self.height, self.width)


class RandomContrast(RandomImages):
    """Images of random contrast: distances from each channel's mean are multiplied by a factor.

    Args:
        factor: a share: the multiplier lies between 1 - factor and 1 + factor; or a pair of shares.
        seed: the random seed.

    Raises:
        ValueError: if a share is negative, or the first is above 1.

    >>> tf.keras.layers.RandomContrast(0.2)(tf.ones([2, 4, 4, 3])).shape
    TensorShape([2, 4, 4, 3])
    """

    def __init__(self, factor: Any, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(seed, **kwargs)
        self.factor = factor
        pair = isinstance(factor, (tuple, list))
        self.lower, self.upper = factor if pair else (factor, factor)
        if self.lower < 0.0 or self.upper < 0.0 or self.lower > 1.0:
            raise ValueError(
                "`factor` argument cannot have negative values or values greater than 1."
                f"Received: factor={factor}"
            )

    def _changed(self, images: _core.Tensor) -> _core.Tensor:
        seed = self._random_generator.make_seed_for_stateless_op()
        factor = stateless.stateless_uniform([], seed, 1.0 - self.lower, 1.0 + self.upper)
        mean = _ops.reduce_mean(images, [-3, -2], True)
        factor = _ops.cast(factor, images.dtype)
        changed = _ops.add(_ops.multiply(_ops.subtract(images, mean), factor), mean)
        return _ops.clip_by_value(changed, 0.0, 255.0)


class RandomBrightness(RandomImages):
    """Images of random brightness: a value is added to all pixels.

    Args:
        factor: the value lies between -factor and factor, as a share of the range; or a pair.
        value_range: the smallest and the largest value of images.
        seed: the random seed.

    Raises:
        ValueError: if a share is outside of -1 and 1, or the range is no pair.

    >>> tf.keras.layers.RandomBrightness(0.2)(tf.ones([2, 4, 4, 3])).shape
    TensorShape([2, 4, 4, 3])
    """

    _computes_in_floats = False

    def __init__(
        self, factor: Any, value_range: Any = (0, 255), seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(seed, **kwargs)
        message = (
            "The `factor` argument should be a number (or a list of two numbers) in the range "
            f"[-1.0, 1.0]. Got {factor}"
        )
        if isinstance(factor, (tuple, list)):
            if len(factor) != 2:
                raise ValueError(message)
            self._factor = sorted(factor)
        elif isinstance(factor, (int, float)):
            self._factor = [-abs(factor), abs(factor)]
        else:
            raise ValueError(message)
        if self._factor[0] < -1 or self._factor[1] > 1:
            raise ValueError(message)
        if not isinstance(value_range, (tuple, list)) or len(value_range) != 2:
            raise ValueError(
                f"The `value_range` argument should be a list of two numbers. Got {value_range}"
            )
        self._value_range = sorted(value_range)

    def _changed(self, images: _core.Tensor) -> _core.Tensor:
        low, high = self._value_range
        shape = [1] * images.ndim
        if images.ndim == 4:
            shape[0] = images._sizes()[0]
        delta = self._random_generator.random_uniform(
            shape, minval=self._factor[0], maxval=self._factor[1]
        )
        delta = _ops.cast(_ops.multiply(delta, float(high - low)), images.dtype)
        low, high = (_ops.cast(float(limit), images.dtype) for limit in (low, high))
        return _ops.clip_by_value(_ops.add(images, delta), low, high)


def _pair(value: Any) -> tuple[float, float]:
    """The bounds, in any order, that a number, or a pair of numbers, stands for."""
    low, high = value if isinstance(value, (tuple, list)) else (-value, value)
    return low, high


def limits_of(value: object, name: str) -> tuple[float, float]:
    """The bounds that a number, or a pair of numbers, stands for."""
    low, high = _pair(value)
    if high < low:
        raise ValueError(
            f"`{name}` argument cannot have an upper bound lower than its lower bound. "
            f"Received: {name}={value}"
        )
    return low, high


class Transformation(RandomImages):
    """The base of layers that apply a random affine transformation to images.

    Args:
        fill_mode: what lies beyond the border: "reflect", "wrap", "nearest" or "constant".
        interpolation: "bilinear" or "nearest".
        seed: the random seed.
        fill_value: the constant.

    Raises:
        ValueError: if a share is out of range.
        NotImplementedError: for another fill mode or interpolation.
    """

    def __init__(
        self, fill_mode: str, interpolation: str, seed: int | None, fill_value: float, **kwargs: Any
    ) -> None:
        super().__init__(seed, **kwargs)
        if fill_mode not in FILL_MODES:
            raise NotImplementedError(
                f"Unknown `fill_mode` {fill_mode}. Only `reflect`, `wrap`, `constant` and "
                "`nearest` are supported."
            )
        if interpolation not in INTERPOLATIONS:
            raise NotImplementedError(
                f"Unknown `interpolation` {interpolation}. Only `nearest` and `bilinear` are "
                "supported."
            )
        self.fill_mode = fill_mode
        self.fill_value = fill_value
        self.interpolation = interpolation

    def _coefficients(self, batch: int, rows: int, columns: int) -> list[Any]:
        """The coefficients that `transformed` takes."""
        raise NotImplementedError

    def _draw(self, batch: int, limits: tuple[float, float], plus: float = 0.0) -> _core.Tensor:
        drawn = self._random_generator.random_uniform(
            [batch, 1], minval=plus + limits[0], maxval=plus + limits[1]
        )
        return _ops.squeeze(drawn, [1])

    def _changed(self, images: _core.Tensor) -> _core.Tensor:
        single = images.ndim == 3
        if single:
            images = _ops.expand_dims(images, 0)
        coefficients = self._coefficients(*images._sizes()[:3])
        result = transformed(
            images, coefficients, self.fill_mode, self.fill_value, self.interpolation
        )
        return _ops.squeeze(result, [0]) if single else result


@with_arguments_of(Transformation)
class RandomTranslation(Transformation):
    """Images that are shifted at random.

    Args:
        height_factor: by which share of the height at most, up or down; or a pair of shares.
        width_factor: by which share of the width; or a pair.

    >>> tf.keras.layers.RandomTranslation(0.2, 0.2)(tf.ones([2, 4, 4, 3])).shape
    TensorShape([2, 4, 4, 3])
    """

    def __init__(
        self,
        height_factor: Factor,
        width_factor: Factor,
        fill_mode: str = "reflect",
        interpolation: str = "bilinear",
        seed: int | None = None,
        fill_value: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(fill_mode, interpolation, seed, fill_value, **kwargs)
        self.height_factor = height_factor
        self.width_factor = width_factor
        self._height = limits_of(height_factor, "height_factor")
        self._width = limits_of(width_factor, "width_factor")
        self.height_lower, self.height_upper = self._height
        self.width_lower, self.width_upper = self._width
        for name, limits in (("height_factor", self._height), ("width_factor", self._width)):
            if max(map(abs, limits)) > 1.0:
                raise ValueError(
                    f"`{name}` argument must have values between [-1, 1]. Received: {name}={limits}"
                )

    def _coefficients(self, batch: int, rows: int, columns: int) -> list[_core.Tensor]:
        dy = self._draw(batch, self._height) * as_float(rows)
        dx = self._draw(batch, self._width) * as_float(columns)
        return translation(dx, dy)


@with_arguments_of(Transformation)
class RandomRotation(Transformation):
    """Images that are rotated around their centre at random.

    Args:
        factor: by which share of a full turn at most, in both directions; or a pair of shares.

    >>> tf.keras.layers.RandomRotation(0.2)(tf.ones([2, 4, 4, 3])).shape
    TensorShape([2, 4, 4, 3])
    """

    def __init__(
        self,
        factor: Factor,
        fill_mode: str = "reflect",
        interpolation: str = "bilinear",
        seed: int | None = None,
        fill_value: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(fill_mode, interpolation, seed, fill_value, **kwargs)
        self.factor = factor
        self.lower, self.upper = limits_of(factor, "factor")

    def _coefficients(self, batch: int, rows: int, columns: int) -> list[_core.Tensor]:
        angles = self._random_generator.random_uniform(
            [batch], minval=self.lower * FULL_TURN, maxval=self.upper * FULL_TURN
        )
        return rotation(angles, rows, columns)


@with_arguments_of(Transformation)
class RandomZoom(Transformation):
    """Images that are zoomed at random.

    Args:
        height_factor: a share: of 1 - share to 1 + share times the height is shown; or a pair of
            what is added to 1.
        width_factor: the same for the width; by default that of the height, so that proportions
            stay.

    >>> tf.keras.layers.RandomZoom(0.2)(tf.ones([2, 4, 4, 3])).shape
    TensorShape([2, 4, 4, 3])
    """

    def __init__(
        self,
        height_factor: Factor,
        width_factor: Factor | None = None,
        fill_mode: str = "reflect",
        interpolation: str = "bilinear",
        seed: int | None = None,
        fill_value: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(fill_mode, interpolation, seed, fill_value, **kwargs)
        self.height_factor = height_factor
        self.width_factor = width_factor
        self._height = _pair(height_factor)
        self._width = None if width_factor is None else _pair(width_factor)
        self.height_lower, self.height_upper = self._height
        if self._width is not None:
            self.width_lower, self.width_upper = self._width
        for name, limits in (("height_factor", self._height), ("width_factor", self._width)):
            if limits is not None and min(limits) < -1.0:
                raise ValueError(
                    f"`{name}` argument cannot have values below -1. Received: {name}={limits}"
                )

    def _coefficients(self, batch: int, rows: int, columns: int) -> list[_core.Tensor]:
        tall = self._draw(batch, self._height, 1.0)
        wide = tall if self._width is None else self._draw(batch, self._width, 1.0)
        return zoom(wide, tall, rows, columns)
