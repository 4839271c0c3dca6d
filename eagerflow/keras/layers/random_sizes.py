"""Images of a random height or width while a model is trained."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, image
from eagerflow.framework import dtypes
from eagerflow.keras.layers.arguments import sizes_of
from eagerflow.keras.layers.image_preprocessing import checked_interpolation, resized_shape
from eagerflow.keras.layers.random_images import RandomImages, limits_of
from eagerflow.ops import conversion
from eagerflow.typing import ShapeLike

_ops = _core.ops


class _RandomSize(RandomImages):
    """Images whose height or width changes at random."""

    _axis: int  # the one that changes: -3 or -2

    def __init__(
        self, factor: Any, interpolation: str = "bilinear", seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(seed, **kwargs)
        self.factor = factor
        self._range = limits_of(factor, "factor")
        if self._range[0] < -1.0:
            raise ValueError(f"`factor` cannot have values below -1. Received: factor={factor}")
        self.interpolation = interpolation
        self._method = checked_interpolation(interpolation)

    def _size(self, size: int | _core.Tensor) -> _core.Tensor:
        low, high = self._range
        drawn = self._random_generator.random_uniform([], minval=1.0 + low, maxval=1.0 + high)
        return _ops.cast(drawn * _ops.cast(size, dtypes.float32), dtypes.int32)

    def _changed(self, images: _core.Tensor) -> _core.Tensor:
        sizes = list(images._sizes()[-3:-1])
        sizes[self._axis + 3] = self._size(sizes[self._axis + 3])
        resized = image.resize(images, sizes, method=self._method)
        return conversion.cast(resized, images.dtype)

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        sizes = list(sizes_of(input_shape)[-3:-1])
        sizes[self._axis + 3] = None
        return resized_shape(input_shape, *sizes)


class RandomHeight(_RandomSize):
    """Images of a random height.

    Args:
        factor: a share: the height is 1 - share to 1 + share times what it was; or a pair of what
            is added to 1.
        interpolation: see `Resizing`.
        seed: the random seed.

    >>> tf.keras.layers.RandomHeight(0.0)(tf.ones([2, 4, 4, 3])).shape
    TensorShape([2, 4, 4, 3])
    """

    _axis = -3

    @property
    def height_lower(self) -> float:
        """What is added to 1 at least."""
        return self._range[0]

    @property
    def height_upper(self) -> float:
        """What is added to 1 at most."""
        return self._range[1]


class RandomWidth(_RandomSize):
    """Images of a random width.

    Args:
        factor: a share: the width is 1 - share to 1 + share times what it was; or a pair of what
            is added to 1.
        interpolation: see `Resizing`.
        seed: the random seed.

    >>> tf.keras.layers.RandomWidth(0.0)(tf.ones([2, 4, 4, 3])).shape
    TensorShape([2, 4, 4, 3])
    """

    _axis = -2

    @property
    def width_lower(self) -> float:
        """What is added to 1 at least."""
        return self._range[0]

    @property
    def width_upper(self) -> float:
        """What is added to 1 at most."""
        return self._range[1]
