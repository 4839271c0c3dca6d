"""Connectionist temporal classification: losses of unaligned label sequences, and decoders.

A. Graves et al., "Connectionist Temporal Classification" (2006).
"""

from __future__ import annotations

import heapq
import itertools
import math
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.array import invalid_argument, require_in_bounds
from eagerflow.ops.composed_op import Input, composed_op
from eagerflow.ops.numpy_ops import array_of, differentiable, sparse_spec, sparse_tensor
from eagerflow.typing import Array, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def _is_sparse(value: object) -> bool:
    return hasattr(value, "indices") and hasattr(value, "dense_shape")


def _dense_labels(labels: Any, label_length: Any) -> tuple[np.ndarray, np.ndarray]:
    """Labels as a matrix, and the length of each row."""
    if not _is_sparse(labels):
        matrix = np.asarray(_core.convert(labels, None, dtypes.int32))
        lengths = np.asarray(_core.convert(label_length, None, dtypes.int32))
        return matrix.astype(np.int64), lengths.astype(np.int64)
    indices = np.asarray(_core.as_tensor(labels.indices))
    values = np.asarray(_core.as_tensor(labels.values))
    sizes = np.asarray(_core.as_tensor(labels.dense_shape))
    require_in_bounds(indices, sizes, "CTCLoss")
    rows = int(sizes[0])
    lengths = np.bincount(indices[:, 0], minlength=rows)
    matrix = np.zeros((rows, max(int(lengths.max(initial=0)), 1)), np.int64)
    starts = np.cumsum(lengths) - lengths
    matrix[indices[:, 0], np.arange(len(indices)) - starts[indices[:, 0]]] = values
    return matrix, lengths


