"""tf.losses of version 1: weighted means, added to a collection."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework import context, dtypes
from eagerflow.framework.name_scope import name_scope
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.naming import called
from eagerflow.ops import array, conversion
from eagerflow.ops.nn import losses as nn
from eagerflow.typing import TensorLike
from eagerflow_compat.v1.arguments import optional_parameters, parameters_of, with_parameters

_ops = _core.ops
Tensor = _core.Tensor
_DOCUMENTED = {
    "weights": "broadcast against the losses; 0 leaves elements out.",
    "scope": "the node's name in a graph.",
    "loss_collection": "in a graph, the collection that the loss is added to; None for none.",
    "reduction": "one of `Reduction`'s.",
}


class Reduction:
    """How the losses of elements become one."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All of them."""
        return (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_BY_NONZERO_WEIGHTS)

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises a ValueError if there is no such reduction."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}.")


def _reduced(losses: TensorLike, weights: TensorLike, reduction: str) -> Any:
    losses = _core.as_tensor(losses)
    dtype = losses.dtype
    values = _ops.cast(losses, dtypes.float32)
    weights = _ops.cast(_core.as_tensor(weights), dtypes.float32)
    if weights.shape.rank and weights.shape.rank + 1 == losses.shape.rank:
        weights = _ops.expand_dims(weights, -1)
    _check_weights(weights, losses)
    weighted = values * weights
    if reduction == Reduction.NONE:
        return _ops.cast(weighted, dtype)
    total = _ops.reduce_sum(weighted)
    if reduction == Reduction.MEAN:
        spread = _ops.broadcast_to(weights, array.shape(losses))
        total = _ops.divide_no_nan(total, _ops.reduce_sum(spread))
    elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
        total = _ops.divide_no_nan(total, _ops.cast(array.size(losses), dtypes.float32))
    elif reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
        present = _ops.cast(_ops.not_equal(weights, 0.0), dtypes.float32)
        count = _ops.reduce_sum(_ops.broadcast_to(present, array.shape(losses)))
        total = _ops.divide_no_nan(total, count)
    return _ops.cast(total, dtype)


def _check_weights(weights: Tensor, values: Any) -> None:
    if values.shape.rank is None or weights.shape.rank is None:
        return
    shape, weight_shape = values._shape_tuple(), weights._shape_tuple()
    if weight_shape and (
        len(weight_shape) != len(shape)
        or any(w not in (1, s, None) and s for w, s in zip(weight_shape, shape, strict=True))
    ):
        raise ValueError(
            f"weights can not be broadcast to values. values.rank={len(shape)}. "
            f"weights.rank={len(weight_shape)}. values.shape={values.shape}. "
            f"weights.shape={weights.shape}."
        )


def _loss(
    function: Any, arguments: tuple, weights: TensorLike, reduction: str, collection: Any, name: str
) -> Tensor:
    """The reduced losses of a function; in a graph, a node that is added to the collection."""
    Reduction.validate(reduction)
    return _collected(lambda: _reduced(function(*arguments), weights, reduction), collection, name)


def _collected(compute: Callable[[], Tensor], collection: str | None, name: str) -> Tensor:
    """A loss; in a graph, a node that is added to the collection."""
    graph = context.building_graph()
    if graph is None:
        return compute()
    with name_scope(name):
        loss = called("value", None, compute)
    if collection is not None:
        graph.add_to_collection(collection, loss)
    return loss


