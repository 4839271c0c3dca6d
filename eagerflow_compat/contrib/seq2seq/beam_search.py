"""Search for the likeliest sequences, several at a time."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.shapes import TensorShape
from eagerflow.ops import array, control_flow, indexing
from eagerflow.ops.nn.activation import log_softmax
from eagerflow.ops.tensor_array import TensorArray
from eagerflow.typing import Structure, TensorLike
from eagerflow_compat.contrib.seq2seq.attention_wrapper import AttentionWrapperState
from eagerflow_compat.contrib.seq2seq.decoder import Decoder, is_row_tensor
from eagerflow_compat.contrib.seq2seq.helpers import embedding_function

_ops = _core.ops

BeamSearchDecoderState = namedtuple(
    "BeamSearchDecoderState",
    ("cell_state", "log_probs", "finished", "lengths", "accumulated_attention_probs"),
)
BeamSearchDecoderState.__doc__ = "The state of a `BeamSearchDecoder`, `[batch, beam]` each."
BeamSearchDecoderOutput = namedtuple(
    "BeamSearchDecoderOutput", ("scores", "predicted_ids", "parent_ids")
)
BeamSearchDecoderOutput.__doc__ = "What is said at a step, `[batch, beam]` each."
FinalBeamSearchDecoderOutput = namedtuple(
    "FinalBeamSearchDecoderOutput", ("predicted_ids", "beam_search_decoder_output")
)
FinalBeamSearchDecoderOutput.__doc__ = "Whole sequences, the best beam first, and all steps."


def tile_batch(t: Structure, multiplier: int, name: str | None = None) -> Structure:
    """Repeats each row of the tensors of a nested structure.

    >>> tf.contrib.seq2seq.tile_batch(tf.constant([1, 2]), 2).numpy()
    array([1, 1, 2, 2], dtype=int32)
    """

    def tiled(x: TensorLike) -> _core.Tensor:
        x = _core.as_tensor(x)
        if x.shape.rank is None:
            raise ValueError("t must have statically known rank")
        return array.repeat(x, multiplier, axis=0)

    return nest.map_structure(tiled, t)


def gather_tree(step_ids: Any, parent_ids: Any, max_sequence_lengths: Any, end_token: Any) -> Any:
    """The sequences of beams, from their steps and where these came from.

    Args:
        step_ids: `[time, batch, beam]`.
        parent_ids: the beams of the step before, `[time, batch, beam]`.
        max_sequence_lengths: `[batch]`, how many of the steps count.
        end_token: the id that ends a sequence, with which it is filled.

    Returns:
        int32 `[time, batch, beam]`.

    >>> tf.contrib.seq2seq.gather_tree([[[1, 2]], [[3, 4]]], [[[0, 0]], [[1, 0]]], [2], 9).numpy()
    array([[[2, 1]],
    <BLANKLINE>
           [[3, 4]]], dtype=int32)
    """
    ids, parents = (_ops.cast(_core.as_tensor(x), "int32") for x in (step_ids, parent_ids))
    end = _ops.cast(_core.as_tensor(end_token), "int32")
    lengths = _ops.expand_dims(_ops.cast(_core.as_tensor(max_sequence_lengths), "int32"), 1)
    steps = array.shape(ids)[0]
    beams = _ops.zeros_like(ids[0]) + _ops.range(0, array.shape(ids)[2], 1)

    def back(k: Any, beams: Any, words: Any) -> tuple[Any, _core.Tensor, Any]:
        within = _ops.less(k, lengths)
        word = _ops.select(within, indexing.gather(ids[k], beams, batch_dims=1), end)
        before = indexing.gather(parents[k], beams, batch_dims=1)
        return k - 1, _ops.select(within, before, beams), words.write(k, word)

    words = TensorArray("int32", steps, element_shape=beams.shape)
    _, _, words = control_flow.while_loop(lambda k, *_: k >= 0, back, (steps - 1, beams, words))
    found = words.stack()
    ended = _ops.cumsum(_ops.cast(_ops.equal(found, end), "int32"), 0, exclusive=True)
    return _ops.select(_ops.greater(ended, 0), end, found)


class BeamSearchDecoder(Decoder):
    """Keeps the likeliest beginnings of sequences, and extends them.

    Args:
        cell: an `RNNCell`.
        embedding: a function of ids, or a table of rows.
        start_tokens: `[batch]`, the first ids.
        end_token: the id that ends a sequence, a scalar.
        initial_state: the cell's first state, of `batch * beam_width` rows (`tile_batch`).
        beam_width: how many sequences of a row are kept.
        output_layer: a layer that makes logits of the cell's outputs.
        length_penalty_weight: scores are divided by `((5 + length) / 6) ** weight`.
        coverage_penalty_weight: the weight of a penalty for steps of the memory that got less than
            one in all (Wu et al., 2016); the state must be an `AttentionWrapperState`.
        reorder_tensor_arrays: accepted; histories of weights are those of the beams as they ran.

    Raises:
        ValueError: if the first ids are no vector or the last is no scalar.
    """

    def __init__(
        self,
        cell: Any,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        initial_state: Structure,
        beam_width: int,
        output_layer: Any = None,
        length_penalty_weight: float = 0.0,
        coverage_penalty_weight: float = 0.0,
        reorder_tensor_arrays: bool = True,
    ) -> None:
        self._cell = cell
        self._embed = embedding_function(embedding)
        self._start_tokens = _core.convert(start_tokens, "int32", None)
        self._end_token = _core.convert(end_token, "int32", None)
        if self._start_tokens.shape.rank not in (None, 1):
            raise ValueError("start_tokens must be a vector")
        if self._end_token.shape.rank not in (None, 0):
            raise ValueError("end_token must be a scalar")
        self._width = beam_width
        self._output_layer = output_layer
        self._length_weight = length_penalty_weight
        self._coverage_weight = coverage_penalty_weight
        self._initial_state = initial_state
        self._tiled = array.repeat(_ops.expand_dims(self._start_tokens, 1), beam_width, axis=1)
        self._start_inputs = self._embed(self._tiled)

    @property
    def batch_size(self) -> _core.Tensor:
        return array.size(self._start_tokens)

    @property
    def output_size(self) -> BeamSearchDecoderOutput:
        return BeamSearchDecoderOutput(*[TensorShape([self._width])] * 3)

    @property
    def output_dtype(self) -> BeamSearchDecoderOutput:
        return BeamSearchDecoderOutput(self._dtype, "int32", "int32")

    @property
    def _dtype(self) -> Any:
        return next(x.dtype for x in nest.flatten(self._initial_state) if is_row_tensor(x))

    @property
    def tracks_own_finished(self) -> bool:
        return True

    def _split(self, x: Any) -> Any:
        """`[batch * beam, ...]` as `[batch, beam, ...]`."""
        if not is_row_tensor(x):
            return x
        return _ops.reshape(x, _sizes([self.batch_size, self._width, *x._sizes()[1:]]))

    def _merge(self, x: Any) -> Any:
        """`[batch, beam, ...]` as `[batch * beam, ...]`."""
        if not is_row_tensor(x):
            return x
        return _ops.reshape(x, _sizes([self.batch_size * self._width, *x._sizes()[2:]]))

    def initialize(self, name: str | None = None) -> tuple[Any, Any, Any]:
        shape = array.shape(self._tiled)
        first = _ops.equal(_ops.zeros_like(self._tiled) + _ops.range(0, self._width, 1), 0)
        log_probs = _ops.select(
            first,
            _ops.zeros(shape, self._dtype),
            _ops.fill(_core.convert(float("-inf"), self._dtype, None), shape),
        )
        covered: Any = ()
        if self._coverage_weight:
            weights = _ops.zeros_like(_alignments(self._initial_state))
            covered = self._split(weights)
        finished = _ops.fill(False, shape)
        state = BeamSearchDecoderState(
            cell_state=nest.map_structure(self._split, self._initial_state),
            log_probs=log_probs,
            finished=finished,
            lengths=_ops.zeros(shape, "int64"),
            accumulated_attention_probs=covered,
        )
        return finished, self._start_inputs, state

    def step(
        self, time: TensorLike, inputs: Structure, state: Structure, name: str | None = None
    ) -> tuple[BeamSearchDecoderOutput, BeamSearchDecoderState, Structure, _core.Tensor]:
        outputs, cell_state = self._cell(
            self._merge(inputs), nest.map_structure(self._merge, state.cell_state)
        )
        if self._output_layer is not None:
            outputs = self._output_layer(outputs)
        logits = self._split(outputs)
        cell_state = nest.map_structure(self._split, cell_state)
        said, state = self._extended(logits, cell_state, state)
        ended = _ops.reduce_all(state.finished)
        ids = _ops.select(ended, self._tiled, said.predicted_ids)
        return said, state, self._embed(ids), state.finished

    def _extended(self, logits: Any, cell_state: TensorLike, state: Structure) -> tuple[Any, Any]:
        """The best continuations of all beams, and the state in which they are."""
        words = logits._sizes()[2]
        finished = _ops.expand_dims(state.finished, 2)
        is_end = _ops.equal(_ops.range(0, words, 1), self._end_token)
        # A sequence that has ended goes on with its end only, at no cost.
        only_end = _ops.select(is_end, _core.convert(0.0, logits.dtype, None), _low(logits.dtype))
        step = _ops.select(finished, only_end, log_softmax(logits))
        total = _ops.expand_dims(state.log_probs, 2) + step
        grows = _ops.logical_and(_ops.logical_not(finished), _ops.logical_not(is_end))
        lengths = _ops.expand_dims(state.lengths, 2) + _ops.cast(grows, "int64")
        covered = state.accumulated_attention_probs
        scores = self._scores(total, lengths)
        if self._coverage_weight:
            weights = _alignments(cell_state)
            covered = _ops.select(finished, covered, covered + weights)
            penalty = _ops.reduce_sum(_ops.log(_ops.minimum(covered, 1.0)), [2], keepdims=True)
            scores = scores + penalty * self._coverage_weight
        flat = _ops.reshape(scores, _sizes([self.batch_size, words * self._width]))
        best, places = _ops.top_k(flat, self._width)
        ids, parents = places % words, places // words

        def of_parents(x: TensorLike) -> Any:
            return indexing.gather(x, parents, batch_dims=1) if is_row_tensor(x) else x

        probabilities = indexing.gather(
            _ops.reshape(total, array.shape(flat)), places, batch_dims=1
        )
        ended = of_parents(state.finished)
        new = BeamSearchDecoderState(
            cell_state=nest.map_structure(of_parents, cell_state),
            log_probs=probabilities,
            finished=_ops.logical_or(ended, _ops.equal(ids, self._end_token)),
            lengths=of_parents(state.lengths) + _ops.cast(_ops.logical_not(ended), "int64"),
            accumulated_attention_probs=of_parents(covered),
        )
        return BeamSearchDecoderOutput(best, ids, parents), new

    def _scores(self, total: _core.Tensor, lengths: _core.Tensor) -> _core.Tensor:
        if not self._length_weight:
            return total
        base = (5.0 + _ops.cast(lengths, total.dtype)) / 6.0
        return total / base**self._length_weight

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> tuple[Any, Any]:
        longest = _ops.cast(_ops.reduce_max(final_state.lengths, 1), "int32")
        ids = gather_tree(outputs.predicted_ids, outputs.parent_ids, longest, self._end_token)
        return FinalBeamSearchDecoderOutput(ids, outputs), final_state


def _sizes(sizes: list[TensorLike]) -> Any:
    """Sizes, some of them tensors, as the shape to give a tensor."""
    if all(isinstance(size, int) for size in sizes):
        return sizes
    return _ops.stack([_ops.cast(_core.as_tensor(size), "int32") for size in sizes], 0)


def _low(dtype: Any) -> _core.Tensor:
    return _core.convert(dtype.min, dtype, None)


def _alignments(state: Structure) -> Any:
    if not isinstance(state, AttentionWrapperState):
        raise ValueError("A coverage penalty needs the state of an AttentionWrapper.")
    return state.alignments
