"""Decoders, and the loop that runs them until all rows have ended."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.tensor import Tensor
from eagerflow.ops import array, control_flow
from eagerflow.ops.tensor_array import TensorArray
from eagerflow.typing import DTypeLike, Structure, TensorLike
from eagerflow_compat.v1.variable_scope import variable_scope

_ops = _core.ops

BasicDecoderOutput = namedtuple("BasicDecoderOutput", ("rnn_output", "sample_id"))
BasicDecoderOutput.__doc__ = "What a `BasicDecoder` says at each step: the cell's output, and ids."


class Decoder:
    """Base class of decoders."""

    @property
    def batch_size(self) -> _core.Tensor:
        """The number of rows, a scalar."""
        raise NotImplementedError

    @property
    def output_size(self) -> Structure:
        """The shapes of a row of the outputs, a nested structure."""
        raise NotImplementedError

    @property
    def output_dtype(self) -> Structure:
        """The dtypes of the outputs, in the same structure."""
        raise NotImplementedError

    def initialize(self, name: str | None = None) -> tuple[_core.Tensor, Structure, Structure]:
        """Which rows have ended, the first inputs, and the first state."""
        raise NotImplementedError

    def step(
        self, time: TensorLike, inputs: Structure, state: Structure, name: str | None = None
    ) -> tuple[Structure, Structure, Structure, _core.Tensor]:
        """Outputs, the next state, the next inputs, and which rows have ended."""
        raise NotImplementedError

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> tuple[Any, Any]:
        """What `dynamic_decode` returns for all outputs, time first, and the last state."""
        raise NotImplementedError

    @property
    def tracks_own_finished(self) -> bool:
        """Whether rows may go on after `step` said that they had ended, as beams that move do."""
        return False


class BasicDecoder(Decoder):
    """Repeats a cell; a helper says what it is fed.

    Args:
        cell: an `RNNCell`.
        helper: a `Helper`.
        initial_state: the cell's first state.
        output_layer: a layer that makes logits of the cell's outputs.

    Raises:
        TypeError: if the helper is none.
    """

    def __init__(
        self, cell: Any, helper: Any, initial_state: Structure, output_layer: Any = None
    ) -> None:
        if not hasattr(helper, "next_inputs"):
            raise TypeError(f"helper must be a Helper, received: {type(helper)}")
        self._cell = cell
        self._helper = helper
        self._initial_state = initial_state
        self._output_layer = output_layer

    @property
    def batch_size(self) -> _core.Tensor:
        return self._helper.batch_size

    @property
    def output_size(self) -> BasicDecoderOutput:
        return BasicDecoderOutput(
            output_shape(self._cell, self._output_layer), self._helper.sample_ids_shape
        )

    @property
    def output_dtype(self) -> BasicDecoderOutput:
        dtype = nest.flatten(self._initial_state)[0].dtype
        return BasicDecoderOutput(
            nest.map_structure(lambda _: dtype, self._cell.output_size),
            self._helper.sample_ids_dtype,
        )

    def initialize(self, name: str | None = None) -> tuple[_core.Tensor, Structure, Structure]:
        return (*self._helper.initialize(), self._initial_state)

    def step(
        self, time: TensorLike, inputs: Structure, state: Structure, name: str | None = None
    ) -> tuple[BasicDecoderOutput, Structure, Structure, _core.Tensor]:
        output, state = self._cell(inputs, state)
        if self._output_layer is not None:
            output = self._output_layer(output)
        ids = self._helper.sample(time=time, outputs=output, state=state)
        finished, inputs, state = self._helper.next_inputs(
            time=time, outputs=output, state=state, sample_ids=ids
        )
        return BasicDecoderOutput(output, ids), state, inputs, finished


def output_shape(cell: Any, output_layer: Any) -> Any:
    """The shape of a row of a cell's outputs, or of what a layer makes of them."""
    if output_layer is None:
        return nest.map_structure(TensorShape, cell.output_size)
    row = output_layer.compute_output_shape(TensorShape([None, cell.output_size]))
    return TensorShape(row)[1:]


