"""Gated recurrent units (Cho et al., 2014)."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.keras.engine.layer_config import resolve_arguments
from eagerflow.keras.layers.arguments import with_arguments_of
from eagerflow.keras.layers.gated_rnn import GatedRNN, argument_names
from eagerflow.keras.layers.rnn_cell import GatedCell, as_dtype
from eagerflow.keras.typing import (
    ActivationLike,
    Config,
    ConstraintLike,
    InitializerLike,
    RegularizerLike,
)
from eagerflow.typing import Structure

_ops = _core.ops


class GRUCell(GatedCell):
    """One step of gated recurrent units.

    With gates z, r = recurrent_activation(x @ kernel + h @ recurrent_kernel + bias) and a
    candidate g, the new state is z * h + (1 - z) * g. The reset gate r is applied to what the
    state contributes to g, after the matrix product (`reset_after`) or before it. The kernels
    hold z, r and g side by side.

    Args:
        units: the size of the output and of the state.
        activation: for the candidate.
        kernel_initializer: for the kernel `[features, 3 * units]`.
        recurrent_initializer: for the recurrent kernel `[units, 3 * units]`.
        bias_initializer: for the bias `[3 * units]`, or `[2, 3 * units]` with `reset_after`.
        reset_after: whether the reset gate comes after the matrix product.
        **kwargs: `name`, `dtype`, `seed`, …

    Raises:
        ValueError: if `units` is not positive.

    >>> cell = tf.keras.layers.GRUCell(4)
    >>> output, states = cell(tf.ones([2, 3]), [tf.zeros([2, 4])])
    >>> output.shape
    TensorShape([2, 4])
    """

    _gates = 3

    def __init__(
        self,
        units: int,
        activation: ActivationLike = "tanh",
        recurrent_activation: ActivationLike = "sigmoid",
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
        reset_after: bool = True,
        **kwargs: Any,
    ) -> None:
        self.implementation = kwargs.pop("implementation", 2)
        super().__init__(**kwargs)
        self._set(units, use_bias, dropout, recurrent_dropout)
        if self.recurrent_dropout:
            self.implementation = 1
        resolve_arguments(self, locals())
        self.reset_after = reset_after
        self.state_size = self.units
        self.output_size = self.units
        self._bias_rows = 2 if reset_after else None

    def _input_bias(self) -> Any:
        return self.bias[0] if self.reset_after and self.bias is not None else self.bias

    def prepare(self, state: Structure, training: bool | _core.Tensor | None) -> Any:
        masks = super().prepare(state, training)
        if self.reset_after:
            return masks, None if self.bias is None else self.bias[1], None
        units = self.units
        gates, candidate = _ops.split(self.recurrent_kernel, [2 * units, units], 1)
        return masks, gates, candidate

    def advance(self, projection: Any, states: Structure, prepared: Any) -> tuple[Any, list[Any]]:
        h = states[0]
        masks, first, candidate = prepared
        units = self.units
        gate, activation = self.recurrent_activation, self.activation
        x_gates, x_g = _ops.split(projection, [2 * units, units], -1)
        if self.reset_after:
            inner = self._product(h, self.recurrent_kernel, masks)
            if first is not None:
                inner = _ops.bias_add(inner, first, "NHWC")
            h_gates, h_g = _ops.split(inner, [2 * units, units], -1)
            z, r = _ops.split(gate(_ops.add(x_gates, h_gates)), [units, units], -1)
            g = activation(_ops.add(x_g, _ops.multiply(r, h_g)))
        else:
            h_gates = self._product(h, first, masks and masks[:2])
            z, r = _ops.split(gate(_ops.add(x_gates, h_gates)), [units, units], -1)
            seen = h
            if masks is not None:
                seen = _ops.multiply(h, masks[2 if self.implementation == 1 else 0])
            g = activation(_ops.add(x_g, _ops.matmul(_ops.multiply(r, seen), candidate)))
        h = _ops.add(g, _ops.multiply(z, _ops.subtract(h, g)))
        return h, [h]

    def native_functions(self) -> tuple[str, ...] | None:
        return super().native_functions() if self.reset_after else None

    def run_native(
        self, projection: Any, states: list[Any], mask: Any, functions: tuple[str, ...]
    ) -> tuple[_core.Tensor, list[Any]]:
        dtype = projection.dtype
        bias = None if self.bias is None else self.bias[1]
        bias = _ops.zeros([3 * self.units], dtype) if bias is None else as_dtype(bias, dtype)
        kernel = as_dtype(self.recurrent_kernel, dtype)
        hs, h, _ = _ops.gru(projection, states[0], kernel, bias, mask, *functions)
        return hs, [h]

    def get_config(self) -> Config:
        return super().get_config() | {"implementation": self.implementation}


@with_arguments_of(GRUCell, GatedRNN)
class GRU(GatedRNN):
    """Gated recurrent units over the steps of sequences `[batch, steps, features]`.

    >>> tf.keras.layers.GRU(4)(tf.ones([2, 5, 3])).shape
    TensorShape([2, 4])
    """

    _cell_names = argument_names(GRUCell, "implementation")

    def __init__(
        self,
        units: int,
        activation: ActivationLike = "tanh",
        recurrent_activation: ActivationLike = "sigmoid",
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
        time_major: bool = False,
        reset_after: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(GRUCell, "gru_cell", locals())
