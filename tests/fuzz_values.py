"""Values that hardly any function accepts, and how often tests draw them.

FUZZ_EXAMPLES in the environment sets how many calls are made per function, and FUZZ_SEED the seed
of other calls than usual.
"""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st

import eagerflow as tf

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "8"))
SEED = os.environ.get("FUZZ_SEED")


def many(examples: int) -> Callable[[Callable], Callable]:
    """Draws this many examples, always the same ones unless a seed is set."""
    options = settings(
        max_examples=examples,
        deadline=None,
        derandomize=SEED is None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    return options if SEED is None else lambda function: seed(int(SEED))(options(function))


DTYPES = ["float32", "float64", "float16", "bfloat16", "complex64", "complex128", "bool", "string"]
DTYPES += [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
SHAPES = [(), (0,), (1,), (3,), (2, 3), (3, 3), (2, 0, 3), (1, 4, 4, 2), (2, 1, 3), (1,) * 6]
EMPTY = [(0, 2**40), (0, 2**62, 2**62), (1, 0, 2**40, 2)]

# Sizes are small, or too large for any machine: no large tensor fits into memory.
HUGE = [2**40 + 3, 2**50, -(2**40), 2**62, 2**63 - 1, -(2**63), 2**64, 2**70, -(2**70)]
ODD = [0.5, 1.0, -1.5, math.nan, math.inf, -math.inf, 1e300, True, False, 1j]
ODD += [np.int32(2), np.float32(1), np.int64(-1), np.uint8(200)]
WORDS = ["", "a", "SAME", "VALID", "NHWC", "NCHW", "ij,jk->ik", "CONSTANT", "REFLECT", "float32"]
WORDS += ["euclidean", "left", "é", "\0", "...", "ASCENDING", "x" * 300]


def make_tensor(dtype: str, shape: tuple, values: list[float], kind: str) -> Any:
    """A tensor, variable or array whose elements repeat `values`."""
    if shape in EMPTY:
        return tf.zeros(shape, dtype)
    if dtype == "string":
        return tf.fill(shape, "ab")
    exact = tf.as_dtype(dtype).is_integer
    numbers = [0.0 if exact and not math.isfinite(value) else value for value in values]
    if exact and tf.as_dtype(dtype).min == 0:
        numbers = [abs(value) % 100 for value in numbers]
    tensor = tf.cast(np.resize(np.array(numbers), shape), dtype)
    return {"variable": tf.Variable, "array": lambda t: t.numpy()}.get(kind, tf.identity)(tensor)


numbers = st.one_of(st.integers(-4, 5), st.sampled_from(HUGE), st.sampled_from(ODD))
sizes = st.lists(st.one_of(st.integers(-2, 4), st.sampled_from(HUGE)), max_size=5)
sizes = st.one_of(sizes, st.just([1] * 13))
words = st.sampled_from(WORDS)
dtypes = st.one_of(st.sampled_from(DTYPES), st.just(tf.float32), st.just(np.float64))
tensors = st.builds(
    make_tensor,
    st.one_of(st.sampled_from(["float32", "int32"]), st.sampled_from(DTYPES)),
    st.one_of(*[st.sampled_from(SHAPES)] * 9, st.sampled_from(EMPTY)),
    st.lists(
        st.sampled_from([0, 1, 2, 3, -1, -2, 1.5, 100, -(2**31), math.nan, math.inf]),
        min_size=1,
        max_size=7,
    ),
    st.sampled_from(["tensor", "tensor", "tensor", "variable", "array"]),
)
junk = st.one_of(
    st.sampled_from([None, [], {}, b"\xff\x00", [[1, 2], [3]], [None], object(), ()]),
    words,
    dtypes,
    st.lists(tensors, max_size=3),
    st.tuples(numbers, numbers),
    st.lists(sizes, max_size=3),
    st.builds(lambda t: {"a": t}, tensors),
    st.builds(lambda: lambda *args: args[0] if args else tf.constant(1.0)),
    st.builds(lambda: tf.IndexedSlices(tf.ones((2, 3)), tf.constant([0, 5]))),
    st.builds(lambda: tf.TensorShape([2, None])),
)
anything = st.one_of(tensors, tensors, numbers, sizes, junk)

sparse = st.builds(
    lambda sizes, values: tf.SparseTensor([[0, 1], [2, 0]], values, sizes),
    st.sampled_from([(3, 2), (2**40, 2**40), (2**62, 8), (0, 0), (1, 1), (-3, 2), (5, 2**33)]),
    st.sampled_from([[1.0, 2.0], [1, -5], ["a", ""], [math.nan, math.inf]]),
)
ragged = st.builds(
    lambda splits, values: tf.RaggedTensor.from_row_splits(values, splits, validate=False),
    st.sampled_from([[0, 2, 2, 3], [0, 3], [0], [0, 0, 0], [0, 1, 3]]),
    st.sampled_from([[1.0, 2.0, 3.0], [1, -5, 0], ["a", "", "b"], [[1.0], [2.0], [3.0]]]),
)
composites = st.one_of(sparse, ragged)
anything = st.one_of(tensors, tensors, numbers, sizes, junk, composites)

LIKELY = {
    "sp_ rt_input": composites,
    "axis axes num depth size dim batch_dims index alpha rate k": st.one_of(numbers, sizes),
    "shape dims stride ksize begin perm multiples padd crop block": sizes,
    "type": dtypes,
    "equation mode padding format method direction": words,
}


def value_for(parameter: str) -> st.SearchStrategy:
    """Mostly values that suit a parameter of that name, and sometimes any others."""
    for parts, strategy in LIKELY.items():
        if any(part in parameter if len(part) > 1 else part == parameter for part in parts.split()):
            return st.one_of(strategy, strategy, anything)
    return st.one_of(tensors, anything)


def parameters(function: Callable) -> tuple[list[str], int]:
    """The names of positional parameters, and how many are required."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ["a", "b", "c"], 1
    names = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    required = sum(parameter.default is parameter.empty for parameter in names)
    return [parameter.name for parameter in names], required


bounds = st.one_of(st.none(), st.integers(-4, 4), st.sampled_from(HUGE), st.just(1.5))
parts = st.one_of(
    st.integers(-4, 4),
    st.builds(slice, bounds, bounds, bounds),
    st.sampled_from([None, Ellipsis]),
    anything,
)
keys = st.one_of(parts, st.lists(parts, max_size=4).map(tuple))


def refuse(call: Callable) -> Any:
    """Makes a call that may raise any exception, but none that shows the engine's signatures."""
    try:
        return call()
    except Exception as error:  # any refusal
        assert "incompatible function arguments" not in str(error), error
    return None
