"""tensorflow.python.data.util.convert: parameters of datasets as tensors."""

from __future__ import annotations

from typing import Any

from eagerflow.ops.conversion import convert_to_tensor
from eagerflow.typing import DTypeLike, TensorLike

__all__ = ["optional_param_to_tensor"]


def optional_param_to_tensor(
    argument_name: str,
    argument_value: TensorLike | None,
    argument_default: Any = 0,
    argument_dtype: DTypeLike = "int64",
) -> Any:
    """A parameter as a tensor, or its default if it is None."""
    value = argument_default if argument_value is None else argument_value
    return convert_to_tensor(value, argument_dtype, name=argument_name)
