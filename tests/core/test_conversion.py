"""Conversion of Python values to tensors: dtypes, shapes, values and errors."""

import array
import collections
import contextlib
import enum
import gc
import sys

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eagerflow as tf
from case_names import case_name

Pair = collections.namedtuple("Pair", "x y")


class Colour(enum.IntEnum):
    RED = 1


class OfArray:
    def __init__(self, value):
        self.value = value

    def __array__(self, dtype=None, copy=None):
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


class OfTensor:
    def __tf_tensor__(self, dtype=None, name=None):
        return tf.constant([5, 6], dtype or tf.int32)


class Countdown:
    """A sequence by protocol only."""

    def __init__(self, length=3, claimed=None):
        self.length = length
        self.claimed = length if claimed is None else claimed

    def __len__(self):
        return self.claimed

    def __getitem__(self, index):
        if index >= self.length:
            raise IndexError(index)
        return self.length - index


def check(tensor, dtype, value):
    assert tensor.dtype == dtype
    expected = np.asarray(value, dtype=tensor.dtype.as_numpy_dtype)
    np.testing.assert_array_equal(np.asarray(tensor.numpy()), expected)
    assert tuple(tensor.shape) == expected.shape


NATURAL = [
    (1, "int32", 1),
    (2**31 - 1, "int32", 2**31 - 1),
    (2**31, "int64", 2**31),
    (-(2**31) - 1, "int64", -(2**31) - 1),
    (2.5, "float32", 2.5),
    (float("nan"), "float32", float("nan")),
    (True, "bool", True),
    (1j, "complex128", 1j),
    ("é", "string", "é".encode()),
    (b"\xff\x00a", "string", b"\xff\x00a"),
    ("a\0b", "string", b"a\0b"),
    (Colour.RED, "int32", 1),
    ([1, 2.5], "float32", [1, 2.5]),
    ([2.5, 1], "float32", [2.5, 1]),
    ([1, True], "int32", [1, 1]),
    ([1.5, True], "float32", [1.5, 1]),
    ([1, 2**40], "int64", [1, 2**40]),
    ([2**40, 2.5], "float32", [2**40, 2.5]),
    ([1.0, 2**70], "float32", [1.0, 2.0**70]),
    ([1j, 1, 2.5], "complex128", [1j, 1, 2.5]),
    (["a", b"b"], "string", [b"a", b"b"]),
    ([], "float32", []),
    ([[], []], "float32", np.zeros((2, 0))),
    ([[], [1]], "float32", np.zeros((2, 0))),
    (((1, 2), [3, 4]), "int32", [[1, 2], [3, 4]]),
    (Pair(1, 2), "int32", [1, 2]),
    (range(3), "int32", [0, 1, 2]),
    (range(0), "int32", []),
    ([range(2), [5, 6]], "int32", [[0, 1], [5, 6]]),
    (collections.deque([1.5]), "float32", [1.5]),
    (array.array("f", [1, 2]), "float32", [1, 2]),
    (bytearray(b"ab"), "int32", [97, 98]),
    (Countdown(), "int32", [3, 2, 1]),
    (np.float64(2.5), "float64", 2.5),
    (np.int64(3), "int64", 3),
    (np.bool_(True), "bool", True),
    (np.str_("ab"), "string", b"ab"),
    (np.float16(1.5), "float16", 1.5),
    (np.uint64(2**63), "uint64", 2**63),
    (ml_dtypes.bfloat16(1.5), "bfloat16", 1.5),
    ([np.float64(1), 2], "float64", [1, 2]),
    ([1.5, np.float64(2)], "float32", [1.5, 2]),
    ([np.float32(1), 2.5], "float32", [1, 2.5]),
    ([np.float32(2), np.float64(1)], "float32", [2, 1]),
    ([np.float16(1)], "float16", [1]),
    ([np.int64(1), 2], "int32", [1, 2]),
    ([np.int64(2**40)], "int64", [2**40]),
    ([np.int32(1), np.float32(2.5)], "float32", [1, 2.5]),
    ([np.bool_(True), False], "bool", [True, False]),
    ([np.complex64(1)], "complex128", [1]),
    ([np.str_("a"), np.bytes_(b"b")], "string", [b"a", b"b"]),
    ([np.ones(2), np.zeros(2)], "float64", [[1, 1], [0, 0]]),
    ([np.ones(2, np.float32), [1, 2]], "float32", [[1, 1], [1, 2]]),
    ([[1, 2], np.ones(2, np.float32)], "float32", [[1, 2], [1, 1]]),
    ([np.array([1]), np.array([1.5])], "float32", [[1], [1.5]]),
    ([np.arange(2)], "int32", [[0, 1]]),
    ([np.array(1), np.array(2)], "int32", [1, 2]),
    ([np.array(["a"])], "string", [[b"a"]]),
    ([np.array([1, 2], object)], "int32", [[1, 2]]),
    ([np.zeros((2, 0)), np.zeros((2, 0))], "float32", np.zeros((2, 2, 0))),
    (OfArray(np.array([1.0, 2.0])), "float64", [1, 2]),
    (OfTensor(), "int32", [5, 6]),
]


