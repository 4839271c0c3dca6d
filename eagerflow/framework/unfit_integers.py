"""Integers that a dtype cannot hold: the engine asks here when it meets one."""

from __future__ import annotations

import numpy as np

from eagerflow.framework.dtypes import DType
from eagerflow.util.program_warnings import warn as warn_program


def _integers(value: object) -> np.ndarray:
    """Integers of any size, as an array of Python's integers."""
    return np.array(value, dtype=object)


def saturated(value: object, dtype: DType) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The integers of a value in a dtype, those out of range as its limits.

    Args:
        value: an integer, a nested list of them, or an array.
        dtype: an integer dtype.

    Returns:
        The integers, which of them are below the range, and which are above it.

    >>> [array.tolist() for array in saturated([-1, 44, 300], tf.uint8)]
    [[0, 44, 255], [True, False, False], [False, False, True]]
    """
    integers, low, high = _integers(value), int(dtype.min), int(dtype.max)
    flat = [int(integer) for integer in integers.reshape(-1)]
    limited = [min(max(integer, low), high) for integer in flat]
    parts = (
        np.array(limited, dtype.as_numpy_dtype),
        np.array([integer < low for integer in flat], bool),
        np.array([integer > high for integer in flat], bool),
    )
    return tuple(part.reshape(integers.shape) for part in parts)  # type: ignore[return-value]


def warn(value: object, dtype: DType) -> None:
    """Warns of the first integer of a value that a dtype cannot hold, at the program's line."""
    low, high = int(dtype.min), int(dtype.max)
    integers = map(int, _integers(value).reshape(-1))
    first = next((integer for integer in integers if not low <= integer <= high), None)
    if first is None:
        return
    wrapped = (first - low) % (high - low + 1) + low
    warn_program(
        f"The integer {first} is out of range for {dtype.name}, which holds {low} to {high}: it "
        f"becomes {wrapped}. Use a wider dtype.",
        RuntimeWarning,
    )
