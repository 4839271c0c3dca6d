"""Elementwise operations against NumPy and SciPy, over dtypes, shapes and random inputs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

import eagerflow as tf
from random_arrays import (
    COMPLEX,
    FLOATS,
    INTS,
    NUMERIC,
    PLAIN,
    REAL,
    SIGNED,
    assert_matches,
    random_array,
    seeds,
    shape_pairs,
    shapes,
    widened,
)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805


WIDE = (-50, 50)


EVERYWHERE = (*FLOATS, *COMPLEX)


# Attributes are float32 in TensorFlow, whatever the dtype of the elements.
LEAKINESS, GELU_WIDTH = float(np.float32(0.2)), float(np.float32(np.sqrt(0.5)))


def leaky(x):
    return np.where(x > 0, x, LEAKINESS * x)


def elu(x):
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


# name: (public function, reference, interval, whether NaN and infinities are defined)
FLOAT_UNARY = {
    "abs": (tf.abs, np.abs, WIDE, True),
    "acos": (tf.acos, np.arccos, (-1, 1), True),
    "acosh": (tf.acosh, np.arccosh, (1, 50), True),
    "asin": (tf.asin, np.arcsin, (-1, 1), True),
    "asinh": (tf.asinh, np.arcsinh, WIDE, True),
    "atan": (tf.atan, np.arctan, WIDE, True),
    "atanh": (tf.atanh, np.arctanh, (-0.9, 0.9), True),
    "ceil": (tf.math.ceil, np.ceil, WIDE, True),
    "cos": (tf.cos, np.cos, WIDE, True),
    "cosh": (tf.cosh, np.cosh, (-10, 10), True),
    "digamma": (tf.math.digamma, special.digamma, (0.1, 20), False),
    "elu": (tf.nn.elu, elu, WIDE, True),
    "erf": (tf.math.erf, special.erf, (-5, 5), True),
    "erfc": (tf.math.erfc, special.erfc, (-5, 3), True),
    "erfinv": (tf.math.erfinv, special.erfinv, (-0.95, 0.95), False),
    "exp": (tf.exp, np.exp, (-10, 10), True),
    "expm1": (tf.math.expm1, np.expm1, (-10, 10), True),
    "floor": (tf.floor, np.floor, WIDE, True),
    "gelu": (tf.nn.gelu, lambda x: x * special.erfc(-x * GELU_WIDTH) / 2, (-4, 4), False),
    "leaky_relu": (tf.nn.leaky_relu, leaky, WIDE, True),
    "lgamma": (tf.math.lgamma, special.gammaln, (0.1, 20), False),
    "log": (tf.math.log, np.log, (0, 50), True),
    "log1p": (tf.math.log1p, np.log1p, (-1, 50), True),
    "log_sigmoid": (tf.math.log_sigmoid, special.log_expit, (-20, 20), False),
    "ndtri": (tf.math.ndtri, special.ndtri, (0.05, 0.95), False),
    "negative": (tf.negative, np.negative, WIDE, True),
    "reciprocal": (tf.math.reciprocal, lambda x: 1 / x, WIDE, True),
    "relu": (tf.nn.relu, lambda x: np.maximum(x, 0), WIDE, True),
    "relu6": (tf.nn.relu6, lambda x: np.minimum(np.maximum(x, 0), 6), WIDE, True),
    "rint": (tf.round, np.rint, WIDE, True),
    "rsqrt": (tf.math.rsqrt, lambda x: 1 / np.sqrt(x), (0, 50), False),
    "selu": (tf.nn.selu, lambda x: SELU_SCALE * np.where(x > 0, x, SELU_ALPHA * elu(x)), WIDE,
             True),
    "sigmoid": (tf.sigmoid, special.expit, (-10, 10), True),
    "sign": (tf.sign, np.sign, WIDE, True),
    "silu": (tf.nn.silu, lambda x: x * special.expit(x), (-10, 10), False),
    "sin": (tf.sin, np.sin, WIDE, True),
    "sinh": (tf.sinh, np.sinh, (-10, 10), True),
    "softplus": (tf.math.softplus, lambda x: np.logaddexp(x, 0), (-20, 20), True),
    "softsign": (tf.nn.softsign, lambda x: x / (1 + np.abs(x)), WIDE, False),
    "sqrt": (tf.sqrt, np.sqrt, (0, 50), True),
    "square": (tf.square, np.square, WIDE, True),
    "tan": (tf.tan, np.tan, (-1.5, 1.5), True),
    "tanh": (tf.tanh, np.tanh, (-5, 5), True),
}  # fmt: skip


# Absolute errors near roots, in units of the dtype's relative error.
ATOL = {"lgamma": 5, "digamma": 5, "cos": 5, "sin": 5, "erfc": 1, "ndtri": 1, "erfinv": 1}


RTOL = {"erfc": 20, "tan": 4, "ndtri": 4, "erfinv": 4, "lgamma": 4, "digamma": 4, "gelu": 4}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", FLOAT_UNARY)
@given(shape=shapes(), seed=seeds)
def test_functions_of_one_float(name, dtype, shape, seed):
    function, reference, interval, special_values = FLOAT_UNARY[name]
    x = random_array(seed, shape, dtype, *interval, special=special_values)
    expected = np.asarray(reference(widened(x)), np.float64)
    # In half precision tiny results are subnormal.
    atol = ATOL.get(name, 0) + (1e-2 if dtype == "float16" else 1e-20)
    assert_matches(function(tf.constant(x)), expected, dtype, RTOL.get(name, 1), atol)


COMPLEX_UNARY = {
    "abs": (tf.abs, np.abs),
    "acos": (tf.acos, np.arccos),
    "acosh": (tf.acosh, np.arccosh),
    "angle": (tf.math.angle, np.angle),
    "asin": (tf.asin, np.arcsin),
    "asinh": (tf.asinh, np.arcsinh),
    "atan": (tf.atan, np.arctan),
    "atanh": (tf.atanh, np.arctanh),
    "conj": (tf.math.conj, np.conj),
    "cos": (tf.cos, np.cos),
    "cosh": (tf.cosh, np.cosh),
    "exp": (tf.exp, np.exp),
    "expm1": (tf.math.expm1, np.expm1),
    "imag": (tf.math.imag, np.imag),
    "log": (tf.math.log, np.log),
    "log1p": (tf.math.log1p, np.log1p),
    "negative": (tf.negative, np.negative),
    "real": (tf.math.real, np.real),
    "reciprocal": (tf.math.reciprocal, lambda x: 1 / x),
    "rsqrt": (tf.math.rsqrt, lambda x: 1 / np.sqrt(x)),
    "sigmoid": (tf.sigmoid, lambda x: 1 / (1 + np.exp(-x))),
    "sign": (tf.sign, lambda x: x / np.abs(x)),
    "sin": (tf.sin, np.sin),
    "sinh": (tf.sinh, np.sinh),
    "sqrt": (tf.sqrt, np.sqrt),
    "square": (tf.square, np.square),
    "tan": (tf.tan, np.tan),
    "tanh": (tf.tanh, np.tanh),
}


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", COMPLEX_UNARY)
@given(shape=shapes(), seed=seeds)
def test_functions_of_one_complex_number(name, dtype, shape, seed):
    function, reference = COMPLEX_UNARY[name]
    x = random_array(seed, shape, dtype, -1.4, 1.4)
    expected = np.asarray(reference(widened(x)))
    name = dtype if expected.dtype.kind == "c" else {"complex64": "float32"}.get(dtype, "float64")
    assert_matches(function(tf.constant(x)), expected, name, rtol=8, atol=8)


EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, 88.9, -104.0, 1e-20, 3e38, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "reciprocal", "angle", "square"])
def test_edges_of_complex_functions(name):
    """Those of NumPy; results that are subnormal may be 0."""
    x = np.array([complex(a, b) for a in EDGES for b in EDGES], np.complex64)
    if name in ("reciprocal", "square"):
        # At 0 and infinity NumPy has NaN where C's rules give a limit.
        x = x[(np.abs(x) > 0) & (np.abs(x) < 1e19)]
    found = getattr(tf.math, name)(x).numpy()
    with np.errstate(all="ignore"):
        narrow = getattr(np, name)(x)
        wide = getattr(np, name)(x.astype(np.complex128)).astype(found.dtype)
    parts = [(a.real, a.imag) for a in (found, narrow, wide)]
    for values, one, other in zip(*parts, strict=True):
        small = (np.abs(other) < np.finfo(np.float32).tiny) & (values == 0)
        close = np.isclose(values, other, rtol=1e-6, atol=0, equal_nan=True)
        assert (small | close | np.isclose(values, one, rtol=1e-6, equal_nan=True)).all()


@pytest.mark.parametrize("dtype", COMPLEX)
def test_integer_powers_of_complex_numbers(dtype):
    x = random_array(3, (50,), dtype, -1.4, 1.4)
    for exponent in [-33, -7, -2, -1, 0, 1, 2, 3, 8, 31, 33]:
        found = tf.pow(x, tf.constant(exponent, dtype))
        np.testing.assert_allclose(found, widened(x) ** exponent, rtol=5e-5)


@pytest.mark.parametrize("size", [0.99999994, 1.0, 1.0000001])
def test_logarithms_near_the_unit_circle(size):
    x = np.complex64(complex(size, 2e-5))
    exact = np.log1p((float(x.real) - 1) * (float(x.real) + 1) + float(x.imag) ** 2) / 2
    np.testing.assert_allclose(tf.math.log(x).numpy().real, exact, rtol=1e-6)


INT_UNARY = {
    "abs": (tf.abs, np.abs, SIGNED),
    "invert": (tf.bitwise.invert, np.invert, INTS),
    "negative": (tf.negative, np.negative, SIGNED),
    "relu": (tf.nn.relu, lambda x: np.maximum(x, 0).astype(x.dtype), INTS),
    "round": (tf.round, lambda x: x, INTS),
    "sign": (tf.sign, np.sign, SIGNED),
    "square": (tf.square, np.square, INTS),
}


@pytest.mark.parametrize("name", INT_UNARY)
@given(data=st.data(), shape=shapes(), seed=seeds)
def test_functions_of_one_integer(name, data, shape, seed):
    function, reference, dtypes = INT_UNARY[name]
    x = random_array(seed, shape, data.draw(st.sampled_from(dtypes)), special=True)
    assert_matches(function(tf.constant(x)), reference(x))


FLOAT_BINARY = {
    "add": (tf.add, np.add, True),
    "atan2": (tf.atan2, np.arctan2, True),
    "divide": (tf.divide, np.divide, True),
    "divide_no_nan": (tf.math.divide_no_nan, lambda x, y: np.where(y == 0, 0, x / y), True),
    "maximum": (tf.maximum, np.maximum, True),
    "minimum": (tf.minimum, np.minimum, True),
    "multiply": (tf.multiply, np.multiply, True),
    "multiply_no_nan": (tf.math.multiply_no_nan, lambda x, y: np.where(y == 0, 0, x * y), True),
    "squared_difference": (tf.math.squared_difference, lambda x, y: (x - y) ** 2, True),
    "subtract": (tf.subtract, np.subtract, True),
    "xdivy": (tf.math.xdivy, lambda x, y: np.where(x == 0, 0, x / y), False),
    "xlog1py": (tf.math.xlog1py, lambda x, y: np.where(x == 0, 0, x * np.log1p(y)), False),
    "xlogy": (tf.math.xlogy, lambda x, y: np.where(x == 0, 0, x * np.log(y)), False),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", FLOAT_BINARY)
@given(pair=shape_pairs(), seed=seeds)
def test_functions_of_two_floats(name, dtype, pair, seed):
    function, reference, special_values = FLOAT_BINARY[name]
    low = -4 if special_values else 0.1
    x, y = (
        random_array(seed + k, shape, dtype, low, 4, special_values) for k, shape in enumerate(pair)
    )
    expected = np.asarray(reference(widened(x), widened(y)), np.float64)
    # Half precision differences are rounded before they are squared.
    rtol = 4 if name == "squared_difference" else 1
    assert_matches(function(tf.constant(x), tf.constant(y)), expected, dtype, rtol, 1e-2)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@given(pair=shape_pairs(), seed=seeds)
def test_powers(dtype, pair, seed):
    x, y = (
        random_array(seed + k, shape, dtype, 0, 4, special=True) for k, shape in enumerate(pair)
    )
    got = tf.pow(tf.constant(x), tf.constant(y))
    assert_matches(got, np.power(x.astype(float), y.astype(float)), dtype, rtol=4, atol=1e-20)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers_of_negative_numbers(dtype):
    largest = 2.0 ** np.finfo(dtype).nmant
    bases = [-np.inf, -3.0, -1.0, -0.5, -0.0, 0.0, 0.5, 2.0, np.inf, np.nan]
    exponents = [0, 1, 2, 3, -1, -2, -3, 0.5, -2.5, 31, largest - 1, largest, 2 * largest - 1,
                 2 * largest, np.inf, -np.inf, np.nan]  # fmt: skip
    x, y = (np.ravel(grid).astype(dtype) for grid in np.meshgrid(bases, exponents))
    with np.errstate(all="ignore"):
        expected = np.power(x, y)
    got = tf.pow(tf.constant(x), tf.constant(y)).numpy()
    np.testing.assert_allclose(got, expected, rtol=1e-6)
    signed = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(got)[signed], np.signbit(expected)[signed])


@pytest.mark.parametrize("dtype", FLOATS)
@given(pair=shape_pairs(), seed=seeds)
def test_remainders_of_floats(dtype, pair, seed):
    x = random_array(seed, pair[0], dtype, -20, 20)
    y = random_array(seed + 1, pair[1], dtype, 0.6, 4) * random_array(seed, (), "float32", 1, 1)
    y = y.astype(x.dtype)
    quotient = tf.math.floordiv(tf.constant(x), tf.constant(y)).numpy()
    remainder = tf.math.floormod(tf.constant(x), tf.constant(y)).numpy()
    wide_x, wide_y = np.broadcast_arrays(widened(x), widened(y))
    expected = np.floor_divide(wide_x, wide_y)
    assert (np.abs(widened(quotient) - expected) <= (1e-2 * np.abs(expected) + 1)).all()
    assert ((widened(remainder) >= 0) & (widened(remainder) <= wide_y)).all()
    np.testing.assert_allclose(widened(remainder), np.fmod(np.fmod(wide_x, wide_y) + wide_y, wide_y),
                               atol=1e-2 if dtype in ("float16", "bfloat16") else 1e-5)  # fmt: skip


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "pow"])
@given(pair=shape_pairs(), seed=seeds)
def test_functions_of_two_complex_numbers(name, dtype, pair, seed):
    x, y = (random_array(seed + k, shape, dtype, 0.3, 2) for k, shape in enumerate(pair))
    reference = np.power if name == "pow" else getattr(np, name)
    expected = reference(widened(x), widened(y))
    got = getattr(tf, name)(tf.constant(x), tf.constant(y))
    assert_matches(got, expected, dtype, rtol=8, atol=1)


def truncated(x, y):
    """C's division; NumPy's rounds down."""
    quotient = np.abs(x.astype(object)) // np.abs(y.astype(object))
    return np.where((x < 0) ^ (y < 0), -quotient, quotient)


INT_BINARY = {
    "add": (tf.add, np.add),
    "subtract": (tf.subtract, np.subtract),
    "multiply": (tf.multiply, np.multiply),
    "maximum": (tf.maximum, np.maximum),
    "minimum": (tf.minimum, np.minimum),
    "bitwise_and": (tf.bitwise.bitwise_and, np.bitwise_and),
    "bitwise_or": (tf.bitwise.bitwise_or, np.bitwise_or),
    "bitwise_xor": (tf.bitwise.bitwise_xor, np.bitwise_xor),
}


DIVISIONS = {
    "floordiv": (tf.math.floordiv, np.floor_divide),
    "floormod": (tf.math.floormod, np.mod),
    "truncatediv": (tf.truncatediv, truncated),
    "truncatemod": (tf.truncatemod, np.fmod),
}


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("name", INT_BINARY)
@given(pair=shape_pairs(), seed=seeds)
def test_functions_of_two_integers(name, dtype, pair, seed):
    function, reference = INT_BINARY[name]
    x, y = (
        random_array(seed + k, shape, dtype, -100, 100, special=True)
        for k, shape in enumerate(pair)
    )
    assert_matches(function(tf.constant(x), tf.constant(y)), reference(x, y))


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("name", DIVISIONS)
@given(pair=shape_pairs(), seed=seeds)
def test_divisions_of_integers(name, dtype, pair, seed):
    function, reference = DIVISIONS[name]
    x = random_array(seed, pair[0], dtype, -100, 100, special=True)
    y = random_array(seed + 1, pair[1], dtype, -10, 10, special=True)
    y = np.where(y == 0, np.array(1, y.dtype) if seed % 2 else ~np.zeros((), y.dtype), y)
    expected = np.asarray(reference(x, y))
    if expected.dtype == object:  # The negated least integer wraps around.
        bits = 8 * x.dtype.itemsize
        expected = np.array([int(v) % 2**bits for v in expected.ravel()], f"uint{bits}").reshape(
            expected.shape
        )
        expected = expected.view(x.dtype) if expected.ndim else expected.astype(x.dtype)
    assert_matches(function(tf.constant(x), tf.constant(y)), expected.astype(x.dtype))


@pytest.mark.parametrize("dtype", INTS)
@given(pair=shape_pairs(), seed=seeds)
def test_shifts(dtype, pair, seed):
    x = random_array(seed, pair[0], dtype, -100, 100, special=True)
    count = random_array(seed + 1, pair[1], dtype, 0, 8 * x.dtype.itemsize - 1)
    left = tf.bitwise.left_shift(tf.constant(x), tf.constant(count))
    assert_matches(left, np.left_shift(x, count))
    right = tf.bitwise.right_shift(tf.constant(x), tf.constant(count))
    assert_matches(right, np.right_shift(x, count))


@pytest.mark.parametrize("dtype", SIGNED)
@given(pair=shape_pairs(), seed=seeds)
def test_powers_of_integers(dtype, pair, seed):
    x = random_array(seed, pair[0], dtype, -9, 9, special=True)
    y = random_array(seed + 1, pair[1], dtype, 0, 7)
    assert_matches(tf.pow(tf.constant(x), tf.constant(y)), np.power(x, y))


@pytest.mark.parametrize("dtype", INTS)
@given(pair=shape_pairs(), seed=seeds)
def test_true_division_of_integers(dtype, pair, seed):
    x, y = (random_array(seed + k, shape, dtype, -50, 50) for k, shape in enumerate(pair))
    expected = np.true_divide(x.astype(float), y.astype(float))
    wide = "float32" if x.dtype.itemsize <= 2 else "float64"
    assert_matches(tf.truediv(tf.constant(x), tf.constant(y)), expected, wide)


COMPARISONS = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("name", COMPARISONS)
@given(pair=shape_pairs(), seed=seeds)
def test_comparisons(name, dtype, pair, seed):
    x, y = (
        random_array(seed + k, shape, dtype, -2, 2, special=True) for k, shape in enumerate(pair)
    )
    expected = np.asarray(getattr(np, name)(widened(x), widened(y)))
    assert_matches(getattr(tf, name)(tf.constant(x), tf.constant(y)), expected)


@pytest.mark.parametrize("name", ["equal", "not_equal"])
@given(pair=shape_pairs(), seed=seeds, dtype=st.sampled_from([*COMPLEX, "bool", "string"]))
def test_equality_of_other_types(name, pair, seed, dtype):
    kind = "int32" if dtype == "string" else dtype
    x, y = (random_array(seed + k, shape, kind, 0, 2) for k, shape in enumerate(pair))
    if dtype == "string":
        x, y = x.astype("S").astype(object), y.astype("S").astype(object)
    expected = np.asarray(getattr(np, name)(x, y), bool)
    assert_matches(getattr(tf, name)(tf.constant(x, dtype), tf.constant(y, dtype)), expected)


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
@given(pair=shape_pairs(), seed=seeds)
def test_logic(name, pair, seed):
    x, y = (random_array(seed + k, shape, "bool") for k, shape in enumerate(pair))
    function = getattr(tf.math, name)
    assert_matches(function(tf.constant(x), tf.constant(y)), getattr(np, name)(x, y))
    assert_matches(tf.logical_not(tf.constant(x)), np.logical_not(x))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["is_nan", "is_inf", "is_finite"])
@given(shape=shapes(), seed=seeds)
def test_kinds_of_numbers(name, dtype, shape, seed):
    x = random_array(seed, shape, dtype, special=True)
    reference = getattr(np, name.replace("_", ""))
    assert_matches(getattr(tf.math, name)(tf.constant(x)), np.asarray(reference(widened(x))))


@pytest.mark.parametrize("dtype", PLAIN)
@given(triple=shape_pairs(3), seed=seeds)
def test_choices(dtype, triple, seed):
    condition = random_array(seed, triple[0], "bool")
    x, y = (random_array(seed + k, triple[k], dtype, special=True) for k in (1, 2))
    expected = np.where(condition, x, y)
    got = tf.where(tf.constant(condition), tf.constant(x), tf.constant(y))
    assert got.dtype.name == dtype and tuple(got.shape) == expected.shape
    np.testing.assert_array_equal(widened(got.numpy()), widened(expected))


@pytest.mark.parametrize("dtype", REAL)
@given(shape=shapes(), seed=seeds)
def test_limits(dtype, shape, seed):
    x = random_array(seed, shape, dtype, -50, 50, special=dtype in INTS)
    low, high = np.array(1, x.dtype), np.array(20, x.dtype)
    expected = np.minimum(np.maximum(x, low), high)
    got = tf.clip_by_value(tf.constant(x), tf.constant(low), tf.constant(high))
    np.testing.assert_array_equal(got.numpy(), expected)
    assert got.dtype.name == dtype


@pytest.mark.parametrize("target", PLAIN)
@pytest.mark.parametrize("source", PLAIN)
@given(shape=shapes(), seed=seeds)
def test_casts(source, target, shape, seed):
    special_values = source in INTS and target in INTS
    # Negative floats have no unsigned counterpart.
    low = 0 if target.startswith("uint") and source not in INTS else -100
    x = random_array(seed, shape, source, low, 100, special_values)
    if source in COMPLEX and target not in COMPLEX:
        expected = x.real if target != "bool" else x != 0
    else:
        expected = x
    expected = widened(np.asarray(expected)).astype(
        np.float64 if target in FLOATS else np.dtype(target)
    )
    assert_matches(tf.cast(tf.constant(x), target), expected, target, atol=1e-2)


def test_casts_to_the_same_dtype_give_the_tensor_itself():
    x = tf.constant([1.5])
    assert tf.cast(x, tf.float32) is x
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = 2.0 * tf.cast(x, x.dtype)
    # The cast tensor is the watched one.
    assert tape.gradient(y, tf.cast(x, tf.float32)).numpy() == [2.0]

    @tf.function
    def same(x):
        return tf.cast(x, tf.float32) is x

    assert same(x)


@pytest.mark.parametrize("dtype", NUMERIC)
@given(shape=shapes(max_rank=4), seed=seeds, count=st.integers(1, 5))
def test_sums_of_many(dtype, shape, seed, count):
    arrays = [random_array(seed + k, shape, dtype) for k in range(count)]
    expected = sum(widened(array) for array in arrays)
    got = tf.add_n([tf.constant(array) for array in arrays])
    assert_matches(got, expected, dtype, rtol=4, atol=20)


def test_inverse_normal_keeps_its_digits_in_the_tails():
    x = np.array([1e-30, 1e-20, 1e-8, 0.3], np.float32)
    np.testing.assert_allclose(tf.math.ndtri(x), special.ndtri(x.astype(np.float64)), rtol=1e-6)
    np.testing.assert_allclose(tf.math.erfcinv(x), special.erfcinv(x.astype(np.float64)), rtol=1e-6)


def test_angles_of_real_numbers():
    np.testing.assert_allclose(tf.math.angle([2.0, -1.0, 0.0]).numpy(), [0, math.pi, 0], 1e-6)
    with pytest.raises(TypeError, match="int32"):
        tf.math.angle([1, -1])


def test_truediv_takes_the_first_dtype_and_divide_the_tensors():
    y = tf.constant([2.0], tf.float64)
    with pytest.raises(TypeError, match="float32.*float64"):
        tf.truediv([1.0], y)
    assert tf.divide(1.0, y).dtype == tf.float64


def test_softplus_is_right_to_two_units() -> None:
    x = np.concatenate([np.linspace(-80, 80, 200_001), np.linspace(-2, 2, 400_001)]).astype("f")
    expected = np.logaddexp(0.0, x.astype("d"))
    units = np.abs(tf.math.softplus(x).numpy() - expected) / np.spacing(expected.astype("f"))
    assert units.max() < 1.75
    ends = tf.math.softplus([0.0, -np.inf, np.inf, np.nan, -200.0, 1e30]).numpy()
    np.testing.assert_array_equal(ends, np.array([np.log(2), 0, np.inf, np.nan, 0, 1e30], "f"))


@pytest.mark.parametrize(
    "target", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
)
@pytest.mark.parametrize(
    "source",
    [
        "float16",
        "bfloat16",
        "float32",
        "float64",
        "int8",
        "int32",
        "int64",
        "uint8",
        "uint64",
        "complex64",
    ],
)
@pytest.mark.parametrize("in_graph", [False, True])
def test_saturated_integers(source, target, in_graph):
    dtype, limits = tf.as_dtype(source), tf.as_dtype(target)
    real = dtype.real_dtype
    numbers = [0, 1, real.max, real.min]
    numbers += [-1.0, 2.5, float("inf"), float("-inf")] if real.is_floating else []
    x = tf.cast(tf.constant(np.array(numbers, real.as_numpy_dtype)), dtype)

    def saturated(x):
        return tf.saturate_cast(x, target)

    found = (tf.function(saturated) if in_graph else saturated)(x)
    assert found.dtype == limits
    for number, integer in zip(numbers, found.numpy().tolist(), strict=True):
        wanted = int(min(max(float(number), int(limits.min)), int(limits.max)))
        # The nearest value of the source dtype that is not beyond the limit.
        assert abs(integer - wanted) <= abs(wanted) * float(
            np.finfo("f4").eps if real.size > 2 else 2**-8
        )


@pytest.mark.parametrize("target", ["uint8", "uint16", "uint32", "uint64"])
@pytest.mark.parametrize("source", ["float16", "bfloat16", "float32", "float64"])
def test_floats_become_unsigned_integers_by_their_low_bits(source, target):
    values = tf.constant([-1.0, -1.5, -300.0, 300.0, 65000.0, -0.5], source)
    bits = 8 * tf.as_dtype(target).size
    expected = [int(value) % 2**bits for value in np.asarray(values, "float64")]
    assert tf.cast(values, target).numpy().tolist() == expected
    assert tf.function(tf.cast)(values, target).numpy().tolist() == expected
