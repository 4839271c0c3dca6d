"""Strategies for shapes and arrays, and comparisons that suit each dtype."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

# Fixed examples, so that a failure occurs again in the next run.
settings.register_profile(
    "arrays",
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("arrays")

HALVES = ("float16", "bfloat16")
FLOATS = (*HALVES, "float32", "float64")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTS = SIGNED + UNSIGNED
COMPLEX = ("complex64", "complex128")
REAL = FLOATS + INTS
NUMERIC = REAL + COMPLEX
PLAIN = (*NUMERIC, "bool")
SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0)

# The relative error that one operation may have.
RTOL = {
    "float16": 2e-3,
    "bfloat16": 1.6e-2,
    "float32": 5e-6,
    "complex64": 1e-5,
    "float64": 1e-12,
    "complex128": 1e-12,
}

seeds = st.integers(0, 2**32 - 1)
sides = st.sampled_from([0, 1, 1, 2, 3, 4, 5])
long_shapes = st.sampled_from([(31,), (257,), (1000,), (64, 65), (3, 1, 513), (70001,)])


def shapes(min_rank: int = 0, max_rank: int = 5, long: bool = True) -> st.SearchStrategy[Any]:
    """Shapes of up to five dimensions; some empty, some with ones, some long."""
    small = st.lists(sides, min_size=min_rank, max_size=max_rank).map(tuple)
    if not long:
        return small
    fitting = long_shapes.filter(lambda shape: min_rank <= len(shape) <= max_rank)
    return st.one_of(small, small, fitting) if max_rank else small


def shape_pairs(count: int = 2) -> st.SearchStrategy[Any]:
    """Shapes that broadcast against each other."""
    small = hnp.mutually_broadcastable_shapes(
        num_shapes=count, max_dims=5, min_side=0, max_side=4
    ).map(lambda found: found.input_shapes)
    same = shapes().map(lambda shape: (shape,) * count)
    return st.one_of(small, small, same)


def numpy_dtype(name: str) -> Any:
    return np.dtype(getattr(ml_dtypes, name, None) or name)


def random_array(
    seed: int,
    shape: Sequence[int],
    dtype: str,
    low: float = -4,
    high: float = 4,
    special: bool = False,
) -> Any:
    """Values between low and high, with some extremes of integers, or NaN and infinities."""
    random = np.random.default_rng(seed)
    kind = numpy_dtype(dtype)
    if dtype == "bool":
        return random.integers(0, 2, shape).astype(bool)
    if dtype in INTS:
        limits = np.iinfo(kind)
        least, most = max(int(low), limits.min), min(int(high), limits.max)
        array = random.integers(least, most, shape, dtype=kind, endpoint=True)
        extremes = np.array([limits.min, limits.max, 0, 1], kind)
        return strewn(random, array, extremes) if special else array
    if dtype in COMPLEX:
        parts = random.uniform(low, high, (2, *shape))
        return np.asarray(parts[0] + 1j * parts[1], kind)
    array = np.asarray(random.uniform(low, high, shape)).astype(kind)
    return strewn(random, array, np.array(SPECIAL, kind)) if special else array


def strewn(random: Any, array: Any, values: Any) -> Any:
    chosen = random.random(array.shape) < 0.2
    return np.where(chosen, values[random.integers(0, len(values), array.shape)], array)


def widened(array: Any) -> Any:
    """The same values in the widest dtype of the kind, for references."""
    if array.dtype.name in FLOATS:
        return array.astype(np.float64)
    return array.astype(np.complex128) if array.dtype.kind == "c" else array


def assert_matches(
    tensor: Any, expected: Any, dtype: str | None = None, rtol: float = 0, atol: float = 0
) -> None:
    """Checks dtype (the reference's if None), shape and values of a tensor.

    `rtol` and `atol` are multiples of the tolerance of the dtype.
    """
    got = tensor.numpy()
    expected = np.asarray(expected)
    assert tensor.dtype.name == (dtype or expected.dtype.name)
    assert tuple(tensor.shape) == expected.shape
    unit = RTOL.get(tensor.dtype.name)
    if unit is None:
        np.testing.assert_array_equal(got, expected)
        return
    with np.errstate(all="ignore"):
        expected = expected.astype(numpy_dtype(tensor.dtype.name))
    np.testing.assert_allclose(
        widened(np.asarray(got)), widened(expected), rtol=(rtol or 1) * unit, atol=atol * unit
    )
