"""MixUp, CutMix and random erasing, as in Keras 3."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.keras.typing import Factor
from eagerflow.ops import conversion
from eagerflow_compat.keras import random
from eagerflow_compat.keras.layers.image_augmentation import ImageAugmentation, limits

_ops = _core.ops


def _mixed(values: _core.Tensor, drawn: Any) -> _core.Tensor:
    """Each image's values and its partner's, by the drawn weights."""
    weight = _ops.reshape(drawn["mix_weight"], [-1] + [1] * (values.ndim - 1))
    weight = conversion.cast(weight, values.dtype)
    others = _ops.gather(values, drawn["permutation_order"], 0, 0)
    return weight * values + (1.0 - weight) * others


class MixUp(ImageAugmentation):
    """Weighted means of pairs of images, and of their labels.

    Zhang et al., "mixup: beyond empirical risk minimization" (ICLR 2018).

    Args:
        alpha: both parameters of the beta distribution that weights come from.

    >>> x = {"images": tf.ones([2, 4, 4, 3]), "labels": tf.eye(2)}
    >>> tf.keras.layers.MixUp()(x)["labels"].shape
    TensorShape([2, 2])
    """

    def __init__(
        self,
        alpha: float = 0.2,
        data_format: str | None = None,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, seed=seed, **kwargs)
        self.alpha = alpha

    def get_random_transformation(self, data: Any, training: Any = True, seed: Any = None) -> Any:
        """Each image's partner, and the share that it keeps itself."""
        batch = data._sizes()[0]
        order = random.shuffle(_ops.range(0, batch, 1), seed=self.generator)
        weight = random.beta((batch,), self.alpha, self.alpha, seed=self.generator)
        return {"mix_weight": weight, "permutation_order": order}

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """The mixed images."""
        return _mixed(self._cast(images), transformation) if training else images

    def transform_labels(self, labels: Any, transformation: Any, training: bool = True) -> Any:
        """The mixed labels."""
        return _mixed(self._cast(labels), transformation) if training else labels

    def transform_segmentation_masks(
        self, segmentation_masks: _core.Tensor, transformation: Any, training: bool = True
    ) -> _core.Tensor:
        """The mixed masks."""
        if not training:
            return segmentation_masks
        return _mixed(self._cast(segmentation_masks), transformation)

    def transform_bounding_boxes(
        self, bounding_boxes: dict[str, _core.Tensor], transformation: Any, training: bool = True
    ) -> dict[str, _core.Tensor]:
        """The boxes of both images."""
        if not training:
            return bounding_boxes
        order = transformation["permutation_order"]
        axes = {"boxes": 1, "labels": 0}
        return {
            name: _ops.concat([part, _ops.gather(part, order, 0, 0)], axes.get(name, 0))
            for name, part in bounding_boxes.items()
        }


class _Boxes(ImageAugmentation):
    """A layer that draws a box in each image."""

    def _bounds(self, batch: int, length: int, share: _core.Tensor) -> tuple[Any, Any]:
        """The bounds along a side of boxes that cover a share of it."""
        size = self._cast(share * float(length))
        start = self._uniform([batch], (0.0, 1.0), self.compute_dtype) * (float(length) - size)
        return start, start + size

    def _inside(self, images: _core.Tensor, columns: Any, rows: Any) -> _core.Tensor:
        """Which pixels are in the box, `[batch, rows, columns, 1]` or with channels first."""
        _, height, width, _ = self._sizes(images)

        def between(length: int, bounds: Any, axis: int) -> _core.Tensor:
            shape = [1, 1, 1, 1]
            shape[axis] = length
            indices = _ops.reshape(self._cast(_ops.range(0, length, 1)), shape)
            start, stop = (_ops.reshape(bound, [-1, 1, 1, 1]) for bound in bounds)
            return _ops.logical_and(_ops.greater_equal(indices, start), _ops.less(indices, stop))

        axis = 2 if self._is_first else 1
        return _ops.logical_and(between(width, columns, axis + 1), between(height, rows, axis))


