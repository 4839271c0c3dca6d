"""TensorFlow's own rules for operators of two dtypes; NumPy's rules are in `dtypes`.

A Python number, or a list of some, is weak: it takes the dtype of the other operand if that holds its kind.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import DType
from eagerflow.framework.type_spec import is_weak
from eagerflow.typing import TensorLike

_ops = _core.ops

# The dtypes of Python's numbers, and whether they are weak.
_PYTHON = {
    bool: (dtypes.bool, False),
    int: (dtypes.int32, True),
    float: (dtypes.float32, True),
    complex: (dtypes.complex128, True),
}
_SIGNED = {8: dtypes.int8, 16: dtypes.int16, 32: dtypes.int32, 64: dtypes.int64}
# Bits of integers that a float holds.
_MANTISSA = {
    dtypes.float16: 11,
    dtypes.bfloat16: 8,
    dtypes.float32: 24,
    dtypes.float64: 53,
    dtypes.complex64: 24,
    dtypes.complex128: 53,
}


class Mode:
    """How the process promotes dtypes."""

    safe = False


def makes_weak(value: Any) -> bool:
    """Whether the constant of a value is weak: it consists of Python numbers and weak tensors."""
    if isinstance(value, list | tuple | range):
        return all(map(makes_weak, value))
    if isinstance(value, int | float | complex):
        return not isinstance(value, np.generic)
    return is_weak(value)


def operand(value: Any) -> tuple[DType, bool] | None:
    """The dtype of an operand, and whether it is weak; None if it is not numeric."""
    if isinstance(value, _core.Tensor):
        return _numeric(value.dtype, is_weak(value))
    pair = _PYTHON.get(type(value))
    if pair is not None:
        return pair
    if isinstance(value, list | tuple):
        return _of_all(value) if value else (dtypes.float32, True)
    if isinstance(value, (_core.Variable, np.ndarray, np.generic)):
        return _numeric(dtypes.as_dtype(value.dtype), False)
    return next((known for kind, known in _PYTHON.items() if isinstance(value, kind)), None)


def together(values: Sequence[TensorLike]) -> DType:
    """The dtype to which arrays, numbers and dtypes are promoted.

    Raises:
        ValueError: if there are none.
        TypeError: in the mode "safe", if the dtype loses values; for values without a dtype.
    """
    if not values:
        raise ValueError("at least one array or dtype is required")
    return functools.reduce(_of_both_in_mode, map(_operand_or_dtype, values))[0]


def _operand_or_dtype(value: TensorLike) -> tuple[DType, bool]:
    if isinstance(value, DType | type | np.dtype | str):
        known = _PYTHON.get(value) if isinstance(value, type) else None
        return known or (dtypes.as_dtype(value), False)
    pair = operand(value)
    return (_core.as_tensor(value).dtype, False) if pair is None else pair


def _of_both_in_mode(left: tuple[DType, bool], right: tuple[DType, bool]) -> tuple[DType, bool]:
    return result(left, right, Mode.safe)


def _numeric(dtype: DType, weak: bool) -> tuple[DType, bool] | None:
    return (dtype, weak) if dtype in _MANTISSA or dtype.is_integer or dtype.is_bool else None


def _of_all(values: Sequence[object]) -> tuple[DType, bool] | None:
    """The dtype to which values are promoted together; None if one of them is not numeric."""
    parts = [operand(value) for value in values]
    known = [part for part in parts if part is not None]
    return functools.reduce(_of_both, known) if len(known) == len(parts) else None


def _of_both(left: tuple[DType, bool], right: tuple[DType, bool]) -> tuple[DType, bool]:
    return result(left, right, safe=False)


def promoted(a: TensorLike, b: TensorLike) -> tuple[_core.Tensor, _core.Tensor, bool] | None:
    """Two operands as tensors of one dtype, and whether the result is weak.

    None if one of them is not numeric.

    Raises:
        TypeError: in the mode "safe", if the dtype does not keep all values of both.
    """
    left, right = operand(a), operand(b)
    if left is None or right is None:
        return None
    dtype, weak = result(left, right, Mode.safe)
    return _cast(a, dtype), _cast(b, dtype), weak


def clipped(value: TensorLike, low: TensorLike, high: TensorLike) -> list[_core.Tensor] | None:
    """A value and its bounds as tensors of the dtype to which the bounds promote it, one after the other."""
    parts = [operand(part) for part in (value, low, high)]
    known = [part for part in parts if part is not None]
    if len(known) < 3:
        return None
    (dtype, _), *bounds = known
    for bound in bounds:
        dtype, _ = result((dtype, False), bound, Mode.safe)
    return [_cast(part, dtype) for part in (value, low, high)]


def assigned(dtype: DType, value: Any, method: str) -> _core.Tensor | None:
    """The value that is assigned to a variable of a dtype; None if it is not numeric.

    Raises:
        TypeError: if both are promoted to another dtype.
    """
    pair = operand(value)
    if pair is None:
        return None
    if result((dtype, False), pair, Mode.safe)[0] is not dtype:
        shown = f"<dtype: '{dtype.name}'>"
        raise TypeError(
            f"Variable dtype is immutable. Calling {method} of Variable (with dtype {shown}) on "
            f"{value} requires converting {value} to {shown}. This is disabled in the current "
            f"promotion semantics. Please convert {value} manually before calling {method}."
        )
    return _cast(value, dtype)


def converted(value: _core.Tensor, dtype: DType) -> _core.Tensor | None:
    """A tensor in a dtype; None unless both are promoted to that.

    Raises:
        TypeError: if they are not promoted at all.
    """
    pair = operand(value)
    other = _numeric(dtype, False)
    if pair is None or other is None or result(other, pair, Mode.safe)[0] is not dtype:
        return None
    return _cast(value, dtype)


def joined(values: Sequence[object]) -> list[_core.Tensor] | None:
    """Values as tensors of one dtype, weak if that is; None if one of them is not numeric."""
    pair = _of_all(values)
    if pair is None:
        return None
    dtype, weak = pair
    tensors = [_cast(value, dtype) for value in values]
    return [_core.weakened(tensor) for tensor in tensors] if weak else tensors


def _cast(value: Any, dtype: DType) -> _core.Tensor:
    if isinstance(value, list | tuple) and not makes_weak(value):  # of several dtypes, maybe
        return _ops.stack([_cast(part, dtype) for part in value])
    if isinstance(value, _core.Tensor):
        tensor = _core.strengthened(value)
    else:
        tensor = _core.convert(value, None, dtype)
    return tensor if tensor.dtype is dtype else _ops.cast(tensor, dtype)


@functools.cache
def result(left: tuple[DType, bool], right: tuple[DType, bool], safe: bool) -> tuple[DType, bool]:
    """The dtype in which an operator computes, and whether its result is weak.

    Args:
        left: the dtype of the first operand, and whether it is weak.
        right: that of the second one.
        safe: whether it must be one of these, and hold all values of the other.

    Raises:
        TypeError: if it must and does not.

    >>> from eagerflow.experimental.numpy import promotion
    >>> promotion.result((tf.uint8, False), (tf.int8, False), safe=False)
    (tf.int16, False)
    >>> promotion.result((tf.float16, False), (tf.float32, True), safe=True)
    (tf.float16, False)
    """
    (a, a_weak), (b, b_weak) = left, right
    dtype, weak = left if left == right else _joined(*sorted((left, right), key=_order))
    if safe and not (dtype in (a, b) and _holds(dtype, a, a_weak) and _holds(dtype, b, b_weak)):
        raise TypeError(
            "In promotion mode PromoMode.SAFE, implicit dtype promotion between "
            f"(<dtype: '{a.name}'>, weak={a_weak}) and (<dtype: '{b.name}'>, weak={b_weak}) is "
            "disallowed. You need to explicitly specify the dtype in your op, or relax your dtype "
            "promotion rules (such as from SAFE mode to ALL mode)."
        )
    return dtype, weak


def _order(operand: tuple[DType, bool]) -> tuple[int, bool, int]:
    """Simple kinds come first, in each of them the weak ones, and of these the small ones."""
    dtype, weak = operand
    return _rank(dtype), not weak, dtype.size


def _joined(left: tuple[DType, bool], right: tuple[DType, bool]) -> tuple[DType, bool]:
    """The dtype to which two operands, in their order, are promoted."""
    (a, a_weak), (b, b_weak) = left, right
    if a.is_bool or a_weak:
        return right
    if b_weak:
        return _with_weak(a, b)
    if a.is_integer and b.is_integer:
        return _integers(a, b)
    if _rank(a) == _rank(b) and a.size == b.size:  # the two floats of 16 bits
        return dtypes.float32, False
    if b is dtypes.complex64 and a is dtypes.float64:
        return dtypes.complex128, False
    return right


def _with_weak(strong: DType, weak: DType) -> tuple[DType, bool]:
    """The dtype to which a strong one and a weak one of a kind that holds more are promoted."""
    if strong.is_integer:
        return (dtypes.float64 if weak.is_floating else weak), True
    return (dtypes.complex128 if strong is dtypes.float64 else dtypes.complex64), False


def _integers(a: DType, b: DType) -> tuple[DType, bool]:
    """The dtype to which integers of two dtypes, the smaller of which comes first, are promoted."""
    if a.is_unsigned == b.is_unsigned:
        return b, False
    unsigned, signed = (a, b) if a.is_unsigned else (b, a)
    bits = 8 * max(signed.size, 2 * unsigned.size)
    return (_SIGNED[bits], False) if bits in _SIGNED else (dtypes.float64, True)


def _rank(dtype: DType) -> int:
    if dtype.is_bool:
        return 0
    return 1 if dtype.is_integer else 2 if dtype.is_floating else 3


def _holds(dtype: DType, other: DType, weak: bool) -> bool:
    """Whether a dtype has all values of another one, which may be weak."""
    if dtype not in _MANTISSA or not other.is_integer or weak:
        return True
    return 8 * other.size - (not other.is_unsigned) <= _MANTISSA[dtype]
