"""LSTM cells with normalized layers or weights, and with coupled or grouped gates."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.keras import legacy_initializers as initializers
from eagerflow.ops.nn.normalization import dropout
from eagerflow.typing import ShapeLike, Structure
from eagerflow_compat.contrib.rnn import parts
from eagerflow_compat.v1.rnn_cells import LSTMStateTuple

_ops = _core.ops

_GATES = ("input", "transform", "forget", "output")


class LayerNormBasicLSTMCell(parts.MemoryCell):
    """An LSTM with normalized layers, whose candidates can be dropped (arXiv 1603.05118).

    Args:
        num_units: the size of the memory and the outputs.
        forget_bias: is added to the forget gate.
        input_size: accepted.
        activation: of the candidate and the memory.
        layer_norm: whether gates and memory are normalized; if not, there is a bias.
        norm_gain: what the normalizations multiply by at first.
        norm_shift: what they add at first.
        dropout_keep_prob: the share of the candidate that is kept, a number or a scalar tensor.
        dropout_prob_seed: of the dropout.
        reuse: whether existing variables of the scope are used.

    >>> cell = tf.contrib.rnn.LayerNormBasicLSTMCell(3)
    >>> outputs, state = cell(tf.ones([2, 4]), cell.zero_state(2, tf.float32))
    >>> outputs.shape, state.c.shape, len(cell.variables)
    (TensorShape([2, 3]), TensorShape([2, 3]), 11)
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        input_size: object = None,
        activation: Any = None,
        layer_norm: bool = True,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        dropout_keep_prob: Any = 1.0,
        dropout_prob_seed: int | None = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(num_units, reuse=reuse)
        self._forget_bias = forget_bias
        self._activation = parts.activation(activation)
        self._layer_norm = layer_norm
        self._start = norm_gain, norm_shift
        self._keep_prob = dropout_keep_prob
        self._seed = dropout_prob_seed

    def build(self, inputs_shape: ShapeLike) -> None:
        units = self._num_units
        rows = parts.last_size(inputs_shape) + units
        bias = not self._layer_norm
        self._linear = parts.Linear(self, rows, 4 * units, bias=bias)
        scopes = (*_GATES, "state") if self._layer_norm else ()
        self._norms = parts.norms(self, scopes, units, *self._start)

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        memory, hidden = state
        gates = parts.split(self._linear(inputs, hidden), 4)
        if self._layer_norm:
            gates = [self._norms[k](gate) for k, gate in zip(_GATES, gates, strict=True)]
        into, candidate, forget, out = gates
        candidate = self._activation(candidate)
        if not isinstance(self._keep_prob, int | float) or self._keep_prob < 1:
            candidate = dropout(candidate, rate=1.0 - self._keep_prob, seed=self._seed)
        memory = memory * _ops.sigmoid(forget + self._forget_bias) + _ops.sigmoid(into) * candidate
        if self._layer_norm:
            memory = self._norms["state"](memory)
        hidden = self._activation(memory) * _ops.sigmoid(out)
        return hidden, LSTMStateTuple(memory, hidden)


