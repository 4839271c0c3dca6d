"""Cells whose units see no other unit's state (Li et al., arXiv 1803.04831; Gonnet, 1903.08023)."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.keras import legacy_initializers as initializers
from eagerflow.typing import DTypeLike, ShapeLike, Structure
from eagerflow_compat.contrib.rnn import parts
from eagerflow_compat.v1.rnn_cells import LSTMStateTuple, RNNCell

_ops = _core.ops


class _Map:
    """`inputs @ kernel_w + state * kernel_u + bias`: a gate of every unit for each repetition."""

    def __init__(
        self,
        cell: RNNCell,
        rows: int,
        units: int,
        gates: int,
        scope: str = "",
        kernel: Any = None,
        bias: Any = None,
    ) -> None:
        prefix = f"{scope}/" if scope else ""
        columns = gates * units
        recurrent = initializers.RandomUniform(-1.0, 1.0) if kernel is None else kernel
        bias = initializers.Zeros() if bias is None else bias
        self._gates = gates
        self._w = cell.add_variable(f"{prefix}kernel_w", [rows, columns], initializer=kernel)
        self._u = cell.add_variable(f"{prefix}kernel_u", [1, columns], initializer=recurrent)
        self._b = cell.add_variable(f"{prefix}bias", [columns], initializer=bias)

    def __call__(self, inputs: Any, state: Any) -> Any:
        repeated = _ops.concat([state] * self._gates, 1) if self._gates > 1 else state
        return _ops.bias_add(_ops.matmul(inputs, self._w) + repeated * self._u, self._b)


class IndRNNCell(parts.VectorCell):
    """`activation(inputs @ kernel_w + state * kernel_u + bias)`.

    Args:
        num_units: the size of the state and the outputs.
        activation: by default tanh.
        reuse: whether existing variables of the scope are used.
        name: the cell's name.
        dtype: the dtype of the variables, by default that of the inputs.

    >>> cell = tf.contrib.rnn.IndRNNCell(3)
    >>> outputs, state = cell(tf.ones([2, 4]), cell.zero_state(2, tf.float32))
    >>> [v.shape.as_list() for v in cell.variables]
    [[4, 3], [1, 3], [3]]
    """

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(num_units, reuse, name, dtype)
        self._activation = parts.activation(activation)

    def build(self, inputs_shape: ShapeLike) -> None:
        self._map = _Map(self, parts.last_size(inputs_shape), self._num_units, 1)

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        output = self._activation(self._map(inputs, state))
        return output, output


class IndyGRUCell(parts.VectorCell):
    """A gated recurrent unit whose units are independent.

    Args:
        num_units: the size of the state and the outputs.
        activation: of the candidate, by default tanh.
        reuse: whether existing variables of the scope are used.
        kernel_initializer: of the kernels.
        bias_initializer: of the biases; by default ones for the gates and zeros for the candidate.
        name: the cell's name.
        dtype: the dtype of the variables, by default that of the inputs.
    """

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(num_units, reuse, name, dtype)
        self._activation = parts.activation(activation)
        self._starts = kernel_initializer, bias_initializer

    def build(self, inputs_shape: ShapeLike) -> None:
        rows, units = parts.last_size(inputs_shape), self._num_units
        kernel, bias = self._starts
        ones = initializers.Constant(1.0) if bias is None else bias
        self._gates = _Map(self, rows, units, 2, "gates", kernel, ones)
        self._candidate = _Map(self, rows, units, 1, "candidate", kernel, bias)

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        reset, update = parts.split(_ops.sigmoid(self._gates(inputs, state)), 2)
        candidate = self._activation(self._candidate(inputs, reset * state))
        new = update * state + (1.0 - update) * candidate
        return new, new


class IndyLSTMCell(parts.MemoryCell):
    """A long short-term memory whose units are independent.

    Args:
        num_units: the size of the memory and the outputs.
        forget_bias: is added to the forget gate.
        activation: of the candidate and the memory, by default tanh.
        reuse: whether existing variables of the scope are used.
        kernel_initializer: of the kernels.
        bias_initializer: of the bias, by default zeros.
        name: the cell's name.
        dtype: the dtype of the variables, by default that of the inputs.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        activation: Any = None,
        reuse: Any = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(num_units, None, reuse, name, dtype)
        self._forget_bias = forget_bias
        self._activation = parts.activation(activation)
        self._starts = kernel_initializer, bias_initializer

    def build(self, inputs_shape: ShapeLike) -> None:
        rows = parts.last_size(inputs_shape)
        self._map = _Map(self, rows, self._num_units, 4, "", *self._starts)

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        memory, hidden = state
        into, candidate, forget, out = parts.split(self._map(inputs, hidden), 4)
        kept = memory * _ops.sigmoid(forget + self._forget_bias)
        memory = kept + _ops.sigmoid(into) * self._activation(candidate)
        hidden = self._activation(memory) * _ops.sigmoid(out)
        return hidden, LSTMStateTuple(memory, hidden)
