"""Layers whose classes or defaults are those of version 1's Keras."""

from __future__ import annotations

from typing import Any

from eagerflow.framework import context
from eagerflow.keras import layers
from eagerflow_compat.v1.variable_scope import get_variable, variable_scope


class DenseFeatures(layers.DenseFeatures):
    """The inputs of a model from feature columns; see `tf.keras.layers.DenseFeatures`.

    Programs tell version 1's layer from version 2's by its class. In a graph its variables are those
    of variable scopes, which may divide them.
    """

    def _make_variable(
        self, column: Any, name: str, shape: Any, dtype: Any, trainable: bool, initializer: Any
    ) -> Any:
        if context.surrounding_graph() is None:
            return super()._make_variable(column, name, shape, dtype, trainable, initializer)
        with (
            variable_scope(self.name, auxiliary_name_scope=False),
            variable_scope(column.name, auxiliary_name_scope=False),
        ):
            return self.add_weight(
                name,
                shape,
                dtype,
                initializer,
                trainable=bool(trainable and self.trainable),
                getter=get_variable,
            )


class LSTM(layers.LSTM):
    """Long short-term memory; see `tf.keras.layers.LSTM`, whose gates have another activation.

    >>> tf.compat.v1.keras.layers.LSTM(2).recurrent_activation.__name__
    'hard_sigmoid'
    """

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(units, activation, recurrent_activation, *args, **kwargs)


class GRU(layers.GRU):
    """Gated recurrent units; see `tf.keras.layers.GRU`, which resets after its matrix product.

    >>> tf.compat.v1.keras.layers.GRU(2).reset_after
    False
    """

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        *args: Any,
        **kwargs: Any,
    ) -> None:
        kwargs.setdefault("reset_after", False)
        super().__init__(units, activation, recurrent_activation, *args, **kwargs)
