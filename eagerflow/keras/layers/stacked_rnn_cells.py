"""Several cells, stacked on each other."""

from __future__ import annotations

import inspect
from typing import Any

from eagerflow.framework.name_scope import name_scope
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.rnn_cell import initial_state_of, map_states, state_sizes
from eagerflow.keras.saving import serialization
from eagerflow.keras.typing import Config, CustomObjects


class StackedRNNCells(Layer):
    """A cell that passes its input through several cells.

    Args:
        cells: the cells, the first of which gets the input.
        **kwargs: `name`, `dtype`, …; `reverse_state_order` puts the last cell's states first.

    Raises:
        ValueError: if a cell lacks something.

    >>> cells = [tf.keras.layers.LSTMCell(4), tf.keras.layers.LSTMCell(3)]
    >>> tf.keras.layers.RNN(tf.keras.layers.StackedRNNCells(cells))(tf.ones([2, 5, 6])).shape
    TensorShape([2, 3])
    """

    def __init__(self, cells: Any, **kwargs: Any) -> None:
        for cell in cells:
            if "call" not in dir(cell):
                raise ValueError(
                    "All cells must have a `call` method. "
                    f"Received cell without a `call` method: {cell}"
                )
            if "state_size" not in dir(cell):
                raise ValueError(
                    "All cells must have a `state_size` attribute. "
                    f"Received cell without a `state_size`: {cell}"
                )
        self.reverse_state_order = kwargs.pop("reverse_state_order", False)
        super().__init__(**kwargs)
        self.cells = list(cells)
        self._takes = []
        for cell in self.cells:
            parameters = inspect.signature(cell.call).parameters
            self._takes.append(("training" in parameters, "constants" in parameters))

    def _ordered(self) -> list[Any]:
        return self.cells[::-1] if self.reverse_state_order else self.cells

    @property
    def state_size(self) -> tuple:
        """The cells' state sizes."""
        return tuple(cell.state_size for cell in self._ordered())

    @property
    def output_size(self) -> Any:
        """The last cell's output size."""
        last = self.cells[-1]
        output_size = getattr(last, "output_size", None)
        if output_size is not None:
            return output_size
        size = last.state_size
        return size[0] if isinstance(size, (list, tuple)) else size

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> tuple:
        """The cells' states before the first step."""
        states = []
        for cell in self._ordered():
            function = getattr(cell, "get_initial_state", None)
            if function is not None:
                states.append(function(inputs=inputs, batch_size=batch_size, dtype=dtype))
            else:
                states.append(initial_state_of(cell, inputs, batch_size, dtype))
        return tuple(states)

    def call(
        self, inputs: Any, states: Any, constants: Any = None, training: Any = None, **kwargs: Any
    ) -> Any:
        ordered = list(states)[::-1] if self.reverse_state_order else list(states)
        after = []
        takes = self._takes
        for cell, state, (training_too, constants_too) in zip(
            self.cells, ordered, takes, strict=True
        ):
            nested = isinstance(state, (list, tuple))
            extra = dict(kwargs)
            if training_too:
                extra["training"] = training
            if constants_too and constants is not None:
                extra["constants"] = constants
            function = cell if callable(cell) else cell.call
            inputs, new = function(inputs, state if nested else [state], **extra)
            if not nested and isinstance(new, (list, tuple)):
                new = new[0]
            after.append(new)
        return inputs, tuple(after[::-1] if self.reverse_state_order else after)

    def build(self, input_shape: Any) -> None:
        shape = input_shape[0] if isinstance(input_shape, list) else input_shape
        batch = _first_shape(shape)[0]
        for cell in self.cells:
            if isinstance(cell, Layer) and not cell.built:
                with name_scope(cell.name):
                    cell.build(shape)
                    Layer.build(cell, shape)
            size = getattr(cell, "output_size", None)
            if size is None:
                size = cell.state_size
                size = size[0] if isinstance(size, (list, tuple)) else size
            shape = map_states(lambda s: TensorShape([batch, *state_sizes(s)]), size)
        Layer.build(self, input_shape)

    def get_config(self) -> Config:
        config = {
            **super().get_config(),
            "cells": [serialization.serialize_keras_object(cell) for cell in self.cells],
        }
        if self.reverse_state_order:
            config["reverse_state_order"] = True
        return config

    @classmethod
    def from_config(cls, config: Config, custom_objects: CustomObjects | None = None) -> Layer:
        """Cells from what `get_config` returned."""
        config = dict(config)
        cells = [
            serialization.deserialize_as("layer", cell, custom_objects=custom_objects)
            for cell in config.pop("cells")
        ]
        return cls(cells, **config)


def _first_shape(shape: TensorShape) -> TensorShape:
    """The first of the shapes in a structure."""
    while (
        isinstance(shape, (list, tuple))
        and shape
        and isinstance(shape[0], (list, tuple, TensorShape))
    ):
        shape = shape[0]
    return TensorShape(shape)
