"""tensorflow.python.framework.tensor_util: values of tensors that are known."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.tensor import is_tensor as is_tf_type
from eagerflow.ops.conversion import convert_to_tensor, get_static_value

try_evaluate_constant = get_static_value

__all__ = [
    "constant_value_as_shape",
    "is_tf_type",
    "maybe_set_static_shape",
    "shape_tensor",
    "try_evaluate_constant",
]


def constant_value_as_shape(tensor: _core.Tensor) -> TensorShape:
    """The shape that a vector of sizes stands for, as far as it is known."""
    known = get_static_value(tensor, partial=True)
    if known is None:
        return TensorShape([None] * size) if (size := tensor.shape[0]) else TensorShape(None)
    return TensorShape([None if size is None or size < 0 else int(size) for size in known])


def shape_tensor(shape: TensorShape) -> Any:
    """A shape as a tensor of int32, or of int64 where a size needs it."""
    if isinstance(shape, _core.Tensor):
        return shape
    sizes = TensorShape(shape).as_list() if isinstance(shape, TensorShape | tuple) else shape
    numbers = [size for size in sizes if isinstance(size, int)]
    wide = any(size > 2**31 - 1 for size in numbers)
    return convert_to_tensor(sizes, dtype="int64" if wide else "int32")


def maybe_set_static_shape(tensor: _core.Tensor, shape: Any) -> None:
    """Tells a tensor of a graph the shape that a vector of known sizes stands for."""
    if _core.is_symbolic(tensor):
        known = constant_value_as_shape(convert_to_tensor(shape, dtype="int32"))
        tensor.set_shape(known)
