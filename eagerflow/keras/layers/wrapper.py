"""The base of layers around another layer, and spectral normalization."""

from __future__ import annotations

import copy
from typing import Any

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras import initializers
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.calls.training_mode import by_training
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.saving import serialization
from eagerflow.keras.typing import Config, CustomObjects
from eagerflow.ops.linalg import products as linalg
from eagerflow.typing import ShapeLike
from eagerflow.util.arguments import checked_count

_ops = _core.ops


class Wrapper(Layer):
    """A layer around another one, which is `self.layer`.

    Args:
        layer: the layer.

    >>> class Doubled(tf.keras.layers.Wrapper):
    ...     def call(self, inputs):
    ...         return 2 * self.layer(inputs)
    >>> Doubled(tf.keras.layers.Flatten())(tf.ones([2, 3])).shape
    TensorShape([2, 3])
    """

    def __init__(self, layer: Layer, **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(
                f"Layer {layer} supplied to Wrapper isn't a supported layer type. Please ensure "
                "wrapped layer is a valid Keras layer."
            )
        super().__init__(**kwargs)
        self.layer = layer

    def build(self, input_shape: ShapeLike | None = None) -> None:
        if not self.layer.built:
            self.layer.build(input_shape)
            self.layer.built = True
        self.built = True

    def get_config(self) -> Config:
        return {**super().get_config(), "layer": serialization.serialize_keras_object(self.layer)}

    @classmethod
    def from_config(cls, config: Config, custom_objects: CustomObjects | None = None) -> Layer:
        """A layer from what `get_config` returned, the layer inside included."""
        config = copy.deepcopy(config)
        layer = serialization.deserialize_as(
            "layer", config.pop("layer"), custom_objects=custom_objects
        )
        return cls(layer, **config)


class SpectralNormalization(Wrapper):
    """Keeps the largest singular value of a layer's kernel at one (Miyato et al., 2018).

    Args:
        layer: a layer with a `kernel` or `embeddings`.
        power_iterations: how many steps find the singular value at each call in training.

    Raises:
        ValueError: if the layer has neither, or `power_iterations` is not positive.

    >>> layer = tf.keras.layers.SpectralNormalization(tf.keras.layers.Dense(3))
    >>> layer(tf.ones([2, 5]), training=True).shape
    TensorShape([2, 3])
    """

    def __init__(self, layer: Layer, power_iterations: int = 1, **kwargs: Any) -> None:
        super().__init__(layer, **kwargs)
        if power_iterations <= 0:
            raise ValueError(
                "`power_iterations` should be greater than zero. Received: "
                f"`power_iterations={power_iterations}`"
            )
        self.power_iterations = checked_count("power_iterations", power_iterations, 1000)

    def build(self, input_shape: ShapeLike | None = None) -> None:
        super().build(input_shape)
        sizes = TensorShape(input_shape).as_list()
        self.input_spec = InputSpec(shape=[None, *sizes[1:]])
        for name in ("kernel", "embeddings"):
            if hasattr(self.layer, name):
                self.kernel = getattr(self.layer, name)
                break
        else:
            raise ValueError(
                f"{type(self.layer).__name__} object has no attribute 'kernel' nor 'embeddings'"
            )
        self.vector_u = self.add_weight(
            shape=(1, self.kernel.shape[-1]),
            initializer=initializers.TruncatedNormal(stddev=0.02),
            trainable=False,
            name="vector_u",
            dtype=self.kernel.dtype,
        )

        # Attributes may be cast during a call; these are the variables themselves.
        self.__dict__["_normalized"] = (self.kernel, self.vector_u)

    _normalized: Any

    def call(self, inputs: _core.Tensor, training: Any = False) -> _core.Tensor:
        if isinstance(training, _core.Tensor):
            return by_training(training, lambda on: SpectralNormalization.call(self, inputs, on))
        if training:
            kernel, vector = self._normalized
            used = _ops.reduce_any(_ops.not_equal(kernel, 0))
            weights, vector_u = self.normalize_weights()
            kernel.assign(_ops.select(used, weights, kernel))
            vector.assign(_ops.select(used, vector_u, vector))
        return self.layer(inputs)

    def normalize_weights(self) -> tuple[_core.Tensor, _core.Tensor]:
        """The kernel divided by its largest singular value, and the vector that belongs to it."""
        kernel, u = self._normalized
        shape = kernel.shape.as_list()
        flat = _ops.reshape(kernel, [-1, shape[-1]])
        v: Any = None
        for _ in range(self.power_iterations):
            v = linalg.l2_normalize(_ops.matmul(u, flat, False, True))
            u = linalg.l2_normalize(_ops.matmul(v, flat))
        u, v = _ops.stop_gradient(u), _ops.stop_gradient(v)
        sigma = _ops.matmul(_ops.matmul(v, flat), u, False, True)
        return _ops.reshape(_ops.divide_real(flat, sigma), shape), u

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        return self.layer.compute_output_shape(input_shape)