class LayerNormLSTMCell(parts.MemoryCell):
    """An LSTM with peepholes, clipping and projection, whose layers may be normalized.

    Args:
        num_units: the size of the memory.
        use_peepholes: whether the gates see the memory.
        cell_clip: a limit for the memory.
        initializer: of the matrices and peepholes.
        num_proj: the size of the outputs, if they are projected.
        proj_clip: a limit for projected outputs.
        forget_bias: is added to the forget gate.
        activation: of the candidate and the memory, by default tanh.
        layer_norm: whether gates and memory are normalized.
        norm_gain: what the normalizations multiply by at first.
        norm_shift: what they add at first.
        reuse: whether existing variables of the scope are used.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        forget_bias: float = 1.0,
        activation: Any = None,
        layer_norm: bool = False,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        reuse: Any = None,
    ) -> None:
        super().__init__(num_units, num_proj, reuse)
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._proj_clip = proj_clip
        self._forget_bias = forget_bias
        self._activation = parts.activation(activation)
        self._layer_norm = layer_norm
        self._start = norm_gain, norm_shift

    def build(self, inputs_shape: ShapeLike) -> None:
        units, start = self._num_units, self._initializer
        rows = parts.last_size(inputs_shape) + self.output_size
        self._kernel = self.add_variable("kernel", [rows, 4 * units], initializer=start)
        # Checkpoints have a bias in both cases, of which normalized layers make no use.
        self._bias = self.add_variable("bias", [4 * units], initializer=initializers.Zeros())
        scopes = (*_GATES, "state") if self._layer_norm else ()
        self._norms = parts.norms(self, scopes, units, *self._start)
        if self._use_peepholes:
            self._peepholes = {
                gate: self.add_variable(f"w_{gate}_diag", [units], initializer=start)
                for gate in "fio"
            }
        if self._num_proj:
            size = self._num_proj
            self._project = parts.Linear(self, units, size, "projection", start, bias=False)

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        memory, hidden = state
        joined = _ops.matmul(_ops.concat([inputs, hidden], 1), self._kernel)
        if self._layer_norm:
            gates = parts.split(joined, 4)
            gates = [self._norms[k](gate) for k, gate in zip(_GATES, gates, strict=True)]
        else:
            gates = parts.split(_ops.bias_add(joined, self._bias), 4)
        into, candidate, forget, out = gates
        forget = forget + self._forget_bias
        if self._use_peepholes:
            forget = forget + self._peepholes["f"] * memory
            into = into + self._peepholes["i"] * memory
        kept = _ops.sigmoid(forget) * memory
        memory = kept + _ops.sigmoid(into) * self._activation(candidate)
        if self._layer_norm:
            memory = self._norms["state"](memory)
        memory = parts.clipped(memory, self._cell_clip)
        if self._use_peepholes:
            out = out + self._peepholes["o"] * memory
        hidden = _ops.sigmoid(out) * self._activation(memory)
        if self._num_proj:
            hidden = parts.clipped(self._project(hidden), self._proj_clip)
        return hidden, LSTMStateTuple(memory, hidden)


class CoupledInputForgetGateLSTMCell(parts.MemoryCell):
    """An LSTM that takes in just as much as it forgets (Greff et al., arXiv 1503.04069).

    Args:
        num_units: the size of the memory.
        use_peepholes: whether the gates see the memory.
        initializer: of the matrices and peepholes.
        num_proj: the size of the outputs, if they are projected.
        proj_clip: a limit for projected outputs.
        num_unit_shards: into how many variables the matrix is cut.
        num_proj_shards: into how many variables the projection is cut.
        forget_bias: is added to the forget gate.
        state_is_tuple: whether the state is an `LSTMStateTuple`, or one tensor.
        activation: of the candidate and the memory.
        reuse: whether existing variables of the scope are used.
        layer_norm: whether gates and memory are normalized.
        norm_gain: what the normalizations multiply by at first.
        norm_shift: what they add at first.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int = 1,
        num_proj_shards: int = 1,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        layer_norm: bool = False,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
    ) -> None:
        super().__init__(num_units, num_proj, reuse)
        self._use_peepholes = use_peepholes
        self._initializer = initializer
        self._proj_clip = proj_clip
        self._shards = num_unit_shards, num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = parts.activation(activation)
        self._layer_norm = layer_norm
        self._start = norm_gain, norm_shift

    @property
    def state_size(self) -> Any:
        sizes = super().state_size
        return sizes if self._state_is_tuple else sum(sizes)

    def build(self, inputs_shape: ShapeLike) -> None:
        units, start = self._num_units, self._initializer
        rows = parts.last_size(inputs_shape) + self.output_size
        self._matrix = parts.Sharded(self, "W", [rows, 3 * units], self._shards[0], start)
        self._bias = self.add_variable("B", [3 * units], initializer=initializers.Zeros())
        scopes = ("transform", "forget", "output", "state") if self._layer_norm else ()
        self._norms = parts.norms(self, scopes, units, *self._start)
        if self._use_peepholes:
            self._of_forget = self.add_variable("W_F_diag", [units], initializer=start)
            self._of_output = self.add_variable("W_O_diag", [units], initializer=start)
        if self._num_proj:
            shape = [units, self._num_proj]
            self._projection = parts.Sharded(self, "W_P", shape, self._shards[1], start)

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        if self._state_is_tuple:
            memory, hidden = state
        else:
            memory, hidden = _ops.split(state, [self._num_units, self.output_size], 1)
        joined = _ops.matmul(_ops.concat([inputs, hidden], 1), self._matrix.whole())
        if self._layer_norm:
            gates = zip(("transform", "forget", "output"), parts.split(joined, 3), strict=True)
            candidate, forget, out = (self._norms[scope](gate) for scope, gate in gates)
        else:
            candidate, forget, out = parts.split(_ops.bias_add(joined, self._bias), 3)
        forget = forget + self._forget_bias
        if self._use_peepholes:
            forget = forget + self._of_forget * memory
        kept = _ops.sigmoid(forget)
        memory = kept * memory + (1.0 - kept) * self._activation(candidate)
        if self._layer_norm:
            memory = self._norms["state"](memory)
        if self._use_peepholes:
            out = out + self._of_output * memory
        hidden = _ops.sigmoid(out) * self._activation(memory)
        if self._num_proj:
            hidden = _ops.matmul(hidden, self._projection.whole())
            hidden = parts.clipped(hidden, self._proj_clip)
        if self._state_is_tuple:
            return hidden, LSTMStateTuple(memory, hidden)
        return hidden, _ops.concat([memory, hidden], 1)


