"""Network: the predecessor of `tf.keras.Model`."""

from __future__ import annotations

import os
from typing import Any

from eagerflow import keras
from eagerflow.checkpoint.checkpoint import Checkpoint
from eagerflow.checkpoint.state import latest_checkpoint
from eagerflow_compat.v1.checkpoint_state import update_checkpoint_state


class Network(keras.Model):
    """A model whose layers are registered with `track_layer`.

    >>> from eagerflow_compat.contrib import eager as tfe
    >>> class Line(tfe.Network):
    ...     def __init__(self):
    ...         super().__init__(name="line")
    ...         self.layer = self.track_layer(tf.keras.layers.Dense(1))
    ...
    ...     def call(self, x):
    ...         return self.layer(x)
    >>> Line()(tf.ones([3, 2])).shape
    TensorShape([3, 1])
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name=name or None)
        self._told_layers: list[Any] = []

    def track_layer(self, layer: Any) -> Any:
        """Adds a layer's variables to those of the network.

        Args:
            layer: a layer or network.

        Returns:
            The layer.

        Raises:
            TypeError: if it is neither.
        """
        if not isinstance(layer, keras.layers.Layer):
            raise TypeError(
                f"Network.track_layer() passed type {type(layer)}, not a tf.layers.Layer"
            )
        self._told_layers.append(layer)
        return layer


def save_network_checkpoint(network: Any, save_path: str, global_step: Any = None) -> str:
    """Saves a network's variables.

    Args:
        network: the network.
        save_path: the prefix of the files' names, or a folder, in which they have the network's name.
        global_step: the step, which is appended to the path.

    Returns:
        The checkpoint's name.
    """
    if os.path.isdir(save_path):
        save_path = os.path.join(save_path, network.name)
    if global_step is not None:
        save_path = f"{save_path}-{int(global_step)}"
    written = Checkpoint(network=network).write(save_path)
    update_checkpoint_state(os.path.dirname(save_path) or ".", written)
    return written


def restore_network_checkpoint(network: Any, save_path: str) -> None:
    """Restores a network's variables, later ones when they are made.

    Args:
        network: the network.
        save_path: what `save_network_checkpoint` returned, or a folder whose latest one is meant.

    Raises:
        tf.errors.NotFoundError: if there is no such checkpoint.
    """
    if os.path.isdir(save_path):
        save_path = latest_checkpoint(save_path) or save_path
    Checkpoint(network=network).read(save_path)


def get_optimizer_variables(optimizer: Any) -> list[Any]:
    """The variables that an optimizer made."""
    variables = optimizer.variables
    return list(variables() if callable(variables) else variables)
