"""A sequence of layers as one layer, which is no model."""

from __future__ import annotations

from typing import Any

from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.saving.serialization import (
    deserialize_as,
    serialize_keras_object,
)


class Pipeline(Layer):
    """Calls layers one after another; for preparing data, for example in `Dataset.map`.

    Args:
        layers: the layers.

    >>> layers = [tf.keras.layers.Rescaling(2.0), tf.keras.layers.Rescaling(1.0, offset=1.0)]
    >>> print(tf.keras.layers.Pipeline(layers)(tf.constant([1.0, 2.0])).numpy())
    [3. 5.]
    """

    def __init__(self, layers: list[Any], name: str | None = None) -> None:
        super().__init__(name=name)
        self._pipeline_layers = list(layers)

    @property
    def layers(self) -> list[Any]:
        """The layers."""
        return list(self._pipeline_layers)

    def call(self, inputs: Any, training: bool = True) -> Any:
        """The output of the last layer: each is called with the output of the one before."""
        for layer in self._pipeline_layers:
            if layer._call_spec.expects_training:
                inputs = layer(inputs, training=training)
            else:
                inputs = layer(inputs)
        return inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape after the last layer."""
        for layer in self._pipeline_layers:
            input_shape = layer.compute_output_shape(input_shape)
        return input_shape

    def get_config(self) -> dict[str, Any]:
        """The arguments that make a layer like this one."""
        return {
            "layers": [serialize_keras_object(layer) for layer in self._pipeline_layers],
            "name": self.name,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Pipeline:
        """A layer from what `get_config` returned.

        Raises:
            ValueError: if there are no layers in it.
        """
        layers = config.get("layers")
        if not isinstance(layers, (list, tuple)):
            raise ValueError(
                "`Pipeline` config must contain a `layers` key mapping to a list of serialized "
                f"layers. Received config with layers={layers}."
            )
        made = [deserialize_as("layer", layer) for layer in layers]
        return cls(made, name=config.get("name"))
