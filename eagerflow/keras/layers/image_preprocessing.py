"""Rescaling, cropping and resizing of images, without randomness."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, image
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.arguments import sizes_of
from eagerflow.keras.layers.preprocessing_layer import as_tensor, listed
from eagerflow.keras.layers.upsampling import INTERPOLATIONS
from eagerflow.keras.typing import Config
from eagerflow.ops import control_flow, conversion, loops
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.typing import ShapeLike

_ops = _core.ops


def checked_interpolation(value: str) -> str:
    """The name of an interpolation in lower case.

    Raises:
        NotImplementedError: for an unknown one.
    """
    name = value.lower()
    if name not in INTERPOLATIONS:
        raise NotImplementedError(
            f"Value not recognized for `interpolation`: {name}. Supported values are: "
            f"{list(INTERPOLATIONS)}"
        )
    return name


def cropped(images: Any, top: Any, left: Any, height: Any, width: Any) -> _core.Tensor:
    """A part of images `[..., rows, columns, channels]`."""
    shape = images._sizes()
    before = [0] * (len(shape) - 3)
    return _ops.slice(images, [*before, top, left, 0], [*shape[:-3], height, width, shape[-1]])


def _part_of(size: Any, dividend: int | _core.Tensor, divisor: int) -> int | _core.Tensor:
    """The quotient as an integer, but at most a size; both may be known only when a graph runs."""
    if type(size) is int and type(dividend) is int:
        return min(size, int(float(dividend) / divisor))
    quotient = _ops.cast(dividend, dtypes.float32) / float(divisor)
    return _ops.minimum(size, _ops.cast(quotient, dtypes.int32))


def fitted(images: Any, height: int, width: int, interpolation: str = "bilinear") -> _core.Tensor:
    """Images of a size; the least is cropped that preserves their aspect ratio."""
    rows, columns = images._sizes()[-3:-1]
    crop_height = _part_of(rows, columns * height, width)
    crop_width = _part_of(columns, rows * width, height)
    top, left = (rows - crop_height) // 2, (columns - crop_width) // 2
    part = cropped(images, top, left, crop_height, crop_width)
    return image.resize(part, [height, width], method=interpolation)


def resized_shape(input_shape: Any, height: int | None, width: int | None) -> TensorShape:
    """A shape of images with another height and width."""
    sizes = sizes_of(input_shape)
    sizes[-3:-1] = [height, width]
    return TensorShape(sizes)


class Rescaling(Layer):
    """inputs * scale + offset.

    Args:
        scale: a number, or one for each channel.
        offset: a number, or one for each channel.

    >>> layer = tf.keras.layers.Rescaling(1 / 255)
    >>> layer(np.array([0, 255], np.uint8)).numpy()
    array([0., 1.], dtype=float32)
    """

    _composite_call = "values"

    def __init__(self, scale: Any, offset: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale = scale
        self.offset = offset

    def call(self, inputs: Any) -> Any:
        dtype = self._compute_dtype_object
        x = conversion.cast(as_tensor(inputs), dtype)
        scale = conversion.cast(self.scale, dtype)
        return _ops.add(_ops.multiply(x, scale), conversion.cast(self.offset, dtype))

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        return input_shape

    def get_config(self) -> Config:
        return super().get_config() | {"scale": listed(self.scale), "offset": listed(self.offset)}


class CenterCrop(Layer):
    """The middle of images; smaller ones are enlarged.

    Args:
        height: the rows of the result.
        width: the columns of the result.

    >>> tf.keras.layers.CenterCrop(4, 6)(tf.ones([2, 10, 8, 3])).shape
    TensorShape([2, 4, 6, 3])
    """

    def __init__(self, height: int, width: int, **kwargs: Any) -> None:
        super().__init__(autocast=False, **kwargs)
        self.height = height
        self.width = width

    def call(self, inputs: Any) -> Any:
        x = conversion.cast(as_tensor(inputs), self._compute_dtype_object)
        rows, columns = x._sizes()[-3:-1]
        if type(rows) is int and type(columns) is int:
            fits: Any = rows >= self.height and columns >= self.width
        else:
            fits = _ops.logical_and(
                _ops.greater_equal(rows, self.height), _ops.greater_equal(columns, self.width)
            )

        def crop() -> _core.Tensor:
            top, left = (rows - self.height) // 2, (columns - self.width) // 2
            return cropped(x, top, left, self.height, self.width)

        def resize() -> _core.Tensor:
            return conversion.cast(fitted(x, self.height, self.width), x.dtype)

        if type(fits) is bool:
            return crop() if fits else resize()
        return control_flow.cond(fits, crop, resize)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        return resized_shape(input_shape, self.height, self.width)


class Resizing(Layer):
    """Images resized to a height and width.

    Args:
        height: the rows of the result.
        width: the columns of the result.
        interpolation: "bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5",
            "gaussian" or "mitchellcubic".
        crop_to_aspect_ratio: whether borders are cut off first, so that proportions stay.

    Raises:
        NotImplementedError: for another interpolation.

    >>> tf.keras.layers.Resizing(4, 6)(tf.ones([2, 10, 8, 3])).shape
    TensorShape([2, 4, 6, 3])
    """

    def __init__(
        self,
        height: int,
        width: int,
        interpolation: str = "bilinear",
        crop_to_aspect_ratio: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.height = height
        self.width = width
        self.interpolation = interpolation
        self.crop_to_aspect_ratio = crop_to_aspect_ratio
        self._method = checked_interpolation(interpolation)

    def call(self, inputs: Any) -> Any:
        dtype = self._compute_dtype_object
        x = as_tensor(inputs)
        if x.dtype is not dtype and self._method != "nearest":
            x = conversion.cast(x, dtype)
        if self.crop_to_aspect_ratio and isinstance(x, RaggedTensor):  # each image by itself
            spec = TensorSpec([self.height, self.width, x.shape[-1]], dtype)
            return loops.map_fn(self._fitted, x, fn_output_signature=spec)
        if self.crop_to_aspect_ratio:
            return self._fitted(x)
        x = image.resize(x, [self.height, self.width], method=self._method)
        return conversion.cast(x, dtype)

    def _fitted(self, images: Any) -> _core.Tensor:
        if isinstance(images, RaggedTensor):
            images = images.to_tensor()
        resized = fitted(images, self.height, self.width, self._method)
        return conversion.cast(resized, self._compute_dtype_object)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        return resized_shape(input_shape, self.height, self.width)
