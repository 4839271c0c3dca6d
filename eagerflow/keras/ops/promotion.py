"""How arguments of Keras 3's operations become tensors of a common dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.keras import config
from eagerflow.ops import conversion

_ops = _core.ops
_SIZES = {"bool": 0, "uint8": 1, "int8": 1, "uint16": 2, "int16": 2, "uint32": 4, "int32": 4}


def tensor(value: Any, dtype: Any = None) -> Any:
    """A tensor of anything; numbers without a dtype become int32 or the float type."""
    if dtype is not None:
        return conversion.cast(value, dtypes.as_dtype(dtype))
    if isinstance(value, np.ndarray) and value.dtype.kind in "US":
        value = value.astype(object)
    return _core.as_tensor(value)


def floating(value: Any) -> Any:
    """A tensor of a floating or complex dtype: other numbers become the float type."""
    value = tensor(value)
    if value.dtype.is_floating or value.dtype.is_complex:
        return value
    return _ops.cast(value, dtypes.as_dtype(config.floatx()))


def result_type(*values: Any) -> str:
    """The dtype in which values of several dtypes meet.

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
    names = {one.name, other.name}
    if "bfloat16" in names:
        return dtypes.float32 if names != {"bfloat16", "float64"} else dtypes.float64
    common = np.promote_types(one.as_numpy_dtype, other.as_numpy_dtype)
    if common.kind == "f" and not (one.is_floating or other.is_floating):
        return dtypes.as_dtype(config.floatx())  # of int64 and uint64
    return dtypes.as_dtype(common)


def pair(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Two tensors of the dtype in which they meet."""
    plain1, plain2 = isinstance(x1, bool | int | float), isinstance(x2, bool | int | float)
    if not plain1:
        x1 = tensor(x1)
    if not plain2:
        x2 = tensor(x2)
    if not plain1 and not plain2 and x1.dtype == x2.dtype:
        return x1, x2
    dtype = dtypes.as_dtype(result_type(x1, x2))
    return conversion.cast(x1, dtype), conversion.cast(x2, dtype)


def summed_type(dtype: dtypes.DType) -> dtypes.DType:
    """The dtype of a sum: small integers and truth values are summed in 32 bits."""
    if _SIZES.get(dtype.name, 8) < 4:
        return dtypes.uint32 if dtype.is_unsigned else dtypes.int32
    return dtype


def sizes(shape: Any) -> list[int]:
    """A shape as a list of sizes."""
    if isinstance(shape, int | np.integer):
        return [int(shape)]
    if isinstance(shape, _core.Tensor):
        shape = shape.numpy().reshape(-1)
    return [int(size) for size in shape]


def axes_of(axis: Any, rank: int) -> list[int]:
    """Axes as a list of numbers that are not negative; all by default."""
    if axis is None:
        return list(range(rank))
    return [int(k) % rank for k in (axis if isinstance(axis, list | tuple) else [axis])]