@pytest.mark.parametrize(("value", "dtype", "expected"), NATURAL, ids=case_name)
def test_natural_dtype(value, dtype, expected):
    check(tf.convert_to_tensor(value), dtype, expected)


MIXED = "mixed types"
RAGGED = "non-rectangular"
RANGE = "out-of-range integer"
UNSUPPORTED = "with an unsupported type"
REFUSED = [
    (None, ValueError, r"convert a value \(None\) with an unsupported type \(<class 'NoneType'>\)"),
    ([None], ValueError, UNSUPPORTED),
    ([[None]], ValueError, UNSUPPORTED),
    ([1, None], ValueError, MIXED),
    ([True, 1], ValueError, MIXED),
    ([True, 1.5], ValueError, MIXED),
    ([1, "a"], ValueError, MIXED),
    (["a", 1], ValueError, MIXED),
    ([1, 1j], ValueError, MIXED),
    ([1.5, np.True_], ValueError, MIXED),
    ([1, [2]], ValueError, MIXED),
    ([[1], 2], ValueError, RAGGED),
    ([[1, 2], [3]], ValueError, RAGGED),
    ([[[1]], [[2], [3]]], ValueError, RAGGED),
    ([np.ones(2), np.ones(3)], ValueError, RAGGED),
    (2**63, ValueError, RANGE),
    ([-(2**63) - 1], ValueError, RANGE),
    (10**400, ValueError, RANGE),
    ([np.uint64(2**63)], ValueError, RANGE),
    ([1.0, 10**400], ValueError, "out of range for a double"),
    (1e39, ValueError, "out of range"),
    ("\ud800", ValueError, "unicode"),
    (object(), ValueError, UNSUPPORTED),
    ({"a": 1}, ValueError, UNSUPPORTED),
    ({1, 2}, ValueError, UNSUPPORTED),
    ((i for i in range(3)), ValueError, UNSUPPORTED),
    (int, ValueError, UNSUPPORTED),
    (np.array([1, 2], object), ValueError, "Unsupported object type int"),
    (np.array([None]), ValueError, "Unsupported object type NoneType"),
    (np.array(["2020-01-01"], "datetime64[D]"), ValueError, "NPY_DATETIME"),
    (np.zeros(2, [("a", int)]), ValueError, "Unsupported numpy data type"),
    (np.longdouble(1), ValueError, "NPY_LONGDOUBLE"),
    (tf.TensorShape([None, 2]), ValueError, r"partially known TensorShape \(None, 2\)"),
]


@pytest.mark.parametrize(("value", "error", "message"), REFUSED, ids=case_name)
def test_refused(value, error, message):
    with pytest.raises(error, match=message):
        tf.convert_to_tensor(value)


AS_DTYPE = [
    (1, "float32", 1),
    (True, "float32", 1),
    (1, "float16", 1),
    (2.5, "complex64", 2.5),
    (1, "uint8", 1),
    (300, "uint8", 44),
    (-1, "uint32", 2**32 - 1),
    (2**40, "int32", 0),
    (2**63, "uint64", 2**63),
    (2**63, "float64", 2.0**63),
    (1e40, "float32", np.inf),
    (100000.0, "bfloat16", 99840),
    (1 / 3, "float16", np.float16(np.float32(1 / 3))),
    ([1, 2.5], "float64", [1, 2.5]),
    ([], "int64", []),
    ([np.float64(2.5)], "float32", [2.5]),
    ([np.ones(2)], "float32", [[1, 1]]),
    (np.array([1.9, -1.9]), "int32", [1, -1]),
    (np.float64(2.5), "int32", 2),
    (np.array([300, -1]), "uint8", [44, 255]),
    (np.arange(3), "bool", [False, True, True]),
    (np.array(["1.5"]), "float32", [1.5]),
    (np.array([1.5], object), "float32", [1.5]),
    (tf.TensorShape([2, 3]), "int64", [2, 3]),
]


