"""Metrics that run in Python, also inside of traced functions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.keras.metrics.metric import Metric
from eagerflow.ops.host_functions import py_function
from eagerflow.typing import DTypeLike, TensorLike


def _updating(update_state: Callable) -> Callable:
    """An `update_state` that gets eager tensors; in a graph, it is a node that calls Python."""

    @functools.wraps(update_state)
    def update(self: Any, y_true: object, y_pred: TensorLike, sample_weight: object = None) -> None:
        inputs = [_core.as_tensor(value) for value in (y_true, y_pred)]
        if sample_weight is not None:
            inputs.append(_core.as_tensor(sample_weight))

        def run(*values: Any) -> None:
            update_state(self, *values)

        if _core.building() is None:
            run(*inputs)
        else:
            py_function(run, inputs, [])

    return update


def _returning(result: Callable) -> Callable:
    """A `result` in the metric's dtype; in a graph, it is a node that calls Python."""

    @functools.wraps(result)
    def tensor(self: Any) -> Any:
        def run() -> Any:
            return _core.convert(result(self), None, self._float)

        if _core.building() is None:
            return run()
        value = py_function(run, [], self._float)
        value.set_shape(())
        return value

    return tensor


class PyMetric(Metric):
    """The base of metrics whose state is a program's own, of any kind.

    `update_state` and `result` run in Python with eager tensors, whatever calls them. A subclass
    defines them and `reset_state`, which the constructor calls, too.

    Args:
        name: the metric's name.
        dtype: the dtype of the result.
        **kwargs: the arguments of `tf.keras.layers.Layer`.

    >>> class Longest(tf.keras.metrics.experimental.PyMetric):
    ...     def reset_state(self):
    ...         self.longest = 0
    ...
    ...     def update_state(self, y_true, y_pred, sample_weight=None):
    ...         self.longest = max(self.longest, len(y_pred.numpy()))
    ...
    ...     def result(self):
    ...         return self.longest
    >>> metric = Longest()
    >>> metric.update_state([1, 2, 3], [1, 2, 4])
    >>> print(metric.result().numpy())
    3.0
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        own = {name: cls.__dict__.get(name) for name in ("update_state", "result")}
        super().__init_subclass__(**kwargs)
        if own["update_state"] is not None:
            cls.update_state = _updating(own["update_state"])  # type: ignore[method-assign]
        if own["result"] is not None:
            cls.result = _returning(own["result"])  # type: ignore[method-assign]

    def __init__(
        self, name: str | None = None, dtype: DTypeLike | None = None, **kwargs: Any
    ) -> None:
        super().__init__(name=name, dtype=dtype, **kwargs)
        self.reset_state()

    def reset_state(self) -> None:
        """Resets the state to that before the first batch."""
        raise NotImplementedError("Subclasses should implement `reset_state`")
