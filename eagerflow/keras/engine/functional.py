"""Functional models: the layer calls between symbolic inputs and outputs."""

from __future__ import annotations

from typing import Any

from eagerflow.keras.engine.model import Model
from eagerflow.keras.naming import unique_name


class Functional(Model):
    """A model made of symbolic inputs and outputs, as by `tf.keras.Model(inputs, outputs)`.

    Args:
        inputs: symbolic tensors that `tf.keras.Input` made, in any structure.
        outputs: symbolic tensors computed from them, in any structure.
        name: the model's name; "model" and a number by default.
        trainable: whether the weights are to be trained.
        **kwargs: arguments of `Model`.
    """

    def __init__(
        self,
        inputs: Any = None,
        outputs: Any = None,
        name: str | None = None,
        trainable: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(inputs=inputs, outputs=outputs, name=name, trainable=trainable, **kwargs)

    def _set_name(self, name: str | None) -> None:
        if not name:
            name = unique_name("model")
        super()._set_name(name)
