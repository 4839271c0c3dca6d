"""LSTM cells that move along frequencies, too."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator, Sequence
from typing import Any

from eagerflow import _core
from eagerflow.keras import legacy_initializers as initializers
from eagerflow.ops import array
from eagerflow.typing import ShapeLike, Structure
from eagerflow_compat.contrib.rnn import parts
from eagerflow_compat.v1.rnn_cells import RNNCell, batch_size

_ops = _core.ops


def _windows(inputs: Any, start: int, end: int, size: int, skip: int) -> list[Any]:
    """Features `[batch, size]` of windows that begin `skip` apart."""
    count = (end - start - size) // skip + 1
    return [inputs[:, start + k * skip : start + k * skip + size] for k in range(count)]


class TimeFreqLSTMCell(RNNCell):
    """An LSTM that moves along the frequencies in each step (Sainath and Li, Interspeech 2016).

    The state is one tensor: the memory and the output of each frequency in turn.

    Args:
        num_units: the size of each memory.
        use_peepholes: whether the gates see the memory.
        cell_clip: a limit for the memory.
        initializer: of the matrix and peepholes.
        num_unit_shards: into how many variables the matrix is cut.
        forget_bias: is added to the forget gate.
        feature_size: the size of the windows of the inputs.
        frequency_skip: how far apart windows begin.
        reuse: whether existing variables of the scope are used.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: Any = None,
        frequency_skip: int = 1,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._shards = num_unit_shards
        self._forget_bias = forget_bias
        self._feature_size = feature_size
        self._skip = frequency_skip

    @property
    def state_size(self) -> int:
        return 2 * self._num_units

    @property
    def output_size(self) -> int:
        return self._num_units

    def build(self, inputs_shape: ShapeLike) -> None:
        units, start = self._num_units, self._initializer
        self._size = parts.last_size(inputs_shape)
        shape = [self._feature_size + 2 * units, 4 * units]
        self._matrix = parts.Sharded(self, "W", shape, self._shards, start)
        self._bias = self.add_variable("B", [4 * units], initializer=initializers.Zeros())
        self._peepholes = {
            gate: self.add_variable(f"W_{gate}_diag", [units], initializer=start)
            for gate in ("FIO" if self._use_peepholes else "")
        }

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        windows = _windows(inputs, 0, self._size, self._feature_size, self._skip)
        states = parts.split(state, 2 * len(windows))
        below: Any = _ops.zeros_like(states[0])
        outputs, new = [], []
        peepholes = self._peepholes
        for k, window in enumerate(windows):
            memory, hidden = states[2 * k : 2 * k + 2]
            joined = _ops.matmul(_ops.concat([window, hidden, below], 1), self._matrix.whole())
            into, candidate, forget, out = parts.split(_ops.bias_add(joined, self._bias), 4)
            forget = forget + self._forget_bias
            if peepholes:
                forget = forget + peepholes["F"] * memory
                into = into + peepholes["I"] * memory
            memory = _ops.sigmoid(forget) * memory + _ops.sigmoid(into) * _ops.tanh(candidate)
            memory = parts.clipped(memory, self._cell_clip)
            if peepholes:
                out = out + peepholes["O"] * memory
            below = _ops.sigmoid(out) * _ops.tanh(memory)
            outputs.append(below)
            new += [memory, below]
        return _ops.concat(outputs, 1), _ops.concat(new, 1)


class _Half:
    """The variables of one of the two LSTMs of a grid: that along frequencies, or that along time."""

    def __init__(self, cell: Any, kind: str, long: str, block: int, scope: str, rows: int) -> None:
        units, start = cell._num_units, cell._initializer
        columns = cell._gate_count * units
        name = f"{scope}W_{kind}_{block}"
        self.matrix = parts.Sharded(cell, name, [rows, columns], cell._shards, start)
        self.bias = cell.add_variable(
            f"{scope}B_{kind}_{block}", [columns], initializer=initializers.Zeros()
        )
        gates = ("IO" if cell._coupled else "FIO") if cell._use_peepholes else ""
        # By which memory a gate is opened: that along frequencies, and that along time.
        self.peepholes = {
            gate: [
                cell.add_variable(
                    f"{scope}W_{gate}_diag_{long}{by}_{block}", [units], initializer=start
                )
                for by in "ft"
            ]
            for gate in gates
        }

    def gates(self, inputs: Any, count: int) -> list[Any]:
        """The gates before their activations."""
        joined = _ops.bias_add(_ops.matmul(inputs, self.matrix.whole()), self.bias)
        return parts.split(joined, count)

    def seen(self, gate: str, along_frequency: Any, along_time: Any) -> Any:
        """What a gate sees of the memories."""
        if gate not in self.peepholes:
            return 0.0
        of_frequency, of_time = self.peepholes[gate]
        return of_frequency * along_frequency + of_time * along_time


