"""A model's inputs by the names that packages from before version 2 know."""

from __future__ import annotations

from typing import Any


class FedInputs:
    """A part of models: what is fed to a graph of layers. Other models have no such attributes."""

    name: Any
    inputs: Any

    @property
    def _feed_inputs(self) -> list[Any]:
        if self.inputs is None:
            raise AttributeError(
                f"The model {self.name!r} has no inputs: it is no graph of layers."
            )
        return list(self.inputs)

    @property
    def _feed_input_names(self) -> list[str]:
        return [tensor._keras_history.layer.name for tensor in self._feed_inputs]

    @property
    def _feed_input_shapes(self) -> list[Any]:
        return [tensor._keras_history.layer._batch_input_shape for tensor in self._feed_inputs]
