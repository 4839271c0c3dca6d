"""tf.contrib.losses.metric_learning: losses that bring rows of one class together."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, sparse
from eagerflow.ops import array

_ops = _core.ops

__all__ = [
    "contrastive_loss",
    "lifted_struct_loss",
    "npairs_loss",
    "npairs_loss_multilabel",
    "triplet_semihard_loss",
]


def _distances(rows: Any, squared: bool) -> Any:
    """The distances of all pairs of rows `[count, size]`; exactly 0 of a row to itself."""
    squares = _ops.reduce_sum(_ops.square(rows), [1], True)
    products = _ops.matmul(rows, rows, transpose_b=True)
    found: Any = _ops.maximum(squares + _ops.transpose(squares, [1, 0]) - 2.0 * products, 0.0)
    if not squared:
        # Of 0, a root has no gradient.
        zero = found <= 0.0
        root = _ops.sqrt(_ops.select(zero, _ops.ones_like(found), found))
        found = _ops.select(zero, _ops.zeros_like(found), root)
    return found * (1.0 - _identity(rows))


def _identity(rows: Any) -> Any:
    index = _ops.range(0, array.shape(rows)[0], 1)
    same = _ops.equal(_ops.expand_dims(index, 0), _ops.expand_dims(index, 1))
    return _ops.cast(same, rows.dtype)


def _same(labels: Any) -> Any:
    """Which pairs have one label: bool `[count, count]`."""
    column = _ops.reshape(_core.as_tensor(labels), [-1, 1])
    return _ops.equal(column, _ops.transpose(column, [1, 0]))


def contrastive_loss(
    labels: Any, embeddings_anchor: Any, embeddings_positive: Any, margin: float = 1.0
) -> Any:
    """Squared distances of pairs that are alike, and how far others are within a margin.

    Args:
        labels: `[batch]`, 1 for pairs that are alike and 0 for others.
        embeddings_anchor: the first of each pair, `[batch, size]`.
        embeddings_positive: the second of each pair.
        margin: beyond it, other pairs have no loss.

    Returns:
        The mean, a scalar.

    >>> first, second = tf.constant([[0.0], [0.0]]), tf.constant([[0.5], [0.5]])
    >>> loss = tf.contrib.losses.metric_learning.contrastive_loss([1, 0], first, second)
    >>> float(loss)
    0.25
    """
    away = _core.as_tensor(embeddings_anchor) - _core.as_tensor(embeddings_positive)
    squares = _ops.reduce_sum(_ops.square(away), [1])
    alike = _ops.cast(_core.as_tensor(labels), squares.dtype)
    within = _ops.square(_ops.maximum(margin - _ops.sqrt(squares), 0.0))
    return _ops.reduce_mean(alike * squares + (1.0 - alike) * within)


def triplet_semihard_loss(labels: Any, embeddings: Any, margin: float = 1.0) -> Any:
    """Triplets with the nearest other row that is farther than the one of the same class.

    Where none is farther, the farthest other row is taken (Schroff et al., arXiv 1503.03832).

    Args:
        labels: `[batch]` class ids.
        embeddings: `[batch, size]` rows of length 1.
        margin: how much farther other classes should be.

    Returns:
        The mean over pairs of one class, a scalar.
    """
    embeddings = _core.as_tensor(embeddings)
    distances = _distances(embeddings, squared=True)
    dtype = distances.dtype
    other = _ops.cast(_ops.logical_not(_same(labels)), dtype)
    # For anchor, positive and negative: whether the negative is of another class, and farther.
    of_positive = _ops.expand_dims(distances, 2)
    of_negative = _ops.expand_dims(distances, 1)
    is_other = _ops.expand_dims(other, 1)
    farther = _ops.cast(of_negative > of_positive, dtype) * is_other
    largest = _ops.reduce_max(distances, [1], True)
    nearest = _ops.reduce_min((of_negative - _ops.expand_dims(largest, 2)) * farther, [2])
    nearest = nearest + largest
    smallest = _ops.reduce_min(distances, [1], True)
    farthest = _ops.reduce_max((distances - smallest) * other, [1], True) + smallest
    some = _ops.reduce_sum(farther, [2]) > 0.0
    chosen = _ops.select(some, nearest, farthest + _ops.zeros_like(nearest))
    pairs = _ops.cast(_same(labels), dtype) - _identity(embeddings)
    total = _ops.reduce_sum(_ops.maximum((margin + distances - chosen) * pairs, 0.0))
    return total / _ops.reduce_sum(pairs)


def lifted_struct_loss(labels: Any, embeddings: Any, margin: float = 1.0) -> Any:
    """A smooth form of all triplets of a batch (Song et al., arXiv 1511.06452).

    Args:
        labels: `[batch]` class ids.
        embeddings: `[batch, size]` rows.
        margin: how much farther other classes should be.
    """
    embeddings = _core.as_tensor(embeddings)
    distances = _distances(embeddings, squared=False)
    dtype = distances.dtype
    other = _ops.cast(_ops.logical_not(_same(labels)), dtype)
    within: Any = margin - distances
    # The largest exponent of other classes, before the sum of their exponentials.
    smallest = _ops.reduce_min(within, [1], True)
    largest = _ops.reduce_max((within - smallest) * other, [1], True) + smallest
    both = _ops.maximum(largest, _ops.transpose(largest, [1, 0]))
    terms = _ops.exp(_ops.expand_dims(within, 1) - _ops.expand_dims(both, 2))
    sums = _ops.reduce_sum(terms * _ops.expand_dims(other, 1), [2])
    joined = both + _ops.log(sums + _ops.transpose(sums, [1, 0])) + distances
    pairs = _ops.cast(_same(labels), dtype) - _identity(embeddings)
    total = _ops.reduce_sum(_ops.square(_ops.maximum(joined * pairs, 0.0)))
    return 0.25 * total / (_ops.reduce_sum(pairs) / 2.0)


def npairs_loss(
    labels: Any,
    embeddings_anchor: Any,
    embeddings_positive: Any,
    reg_lambda: float = 0.002,
    print_losses: bool = False,
) -> Any:
    """Cross entropies of the products of anchors with all positives (Sohn, NIPS 2016).

    Args:
        labels: `[batch]` class ids.
        embeddings_anchor: `[batch, size]`.
        embeddings_positive: `[batch, size]`, of the same classes.
        reg_lambda: the weight of the rows' squared lengths.
        print_losses: accepted.
    """
    same = _ops.cast(_same(labels), _core.as_tensor(embeddings_anchor).dtype)
    return _npairs(same, embeddings_anchor, embeddings_positive, reg_lambda)


def npairs_loss_multilabel(
    sparse_labels: Any,
    embeddings_anchor: Any,
    embeddings_positive: Any,
    reg_lambda: float = 0.002,
    print_losses: bool = False,
) -> Any:
    """`npairs_loss` of rows with several labels: pairs are alike as far as they share them.

    Args:
        sparse_labels: a list of SparseTensors, 1 at each label of a row; or `[batch, classes]`.
        embeddings_anchor: `[batch, size]`.
        embeddings_positive: `[batch, size]`.
        reg_lambda: the weight of the rows' squared lengths.
        print_losses: accepted.
    """
    dtype = _core.as_tensor(embeddings_anchor).dtype
    if isinstance(sparse_labels, list | tuple):
        rows = [_ops.reshape(sparse.to_dense(each), [-1]) for each in sparse_labels]
        labels = _ops.cast(_ops.stack(rows, 0), dtype)
    else:
        labels = _ops.cast(_core.as_tensor(sparse_labels), dtype)
    shared = _ops.matmul(labels, labels, transpose_b=True)
    return _npairs(shared, embeddings_anchor, embeddings_positive, reg_lambda)


def _npairs(alike: Any, anchors: Any, positives: Any, weight: float) -> Any:
    anchors, positives = _core.as_tensor(anchors), _core.as_tensor(positives)
    lengths = sum(
        _ops.reduce_mean(_ops.reduce_sum(_ops.square(rows), [1])) for rows in (anchors, positives)
    )
    logits = _ops.matmul(anchors, positives, transpose_b=True)
    targets = alike / _ops.reduce_sum(alike, [1], True)
    entropies = -_ops.reduce_sum(targets * _ops.log_softmax(logits), [1])
    return _ops.reduce_mean(entropies) + 0.25 * weight * lengths
