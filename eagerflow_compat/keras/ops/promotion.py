"""How Keras 3 converts and promotes the arguments of its operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.keras import config
from eagerflow.ops import conversion
from eagerflow.ops.numpy_functions.rules import Rules
from eagerflow.typing import DTypeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor
_SIZES = {"bool": 0, "uint8": 1, "int8": 1, "uint16": 2, "int16": 2, "uint32": 4, "int32": 4}


def tensor(value: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """The value as a tensor; Python numbers without a dtype become int32 or floatx."""
    if dtype is None and isinstance(value, Tensor):
        return value
    if dtype is not None:
        return conversion.cast(value, dtypes.as_dtype(dtype))
    if isinstance(value, np.ndarray) and value.dtype.kind in "US":
        value = value.astype(object)
    return _core.as_tensor(value)


def floating(value: TensorLike) -> Tensor:
    """The value as a tensor of a floating or complex dtype; integers become floatx."""
    value = tensor(value)
    dtype = value.dtype
    if dtype.is_floating or dtype.is_complex:
        return value
    return _ops.cast(value, dtypes.as_dtype(config.floatx()))


def result_type(*values: object) -> str:
    """The dtype to which values of several dtypes are promoted.

    Floating dtypes win over integers, whatever their sizes; a Python number takes the dtype of
    what it meets, unless it is floating and that is not.

    Args:
        *values: dtypes, their names, tensors, or Python numbers and their types.

    >>> from eagerflow.keras.ops.promotion import result_type
    >>> result_type("int64", "float16")
    'float16'
    """
    known: dtypes.DType | None = None
    weak = 0  # of Python numbers: 1 for bool, 2 for int, 3 for float
    for value in values:
        kind = value if isinstance(value, type) else type(value)
        if kind in (bool, int, float):
            weak = max(weak, (bool, int, float).index(kind) + 1)
            continue
        dtype = dtypes.as_dtype(getattr(value, "dtype", value))
        known = dtype if known is None else _common(known, dtype)
    if known is None:
        return "float32" if not weak else ("bool", "int32", config.floatx())[weak - 1]
    if weak == 3 and not (known.is_floating or known.is_complex):
        return config.floatx()
    if weak == 2 and known.is_bool:
        return "int32"
    return known.name


def _common(one: dtypes.DType, other: dtypes.DType) -> dtypes.DType:
    if one == other:
        return one
    for first, second in ((one, other), (other, one)):
        if first.is_floating and not (second.is_floating or second.is_complex):
            return first
        if first.is_bool:
            return second
        if first.is_complex and not second.is_complex and second != dtypes.float64:
            return first
    names = {one.name, other.name}
    if "bfloat16" in names:
        return dtypes.float32 if names != {"bfloat16", "float64"} else dtypes.float64
    common = np.promote_types(one.as_numpy_dtype, other.as_numpy_dtype)
    if common.kind == "f" and not (one.is_floating or other.is_floating):
        return dtypes.as_dtype(config.floatx())  # of int64 and uint64
    return dtypes.as_dtype(common)


def pair(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Two values as tensors of the dtype that they are promoted to."""
    if isinstance(x1, Tensor) and isinstance(x2, Tensor) and x1.dtype == x2.dtype:
        return x1, x2
    plain1, plain2 = isinstance(x1, bool | int | float), isinstance(x2, bool | int | float)
    if not plain1:
        x1 = tensor(x1)
    if not plain2:
        x2 = tensor(x2)
    if not plain1 and not plain2 and x1.dtype == x2.dtype:
        return x1, x2
    dtype = dtypes.as_dtype(result_type(x1, x2))
    return conversion.cast(x1, dtype), conversion.cast(x2, dtype)


class _KerasRules(Rules):
    """Keras 3's rules: int32 and floatx by default."""

    index_dtype = dtypes.int32
    computes_with_booleans = False

    tensor = staticmethod(tensor)
    floating = staticmethod(floating)
    pair = staticmethod(pair)

    def promoted(self, *values: Any) -> Sequence[Tensor]:
        if len(values) == 2:
            return pair(*values)
        values = tuple(x if isinstance(x, bool | int | float) else tensor(x) for x in values)
        dtype = dtypes.as_dtype(result_type(*values))
        return [conversion.cast(x, dtype) for x in values]

    def joined(self, *values: Any) -> Sequence[Tensor]:
        # Python numbers have their own dtypes here.
        return self.promoted(*map(tensor, values))

    def factors(self, *values: Any) -> Sequence[Tensor]:
        tensors = self.promoted(*values)
        if tensors[0].dtype not in (dtypes.bool, dtypes.int8):
            return tensors
        return [_ops.cast(x, dtypes.int32) for x in tensors]

    def float_dtype(self) -> dtypes.DType:
        return dtypes.as_dtype(config.floatx())

    def sum_dtype(self, dtype: dtypes.DType) -> dtypes.DType:
        if not dtype.is_floating and _SIZES.get(dtype.name, 8) < 4:
            return dtypes.uint32 if dtype.is_unsigned else dtypes.int32
        return dtype

    def cumulative_dtype(self, dtype: dtypes.DType) -> dtypes.DType:
        return dtypes.int32 if dtype.is_bool else dtype


KERAS = _KerasRules()
