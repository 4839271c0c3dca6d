"""What version 1's metrics have in common: local variables, a value, and an update of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eagerflow import _core, context
from eagerflow import dtype as dtypes
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.recording import record
from eagerflow.graph.variables import make_variable
from eagerflow.type_spec import TensorSpec

Array = NDArray[Any]


def weighted(weights: Array | None, values: Array) -> Array:
    """Weights for each of the values: ones by default."""
    if weights is None:
        return np.ones(np.shape(values), np.float32)
    weights = weights.astype(np.float32)
    if 0 < weights.ndim < np.ndim(values):
        weights = weights.reshape(weights.shape + (1,) * (np.ndim(values) - weights.ndim))
    return np.broadcast_to(weights, np.shape(values))


def _array(value: Any) -> Any:
    if value is None:
        return None
    return np.asarray(value if hasattr(value, "__array__") else _core.as_tensor(value))


def metric(
    kind: str,
    arguments: tuple,
    shapes: Mapping[str, list[int]],
    count: Callable[..., tuple],
    value: Callable[..., Any],
    value_shape: list[int],
    name: str | None,
    metrics_collections: Any,
    updates_collections: Any,
    dtype: Any = dtypes.float32,
    update: Callable[..., Any] | None = None,
    update_shape: list[int] | None = None,
) -> tuple[Any, Any]:
    """A metric's value, and an operation that takes more into account and gives the new value.

    Args:
        kind: the metric's name.
        arguments: labels, predictions, weights: tensors, or None.
        shapes: the local variables' shapes, by their names.
        count: from arrays of the arguments to what is added to the variables.
        value: from arrays of the variables to the metric.
        value_shape: its shape.
        name: the scope's name.
        metrics_collections: collections that get the value.
        updates_collections: collections that get the operation.
        dtype: of the variables.
        update: from arrays of the variables to what the operation gives; by default the metric.
        update_shape: its shape.

    Raises:
        RuntimeError: if operations run eagerly.
    """
    if context.executing_eagerly():
        raise RuntimeError(
            f"tf.metrics.{kind} is not supported when eager execution is enabled: use "
            "tf.keras.metrics."
        )
    graph = context.default_graph()
    with graph.name_scope(name or kind):
        variables = [
            make_variable(
                np.zeros(shape, dtype.as_numpy_dtype),
                name=variable,
                trainable=False,
                collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
            )
            for variable, shape in shapes.items()
        ]

        def more(given: tuple) -> list:
            found = count(*(_array(item) for item in given))
            return [_core.convert(np.asarray(item), dtype, None) for item in map(_as(dtype), found)]

        def result(function: Callable[..., Any], values: list) -> Any:
            found = function(*(_array(item) for item in values))
            return _core.as_tensor(np.asarray(found, np.float32))

        added = record(
            graph,
            more,
            (arguments,),
            kind="Sums",
            outputs=[TensorSpec(shape, dtype) for shape in shapes.values()],
        )
        spec = TensorSpec(value_shape, dtypes.float32)
        shown = record(graph, result, (value, variables), kind="value", outputs=spec)
        changed = [
            variable.assign_add(item) for variable, item in zip(variables, added, strict=True)
        ]
        if update is not None:
            spec = TensorSpec(update_shape, dtypes.float32)
        updated = record(graph, result, (update or value, changed), kind="update_op", outputs=spec)
    for collections, tensor in ((metrics_collections, shown), (updates_collections, updated)):
        if collections:
            graph.add_to_collections(collections, tensor)
    return shown, updated


def _as(dtype: Any) -> Callable[[Any], Array]:
    return lambda item: np.asarray(item, dtype.as_numpy_dtype)
