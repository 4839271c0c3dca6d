"""What functions that take a shape do with that of a ragged tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.ops.array import broadcast_dynamic_shape, invalid_argument
from eagerflow.ragged.arrangement import convert
from eagerflow.ragged.broadcasting import aligned
from eagerflow.ragged.dynamic_shape import DynamicRaggedShape
from eagerflow.ragged.tensor import RaggedTensor

_ops = _core.ops


def _zeros(shape: DynamicRaggedShape, dtype: Any = dtypes.float32, *_: Any, **__: Any) -> Any:
    return shape._divided(_ops.zeros(shape._inner, dtype))


def _ones(shape: DynamicRaggedShape, dtype: Any = dtypes.float32, *_: Any, **__: Any) -> Any:
    return shape._divided(_ops.ones(shape._inner, dtype))


def _fill(value: Any, dims: DynamicRaggedShape) -> Any:
    return dims._divided(_ops.fill(value, dims._inner))


def shape_of(value: Any) -> DynamicRaggedShape:
    """A shape in the form for ragged tensors."""
    return value if isinstance(value, DynamicRaggedShape) else DynamicRaggedShape([], value)


def _reshape(tensor: Any, shape: DynamicRaggedShape) -> Any:
    tensor = convert(tensor)
    if isinstance(tensor, RaggedTensor):
        tensor = tensor.flat_values
    return shape._divided(_ops.reshape(tensor, shape._inner))


def _broadcast_to(input: Any, shape: DynamicRaggedShape) -> Any:
    value = convert(input)
    if len(value.shape) > shape.rank:
        raise ValueError("Cannot broadcast to a shape with smaller rank")
    if not shape.row_partitions:
        if isinstance(value, RaggedTensor):
            raise invalid_argument(
                "Cannot broadcast a ragged tensor to a shape without ragged axes."
            )
        return _ops.broadcast_to(value, shape._inner)
    template = shape._divided(_ops.zeros(shape._inner, dtypes.int8))
    (flat, _), rebuilt = aligned([value, template])
    result = rebuilt(_ops.broadcast_to(flat, shape._inner))
    wanted, found = shape.row_partitions, result._partitions()
    same = all(np.array_equal(a.splits, b.splits) for a, b in zip(wanted, found, strict=False))
    if not same or len(found) < len(wanted):
        raise invalid_argument(f"Cannot broadcast {value.shape} to {shape}.")
    return shape._divided(result.flat_values)


def broadcast_shapes(first: Any, second: Any) -> DynamicRaggedShape:
    """The shape to which tensors of two shapes, at least one ragged, are broadcast.

    Raises:
        tf.errors.InvalidArgumentError: if there is none.
    """
    dtype = first.dtype if isinstance(first, DynamicRaggedShape) else second.dtype
    shapes = [shape_of(first), shape_of(second)]
    if not any(shape.row_partitions for shape in shapes):
        inner = broadcast_dynamic_shape(*(list(shape._inner) for shape in shapes))
        return DynamicRaggedShape([], inner, dtype)
    templates = [shape._divided(_ops.zeros(shape._inner, dtypes.int8)) for shape in shapes]
    flats, rebuilt = aligned(templates)
    result = rebuilt(_ops.add(*flats))
    return DynamicRaggedShape(result._partitions(), result.flat_values._shape_tuple(), dtype)


# By the names of native operations.
TAKE_SHAPES: dict[str, Callable] = {
    "broadcast_to": _broadcast_to,
    "fill": _fill,
    "ones": _ones,
    "reshape": _reshape,
    "zeros": _zeros,
}
