"""NumPy's dtypes and its rules for the dtype of a result."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

import eagerflow as tf
from eagerflow.experimental.numpy import promotion

bool_ = np.bool_
int8, int16, int32, int64 = np.int8, np.int16, np.int32, np.int64
uint8, uint16, uint32, uint64 = np.uint8, np.uint16, np.uint32, np.uint64
float16, float32, float64 = np.float16, np.float32, np.float64
complex64, complex128 = np.complex64, np.complex128
object_ = np.object_
inexact = np.inexact
string_, unicode_ = np.bytes_, np.str_
issubdtype = np.issubdtype
iinfo = np.iinfo

_NARROW = {np.dtype("float64"): np.dtype("float32"), np.dtype("complex128"): np.dtype("complex64")}


class _Preference:
    float32 = False
    weak = False


def prefer_float32(value: bool) -> None:
    """Whether floats without a dtype are float32 and not, as in NumPy, float64."""
    _Preference.float32 = value


def prefer_weak() -> None:
    """Makes arrays of Python's numbers weak tensors, and new arrays of floats float32."""
    _Preference.weak = True


def prefers_weak() -> bool:
    """Whether arrays of Python's numbers are weak tensors."""
    return _Preference.weak


def default_float() -> np.dtype:
    """The default dtype of floats."""
    return np.dtype("float32" if _Preference.float32 or _Preference.weak else "float64")


def float_type() -> type:
    """NumPy's type that `float_` is."""
    return np.float32 if _Preference.float32 else np.float64


def __getattr__(name: str) -> Any:
    defaults = {
        "int_": np.int64,
        "float_": float_type(),
        "complex_": np.complex64 if _Preference.float32 else np.complex128,
    }
    if name not in defaults:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return defaults[name]


def finfo(dtype: Any) -> np.finfo:
    """The limits of a floating dtype.

    >>> tf.experimental.numpy.finfo(tf.float32).bits
    32
    """
    return np.finfo(as_numpy(dtype))


def as_numpy(dtype: Any) -> np.dtype:
    """NumPy's dtype for a dtype, type or name; Python's types mean NumPy's defaults."""
    if isinstance(dtype, tf.DType):
        return np.dtype(dtype.as_numpy_dtype)
    if dtype is float:
        return default_float()
    if dtype is int and _Preference.weak:
        return np.dtype("int32")
    return np.dtype(dtype)


def _operand(value: Any) -> Any:
    if isinstance(value, bool):
        return np.dtype(bool)
    if isinstance(value, numbers.Number) and not isinstance(value, np.generic):
        return value
    if isinstance(value, tf.DType | type | np.dtype | str):
        return as_numpy(value)
    dtype = getattr(value, "dtype", None)
    return as_numpy(dtype) if dtype is not None else np.asarray(value).dtype


def result_type(*arrays_and_dtypes: Any) -> tf.DType:
    """The dtype to which these arrays, numbers and dtypes are promoted: by NumPy's rules, or the mode's.

    >>> tf.experimental.numpy.result_type(tf.int32, tf.float32)
    tf.float64
    """
    return (
        promotion.together(arrays_and_dtypes) if _Preference.weak else _of_numpy(arrays_and_dtypes)
    )


def of_operands(*values: Any) -> tf.DType:
    """The dtype in which a function of NumPy's namespace computes with these arrays and numbers.

    With a list among them it follows the mode's rules, otherwise NumPy's.
    """
    lists = _Preference.weak and any(isinstance(value, list | tuple) for value in values)
    return promotion.together(values) if lists else _of_numpy(values)


def _of_numpy(arrays_and_dtypes: Sequence[object]) -> tf.DType:
    parts = tf.nest.flatten(arrays_and_dtypes)
    dtype = np.dtype(np.result_type(*[_operand(x) for x in parts]))
    if all(isinstance(x, float | int) for x in arrays_and_dtypes):
        dtype = np.dtype(np.int64) if dtype.kind in "iu" else dtype
    return tf.as_dtype(narrowed(dtype))


def promote_types(type1: Any, type2: Any) -> np.dtype:
    """The smallest dtype that holds both, by NumPy's rules.

    >>> tf.experimental.numpy.promote_types(tf.int32, tf.float32)
    dtype('float64')
    """
    return narrowed(np.promote_types(as_numpy(type1), as_numpy(type2)))


def narrowed(dtype: np.dtype) -> np.dtype:
    """The dtype, or its narrower sibling if float32 is preferred."""
    return _NARROW.get(dtype, dtype) if _Preference.float32 else dtype


def floating(dtype: Any) -> tf.DType:
    """The dtype itself if it is floating or complex, the default float otherwise."""
    dtype = tf.as_dtype(dtype)
    if dtype.is_floating or dtype.is_complex:
        return dtype
    return tf.as_dtype(default_float())
