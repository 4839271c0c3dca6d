"""The base class of learning rate schedules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from eagerflow import _core
from eagerflow.keras.saving.init_arguments import arguments_config
from eagerflow.keras.typing import Config
from eagerflow.typing import TensorLike


class LearningRateSchedule:
    """Base class of learning rates that depend on the step; a subclass defines `__call__`.

    >>> class Warmup(tf.keras.optimizers.schedules.LearningRateSchedule):
    ...     def __call__(self, step):
    ...         return 0.01 * tf.minimum(tf.cast(step, tf.float32) / 10.0, 1.0)
    ...
    ...     def get_config(self):
    ...         return {}
    >>> optimizer = tf.keras.optimizers.SGD(Warmup())
    >>> print(optimizer.learning_rate.numpy())
    0.0
    """

    def __call__(self, step: Any) -> _core.Tensor:
        """The learning rate at a step."""
        raise NotImplementedError(
            f"Learning rate schedule '{type(self).__name__}' must override `__call__(self, step)`."
        )

    def get_config(self) -> Config:
        """The arguments that make a schedule like this one."""
        config = arguments_config(self, LearningRateSchedule)
        if not config:
            raise NotImplementedError(
                f"Learning rate schedule '{type(self).__name__}' must override `get_config()` in "
                "order to be serializable."
            )
        return config

    @classmethod
    def from_config(cls, config: Config) -> LearningRateSchedule:
        """A schedule from what `get_config` returned."""
        return cls(**config)


# Types of learning rates. A function has no parameter, or one for the iteration.
LearningRate: TypeAlias = TensorLike | LearningRateSchedule | Callable[..., Any]