def _log_softmax(x: np.ndarray) -> np.ndarray:
    shifted = x - x.max(axis=-1, keepdims=True, initial=-np.inf)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def _trellis(
    scores: np.ndarray,
    labels: np.ndarray,
    label_length: np.ndarray,
    frame_length: np.ndarray,
    blank: int,
) -> tuple[np.ndarray, np.ndarray]:
    """The losses, and their gradients with respect to the logits of the scores.

    States alternate between blanks and labels. The forward and backward sums go over all paths that end
    in a state, or begin there.
    """
    frames, batch, classes = scores.shape
    width = labels.shape[1]
    states = 2 * width + 1
    symbols = np.full((batch, states), blank, np.int64)
    symbols[:, 1::2] = labels
    jumps = np.zeros((batch, states), bool)
    jumps[:, 3::2] = labels[:, 1:] != labels[:, :-1]
    rows = np.arange(batch)[:, None]
    local = scores[:, rows, symbols]  # frames, batch, states
    used = np.arange(states) <= 2 * label_length[:, None]
    local = np.where(used, local, -np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        forward = np.full((frames, batch, states), -np.inf)
        backward = np.full((frames, batch, states), -np.inf)
        last: Any = np.arange(states) >= 2 * label_length[:, None] - 1
        final = np.where(used & last, 0.0, -np.inf)
        alpha = np.where(np.arange(states) < 2, 0.0, -np.inf) + np.zeros((batch, 1))
        for t in range(frames):
            if t:
                alpha = _moved(forward[t - 1], jumps)
            forward[t] = alpha + local[t]
        for t in range(frames - 1, -1, -1):
            beta = final
            if t + 1 < frames:
                following = _moved_back(backward[t + 1] + local[t + 1], jumps)
                at_end = np.equal(frame_length - 1, t)[:, None]
                beta = np.where(at_end, final, following)
            backward[t] = beta
        ends = np.maximum(frame_length - 1, 0)
        totals = (
            np.logaddexp.reduce(forward[ends, np.arange(batch)] + final, axis=1)
            if frames
            else np.full(batch, -np.inf)
        )
        totals = np.where(frame_length > 0, totals, np.where(label_length > 0, -np.inf, 0.0))
        posterior = np.exp(forward + backward - totals[:, None])
    posterior = np.where(np.isfinite(totals)[:, None], np.nan_to_num(posterior), 0.0)
    gradient = np.exp(scores)
    flat = symbols + np.arange(batch)[:, None] * classes
    for t in range(frames):
        expected = np.bincount(flat.reshape(-1), posterior[t].reshape(-1), batch * classes)
        gradient[t] -= expected.reshape(batch, classes)
    gradient[np.arange(frames)[:, None] >= frame_length] = 0
    return -totals, gradient


def _moved(sums: np.ndarray, jumps: np.ndarray) -> np.ndarray:
    """Sums moved from each state to itself, the next one, and over a blank to a different label."""
    one = np.pad(sums[:, :-1], [[0, 0], [1, 0]], constant_values=-np.inf)
    two = np.pad(sums[:, :-2], [[0, 0], [2, 0]], constant_values=-np.inf)[:, : sums.shape[1]]
    return np.logaddexp(np.logaddexp(sums, one), np.where(jumps, two, -np.inf))


def _moved_back(sums: np.ndarray, jumps: np.ndarray) -> np.ndarray:
    one = np.pad(sums[:, 1:], [[0, 0], [0, 1]], constant_values=-np.inf)
    jumping = np.where(jumps, sums, -np.inf)
    two = np.pad(jumping[:, 2:], [[0, 0], [0, 2]], constant_values=-np.inf)[:, : sums.shape[1]]
    return np.logaddexp(np.logaddexp(sums, one), two)


def _batch(size: int | None, lengths: Tensor) -> int | None:
    """The number of sequences, each of which has a length."""
    return _core.as_tensor(lengths).shape.with_rank(1)[0] if size is None else size


def _loss_spec(
    labels: Tensor,
    logits: Tensor,
    label_length: object,
    logit_length: Any,
    logits_time_major: bool = True,
    *_: object,
    **__: object,
) -> TensorSpec:
    scores = _core.as_tensor(logits)
    shape = scores.shape.with_rank(3)
    batch = _batch(shape[1 if logits_time_major else 0], logit_length)
    return TensorSpec([batch], scores.dtype)


@op_function(in_graph=on_host(_loss_spec))
def ctc_loss(
    labels: TensorLike,
    logits: TensorLike,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: object = None,
    blank_index: Any = None,
    name: str | None = None,
) -> Tensor:
    """The negative log-probability of label sequences that are not aligned with the frames.

    Args:
        labels: `[batch, most labels]`, or a `tf.SparseTensor` of labels.
        logits: `[frames, batch, classes]`, or with batches first.
        label_length: how many labels each example has `[batch]`; None for sparse labels.
        logit_length: how many frames each example has `[batch]`.
        logits_time_major: whether frames come first.
        unique: ignored.
        blank_index: the blank class, which may count from the end; 0 by
            default, and required for sparse labels.

    Returns:
        A loss for each example `[batch]`.

    Raises:
        ValueError: if `blank_index` is missing for sparse labels, or is out of range.
        tf.errors.InvalidArgumentError: if the shapes do not fit.

    >>> loss = tf.nn.ctc_loss([[1]], tf.zeros([1, 1, 2]), [1], [1])
    >>> f"{loss.numpy()[0]:.4f}"
    '0.6931'
    """
    sparse = _is_sparse(labels)
    if sparse and blank_index is None:
        raise ValueError("Argument `blank_index` must be provided when labels is a SparseTensor.")
    x = _core.as_tensor(logits)
    if x.ndim != 3:
        raise invalid_argument(f"inputs is not a 3-Tensor, got shape {x.shape} [Op:CTCLoss]")
    scores = array_of(x, "CTCLoss").astype(np.float64)
    if not logits_time_major:
        scores = scores.transpose(1, 0, 2)
    classes = scores.shape[2]
    blank = 0 if blank_index is None else int(blank_index)
    blank = blank + classes if blank < 0 else blank
    if not 0 <= blank < classes:
        raise ValueError(f"blank_index must be in the range [0, {classes}), got {blank_index}")
    matrix, lengths = _dense_labels(labels, label_length)
    frames = np.asarray(_core.convert(logit_length, None, dtypes.int32)).astype(np.int64)
    batch = scores.shape[1]
    for what, rows in (("labels", len(matrix)), ("label_length", lengths.size)):
        if rows != batch:
            raise invalid_argument(f"{what} has {rows} rows, logits have a batch of {batch}")
    if frames.shape != (batch,):
        raise invalid_argument(f"logit_length has shape {frames.shape}, expected ({batch},)")
    if frames.size and (frames.min() < 0 or frames.max() > scores.shape[0]):
        raise invalid_argument(
            f"logit_length must lie within [0, {scores.shape[0]}], got {frames.tolist()}"
        )
    lengths = np.minimum(lengths, matrix.shape[1])
    inside = np.arange(matrix.shape[1]) < lengths[:, None]
    if (inside & ((matrix < 0) | (matrix >= classes))).any():
        raise invalid_argument(f"labels must lie within [0, {classes})")
    matrix = np.where(inside, matrix, blank)
    losses, gradient = _trellis(_log_softmax(scores), matrix, lengths, frames, blank)
    if not logits_time_major:
        gradient = gradient.transpose(1, 0, 2)
    kind = x.dtype.as_numpy_dtype

    def backward(dy: Tensor) -> Tensor:
        shape = [1, batch, 1] if logits_time_major else [batch, 1, 1]
        return _ops.reshape(dy, shape) * _core.as_tensor(gradient.astype(kind))

    (loss,) = differentiable([losses.astype(kind)], [x], backward)
    return loss


def _unique_specs(labels: Tensor, name: str | None = None) -> tuple[TensorSpec, TensorSpec]:
    table = _core.as_tensor(labels)
    unique = TensorSpec([table.shape.with_rank(2)[0], None], dtypes.int64)
    return unique, TensorSpec(table.shape, dtypes.int32)


@op_function(in_graph=on_host(_unique_specs))
def ctc_unique_labels(labels: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The distinct labels of each row, and each label's index in them.

    Args:
        labels: `[batch, most labels]`.

    Returns:
        A pair: the labels in order of appearance, padded with zeros, and the indices, int32.

    >>> y, idx = tf.nn.ctc_unique_labels([[3, 4, 3]])
    >>> y.numpy().tolist(), idx.numpy().tolist()
    ([[3, 4, 0]], [[0, 1, 0]])
    """
    array = np.asarray(_core.convert(labels, None, dtypes.int32))
    if array.ndim == 0:
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    if array.size == 0 and len(array) == 0:
        return _ops.zeros([0], dtypes.int64), _ops.zeros([0], dtypes.int32)
    if array.ndim != 2:
        raise invalid_argument("unique expects a 1D vector. [Op:Unique]")
    unique = np.zeros(array.shape, np.int64)
    positions = np.zeros(array.shape, np.int32)
    for k, row in enumerate(array):
        values, first, inverse = np.unique(row, return_index=True, return_inverse=True)
        order = np.argsort(first)
        unique[k, : values.size] = values[order]
        positions[k] = np.argsort(order)[inverse]
    return _core.as_tensor(unique), _core.as_tensor(positions)


def _collapsed_specs(labels: Tensor, *_: object, **__: object) -> tuple[TensorSpec, TensorSpec]:
    table = _core.as_tensor(labels)
    rows = table.shape.with_rank(2)[0]
    return TensorSpec([rows, None], table.dtype), TensorSpec([rows], dtypes.int32)


@op_function(in_graph=on_host(_collapsed_specs))
def collapse_repeated(
    labels: TensorLike, seq_length: TensorLike, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Merges equal labels that follow each other.

    Args:
        labels: `[batch, most labels]`.
        seq_length: how many labels each row has `[batch]`.

    Returns:
        A pair: the rows, padded with zeros to the longest, and their lengths.

    >>> rows, lengths = tf.nn.collapse_repeated([[1, 1, 2, 2, 1]], [5])
    >>> rows.numpy().tolist(), lengths.numpy().tolist()
    ([[1, 2, 1]], [3])
    """
    rows = _core.as_tensor(labels)
    lengths = _core.as_tensor(seq_length)
    array, sizes = np.asarray(rows), np.asarray(lengths)
    if array.ndim != 2 or sizes.ndim != 1 or len(array) != len(sizes):
        raise invalid_argument(
            f"Incompatible shapes: labels {list(array.shape)} must be a matrix, and seq_length "
            f"{list(sizes.shape)} must have one length for each row"
        )
    if not lengths.dtype.is_integer:
        raise invalid_argument(f"seq_length must be integers, got {lengths.dtype.name}")
    sizes = np.clip(sizes, 0, array.shape[1])
    kept = [
        row[:size][np.concatenate([[True], row[1:size] != row[: size - 1]])[: int(size)]]
        for row, size in zip(array, sizes, strict=True)
    ]
    width = max((len(row) for row in kept), default=0)
    result = np.zeros((len(kept), width), array.dtype)
    for target, row in zip(result, kept, strict=True):
        target[: len(row)] = row
    counts = np.array([len(row) for row in kept], sizes.dtype)
    return _core.as_tensor(result), _core.as_tensor(counts)


def _checked_inputs(
    op: str, inputs: TensorLike, sequence_length: Tensor
) -> tuple[Array, Array, dtypes.DType]:
    x = _core.as_tensor(inputs)
    lengths = np.asarray(_core.convert(sequence_length, None, dtypes.int32))
    if x.ndim != 3:
        raise invalid_argument(f"inputs is not a 3-Tensor, got shape {x.shape}")
    if lengths.ndim != 1 or len(lengths) != x._shape_tuple()[1]:
        raise invalid_argument(
            f"len(sequence_length) != batch_size.  len(sequence_length): {lengths.size} "
            f"batch_size: {x._shape_tuple()[1]}"
        )
    if lengths.size and lengths.max() > x._shape_tuple()[0]:
        raise invalid_argument(f"sequence_length must be at most {x._shape_tuple()[0]}")
    return array_of(x, op), lengths, x.dtype


def _sparse_rows(rows: list[list[int]]) -> Any:
    indices = [(k, column) for k, row in enumerate(rows) for column in range(len(row))]
    return sparse_tensor(
        np.array(indices, np.int64).reshape(-1, 2),
        np.array([value for row in rows for value in row], np.int64),
        [len(rows), max((len(row) for row in rows), default=0)],
    )


def _greedy_specs(inputs: Any, sequence_length: Any, *_: Any, **__: Any) -> tuple[list, TensorSpec]:
    scores = _core.convert(inputs, None, dtypes.float32)
    batch = _batch(scores.shape.with_rank(3)[1], sequence_length)
    return [sparse_spec([None, None], dtypes.int64)], TensorSpec([batch, 1], scores.dtype)


@composed_op(
    "CTCGreedyDecoder",
    in_graph=on_host(_greedy_specs),
    inputs=Input("float32", "float64", prefer="float32"),
    sequence_length=Input("int32"),
    blank_index=int,
)
def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: Any = None
) -> tuple[list, Tensor]:
    """The labels of the path on which each frame has its likeliest class.

    Args:
        inputs: logits `[frames, batch, classes]`.
        sequence_length: how many frames each example has `[batch]`.
        merge_repeated: whether equal classes that follow each other are one label.
        blank_index: the blank class, which may count from the end; the last by
            default.

    Returns:
        A list with one sparse tensor of labels, and the negative sum of the largest logits
        `[batch, 1]`.

    Raises:
        tf.errors.InvalidArgumentError: if the shapes do not fit.

    >>> decoded, _ = tf.nn.ctc_greedy_decoder([[[2.0, 1.0]], [[0.0, 1.0]]], [2])
    >>> decoded[0].values.numpy()
    array([0])
    """
    scores, lengths, dtype = _checked_inputs("CTCGreedyDecoder", inputs, sequence_length)
    classes = scores.shape[2]
    blank = classes - 1 if blank_index is None else int(blank_index)
    blank = blank + classes if blank < 0 else blank
    if not 0 <= blank < classes:
        raise invalid_argument(f"blank_index expected to be between -{classes} and {classes - 1}")
    best = scores.argmax(axis=2)
    largest = scores.max(axis=2)
    rows, sums = [], np.zeros((scores.shape[1], 1), scores.dtype)
    for k, length in enumerate(lengths):
        sums[k] = -largest[:length, k].sum(dtype=scores.dtype)
        row, before = [], -1
        for label in best[:length, k].tolist():
            if label != blank and not (merge_repeated and label == before):
                row.append(label)
            before = label
        rows.append(row)
    return [_sparse_rows(rows)], _core.as_tensor(sums.astype(dtype.as_numpy_dtype))


def _log_add(a: float, b: float) -> float:
    if a == -math.inf:
        return b
    if b == -math.inf:
        return a
    high, low = (a, b) if a > b else (b, a)
    return high + math.log1p(math.exp(low - high))


class _Beam:
    """A prefix of labels, with the log-probabilities that it ends in a blank or in its label.

    Both are kept for the frame before and for this one. A prefix without probability at this frame
    is not in the beam.
    """

    __slots__ = ("before_blank", "before_label", "blank", "children", "label", "parent", "symbol")

    def __init__(self, parent: _Beam | None, symbol: int) -> None:
        self.parent, self.symbol = parent, symbol
        self.children: dict[int, _Beam] = {}
        self.before_blank = self.before_label = self.blank = self.label = -math.inf

    @property
    def before_total(self) -> float:
        return _log_add(self.before_blank, self.before_label)

    @property
    def total(self) -> float:
        return _log_add(self.blank, self.label)

    def child(self, symbol: int) -> _Beam:
        """The prefix extended by one label."""
        child = self.children.get(symbol)
        if child is None:
            child = self.children[symbol] = _Beam(self, symbol)
        return child

    def forget(self) -> None:
        """Removes the prefix from the beam."""
        self.blank = self.label = -math.inf

    def path(self) -> list[int]:
        node: _Beam | None = self
        labels = []
        while node is not None and node.parent is not None:
            labels.append(node.symbol)
            node = node.parent
        return labels[::-1]


def _beams(scores: np.ndarray, width: int) -> list[_Beam]:
    """The best prefixes after all frames, the best first."""
    root = _Beam(None, -1)
    root.blank = 0.0
    beams = [root]
    for frame in _log_softmax(scores.astype(np.float64)).tolist():
        beams = _advanced(beams, frame, width)
    return beams


def _advanced(beams: list[_Beam], frame: list[float], width: int) -> list[_Beam]:
    """The beam after one more frame."""
    for beam in beams:
        beam.before_blank, beam.before_label = beam.blank, beam.label
    for beam in beams:
        if beam.parent is not None:
            if beam.parent.total > -math.inf:
                same = beam.symbol == beam.parent.symbol
                before = beam.parent.before_blank if same else beam.parent.before_total
                beam.label = _log_add(beam.label, before)
            beam.label += frame[beam.symbol]
        beam.blank = beam.before_total + frame[-1]
    # A better leaf replaces the least likely one.
    order = itertools.count()
    leaves = [(beam.total, next(order), beam) for beam in beams]
    heapq.heapify(leaves)
    for beam in beams:
        total = beam.before_total
        if not _has_place(total, leaves, width):
            break
        for symbol in range(len(frame) - 1):
            child = beam.child(symbol)
            if child.total > -math.inf:
                continue
            before = beam.before_blank if symbol == beam.symbol else total
            child.blank, child.label = -math.inf, before + frame[symbol]
            if not _has_place(child.label, leaves, width):
                child.before_blank = child.before_label = -math.inf
                child.forget()
                continue
            entry = (child.label, next(order), child)
            if len(leaves) < width:
                heapq.heappush(leaves, entry)
            else:
                heapq.heapreplace(leaves, entry)[2].forget()
    return [leaf for _, _, leaf in sorted(leaves, key=lambda entry: (-entry[0], entry[1]))]


def _has_place(total: float, leaves: list, width: int) -> bool:
    return total > -math.inf and (len(leaves) < width or total > leaves[0][0])


def _beam_specs(
    inputs: TensorLike, sequence_length: Tensor, beam_width: int = 100, top_paths: int = 1
) -> tuple[list, TensorSpec]:
    scores = _core.convert(inputs, None, dtypes.float32)
    batch = _batch(scores.shape.with_rank(3)[1], sequence_length)
    paths = [sparse_spec([None, None], dtypes.int64) for _ in range(top_paths)]
    return paths, TensorSpec([batch, top_paths], scores.dtype)


@composed_op(
    "CTCBeamSearchDecoder",
    in_graph=on_host(_beam_specs),
    inputs=Input("float32", "float64", prefer="float32"),
    sequence_length=Input("int32"),
)
def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list, Tensor]:
    """The likeliest label sequences, found by a beam search over prefixes.

    Args:
        inputs: logits `[frames, batch, classes]`, of which the last class is the blank.
        sequence_length: how many frames each example has `[batch]`.
        beam_width: how many prefixes are kept at each frame.
        top_paths: how many sequences are returned.

    Returns:
        A list of `top_paths` sparse tensors of labels, and log-probabilities
        `[batch, top_paths]`.

    Raises:
        tf.errors.InvalidArgumentError: if the arguments do not fit.

    >>> decoded, _ = tf.nn.ctc_beam_search_decoder([[[2.0, 1.0]], [[0.0, 1.0]]], [2])
    >>> decoded[0].values.numpy()
    array([0])
    """
    scores, lengths, dtype = _checked_inputs("CTCBeamSearchDecoder", inputs, sequence_length)
    if top_paths > beam_width:
        raise invalid_argument(
            f"Requested more paths than the beam width: {top_paths} > {beam_width}"
        )
    paths: list[list[list[int]]] = [[] for _ in range(top_paths)]
    logarithms = np.zeros((scores.shape[1], top_paths), scores.dtype)
    for k, length in enumerate(lengths):
        beams = _beams(scores[:length, k], beam_width)
        if len(beams) < top_paths:
            raise invalid_argument(
                "Less leaves in the beam search than requested. Have they been pruned?"
            )
        for rank, beam in enumerate(beams[:top_paths]):
            paths[rank].append(beam.path())
            logarithms[k, rank] = beam.total
    decoded = [_sparse_rows(rows) for rows in paths]
    return decoded, _core.as_tensor(logarithms.astype(dtype.as_numpy_dtype))
