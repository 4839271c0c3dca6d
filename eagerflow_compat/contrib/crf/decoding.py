"""The best sequences of tags (Viterbi, 1967)."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.ops import array, control_flow, indexing
from eagerflow.ops.tensor_array import TensorArray
from eagerflow.typing import TensorLike
from eagerflow_compat.contrib.crf.scores import crf_filtered_inputs, positions_within

_ops = _core.ops


def viterbi_decode(score: TensorLike, transition_params: TensorLike) -> tuple[list[int], float]:
    """The best sequence of tags, of arrays.

    Args:
        score: potentials, an array `[time, tags]`.
        transition_params: an array `[tags, tags]`, from each tag to each.

    Returns:
        A list of tags, and their score.

    >>> tf.contrib.crf.viterbi_decode(np.array([[1.0, 0.0], [0.0, 3.0]]), np.zeros([2, 2]))
    ([0, 1], np.float64(4.0))
    """
    score, transitions = np.asarray(score), np.asarray(transition_params)
    best = score[0]
    came_from = []
    for potentials in score[1:]:
        reached = best[:, None] + transitions
        came_from.append(reached.argmax(0))
        best = potentials + reached.max(0)
    tags = [int(best.argmax())]
    for pointers in reversed(came_from):
        tags.append(int(pointers[tags[-1]]))
    return tags[::-1], best.max()


def crf_decode(potentials: Any, transition_params: Any, sequence_length: Any) -> tuple[Any, Any]:
    """The best sequences of tags.

    Args:
        potentials: `[batch, time, tags]`.
        transition_params: `[tags, tags]`, from each tag to each.
        sequence_length: `[batch]`, how many of the steps count.

    Returns:
        Tags, int32 `[batch, time]`, zeros beyond the lengths; and their scores, `[batch]`.

    >>> tags, score = tf.contrib.crf.crf_decode(
    ...     tf.constant([[[1.0, 0.0], [0.0, 3.0]]]), tf.zeros([2, 2]), [2]
    ... )
    >>> tags.numpy(), score.numpy()
    (array([[0, 1]], dtype=int32), array([4.], dtype=float32))
    """
    potentials = _core.as_tensor(potentials)
    transitions = _core.as_tensor(transition_params)
    lengths = _core.as_tensor(sequence_length)
    by_time = _ops.transpose(potentials, [1, 0, 2])
    steps = array.shape(by_time)[0] - 1
    count = array.shape(by_time)[2]

    def forth(k: Any, best: Any, came_from: Any) -> tuple[Any, _core.Tensor, Any]:
        reached = _ops.expand_dims(best, 2) + transitions
        alive = _ops.expand_dims(_ops.greater(lengths, _ops.cast(k + 1, lengths.dtype)), 1)
        # A sequence that has ended stays at its last tag.
        pointers = _ops.select(alive, _ops.argmax(reached, 1, "int32"), _ops.range(0, count, 1))
        new = _ops.select(alive, by_time[k + 1] + _ops.reduce_max(reached, 1), best)
        return k + 1, new, came_from.write(k, pointers)

    _, best, came_from = control_flow.while_loop(
        lambda k, *_: k < steps,
        forth,
        (_core.as_tensor(0), by_time[0], TensorArray("int32", steps, element_shape=[None, None])),
    )
    last = _ops.argmax(best, 1, "int32")

    def back(k: Any, tag: Any, tags: Any) -> tuple[Any, Any, Any]:
        tag = indexing.gather(came_from.read(k), tag, batch_dims=1)
        return k - 1, tag, tags.write(k, tag)

    tags = TensorArray("int32", steps + 1, element_shape=[None]).write(steps, last)
    _, _, tags = control_flow.while_loop(lambda k, *_: k >= 0, back, (steps - 1, last, tags))
    found = _ops.transpose(tags.stack(), [1, 0])
    return found * positions_within(lengths, steps + 1, "int32"), _ops.reduce_max(best, 1)


def crf_constrained_decode(
    potentials: TensorLike, tag_bitmap: TensorLike, transition_params: Any, sequence_length: Any
) -> tuple[_core.Tensor, _core.Tensor]:
    """The best sequences of allowed tags.

    Args:
        potentials: `[batch, time, tags]`.
        tag_bitmap: booleans of that shape, true where a tag is allowed.
        transition_params: `[tags, tags]`, from each tag to each.
        sequence_length: `[batch]`, how many of the steps count.

    Returns:
        As `crf_decode`.
    """
    allowed = crf_filtered_inputs(potentials, tag_bitmap)
    return crf_decode(allowed, transition_params, sequence_length)