@pytest.mark.parametrize(("value", "dtype", "expected"), AS_DTYPE, ids=case_name)
def test_as_dtype(value, dtype, expected):
    check(tf.convert_to_tensor(value, dtype=dtype), dtype, expected)


NOT_AS_DTYPE = [
    (2.5, "int32", TypeError, "Cannot convert 2.5 to EagerTensor of dtype int32"),
    (2.0, "int64", TypeError, "Cannot convert 2.0 to EagerTensor of dtype int64"),
    ([1, 2.5], "int32", TypeError, r"Cannot convert \[1, 2.5\] to EagerTensor of dtype int32"),
    ([np.float64(2.5)], "int32", TypeError, "EagerTensor of dtype int32"),
    ("a", "float32", TypeError, "Cannot convert 'a' to EagerTensor of dtype float"),
    (1j, "float64", TypeError, "EagerTensor of dtype double"),
    (1, "bool", TypeError, "Cannot convert 1 to EagerTensor of dtype bool"),
    (1, "string", TypeError, "Cannot convert 1 to EagerTensor of dtype string"),
    (True, "uint8", TypeError, "EagerTensor of dtype uint8"),
    (True, "complex64", TypeError, "EagerTensor of dtype complex64"),
    ([np.True_], "float32", TypeError, "EagerTensor of dtype float"),
    (1e300, "int32", TypeError, "EagerTensor of dtype int32"),
    (-1, "uint64", ValueError, RANGE),
    (2**63, "int64", ValueError, RANGE),
    (None, "float32", ValueError, UNSUPPORTED),
    ([1, None], "float32", ValueError, MIXED),
    ([[1], [1, 2]], "float32", ValueError, RAGGED),
    (np.arange(2), "string", ValueError, "Unsupported object type int"),
    (np.array(["x"]), "float32", ValueError, "could not convert string"),
    (tf.TensorShape([1]), "float32", TypeError, "Cannot convert TensorShape"),
]


@pytest.mark.parametrize(("value", "dtype", "error", "message"), NOT_AS_DTYPE, ids=case_name)
def test_not_as_dtype(value, dtype, error, message):
    with pytest.raises(error, match=message):
        tf.convert_to_tensor(value, dtype=dtype)


HINTS = [
    (1, "float32", "float32"),
    (2.5, "int32", "float32"),
    (2.5, "float64", "float64"),
    (True, "uint8", "bool"),
    (300, "uint8", "uint8"),
    (1j, "float32", "complex128"),
    ("a", "float32", "string"),
    (np.arange(2), "float32", "float32"),
    (np.ones(2), "int32", "int32"),
    ([np.ones(2)], "int32", "float64"),
    (np.ones(2), "string", "float64"),
    (np.array(["a"]), "float32", "string"),
    (1e39, "float32", "float32"),
]


@pytest.mark.parametrize(("value", "hint", "dtype"), HINTS, ids=case_name)
def test_hint(value, hint, dtype):
    assert tf.convert_to_tensor(value, dtype_hint=hint).dtype == dtype


def test_tensor_of_another_dtype():
    with pytest.raises(
        ValueError,
        match="Tensor conversion requested dtype float32 for Tensor with dtype int32: <",
    ):
        tf.convert_to_tensor(tf.constant(1), dtype=tf.float32)


def test_tensor_is_shared():
    x = tf.constant([1.0, 2.0])
    assert tf.convert_to_tensor(x).numpy().tolist() == [1, 2]
    assert tf.convert_to_tensor(x, dtype_hint=tf.int32).dtype == tf.float32


