"""LinearModel: a weighted sum of one or several inputs."""

from __future__ import annotations

from typing import Any

from eagerflow.framework.shapes import TensorShape
from eagerflow.keras import activations, initializers, regularizers
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.engine.model import Model
from eagerflow.keras.layers import Dense
from eagerflow.keras.typing import Config, CustomObjects


def _is_list_of_shapes(shape: TensorShape) -> bool:
    return isinstance(shape, list | tuple) and all(
        isinstance(entry, TensorShape | list | tuple) for entry in shape
    )


class LinearModel(Model):
    """`activation(x1 @ w1 + x2 @ w2 + ... + bias)`.

    Args:
        units: how many outputs there are.
        activation: the activation.
        use_bias: whether there is a bias.
        kernel_initializer: of the weights.
        bias_initializer: of the bias.
        kernel_regularizer: of the weights.
        bias_regularizer: of the bias.
        **kwargs: what models take.

    >>> model = tf.keras.experimental.LinearModel(kernel_initializer="ones")
    >>> model([tf.ones([2, 3]), tf.ones([2, 1])]).numpy().tolist()
    [[4.0], [4.0]]
    """

    def __init__(
        self,
        units: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: object = "zeros",
        bias_initializer: object = "zeros",
        kernel_regularizer: object = None,
        bias_regularizer: object = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.units = units
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.dense_layers: list[Layer] = []
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the weights of each input, by name in a dictionary."""
        named = [(None, input_shape)]
        if isinstance(input_shape, dict):
            named = [(name, input_shape[name]) for name in sorted(input_shape)]
        elif _is_list_of_shapes(input_shape):
            named = [(None, shape) for shape in input_shape]
        for name, shape in named:
            layer = Dense(
                self.units,
                use_bias=False,
                kernel_initializer=self.kernel_initializer,
                kernel_regularizer=self.kernel_regularizer,
                name=name,
            )
            layer.build(shape)
            self.dense_layers.append(layer)
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=(self.units,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                trainable=True,
            )
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The outputs.

        Raises:
            ValueError: if an input is missing in a dictionary.
        """
        if isinstance(inputs, dict):
            names = [layer.name for layer in self.dense_layers]
            missing = set(names) - set(inputs)
            if missing:
                raise ValueError(
                    "The `inputs` dictionary does not match the structure expected by the model."
                    f"\n\tExpected keys: {set(names)}\n\tReceived keys: {set(inputs)}"
                    f"\n\tMissing keys: {missing}"
                )
            inputs = [inputs[name] for name in names]
        elif not isinstance(inputs, list | tuple):
            inputs = [inputs]
        result: Any = None
        for value, layer in zip(inputs, self.dense_layers, strict=True):
            part = layer(value)
            result = part if result is None else result + part
        if self.bias is not None:
            result = result + self.bias
        return result if self.activation is None else self.activation(result)

    def get_config(self) -> Config:
        """The arguments that make a model like this one."""
        return {
            "name": self.name,
            "trainable": self.trainable,
            "dtype": self.dtype,
            "units": self.units,
            "activation": activations.serialize(self.activation),
            "use_bias": self.use_bias,
            "kernel_initializer": initializers.serialize(self.kernel_initializer),
            "bias_initializer": initializers.serialize(self.bias_initializer),
            "kernel_regularizer": regularizers.serialize(self.kernel_regularizer),
            "bias_regularizer": regularizers.serialize(self.bias_regularizer),
        }

    @classmethod
    def from_config(cls, config: Config, custom_objects: CustomObjects | None = None) -> Any:
        """A model from what `get_config` returned."""
        return cls(**config)
