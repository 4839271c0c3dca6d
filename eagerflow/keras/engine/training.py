"""Model: layers that are trained, saved and summarized together."""

from __future__ import annotations

from typing import Any

from eagerflow.keras.engine.call_specs import Described
from eagerflow.keras.engine.network import is_functional_arguments


class Model(Described):
    """A model: made from symbolic inputs and outputs, or subclassed.

    Args:
        *args: inputs and outputs: symbolic tensors in any structure.
        **kwargs: `inputs`, `outputs`, `name`, `trainable`, `dtype`, `autocast`, `dynamic`.

    Raises:
        TypeError: for other arguments.
        ValueError: if the outputs do not follow from the inputs.

    >>> x = tf.keras.Input([3])
    >>> model = tf.keras.Model(x, tf.keras.layers.Dense(2)(x))
    >>> model.count_params()
    8
    >>> class Twice(tf.keras.Model):
    ...     def call(self, inputs):
    ...         return 2 * inputs
    >>> Twice()(tf.constant([1.0])).numpy()
    array([2.], dtype=float32)
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is Model and is_functional_arguments(args, kwargs):
            from eagerflow.keras.engine.functional import Functional

            return Functional.__new__(Functional, *args, **kwargs)
        return super().__new__(cls, *args, **kwargs)
