"""Keras's training_utils: what training loops of packages ask of a model and of its data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.keras.engine.tracking import RespectCompiledTrainableState

__all__ = [
    "RespectCompiledTrainableState",
    "get_input_shape_and_dtype",
    "get_static_batch_size",
    "list_to_tuple",
    "slice_arrays",
]


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
