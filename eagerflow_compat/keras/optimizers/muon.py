"""Muon."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core
from eagerflow.framework.variable import Variable
from eagerflow.keras.optimizers.common_arguments import common_arguments
from eagerflow.keras.optimizers.keras2_hooks import Slots
from eagerflow.keras.optimizers.optimizer import Optimizer, slots_named
from eagerflow.keras.optimizers.scalars import float32_power, of_dtype, sqrt
from eagerflow.keras.optimizers.schedules.schedule import LearningRate
from eagerflow.ops import norms
from eagerflow.strings.regular_expressions import compiled

_ops = _core.ops


class Muon(Optimizer):
    """Momentum with orthogonalized steps for matrices; AdamW for all other variables.

    Jordan et al., "Muon: an optimizer for hidden layers in neural networks" (2024), with the step's
    size of Liu et al., "Muon is scalable for LLM training" (2025).

    Args:
        adam_beta_1: decay of AdamW's mean of gradients.
        adam_beta_2: decay of AdamW's mean of their squares.
        adam_weight_decay: the weight decay of the variables that AdamW updates.
        epsilon: AdamW's, against division by zero.
        weight_decay: that of matrices.
        exclude_layers: patterns of RE2, as files may hold them; variables whose name has one are
            updated by AdamW.
        exclude_embeddings: whether variables of embeddings are updated by AdamW.
        muon_a: first coefficient of Newton and Schulz's iteration.
        muon_b: second coefficient.
        muon_c: third coefficient.
        adam_lr_ratio: AdamW's learning rate divided by Muon's.
        momentum: how much of the mean of gradients stays at every step.
        ns_steps: how many iterations make a matrix orthogonal.
        nesterov: whether the step looks ahead.
        rms_rate: the size of an element of a step; None: steps keep the size of the iteration.

    >>> v = tf.Variable([[2.0, 0.0], [0.0, 1.0]])
    >>> optimizer = tf.keras.optimizers.Muon(0.1, rms_rate=None, weight_decay=None)
    >>> _ = optimizer.minimize(lambda: tf.reduce_sum(v * v), [v])
    >>> v.numpy().round(2)
    array([[1.93, 0.  ],
           [0.  , 0.89]], dtype=float32)
    """

    _has_other_decay = True

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        adam_beta_1: float = 0.9,
        adam_beta_2: float = 0.999,
        adam_weight_decay: float | None = 0.004,
        epsilon: float = 1e-7,
        weight_decay: float | None = 0.004,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        name: str = "muon",
        exclude_layers: list[str] | None = None,
        exclude_embeddings: bool = True,
        muon_a: float = 3.4445,
        muon_b: float = -4.7750,
        muon_c: float = 2.0315,
        adam_lr_ratio: float = 1,
        momentum: float = 0.95,
        ns_steps: int = 5,
        nesterov: bool = True,
        rms_rate: float | None = 0.2,
        **kwargs: Any,
    ) -> None:
        super().__init__(**common_arguments(locals()))
        self.adam_beta_1 = adam_beta_1
        self.adam_beta_2 = adam_beta_2
        self.adam_weight_decay = adam_weight_decay
        self.epsilon = epsilon
        self.exclude_layers = exclude_layers or []
        self.exclude_embeddings = exclude_embeddings
        self.muon_a = muon_a
        self.muon_b = muon_b
        self.muon_c = muon_c
        self.adam_lr_ratio = adam_lr_ratio
        self.momentum = momentum
        self.ns_steps = ns_steps
        self.nesterov = nesterov
        self.rms_rate = rms_rate

    def _should_use_adamw(self, variable: Variable) -> bool:
        if len(variable.shape) != 2:
            return True
        if self.exclude_embeddings and "embedding" in variable.name.lower():
            return True
        name = variable.name.encode()
        patterns = [compiled(pattern.encode()) for pattern in self.exclude_layers]
        return any(pattern.search(name, 0)[0] >= (0, 0) for pattern in patterns)

    def _make_slots(self, variables: list[Variable]) -> None:
        super()._make_slots(variables)
        for variable in variables:
            slots = self._slots.setdefault(variable._id, {})
            slots["momentum"] = self.add_variable_from_reference(variable, "momentum")
            if self._should_use_adamw(variable):
                slots["velocity"] = self.add_variable_from_reference(variable, "velocity")

    def _decay_weights(self, variables: list[Variable], rate: float) -> None:
        groups: dict[float | None, list[Variable]] = {}
        for variable in variables:
            if self._use_weight_decay(variable):
                adam = self._should_use_adamw(variable)
                decay = self.adam_weight_decay if adam else self.weight_decay
                groups.setdefault(decay, []).append(variable)
        for decay, group in groups.items():
            if decay:
                _core.decay_weights(group, rate=decay * rate)

    def _update(
        self, variables: list[Variable], gradients: list, slots: list[Slots], learning_rate: Any
    ) -> None:
        rows = list(zip(variables, gradients, slots, strict=True))
        by_adam = [row for row in rows if "velocity" in row[2]]
        if by_adam:
            self._update_by_adam(by_adam, learning_rate * self.adam_lr_ratio)
        for variable, gradient, entry in rows:
            if "velocity" in entry:
                continue
            m = entry["momentum"]
            m.assign(m * self.momentum + gradient)
            direction = m * self.momentum + gradient if self.nesterov else m.read_value()
            scale = learning_rate
            if self.rms_rate is not None:
                scale = scale * self.rms_rate * math.sqrt(max(variable.shape))
            variable.assign_sub(
                self.zeropower_via_newtonschulz5(direction, self.ns_steps)
                * of_dtype(scale, variable.dtype)
            )

    def _update_by_adam(self, rows: list, learning_rate: Any) -> None:
        variables, gradients, slots = (list(part) for part in zip(*rows, strict=True))
        step = self._step()
        beta_1_power = float32_power(self.adam_beta_1, step)
        beta_2_power = float32_power(self.adam_beta_2, step)
        _core.adam_update(
            variables,
            slots_named(slots, "momentum"),
            slots_named(slots, "velocity"),
            None,
            gradients,
            learning_rate=learning_rate * sqrt(1 - beta_2_power) / (1 - beta_1_power),
            beta_1=self.adam_beta_1,
            beta_2=self.adam_beta_2,
            epsilon=self.epsilon,
        )

    def zeropower_via_newtonschulz5(self, x: _core.Tensor, steps: int) -> _core.Tensor:
        """A matrix of the same rows and columns as `x` whose singular values are near one.

        Raises:
            ValueError: if `x` is no matrix.
        """
        if len(x.shape) < 2:
            raise ValueError(
                "Expected gradient or momentum to have at least 2 dimensions. "
                f"Received: shape={tuple(x.shape)}"
            )
        high = x.shape[-2] > x.shape[-1]
        if high:
            x = _ops.transpose(x)
        _, length, inverse = norms.scaled_norm(x, [-2, -1], keepdims=True)
        x = x * inverse / (length + 1e-7 * inverse)
        for _ in range(steps):
            square = _ops.matmul(x, x, transpose_b=True)
            x = x * self.muon_a + _ops.matmul(
                square * self.muon_b + _ops.matmul(square, square) * self.muon_c, x
            )
        return _ops.transpose(x) if high else x
