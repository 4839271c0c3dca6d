"""Keras's training_utils: what training loops of packages ask of a model and of its data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.keras.engine.tracking import RespectCompiledTrainableState
from eagerflow.keras.engine.training.data_handler import Batches, DataHandler
from eagerflow.keras.engine.training.sequence_workers import Workers
from eagerflow.keras.engine.training.validation_split import train_validation_split
from eagerflow.ops.array import concat

__all__ = [
    "DataHandler",
    "RespectCompiledTrainableState",
    "flatten_metrics_in_order",
    "get_data_handler",
    "get_input_shape_and_dtype",
    "get_static_batch_size",
    "list_to_tuple",
    "reduce_per_replica",
    "single_batch_iterator",
    "slice_arrays",
    "train_validation_split",
]


def get_data_handler(
    *args: Any,
    max_queue_size: int = 10,
    workers: int = 1,
    use_multiprocessing: bool = False,
    **kwargs: Any,
) -> DataHandler:
    """The epochs and steps of data of any kind, as `fit` goes through them.

    Args:
        *args: those of a `DataHandler`.
        max_queue_size: how many batches of a sequence are made ahead.
        workers: how many threads or processes make them.
        use_multiprocessing: whether they are processes.
        **kwargs: further arguments of a `DataHandler`.

    >>> from eagerflow_compat.internals.keras_training import get_data_handler
    >>> handler = get_data_handler(np.arange(6.0), batch_size=4)
    >>> for epoch, batches in handler.enumerate_epochs():
    ...     for step in handler.steps():
    ...         print(step, next(batches).numpy())
    0 [0. 1. 2. 3.]
    1 [4. 5.]
    """
    for name in ("distribute", "pss_evaluation_shards"):
        kwargs.pop(name, None)
    kwargs["workers"] = Workers(workers, use_multiprocessing, max_queue_size)
    return DataHandler(*args, **kwargs)


def single_batch_iterator(
    strategy: Any, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None
) -> Any:
    """An iterator over all of the data as one batch.

    Raises:
        ValueError: if there is nothing in the data.
    """
    rows = nest.flatten(x)[0].shape[0]
    handler = DataHandler(x, y, sample_weight, batch_size=rows, class_weight=class_weight)
    return Batches(next(handler.enumerate_epochs())[1], handler.element_spec)


def reduce_per_replica(values: Any, strategy: Any, reduction: str = "auto") -> Any:
    """Values of replicas as those of one.

    Args:
        values: a value, or a structure of them.
        strategy: the strategy whose replicas computed them.
        reduction: "first", as with "auto"; "sum"; or "concat" along the first axis.

    Raises:
        ValueError: for another reduction.

    >>> from eagerflow_compat.internals.keras_training import reduce_per_replica
    >>> reduce_per_replica({"loss": tf.constant(2.0)}, tf.distribute.get_strategy(), "first")
    {'loss': <tf.Tensor: shape=(), dtype=float32, numpy=2.0>}
    """
    if reduction not in ("auto", "first", "sum", "concat"):
        raise ValueError(
            '`reduction` must be "auto", "concat", "first", or "sum". '
            f"Received: reduction={reduction}."
        )

    def reduced(value: Any) -> Any:
        parts = strategy.experimental_local_results(value)
        if reduction == "sum":
            return sum(parts[1:], start=parts[0])
        if reduction == "concat" and len(parts) > 1:
            return concat(parts, axis=0)
        return parts[0]

    return nest.map_structure(reduced, values)


def flatten_metrics_in_order(logs: dict[str, Any], metrics_names: Sequence[str]) -> Any:
    """The values of logs in the order of names, those of further names last; one by itself.

    >>> from eagerflow_compat.internals.keras_training import flatten_metrics_in_order
    >>> flatten_metrics_in_order({"mae": 2.0, "loss": 1.0}, ["loss", "mae"])
    [1.0, 2.0]
    """
    results = [logs[name] for name in metrics_names if name in logs]
    results += [logs[name] for name in sorted(logs) if name not in metrics_names]
    return results[0] if len(results) == 1 else results


def get_input_shape_and_dtype(layer: Any) -> tuple[tuple[int | None, ...] | None, str | None]:
    """The shape and dtype of a layer's input, those of the first layer for a model.

    Returns:
        Two times None where the layer says neither.

    Raises:
        ValueError: for a model without layers.

    >>> from eagerflow_compat.internals.keras_training import get_input_shape_and_dtype
    >>> get_input_shape_and_dtype(tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(4,))]))
    ((None, 4), 'float32')
    """
    while hasattr(layer, "layers"):
        if not layer.layers:
            raise ValueError("An empty Model cannot be used as a Layer: add a layer to it first.")
        layer = layer.layers[0]
    shape = getattr(layer, "_batch_input_shape", None)
    return (tuple(shape), layer.dtype) if shape else (None, None)


def get_static_batch_size(layer: Any) -> int | None:
    """The size of the batches that a layer or a model is built for, None for any size."""
    shape, _ = get_input_shape_and_dtype(layer)
    return shape[0] if shape else None


def list_to_tuple(maybe_list: Any) -> Any:
    """A list as a tuple, which datasets keep apart; other values as they are."""
    return tuple(maybe_list) if isinstance(maybe_list, list) else maybe_list


def slice_arrays(arrays: Any, indices: Sequence[int], contiguous: bool = True) -> Any:
    """The rows with these indices.

    Args:
        arrays: an array or a tensor, or a structure of them.
        indices: of the rows.
        contiguous: whether each index is one more than that before it.

    Returns:
        Rows in the structure of `arrays`: views of arrays where the indices are contiguous.

    >>> from eagerflow_compat.internals.keras_training import slice_arrays
    >>> slice_arrays(tf.range(6), [1, 3], contiguous=False)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 3], dtype=int32)>
    """

    def rows(array: Any) -> Any:
        if not isinstance(array, _core.Tensor):
            return array[indices]
        if contiguous:
            return array[indices[0] : indices[-1] + 1]
        return _core.ops.gather(array, np.asarray(indices))

    return nest.map_structure(rows, arrays)
