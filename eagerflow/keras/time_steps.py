"""Loops over the time steps of sequences: what recurrent layers and `K.rnn` have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import dtypes
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.control_flow import while_loop
from eagerflow.ops.tensor_array import TensorArray

_ops = _core.ops
# A step returns an output, and new states, for an input and the states before.
Step = Callable[[Any, list[Any]], tuple[Any, list[Any]]]


def by_time(x: Any) -> Any:
    """A tensor `[batch, time, ...]` as `[time, batch, ...]`, or the other way round."""
    return _ops.transpose(x, [1, 0, *range(2, x.ndim)])


def over_steps(
    step: Step,
    inputs: Any,
    states: list[object],
    mask: Any = None,
    *,
    backwards: bool = False,
    zero: bool = False,
    axis: int | None = 0,
    unroll: bool = False,
) -> tuple[Any, Any, list[Any]]:
    """Applies a step to inputs, one after the other.

    While a function is traced, a step is traced twice, once for the loop and once before it.

    Args:
        step: returns an output in any structure, and the states after it.
        inputs: tensors `[time, batch, ...]` in any structure.
        states: the states at first.
        mask: bools `[time, batch]`: whether a sequence has a step, or None. Masked steps keep the
            states and repeat the last output, or zeros before the first.
        backwards: whether the last step comes first.
        zero: whether the output is zero where a sequence lacks a step.
        axis: where the outputs of all steps have their axis of time; None if they are not wanted.
        unroll: whether a traced function has nodes for each step instead of a loop.

    Returns:
        The last output; the outputs of all steps, or None; and the last states.
    """
    count = nest.flatten(inputs)[0]._sizes()[0]
    if _core.building() is not None and not (unroll and type(count) is int):
        return _in_graph(step, inputs, states, mask, count, backwards, zero, axis)
    columns = [_ops.unstack(x, axis=0) for x in nest.flatten(inputs)]
    rows = [nest.pack_sequence_as(inputs, list(row)) for row in zip(*columns, strict=True)]
    masks = [None] * count if mask is None else list(_ops.unstack(mask, axis=0))
    if backwards:
        rows.reverse()
        masks.reverse()
    outputs: list[Any] = []
    kept = None
    for x, present in zip(rows, masks, strict=True):
        output, states, kept = _one(step, x, states, present, kept, zero)
        outputs.append(output)
    if axis is None or not outputs:
        return outputs[-1] if outputs else None, None, states
    every = nest.map_structure(lambda *parts: _ops.stack(list(parts), axis), *outputs)
    return outputs[-1], every, states


def _one(
    step: Step, x: _core.Tensor, states: list[object], present: object, kept: object, zero: bool
) -> tuple[Any, list[Any], Any]:
    """The output of a step, the states after it, and what masked sequences put out next."""
    output, new = step(x, states)
    if present is None:
        return output, new, None
    if kept is None:
        kept = nest.map_structure(_ops.zeros_like, output)
    output = nest.map_structure(lambda a, b: _chosen(present, a, b), output, kept)
    new = [
        nest.map_structure(lambda a, b: _chosen(present, a, b), after, before)
        for after, before in zip(new, states, strict=True)
    ]
    return output, new, kept if zero else output


def _in_graph(
    step: Step,
    inputs: object,
    states: list[object],
    mask: Any,
    count: Any,
    backwards: bool,
    zero: bool,
    axis: int | None,
) -> tuple[Any, Any, list[Any]]:
    """`over_steps` as a loop of a graph.

    A step before the loop, whose results nobody needs, shows what steps return. As in TensorFlow,
    its random operations are counted.
    """

    def at(index: Any) -> tuple[Any, Any]:
        place = count - 1 - index if backwards else index
        row = nest.map_structure(lambda x: x[place], inputs)
        return row, None if mask is None else mask[place]

    batch = nest.flatten(inputs)[0]._sizes()[1]
    first, _ = step(at(0)[0], states)
    zeros = nest.map_structure(lambda leaf: _zeros_for(leaf, batch), first)
    arrays = []
    if axis is not None:
        arrays = [
            TensorArray(leaf.dtype, count, element_shape=leaf.shape) for leaf in nest.flatten(first)
        ]

    def body(index: Any, arrays: list, output: object, states: list[object]) -> tuple:
        row, present = at(index)
        output, states, _ = _one(step, row, states, present, zeros if zero else output, zero)
        leaves = nest.flatten(output)
        arrays = [array.write(index, leaf) for array, leaf in zip(arrays, leaves, strict=False)]
        return index + 1, arrays, output, states

    start = (_core.convert(0, dtypes.int32, None), arrays, zeros, states)
    # A step's batch size may be unknown although a stateful layer's states have one.
    kinds = (None, [None] * len(arrays), *nest.map_structure(_any_batch, (zeros, states)))
    _, arrays, output, states = while_loop(
        lambda index, *_: _ops.less(index, count), body, start, kinds, name="steps"
    )
    for leaf, before in zip(
        nest.flatten((output, states)), nest.flatten((zeros, start[3])), strict=True
    ):
        leaf.set_shape(before.shape)
    if axis is None:
        return output, None, states
    every = [array.stack() for array in arrays]
    if axis:
        every = [by_time(leaf) for leaf in every]
    return output, nest.pack_sequence_as(output, every), states


def _zeros_for(leaf: _core.Tensor, batch: int | _core.Tensor) -> _core.Tensor:
    """Zeros like a tensor `[batch, ...]`, whose value is not needed for them."""
    known = leaf._shape_tuple()
    if not known or None in known[1:]:
        return _ops.zeros_like(leaf)
    return _ops.zeros([batch, *known[1:]], leaf.dtype)


def _any_batch(value: _core.Tensor) -> TensorSpec | None:
    """The kind of a value whose first axis may have any size."""
    return TensorSpec([None, *value.shape[1:]], value.dtype) if value.shape.rank else None


def _chosen(present: Any, one: _core.Tensor, other: _core.Tensor) -> _core.Tensor:
    """Rows of `one` where `present` `[batch]` is True, else of `other`."""
    rows = _ops.reshape(present, [present._sizes()[0]] + [1] * (one.ndim - 1))
    return _ops.select(rows, one, other)