class GridLSTMCell(RNNCell):
    """An LSTM along time and frequencies (Kalchbrenner, Danihelka and Graves, arXiv 1507.01526).

    Args:
        num_units: the size of each memory.
        use_peepholes: whether the gates see the memories.
        share_time_frequency_weights: whether both directions have the same weights.
        cell_clip: a limit for the memories.
        initializer: of the matrices and peepholes.
        num_unit_shards: into how many variables each matrix is cut.
        forget_bias: is added to the forget gates.
        feature_size: the size of the windows of the inputs.
        frequency_skip: how far apart windows begin.
        num_frequency_blocks: how many windows each block has, a list.
        start_freqindex_list: where each block begins; without it, there is one block.
        end_freqindex_list: where each block ends.
        couple_input_forget_gates: whether just as much is taken in as is forgotten.
        state_is_tuple: whether the state is a named tuple, or one tensor.
        reuse: whether existing variables of the scope are used.

    Raises:
        ValueError: without the number of windows, or if it is not that of the inputs.

    >>> cell = tf.contrib.rnn.GridLSTMCell(
    ...     3, feature_size=2, frequency_skip=1, num_frequency_blocks=[3]
    ... )
    >>> outputs, state = cell(tf.ones([2, 4]), cell.zero_state(2, tf.float32))
    >>> outputs.shape, state._fields[:2]
    (TensorShape([2, 18]), ('state_f00_b00_c', 'state_f00_b00_m'))
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        share_time_frequency_weights: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: Any = None,
        frequency_skip: Any = None,
        num_frequency_blocks: Any = None,
        start_freqindex_list: Sequence[int] | None = None,
        end_freqindex_list: Sequence[int] | None = None,
        couple_input_forget_gates: bool = False,
        state_is_tuple: bool = True,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        if num_frequency_blocks is None:
            raise ValueError("Must specify num_frequency_blocks")
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._shared = share_time_frequency_weights
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._shards = num_unit_shards
        self._forget_bias = forget_bias
        self._feature_size = feature_size
        self._skip = frequency_skip
        self._blocks = [int(count) for count in num_frequency_blocks]
        self._starts = start_freqindex_list
        self._ends = end_freqindex_list
        self._coupled = couple_input_forget_gates
        self._gate_count = 3 if couple_input_forget_gates else 4
        self._state_is_tuple = state_is_tuple
        self._tuple = self._tuple_type("GridLSTMStateTuple", ["state"])

    def _tuple_type(self, name: str, prefixes: Sequence[str]) -> Any:
        fields = [
            f"{prefix}_f{frequency:02d}_b{block:02d}_{part}"
            for prefix in prefixes
            for block, count in enumerate(self._blocks)
            for frequency in range(count)
            for part in "cm"
        ]
        return namedtuple(name, fields)

    @property
    def state_tuple_type(self) -> Any:
        """The class of states; None if they are one tensor."""
        return self._tuple if self._state_is_tuple else None

    @property
    def state_size(self) -> Any:
        sizes = [self._num_units] * len(self._tuple._fields)
        return self._tuple(*sizes) if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> int:
        return self._num_units * len(self._tuple._fields)

    def build(self, inputs_shape: ShapeLike) -> None:
        self._size = parts.last_size(inputs_shape)
        self._halves = self._make_halves("")

    def _make_halves(self, scope: str) -> list[tuple[_Half, _Half]]:
        """The weights of each block, along frequencies and along time."""
        rows = self._feature_size + 2 * self._num_units
        halves = []
        for block in range(len(self._blocks)):
            along = _Half(self, "f", "freq", block, scope, rows)
            over = along if self._shared else _Half(self, "t", "time", block, scope, rows)
            halves.append((along, over))
        return halves

    def _features(self, inputs: Any, offset: int = 0) -> list[list[Any]]:
        """The windows of each block, that far into the inputs; zeros where there are no inputs."""
        if offset:
            before, after = (-offset, 0) if offset < 0 else (0, offset)
            inputs = array.pad(inputs, [[0, 0], [before, after]])
            offset = max(offset, 0)
        starts, ends = self._starts or [0], self._ends if self._starts else [self._size]
        if not len(starts) == len(ends or ()) == len(self._blocks):
            raise ValueError(
                "There must be a start, an end and a number of windows for each block."
            )
        features = []
        for start, end, count in zip(starts, ends or (), self._blocks, strict=True):
            windows = _windows(inputs, start + offset, end + offset, self._feature_size, self._skip)
            if len(windows) != count:
                raise ValueError(
                    f"Invalid num_frequency_blocks, requires {count} but gets {len(windows)}, please "
                    "check the input size and filter config are correct."
                )
            features.append(windows)
        return features

    def _block(
        self, windows: list[Any], halves: tuple[_Half, _Half], states: Iterator[Any]
    ) -> tuple[list[Any], list[Any]]:
        """Outputs and new states of one block, whose states are next in `states`."""
        along, over = halves
        sizes = [batch_size(windows[0]), self._num_units]
        low_memory = low_hidden = _ops.zeros(sizes, windows[0].dtype)
        outputs, new = [], []
        for window in windows:
            memory, hidden = next(states), next(states)
            joined = _ops.concat([window, hidden, low_hidden], 1)
            gates = [along.gates(joined, self._gate_count)]
            gates.append(gates[0] if self._shared else over.gates(joined, self._gate_count))
            upper, later = (
                self._remembered(half, of_half, before, low_memory, memory)
                for half, of_half, before in zip(halves, gates, (low_memory, memory), strict=True)
            )
            low_hidden, later_hidden = (
                _ops.sigmoid(of_half[-1] + half.seen("O", upper, later)) * _ops.tanh(own)
                for half, of_half, own in zip(halves, gates, (upper, later), strict=True)
            )
            low_memory = upper
            outputs += [later_hidden, low_hidden]
            new += [later, later_hidden]
        return outputs, new

    def _remembered(self, half: _Half, gates: list[Any], before: Any, low: Any, memory: Any) -> Any:
        """The new memory of one of the two LSTMs."""
        into = _ops.sigmoid(gates[0] + half.seen("I", low, memory))
        if self._coupled:
            kept = 1.0 - into
        else:
            kept = _ops.sigmoid(gates[2] + self._forget_bias + half.seen("F", low, memory))
        return parts.clipped(kept * before + into * _ops.tanh(gates[1]), self._cell_clip)

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        if not self._state_is_tuple:
            state = parts.split(state, len(self._tuple._fields))
        states, outputs, new = iter(state), [], []
        for windows, halves in zip(self._features(inputs), self._halves, strict=True):
            of_block, after = self._block(windows, halves, states)
            outputs += of_block
            new += after
        joined = _ops.concat(outputs, 1)
        return joined, self._tuple(*new) if self._state_is_tuple else _ops.concat(new, 1)


class BidirectionalGridLSTMCell(GridLSTMCell):
    """A grid LSTM that moves along the frequencies in both directions, with weights for each.

    Args:
        num_units: the size of each memory; other arguments as those of `GridLSTMCell`.
        backward_slice_offset: how much later the windows of the second direction begin.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        share_time_frequency_weights: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: Any = None,
        frequency_skip: Any = None,
        num_frequency_blocks: Any = None,
        start_freqindex_list: Sequence[int] | None = None,
        end_freqindex_list: Sequence[int] | None = None,
        couple_input_forget_gates: bool = False,
        backward_slice_offset: int = 0,
        reuse: Any = None,
    ) -> None:
        super().__init__(
            num_units,
            use_peepholes,
            share_time_frequency_weights,
            cell_clip,
            initializer,
            num_unit_shards,
            forget_bias,
            feature_size,
            frequency_skip,
            num_frequency_blocks,
            start_freqindex_list,
            end_freqindex_list,
            couple_input_forget_gates,
            True,
            reuse,
        )
        self._offset = int(backward_slice_offset)
        prefixes = ["fwd_state", "bwd_state"]
        self._tuple = self._tuple_type("BidirectionalGridLSTMStateTuple", prefixes)

    def build(self, inputs_shape: ShapeLike) -> None:
        self._size = parts.last_size(inputs_shape)
        self._directions = [self._make_halves(scope) for scope in ("fwd/", "bwd/")]

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        forward = self._features(inputs)
        backward = self._features(inputs, self._offset) if self._offset else forward
        reverse = [windows[::-1] for windows in backward]
        states, outputs, new = iter(state), [], []
        for features, weights in zip((forward, reverse), self._directions, strict=True):
            for windows, halves in zip(features, weights, strict=True):
                of_block, after = self._block(windows, halves, states)
                outputs += of_block
                new += after
        return _ops.concat(outputs, 1), self._tuple(*new)
