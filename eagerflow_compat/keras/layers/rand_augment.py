"""Shearing, RandAugment and AugMix, as in Keras 3."""

from __future__ import annotations

import random as python_random
from collections.abc import Sequence
from typing import Any

from eagerflow import _core
from eagerflow.image.projective import FILL_MODES, INTERPOLATIONS, transformed
from eagerflow.keras.engine.calls.training_mode import by_training
from eagerflow.keras.layers.image_transform import FULL_TURN, rotation, translation
from eagerflow.keras.layers.random_images import RandomBrightness, RandomContrast
from eagerflow.keras.typing import Factor
from eagerflow.ops.array import pad
from eagerflow.util.arguments import checked_count
from eagerflow_compat.keras import random
from eagerflow_compat.keras.layers.color_augmentation import (
    AutoContrast,
    Equalization,
    RandomColorDegeneration,
    RandomPosterization,
    RandomSharpness,
    Solarization,
)
from eagerflow_compat.keras.layers.image_augmentation import ImageAugmentation, limits

_ops = _core.ops


class _Moving(ImageAugmentation):
    """A layer that applies an affine transformation to images and masks."""

    def __init__(
        self,
        interpolation: str = "bilinear",
        fill_mode: str = "reflect",
        fill_value: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        for name, value, known in (
            ("fill_mode", fill_mode, FILL_MODES),
            ("interpolation", interpolation, INTERPOLATIONS),
        ):
            if value not in known:
                raise NotImplementedError(f"Unknown `{name}` {value}. Expected of one {known}.")
        self.interpolation = interpolation
        self.fill_mode = fill_mode
        self.fill_value = fill_value

    def _moved(self, images: Any, coefficients: Any, interpolation: str) -> _core.Tensor:
        x = self._cast(images)
        if coefficients is None:
            return x
        last = _ops.transpose(x, [0, 2, 3, 1]) if self._is_first else x
        x = transformed(last, coefficients, self.fill_mode, self.fill_value, interpolation)
        return _ops.transpose(x, [0, 3, 1, 2]) if self._is_first else x

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """The moved images."""
        return self._moved(images, transformation if training else None, self.interpolation)

    def transform_segmentation_masks(
        self, segmentation_masks: Any, transformation: Any, training: bool | _core.Tensor = True
    ) -> _core.Tensor:
        """The masks, moved like the images without interpolation."""
        return self._moved(segmentation_masks, transformation if training else None, "nearest")

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: object, training: bool | _core.Tensor = True
    ) -> dict[str, _core.Tensor]:
        """Boxes of sheared images are not supported.

        Raises:
            ValueError: in training.
        """
        if training:
            raise ValueError(
                f"Layer {self.name} moves images in ways that no bounding boxes follow. Move "
                "images with boxes by other layers, or leave the boxes out."
            )
        return bounding_boxes


class RandomShear(_Moving):
    """Images whose rows or columns are sheared.

    Args:
        x_factor: how far at most each row moves, as a share of its index; or a pair of shares.
        y_factor: how far each column moves.
        interpolation: "bilinear" or "nearest".
        fill_mode: what lies beyond the border: "reflect", "wrap", "nearest" or "constant".
        fill_value: the constant.

    Raises:
        ValueError: if a share is out of range.
        NotImplementedError: for another mode or interpolation.

    >>> tf.keras.layers.RandomShear(0.2, 0.2)(tf.ones([2, 4, 4, 3])).shape
    TensorShape([2, 4, 4, 3])
    """

    def __init__(
        self,
        x_factor: Factor = 0.0,
        y_factor: Factor = 0.0,
        interpolation: str = "bilinear",
        fill_mode: str = "reflect",
        fill_value: float = 0.0,
        data_format: str | None = None,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            interpolation, fill_mode, fill_value, data_format=data_format, seed=seed, **kwargs
        )
        self.x_factor = _both_ways(x_factor, "x_factor")
        self.y_factor = _both_ways(y_factor, "y_factor")

    def get_random_transformation(self, data: Any, training: Any = True, seed: Any = None) -> Any:
        """The six coefficients of each image's transformation."""
        shape = [data._sizes()[0], 1]
        dtype = self.compute_dtype
        drawn = self._uniform(shape, (0.0, 1.0), dtype)
        sign = _ops.select(_ops.greater(drawn, 0.5), -_ops.ones_like(drawn), _ops.ones_like(drawn))
        y = _ops.squeeze(self._uniform(shape, self.y_factor, dtype) * sign, [1])
        x = _ops.squeeze(self._uniform(shape, self.x_factor, dtype) * sign, [1])
        ones, zeros = _ops.ones_like(x), _ops.zeros_like(x)
        return [ones, x, zeros, y, ones, zeros]


