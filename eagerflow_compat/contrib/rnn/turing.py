"""NTMCell: a controller beside a memory that it reads and writes (Graves, Wayne and Danihelka, 1410.5401)."""

from __future__ import annotations

from typing import Any, NamedTuple

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras import legacy_initializers as initializers
from eagerflow.typing import Structure
from eagerflow_compat.contrib.rnn import parts
from eagerflow_compat.contrib.rnn.wrappers import Around
from eagerflow_compat.v1.rnn_cells import Like

_ops = _core.ops


class NTMControllerState(NamedTuple):
    """The state of an NTMCell.

    Attributes:
        controller_state: that of the controller.
        read_vector_list: what each reading head read, `[batch, memory_vector_dim]`.
        w_list: where each head is, weights `[batch, memory_size]` whose sum is 1; reading ones first.
        M: the memory, `[batch, memory_size, memory_vector_dim]`.
        time: the number of steps.
    """

    controller_state: Any
    read_vector_list: Any
    w_list: Any
    M: Any
    time: Any


class NTMCell(Around):
    """A neural Turing machine, of the form of Collier and Beel (arXiv 1807.08518).

    Each head finds a place by content, by its last place, and by a shift. State and memory begin with
    values that are learned.

    Args:
        controller: the cell that sees the inputs and what was read.
        memory_size: the number of places.
        memory_vector_dim: the size of each.
        read_head_num: how many heads read.
        write_head_num: how many heads write.
        shift_range: how far a head moves in a step, at most.
        output_dim: the size of the outputs, by default that of the inputs.
        clip_value: the limit of outputs and of the heads' parameters.
        dtype: of the variables.
        name: the name of the cell.

    >>> machine = tf.contrib.rnn.NTMCell(tf.contrib.rnn.LSTMCell(5), 8, 3, 1, 1, output_dim=2)
    >>> outputs, state = machine(tf.ones([4, 6]), machine.zero_state(4, tf.float32))
    >>> outputs.shape, state.M.shape
    (TensorShape([4, 2]), TensorShape([4, 8, 3]))
    """

    def __init__(
        self,
        controller: Any,
        memory_size: int,
        memory_vector_dim: int,
        read_head_num: int,
        write_head_num: int,
        shift_range: int = 1,
        output_dim: int | None = None,
        clip_value: float = 20,
        dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> None:
        super().__init__(controller)
        self._name = name
        self._dtype = dtypes.as_dtype(dtype)
        self._places, self._size = memory_size, memory_vector_dim
        self._reading, self._writing = read_head_num, write_head_num
        self._shifts = 2 * shift_range + 1
        self._output_dim = output_dim
        self._limit = clip_value
        self._first: Any = None

    @property
    def state_size(self) -> NTMControllerState:
        return NTMControllerState(
            controller_state=self._cell.state_size,
            read_vector_list=[self._size] * self._reading,
            w_list=[self._places] * (self._reading + self._writing),
            M=TensorShape([self._places, self._size]),
            time=TensorShape([]),
        )

    @property
    def output_size(self) -> Any:
        return self._output_dim

    def zero_state(self, batch_size: Any, dtype: Any) -> Structure:
        if self._first is None:
            with self._inside(None):
                reads = [self._start(f"read_{k}", [self._size]) for k in range(self._reading)]
                heads = range(self._reading + self._writing)
                weights = [self._start(f"head_{k}", [self._places]) for k in heads]
                self._first = reads, weights, self._start("M", [self._places, self._size])
        reads, weights, memory = self._first

        def for_all(value: Any) -> Any:
            return _ops.broadcast_to(value, [batch_size, *value.shape.as_list()])

        return NTMControllerState(
            controller_state=self._cell.zero_state(batch_size, dtype),
            read_vector_list=[for_all(_ops.tanh(value)) for value in reads],
            w_list=[for_all(_ops.softmax(_core.as_tensor(value))) for value in weights],
            M=for_all(_ops.tanh(memory)),
            time=_ops.zeros([], self._dtype),
        )

    def _start(self, name: str, shape: list[int]) -> Any:
        drawn = initializers.RandomNormal(0.0, 0.5)
        return self.add_variable(f"init_{name}", shape, initializer=drawn)

    def _make(self, inputs: Any) -> Any:
        features = parts.last_size(inputs.shape)
        if self._output_dim is None:
            self._output_dim = features
        drawn = initializers.GlorotUniform()
        self._head_size = self._size + 3 + self._shifts
        columns = self._head_size * (self._reading + self._writing) + 2 * self._size * self._writing
        controller = self._cell.output_size
        self._parameters = parts.Linear(self, controller, columns, "o2p", drawn)
        joined = controller + self._size * self._reading
        self._outputs = parts.Linear(self, joined, self._output_dim, "o2o", drawn)
        return Like(inputs, features + self._size * self._reading)

    def call(self, inputs: Any, state: Any) -> tuple[Any, NTMControllerState]:
        seen = _ops.concat([inputs, *state.read_vector_list], 1)
        hidden, controller_state = self._cell(seen, state.controller_state)
        parameters = parts.clipped(self._parameters(hidden), self._limit)
        heads = self._reading + self._writing
        sizes = [self._head_size] * heads + [self._size] * (2 * self._writing)
        found = list(_ops.split(parameters, sizes, 1))
        memory = state.M
        weights = [
            self._place(head, memory, last)
            for head, last in zip(found[:heads], state.w_list, strict=True)
        ]
        reads = [
            _ops.reduce_sum(_ops.expand_dims(w, 2) * memory, [1]) for w in weights[: self._reading]
        ]
        changes = found[heads:]
        for w, erase, add in zip(
            weights[self._reading :], changes[::2], changes[1::2], strict=True
        ):
            where = _ops.expand_dims(w, 2)
            memory = memory * (1 - where * _ops.expand_dims(_ops.sigmoid(erase), 1))
            memory = memory + where * _ops.expand_dims(_ops.tanh(add), 1)
        outputs = parts.clipped(self._outputs(hidden, *reads), self._limit)
        new = NTMControllerState(controller_state, reads, weights, memory, state.time + 1)
        return outputs, new

    def _place(self, head: Any, memory: Any, last: Any) -> Any:
        """The weights of a head, by equations 5 to 9 of the paper."""
        key, strength, gate, shift, sharpness = _ops.split(
            head, [self._size, 1, 1, self._shifts, 1], 1
        )
        key = _ops.expand_dims(_ops.tanh(key), 1)
        products = _ops.reduce_sum(key * memory, [2])
        lengths = _norm(key) * _norm(memory)
        alike = _ops.softmax(_ops.softplus(strength) * products / (lengths + 1e-8))
        gate, shift = _ops.sigmoid(gate), _ops.softmax(shift)
        mixed = gate * alike + (1 - gate) * last
        # The last parts of the shift are those to the left.
        reach = self._shifts // 2
        moved = sum(
            shift[:, k : k + 1] * _rolled(mixed, k if k <= reach else k - self._shifts)
            for k in range(self._shifts)
        )
        sharp = _ops.pow(moved, _ops.softplus(sharpness) + 1)
        return sharp / _ops.reduce_sum(sharp, [1], True)


def _norm(x: Any) -> Any:
    return _ops.sqrt(_ops.reduce_sum(_ops.square(x), [2]))


def _rolled(x: Any, distance: int) -> Any:
    """The columns moved to the right, the last ones to the beginning."""
    return _ops.concat([x[:, -distance:], x[:, :-distance]], 1) if distance else x
