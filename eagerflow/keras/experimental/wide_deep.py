"""WideDeepModel: a linear model and a deep one, trained together."""

from __future__ import annotations

from typing import Any

from eagerflow import nest
from eagerflow.autodiff.tape import GradientTape
from eagerflow.keras import activations
from eagerflow.keras.engine.model import Model
from eagerflow.keras.engine.training.data_adapter import unpack_x_y_sample_weight
from eagerflow.keras.saving.serialization import deserialize_as, serialize_keras_object
from eagerflow.keras.typing import Config, CustomObjects, Logs


class WideDeepModel(Model):
    """The sum of two models.

    Cheng et al., "Wide & deep learning for recommender systems" (2016). Each part may have an
    optimizer of its own: `compile` then takes a list of the linear model's and the deep one's.

    Args:
        linear_model: the linear model.
        dnn_model: the deep model.
        activation: the activation of the sum.
        **kwargs: what models take.

    >>> linear = tf.keras.experimental.LinearModel(kernel_initializer="ones")
    >>> deep = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    >>> model = tf.keras.experimental.WideDeepModel(linear, deep)
    >>> model([tf.ones([1, 2]), tf.ones([1, 3])]).numpy().tolist()
    [[5.0]]
    """

    def __init__(
        self, linear_model: Any, dnn_model: Any, activation: object = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.linear_model = linear_model
        self.dnn_model = dnn_model
        self.activation = activations.get(activation)

    def call(self, inputs: Any, training: Any = None) -> Any:
        """The outputs for inputs of both models, or for a pair with those of each."""
        linear_inputs = dnn_inputs = inputs
        if isinstance(inputs, list | tuple) and len(inputs) == 2:
            linear_inputs, dnn_inputs = inputs
        wide = self.linear_model(linear_inputs)
        deep = self.dnn_model(dnn_inputs, training=training)
        output = nest.map_structure(lambda a, b: a + b, wide, deep)
        return nest.map_structure(self.activation, output) if self.activation else output

    def train_step(self, data: Any) -> Logs:
        """One step of training, with one optimizer or with one for each part."""
        if not isinstance(self.optimizer, list | tuple):
            return super().train_step(data)
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        with GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compute_loss(x, y, y_pred, sample_weight)
        parts = (self.linear_model.trainable_variables, self.dnn_model.trainable_variables)
        gradients = tape.gradient(loss, parts)
        for optimizer, variables, own in zip(self.optimizer, parts, gradients, strict=True):
            optimizer.apply_gradients(zip(own, variables, strict=True))
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def get_config(self) -> Config:
        """The arguments that make a model like this one."""
        return {
            "name": self.name,
            "trainable": self.trainable,
            "dtype": self.dtype,
            "linear_model": serialize_keras_object(self.linear_model),
            "dnn_model": serialize_keras_object(self.dnn_model),
            "activation": activations.serialize(self.activation),
        }

    @classmethod
    def from_config(cls, config: Config, custom_objects: CustomObjects | None = None) -> Any:
        """A model from what `get_config` returned."""
        config = dict(config)
        parts = [
            deserialize_as("layer", config.pop(name), custom_objects)
            for name in ("linear_model", "dnn_model")
        ]
        return cls(*parts, **config)
