"""Learning rates that follow a cosine.

Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts" (ICLR 2017).
"""

from __future__ import annotations

import math

from eagerflow import _core
from eagerflow.keras.optimizers.schedules.decay import to
from eagerflow.keras.optimizers.schedules.schedule import LearningRateSchedule
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def _half_wave(fraction: Tensor) -> Tensor:
    """Falls from 1 to 0 along half a cosine."""
    return 0.5 * (1.0 + _ops.cos(_core.convert(math.pi, fraction.dtype) * fraction))


class CosineDecay(LearningRateSchedule):
    """Half a cosine, optionally after a linear warmup.

    Args:
        initial_learning_rate: the rate at step 0.
        decay_steps: the number of steps of the cosine.
        alpha: the rate at the end, as a fraction of the initial rate.
        name: the schedule's name.
        warmup_target: the rate at the end of the warmup; None: no warmup.
        warmup_steps: the number of steps of the warmup.

    >>> rate = tf.keras.optimizers.schedules.CosineDecay(0.1, 100)
    >>> print(rate(50).numpy().round(4))
    0.05
    """

    def __init__(
        self,
        initial_learning_rate: TensorLike,
        decay_steps: TensorLike,
        alpha: float | Tensor = 0.0,
        name: str | None = None,
        warmup_target: TensorLike | None = None,
        warmup_steps: TensorLike = 0,
    ) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.alpha = alpha
        self.name = name
        self.warmup_target = warmup_target
        self.warmup_steps = warmup_steps

    def __call__(self, step: TensorLike) -> Tensor:
        """The learning rate at a step."""
        start = _core.as_tensor(self.initial_learning_rate)
        dtype = start.dtype
        step, length = to(step, dtype), to(self.decay_steps, dtype)
        if self.warmup_target is not None:
            target, warmup = to(self.warmup_target, dtype), to(self.warmup_steps, dtype)
            rising = (target - start) * (step / warmup) + start
            return _ops.select(
                _ops.less(step, warmup), rising, self._falling(target, step - warmup, length)
            )
        return self._falling(start, step, length)

    def _falling(self, start: Tensor, step: Tensor, length: Tensor) -> Tensor:
        wave = _half_wave(_ops.minimum(step, length) / length)
        return start * ((1 - self.alpha) * wave + self.alpha)


class CosineDecayRestarts(LearningRateSchedule):
    """Successive half cosines, each `t_mul` times as long and `m_mul` times as high as the last.

    Args:
        initial_learning_rate: the rate at step 0.
        first_decay_steps: the number of steps of the first.
        t_mul: the ratio of successive lengths.
        m_mul: the ratio of successive maxima.
        alpha: the lowest rate, as a fraction of the initial rate.
        name: the schedule's name.

    >>> rate = tf.keras.optimizers.schedules.CosineDecayRestarts(0.1, 10, t_mul=1.0)
    >>> [round(float(rate(step)), 3) for step in (0, 5, 10)]
    [0.1, 0.05, 0.1]
    """

    def __init__(
        self,
        initial_learning_rate: TensorLike,
        first_decay_steps: TensorLike,
        t_mul: TensorLike = 2.0,
        m_mul: TensorLike = 1.0,
        alpha: TensorLike = 0.0,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.first_decay_steps = first_decay_steps
        self._t_mul = t_mul
        self._m_mul = m_mul
        self.alpha = alpha
        self.name = name

    def __call__(self, step: TensorLike) -> Tensor:
        """The learning rate at a step."""
        initial = _core.as_tensor(self.initial_learning_rate)
        dtype = initial.dtype
        longer, higher, alpha = (to(v, dtype) for v in (self._t_mul, self._m_mul, self.alpha))
        done = to(step, dtype) / to(self.first_decay_steps, dtype)
        if bool(_core.static_value(_ops.equal(longer, 1.0))):
            restarts = _ops.floor(done)
            fraction = done - restarts
        else:
            # The lengths form a geometric series.
            restarts = _ops.floor(_ops.log(1.0 - done * (1.0 - longer)) / _ops.log(longer))
            scale = _ops.pow(longer, restarts)
            fraction = (done - (1.0 - scale) / (1.0 - longer)) / scale
        wave = _ops.pow(higher, restarts) * _half_wave(fraction)
        return initial * ((1 - alpha) * wave + alpha)
