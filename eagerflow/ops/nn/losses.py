"""Losses on logits."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core
from eagerflow.framework import distribution_state, dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import as_matrix, may_equal, reshaped, sizes_of
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.composed_op import INDEX_TYPES, Input, composed_op
from eagerflow.ops.math import divide_no_nan, truediv
from eagerflow.ops.nn.activation import swapped_axes

_ops = _core.ops
Tensor = _core.Tensor

l2_loss = _ops.l2_loss

_NARROW = (dtypes.float16, dtypes.bfloat16)


@op_function(promotion="strong")
def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Tensor:
    """The cross-entropy of the softmax of logits, for labels that are probabilities.

    Args:
        labels: probabilities along `axis`, of the shape and dtype of `logits`.
        logits: floating, of rank 1 or more.
        axis: the axis of the classes.

    Returns:
        A tensor without that axis: -sum(labels * log_softmax(logits)).

    Raises:
        tf.errors.InvalidArgumentError: if the shapes differ.

    >>> tf.nn.softmax_cross_entropy_with_logits([[1.0, 0.0]], [[0.0, 0.0]]).numpy()
    array([0.6931472], dtype=float32)
    """
    logits = _core.as_tensor(logits)
    labels = _core.convert(labels, None, logits.dtype)
    dtype = logits.dtype
    if labels.dtype != dtype:
        labels = _ops.cast(labels, dtype)
    if dtype in _NARROW:
        logits, labels = _ops.cast(logits, dtypes.float32), _ops.cast(labels, dtypes.float32)
    rank = logits.ndim
    if rank is not None and not -rank <= axis < rank:
        raise invalid_argument(
            f"`axis` must be in the range [{-rank}, {rank}). Received: axis={axis}"
        )
    order = None
    if axis != -1:
        order = swapped_axes(len(sizes_of(logits)), axis)
    if order is not None:
        logits, labels = _ops.transpose(logits, order), _ops.transpose(labels, order)
    if labels.ndim == 0:
        raise invalid_argument(
            f"logits and labels must be broadcastable: logits_size={logits.shape} labels_size=[]"
        )
    whole = logits
    logits, labels = as_matrix(logits), as_matrix(labels)
    sizes = logits._shape_tuple(), labels._shape_tuple()
    if rank == 2 and not may_equal(*sizes):
        common = [max(pair) if 1 in pair else pair[0] for pair in zip(*sizes, strict=True)]
        logits, labels = (
            _ops.broadcast_to(x, common)
            if all(a in (1, b) for a, b in zip(x._shape_tuple(), common, strict=True))
            else x
            for x in (logits, labels)
        )
    losses = _ops.softmax_cross_entropy(logits, labels)[0]
    if rank is None:
        losses = _ops.reshape(losses, _ops.shape(whole)[:-1])
    elif rank != 2:
        losses = reshaped(losses, sizes_of(whole)[:-1])
        if order is not None:
            # The class axis was swapped with the last one.
            axis %= rank
            back = [k for k in range(rank - 1) if k != axis]
            losses = _ops.transpose(losses, [*back, axis])
    return _ops.cast(losses, dtype) if dtype in _NARROW else losses


@op_function
def sparse_softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, name: str | None = None
) -> Tensor:
    """The cross-entropy of the softmax of logits, for labels that are class indices.

    Args:
        labels: int32 or int64 `[d0, ..., dn]`, each in [0, classes).
        logits: floating `[d0, ..., dn, classes]`.

    Returns:
        The loss of each label, of the shape of `labels`.

    Raises:
        ValueError: if the shapes do not fit.
        tf.errors.InvalidArgumentError: if a label is out of range.

    >>> tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1], [[0.0, 0.0], [0.0, 100.0]]).numpy()
    array([0.6931472, 0.       ], dtype=float32)
    """
    if labels is None:
        raise ValueError("labels must not be None")
    if logits is None:
        raise ValueError("logits must not be None")
    labels = _core.as_tensor(labels)
    logits = _core.as_tensor(logits)
    dtype = logits.dtype
    rank = logits.ndim
    if rank == 0:
        raise ValueError(f"`logits` cannot be a scalar. Received logits={logits.numpy()}`")
    shape, label_shape = logits._shape_tuple(), labels._shape_tuple()
    ranked = shape is not None and label_shape is not None
    if ranked and labels.ndim != rank - 1:
        raise ValueError(
            "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: "
            f"labels.shape={labels.shape} of rank {labels.ndim} and logits.shape={logits.shape} of "
            f"rank {rank}"
        )
    if ranked and not may_equal(label_shape, shape[:-1]):
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
            f"labels.shape={labels.shape} and logits.shape={logits.shape}"
        )
    if dtype in _NARROW:
        logits = _ops.cast(logits, dtypes.float32)
    if rank == 2:
        losses = _ops.sparse_softmax_cross_entropy(logits, labels)[0]
    else:
        flat = _ops.reshape(labels, [-1])
        losses = _ops.sparse_softmax_cross_entropy(as_matrix(logits), flat)[0]
        if label_shape is None:
            losses = _ops.reshape(losses, _ops.shape(labels))
        else:
            losses = reshaped(losses, sizes_of(labels))
    return _ops.cast(losses, dtype) if dtype in _NARROW else losses


@op_function(elementwise=2, promotion="strong")
def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """The cross-entropy of the sigmoid of logits, for labels that are probabilities.

    Args:
        labels: probabilities, of the shape and dtype of `logits`.
        logits: floating.

    Returns:
        max(x, 0) - x * z + log(1 + exp(-|x|)) for logits x and labels z.

    Raises:
        ValueError: if an argument is missing or the shapes differ.

    >>> tf.nn.sigmoid_cross_entropy_with_logits([1.0, 0.0], [0.0, 100.0]).numpy()
    array([  0.6931472, 100.       ], dtype=float32)
    """
    labels, logits = _labels_and_logits(labels, logits, "sigmoid_cross_entropy_with_logits")
    return _ops.sigmoid_cross_entropy(labels, logits)


def _labels_and_logits(labels: Any, logits: Any, function: str) -> tuple[Tensor, Tensor]:
    if labels is None or logits is None:
        raise ValueError(
            f"Both `labels` and `logits` must be provided for {function}"
            f"Received: labels={labels} and logits={logits}"
        )
    label_dtype = dtypes.result_dtype(labels)
    logits = _core.convert(logits, None, label_dtype)
    labels = _core.convert(labels, None, logits.dtype)
    if not may_equal(labels._shape_tuple(), logits._shape_tuple()):
        raise ValueError(
            "`logits` and `labels` must have the same shape, received "
            f"({logits.shape} vs {labels.shape})."
        )
    return labels, logits


@op_function
def weighted_cross_entropy_with_logits(
    labels: Any, logits: Any, pos_weight: Any, name: str | None = None
) -> Tensor:
    """`sigmoid_cross_entropy_with_logits` with a weight for positive labels.

    Args:
        labels: probabilities, of the shape and dtype of `logits`.
        logits: floating.
        pos_weight: the weight of the positive part; broadcasts.

    Returns:
        (1 - z) * x + (1 + (w - 1) * z) * (log(1 + exp(-|x|)) + max(-x, 0)).

    Raises:
        ValueError: if the shapes differ.

    >>> tf.nn.weighted_cross_entropy_with_logits([1.0], [0.0], 2.0).numpy()
    array([1.3862944], dtype=float32)
    """
    labels, logits = _labels_and_logits(labels, logits, "weighted_cross_entropy_with_logits")
    weight = 1 + (pos_weight - 1) * labels
    return (1 - labels) * logits + weight * _ops.softplus(_ops.negative(logits))


@op_function(promotion="strong")
def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
    """The negative log-likelihood of counts under Poisson distributions.

    Args:
        targets: the counts z.
        log_input: the logarithms c of the expected counts, of the same shape.
        compute_full_loss: whether to add Stirling's approximation of log(z!) where z > 1.

    Returns:
        exp(c) - z * c, and z * log(z) - z + log(2 * pi * z) / 2 if asked for.

    Raises:
        ValueError: if the shapes differ.

    >>> tf.nn.log_poisson_loss([1.0], [0.0]).numpy()
    array([1.], dtype=float32)
    """
    c = _core.as_tensor(log_input)
    z = _core.convert(targets, None, c.dtype)
    if not may_equal(c._shape_tuple(), z._shape_tuple()):
        raise ValueError(
            "`log_input` and `targets` must have the same shape, received "
            f"({c.shape} vs {z.shape})."
        )
    loss = _ops.exp(c) - c * z
    if not compute_full_loss:
        return loss
    small = _ops.less_equal(z, _ops.ones_like(z))
    large = _ops.select(small, _ops.ones_like(z), z)  # keeps gradients of small values finite
    stirling = large * _ops.log(large) - large + 0.5 * _ops.log(2 * math.pi * large)
    return loss + _ops.select(small, _ops.zeros_like(z), stirling)


@op_function
def compute_average_loss(
    per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None
) -> Tensor:
    """The sum of the examples' losses divided by the batch size of all replicas together.

    Args:
        per_example_loss: a loss for each example.
        sample_weight: weights of the losses.
        global_batch_size: the batch size; by default the number of losses times that of replicas.

    Raises:
        RuntimeError: in the scope of a strategy, but not in a replica.

    >>> tf.nn.compute_average_loss([1.0, 3.0], global_batch_size=4)
    <tf.Tensor: shape=(), dtype=float32, numpy=1.0>
    """
    _require_replica("compute_average_loss")
    losses = _core.as_tensor(per_example_loss)
    if losses.ndim == 0:
        raise ValueError(
            "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. "
            f"Received per_example_loss={losses} with rank 0"
        )
    if sample_weight is not None:
        weights = _ops.cast(sample_weight, losses.dtype)
        if weights.ndim and weights.ndim + 1 == losses.ndim:
            weights = _ops.expand_dims(weights, -1)
        losses = losses * weights
    if global_batch_size is None:
        global_batch_size = sizes_of(losses)[0] * distribution_state.num_replicas()
    else:
        known = _core.static_value(_core.as_tensor(global_batch_size))
        if known is not None and (known.numpy() < 0).any():
            raise invalid_argument(
                f"global_batch_size must be non-negative, got {global_batch_size}"
            )
    return divide_no_nan(_ops.reduce_sum(losses), _ops.cast(global_batch_size, losses.dtype))


@op_function(promotion="weak")
def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """The sum of a regularization loss, divided by the number of replicas.

    Args:
        regularization_loss: the loss.

    Raises:
        RuntimeError: in the scope of a strategy, but not in a replica.

    >>> tf.nn.scale_regularization_loss([1.0, 2.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=3.0>
    """
    _require_replica("scale_regularization_loss")
    return truediv(_ops.reduce_sum(regularization_loss), distribution_state.num_replicas())


def _require_replica(name: str) -> None:
    if distribution_state.state.strategies and distribution_state.replica_context() is None:
        raise RuntimeError(
            f"You are calling `{name}` in cross replica context, while it was expected to be called "
            "in replica context."
        )


@composed_op(
    "InTopKV2",
    targets=Input(INDEX_TYPES, prefer="int32"),
    predictions=Input("float32"),
    k=Input(INDEX_TYPES, prefer="int32"),
)
def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Tensor:
    """Whether each target class is among the k classes with the largest predictions.

    Args:
        targets: class indices `[batch]`.
        predictions: `[batch, classes]`, float32.
        k: the number of top classes.

    >>> tf.math.in_top_k([1, 0], [[0.1, 0.9], [0.2, 0.8]], k=1).numpy()
    array([ True, False])
    """
    return _ops.in_top_k(predictions, targets, k)
