"""AdamW."""

from __future__ import annotations

from typing import Any

from eagerflow.keras.optimizers.adam import Adam
from eagerflow.keras.optimizers.schedules.schedule import LearningRate
from eagerflow.util.arguments import arguments


class AdamW(Adam):
    """Adam with decoupled weight decay: it is applied to the variables, not to the gradients.

    Loshchilov and Hutter, "Decoupled weight decay regularization" (ICLR 2019).

    Args:
        beta_1: decay of the mean of gradients.
        beta_2: decay of the mean of their squares.
        epsilon: added to the root, against division by zero.
        amsgrad: whether the mean of squares never shrinks.

    Raises:
        ValueError: if there is no weight decay.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.optimizers.AdamW(0.1).minimize(lambda: v * v, [v])
    >>> print(round(float(v), 4))
    0.8996
    """

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        weight_decay: float | None = 0.004,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float | None = 1e-7,
        amsgrad: bool = False,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        jit_compile: bool = True,
        name: str = "AdamW",
        **kwargs: Any,
    ) -> None:
        if weight_decay is None:
            raise ValueError(
                "Missing value of `weight_decay` which is required and must be a float value."
            )
        super().__init__(**arguments(locals()))
