"""tensorflow.python.ops.array_ops: the functions on shape and place that are not public."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.array_indexing import VALID_INDICES as _SLICE_TYPE_ERROR
from eagerflow.graphdef.composed import prevent_gradient
from eagerflow.ops.array import rank, shape, size
from eagerflow.typing import DTypeLike, TensorLike

__all__ = [
    "_SLICE_TYPE_ERROR",
    "_slice_helper",
    "_slice_helper_var",
    "prevent_gradient",
    "rank_internal",
    "shape_internal",
    "size_internal",
]


def _slice_helper(tensor: Any, slice_spec: Any, var: Any = None) -> Any:
    """The part of a tensor that an index selects; of a variable, one that can be assigned to."""
    return (tensor if var is None else var)[slice_spec]


def _slice_helper_var(var: Any, slice_spec: Any) -> Any:
    """The part of a variable that an index selects, which can be assigned to."""
    return var[slice_spec]


def shape_internal(
    input: TensorLike, name: str | None = None, optimize: bool = True, out_type: Any = None
) -> _core.Tensor:
    """The shape of a tensor."""
    return shape(input, out_type or "int32")


def size_internal(
    input: TensorLike, name: str | None = None, optimize: bool = True, out_type: DTypeLike = "int32"
) -> _core.Tensor:
    """The number of elements of a tensor."""
    return size(input, out_type)


def rank_internal(input: Any, name: str | None = None, optimize: bool = True) -> _core.Tensor:
    """The number of dimensions of a tensor."""
    return rank(input)
