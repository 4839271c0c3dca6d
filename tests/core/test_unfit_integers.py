"""Python integers that a dtype cannot hold: comparisons and limits use their values, and stored
values wrap, as in TensorFlow, with a warning."""

from __future__ import annotations

import itertools
import operator
import warnings

import numpy as np
import pytest

import eagerflow as tf

DTYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
COMPARISONS = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}


def unfit(dtype):
    info = np.iinfo(dtype)
    low, high = int(info.min), int(info.max)
    return [high + 1, low - 1, high + 300, -(2**40) + low, 2**40 + high, 2**70, -(2**70)]


@pytest.fixture(autouse=True)
def raises_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        yield


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_see_values(dtype, name):
    compare, function = COMPARISONS[name], getattr(tf, name)
    info = np.iinfo(dtype)
    numbers = [info.min, 0, 44, info.max]
    x = tf.constant(numbers, dtype)
    v = tf.Variable(x)

    def check(other):
        right = [compare(int(n), other) for n in numbers]
        left = [compare(other, int(n)) for n in numbers]
        for call in (lambda f: f, tf.function):
            assert call(lambda x: compare(x, other))(x).numpy().tolist() == right
            assert call(lambda x: compare(other, x))(x).numpy().tolist() == left
            assert call(lambda x: function(x, other))(x).numpy().tolist() == right
            assert call(lambda x: function(other, x))(x).numpy().tolist() == left
            several = call(lambda x: function(x, [[other], [44]]))(x).numpy().tolist()
            assert several == [right, [compare(int(n), 44) for n in numbers]]
        assert compare(v, other).numpy().tolist() == right
        assert function(v, other).numpy().tolist() == right
        assert (
            compare(tf.ragged.constant([numbers], dtype=dtype), other).flat_values.numpy().tolist()
            == right
        )
        if -(2**63) <= other < 2**63:
            assert compare(x, np.int64(other)).numpy().tolist() == right
            assert function(x, np.array(other)).numpy().tolist() == right

    for other in unfit(dtype):
        check(other)


def test_comparisons_keep_their_shapes():
    x = tf.constant([[1, 2, 3]], tf.uint8)
    assert (x == 300).shape == [1, 3]
    assert (x < [[300], [2]]).numpy().tolist() == [[True] * 3, [True, False, False]]
    assert not (x == [300, 1])  # shapes that do not broadcast
    assert x != [300, 1]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.less(x, [300, 1])
    unknown = tf.function(lambda x: (x < 300, x == 300), [tf.TensorSpec(None, tf.uint8)])
    assert [r.numpy().tolist() for r in unknown(x)] == [[[True] * 3], [[False] * 3]]


def test_other_comparisons():
    x = tf.constant([1, 44], tf.uint8)
    assert tf.keras.backend.equal(x, 300).numpy().tolist() == [False, False]
    assert tf.keras.backend.less(x, 300).numpy().tolist() == [True, True]
    assert tf.compat.v1.equal(x, 300).numpy().tolist() == [False, False]
    assert tf.reduce_any(tf.less(1, 2**40))
    with pytest.raises(TypeError):
        tf.constant(True) == 300  # noqa: B015
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.debugging.assert_equal(x, 300)


@pytest.mark.parametrize("dtype", DTYPES)
def test_limits_saturate(dtype):
    info = np.iinfo(dtype)
    low, high = int(info.min), int(info.max)
    numbers = [low, 0, 5, high]
    x = tf.constant(numbers, dtype)
    for call in (lambda f: f, tf.function):
        assert call(lambda x: tf.clip_by_value(x, 0, high + 1))(x).numpy().tolist() == [
            0,
            0,
            5,
            high,
        ]
        assert call(lambda x: tf.clip_by_value(x, low - 1, 5))(x).numpy().tolist() == [low, 0, 5, 5]
        assert (
            call(lambda x: tf.clip_by_value(x, low - 2**70, 2**70))(x).numpy().tolist() == numbers
        )
        assert call(lambda x: tf.clip_by_value(x, 2**70, 2**71))(x).numpy().tolist() == [high] * 4
        assert call(lambda x: tf.minimum(x, high + 1))(x).numpy().tolist() == numbers
        assert call(lambda x: tf.maximum(low - 1, x))(x).numpy().tolist() == numbers
        assert call(lambda x: tf.keras.backend.clip(x, 0, 2**70))(x).numpy().tolist() == [
            0,
            0,
            5,
            high,
        ]
    assert tf.clip_by_value(5, 0, 2**40).numpy() == 5


