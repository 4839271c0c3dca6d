"""Cells that TensorFlow computes by one kernel, and cells that take all steps in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eagerflow import _core
from eagerflow.keras import legacy_initializers as initializers
from eagerflow.ops.indexing import reverse_sequence
from eagerflow.typing import DTypeLike, ShapeLike, Structure
from eagerflow_compat.contrib.rnn import parts
from eagerflow_compat.v1.rnn import dynamic_rnn, static_rnn
from eagerflow_compat.v1.rnn_cells import GRUCell, LSTMCell, LSTMStateTuple

_ops = _core.ops


class LSTMBlockCell(LSTMCell):
    """An LSTM whose variables are named as those of `LSTMCell`, "lstm_cell" by default.

    Args:
        num_units: the size of the memory and the outputs.
        forget_bias: is added to the forget gate.
        cell_clip: a limit for the memory; None or a negative number is none.
        use_peephole: whether the gates see the memory.
        dtype: the dtype of the variables, by default that of the inputs.
        reuse: whether existing variables of the scope are used.
        name: the cell's name.

    >>> cell = tf.contrib.rnn.LSTMBlockCell(3)
    >>> outputs, state = cell(tf.ones([2, 4]), cell.zero_state(2, tf.float32))
    >>> outputs.shape, cell.name
    (TensorShape([2, 3]), 'lstm_cell')
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        dtype: DTypeLike | None = None,
        reuse: Any = None,
        name: str | None = "lstm_cell",
    ) -> None:
        clip = None if cell_clip is None or cell_clip < 0 else cell_clip
        super().__init__(
            num_units,
            use_peephole,
            clip,
            forget_bias=forget_bias,
            reuse=reuse,
            name=name,
            dtype=dtype,
        )


class GRUBlockCellV2(GRUCell):
    """A gated recurrent unit whose variables are named as those of `GRUCell`, "gru_cell" by default.

    Args:
        num_units: the size of the state and the outputs.
        cell_size: its older name.
        reuse: whether existing variables of the scope are used.
        name: the cell's name.

    Raises:
        ValueError: if both or none of the first two are given.
    """

    def __init__(
        self,
        num_units: int | None = None,
        cell_size: int | None = None,
        reuse: Any = None,
        name: str | None = "gru_cell",
    ) -> None:
        if (num_units is None) == (cell_size is None):
            raise ValueError("Exactly one of num_units or cell_size must be provided.")
        super().__init__(num_units or cell_size or 0, reuse=reuse, name=name)


class GRUBlockCell(GRUBlockCellV2):
    """A gated recurrent unit with names of variables of its own: w_ru, b_ru, w_c, b_c."""

    def build(self, inputs_shape: ShapeLike) -> None:
        units = self._num_units
        rows = parts.last_size(inputs_shape) + units
        ones, zeros = initializers.Constant(1.0), initializers.Zeros()
        self._gate_kernel = self.add_variable("w_ru", [rows, 2 * units])
        self._gate_bias = self.add_variable("b_ru", [2 * units], initializer=ones)
        self._candidate_kernel = self.add_variable("w_c", [rows, units])
        self._candidate_bias = self.add_variable("b_c", [units], initializer=zeros)


class FusedRNNCell:
    """Base class of cells that take all steps in one call.

    A call gets inputs `[time, batch, features]`, or a list of steps, and returns the outputs in the
    same way, and the last state.
    """

    def __call__(
        self,
        inputs: Any,
        initial_state: Structure = None,
        dtype: DTypeLike | None = None,
        sequence_length: Any = None,
        scope: Any = None,
    ) -> tuple[Any, Any]:
        """Outputs and the last state.

        Args:
            inputs: `[time, batch, features]`, or a list of `[batch, features]`.
            initial_state: the state at first; zeros by default.
            dtype: of these zeros; needed without an initial state.
            sequence_length: how long each row is; outputs beyond are zeros, and the state stays.
            scope: the variable scope.
        """
        raise NotImplementedError(f"{type(self).__name__} defines no __call__().")


