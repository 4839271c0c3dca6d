"""The base of Keras 3's layers that augment images with their labels, masks and boxes."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.keras.engine.calls.training_mode import by_training
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.arguments import data_format_of
from eagerflow.ops import conversion
from eagerflow_compat.keras import random

_ops = _core.ops
# Other entries of a dictionary with images; each is transformed by a method of its own.
_COMPANIONS = ("bounding_boxes", "labels", "segmentation_masks")


class ImageAugmentation(Layer):
    """A layer for `[rows, columns, channels]`, a batch of these, or a dictionary with "images".

    A dictionary may also hold "labels", "segmentation_masks" and "bounding_boxes". Random
    values are drawn once for all of them, by `get_random_transformation`.

    Args:
        bounding_box_format: the format of boxes; kept for the configuration.
    """

    _draws = True

    def __init__(
        self,
        bounding_box_format: str | None = None,
        data_format: str | None = None,
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(autocast=False, **kwargs)
        self.bounding_box_format = bounding_box_format
        self.data_format = data_format_of(data_format)
        if self._draws:
            self.seed = seed
            self.generator = random.SeedGenerator(seed)

    @property
    def _is_first(self) -> bool:
        return self.data_format == "channels_first"

    def call(self, inputs: Any, training: bool = True) -> Any:
        """The changed images, in a dictionary if they came in one."""
        if isinstance(training, _core.Tensor):
            return by_training(training, lambda on: self.call(inputs, on))
        if not isinstance(inputs, dict):
            batch, single = self._batch(inputs)
            images = self.transform_images(batch, self._drawn(batch, training), training)
            return _ops.squeeze(images, [0]) if single else images
        result = dict(inputs)
        batch, single = self._batch(inputs["images"])
        drawn = self._drawn(batch, training)
        changed = {"images": self.transform_images(batch, drawn, training)}
        for name in _COMPANIONS:
            if name in inputs:
                value = inputs[name]
                if name == "bounding_boxes":
                    if not self.bounding_box_format:
                        raise ValueError(
                            "You passed an input with a 'bounding_boxes' key, but you didn't "
                            "specify a bounding box format. Pass a `bounding_box_format` argument "
                            f"to your {type(self).__name__} layer, e.g. "
                            "`bounding_box_format='xyxy'`."
                        )
                    parts = {
                        key: self._whole(part, single and key == "boxes")
                        for key, part in value.items()
                    }
                    boxes = self.transform_bounding_boxes(parts, drawn, training)
                    result[name] = {
                        key: _ops.squeeze(part, [0]) if single and key == "boxes" else part
                        for key, part in boxes.items()
                    }
                    continue
                function = getattr(self, f"transform_{name}")
                changed[name] = function(self._whole(value, single), drawn, training)
        for name, value in changed.items():
            result[name] = _ops.squeeze(value, [0]) if single else value
        return result

    def _drawn(self, images: _core.Tensor, training: bool | _core.Tensor) -> Any:
        return self.get_random_transformation(images, training=training) if training else None

    def _batch(self, images: _core.Tensor) -> tuple[_core.Tensor, bool]:
        images = _core.as_tensor(images)
        if images.ndim not in (3, 4):
            raise ValueError(
                "Expected image tensor to have rank 3 (single image) or 4 (batch of images). "
                f"Received: data.shape={tuple(images.shape)}"
            )
        return (_ops.expand_dims(images, 0), True) if images.ndim == 3 else (images, False)

    def _whole(self, value: Any, single: bool) -> _core.Tensor:
        value = _core.as_tensor(value)
        return _ops.expand_dims(value, 0) if single else value

    def get_random_transformation(self, data: Any, training: Any = True, seed: Any = None) -> Any:
        """The random values by which images, labels, masks and boxes of one call are changed."""
        return None

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """The batch of images after the change."""
        raise NotImplementedError(f"{type(self).__name__} must define `transform_images`.")

    def transform_labels(self, labels: Any, transformation: Any, training: bool = True) -> Any:
        """The labels after the change."""
        return labels

    def transform_segmentation_masks(
        self, segmentation_masks: _core.Tensor, transformation: Any, training: bool = True
    ) -> _core.Tensor:
        """The masks after the change."""
        return segmentation_masks

    def transform_bounding_boxes(
        self, bounding_boxes: dict[str, _core.Tensor], transformation: Any, training: bool = True
    ) -> dict[str, _core.Tensor]:
        """The boxes after the change."""
        return bounding_boxes

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The inputs' shape."""
        return input_shape

    def _cast(self, images: _core.Tensor) -> _core.Tensor:
        return conversion.cast(images, self.compute_dtype)

    def _uniform(self, shape: Any, limits: Any, dtype: str | None = None) -> _core.Tensor:
        return random.uniform(shape, limits[0], limits[1], dtype=dtype, seed=self.generator)

    def _sizes(self, images: _core.Tensor) -> tuple[int, int, int, int]:
        """The counts of images, rows, columns and channels."""
        shape = images._sizes()
        if self._is_first:
            return shape[0], shape[2], shape[3], shape[1]
        return shape

    def get_config(self) -> dict[str, Any]:
        """The arguments that make a layer like this one."""
        config = super().get_config()
        if self.bounding_box_format is not None:
            config["bounding_box_format"] = self.bounding_box_format
        config["data_format"] = self.data_format
        if self._draws:
            config["seed"] = self.seed
        return config


def limits(factor: object, low: float, high: float, name: str = "factor") -> tuple[float, float]:
    """The bounds that a number, or a pair of numbers, stands for.

    Raises:
        ValueError: unless they are in the range.
    """
    message = (
        f"The `{name}` argument should be a number (or a list of two numbers) in the range "
        f"[{low}, {high}]. Received: {name}={factor}"
    )
    if isinstance(factor, (tuple, list)):
        if len(factor) != 2 or factor[0] > high or factor[1] < low:
            raise ValueError(message)
        first, second = sorted(factor)
        return first, second
    if not isinstance(factor, (int, float)) or not low <= factor <= high:
        raise ValueError(message)
    return max(-abs(factor), low), abs(factor)


def range_of(value_range: Any) -> list[float]:
    """The least and the largest value of images.

    Raises:
        ValueError: unless there are two.
    """
    if not isinstance(value_range, (tuple, list)) or len(value_range) != 2:
        raise ValueError(
            "The `value_range` argument should be a list of two numbers. Received: "
            f"value_range={value_range}"
        )
    return sorted(value_range)


def rescaled(images: _core.Tensor, old: Any, new: Any) -> _core.Tensor:
    """Images whose values are in another range."""
    if tuple(old) == tuple(new):
        return images
    return (images - old[0]) / (old[1] - old[0]) * (new[1] - new[0]) + new[0]
