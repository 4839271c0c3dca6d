"""Scores and likelihoods of sequences of tags (Lafferty, McCallum and Pereira, 2001).

A sequence's score is the sum of its tags' potentials and of the transitions between them.
"""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.ops import array, creation, indexing, reduction
from eagerflow.typing import DTypeLike, Structure, TensorLike
from eagerflow_compat.v1.rnn import dynamic_rnn
from eagerflow_compat.v1.rnn_cells import RNNCell
from eagerflow_compat.v1.variable_scope import get_variable

_ops = _core.ops


def positions_within(lengths: TensorLike, count: TensorLike, dtype: DTypeLike) -> _core.Tensor:
    """`[batch, count]`: ones at the positions of sequences of these lengths, zeros beyond."""
    return creation.sequence_mask(lengths, count, dtype=dtype)


def crf_unary_score(tag_indices: Any, sequence_lengths: TensorLike, inputs: Any) -> _core.Tensor:
    """The sums of the tags' potentials.

    Args:
        tag_indices: `[batch, time]`, integers.
        sequence_lengths: `[batch]`, how many of the steps count.
        inputs: potentials, `[batch, time, tags]`.

    Returns:
        `[batch]`.

    >>> potentials = tf.constant([[[1.0, 2.0], [3.0, 4.0]]])
    >>> tf.contrib.crf.crf_unary_score([[0, 1]], [2], potentials).numpy()
    array([5.], dtype=float32)
    """
    inputs = _core.as_tensor(inputs)
    found = indexing.gather(inputs, tag_indices, batch_dims=2)
    return _ops.reduce_sum(
        found * positions_within(sequence_lengths, array.shape(inputs)[1], inputs.dtype), 1
    )


def crf_binary_score(tag_indices: Any, sequence_lengths: TensorLike, transition_params: Any) -> Any:
    """The sums of the transitions between the tags.

    Args:
        tag_indices: `[batch, time]`, integers.
        sequence_lengths: `[batch]`, how many of the steps count.
        transition_params: `[tags, tags]`, from each tag to each.

    Returns:
        `[batch]`.
    """
    tags = _core.as_tensor(tag_indices)
    transitions = _core.as_tensor(transition_params)
    found = indexing.gather_nd(transitions, _ops.stack([tags[:, :-1], tags[:, 1:]], 2))
    lengths = _core.as_tensor(sequence_lengths) - 1
    alive = positions_within(lengths, array.shape(tags)[1] - 1, transitions.dtype)
    return _ops.reduce_sum(found * alive, 1)


def crf_sequence_score(
    inputs: Any, tag_indices: Any, sequence_lengths: TensorLike, transition_params: TensorLike
) -> _core.Tensor:
    """The scores of sequences of tags, `[batch]`; of empty ones zero.

    Args:
        inputs: potentials, `[batch, time, tags]`.
        tag_indices: `[batch, time]`, integers.
        sequence_lengths: `[batch]`, how many of the steps count.
        transition_params: `[tags, tags]`, from each tag to each.
    """
    unary = crf_unary_score(tag_indices, sequence_lengths, inputs)
    return unary + crf_binary_score(tag_indices, sequence_lengths, transition_params)


class CrfForwardRnnCell(RNNCell):
    """A step of the forward algorithm: the state is the logarithm of the sum over all tags so far.

    Args:
        transition_params: `[tags, tags]`, from each tag to each.
    """

    def __init__(self, transition_params: Any) -> None:
        super().__init__()
        self._transitions = _core.as_tensor(transition_params)

    @property
    def state_size(self) -> Any:
        return self._transitions.shape[0]

    @property
    def output_size(self) -> int:
        return self._transitions.shape[0]

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        reached = _ops.expand_dims(state, 2) + self._transitions
        new = inputs + reduction.reduce_logsumexp(reached, 1)
        return new, new


def crf_log_norm(inputs: Any, sequence_lengths: TensorLike, transition_params: Any) -> _core.Tensor:
    """The logarithms of the sums of exponentiated scores over all sequences, `[batch]`.

    Args:
        inputs: potentials, `[batch, time, tags]`.
        sequence_lengths: `[batch]`, how many of the steps count; the result is zero for none.
        transition_params: `[tags, tags]`, from each tag to each.
    """
    inputs = _core.as_tensor(inputs)
    lengths = _core.as_tensor(sequence_lengths)
    _, last = dynamic_rnn(
        CrfForwardRnnCell(transition_params),
        inputs[:, 1:],
        _ops.maximum(lengths - 1, _ops.zeros_like(lengths)),
        initial_state=inputs[:, 0],
    )
    found = reduction.reduce_logsumexp(last, 1)
    return _ops.select(_ops.greater(lengths, 0), found, _ops.zeros_like(found))


def crf_filtered_inputs(inputs: TensorLike, tag_bitmap: TensorLike) -> _core.Tensor:
    """Potentials of allowed tags, and minus infinity for the others.

    Args:
        inputs: `[batch, time, tags]`.
        tag_bitmap: booleans of that shape, true where a tag is allowed.
    """
    inputs = _core.as_tensor(inputs)
    return _ops.select(tag_bitmap, inputs, _ops.fill(float("-inf"), array.shape(inputs)))


def crf_multitag_sequence_score(
    inputs: Any, tag_bitmap: TensorLike, sequence_lengths: TensorLike, transition_params: TensorLike
) -> _core.Tensor:
    """The logarithms of the sums over all sequences of allowed tags, `[batch]`.

    Args:
        inputs: potentials, `[batch, time, tags]`.
        tag_bitmap: booleans of that shape, true where a tag is allowed.
        sequence_lengths: `[batch]`, how many of the steps count.
        transition_params: `[tags, tags]`, from each tag to each.
    """
    allowed = crf_filtered_inputs(inputs, tag_bitmap)
    return crf_log_norm(allowed, sequence_lengths, transition_params)


def crf_log_likelihood(
    inputs: Any, tag_indices: Any, sequence_lengths: TensorLike, transition_params: Any = None
) -> tuple[Any, Any]:
    """The logarithms of the probabilities of sequences of tags.

    Args:
        inputs: potentials, `[batch, time, tags]`.
        tag_indices: `[batch, time]`, integers.
        sequence_lengths: `[batch]`, how many of the steps count.
        transition_params: `[tags, tags]`; by default a variable "transitions" of the scope.

    Returns:
        `[batch]`, and the transitions.

    >>> potentials = tf.constant([[[0.0, 1.0], [2.0, 0.0]]])
    >>> likelihood, _ = tf.contrib.crf.crf_log_likelihood(
    ...     potentials, [[1, 0]], [2], tf.zeros([2, 2])
    ... )
    >>> round(float(tf.exp(likelihood[0])), 3)
    0.644
    """
    inputs = _core.as_tensor(inputs)
    if transition_params is None:
        tags = inputs.shape[2]
        transition_params = get_variable("transitions", [tags, tags], inputs.dtype)
    score = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return score - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params
