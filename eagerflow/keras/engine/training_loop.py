"""Parts of the loops of `fit`, `evaluate` and `predict`: steps, validation data, logs, results."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.framework import context
from eagerflow.keras.engine import data_adapter
from eagerflow.keras.engine.data_handler import DataHandler
from eagerflow.keras.engine.tracking import set_trainable
from eagerflow.ops.array import concat
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.util import tracebacks
from eagerflow.util.program_warnings import warn

_IN_FUNCTION = (
    "Detected a call to `Model.{0}` inside a `tf.function`. `Model.{0}` is a high-level endpoint that "
    "manages its own `tf.function`. Please move the call to `Model.{0}` outside of all enclosing "
    "`tf.function`s. Note that you can call a `Model` directly on `Tensor`s inside a `tf.function` "
    "like: `model(x)`."
)


def outside_graphs(method: Callable[..., Any]) -> Any:
    """A method that runs eagerly, even while a graph is being built.

    There, predictions show no progress unless they are asked to. In functions it raises a
    RuntimeError.
    """

    @functools.wraps(method)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not context.process.graphs_used or context.building_graph() is None:
            if _core.building() is not None:
                raise RuntimeError(_IN_FUNCTION.format(method.__name__))
            _check_call(self, method.__name__)
            try:
                return method(self, *args, **kwargs)
            except Exception as error:
                tracebacks.keep_program(error)
                raise error
        if method.__name__ == "predict" and len(args) < 3:
            kwargs.setdefault("verbose", 0)
        with context.running_eagerly():
            return method(self, *args, **kwargs)

    return run


def _check_call(model: Any, method: str) -> None:
    """Raises a ValueError if `call` needs arguments that a step does not give."""
    if model._graph is not None:
        return
    parameters = inspect.signature(model.call).parameters.values()
    needed = [p.name for p in parameters if p.kind in _POSITIONAL and p.default is p.empty]
    extra = [name for name in needed[1:] if name != "training"]
    if extra:
        raise ValueError(
            f"Models passed to `{method}` can only have `training` and the first argument in "
            f"`call()` as positional arguments, found: {extra}."
        )


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def as_compiled(method: Callable[..., Any]) -> Any:
    """A method that trains the weights that were trainable when the model was compiled.

    A part that has been frozen since, as in a larger model that shares it, is trained nevertheless.
    """

    @functools.wraps(method)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        compiled = self._compiled_trainable
        if compiled is None:
            return method(self, *args, **kwargs)
        now = [(layer, layer._trainable) for layer in self._flatten_layers()]
        changed = [
            (layer, value) for layer, value in now if compiled.get(layer, value) is not value
        ]
        if not changed:
            return method(self, *args, **kwargs)
        set_trainable([(layer, compiled[layer]) for layer, _ in changed])
        try:
            return method(self, *args, **kwargs)
        finally:
            set_trainable(changed)

    return run


def minimize(optimizer: Any, loss: Any, variables: list[Any], tape: Any) -> None:
    """One step of an optimizer; those of version 1 take gradients instead of a tape."""
    if getattr(optimizer, "_takes_tape", True):
        optimizer.minimize(loss, variables, tape=tape)
    elif variables:
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))


class Validation:
    """The validation data of one `fit`, brought into batches once."""

    def __init__(self, model: Any, data: Any, batch_size: int | None, workers: Any) -> None:
        self._model = model
        self._data = data
        self._batch_size = batch_size
        self._workers = workers
        self._adapter: Any = None

    def run(self, callbacks: Any, steps: int | None) -> dict[str, Any]:
        """The values of the metrics on the data."""
        x, y, sample_weight = data_adapter.unpack_x_y_sample_weight(self._data)
        handler = DataHandler(
            x,
            y,
            sample_weight,
            self._batch_size,
            steps,
            workers=self._workers,
            steps_per_execution=self._model._steps_per_execution,
            model=self._model,
        )
        if isinstance(handler._adapter, data_adapter.ArrayAdapter):
            # Arrays are converted once: that may cost more than the validation.
            if self._adapter is None:
                self._adapter = handler._adapter
                self._data = _tensors_of(x), _tensors_of(y), _tensors_of(sample_weight)
        return self._model.evaluate(callbacks=callbacks, return_dict=True, _data=handler)


def _tensors_of(data: Any) -> Any:
    if data is None:
        return None
    data = data_adapter._lists_as_arrays(data)
    return nest.map_structure(data_adapter.array_of, data)


class NanWarning:
    """Warns once in a training that the loss is NaN."""

    def __init__(self) -> None:
        self._said = False

    def check(self, logs: dict[str, Any], epoch: int) -> None:
        """Warns if the loss of an epoch is NaN."""
        loss = logs.get("loss")
        if self._said or not isinstance(loss, float) or not math.isnan(loss):
            return
        self._said = True
        warn(
            f"The loss is NaN in epoch {epoch + 1}. Training goes on, but will not recover: lower "
            "the learning rate, clip gradients (`clipnorm`), or look for NaN, infinite or wrongly "
            "scaled values in the data. `tf.keras.callbacks.TerminateOnNaN()` stops training then.",
            RuntimeWarning,
        )


def is_due(epoch: int, frequency: Any) -> bool:
    """Whether to validate after an epoch."""
    epoch = epoch + 1
    if isinstance(frequency, int):
        return epoch % frequency == 0
    if isinstance(frequency, list | tuple | set | range):
        return epoch in frequency
    raise ValueError(
        "Expected `validation_freq` to be a list or int. "
        f"Received: validation_freq={frequency} of the type {type(frequency)}."
    )


def plain(logs: Any) -> Any:
    """Logs with Python numbers and arrays in place of tensors."""
    if logs is None:
        return None
    return nest.map_structure(_plain_value, logs)


def _plain_value(value: Any) -> Any:
    if isinstance(value, _core.Tensor | _core.Variable):
        value = value.numpy()
        return value.item() if np.ndim(value) == 0 and hasattr(value, "item") else value
    return value


def in_order(logs: Any, names: list[str]) -> Any:
    """Values by name as a list, in the order of names; a single one by itself."""
    if not isinstance(logs, dict):
        return logs
    results = [logs[name] for name in names if name in logs]
    results += [logs[name] for name in sorted(logs) if name not in names]
    return results[0] if len(results) == 1 else results


def concatenated(parts: list[Any]) -> Any:
    """The batches of a prediction along the first axis, as an array."""
    first = parts[0]
    if not isinstance(first, _core.Tensor):
        if hasattr(type(first), "_is_composite_tensor"):
            return concat(parts, axis=0)
        return np.concatenate([np.asarray(part) for part in parts])
    if len(parts) == 1:
        return first.numpy()
    if first.ndim == 0:
        return np.stack([part.numpy() for part in parts])
    if len({part._shape_tuple()[1:] for part in parts}) == 1:
        return np.concatenate([part.numpy() for part in parts])
    return _ragged(parts)


def _ragged(parts: list[Any]) -> Any:
    """Batches whose inner sizes differ, along the first axis as a ragged tensor."""
    columns = zip(*(part._shape_tuple()[1:] for part in parts), strict=True)
    differ = [axis for axis, sizes in enumerate(columns, 1) if len(set(sizes)) > 1]
    ragged = [RaggedTensor.from_tensor(part, ragged_rank=differ[-1]) for part in parts]
    return concat(ragged, axis=0)
