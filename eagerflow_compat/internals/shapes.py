"""tensorflow.python.framework.constant_op, and the axes of array_ops: shapes that are not public."""

from __future__ import annotations

from typing import Any

from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.ops.conversion import convert_to_tensor
from eagerflow.typing import DTypeLike

__all__ = ["_tensor_shape_tensor_conversion_function", "get_positive_axis", "unknown_shape"]


def _tensor_shape_tensor_conversion_function(
    s: TensorShape, dtype: DTypeLike | None = None, name: str | None = None, as_ref: bool = False
) -> Any:
    """The sizes of a shape as a tensor.

    Raises:
        ValueError: if a size is unknown.
    """
    if not s.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape {s} to a Tensor.")
    return convert_to_tensor(s.as_list(), dtype or dtypes.int32, name=name)


def unknown_shape(rank: int | None = None, **kwargs: int | None) -> TensorShape:
    """A shape of which only the rank may be known.

    Args:
        rank: the rank, if it is known.
        **kwargs: may have the rank as `ndims`.

    Raises:
        TypeError: for another argument.
    """
    rank = kwargs.pop("ndims", rank)
    if kwargs:
        raise TypeError(f"Unknown argument: {kwargs}")
    return TensorShape(None if rank is None else [None] * rank)


def get_positive_axis(
    axis: int, ndims: int | None, axis_name: str = "axis", ndims_name: str = "ndims"
) -> int:
    """An axis that counts from the first one.

    Args:
        axis: counts from the last one if it is negative.
        ndims: the number of axes; None if it is unknown.
        axis_name: what errors call the axis.
        ndims_name: what errors call the number of axes.

    Raises:
        TypeError: if the axis is no integer.
        ValueError: if it is out of range.
    """
    if not isinstance(axis, int):
        raise TypeError(f"{axis_name} must be an int; got {type(axis).__name__}")
    if ndims is None:
        if axis < 0:
            raise ValueError(f"{axis_name}={axis} may only be negative if {ndims_name} is known.")
        return axis
    if not -ndims <= axis < ndims:
        raise ValueError(
            f"{axis_name}={axis} out of bounds: expected {-ndims}<={axis_name}<{ndims}"
        )
    return axis % ndims
