"""Recurrent networks of version 1: a cell, repeated along time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.shapes import TensorShape
from eagerflow.ops import array, control_flow
from eagerflow.ops.control_flow import control_dependencies
from eagerflow.ops.indexing import reverse_sequence
from eagerflow.ops.tensor_array import TensorArray
from eagerflow.typing import DTypeLike, Structure, TensorLike
from eagerflow_compat.v1.rnn_cells import RNNCell, batch_size
from eagerflow_compat.v1.variable_scope import VariableScope, get_variable_scope, variable_scope

_ops = _core.ops


def _prepare(cell: RNNCell, inputs: Any) -> None:
    """Makes the variables of a cell, unless it is one that makes them when it is called."""
    if hasattr(cell, "prepare"):
        cell.prepare(inputs)


def _repeat(cell: Any, steps: list, state: Any, lengths: _core.Tensor | None) -> tuple[list, Any]:
    """Outputs for the steps and the last state; zeros and no change beyond the lengths."""
    outputs = []
    for k, inputs in enumerate(steps):
        if k == 1:  # cells that make variables when they are called share them from here on
            get_variable_scope().reuse_variables()
        output, new = cell(inputs, state)
        if lengths is not None:
            output, new = _alive(k, lengths, output, new, state)
        outputs.append(output)
        state = new
    return outputs, state


def _alive(k: Any, lengths: _core.Tensor, output: Any, new: Any, state: Any) -> tuple[Any, Any]:
    """The output and state after step `k`: of sequences that have ended, zeros and the old state."""
    alive = _ops.expand_dims(_ops.greater(lengths, _ops.cast(k, lengths.dtype)), 1)
    output = nest.map_structure(
        lambda part: _ops.select(alive, part, _ops.zeros_like(part)), output
    )
    return output, nest.map_structure(
        lambda after, before: _ops.select(alive, after, before), new, state
    )


def dynamic_rnn(
    cell: RNNCell,
    inputs: TensorLike,
    sequence_length: TensorLike | None = None,
    initial_state: Structure | None = None,
    dtype: DTypeLike | None = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: VariableScope | str | None = None,
) -> tuple[_core.Tensor, Structure]:
    """Repeats a cell along the time of its inputs.

    Args:
        cell: an `RNNCell`.
        inputs: `[batch, time, features]`, or `[time, batch, features]` if `time_major`; or a tuple or
            dictionary of such tensors, for cells that take one.
        sequence_length: how long each row is; outputs beyond are zeros, and the state stays.
        initial_state: the state at first; zeros by default.
        dtype: of these zeros; needed without an initial state.
        parallel_iterations: accepted.
        swap_memory: accepted.
        time_major: whether time comes first.
        scope: the variable scope, by default "rnn".

    Returns:
        The outputs, like the inputs, and the last state.

    Raises:
        ValueError: without an initial state and a dtype, or for inputs of another rank.

    >>> cell = tf.compat.v1.nn.rnn_cell.GRUCell(4)
    >>> outputs, state = tf.compat.v1.nn.dynamic_rnn(cell, tf.ones([2, 3, 5]), dtype=tf.float32)
    >>> outputs.shape, state.shape
    (TensorShape([2, 3, 4]), TensorShape([2, 4]))
    """
    if isinstance(inputs, tuple | dict):
        inputs = nest.map_structure(_core.as_tensor, inputs)
    else:
        inputs = _core.as_tensor(inputs)
    tensors = nest.flatten(inputs)
    for x in tensors:
        if x.shape.rank is not None and x.shape.rank < 3:
            raise ValueError(f"Inputs of dynamic_rnn have three axes or more, got {x.shape}")
    if initial_state is None and dtype is None:
        raise ValueError("If there is no initial_state, you must give a dtype.")
    lengths = None if sequence_length is None else _core.as_tensor(sequence_length)
    with variable_scope(scope or "rnn"):
        time_axis = 0 if time_major else 1
        first = nest.map_structure(lambda x: x[0] if time_major else x[:, 0], inputs)
        if initial_state is None:
            initial_state = cell.zero_state(batch_size(nest.flatten(first)[0]), dtype)
        _prepare(cell, first)

        counts = [x._shape_tuple()[time_axis] for x in tensors]
        if None in counts:
            return _loop(cell, inputs, initial_state, lengths, time_axis)
        if counts[0] == 0:
            empty = [*tensors[0]._sizes()[:2], cell.output_size]
            return _ops.zeros(empty, tensors[0].dtype), initial_state
        unstacked = zip(*(_ops.unstack(x, None, time_axis) for x in tensors), strict=True)
        steps = [nest.pack_sequence_as(inputs, step) for step in unstacked]
        outputs, last = _repeat(cell, steps, initial_state, lengths)
        # The name that TensorFlow's last operation has.
        name = "transpose_1" if time_axis else "TensorArrayStack/TensorArrayGatherV3"
        packed = nest.map_structure(
            lambda *parts: _ops.stack(list(parts), time_axis, name=name), *outputs
        )
        return packed, last


def _loop(cell: RNNCell, inputs: Any, state: Any, lengths: Any, time_axis: int) -> tuple[Any, Any]:
    """What `dynamic_rnn` returns where a graph does not know the number of steps."""

    def exchanged(x: Any) -> Any:
        return _ops.transpose(x, [1, 0, *range(2, x.shape.rank)]) if time_axis else x

    by_time = nest.map_structure(exchanged, inputs)
    count = nest.flatten(by_time)[0]._sizes()[0]
    dtype = nest.flatten(inputs)[-1].dtype
    collected = nest.map_structure(lambda _: TensorArray(dtype, size=count), cell.output_size)

    def step(k: Any, state: Structure, collected: Any) -> tuple[_core.Tensor, Structure, Structure]:
        (output,), new = _repeat(cell, [nest.map_structure(lambda x: x[k], by_time)], state, None)
        if lengths is not None:
            output, new = _alive(k, lengths, output, new, state)
        written = nest.map_structure(lambda array, part: array.write(k, part), collected, output)
        return k + 1, new, written

    _, last, written = control_flow.while_loop(
        lambda k, *_: k < count, step, (_core.as_tensor(0), state, collected)
    )

    def whole(array: Any) -> Any:
        rows = array.stack()
        return rows if rows.shape.rank is None else exchanged(rows)

    return nest.map_structure(whole, written), last


def static_rnn(
    cell: RNNCell,
    inputs: Sequence,
    initial_state: Structure | None = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    scope: VariableScope | str | None = None,
) -> tuple[list[_core.Tensor], Structure]:
    """Repeats a cell along a list of inputs.

    Args:
        cell: an `RNNCell`.
        inputs: one tensor `[batch, features]` for each step.
        initial_state: the state at first; zeros by default.
        dtype: of these zeros; needed without an initial state.
        sequence_length: how long each row is; outputs beyond are zeros, and the state stays.
        scope: the variable scope, by default "rnn".

    Returns:
        A list of outputs, and the last state.

    Raises:
        TypeError: if the inputs are no list.
        ValueError: if the list is empty, or there is neither an initial state nor a dtype.
    """
    if not isinstance(inputs, list | tuple):
        raise TypeError("inputs must be a sequence")
    if not inputs:
        raise ValueError("inputs must not be empty")
    if initial_state is None and dtype is None:
        raise ValueError("If no initial_state is provided, dtype must be specified")
    steps = [_core.as_tensor(step) for step in inputs]
    lengths = None if sequence_length is None else _core.as_tensor(sequence_length)
    with variable_scope(scope or "rnn"):
        if initial_state is None:
            initial_state = cell.zero_state(batch_size(steps[0]), dtype)
        _prepare(cell, steps[0])
        return _repeat(cell, steps, initial_state, lengths)


def static_state_saving_rnn(
    cell: RNNCell,
    inputs: Sequence,
    state_saver: Any,
    state_name: str | tuple[str, ...],
    sequence_length: TensorLike | None = None,
    scope: VariableScope | str | None = None,
) -> tuple[list[_core.Tensor], Structure]:
    """Repeats a cell along a list of inputs, from a state that is kept elsewhere.

    Args:
        cell: an `RNNCell`.
        inputs: one tensor `[batch, features]` for each step.
        state_saver: has `state(name)`, the state at first, and `save_state(name, state)`, which
            returns an operation that keeps the last one.
        state_name: the state's name; those of all tensors of a nested state, in the same structure.
        sequence_length: how long each row is.
        scope: the variable scope, by default "rnn".

    Returns:
        A list of outputs, and the last state. A graph that computes the last output keeps the state.

    Raises:
        ValueError: if there are other names than tensors of the state.
    """
    nested = nest.is_nested(cell.state_size)
    if nested != nest.is_nested(state_name):
        raise ValueError("state_name should be the same type as cell.state_size.")
    names = nest.flatten(state_name)
    if len(names) != len(nest.flatten(cell.state_size)):
        raise ValueError(
            f"Number of state names ({len(names)}) is not that of the cell's states "
            f"({len(nest.flatten(cell.state_size))})."
        )
    initial = [state_saver.state(name) for name in names]
    outputs, state = static_rnn(
        cell,
        inputs,
        nest.pack_sequence_as(cell.state_size, initial),
        sequence_length=sequence_length,
        scope=scope,
    )
    parts = nest.flatten(state)
    saved = [state_saver.save_state(name, part) for name, part in zip(names, parts, strict=True)]
    with control_dependencies([operation for operation in saved if operation is not None]):
        outputs[-1] = nest.map_structure(_ops.identity, outputs[-1])
        state = nest.pack_sequence_as(state, [_ops.identity(part) for part in parts])
    return outputs, state


def bidirectional_dynamic_rnn(
    cell_fw: RNNCell,
    cell_bw: RNNCell,
    inputs: TensorLike,
    sequence_length: TensorLike | None = None,
    initial_state_fw: Structure = None,
    initial_state_bw: Structure = None,
    dtype: DTypeLike | None = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: VariableScope | str | None = None,
) -> tuple[tuple, tuple]:
    """Repeats two cells along time, one of them from the end; arguments as in `dynamic_rnn`.

    Returns:
        A pair of outputs, and a pair of last states: forwards and backwards.
    """
    inputs = _core.as_tensor(inputs)
    lengths = None if sequence_length is None else _core.as_tensor(sequence_length)
    time_axis = 0 if time_major else 1

    def backwards(x: _core.Tensor) -> Any:
        return _reversed(x, lengths, time_axis)

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as inner:
            forth = dynamic_rnn(
                cell_fw,
                inputs,
                lengths,
                initial_state_fw,
                dtype,
                time_major=time_major,
                scope=inner,
            )
        with variable_scope("bw") as inner:
            outputs, state = dynamic_rnn(
                cell_bw,
                backwards(inputs),
                lengths,
                initial_state_bw,
                dtype,
                time_major=time_major,
                scope=inner,
            )
    back = nest.map_structure(backwards, outputs), state
    return (forth[0], back[0]), (forth[1], back[1])


def _reversed(x: _core.Tensor, lengths: _core.Tensor | None, time_axis: int) -> _core.Tensor:
    if lengths is None:
        return _ops.reverse(x, [time_axis])
    return reverse_sequence(x, lengths, seq_axis=time_axis, batch_axis=1 - time_axis)


def static_bidirectional_rnn(
    cell_fw: RNNCell,
    cell_bw: RNNCell,
    inputs: Sequence,
    initial_state_fw: Structure = None,
    initial_state_bw: Structure = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    scope: VariableScope | str | None = None,
) -> tuple[list[_core.Tensor], Structure, Structure]:
    """Repeats two cells along a list of inputs, one of them from the end.

    Returns:
        Outputs, each with those of both cells one after the other; the last state forwards; and
        the last state backwards.
    """
    if not isinstance(inputs, list | tuple):
        raise TypeError("inputs must be a sequence")
    stacked = _ops.stack(list(inputs), 0)
    outputs, states = bidirectional_dynamic_rnn(
        cell_fw,
        cell_bw,
        stacked,
        sequence_length,
        initial_state_fw,
        initial_state_bw,
        dtype,
        time_major=True,
        scope=scope,
    )
    joined = _ops.unstack(_ops.concat(list(outputs), 2))
    return list(joined), *states


def raw_rnn(
    cell: RNNCell,
    loop_fn: Callable[..., tuple[Structure, ...]],
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[TensorArray, Structure, Structure]:
    """Repeats a cell as long as a function says, which also makes its inputs.

    Args:
        cell: an `RNNCell`.
        loop_fn: gets the step (an int32 scalar), the cell's output, its state and the loop's state,
            at first `(0, None, None, None)`. Returns which rows have ended, the next input, the next
            state (at first the initial one), what to emit (at first None, or a structure that says
            how it looks), and the next state of the loop, or None.
        parallel_iterations: accepted.
        swap_memory: accepted.
        scope: the scope of the cell's variables, "rnn" by default.

    Returns:
        TensorArrays of what was emitted in each step, zeros for rows that had ended; the last state
        of each row; and the last state of the loop, or None.

    Raises:
        TypeError: if `loop_fn` is not callable.
    """
    if not callable(loop_fn):
        raise TypeError("loop_fn must be a callable")
    with variable_scope(scope or "rnn"):
        ended, inputs, state, emitted, loop_state = loop_fn(_ops.cast(0, "int32"), None, None, None)
        rows = array.shape(nest.flatten(inputs)[0])[0]
        if emitted is None:
            emitted = nest.map_structure(
                lambda size: _ops.zeros(
                    [rows, *TensorShape(size).as_list()], nest.flatten(state)[0].dtype
                ),
                cell.output_size,
            )
        else:
            emitted = nest.map_structure(
                lambda part: _ops.zeros(
                    array.concat([[rows], array.shape(part)], 0), _core.as_tensor(part).dtype
                ),
                emitted,
            )
        keeps = loop_state is not None
        arrays = nest.map_structure(
            lambda part: TensorArray(part.dtype, 0, True, element_shape=part.shape), emitted
        )

        def running(time: object, ended: Any, *others: object) -> _core.Tensor:
            return _ops.logical_not(_ops.reduce_all(ended))

        def step(
            time: Any, ended: Any, inputs: Any, state: Structure, arrays: Any, loop_state: Any
        ) -> Any:
            output, new = cell(inputs, state)
            given = loop_state if keeps else None
            more, next_inputs, new, emit, next_loop = loop_fn(time + 1, output, new, given)

            def kept(before: Any, after: Any) -> Any:
                flags = _ops.reshape(ended, [-1] + [1] * (after.shape.rank - 1))
                return _ops.select(flags, before, after)

            emit = nest.map_structure(kept, emitted, emit)
            new = nest.map_structure(kept, state, new)
            written = nest.map_structure(lambda ta, part: ta.write(time, part), arrays, emit)
            ended = _ops.logical_or(ended, more)
            return time + 1, ended, next_inputs, new, written, next_loop if keeps else loop_state

        first = (_ops.cast(0, "int32"), ended, inputs, state, arrays, loop_state if keeps else 0)
        _, _, _, state, arrays, loop_state = control_flow.while_loop(running, step, first)
    return arrays, state, loop_state if keeps else None