def stored():
    x, v = tf.constant(1), tf.Variable(1)
    u = tf.constant([1, 2], tf.uint8)
    return {
        "constant": (lambda: tf.constant(300, tf.uint8), 44),
        "negative": (lambda: tf.constant(-1, tf.uint8), 255),
        "list": (lambda: tf.constant([1, 300], tf.uint8), [1, 44]),
        "nested list": (lambda: tf.constant([[1], [-(2**31) - 1]], tf.int32), [[1], [2**31 - 1]]),
        "wide": (lambda: tf.constant(2**40, tf.int32), 0),
        "scalar of NumPy's": (lambda: tf.constant(np.int64(300), tf.uint8), 44),
        "in a list": (lambda: tf.constant([np.int64(300)], tf.uint8), [44]),
        "convert_to_tensor": (lambda: tf.convert_to_tensor(300, tf.uint8), 44),
        "hint": (lambda: tf.convert_to_tensor(300, dtype_hint=tf.uint8), 44),
        "add": (lambda: x + 2**40, 1),
        "radd": (lambda: 2**40 + x, 1),
        "add of NumPy's": (lambda: x + np.int64(2**40), 1),
        "function": (lambda: tf.add(x, 2**40), 1),
        "multiply": (lambda: u * 300, [44, 88]),
        "and": (lambda: x & 0xFFFFFFFF, 1),
        "bitwise_and": (lambda: tf.bitwise.bitwise_and(x, 0xFFFFFFFF), 1),
        "in a function": (lambda: tf.function(lambda x: x + 2**40)(x), 1),
        "constant in a function": (lambda: tf.function(lambda: tf.constant(300, tf.uint8))(), 44),
        "variable": (lambda: tf.Variable(300, dtype=tf.uint8), 44),
        "assign": (lambda: tf.Variable(1).assign(2**40), 0),
        "assign_add": (lambda: tf.Variable(1).assign_add(2**40), 1),
        "with a variable": (lambda: v + 2**40, 1),
        "where": (lambda: tf.where([True], 2**40, x), [0]),
        "maximum": (lambda: tf.maximum(x, 2**40), 1),
        "minimum": (lambda: tf.minimum(x, -(2**40)), 0),
        "stack": (lambda: tf.stack([x, 2**40]), [1, 0]),
        "concat": (lambda: tf.concat([[x], [2**40]], 0), [1, 0]),
        "cast": (lambda: tf.cast(300, tf.uint8), 44),
        "cast of a list": (lambda: tf.cast([1, 300], tf.uint8), [1, 44]),
        "one_hot": (lambda: tf.one_hot([0], 2, 300, 0, dtype=tf.uint8), [[44, 0]]),
        "ragged": (lambda: tf.ragged.constant([[300]], dtype=tf.uint8).flat_values, [44]),
        "pad": (lambda: tf.pad(u, [[0, 1]], constant_values=300), [1, 2, 44]),
        "full": (lambda: tf.experimental.numpy.full([1], 300, np.uint8), [44]),
        "full_like": (lambda: tf.experimental.numpy.full_like(u, 300), [44, 44]),
        "initializer": (lambda: tf.constant_initializer(300)([1], tf.uint8), [44]),
        "backend": (lambda: tf.keras.backend.constant(300, dtype="uint8"), 44),
        "scatter": (lambda: tf.tensor_scatter_nd_update(u, [[0]], [300]), [44, 2]),
        "int4": (lambda: tf.cast(tf.constant(9, tf.dtypes.experimental.int4), tf.int32), -7),
    }


@pytest.mark.parametrize("name", stored())
def test_stored_integers_wrap_with_a_warning(name):
    call, expected = stored()[name]
    with pytest.raises(RuntimeWarning, match="out of range for (u?int[0-9]+), which holds"):
        call()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = call()
    assert np.asarray(result).tolist() == expected
    assert [w.category for w in seen] == [RuntimeWarning]
    assert seen[0].filename == __file__


def test_the_message_names_the_integer_and_the_range():
    with pytest.raises(RuntimeWarning, match=r"300 .*uint8.* 0 to 255: it becomes 44"):
        tf.constant([1, 300, 7, 400], tf.uint8)


def test_one_warning_for_a_line():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for _ in range(5):
            tf.constant(300, tf.uint8)
        tf.constant(300, tf.uint8)
    assert len(seen) == 2


def test_what_fits_warns_of_nothing():
    for dtype in DTYPES:
        info = np.iinfo(dtype)
        low, high = int(info.min), int(info.max)
        x = tf.constant([low, high], dtype)
        assert x.numpy().tolist() == [low, high]
        assert (x == [low, high]).numpy().all()
        assert tf.cast([low, high], dtype).numpy().tolist() == [low, high]
        assert (x + 0 == x).numpy().all()
    assert tf.constant(np.array([300]), tf.uint8).numpy() == [44]  # as NumPy's astype
    assert tf.cast(tf.constant(300), tf.uint8).numpy() == 44


def test_integers_beyond_64_bits_are_refused():
    for dtype, number in itertools.product(DTYPES, (2**70, -(2**70))):
        with pytest.raises(ValueError, match="out-of-range integer"):
            tf.constant(number, dtype)
        with pytest.raises(ValueError):
            tf.constant(1, dtype) + number


def test_sums_of_several_dtypes_are_refused():
    x = tf.constant(1)
    for items in ([x, 2**40], [2**40, x], [tf.constant(1, tf.int64), 1], [tf.constant(1.0), 1]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.add_n(items)
        with pytest.raises(TypeError):
            tf.function(lambda items=items: tf.add_n(items))()
    assert tf.add_n([x, 2]).numpy() == 3