PACKED = [
    (lambda c: [c(1.0), 2.5], "float32", [1, 2.5]),
    (lambda c: [1, c(2.0)], "float32", [1, 2]),
    (lambda c: [[c(1.0), 2.0], [3.0, 4.0]], "float32", [[1, 2], [3, 4]]),
    (lambda c: [[1, 2], c([3, 4])], "int32", [[1, 2], [3, 4]]),
    (lambda c: [c(1.0), np.float64(2)], "float32", [1, 2]),
    (lambda c: [c([1.0, 2.0]), OfArray(np.array([3.0, 4.0]))], "float32", [[1, 2], [3, 4]]),
    (lambda c: (c("a"), "b"), "string", [b"a", b"b"]),
]


@pytest.mark.parametrize(("make", "dtype", "expected"), PACKED)
def test_lists_of_tensors_are_packed(make, dtype, expected):
    check(tf.convert_to_tensor(make(tf.constant)), dtype, expected)


def test_lists_of_tensors_refused():
    with pytest.raises(TypeError, match="Cannot convert 2.5 to EagerTensor of dtype int32"):
        tf.convert_to_tensor([2.5, tf.constant(1)])
    with pytest.raises(TypeError, match=r"Cannot convert \[1.0, 2.0\] to EagerTensor"):
        tf.convert_to_tensor([[1.0, 2.0], tf.constant([3, 4])])
    with pytest.raises(tf.errors.InvalidArgumentError, match="was expected to be"):
        tf.convert_to_tensor([tf.constant(1.0), tf.constant(2)])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Shapes of all inputs must match"):
        tf.convert_to_tensor([tf.constant([1.0]), tf.constant([1.0, 2.0])])
    with pytest.raises(ValueError, match=UNSUPPORTED):
        tf.convert_to_tensor([tf.constant(1), None])


def test_array_protocol_errors():
    with pytest.raises(RuntimeError, match="boom"):
        tf.convert_to_tensor(OfArray(RuntimeError("boom")))
    with pytest.raises(RuntimeError, match="boom"):
        tf.convert_to_tensor([1.0, OfArray(RuntimeError("boom"))])
    with pytest.raises(ValueError, match="array"):
        tf.convert_to_tensor(OfArray(3))


def test_hostile_sequences():
    recursive = []
    recursive.append(recursive)
    with pytest.raises(RecursionError):
        tf.convert_to_tensor(recursive)
    sideways = [1.0]
    sideways.append(sideways)
    with pytest.raises(ValueError, match=MIXED):
        tf.convert_to_tensor(sideways)
    deep = 1.0
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises((RecursionError, ValueError)):
        tf.convert_to_tensor(deep)
    while isinstance(deep, list):  # freeing it in one go would recurse
        deep = deep.pop()
    with pytest.raises(IndexError):
        tf.convert_to_tensor(Countdown(2, claimed=2**60))
    shared = [0.0] * 1000
    for _ in range(5):
        shared = [shared] * 1000
    with pytest.raises((tf.errors.ResourceExhaustedError, tf.errors.InvalidArgumentError)):
        tf.convert_to_tensor(shared)


def test_sequence_that_changes_while_it_is_read():
    values = [1.0, 2.0]

    class Shrinks:
        def __array__(self, dtype=None, copy=None):
            values.clear()
            gc.collect()
            return np.array(3.0)

    values.append(Shrinks())
    assert tf.convert_to_tensor(values).numpy().tolist() == [1, 2, 3]
    assert values == []


def test_references_are_given_back():
    # Objects of this test alone: other code holds references to constants and interned strings.
    text = "".join(["a", "text"])
    values = [object(), float("1.25"), text, np.float64(1), np.ones(3), [1, 2], (1.5,)]
    before = [sys.getrefcount(value) for value in values]
    for _ in range(50):
        for value in values:
            for dtype in (None, "float32", "string"):
                for make in (lambda v: v, lambda v: [v, v], lambda v: [[v], [v]]):
                    with contextlib.suppress(TypeError, ValueError):
                        tf.convert_to_tensor(make(value), dtype=dtype)
    del value
    assert [sys.getrefcount(value) for value in values] == before


NUMBERS = {
    "float32": st.floats(width=32),
    "float64": st.floats(),
    "int32": st.integers(-(2**31), 2**31 - 1),
    "int64": st.integers(-(2**63), 2**63 - 1),
    "uint64": st.integers(0, 2**64 - 1),
    "bool": st.booleans(),
    "complex128": st.complex_numbers(),
}


