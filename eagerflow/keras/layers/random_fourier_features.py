"""Random features that make linear models of kernels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras import initializers
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.typing import Config, InitializerLike
from eagerflow.ops import conversion

_ops = _core.ops
_KERNELS = ("gaussian", "laplacian")


class RandomFourierFeatures(Layer):
    """cos(inputs @ kernel / scale + bias), with a random kernel and bias (Rahimi and Recht, 2007).

    Scalar products of the features, times `2 / output_dim`, approximate a function of the distance
    of their inputs.

    Args:
        output_dim: the number of features.
        kernel_initializer: "gaussian" for `exp(-distance² / (2 scale²))`, "laplacian" for
            `exp(-|distance| / scale)`, or an initializer for the kernel `[size, output_dim]`.
        scale: a positive number; by default `sqrt(size / 2)` for "gaussian", else 1.
        trainable: whether the scale is a trainable weight.
        **kwargs: `dtype`, `input_shape`, …

    Raises:
        ValueError: if a number is not positive, for another kernel, and for inputs that are no
            matrix.

    >>> layer = tf.keras.layers.experimental.RandomFourierFeatures(5, scale=2.0)
    >>> layer(tf.ones([2, 3])).shape
    TensorShape([2, 5])
    """

    def __init__(
        self,
        output_dim: int,
        kernel_initializer: InitializerLike = "gaussian",
        scale: float | None = None,
        trainable: bool = False,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if output_dim <= 0:
            raise ValueError(
                f"`output_dim` should be a positive integer. Received: output_dim={output_dim}"
            )
        if isinstance(kernel_initializer, str) and kernel_initializer.lower() not in _KERNELS:
            raise ValueError(
                f"Unsupported `kernel_initializer`: {kernel_initializer}. Expected one of: "
                f"{list(_KERNELS)}"
            )
        if scale is not None and scale <= 0.0:
            raise ValueError(
                f"When provided, `scale` should be a positive float. Received: scale={scale}"
            )
        super().__init__(trainable=trainable, name=name, **kwargs)
        self.output_dim = output_dim
        self.kernel_initializer = kernel_initializer
        self.scale = scale

    def build(self, input_shape: TensorShape) -> None:
        size = _last_of(input_shape)
        self.input_spec = InputSpec(ndim=2, axes={1: size})
        configured = self.kernel_initializer
        kind = configured.lower() if isinstance(configured, str) else None
        self.unscaled_kernel = self.add_weight(
            name="unscaled_kernel",
            shape=(size, self.output_dim),
            dtype=dtypes.float32,
            initializer=self._initializer(kind, (size, self.output_dim)),
            trainable=False,
        )
        self.bias = self.add_weight(
            name="bias",
            shape=(self.output_dim,),
            dtype=dtypes.float32,
            initializer=initializers.RandomUniform(minval=0.0, maxval=2 * math.pi),
            trainable=False,
        )
        if self.scale is None:
            self.scale = math.sqrt(size / 2.0) if kind == "gaussian" else 1.0
        self.kernel_scale = self.add_weight(
            name="kernel_scale",
            shape=(1,),
            dtype=dtypes.float32,
            initializer=initializers.Constant(self.scale),
            trainable=True,
            constraint="NonNeg",
        )
        Layer.build(self, input_shape)

    def _initializer(self, kind: str | None, shape: tuple[int, int]) -> Any:
        if kind == "gaussian":
            return initializers.RandomNormal(stddev=1.0)
        if kind == "laplacian":
            shares = np.random.uniform(low=0.0, high=1.0, size=shape)
            return initializers.Constant(np.tan(np.pi * (shares - 0.5)))
        return self.kernel_initializer

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        inputs = conversion.cast(inputs, dtypes.float32)
        kernel = _ops.multiply(_ops.divide_real(1.0, self.kernel_scale), self.unscaled_kernel)
        return _ops.cos(_ops.add(_ops.matmul(inputs, kernel), self.bias))

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        _last_of(input_shape)
        return TensorShape([TensorShape(input_shape)[0], self.output_dim])

    def get_config(self) -> Config:
        kernel = self.kernel_initializer
        if not isinstance(kernel, str):
            kernel = initializers.serialize(initializers.get(kernel))
        return super().get_config() | {"kernel_initializer": kernel}


def _last_of(shape: TensorShape) -> int:
    """The number of columns of a matrix."""
    shape = TensorShape(shape)
    if shape.rank != 2:
        raise ValueError(f"The rank of the input tensor should be 2. Received: input_shape={shape}")
    size = shape[1]
    if size is None:
        raise ValueError(
            "The last dimension of the input tensor should be defined. Found None. "
            f"Received: input_shape={shape}"
        )
    return size