def _both_ways(factor: float | Sequence[float], name: str) -> tuple[float, float]:
    if isinstance(factor, (int, float)):
        high = limits(factor, 0.0, 1.0, name)[1]
        return -high, high
    # A single number stands for a pair with a negative bound.
    return limits(factor, -1.0, 1.0, name)


class _Shift(_Moving):
    """Images shifted by shares of their sides."""

    def __init__(self, factor: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._limits = factor

    def get_random_transformation(self, data: Any, training: Any = True, seed: Any = None) -> Any:
        batch, rows, columns, _ = self._sizes(data)
        dy = self._uniform([batch], self._limits) * float(rows)
        return translation(self._uniform([batch], self._limits) * float(columns), dy)


class _Turn(_Moving):
    """Images rotated by shares of a full turn."""

    def __init__(self, factor: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._limits = factor

    def get_random_transformation(self, data: Any, training: Any = True, seed: Any = None) -> Any:
        batch, rows, columns, _ = self._sizes(data)
        return rotation(self._uniform([batch], self._limits) * FULL_TURN, rows, columns)


# How often an image may be changed, which files of models say, too.
_MOST_REPETITIONS = 1000


class _Several(ImageAugmentation):
    """The base of RandAugment and AugMix: many kinds of changes with one strength."""

    def __init__(
        self,
        value_range: Any,
        factor: Factor,
        interpolation: str,
        seed: int | None,
        data_format: str | None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, seed=seed, **kwargs)
        self.value_range = value_range
        self.factor = limits(factor, 0, 1)
        self.interpolation = interpolation
        moving: dict[str, Any] = {
            "interpolation": interpolation,
            "seed": seed,
            "data_format": self.data_format,
        }
        coloring: dict[str, Any] = {
            "value_range": value_range,
            "seed": seed,
            "data_format": self.data_format,
        }
        bits = max(1, int(8 * self.factor[1]))
        self._moves = [
            RandomShear(self.factor, self.factor, **moving),
            _Shift(self.factor, **moving),
            _Turn(self.factor, **moving),
        ]
        self._colorings: list[Any] = [
            RandomPosterization(bits, **coloring),
            Solarization(self.factor, self.factor, value_range, seed, data_format=self.data_format),
            AutoContrast(value_range, data_format=self.data_format),
            Equalization(value_range, data_format=self.data_format),
        ]
        self._more: list[Any] = [
            RandomBrightness(self.factor, value_range, seed),
            RandomColorDegeneration(self.factor, **coloring),
            RandomContrast(self.factor, seed),
            RandomSharpness(self.factor, **coloring),
        ]

    def _apply(self, layer: Any, images: _core.Tensor, masks: Any) -> tuple[Any, Any]:
        """Images, and masks if there are any, changed in the same way."""
        if not isinstance(layer, ImageAugmentation):
            if self._is_first:
                images = _ops.transpose(images, [0, 2, 3, 1])
                return _ops.transpose(layer(images, training=True), [0, 3, 1, 2]), masks
            return layer(images, training=True), masks
        drawn = layer.get_random_transformation(images)
        if masks is not None:
            masks = layer.transform_segmentation_masks(masks, drawn)
        return layer.transform_images(images, drawn), masks

    def call(self, inputs: Any, training: Any = True) -> Any:
        """The changed images, in a dictionary with their masks if they came in one."""
        if isinstance(training, _core.Tensor):
            return by_training(training, lambda on: self.call(inputs, on))
        named = isinstance(inputs, dict)
        pixels = inputs["images"] if named else inputs
        batch, single = self._batch(pixels)
        images, masks = self._cast(batch), None
        if named and "segmentation_masks" in inputs:
            masks = self._cast(self._whole(inputs["segmentation_masks"], single))
        if training:
            images, masks = self._changed(images, masks)
        images = _ops.squeeze(images, [0]) if single else images
        if not named:
            return images
        result = {**inputs, "images": images}
        if masks is not None:
            result["segmentation_masks"] = _ops.squeeze(masks, [0]) if single else masks
        return result

    def _changed(self, images: _core.Tensor, masks: _core.Tensor | None) -> tuple[Any, Any]:
        raise NotImplementedError


class RandAugment(_Several):
    """Images changed in some of eleven ways, one after another, which are drawn for each batch.

    Cubuk et al., "RandAugment: practical automated data augmentation" (2019).

    Args:
        value_range: the least and largest value of images.
        num_ops: how many changes.
        factor: their strength, from 0 to 1, or a pair between which it is drawn.
        interpolation: "bilinear" or "nearest".

    >>> tf.keras.layers.RandAugment()(tf.ones([2, 4, 4, 3])).shape
    TensorShape([2, 4, 4, 3])
    """

    def __init__(
        self,
        value_range: Any = (0, 255),
        num_ops: int = 2,
        factor: Factor = 0.5,
        interpolation: str = "bilinear",
        seed: int | None = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(value_range, factor, interpolation, seed, data_format, **kwargs)
        self.num_ops = checked_count("num_ops", num_ops, _MOST_REPETITIONS)

    def _changed(self, images: _core.Tensor, masks: _core.Tensor | None) -> tuple[Any, Any]:
        ways = [*self._moves, *self._more, *self._colorings]
        drawn = random.randint((self.num_ops,), 0, len(ways), seed=self.generator)
        for index in drawn.numpy().tolist():
            images, masks = self._apply(ways[index], images, masks)
        return images, masks


class AugMix(_Several):
    """Images mixed with weighted sums of themselves, each changed in several ways.

    Hendrycks et al., "AugMix: a simple data processing method to improve robustness and
    uncertainty" (ICLR 2020).

    Args:
        value_range: the least and largest value of images.
        num_chains: how many changed versions are summed.
        chain_depth: how many changes each of them has at most.
        factor: their strength, from 0 to 1, or a pair between which it is drawn.
        alpha: the parameter of the distributions that weights come from.
        all_ops: whether brightness, colour, contrast and sharpness change as well.
        interpolation: "bilinear" or "nearest".

    >>> tf.keras.layers.AugMix()(tf.ones([2, 4, 4, 3])).shape
    TensorShape([2, 4, 4, 3])
    """

    def __init__(
        self,
        value_range: Any = (0, 255),
        num_chains: int = 3,
        chain_depth: int = 3,
        factor: Factor = 0.3,
        alpha: float = 1.0,
        all_ops: bool = True,
        interpolation: str = "bilinear",
        seed: int | None = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(value_range, factor, interpolation, seed, data_format, **kwargs)
        self.num_chains = checked_count("num_chains", num_chains, _MOST_REPETITIONS)
        self.chain_depth = checked_count("chain_depth", chain_depth, _MOST_REPETITIONS)
        self.alpha = alpha
        self.all_ops = all_ops
        self._choices = python_random.Random(seed) if seed is not None else python_random

    def _changed(self, images: Any, masks: Any) -> tuple[Any, Any]:
        weights = random.gamma((self.num_chains,), self.alpha, seed=self.generator)
        shares = (weights / _ops.reduce_sum(weights)).numpy().tolist()
        kept = float(random.beta((), self.alpha, self.alpha, seed=self.generator))
        ways = [*self._moves, *self._colorings, *(self._more if self.all_ops else ()), None]
        sums: list[Any] = [
            _ops.zeros_like(images),
            None if masks is None else _ops.zeros_like(masks),
        ]
        for share in shares:
            one: tuple[_core.Tensor, _core.Tensor | None] = (images, masks)
            for _ in range(self.chain_depth):
                way = self._choices.choice(ways)
                if way is not None:
                    one = self._apply(way, *one)
            sums = [None if x is None else x + y * share for x, y in zip(sums, one, strict=True)]
        low, high = map(float, self.value_range)
        images = _ops.clip_by_value(images * kept + sums[0] * (1.0 - kept), low, high)
        return images, None if masks is None else masks * kept + sums[1] * (1.0 - kept)


class MaxNumBoundingBoxes(ImageAugmentation):
    """Boxes and their labels, truncated or padded to a fixed count.

    Args:
        max_number: the count.
        fill_value: the value of padding.
        **kwargs: `bounding_box_format`, `name`, …

    >>> layer = tf.keras.layers.MaxNumBoundingBoxes(3, bounding_box_format="xyxy")
    >>> boxes = {"boxes": tf.ones([2, 1, 4]), "labels": tf.ones([2, 1])}
    >>> padded = layer({"images": tf.ones([2, 4, 4, 3]), "bounding_boxes": boxes})
    >>> padded["bounding_boxes"]["boxes"].shape
    TensorShape([2, 3, 4])
    """

    _draws = False

    def __init__(self, max_number: int, fill_value: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.max_number = int(max_number)
        self.fill_value = int(fill_value)

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """The images as they are."""
        return images

    def transform_bounding_boxes(
        self, bounding_boxes: dict[str, _core.Tensor], transformation: Any, training: bool = True
    ) -> dict[str, _core.Tensor]:
        """The padded or truncated boxes and labels."""
        result = dict(bounding_boxes)
        for name in ("boxes", "labels"):
            part = bounding_boxes[name][:, : self.max_number]
            more = self.max_number - part._sizes()[1]
            around = [[0, 0], [0, more]] + [[0, 0]] * (part.ndim - 2)
            result[name] = pad(part, around, constant_values=self.fill_value)
        return result
