"""The base of layers that adapt to data before a model is trained."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.calls.composite_inputs import is_composite
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.engine.training.data_adapter import refuse_endless

_ops = _core.ops


class PreprocessingLayer(Layer):
    """A layer with a state that `adapt` computes from data."""

    _is_adapted = False
    _saves_any_shape = False  # whether files may hold a state of another size

    @property
    def is_adapted(self) -> bool:
        """Whether `adapt` has been called."""
        return self._is_adapted

    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None:
        """Computes the state from data; the state before is forgotten.

        Args:
            data: an array, a tensor, or an iterable of batches such as a `Dataset`.
            batch_size: how many rows of an array are looked at together; 32 by default.
            steps: after how many batches to stop.

        Raises:
            ValueError: if there is no data, or no end of them and no `steps`.
        """
        if steps is None:
            refuse_endless(data)
        if self.built:
            self.reset_state()
        count = 0
        if steps is None and hasattr(data, "element_spec"):
            iter(data)  # Keras makes one more iterator first, which advances the shuffling.
        for batch in _batches(data, batch_size):
            if steps is not None and count >= steps:
                break
            self._build_for_data(batch)
            self.update_state(batch)
            count += 1
        if not count:
            raise ValueError(
                f"Layer {self.name} cannot adapt to empty data. Pass at least one batch."
            )
        self.finalize_state()
        self.__dict__["_is_adapted"] = True

    def _build_for_data(self, batch: Any) -> None:
        if self.built:
            return
        if "_batch_input_shape" not in self.__dict__:
            self.__dict__["_batch_input_shape"] = (None,) * len(batch.shape)
        shape = batch.shape
        self.build(shape)
        Layer.build(self, shape if isinstance(shape, TensorShape) else TensorShape(shape))

    def compile(self, run_eagerly: bool | None = None, steps_per_execution: Any = None) -> None:
        """Accepted, as for models: `adapt` runs operation by operation.

        Args:
            run_eagerly: ignored.
            steps_per_execution: ignored.
        """

    def make_adapt_function(self) -> Callable[..., None]:
        """A function that updates the state with the next batch of an iterator."""

        def adapt_step(iterator: Any) -> None:
            batch = as_tensor(next(iterator))
            self._build_for_data(batch)
            self.update_state(batch)

        return adapt_step

    def update_state(self, data: Any) -> None:
        """Updates the state with one batch."""
        raise NotImplementedError

    def reset_state(self) -> None:
        """Resets the state."""
        raise NotImplementedError


def _batches(data: Any, batch_size: int | None) -> Iterator[Any]:
    """The batches of data, as tensors."""
    if is_composite(data):
        yield data
        return
    if hasattr(data, "__array__") or isinstance(data, (list, tuple)):
        x = as_tensor(data)
        if x.ndim == 0:
            raise ValueError(f"Data must have at least one axis. Received a scalar: {data}")
        rows = x._sizes()[0]
        size = batch_size or 32
        for start in range(0, rows, size):
            yield x[start : start + size]
        return
    for batch in data:
        yield as_tensor(batch)


def as_tensor(value: object) -> Any:
    """A tensor of any value, of strings too."""
    if is_composite(value):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind in "UO":
        value = value.astype(object)
    return _core.as_tensor(value)


def listed(value: object) -> Any:
    """Arrays and tensors as lists, for configs."""
    if isinstance(value, (_core.Tensor, _core.Variable)):
        value = value.numpy()
    return value.tolist() if isinstance(value, np.ndarray) else value
