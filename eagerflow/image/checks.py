"""Images as tensors, and checks of their shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core, errors
from eagerflow.framework import dtypes
from eagerflow.framework.sizes import of_rank

_ops = _core.ops
Tensor = _core.Tensor


def invalid(message: str) -> errors.InvalidArgumentError:
    """The error for images of unsuitable shape or values."""
    return errors.InvalidArgumentError._of(message)


def image_of(value: Any, least: int = 3) -> Tensor:
    """An image or images as a tensor.

    Raises:
        ValueError: if it has fewer axes than `least`, or one of the last three has no size.
    """
    tensor = _core.as_tensor(value)
    if tensor.ndim is None:
        return tensor
    if tensor.ndim < least:
        raise ValueError(
            f"'image' (shape {tensor.shape}) must be at least {_word(least)}-dimensional."
        )
    if 0 in tensor._shape_tuple()[-3:]:
        raise ValueError(
            f"inner 3 dims of 'image.shape' must be > 0: {list(tensor._shape_tuple())}"
        )
    return tensor


def _word(number: int) -> str:
    return {2: "two", 3: "three", 4: "four"}.get(number, str(number))


def three_or_four(value: Any) -> Tensor:
    """One image `[height, width, channels]`, which one of unknown rank is, or a batch of them.

    Raises:
        ValueError: if it has another rank.
    """
    tensor = of_rank(image_of(value), 3)
    if tensor.ndim > 4:
        raise ValueError(f"'image' (shape {tensor.shape}) must have either 3 or 4 dimensions.")
    return tensor


def in_batch(value: Any, function: Callable[[Tensor], Tensor]) -> Tensor:
    """Applies a function for batches to one image or a batch."""
    tensor = three_or_four(value)
    if tensor.ndim == 4:
        return function(tensor)
    return _ops.squeeze(function(_ops.expand_dims(tensor, 0)), [0])


def scalar(value: Any, dtype: Any) -> Tensor:
    """A Python value as a scalar tensor."""
    return _core.convert(value, dtype, None)


def whole(value: Any, text: str) -> Any:
    """A size or offset as a Python integer; a scalar of a graph if it is not known.

    Raises:
        ValueError: if it is not a finite scalar.
    """
    if isinstance(value, Tensor):
        known = _core.static_value(value)
        if known is None:
            return _ops.cast(value, dtypes.int32)
        value = known
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{text} must be a whole number, got {value!r}") from None


def real(value: Any, text: str) -> float | None:
    """A factor as a Python float; None if it is not known while a function is traced.

    Raises:
        ValueError: if it is not a scalar.
    """
    if isinstance(value, Tensor):
        value = _core.static_value(value)
        if value is None:
            return None
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{text} must be a number, got {value!r}") from None


FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
