"""tf.contrib.eager.metrics: averages over many batches, in double precision."""

from __future__ import annotations

import re
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import context, dtypes
from eagerflow.framework.module import Module
from eagerflow.framework.operation import Operation
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.keras.legacy_initializers import Zeros
from eagerflow.ops import array, assertions
from eagerflow.ops.control_flow import control_dependencies, group
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow_compat.v1 import step_summary
from eagerflow_compat.v1.variable_scope import get_variable, variable_scope

_ops = _core.ops

__all__ = ["Accuracy", "BinaryAccuracy", "CategoricalAccuracy", "Mean", "Metric", "SparseAccuracy"]


class Metric(Module):
    """Base class of metrics.

    A subclass makes its variables in `build`, by `add_variable`, adds to them in `call`, and computes
    what they say in `result`.

    Args:
        name: the metric's name, by default its class's.
        use_global_variables: whether variables of a graph are global ones, and not local ones.
    """

    def __init__(self, name: str | None = None, use_global_variables: bool = False) -> None:
        self._metric_name = name or type(self).__name__
        super().__init__(name="metric")
        self._built = False
        self._use_global_variables = use_global_variables
        self._kept: tuple[Any, ...] = ()
        self._initial: tuple[Any, ...] = ()

    @property
    def name(self) -> str:
        """The metric's name."""
        return self._metric_name

    @property
    def variables(self) -> tuple[Any, ...]:
        """The metric's variables."""
        return self._kept

    def build(self, *args: object, **kwargs: object) -> None:
        """Makes the variables; gets the arguments of the first call."""
        raise NotImplementedError("Metrics must define a build() member function")

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Adds to the variables."""
        raise NotImplementedError("Metrics must define a call() member function")

    def result(self) -> Any:
        """What the variables say, a tensor."""
        raise NotImplementedError("Metrics must define a result() member function")

    def value(self) -> Any:
        """The result, without a summary of it."""
        return self.result()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds to the metric; returns what `call` does."""
        if not self._built:
            with variable_scope(re.sub("[^A-Za-z0-9.]", "_", self.name)):
                self.build(*args, **kwargs)
            self._built = True
        if context.executing_eagerly():
            return self.call(*args, **kwargs)
        # Who runs what `call` returns runs its changes and checks, too.
        graph = _core.building()
        start = len(graph)
        result = self.call(*args, **kwargs)
        nodes = [graph.node(id) for id in range(start, len(graph))]
        with control_dependencies([Operation(node) for node in nodes if node.has_effects]):
            return nest.map_structure(
                lambda leaf: None if leaf is None else _ops.identity(_core.as_tensor(leaf)), result
            )

    def add_variable(
        self, name: str, shape: Any = None, dtype: DTypeLike | None = None, initializer: Any = None
    ) -> _core.Variable:
        """A variable of the metric, made before the first call, or by it in `build`.

        In a graph, the variable is in the collection of metrics' variables, too.

        Raises:
            RuntimeError: if it is called later.
        """
        if self._built:
            raise RuntimeError("Can't call add_variable() except in build().")
        kind = (
            GraphKeys.GLOBAL_VARIABLES if self._use_global_variables else GraphKeys.LOCAL_VARIABLES
        )
        variable = get_variable(
            name,
            shape,
            dtype,
            initializer,
            trainable=False,
            collections=[kind, GraphKeys.METRIC_VARIABLES],
        )
        self._kept += (variable,)
        if context.executing_eagerly():
            self._initial += (variable.read_value(),)
        return variable

    def init_variables(self) -> Any:
        """Resets the variables to their initial values; in a graph, an operation that does."""
        if not context.executing_eagerly():
            return group(*(variable.initializer for variable in self._kept))
        for variable, value in zip(self._kept, self._initial, strict=True):
            variable.assign(value)
        return None


