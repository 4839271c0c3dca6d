"""TensorFlow's own rules for operators of two dtypes, beside those of NumPy in `dtypes`.

A Python number, or a list of some, is weak: it takes the dtype of the other operand if that holds its kind.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import DType

# The dtypes of weak operands, by the kinds of their numbers.
_WEAK = {"i": dtypes.int32, "f": dtypes.float32, "c": dtypes.complex128}
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


def operand(value: Any) -> tuple[DType, bool] | None:
    """The dtype of an operand, and whether it is weak; None for what is no number."""
    if isinstance(value, (_core.Tensor, _core.Variable, np.ndarray, np.generic)):
        dtype = dtypes.as_dtype(value.dtype)
        return (dtype, False) if dtype in _MANTISSA or dtype.is_integer or dtype.is_bool else None
    kind = np.asarray(value).dtype.kind
    if kind == "b":
        return dtypes.bool, False
    return (_WEAK[kind], True) if kind in _WEAK else None


def result(left: tuple[DType, bool], right: tuple[DType, bool], safe: bool) -> DType:
    """The dtype in which an operator computes.

    Args:
        left: the dtype of the first operand, and whether it is weak.
        right: that of the second one.
        safe: whether it must be one of these, and hold all values of the other.

    Raises:
        TypeError: if it must and does not.

    >>> from eagerflow.experimental.numpy import promotion
    >>> promotion.result((tf.uint8, False), (tf.int8, False), safe=False)
    tf.int16
    >>> promotion.result((tf.float16, False), (tf.float32, True), safe=True)
    tf.float16
    """
    (a, a_weak), (b, b_weak) = left, right
    found = a if a is b else _joined(a, a_weak, b, b_weak)
    if safe and not (found in (a, b) and _holds(found, a, a_weak) and _holds(found, b, b_weak)):
        raise TypeError(
            "In promotion mode PromoMode.SAFE, implicit dtype promotion between "
            f"(<dtype: '{a.name}'>, weak={a_weak}) and (<dtype: '{b.name}'>, weak={b_weak}) is "
            "disallowed. You need to explicitly specify the dtype in your op, or relax your dtype "
            "promotion rules (such as from SAFE mode to ALL mode)."
        )
    return found


def _joined(a: DType, a_weak: bool, b: DType, b_weak: bool) -> DType:
    if _rank(a) > _rank(b):
        a, a_weak, b, b_weak = b, b_weak, a, a_weak
    # The kind of the first one is that of the second one, or simpler.
    if a.is_bool:
        return b
    if b_weak and not a_weak:
        return _with_weak(a, b)
    if a_weak and not b_weak:
        return b
    if a.is_integer and b.is_integer:
        return _integers(a, b)
    if _rank(a) == _rank(b):
        if a.size == b.size:  # the two floats of 16 bits
            return dtypes.float32
        return a if a.size > b.size else b
    if b is dtypes.complex64 and a is dtypes.float64:
        return dtypes.complex128
    return b


def _with_weak(strong: DType, weak: DType) -> DType:
    """What a strong dtype is with a weak one of its own kind or of one that holds more."""
    if _rank(strong) == _rank(weak):
        return strong
    if weak.is_floating:
        return dtypes.float64
    if strong.is_floating and strong is not dtypes.float64:
        return dtypes.complex64
    return dtypes.complex128


def _integers(a: DType, b: DType) -> DType:
    if a.is_unsigned == b.is_unsigned:
        return a if a.size > b.size else b
    unsigned, signed = (a, b) if a.is_unsigned else (b, a)
    bits = 8 * max(signed.size, 2 * unsigned.size)
    return _SIGNED.get(bits, dtypes.float64)


def _rank(dtype: DType) -> int:
    if dtype.is_bool:
        return 0
    return 1 if dtype.is_integer else 2 if dtype.is_floating else 3


def _holds(found: DType, given: DType, weak: bool) -> bool:
    """Whether a dtype has all values of another one, which may be weak."""
    if found not in _MANTISSA or not given.is_integer or weak:
        return True
    return 8 * given.size - (not given.is_unsigned) <= _MANTISSA[found]
