"""Cells that compute what the layers of cudnn_rnn do, and read their checkpoints."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.keras import legacy_initializers as initializers
from eagerflow.typing import ShapeLike, Structure
from eagerflow_compat.contrib.rnn import parts
from eagerflow_compat.contrib.rnn.fused import LSTMBlockCell

_ops = _core.ops


class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """The cell of `CudnnLSTM`: an LSTM that adds nothing to its forget gate.

    Args:
        num_units: the size of the memory and the outputs.
        reuse: whether existing variables of the scope are used.
    """

    def __init__(self, num_units: int, reuse: Any = None) -> None:
        super().__init__(num_units, 0.0, reuse=reuse, name="cudnn_compatible_lstm_cell")


class CudnnCompatibleGRUCell(parts.VectorCell):
    """The cell of `CudnnGRU`: its reset gate works on the product with the state.

    Args:
        num_units: the size of the state and the outputs.
        reuse: whether existing variables of the scope are used.
        kernel_initializer: of the matrices.

    >>> cell = tf.contrib.cudnn_rnn.CudnnCompatibleGRUCell(3)
    >>> outputs, state = cell(tf.ones([2, 4]), cell.zero_state(2, tf.float32))
    >>> outputs.shape
    TensorShape([2, 3])
    """

    def __init__(self, num_units: int, reuse: Any = None, kernel_initializer: Any = None) -> None:
        super().__init__(num_units, reuse, "cudnn_compatible_gru_cell")
        self._initializer = kernel_initializer

    def build(self, inputs_shape: ShapeLike) -> None:
        rows, units, start = parts.last_size(inputs_shape), self._num_units, self._initializer
        ones = initializers.Constant(1.0)
        self._gates = parts.Linear(
            self, rows + units, 2 * units, "gates", start, bias_initializer=ones
        )
        self._of_inputs = parts.Linear(self, rows, units, "candidate/input_projection", start)
        self._of_state = parts.Linear(self, units, units, "candidate/hidden_projection", start)

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        reset, update = parts.split(_ops.sigmoid(self._gates(inputs, state)), 2)
        candidate = _ops.tanh(self._of_inputs(inputs) + reset * self._of_state(state))
        new = update * state + (1.0 - update) * candidate
        return new, new
