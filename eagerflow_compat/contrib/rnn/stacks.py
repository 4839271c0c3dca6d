"""Stacks of bidirectional networks, and what programs with networks of their own use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.typing import DTypeLike, Structure
from eagerflow_compat.v1.rnn import bidirectional_dynamic_rnn, static_bidirectional_rnn
from eagerflow_compat.v1.rnn_cells import RNNCell, batch_size
from eagerflow_compat.v1.variable_scope import variable_scope

_ops = _core.ops


def stack_bidirectional_rnn(
    cells_fw: Sequence[RNNCell],
    cells_bw: Sequence[RNNCell],
    inputs: Sequence[Any],
    initial_states_fw: Any = None,
    initial_states_bw: Any = None,
    dtype: DTypeLike | None = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], tuple[Any, ...], tuple[Any, ...]]:
    """Stacks bidirectional networks: each gets both outputs of the one below.

    Args:
        cells_fw: the cells that move forwards, lowest first.
        cells_bw: as many cells that move backwards.
        inputs: one tensor `[batch, features]` for each step.
        initial_states_fw: a state at first for each cell; zeros by default.
        initial_states_bw: the same backwards.
        dtype: of these zeros; needed without initial states.
        sequence_length: how long each row is.
        scope: the variable scope, "stack_bidirectional_rnn" by default.

    Returns:
        The outputs of the last network, a list; and the last states of all cells, forwards and
        backwards.

    Raises:
        ValueError: if there are no cells, or other numbers of them or of states.

    >>> cells = [[tf.contrib.rnn.GRUCell(3) for _ in range(2)] for _ in range(2)]
    >>> steps = [tf.ones([2, 4])] * 5
    >>> outputs, forwards, backwards = tf.contrib.rnn.stack_bidirectional_rnn(
    ...     *cells, steps, dtype=tf.float32
    ... )
    >>> len(outputs), outputs[0].shape, len(forwards)
    (5, TensorShape([2, 6]), 2)
    """

    def layer(forth: Any, back: Any, below: Any, states: tuple[Any, Any]) -> tuple[Any, Any, Any]:
        return static_bidirectional_rnn(forth, back, below, *states, dtype, sequence_length)

    starts = initial_states_fw, initial_states_bw
    return _stacked(cells_fw, cells_bw, inputs, starts, scope, layer)


def stack_bidirectional_dynamic_rnn(
    cells_fw: Sequence[RNNCell],
    cells_bw: Sequence[RNNCell],
    inputs: Any,
    initial_states_fw: Any = None,
    initial_states_bw: Any = None,
    dtype: DTypeLike | None = None,
    sequence_length: Any = None,
    parallel_iterations: object = None,
    time_major: bool = False,
    scope: Any = None,
    swap_memory: bool = False,
) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]]:
    """Stacks bidirectional networks over `[batch, time, features]`.

    Other arguments are those of `stack_bidirectional_rnn`.

    Args:
        cells_fw: the cells that move forwards, lowest first.
        cells_bw: as many cells that move backwards.
        inputs: `[batch, time, features]`, or `[time, batch, features]` if `time_major`.
        initial_states_fw: a state at first for each cell; zeros by default.
        initial_states_bw: the same backwards.
        dtype: of these zeros; needed without initial states.
        sequence_length: how long each row is.
        parallel_iterations: accepted.
        time_major: whether time comes first.
        scope: the variable scope, "stack_bidirectional_rnn" by default.
        swap_memory: accepted.

    Returns:
        The outputs of the last network, those forwards and backwards joined; and the last states of
        all cells, forwards and backwards.

    Raises:
        ValueError: if there are no cells, or other numbers of them or of states.
    """

    def layer(forth: Any, back: Any, below: Any, states: tuple[Any, Any]) -> tuple[Any, Any, Any]:
        outputs, ends = bidirectional_dynamic_rnn(
            forth, back, below, sequence_length, *states, dtype, time_major=time_major
        )
        return _ops.concat(list(outputs), 2), *ends

    starts = initial_states_fw, initial_states_bw
    return _stacked(cells_fw, cells_bw, inputs, starts, scope, layer)


def _stacked(
    cells_fw: Sequence[RNNCell],
    cells_bw: Sequence[RNNCell],
    inputs: Any,
    starts: tuple[Any, Any],
    scope: Any,
    layer: Callable[..., tuple[Any, Any, Any]],
) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]]:
    for cells, name in (cells_fw, "forward"), (cells_bw, "backward"):
        if not isinstance(cells, list) or not cells:
            raise ValueError(f"Must specify at least one {name} cell for the stack, in a list.")
    if len(cells_fw) != len(cells_bw):
        raise ValueError("Forward and Backward cells must have the same depth.")
    for states, name in zip(starts, ("initial_states_fw", "initial_states_bw"), strict=True):
        if states is not None and (
            not isinstance(states, list | tuple) or len(states) != len(cells_fw)
        ):
            raise ValueError(f"{name} must be a list of states (one per layer).")
    ends: list[tuple[Any, Any]] = []
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for k, pair in enumerate(zip(cells_fw, cells_bw, strict=True)):
            own = tuple(None if states is None else states[k] for states in starts)
            with variable_scope(f"cell_{k}"):
                inputs, *end = layer(*pair, inputs, own)
            ends.append((end[0], end[1]))
    forwards, backwards = zip(*ends, strict=True)
    return inputs, forwards, backwards


def transpose_batch_time(x: Any) -> Any:
    """A tensor with its first two axes exchanged.

    >>> tf.contrib.rnn.transpose_batch_time(tf.ones([2, 3, 4])).shape
    TensorShape([3, 2, 4])
    """
    x = _core.as_tensor(x)
    rank = x.shape.rank
    if rank is not None and rank < 2:
        raise ValueError(f"Expected input tensor {x} to have rank at least 2, but saw {x.shape}")
    return x if rank is None else _ops.transpose(x, [1, 0, *range(2, rank)])


def best_effort_input_batch_size(flat_input: Sequence[Structure]) -> Any:
    """The batch of inputs `[time, batch, ...]`: a number where one is known, or a scalar tensor."""
    for inputs in nest.flatten(list(flat_input)):
        shape = inputs.shape
        if shape.rank is not None and shape.rank >= 2 and shape.as_list()[1] is not None:
            return shape.as_list()[1]
    return batch_size(transpose_batch_time(nest.flatten(list(flat_input))[0]))