class CutMix(_Boxes):
    """Images in which a box shows another image; labels are mixed by the box's share.

    Yun et al., "CutMix: regularization strategy to train strong classifiers" (ICCV 2019).

    Args:
        factor: both parameters of the beta distribution that shares come from, or a pair between
            which they are drawn.

    >>> x = {"images": tf.ones([2, 4, 4, 3]), "labels": tf.eye(2)}
    >>> tf.keras.layers.CutMix()(x)["images"].shape
    TensorShape([2, 4, 4, 3])
    """

    def __init__(
        self,
        factor: Factor = 1.0,
        seed: int | None = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, seed=seed, **kwargs)
        self.factor = limits(factor, 0, 1)

    def get_random_transformation(self, data: Any, training: Any = True, seed: Any = None) -> Any:
        """Each image's partner, the box, and the share that the image keeps."""
        batch, height, width, _ = self._sizes(data)
        alpha = self._uniform((), self.factor, self.compute_dtype) + 1e-6
        kept = random.beta((batch,), alpha, alpha, self.compute_dtype, self.generator)
        share = _ops.sqrt(1.0 - kept)
        columns = self._bounds(batch, width, share)
        rows = self._bounds(batch, height, share)
        order = random.shuffle(_ops.range(0, batch, 1), seed=self.generator)
        covered = (columns[1] - columns[0]) * (rows[1] - rows[0]) / float(width * height)
        return {
            "permutation_order": order,
            "batch_masks": self._inside(data, columns, rows),
            "mix_weight": 1.0 - covered,
        }

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """The images with boxes from others."""
        images = self._cast(images)
        if not training:
            return images
        others = _ops.gather(images, transformation["permutation_order"], 0, 0)
        return _ops.select(transformation["batch_masks"], others, images)

    def transform_segmentation_masks(
        self, segmentation_masks: _core.Tensor, transformation: Any, training: bool = True
    ) -> _core.Tensor:
        """The masks with boxes from others."""
        return self.transform_images(segmentation_masks, transformation, training)

    def transform_labels(self, labels: Any, transformation: Any, training: bool = True) -> Any:
        """The labels, mixed by the boxes' shares."""
        return _mixed(self._cast(labels), transformation) if training else labels

    def transform_bounding_boxes(
        self, bounding_boxes: dict[str, _core.Tensor], transformation: Any, training: bool = True
    ) -> dict[str, _core.Tensor]:
        """Boxes are not supported.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            "CutMix shows parts of two images at once, for which boxes cannot be told."
        )


class RandomErasing(_Boxes):
    """Images in which a box is filled, with a probability.

    Zhong et al., "Random erasing data augmentation" (AAAI 2020).

    Args:
        factor: the probability, or a pair between which it is drawn.
        scale: the share of the image that the box takes, as a pair of bounds.
        fill_value: what boxes are filled with, a number or one for each channel; None: noise.
        value_range: the least and largest value of images.

    >>> tf.keras.layers.RandomErasing(fill_value=0)(tf.ones([2, 4, 4, 3])).shape
    TensorShape([2, 4, 4, 3])
    """

    def __init__(
        self,
        factor: Factor = 1.0,
        scale: Any = (0.02, 0.33),
        fill_value: Any = None,
        value_range: Any = (0, 255),
        seed: int | None = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, seed=seed, **kwargs)
        self.factor = limits(factor, 0, 1)
        self.scale = limits(scale, 0, 1, "scale")
        self.fill_value = fill_value
        self.value_range = value_range

    def get_random_transformation(self, data: Any, training: Any = True, seed: Any = None) -> Any:
        """Which images get a box, the box, and its contents."""
        batch, height, width, _ = self._sizes(data)
        share = _ops.sqrt(self._uniform((batch, 2), self.scale, self.compute_dtype))
        wide, high = _ops.unstack(share, 2, 1)
        columns = self._bounds(batch, width, wide)
        rows = self._bounds(batch, height, high)
        chance = self._uniform((batch,), self.factor)
        chosen = _ops.less(self._uniform((batch,), (0.0, 1.0)), chance)
        return {
            "apply_erasing": chosen,
            "batch_masks": self._inside(data, columns, rows),
            "fill_value": self._filling(data),
        }

    def _filling(self, images: _core.Tensor) -> _core.Tensor:
        low, high = map(float, self.value_range)
        if self.fill_value is None:
            noise = random.normal(images._sizes(), dtype=self.compute_dtype, seed=self.generator)
            return _ops.clip_by_value(noise * high, low, high)
        filling = self._cast(_core.convert(self.fill_value, dtypes.float32, None))
        return _ops.clip_by_value(filling, low, high)

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        """The images, some of them with a box."""
        images = self._cast(images)
        if not training:
            return images
        chosen = _ops.reshape(transformation["apply_erasing"], [-1, 1, 1, 1])
        erased = _ops.logical_and(chosen, transformation["batch_masks"])
        return _ops.select(erased, transformation["fill_value"], images)
