"""tensorflow.python.ops.ragged: conversions between ragged and dense tensors that are not public."""

from __future__ import annotations

from typing import Any, TypeGuard

from eagerflow.ops.conversion import convert_to_tensor
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike

__all__ = ["convert_to_tensor_or_ragged_tensor", "from_tensor", "is_ragged", "to_tensor"]


def is_ragged(value: object) -> TypeGuard[RaggedTensor]:
    """Whether a value is a ragged tensor."""
    return isinstance(value, RaggedTensor)


def convert_to_tensor_or_ragged_tensor(
    value: Any,
    dtype: DTypeLike | None = None,
    preferred_dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Any:
    """A ragged tensor as it is, and anything else as a tensor.

    Raises:
        ValueError: if the ragged tensor has another dtype.
    """
    if not is_ragged(value):
        return convert_to_tensor(value, dtype, dtype_hint=preferred_dtype, name=name)
    if dtype is not None and value.dtype != dtype:
        raise ValueError(
            f"Tensor conversion requested dtype {dtype} for RaggedTensor with dtype {value.dtype}: "
            f"{value!r}"
        )
    return value


def from_tensor(
    tensor: TensorLike,
    lengths: Any = None,
    padding: TensorLike | None = None,
    ragged_rank: int = 1,
    row_splits_dtype: DTypeLike = "int64",
    name: str | None = None,
) -> RaggedTensor:
    """See `tf.RaggedTensor.from_tensor`; a ragged tensor stays as it is."""
    if is_ragged(tensor):
        return tensor
    return RaggedTensor.from_tensor(tensor, lengths, padding, ragged_rank, name, row_splits_dtype)


def to_tensor(
    rt_input: Any,
    default_value: TensorLike | None = None,
    shape: ShapeLike | None = None,
    name: str | None = None,
) -> Any:
    """See `tf.RaggedTensor.to_tensor`; a tensor stays as it is."""
    return rt_input.to_tensor(default_value, name, shape) if is_ragged(rt_input) else rt_input