class LSTMBlockFusedCell(FusedRNNCell):
    """An LSTM that takes all steps in one call, with variables as those of `LSTMBlockCell`.

    Args:
        num_units: the size of the memory and the outputs.
        forget_bias: is added to the forget gate.
        cell_clip: a limit for the memory; None or a negative number is none.
        use_peephole: whether the gates see the memory.
        reuse: whether existing variables of the scope are used.
        dtype: the dtype of the variables, by default that of the inputs.
        name: the cell's name, which comes before the names of its variables.

    >>> cell = tf.contrib.rnn.LSTMBlockFusedCell(3)
    >>> outputs, state = cell(tf.ones([5, 2, 4]), dtype=tf.float32)
    >>> outputs.shape, state.h.shape
    (TensorShape([5, 2, 3]), TensorShape([2, 3]))
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        reuse: Any = None,
        dtype: DTypeLike | None = None,
        name: str = "lstm_fused_cell",
    ) -> None:
        self._cell = LSTMBlockCell(
            num_units, forget_bias, cell_clip, use_peephole, dtype, reuse, name
        )

    @property
    def num_units(self) -> int:
        """The size of the memory and the outputs."""
        return self._cell.output_size

    @property
    def name(self) -> str:
        """The name of the cell."""
        return self._cell.name

    @property
    def variables(self) -> list[_core.Variable]:
        """The variables."""
        return self._cell.variables

    weights = variables
    trainable_variables = variables
    trainable_weights = variables

    def __call__(
        self,
        inputs: Any,
        initial_state: Structure = None,
        dtype: DTypeLike | None = None,
        sequence_length: Any = None,
        scope: Any = None,
    ) -> tuple[Any, Any]:
        listed = isinstance(inputs, list | tuple)
        x = _ops.stack(list(inputs), 0) if listed else _core.as_tensor(inputs)
        self._cell.prepare(x[0], scope)
        if initial_state is None:
            if dtype is None:
                raise ValueError("Either initial_state or dtype needs to be specified")
        else:
            initial_state = LSTMStateTuple(*initial_state)
        outputs, state = _steps(self._cell, x, initial_state, dtype, sequence_length)
        return list(_ops.unstack(outputs)) if listed else outputs, state


def _steps(cell: Any, x: Any, state: Structure, dtype: Any, lengths: Any) -> tuple[Any, Any]:
    """What `dynamic_rnn` returns, with variables that exist already."""
    return dynamic_rnn(cell, x, lengths, state, dtype, time_major=True, scope=cell._own_scope(None))


class FusedRNNCellAdaptor(FusedRNNCell):
    """A cell of single steps as one that takes all of them.

    Args:
        cell: an `RNNCell`.
        use_dynamic_rnn: whether it is called by `dynamic_rnn`, and not for each of a list of steps.
    """

    def __init__(self, cell: Any, use_dynamic_rnn: bool = False) -> None:
        self._cell = cell
        self._use_dynamic_rnn = use_dynamic_rnn

    def __call__(
        self,
        inputs: Any,
        initial_state: Structure = None,
        dtype: DTypeLike | None = None,
        sequence_length: Any = None,
        scope: Any = None,
    ) -> tuple[Any, Any]:
        listed = isinstance(inputs, list | tuple)
        if self._use_dynamic_rnn:
            x = _ops.stack(list(inputs), 0) if listed else inputs
            outputs, state = dynamic_rnn(
                self._cell, x, sequence_length, initial_state, dtype, time_major=True, scope=scope
            )
            return list(_ops.unstack(outputs)) if listed else outputs, state
        steps: Sequence[Any] = inputs if listed else _ops.unstack(_core.as_tensor(inputs))
        given, state = static_rnn(
            self._cell, list(steps), initial_state, dtype, sequence_length, scope
        )
        return given if listed else _ops.stack(given, 0), state


class TimeReversedFusedRNN(FusedRNNCell):
    """A fused cell that begins at the end of each row; outputs are in the order of the inputs.

    Args:
        cell: a `FusedRNNCell`.
    """

    def __init__(self, cell: FusedRNNCell) -> None:
        self._cell = cell

    def __call__(
        self,
        inputs: Any,
        initial_state: Structure = None,
        dtype: DTypeLike | None = None,
        sequence_length: Any = None,
        scope: Any = None,
    ) -> tuple[Any, Any]:
        reverse = _turned(inputs, sequence_length)
        outputs, state = self._cell(reverse, initial_state, dtype, sequence_length, scope)
        return _turned(outputs, sequence_length), state


def _turned(x: Any, lengths: Any) -> Any:
    """Steps in the opposite order, within the length of each row."""
    if isinstance(x, list | tuple):
        if lengths is None:
            return list(reversed(x))
        return list(_ops.unstack(_turned(_ops.stack(list(x), 0), lengths)))
    if lengths is None:
        return _ops.reverse(x, [0])
    return reverse_sequence(x, lengths, seq_axis=0, batch_axis=1)
