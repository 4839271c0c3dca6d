"""Tensors stacked into batches, with errors that name the element that does not fit."""

from __future__ import annotations

from collections.abc import Iterable

from eagerflow import _core, errors
from eagerflow.ops.array import invalid_argument

_ops = _core.ops
Tensor = _core.Tensor


def stack_tensors(tensors: list, component: int) -> Tensor:
    """Tensors along a new first axis.

    Args:
        tensors: the tensors.
        component: which component of the elements they are, for error messages.

    Raises:
        tf.errors.InvalidArgumentError: if shapes or dtypes differ.
    """
    try:
        return _ops.stack(tensors, 0)
    except (errors.InvalidArgumentError, TypeError, ValueError, AttributeError):
        _explain_mismatch(tensors, component)
        raise


def _explain_mismatch(tensors: list, component: int) -> None:
    first = tensors[0]
    shape = first._shape_tuple()
    for index, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise invalid_argument(
                f"Component {component} of element {index} is not a tensor: {tensor!r}."
            )
        if tensor._shape_tuple() != shape:
            raise invalid_argument(
                f"Cannot batch tensors with different shapes in component {component}. First "
                f"element had shape {_sizes(shape)} and element {index} had shape "
                f"{_sizes(tensor._shape_tuple())}."
            ) from None
        if tensor.dtype is not first.dtype:
            raise invalid_argument(
                f"Cannot batch tensors with different dtypes in component {component}: "
                f"{first.dtype.name} and {tensor.dtype.name}."
            ) from None


def _sizes(shape: Iterable) -> str:
    return "[" + ",".join(map(str, shape)) + "]"
