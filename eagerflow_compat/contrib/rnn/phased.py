"""PhasedLSTMCell: an LSTM for events at irregular times (Neil et al., arXiv 1610.09513)."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core
from eagerflow.framework import context
from eagerflow.keras import legacy_initializers as initializers
from eagerflow.random import uniform
from eagerflow.typing import Structure
from eagerflow_compat.contrib.rnn import parts
from eagerflow_compat.v1.rnn_cells import LSTMStateTuple

_ops = _core.ops


class PhasedLSTMCell(parts.MemoryCell):
    """An LSTM whose units change only in their phase of a period that is learned.

    Inputs are a pair: times `[batch, 1]`, float32 or float64, and features `[batch, size]`, float32.

    Args:
        num_units: the size of the memory and the outputs.
        use_peepholes: whether the gates see the memory.
        leak: how far units that are closed change.
        ratio_on: the share of the period in which a unit is open.
        trainable_ratio_on: whether it is learned.
        period_init_min: the shortest period at first.
        period_init_max: the longest period at first.
        reuse: whether existing variables of the scope are used.

    >>> cell = tf.contrib.rnn.PhasedLSTMCell(3)
    >>> inputs = tf.ones([2, 1]), tf.ones([2, 4])
    >>> outputs, state = cell(inputs, cell.zero_state(2, tf.float32))
    >>> outputs.shape
    TensorShape([2, 3])
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        leak: float = 0.001,
        ratio_on: float = 0.1,
        trainable_ratio_on: bool = True,
        period_init_min: float = 1.0,
        period_init_max: float = 1000.0,
        reuse: Any = None,
    ) -> None:
        super().__init__(num_units, reuse=reuse, dtype="float32")
        self._use_peepholes = use_peepholes
        self._leak = leak
        self._ratio_on = ratio_on
        self._trainable_ratio_on = trainable_ratio_on
        self._periods = period_init_min, period_init_max

    def build(self, inputs_shape: Any) -> None:
        units = self._num_units
        rows = parts.last_size(inputs_shape[1]) + units
        with_memory = rows + units if self._use_peepholes else rows
        self._mask_gates = parts.Linear(self, with_memory, 2 * units, "mask_gates")
        self._new_input = parts.Linear(self, rows, units, "new_input")
        self._output_gate = parts.Linear(self, with_memory, units, "output_gate")
        shortest, longest = (math.log(value) for value in self._periods)

        def drawn(shape: Any, dtype: Any = "float32", **kwargs: Any) -> Any:
            return _ops.exp(uniform(shape, shortest, longest, dtype))

        self._period = self.add_variable("period", [units], initializer=drawn)

        def within(shape: Any, dtype: Any = "float32", **kwargs: Any) -> Any:
            eagerly = context.executing_eagerly()
            period = self._period if eagerly else self._period.initial_value
            return uniform(shape, 0.0, 1.0, dtype) * period

        self._phase = self.add_variable("phase", [units], initializer=within)
        self._open = self.add_variable(
            "ratio_on",
            [units],
            initializer=initializers.Constant(self._ratio_on),
            trainable=self._trainable_ratio_on,
        )

    def _position(self, time: Any) -> Any:
        """Where in its period each unit is, from 0 to 1; times have a gradient."""
        period = _ops.cast(self._period, time.dtype)
        shifted = time - _ops.cast(self._phase, time.dtype)
        remainder = _ops.stop_gradient(_ops.floormod(shifted, period) - shifted) + shifted
        return _ops.cast(remainder / period, "float32")

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        before, hidden = state
        time, features = (_core.as_tensor(part) for part in inputs)
        seen = [before] if self._use_peepholes else []
        into, forget = parts.split(_ops.sigmoid(self._mask_gates(features, hidden, *seen)), 2)
        candidate = _ops.tanh(self._new_input(features, hidden))
        memory = before * forget + into * candidate
        seen = [memory] if self._use_peepholes else []
        output = _ops.tanh(memory) * _ops.sigmoid(self._output_gate(features, hidden, *seen))
        position, ratio = self._position(time), _core.as_tensor(self._open)
        rising = 2.0 * position / ratio
        opened = _ops.select(position < ratio, 2.0 - rising, self._leak * position)
        opened = _ops.select(position < 0.5 * ratio, rising, opened)
        memory = opened * memory + (1.0 - opened) * before
        output = opened * output + (1.0 - opened) * hidden
        return output, LSTMStateTuple(memory, output)