@pytest.mark.parametrize("dtype", NUMBERS)
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_nested_lists_equal_numpy(dtype, data):
    shape = data.draw(st.lists(st.integers(1, 4), max_size=4))
    count = int(np.prod(shape))
    values = data.draw(st.lists(NUMBERS[dtype], min_size=count, max_size=count))
    expected = np.array(values, dtype).reshape(shape)
    tensor = tf.convert_to_tensor(expected.tolist(), dtype=dtype)
    np.testing.assert_array_equal(tensor.numpy(), expected)
    assert tuple(tensor.shape) == tuple(shape)


def test_million_numbers():
    values = np.random.default_rng(0).random(1_000_000)
    np.testing.assert_array_equal(tf.constant(values.tolist()).numpy(), values.astype(np.float32))
    rows = values.reshape(1000, 1000).tolist()
    np.testing.assert_array_equal(tf.constant(rows, tf.float64).numpy(), values.reshape(1000, 1000))


# --- arguments that are not tensors -----------------------------------------------------------


class Index:
    def __index__(self):
        return 2


@pytest.mark.parametrize(
    "shape",
    [
        [2, 3],
        (2, 3),
        np.array([2, 3]),
        np.array([2.0, 3.0]),
        [np.int64(2), 3],
        lambda: tf.constant([2, 3]),
        lambda: [tf.constant(2), 3],
        lambda: tf.TensorShape([2, 3]),
        range(2, 4),
        [Index(), 3],
    ],
    ids=case_name,
)
def test_shape_arguments(shape):
    shape = shape() if callable(shape) else shape
    assert tuple(tf.zeros(shape).shape) == (2, 3)


def test_shapes_are_no_floats():
    with pytest.raises(TypeError, match="2.0, 3.5"):
        tf.zeros([2.0, 3.5])
    with pytest.raises(tf.errors.InvalidArgumentError, match="shape.*float.*Reshape"):
        tf.reshape(tf.range(6), [2.0, 3.0])


@pytest.mark.parametrize(
    ("shape", "error"),
    [
        ([1.5], TypeError),
        ("a", TypeError),
        (["a"], TypeError),
        (None, ValueError),
        ([None, 1], ValueError),
        (2**70, ValueError),
        ([object()], ValueError),
        (tf.TensorShape([None]), ValueError),
        ([[1, 2]], tf.errors.InvalidArgumentError),
        ([-1], tf.errors.InvalidArgumentError),
        ([2**62, 4], tf.errors.InvalidArgumentError),
        (lambda: tf.constant([2.0]), tf.errors.InvalidArgumentError),
    ],
    ids=case_name,
)
def test_bad_shape_arguments(shape, error):
    with pytest.raises(error):
        tf.zeros(shape() if callable(shape) else shape)


@pytest.mark.parametrize(
    "axis", [2, -1, np.int64(2), [2], (2,), np.array([2]), Index()], ids=case_name
)
def test_axis_arguments(axis):
    assert tuple(tf.reduce_sum(tf.ones([4, 3, 2]), axis).shape) == (4, 3)


def test_tensor_as_axis():
    x = tf.ones([4, 3])
    assert tuple(tf.reduce_sum(x, tf.constant(1)).shape) == (4,)
    assert tuple(tf.reduce_sum(x, tf.constant([0, 1], tf.int64)).shape) == ()
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.reduce_sum(x, tf.constant(1.0))
    with pytest.raises(TypeError):
        tf.reduce_sum(x, 1.0)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (np.float32, "float32"),
        (np.dtype("int64"), "int64"),
        (np.dtype(">i4"), "int32"),
        (np.bool_, "bool"),
        (np.str_, "string"),
        (object, "string"),
        (float, "float32"),
        (bool, "bool"),
        ("half", "float16"),
        ("double", "float64"),
        ("string", "string"),
        (ml_dtypes.bfloat16, "bfloat16"),
        (1, "float32"),
    ],
    ids=case_name,
)
def test_dtype_arguments(value, name):
    assert tf.cast(tf.constant([1]), value).dtype == name if name != "string" else True
    assert tf.as_dtype(value) == name


@pytest.mark.parametrize("value", ["foo", np.floating, np.generic, bytes, 99, b"float32", []])
def test_bad_dtype_arguments(value):
    with pytest.raises(TypeError, match="Cannot convert the argument `type_value`"):
        tf.cast(tf.constant([1]), value)
