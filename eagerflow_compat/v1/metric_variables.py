"""What version 1's metrics have in common: local variables, a value, and an update of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eagerflow import _core
from eagerflow.framework import context, dtypes
from eagerflow.framework.composite import SparseTensorValue
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.nodes import python_node
from eagerflow.graph.variables import make_variable
from eagerflow.sparse.tensor import SparseTensor
from eagerflow_compat.v1.arguments import optional_parameters, parameters_of, with_parameters

Array = NDArray[Any]
_OPTIONS = {
    "metrics_collections": "collections that the value is added to.",
    "updates_collections": "collections that the update operation is added to.",
    "name": "the name of the scope.",
}


@dataclasses.dataclass(frozen=True)
class Metric:
    """A metric's local variables, and how they are updated and read.

    Attributes:
        kind: the metric's name.
        arguments: labels, predictions, weights: tensors, or None.
        shapes: the local variables' shapes, by their names.
        count: computes the increments of the variables from arrays of the arguments.
        value: computes the metric from arrays of the variables.
        value_shape: its shape.
        dtype: of the variables.
        update: computes the result of the update operation; by default the metric.
        update_shape: its shape.
        align: brings the arguments into shapes that match.
    """

    kind: str
    arguments: tuple
    shapes: Mapping[str, Sequence[int]]
    count: Callable[..., tuple]
    value: Callable[..., Any]
    value_shape: Sequence[int] = ()
    dtype: dtypes.DType = dtypes.float32
    update: Callable[..., Array] | None = None
    update_shape: Sequence[int] = ()
    align: Callable[..., tuple] | None = None


def metric(describe: Callable[..., Metric]) -> Callable[..., object]:
    """The public function of a metric: it returns the value, and an operation that updates it.

    Args:
        describe: takes tensors and options, and returns the `Metric` to build. The parameters that
            all metrics share are added to its own.
    """
    own = parameters_of(describe)
    names = [parameter.name for parameter in own]
    shared = optional_parameters(**{name: None for name in _OPTIONS if name not in names})

    def call(values: dict[str, Any]) -> tuple[Any, Any]:
        options = [values[name] for name in _OPTIONS]
        return _built(describe(**{name: values[name] for name in names}), *options)

    return with_parameters(describe, [*own, *shared], call, _OPTIONS)


def weighted(weights: Array | None, values: Array) -> Array:
    """Weights for each of the values: ones by default."""
    if weights is None:
        return np.ones(np.shape(values), np.float32)
    weights = weights.astype(np.float32)
    if 0 < weights.ndim < np.ndim(values):
        weights = weights.reshape(weights.shape + (1,) * (np.ndim(values) - weights.ndim))
    return np.broadcast_to(weights, np.shape(values))


def _array(value: Any) -> Any:
    if isinstance(value, SparseTensor):
        return SparseTensorValue(*map(np.asarray, (value.indices, value.values, value.dense_shape)))
    if value is None or isinstance(value, SparseTensorValue):
        return value
    return np.asarray(value if hasattr(value, "__array__") else _core.as_tensor(value))


def _built(
    described: Metric, metrics_collections: str | None, updates_collections: Any, name: str | None
) -> tuple[_core.Tensor, _core.Tensor]:
    kind, dtype = described.kind, described.dtype
    if context.executing_eagerly():
        raise RuntimeError(
            f"tf.metrics.{kind} is not supported when eager execution is enabled: use "
            "tf.keras.metrics."
        )

    def increments(arguments: tuple) -> list:
        counts = described.count(*map(_array, arguments))
        numpy_dtype = dtype.as_numpy_dtype
        return [_core.convert(np.asarray(each, numpy_dtype), dtype, None) for each in counts]

    def result(function: Callable[..., _core.Tensor], variables: list) -> _core.Tensor:
        values = np.asarray(function(*map(_array, variables)), np.float32)
        return _core.as_tensor(values)

    graph = context.default_graph()
    with graph.name_scope(name or kind):
        variables = [
            make_variable(
                np.zeros(shape, dtype.as_numpy_dtype),
                name=key,
                trainable=False,
                collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
            )
            for key, shape in described.shapes.items()
        ]
        for variable in variables:
            variable._keep_remainder()
        arguments = described.arguments
        if described.align is not None:
            arguments = described.align(*arguments)
        added = python_node(
            increments,
            arguments,
            kind="Sums",
            outputs=[TensorSpec(shape, dtype) for shape in described.shapes.values()],
        )
        spec = TensorSpec(described.value_shape, dtypes.float32)
        value = python_node(result, described.value, variables, kind="value", outputs=spec)
        changed = [
            variable.assign_add(increment)
            for variable, increment in zip(variables, added, strict=True)
        ]
        if described.update is not None:
            spec = TensorSpec(described.update_shape, dtypes.float32)
        function = described.update or described.value
        update = python_node(result, function, changed, kind="update_op", outputs=spec)
    for collections, tensor in ((metrics_collections, value), (updates_collections, update)):
        if collections:
            graph.add_to_collections(collections, tensor)
    return value, update
