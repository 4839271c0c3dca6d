"""Nadam."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.variable import Variable, variable_at_once
from eagerflow.keras import config
from eagerflow.keras.optimizers.common_arguments import common_arguments
from eagerflow.keras.optimizers.keras2_hooks import Slots
from eagerflow.keras.optimizers.optimizer import Optimizer, slots_named, takes_rows
from eagerflow.keras.optimizers.scalars import cached_float32, number, power, sqrt
from eagerflow.keras.optimizers.schedules.schedule import LearningRate
from eagerflow.keras.optimizers.update_hooks import SlotList
from eagerflow.ops import control_flow
from eagerflow.typing import TensorLike

_ops = _core.ops


class Nadam(Optimizer):
    """Adam with Nesterov's lookahead.

    Dozat, "Incorporating Nesterov momentum into Adam" (2016).

    Args:
        beta_1: decay of the mean of gradients.
        beta_2: decay of the mean of their squares.
        epsilon: added to the root, against division by zero.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.optimizers.Nadam(0.1).minimize(lambda: v * v, [v])
    >>> print(round(float(v), 4))
    0.8937
    """

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float | None = 1e-7,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        jit_compile: bool = True,
        name: str = "Nadam",
        **kwargs: Any,
    ) -> None:
        super().__init__(**common_arguments(locals()))
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = config.epsilon_or(epsilon)
        # The product of the momenta so far, and its last step.
        self._u_product = variable_at_once(1.0, dtype=dtypes.float64, trainable=False)
        self._u_product_step = variable_at_once(0, dtype=dtypes.int64, trainable=False)
        # The number of traces of updates, including the one that creates the slots.
        self._traces = 1
        self._slots_are_new = False

    def _extras_of_keras3(self) -> list[Any]:
        """The product of the momenta, computed from the number of steps."""
        steps = np.arange(1, int(self.iterations) + 1)
        momenta = self.beta_1 * (1 - 0.5 * np.power(0.96, steps))
        return [np.prod(momenta, dtype=np.float32)]

    _momentums = SlotList("m")
    _velocities = SlotList("v")

    def _initial_slots(self) -> dict[str, float]:
        return {"m": 0.0, "v": 0.0}

    def _make_slots(self, variables: list[Variable]) -> None:
        super()._make_slots(variables)
        self._slots_are_new = True

    def _momentum_at(self, step: object) -> Any:
        return cached_float32(self.beta_1) * (1.0 - 0.5 * power(0.96, step))

    def _product_at(self, step: int) -> float:
        """The product of the momenta up to a step; after a jump, all are multiplied again."""
        known = int(self._u_product_step)
        if known == step - 1:
            self._u_product.assign(float(self._u_product) * self._momentum_at(step))
        elif known != step:
            self._u_product.assign(math.prod(self._momentum_at(k) for k in range(1, step + 1)))
        self._u_product_step.assign(step)
        return float(self._u_product)

    def _product_before(self, step: Any, indices: range) -> _core.Tensor:
        """The product that functions multiply at a step; after a jump, all momenta once more.

        Args:
            step: the step, a scalar of a graph.
            indices: the indices of the variables in the trace.
        """

        last = step - 1

        def again() -> _core.Tensor:
            def times(k: _core.Tensor, product: _core.Tensor) -> tuple[_core.Tensor, _core.Tensor]:
                momentum = self._momentum_at(_ops.cast(k, dtypes.float64))

                def factor(index: _core.Tensor, product: _core.Tensor) -> tuple[Any, _core.Tensor]:
                    is_left_out = _ops.equal(k + 1, index)
                    return index + 1, _ops.select(is_left_out, product, product * momentum)

                return k + 1, while_loop(
                    lambda index, _: index < indices.stop, factor, [first, product]
                )[1]

            return while_loop(
                lambda k, product: _ops.logical_and(k <= last, product > 0),
                times,
                [_ops.ones_like(last), _core.convert(1.0, dtypes.float64)],
            )[1]

        while_loop = control_flow.while_loop
        first = _ops.cast(_core.convert(indices.start, dtypes.int64), last.dtype)
        return control_flow.cond(
            _ops.equal(number(self._u_product_step), last), self._u_product.read_value, again
        )

    @takes_rows
    def _update(
        self, variables: list[Variable], gradients: list, slots: list[Slots], learning_rate: Any
    ) -> None:
        step = self._step()
        if _core.building() is None:
            self._update_by(
                self._product_at(step), step, variables, gradients, slots, learning_rate
            )
            return
        # In a traced function Keras multiplies the product once per variable, except for the
        # variable whose index over all traces equals the step. Keras drops the trace that creates the
        # slots and counts the next as the second, and so does this, even if the slots existed before.
        first = 1 + self._traces * len(variables)
        indices = range(first, first + len(variables))
        self._traces += not self._slots_are_new
        self._slots_are_new = False
        product = self._product_before(step, indices)
        for index, *one in zip(indices, variables, gradients, slots, strict=True):
            multiplied = product * self._momentum_at(step)
            product = _ops.select(_ops.equal(step + 1, index), product, multiplied)
            variable, gradient, slot = ([item] for item in one)
            self._update_by(product, step, variable, gradient, slot, learning_rate)
        self._u_product.assign(product)
        self._u_product_step.assign(_ops.cast(step, dtypes.int64))

    def _update_by(
        self,
        product: Any,
        step: Any,
        variables: list,
        gradients: list,
        slots: list,
        learning_rate: TensorLike,
    ) -> None:
        mu, next_mu = self._momentum_at(step), self._momentum_at(step + 1)
        momentum_factor = next_mu / (1.0 - product * next_mu)
        gradient_factor = (1.0 - mu) / (1.0 - product)
        root_correction = sqrt(1.0 - power(cached_float32(self.beta_2), step))
        self._rules.nadam(
            variables,
            slots_named(slots, "m"),
            slots_named(slots, "v"),
            gradients,
            momentum_rate=learning_rate * momentum_factor * root_correction,
            gradient_rate=learning_rate * gradient_factor * root_correction,
            beta_1=number(self.beta_1),
            beta_2=number(self.beta_2),
            epsilon=self.epsilon * root_correction,
        )
