"""tf.metrics of version 1: averages over many runs, in local variables of a graph."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, context
from eagerflow import dtype as dtypes
from eagerflow.graph.recording import record
from eagerflow.graph.variables import make_variable
from eagerflow.v1.names import GraphKeys

_ops = _core.ops


def _average(kind: str, each: Any, values: tuple, weights: Any, name: str | None) -> Any:
    """The average of what `each` gives, and an operation that takes more into account."""
    if context.executing_eagerly():
        raise RuntimeError(
            f"tf.metrics.{kind} is not supported when eager execution is enabled: use "
            "tf.keras.metrics."
        )
    graph = context.default_graph()
    with graph.name_scope(name or kind):
        local: dict[str, Any] = {
            "trainable": False,
            "collections": [GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        }
        total = make_variable(0.0, name="total", **local)
        count = make_variable(0.0, name="count", **local)

        def sums(arguments: tuple, by: Any) -> tuple[Any, Any]:
            found = _ops.cast(_core.convert(each(*arguments), None, None), dtypes.float32)
            if by is None:
                return _ops.reduce_sum(found), _ops.cast(found._size, dtypes.float32)
            by = _ops.cast(_core.convert(by, None, None), dtypes.float32)
            by = _ops.broadcast_to(by, found._shape_tuple())
            return _ops.reduce_sum(found * by), _ops.reduce_sum(by)

        more, number = record(graph, sums, (values, weights), kind="Sums")
        value = record(graph, _ops.divide_no_nan, (total, count), kind="value")
        added = [total.assign_add(more), count.assign_add(number)]
        update = record(graph, _ops.divide_no_nan, tuple(added), kind="update_op")
    return value, update


def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The average of all values: a tensor, and an operation that takes more into account.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.mean([1.0, 2.0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     print(session.run(update), session.run(value))
    1.5 1.5
    """
    return _average("mean", lambda x: x, (values,), weights, name)


def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """How often predictions are the labels."""

    def right(labels: Any, predictions: Any) -> Any:
        predictions = _core.convert(predictions, None, None)
        return _ops.equal(
            _ops.cast(_core.convert(labels, None, None), predictions.dtype), predictions
        )

    return _average("accuracy", right, (labels, predictions), weights, name)


def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The average of squared differences."""
    return _average(
        "mean_squared_error",
        lambda a, b: _ops.squared_difference(
            _core.convert(a, dtypes.float32, None), _core.convert(b, dtypes.float32, None)
        ),
        (labels, predictions),
        weights,
        name,
    )


def mean_absolute_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The average of absolute differences."""
    return _average(
        "mean_absolute_error",
        lambda a, b: _ops.abs(
            _core.convert(a, dtypes.float32, None) - _core.convert(b, dtypes.float32, None)
        ),
        (labels, predictions),
        weights,
        name,
    )