class GLSTMCell(parts.MemoryCell):
    """An LSTM of groups, each with a matrix of its own (Kuchaiev and Ginsburg, arXiv 1703.10722).

    Args:
        num_units: the size of the memory.
        initializer: of the matrices.
        num_proj: the size of the outputs, if they are projected.
        number_of_groups: into how many groups inputs and outputs are divided.
        forget_bias: is added to the forget gate.
        activation: of the memory.
        reuse: whether existing variables of the scope are used.

    Raises:
        ValueError: if a size is no multiple of the number of groups.
    """

    def __init__(
        self,
        num_units: int,
        initializer: Any = None,
        num_proj: int | None = None,
        number_of_groups: int = 1,
        forget_bias: float = 1.0,
        activation: Any = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(num_units, num_proj, reuse)
        self._initializer = initializer
        self._groups = number_of_groups
        self._forget_bias = forget_bias
        self._activation = parts.activation(activation)
        for name, size in ("num_units", num_units), ("num_proj", num_proj or 0):
            if size % number_of_groups:
                raise ValueError(f"{name} must be divisible by number_of_groups")

    def build(self, inputs_shape: ShapeLike) -> None:
        size, groups, units = parts.last_size(inputs_shape), self._groups, self._num_units
        if size % groups:
            raise ValueError("The size of the inputs must be divisible by number_of_groups")
        rows, start = (size + self.output_size) // groups, self._initializer
        self._of_group = [
            parts.Linear(self, rows, 4 * units // groups, f"group{k}", start, bias=False)
            for k in range(groups)
        ]
        zeros = initializers.Zeros()
        self._biases = [
            self.add_variable(f"bias_{gate}", [units], initializer=zeros) for gate in "ijfo"
        ]
        if self._num_proj:
            size = self._num_proj
            self._project = parts.Linear(self, units, size, "projection", start, bias=False)

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        memory, hidden = state
        pairs = zip(
            parts.split(inputs, self._groups), parts.split(hidden, self._groups), strict=True
        )
        by_group = [
            parts.split(linear(*pair), 4)
            for linear, pair in zip(self._of_group, pairs, strict=True)
        ]
        into, candidate, forget, out = (
            _ops.bias_add(_ops.concat(list(gate), 1), bias)
            for gate, bias in zip(zip(*by_group, strict=True), self._biases, strict=True)
        )
        kept = _ops.sigmoid(forget + self._forget_bias) * memory
        memory = kept + _ops.sigmoid(into) * _ops.tanh(candidate)
        hidden = _ops.sigmoid(out) * self._activation(memory)
        if self._num_proj:
            hidden = self._project(hidden)
        return hidden, LSTMStateTuple(memory, hidden)


class WeightNormLSTMCell(parts.MemoryCell):
    """An LSTM with weights of learned lengths (Salimans and Kingma, arXiv 1602.07868).

    Args:
        num_units: the size of the memory.
        norm: whether weights are normalized.
        use_peepholes: whether the gates see the memory.
        cell_clip: a limit for the memory.
        initializer: of all weights.
        num_proj: the size of the outputs, if they are projected.
        proj_clip: a limit for projected outputs.
        forget_bias: is added to the forget gate.
        activation: of the candidate and the memory, by default tanh.
        reuse: whether existing variables of the scope are used.
    """

    def __init__(
        self,
        num_units: int,
        norm: bool = True,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        forget_bias: float = 1,
        activation: Any = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(num_units, num_proj, reuse, name="wn_lstm_cell")
        self._norm = norm
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._proj_clip = proj_clip
        self._forget_bias = forget_bias
        self._activation = parts.activation(activation)

    def _weights(self, scope: str, sizes: list[int], columns: int) -> tuple[Any, list[Any]]:
        """A matrix for inputs of these sizes, and the lengths of the columns for each of them."""
        start = self._initializer
        kernel = self.add_variable(f"{scope}/kernel", [sum(sizes), columns], initializer=start)
        lengths = [
            self.add_variable(f"{scope}/norm_{k}", [columns], initializer=start)
            for k in range(len(sizes) if self._norm else 0)
        ]
        return kernel, lengths

    def build(self, inputs_shape: ShapeLike) -> None:
        units = self._num_units
        self._sizes = [parts.last_size(inputs_shape), self.output_size]
        # TensorFlow's cell enters the scope of its name twice.
        scope = "wn_lstm_cell"
        self._kernel = self._weights(scope, self._sizes, 4 * units)
        self._bias = self.add_variable(
            f"{scope}/bias", [4 * units], initializer=initializers.Zeros()
        )
        if self._use_peepholes:
            self._peepholes = {
                gate: self.add_variable(
                    f"{scope}/w_{gate}_diag", [units], initializer=self._initializer
                )
                for gate in "fio"
            }
        if self._num_proj:
            self._projection = self._weights(f"{scope}/projection", [units], self._num_proj)

    def _linear(self, x: Any, weights: tuple[Any, list[Any]], sizes: list[int]) -> Any:
        kernel, lengths = weights
        if lengths:
            rows = _ops.split(kernel, sizes, 0)
            kernel = _ops.concat(
                [
                    part
                    * _ops.rsqrt(_ops.maximum(_ops.reduce_sum(part * part, [0], True), 1e-12))
                    * length
                    for part, length in zip(rows, lengths, strict=True)
                ],
                0,
            )
        return _ops.matmul(x, kernel)

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        memory, hidden = state
        joined = self._linear(_ops.concat([inputs, hidden], 1), self._kernel, self._sizes)
        into, candidate, forget, out = parts.split(_ops.bias_add(joined, self._bias), 4)
        forget = forget + self._forget_bias
        if self._use_peepholes:
            forget = forget + self._peepholes["f"] * memory
            into = into + self._peepholes["i"] * memory
        kept = memory * _ops.sigmoid(forget)
        memory = kept + _ops.sigmoid(into) * self._activation(candidate)
        memory = parts.clipped(memory, self._cell_clip)
        if self._use_peepholes:
            out = out + self._peepholes["o"] * memory
        hidden = _ops.sigmoid(out) * self._activation(memory)
        if self._num_proj:
            hidden = self._linear(hidden, self._projection, [self._num_units])
            hidden = parts.clipped(hidden, self._proj_clip)
        return hidden, LSTMStateTuple(memory, hidden)
