"""Long short-term memory (Hochreiter and Schmidhuber, 1997)."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.keras import initializers
from eagerflow.keras.engine.layer_config import resolve_arguments
from eagerflow.keras.layers.arguments import with_arguments_of
from eagerflow.keras.layers.gated_rnn import GatedRNN, argument_names
from eagerflow.keras.layers.rnn_cell import GatedCell, as_dtype
from eagerflow.keras.typing import ActivationLike, ConstraintLike, InitializerLike, RegularizerLike

_ops = _core.ops


def lstm_bias_initializer(cell: Any, units: int) -> Any:
    """The initializer of a cell's bias, whose forget gate is one with `unit_forget_bias`."""
    if not cell.unit_forget_bias:
        return cell.bias_initializer
    own = cell.bias_initializer

    def initialize(shape: Any, dtype: Any = None, **kwargs: object) -> _core.Tensor:
        ones = initializers.get("ones")
        parts = [own((units,), dtype), ones((units,), dtype), own((units * 2,), dtype)]
        return _ops.concat(parts, 0)

    return initialize


class LSTMCell(GatedCell):
    """One step of an LSTM.

    With gates i, f, o = recurrent_activation(...) and candidates g = activation(...), each of
    x @ kernel + h @ recurrent_kernel + bias, the new states are c' = f * c + i * g and
    h' = o * activation(c'). The kernels hold i, f, g and o side by side.

    Args:
        units: the size of the output and of each state.
        activation: for candidates and output.
        kernel_initializer: for the kernel `[features, 4 * units]`.
        recurrent_initializer: for the recurrent kernel `[units, 4 * units]`.
        bias_initializer: for the bias `[4 * units]`.
        **kwargs: `name`, `dtype`, `seed`, …

    A call takes inputs `[batch, features]` and the list of states h and c, and returns h' and the
    list of new states.

    Raises:
        ValueError: if `units` is not positive.

    >>> cell = tf.keras.layers.LSTMCell(4)
    >>> output, states = cell(tf.ones([2, 3]), [tf.zeros([2, 4]), tf.zeros([2, 4])])
    >>> output.shape, len(states)
    (TensorShape([2, 4]), 2)
    """

    _gates = 4

    def __init__(
        self,
        units: int,
        activation: ActivationLike = "tanh",
        recurrent_activation: ActivationLike = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: InitializerLike = "glorot_uniform",
        recurrent_initializer: InitializerLike = "orthogonal",
        bias_initializer: InitializerLike = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        self.implementation = kwargs.pop("implementation", 2)
        super().__init__(**kwargs)
        self._set(units, use_bias, dropout, recurrent_dropout)
        if self.recurrent_dropout:
            self.implementation = 1
        resolve_arguments(self, locals())
        self.unit_forget_bias = unit_forget_bias
        self.state_size = [self.units, self.units]
        self.output_size = self.units

    def _bias_initializer(self) -> Any:
        return lstm_bias_initializer(self, self.units)

    def advance(self, projection: Any, states: Any, prepared: Any) -> tuple[Any, list[Any]]:
        h, c = states
        z = _ops.add(projection, self._product(h, self.recurrent_kernel, prepared))
        units = self.units
        gates = _ops.split(z, [units, units, units, units], 1)
        c, o = self._compute_carry_and_output_fused(gates, c)
        h = _ops.multiply(o, self.activation(c))
        return h, [h, c]

    def _compute_carry_and_output(self, x: _core.Tensor, h_tm1: Any, c_tm1: Any) -> tuple[Any, Any]:
        """The carry state and the output gate, for subclasses that compute the rest.

        Args:
            x: the projected inputs of the gates i, f, g and o, with their biases.
            h_tm1: the state h that each gate multiplies.
            c_tm1: the state c.
        """
        kernels = _ops.split(self.recurrent_kernel, [self.units] * 4, 1)
        gates = [
            _ops.add(part, _ops.matmul(h, kernel))
            for part, h, kernel in zip(x, h_tm1, kernels, strict=True)
        ]
        return self._compute_carry_and_output_fused(gates, c_tm1)

    def _compute_carry_and_output_fused(self, z: list[_core.Tensor], c_tm1: Any) -> tuple[Any, Any]:
        """As `_compute_carry_and_output`, of the gates i, f, g and o before their activations."""
        i, f, g, o = z
        gate = self.recurrent_activation
        c = _ops.add(_ops.multiply(gate(f), c_tm1), _ops.multiply(gate(i), self.activation(g)))
        return c, gate(o)

    def run_native(
        self, projection: Any, states: list[Any], mask: Any, functions: tuple[str, ...]
    ) -> tuple[_core.Tensor, list[Any]]:
        kernel = as_dtype(self.recurrent_kernel, projection.dtype)
        hs, h, c, _, _ = _ops.lstm(projection, states[0], states[1], kernel, mask, *functions)
        return hs, [h, c]

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {"implementation": self.implementation}


@with_arguments_of(LSTMCell, GatedRNN)
class LSTM(GatedRNN):
    """Long short-term memory over the steps of sequences `[batch, steps, features]`.

    >>> layer = tf.keras.layers.LSTM(4, return_sequences=True, return_state=True)
    >>> outputs, h, c = layer(tf.ones([2, 5, 3]))
    >>> outputs.shape, h.shape, c.shape
    (TensorShape([2, 5, 4]), TensorShape([2, 4]), TensorShape([2, 4]))
    """

    _cell_names = argument_names(LSTMCell, "implementation")

    def __init__(
        self,
        units: int,
        activation: ActivationLike = "tanh",
        recurrent_activation: ActivationLike = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: InitializerLike = "glorot_uniform",
        recurrent_initializer: InitializerLike = "orthogonal",
        bias_initializer: InitializerLike = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        time_major: bool = False,
        unroll: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(LSTMCell, "lstm_cell", locals())