class _Average(Metric):
    """Base class of averages."""

    def __init__(self, name: str | None, dtype: Any, use_global_variables: bool = False) -> None:
        super().__init__(name=name, use_global_variables=use_global_variables)
        self.dtype = dtypes.as_dtype(dtype)

    def build(self, *args: object, **kwargs: object) -> None:
        zeros = Zeros()
        self.numer = self.add_variable("numer", [], self.dtype, zeros)
        self.denom = self.add_variable("denom", [], self.dtype, zeros)

    def _add(self, values: Any, weights: Any, returned: Any) -> Any:
        summed = _ops.cast(values, self.dtype)
        if weights is None:
            count = _ops.cast(array.size(values), self.dtype)
        else:
            by = _ops.cast(_core.as_tensor(weights), self.dtype)
            count = _ops.reduce_sum(_ops.multiply(_ops.ones_like(summed), by))
            summed = _ops.multiply(summed, by)
            returned = (*returned, weights) if isinstance(returned, tuple) else (returned, weights)
        self.denom.assign_add(count)
        self.numer.assign_add(_ops.reduce_sum(summed))
        return returned

    def result(self, write_summary: bool = True) -> Any:
        """The average, NaN without values; also a summary of the metric's name where these are on.

        Args:
            write_summary: whether a summary is written.
        """
        found = self.numer / self.denom
        if write_summary:
            step_summary.scalar(self.name, found)
        return found

    def value(self) -> Any:
        """The average, without a summary."""
        return self.result(write_summary=False)


class Mean(_Average):
    """The weighted average of all values.

    Args:
        name: the metric's name.
        dtype: of the sums and the result.
        use_global_variables: accepted.

    >>> mean = tf.contrib.eager.metrics.Mean("loss")
    >>> _ = mean([1.0, 2.0]), mean(6.0)
    >>> mean.result()
    <tf.Tensor: shape=(), dtype=float64, numpy=3.0>
    """

    def __init__(
        self, name: str | None = None, dtype: str = "float64", use_global_variables: bool = False
    ) -> None:
        super().__init__(name, dtype, use_global_variables)

    def call(self, values: Any, weights: Any = None) -> Any:
        """Adds values, each as often as its weight says; weights are broadcast.

        Returns:
            The values, or the values and weights.
        """
        values = _core.as_tensor(values)
        return self._add(values, weights, values)


class Accuracy(_Average):
    """The share of predictions that are their labels.

    >>> accuracy = tf.contrib.eager.metrics.Accuracy()
    >>> _ = accuracy([1, 2, 3, 4], [1, 2, 3, 0])
    >>> accuracy.result().numpy()
    np.float64(0.75)
    """

    def __init__(self, name: str | None = None, dtype: DTypeLike = "float64") -> None:
        super().__init__(name=name, dtype=dtype)

    def call(self, labels: TensorLike, predictions: TensorLike, weights: Any = None) -> Any:
        """Adds labels and predictions of one shape.

        Returns:
            The labels and predictions, and the weights if there are any.

        Raises:
            tf.errors.InvalidArgumentError: if they have not the same shape.
        """
        labels, predictions = _core.as_tensor(labels), _core.as_tensor(predictions)
        self._check_shapes(labels, predictions)
        matches = self._matches(labels, predictions)
        return self._add(matches, weights, (labels, predictions))

    def _check_shapes(self, labels: _core.Tensor, predictions: _core.Tensor) -> None:
        assertions.assert_equal(
            array.shape(labels),
            array.shape(predictions),
            "Shapes of labels and predictions are unequal",
        )

    def _matches(self, labels: Any, predictions: _core.Tensor) -> _core.Tensor:
        return _ops.equal(_ops.cast(labels, predictions.dtype), predictions)


class CategoricalAccuracy(Accuracy):
    """The share of predictions whose largest element is where the label's is, `[batch, classes]`."""

    def _matches(self, labels: TensorLike, predictions: TensorLike) -> _core.Tensor:
        return _ops.equal(_ops.argmax(labels, -1), _ops.argmax(predictions, -1))


class BinaryAccuracy(Accuracy):
    """The share of predictions that are above a threshold just where the labels are 1.

    Args:
        threshold: predictions above it count as 1.
        name: the metric's name.
        dtype: of the sums and the result.
    """

    def __init__(
        self, threshold: float = 0.5, name: str | None = None, dtype: DTypeLike = "float64"
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.threshold = threshold

    def _matches(self, labels: Any, predictions: _core.Tensor) -> Any:
        return super()._matches(labels, _ops.cast(predictions > self.threshold, labels.dtype))


class SparseAccuracy(Accuracy):
    """The share of predictions, `[batch, classes]`, whose largest element is at the label."""

    def _check_shapes(self, labels: _core.Tensor, predictions: _core.Tensor) -> None:
        assertions.assert_equal(
            array.shape(labels),
            array.shape(predictions)[:1],
            "First axis of labels and predictions is unequal",
        )

    def _matches(self, labels: TensorLike, predictions: TensorLike) -> Any:
        return super()._matches(labels, _ops.argmax(predictions, -1))