def compute_weighted_loss(
    losses: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Losses, weighted and reduced to one.

    Args:
        losses: a loss for each element.
        weights: broadcast against the losses; 0 leaves elements out.
        scope: the node's name in a graph.
        loss_collection: in a graph, the collection that it is added to; None for none.
        reduction: one of `Reduction`'s.

    Raises:
        ValueError: if the weights do not fit, or for another reduction.

    >>> tf.compat.v1.losses.compute_weighted_loss([1.0, 2.0, 3.0], [1.0, 1.0, 0.0]).numpy()
    np.float32(1.5)
    """
    return _loss(
        lambda x: x, (losses,), weights, reduction, loss_collection, scope or "weighted_loss"
    )


def _loss_function(name: str) -> Callable[..., Callable[..., Tensor]]:
    """Turns a function of elementwise losses into one that weights and reduces them.

    It takes the function's first two parameters, weights, its other parameters, and those that all
    losses share.
    """

    def decorate(function: Callable[..., Tensor]) -> Callable[..., Any]:
        first, second, *options = parameters_of(function)
        shared = optional_parameters(
            scope=None, loss_collection=GraphKeys.LOSSES, reduction=Reduction.SUM_BY_NONZERO_WEIGHTS
        )

        def call(values: dict[str, Any]) -> Any:
            given = {option.name: values[option.name] for option in options}
            return _loss(
                functools.partial(function, **given),
                (values[first.name], values[second.name]),
                values["weights"],
                values["reduction"],
                values["loss_collection"],
                values["scope"] or name,
            )

        parameters = [first, second, *optional_parameters(weights=1.0), *options, *shared]
        return with_parameters(function, parameters, call, _DOCUMENTED)

    return decorate


def _pair(labels: TensorLike, predictions: TensorLike) -> tuple[Tensor, Any]:
    if labels is None:
        raise ValueError("labels must not be None.")
    if predictions is None:
        raise ValueError("predictions must not be None.")
    predictions = _ops.cast(_core.as_tensor(predictions), dtypes.float32)
    labels = _ops.cast(_core.as_tensor(labels), dtypes.float32)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return labels, predictions


@_loss_function("mean_squared_error")
def mean_squared_error(labels: TensorLike, predictions: TensorLike) -> Tensor:
    """The mean of squared differences.

    >>> tf.compat.v1.losses.mean_squared_error([1.0, 2.0], [1.0, 4.0]).numpy()
    np.float32(2.0)
    """
    labels, predictions = _pair(labels, predictions)
    return _ops.squared_difference(predictions, labels)


@_loss_function("absolute_difference")
def absolute_difference(labels: TensorLike, predictions: TensorLike) -> Tensor:
    """The mean of absolute differences."""
    labels, predictions = _pair(labels, predictions)
    return _ops.abs(predictions - labels)


def mean_pairwise_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
) -> Tensor:
    """How much the differences between pairs of elements differ, squared and averaged.

    For elements with weights `n` of a row, and differences `d` of predictions and labels, it is
    `2 * sum(d**2) / (n - 1) - 2 * sum(d)**2 / (n * (n - 1))`; rows are added.

    Args:
        labels: a batch of the true values.
        predictions: the values to compare, of the same shape.
        weights: a number, or one for each row.
        scope: the node's name in a graph.
        loss_collection: in a graph, the collection that it is added to; None for none.

    >>> tf.compat.v1.losses.mean_pairwise_squared_error([[1.0, 2.0]], [[1.0, 4.0]]).numpy()
    np.float32(4.0)
    """

    first, second = _pair(labels, predictions)
    weighted: Any = _core.convert(weights, second.dtype, None)
    _check_weights(weighted, second)

    def compute() -> Tensor:
        axes = list(range(1, second.shape.rank))
        difference = second - first
        present = _ops.cast(_ops.not_equal(weighted, 0.0), difference.dtype)
        present = _ops.broadcast_to(present, array.shape(difference))
        difference = difference * present
        count = _ops.reduce_sum(present, axes, True)
        squares = _ops.reduce_sum(_ops.square(difference), axes, True)
        total = _ops.square(_ops.reduce_sum(difference, axes, True))
        pairs = 2.0 * _ops.divide_no_nan(squares, _ops.maximum(count - 1.0, 0.0))
        pairs -= 2.0 * _ops.divide_no_nan(total, _ops.maximum(count * (count - 1.0), 0.0))
        return _ops.reduce_sum(pairs * weighted)

    return _collected(compute, loss_collection, scope or "mean_pairwise_squared_error")


def cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    axis: int | None = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    dim: int | None = None,
) -> Tensor:
    """One minus the products of unit vectors along an axis; `dim` is its older name.

    Raises:
        ValueError: if there is no axis.
    """
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify argument `axis`.")

    def distance(labels: Tensor, predictions: Tensor) -> Tensor:
        labels, predictions = _pair(labels, predictions)
        return 1.0 - _ops.reduce_sum(labels * predictions, axis=[axis], keepdims=True)

    scope = scope or "cosine_distance_loss"
    return _loss(distance, (labels, predictions), weights, reduction, loss_collection, scope)


@_loss_function("hinge_loss")
def hinge_loss(labels: TensorLike, logits: TensorLike) -> Tensor:
    """max(0, 1 - y * logits) for labels 0 and 1, where y is -1 or 1."""
    labels, logits = _pair(labels, logits)
    return _ops.relu(1.0 - (2.0 * labels - 1.0) * logits)


@_loss_function("huber_loss")
def huber_loss(labels: Any, predictions: Any, delta: float = 1.0) -> Tensor:
    """Half the squares of differences up to `delta`, and linear beyond (Huber, 1964)."""
    labels, predictions = _pair(labels, predictions)
    distance = _ops.abs(predictions - labels)
    near = _ops.minimum(distance, delta)
    return 0.5 * near * near + delta * (distance - near)


@_loss_function("log_loss")
def log_loss(labels: Any, predictions: Any, epsilon: float = 1e-7) -> Tensor:
    """The cross entropy of probabilities, to which `epsilon` is added."""
    labels, predictions = _pair(labels, predictions)
    right = -labels * _ops.log(predictions + epsilon)
    return right - (1.0 - labels) * _ops.log(1.0 - predictions + epsilon)


def _labels_and_logits(labels: TensorLike, logits: TensorLike) -> tuple[Tensor, Tensor]:
    logits = _core.as_tensor(logits)
    return _ops.cast(_core.as_tensor(labels), logits.dtype), logits


@_loss_function("sigmoid_cross_entropy_loss")
def sigmoid_cross_entropy(
    multi_class_labels: TensorLike, logits: TensorLike, label_smoothing: float = 0
) -> Tensor:
    """The cross entropy of independent classes."""
    labels, logits = _labels_and_logits(multi_class_labels, logits)
    if label_smoothing > 0:
        labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
    return nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)


@_loss_function("softmax_cross_entropy_loss")
def softmax_cross_entropy(onehot_labels: Any, logits: Any, label_smoothing: float = 0) -> Tensor:
    """The cross entropy of classes that exclude one another; labels are probabilities."""
    labels, logits = _labels_and_logits(onehot_labels, logits)
    if label_smoothing > 0:
        classes = _ops.cast(array.shape(logits)[-1], labels.dtype)
        labels = labels * (1 - label_smoothing) + label_smoothing / classes
    labels = _ops.stop_gradient(labels)
    return nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)


@_loss_function("sparse_softmax_cross_entropy_loss")
def sparse_softmax_cross_entropy(labels: TensorLike, logits: TensorLike) -> Tensor:
    """The cross entropy of classes that exclude one another; labels are the ids of classes."""
    labels, logits = _core.as_tensor(labels), _core.as_tensor(logits)
    if labels.ndim is None and logits.ndim is not None:
        labels = _ops.reshape(labels, array.shape(logits)[:-1])
    elif labels.ndim == logits.ndim:
        labels = _ops.squeeze(labels, axis=[-1])
    return nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)


def add_loss(loss: TensorLike, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Adds a loss to a collection of the graph."""
    if loss_collection is not None and context.building_graph() is not None:
        context.default_graph().add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: Any = GraphKeys.LOSSES) -> list[Tensor]:
    """The losses in a collection."""
    return context.default_graph().get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Tensor]:
    """The losses of regularizers."""
    return context.default_graph().get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> Tensor:
    """The sum of the losses of regularizers."""
    return _sum(get_regularization_losses(scope), name)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Tensor:
    """The sum of all losses."""
    losses = get_losses(scope)
    return _sum(
        losses + (get_regularization_losses(scope) if add_regularization_losses else []), name
    )


def _sum(losses: list[Tensor], name: str) -> Any:
    def total() -> Any:
        if not losses:
            return conversion.constant(0.0)
        return functools.reduce(operator.add, losses) if losses[1:] else _ops.identity(losses[0])

    return total() if _core.building() is None else called(name, None, total)
