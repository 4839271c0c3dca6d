"""Larger sequences, images and volumes by repetition or interpolation."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, image
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.arguments import data_format_of, integers, sizes_of
from eagerflow.keras.typing import LayerOptions, Unpack
from eagerflow.typing import ShapeLike

_ops = _core.ops
INTERPOLATIONS = (
    "area",
    "bicubic",
    "bilinear",
    "gaussian",
    "lanczos3",
    "lanczos5",
    "mitchellcubic",
    "nearest",
)


def repeated(inputs: Any, times: dict[int, int]) -> _core.Tensor:
    """A tensor whose entries are repeated along axes."""
    spread, counts, sizes = [], [], []
    for axis, size in enumerate(inputs._sizes()):
        count = times.get(axis, 1)
        spread.append(size)
        counts.append(1)
        if count > 1:
            spread.append(1)
            counts.append(count)
        sizes.append(size * count)
    return _ops.reshape(_ops.tile(_ops.reshape(inputs, spread), counts), sizes)


class _UpSampling(Layer):
    """Each entry, several times along the spatial axes."""

    _rank: int

    def __init__(self, size: object, data_format: str | None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format_of(data_format)
        self.size = integers(size, self._rank, "size")
        self.input_spec = InputSpec(ndim=self._rank + 2)
        start = 2 if self.data_format == "channels_first" else 1
        self._times = {start + axis: count for axis, count in enumerate(self.size)}

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        return repeated(inputs, self._times)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        return TensorShape(
            [
                None if size is None else size * self._times.get(axis, 1)
                for axis, size in enumerate(sizes_of(input_shape))
            ]
        )


class UpSampling1D(_UpSampling):
    """Repeats the steps of sequences `[batch, steps, channels]`.

    Args:
        size: how often each step.

    >>> x = tf.constant([1.0, 2.0])[tf.newaxis, :, tf.newaxis]
    >>> tf.keras.layers.UpSampling1D()(x).numpy().reshape(-1)
    array([1., 1., 2., 2.], dtype=float32)
    """

    _rank = 1

    def __init__(self, size: int = 2, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(int(size), "channels_last", **kwargs)
        self.size = int(size)  # type: ignore[assignment]


class UpSampling2D(_UpSampling):
    """Images enlarged by integer factors.

    Args:
        size: how often each row and column: one number or two.
        interpolation: "nearest", "bilinear", "bicubic", "area", "gaussian", "lanczos3",
            "lanczos5" or "mitchellcubic".

    Raises:
        NotImplementedError: for another interpolation.

    >>> tf.keras.layers.UpSampling2D((2, 3))(tf.ones([1, 4, 4, 2])).shape
    TensorShape([1, 8, 12, 2])
    """

    _rank = 2

    def __init__(
        self,
        size: object = (2, 2),
        data_format: str | None = None,
        interpolation: str = "nearest",
        **kwargs: Unpack[LayerOptions],
    ) -> None:
        super().__init__(size, data_format, **kwargs)
        if interpolation not in INTERPOLATIONS:
            raise NotImplementedError(
                "`interpolation` argument should be one of: "
                f'"{", ".join(INTERPOLATIONS)}". Received: "{interpolation}".'
            )
        self.interpolation = interpolation

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        if self.interpolation == "nearest":
            return repeated(inputs, self._times)
        first = self.data_format == "channels_first"
        x = _ops.transpose(inputs, [0, 2, 3, 1]) if first else inputs
        rows, columns = x._sizes()[1:3]
        sizes = [rows * self.size[0], columns * self.size[1]]
        x = image.resize(x, sizes, method=self.interpolation)
        return _ops.transpose(x, [0, 3, 1, 2]) if first else x


class UpSampling3D(_UpSampling):
    """Volumes enlarged by repetition.

    Args:
        size: how often each plane, row and column: one number or three.

    >>> tf.keras.layers.UpSampling3D()(tf.ones([1, 2, 2, 2, 3])).shape
    TensorShape([1, 4, 4, 4, 3])
    """

    _rank = 3

    def __init__(
        self, size: object = (2, 2, 2), data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(size, data_format, **kwargs)
