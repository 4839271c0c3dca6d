"""The base class of metrics: variables that accumulate over batches, and a result."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import context
from eagerflow.framework.aggregation import VariableAggregation, VariableSynchronization
from eagerflow.framework.distribution_state import merged_in_replicas
from eagerflow.framework.variable import Variable
from eagerflow.keras.config import defaults
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.program_code import convertible
from eagerflow.keras.saving.init_arguments import arguments_config
from eagerflow.keras.typing import Config
from eagerflow.ops import control_flow
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow.util import own_code
from eagerflow.util.argument_docs import complete_docs

_ops = _core.ops
Tensor = _core.Tensor


class _MetricDict(dict):
    """Results by name, and the metric they come from."""

    _metric_obj: Any = None


def _as_tensor(value: TensorLike) -> Tensor:
    return value if isinstance(value, Tensor) else _ops.identity(_core.as_tensor(value))


def _converted(result: Callable) -> Callable:
    """Makes a user-defined `result`, which may return floats and variables, return tensors."""

    @functools.wraps(result)
    def tensors(self: Any, *args: Any, **kwargs: Any) -> Any:
        value = convertible(result)(self, *args, **kwargs)
        if isinstance(value, dict):
            return nest.map_structure(_as_tensor, value)
        try:
            return _as_tensor(value)
        except (ValueError, TypeError) as error:
            raise RuntimeError(
                "The output of `metric.result()` can only be a single Tensor/Variable, or a dict "
                f"of Tensors/Variables. For metric {self.name}, got result {value}."
            ) from error

    return tensors


def _traced(update_state: Callable) -> Callable:
    """Has the control flow of a user-defined `update_state` converted while it is traced."""

    @functools.wraps(update_state)
    def update(self: Any, *args: Any, **kwargs: Any) -> Any:
        return convertible(update_state)(self, *args, **kwargs)

    return update


class Metric(Layer):
    """Base class of metrics; a subclass makes variables and defines `update_state` and `result`.

    Args:
        name: the metric's name; by default the class's name in snake case.
        dtype: the dtype of variables and results; by default Keras's float type.
        **kwargs: the arguments of `tf.keras.layers.Layer`.

    >>> class Positives(tf.keras.metrics.Metric):
    ...     def __init__(self, name="positives", **kwargs):
    ...         super().__init__(name=name, **kwargs)
    ...         self.count = self.add_weight("count", initializer="zeros")
    ...
    ...     def update_state(self, y_true, y_pred, sample_weight=None):
    ...         self.count.assign_add(tf.reduce_sum(tf.cast(y_pred > 0.5, tf.float32)))
    ...
    ...     def result(self):
    ...         return self.count
    >>> metric = Positives()
    >>> metric.update_state([1, 0], tf.constant([0.9, 0.1]))
    >>> print(metric.result().numpy())
    1.0
    """

    _is_metric = True
    _dtype: str

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        complete_docs(cls)
        own = not own_code.is_own(cls.__module__)
        if "result" in cls.__dict__:
            result = _converted(cls.result) if own else cls.result
            cls.result = merged_in_replicas(result)  # type: ignore[method-assign]
        if not own:
            return
        if "update_state" in cls.__dict__:
            cls.update_state = _traced(cls.update_state)  # type: ignore[method-assign]

    def __init__(
        self, name: str | None = None, dtype: DTypeLike | None = None, **kwargs: Any
    ) -> None:
        super().__init__(name=name, dtype=dtype, **kwargs)
        self._float = self._dtype_policy.variable or defaults.float_dtype
        self.stateful = True
        self.built = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Accumulates a batch and returns the result so far.

        Symbolic tensors have no values to accumulate.
        """
        if not any(isinstance(value, KerasTensor) for value in nest.flatten([args, kwargs])):
            self.update_state(*args, **kwargs)
        result = self.result()
        if isinstance(result, dict):
            result = _MetricDict(**result)
        result._metric_obj = self
        return result

    def __str__(self) -> str:
        arguments = ",".join(f"{key}={value}" for key, value in self.get_config().items())
        return f"{type(self).__name__}({arguments})"

    def __deepcopy__(self, memo: dict) -> Metric:
        copy = self.from_config(self.get_config())
        if self.weights:
            copy.set_weights(self.get_weights())
        memo[id(self)] = copy
        return copy

    @property
    def dtype(self) -> str:
        """The name of the dtype of variables and results."""
        return self._dtype

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Accumulates a batch."""
        raise NotImplementedError(f"{type(self).__name__} must define `update_state`.")

    def result(self) -> Any:
        """The metric's value so far."""
        raise NotImplementedError(f"{type(self).__name__} must define `result`.")

    def reset_state(self) -> None:
        """Resets all variables."""
        if type(self).reset_states is not Metric.reset_states:
            # A class for TensorFlow before 2.5 defines the deprecated name.
            self.reset_states()
            return
        for variable in self.weights:
            variable.assign(_ops.zeros(variable.shape, variable.dtype))

    def reset_states(self) -> None:
        """Resets all variables; the deprecated name of `reset_state`."""
        self.reset_state()

    @property
    def updates(self) -> list[Any]:
        """In a graph that a program builds, a list of the operation that does what updates have added."""
        graph = context.building_graph()
        if graph is None:
            return []
        own = {id(variable) for variable in self.weights}
        added = [
            operation
            for operation in graph.get_operations()
            if operation.type.startswith("Assign")
            and operation._node.id not in graph.initializers
            and any(id(variable) in own for variable in operation._node.variables)
        ]
        return [control_flow.group(*added)] if added else []

    def merge_state(self, metrics: Iterable[Metric]) -> list:
        """Adds the variables of other metrics of the same class.

        Raises:
            ValueError: if a metric has a different number of variables.
        """
        merged = []
        for metric in metrics:
            if len(self.weights) != len(metric.weights):
                raise ValueError(f"Metric {metric} is not compatible with {self}")
            for own, theirs in zip(self.weights, metric.weights, strict=True):
                merged.append(own.assign_add(theirs))
        return merged

    def add_weight(  # type: ignore[override]
        self,
        name: str | None = None,
        shape: Any = (),
        aggregation: VariableAggregation = VariableAggregation.SUM,
        synchronization: VariableSynchronization = VariableSynchronization.ON_READ,
        initializer: Any = None,
        dtype: DTypeLike | None = None,
    ) -> Variable:
        """A new variable of this metric.

        `assign_add` and `assign_sub` keep the rounding error and add it to the next value (Kahan), so that
        counts grow beyond 2**24.

        Args:
            name: the variable's name.
            shape: its shape.
            aggregation: the variable's attribute of this name.
            synchronization: the variable's attribute of this name.
            initializer: an initializer or its name; by default as in layers.
            dtype: by default the metric's.
        """
        variable = super().add_weight(
            name=name,
            shape=shape,
            dtype=self._dtype if dtype is None else dtype,
            initializer=initializer,
            trainable=False,
            synchronization=synchronization,
            aggregation=aggregation,
            collections=[],
        )
        variable._keep_remainder()
        return variable

    def _collect_non_trainable(self) -> list[_core.Variable]:
        # Metrics inside are not among the layers, whose weights are collected.
        inner = [weight for metric in self._list("_metrics") for weight in metric.weights]
        return super()._collect_non_trainable() + inner

    def get_config(self) -> Config:
        """The arguments that make a metric like this one."""
        return {"name": self.name, "dtype": self.dtype} | arguments_config(self, Metric)

    @classmethod
    def from_config(cls, config: Config) -> Metric:
        """A metric from what `get_config` returned."""
        return cls(**config)


def clone_metric(metric: object) -> Any:
    """A copy of a metric without its state; any other value is returned unchanged."""
    return type(metric).from_config(metric.get_config()) if isinstance(metric, Metric) else metric