def is_row_tensor(value: TensorLike) -> bool:
    """Whether a part of a state has a row for each row of the batch."""
    return isinstance(value, Tensor) and value.shape.rank != 0


def dynamic_decode(
    decoder: Decoder,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: TensorLike | None = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: str | None = None,
    **kwargs: Any,
) -> tuple[Structure, Structure, _core.Tensor]:
    """Runs a decoder until all rows have ended.

    Args:
        decoder: a `Decoder`.
        output_time_major: whether time comes first in the outputs.
        impute_finished: whether rows that have ended give zeros and keep their state.
        maximum_iterations: the largest number of steps.
        parallel_iterations: accepted.
        swap_memory: accepted.
        scope: the variable scope, by default "decoder".
        **kwargs: given to `decoder.initialize`.

    Returns:
        The outputs, `[batch, time, ...]`; the last state; and how many steps each row took.

    Raises:
        TypeError: if the decoder is none.

    >>> seq2seq, cell = tf.contrib.seq2seq, tf.compat.v1.nn.rnn_cell.GRUCell(4)
    >>> helper = seq2seq.TrainingHelper(tf.ones([2, 3, 5]), [3, 2])
    >>> decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32))
    >>> outputs, _, lengths = seq2seq.dynamic_decode(decoder)
    >>> outputs.rnn_output.shape, lengths.numpy()
    (TensorShape([2, 3, 4]), array([3, 2], dtype=int32))
    """
    if not hasattr(decoder, "step"):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with variable_scope(scope or "decoder"):
        most = None if maximum_iterations is None else _core.as_tensor(maximum_iterations)
        finished, inputs, state = decoder.initialize(**kwargs)
        zero = _core.as_tensor(0)
        if most is not None:
            finished = _ops.logical_or(finished, _ops.greater_equal(zero, most))

        def array_of(dtype: DTypeLike, shape: TensorShape) -> TensorArray:
            return TensorArray(dtype, 0, True, element_shape=[None, *TensorShape(shape).as_list()])

        arrays = nest.map_structure(array_of, decoder.output_dtype, decoder.output_size)

        def step(
            time: Any, arrays: Structure, state: Structure, inputs: Any, finished: Any, lengths: Any
        ) -> tuple[Structure, ...]:
            outputs, new, inputs, ended = decoder.step(time, inputs, state)
            if not decoder.tracks_own_finished:
                ended = _ops.logical_or(ended, finished)
            lengths = _ops.select(finished, lengths, _ops.fill(time + 1, array.shape(lengths)))
            if impute_finished:

                def kept(before: _core.Tensor, after: Any) -> _core.Tensor:
                    if not is_row_tensor(after):
                        return after
                    flags = _ops.reshape(finished, [-1] + [1] * (after.shape.rank - 1))
                    return _ops.select(flags, before, after)

                outputs = nest.map_structure(lambda x: kept(_ops.zeros_like(x), x), outputs)
                new = nest.map_structure(kept, state, new)
            arrays = nest.map_structure(lambda ta, x: ta.write(time, x), arrays, outputs)
            if most is not None:
                ended = _ops.logical_or(ended, _ops.greater_equal(time + 1, most))
            return time + 1, arrays, new, inputs, ended, lengths

        _, arrays, state, _, _, lengths = control_flow.while_loop(
            lambda time, arrays, state, inputs, finished, lengths: _ops.logical_not(
                _ops.reduce_all(finished)
            ),
            step,
            (zero, arrays, state, inputs, finished, _ops.zeros_like(_ops.cast(finished, "int32"))),
        )
        outputs = nest.map_structure(lambda ta: ta.stack(), arrays)
        if type(decoder).finalize is not Decoder.finalize:
            outputs, state = decoder.finalize(outputs, state, lengths)
        if not output_time_major:
            outputs = nest.map_structure(batch_first, outputs)
    return outputs, state, lengths


def batch_first(x: Any) -> Tensor:
    """A tensor `[time, batch, ...]` as `[batch, time, ...]`."""
    return _ops.transpose(x, [1, 0, *range(2, x.shape.rank)])
