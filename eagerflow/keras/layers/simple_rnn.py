"""The plainest recurrent layer: its output is its state."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.keras.engine.layer_config import resolve_arguments
from eagerflow.keras.layers.arguments import UNCHANGED, with_arguments_of
from eagerflow.keras.layers.gated_rnn import GatedRNN, argument_names
from eagerflow.keras.layers.rnn_cell import GatedCell, as_dtype
from eagerflow.keras.typing import ActivationLike, ConstraintLike, InitializerLike, RegularizerLike
from eagerflow.typing import Structure

_ops = _core.ops


class SimpleRNNCell(GatedCell):
    """One step of a fully connected recurrent layer.

    The new state is activation(x @ kernel + h @ recurrent_kernel + bias).

    Args:
        units: the size of the output and of the state.
        activation: a function or its name.
        kernel_initializer: for the kernel `[features, units]`.
        recurrent_initializer: for the recurrent kernel `[units, units]`.
        bias_initializer: for the bias `[units]`.
        **kwargs: `name`, `dtype`, `seed`, …

    Raises:
        ValueError: if `units` is not positive.

    >>> cell = tf.keras.layers.SimpleRNNCell(4)
    >>> output, states = cell(tf.ones([2, 3]), [tf.zeros([2, 4])])
    >>> output.shape
    TensorShape([2, 4])
    """

    _gates = 1

    def __init__(
        self,
        units: int,
        activation: ActivationLike = "tanh",
        use_bias: bool = True,
        kernel_initializer: InitializerLike = "glorot_uniform",
        recurrent_initializer: InitializerLike = "orthogonal",
        bias_initializer: InitializerLike = "zeros",
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
        super().__init__(**kwargs)
        self._set(units, use_bias, dropout, recurrent_dropout)
        resolve_arguments(self, locals())
        self.state_size = self.units
        self.output_size = self.units

    def advance(self, projection: Any, states: Structure, prepared: Any) -> tuple[Any, list[Any]]:
        h = _ops.add(projection, self._product(states[0], self.recurrent_kernel, prepared))
        if self.activation not in UNCHANGED:
            h = self.activation(h)
        return h, [h]

    def run_native(
        self, projection: Any, states: list[Any], mask: Any, functions: tuple[str, ...]
    ) -> tuple[_core.Tensor, list[Any]]:
        kernel = as_dtype(self.recurrent_kernel, projection.dtype)
        hs, h = _ops.simple_rnn(projection, states[0], kernel, mask, *functions)
        return hs, [h]


@with_arguments_of(SimpleRNNCell, GatedRNN)
class SimpleRNN(GatedRNN):
    """A fully connected recurrent layer for sequences `[batch, steps, features]`.

    >>> tf.keras.layers.SimpleRNN(4, return_sequences=True)(tf.ones([2, 5, 3])).shape
    TensorShape([2, 5, 4])
    """

    _cell_names = argument_names(SimpleRNNCell)

    def __init__(
        self,
        units: int,
        activation: ActivationLike = "tanh",
        use_bias: bool = True,
        kernel_initializer: InitializerLike = "glorot_uniform",
        recurrent_initializer: InitializerLike = "orthogonal",
        bias_initializer: InitializerLike = "zeros",
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
        unroll: bool = False,
        **kwargs: Any,
    ) -> None:
        kwargs.pop("implementation", None)
        super().__init__(SimpleRNNCell, "simple_rnn_cell", locals())
