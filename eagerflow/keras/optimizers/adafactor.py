"""Adafactor."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core
from eagerflow.framework.variable import Variable
from eagerflow.keras.optimizers.common_arguments import common_arguments
from eagerflow.keras.optimizers.keras2_hooks import Slots
from eagerflow.keras.optimizers.optimizer import Optimizer
from eagerflow.keras.optimizers.scalars import larger, number, of_dtype, power, smaller, sqrt
from eagerflow.keras.optimizers.schedules.schedule import LearningRate, LearningRateSchedule
from eagerflow.keras.optimizers.update_hooks import SlotList

_ops = _core.ops


def _rms(values: _core.Tensor | _core.Variable, size: int) -> float | _core.Tensor:
    """The root mean square of `size` values, as the product of a row and a column."""
    row = _ops.reshape(values, [1, size])
    return sqrt(number(_ops.matmul(row, row, transpose_b=True)[0, 0]) / max(size, 1))


class Adafactor(Optimizer):
    """Adafactor: keeps the squares of a matrix's gradients by row and column only.

    Shazeer and Stern, "Adafactor: adaptive learning rates with sublinear memory cost" (2018).

    Args:
        beta_2_decay: the exponent of the step in the decay of the means, `1 - step**beta_2_decay`.
        epsilon_1: added to the squares.
        epsilon_2: the smallest root mean square that a variable counts with.
        clip_threshold: the largest root mean square of an update.
        relative_step: whether the learning rate is at most `1 / sqrt(step)`.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.optimizers.Adafactor(0.1).minimize(lambda: v * v, [v])
    >>> print(round(float(v), 4))
    0.9
    """

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        beta_2_decay: float = -0.8,
        epsilon_1: float = 1e-30,
        epsilon_2: float = 1e-3,
        clip_threshold: float = 1.0,
        relative_step: bool = True,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        jit_compile: bool = True,
        name: str = "Adafactor",
        **kwargs: Any,
    ) -> None:
        super().__init__(**common_arguments(locals()))
        self.beta_2_decay = beta_2_decay
        self.epsilon_1 = epsilon_1
        self.epsilon_2 = epsilon_2
        self.clip_threshold = clip_threshold
        self.relative_step = relative_step

    _r = SlotList("r")
    _c = SlotList("c")
    _v = SlotList("v")

    def _make_slots(self, variables: list[Variable]) -> None:
        super()._make_slots(variables)
        for variable in variables:
            slots = self._slots.setdefault(variable._id, {})
            shape = tuple(variable.shape)
            if len(shape) >= 2:
                name, dtype = variable._name, variable.dtype
                rows = self.add_variable(shape[:-1], dtype, name=f"r/{name}")
                columns = self.add_variable((*shape[:-2], shape[-1]), dtype, name=f"c/{name}")
                slots.update(r=rows, c=columns)
            slots["v"] = self.add_variable_from_reference(variable, "v")

    def _update(
        self, variables: list[Variable], gradients: list, slots: list[Slots], learning_rate: object
    ) -> None:
        step = self._step()
        relative_rate = 1.0 / sqrt(step)
        if self.relative_step and not isinstance(self._learning_rate, LearningRateSchedule):
            learning_rate = smaller(learning_rate, relative_rate)
        rho = smaller(learning_rate, relative_rate)
        decay = 1 - power(step, self.beta_2_decay)
        for variable, gradient, entry in zip(variables, gradients, slots, strict=True):
            size = math.prod(variable.shape)
            beta_2 = of_dtype(decay, variable.dtype)
            alpha = larger(_rms(variable, size), self.epsilon_2) * rho
            squares = _ops.square(gradient)
            v = entry["v"]
            if "r" in entry:
                r, c = entry["r"], entry["c"]
                for slot, axis in ((r, -1), (c, -2)):
                    means = _ops.reduce_mean(squares, axis=axis) + self.epsilon_1
                    slot.assign(slot * beta_2 + means * (1 - beta_2))
                rows = r / _ops.reduce_mean(r, axis=-1, keepdims=True)
                v.assign(_ops.expand_dims(rows, -1) * _ops.expand_dims(c, -2))
            else:
                v.assign(v * beta_2 + (squares + self.epsilon_1) * (1 - beta_2))
            update = gradient * _ops.rsqrt(v)
            clip = larger(1.0, _rms(update, size) / self.clip_threshold)
            variable.assign_sub(update * of_dtype(alpha / clip, variable.dtype))
