"""Python's index expressions on tensors, against NumPy's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eagerflow as tf
from case_names import case_name

DATA = np.arange(24, dtype=np.int32).reshape(2, 3, 4)

KEYS = [
    0,
    -1,
    slice(None),
    ...,
    None,
    (),
    (0, 1),
    (0, 1, 2),
    (-1, -1, -1),
    slice(0, 1),
    slice(None, None, -1),
    slice(-1, None, -2),
    slice(5, 10),
    slice(3, 0, -1),
    slice(-(2**40), 2**40),
    slice(2**63 - 1, None),
    slice(None, None, 2**63 - 1),
    (slice(None), slice(None, None, -1)),
    (slice(None), None, 0),
    (None, 0, None, ..., None),
    (..., None),
    (0, ...),
    (..., 0, slice(None, None, 2)),
    (0, ..., 0, 0),
    (slice(1, 0), 0),
    (None,) * 9,
    np.int64(1),
    np.int8(-1),
    np.uint64(1),
]


@pytest.mark.parametrize("key", KEYS, ids=case_name)
@pytest.mark.parametrize("taped", [False, True])
def test_like_numpy(key, taped):
    x = tf.constant(DATA)
    if taped:
        with tf.GradientTape():
            result = x[key]
    else:
        result = x[key]
    np.testing.assert_array_equal(result.numpy(), DATA[key])
    assert tuple(result.shape) == DATA[key].shape


@st.composite
def indexed(draw):
    """A shape, and a key that NumPy accepts for it."""
    shape = tuple(draw(st.lists(st.integers(0, 5), min_size=0, max_size=5)))
    bound = st.one_of(st.none(), st.integers(-7, 7))
    step = st.one_of(st.none(), st.integers(-3, 3).filter(bool))
    parts = []
    for size in shape[: draw(st.integers(0, len(shape)))]:
        options = [st.builds(slice, bound, bound, step)]
        if size:
            options.append(st.integers(-size, size - 1))
        parts.append(draw(st.one_of(options)))
    for extra in draw(st.lists(st.none(), max_size=2)):
        parts.insert(draw(st.integers(0, len(parts))), extra)
    if draw(st.booleans()):
        parts.append(...)
    key = tuple(parts)
    return shape, key[0] if len(key) == 1 and draw(st.booleans()) else key


@settings(max_examples=300, deadline=None)
@given(indexed(), st.sampled_from(["float32", "int64", "bool", "complex128", "uint8", "float16"]))
def test_random_keys(case, dtype):
    shape, key = case
    data = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    expected = data[key]
    result = tf.constant(data)[key]
    assert tuple(result.shape) == expected.shape
    np.testing.assert_array_equal(result.numpy(), expected)


def test_tensors_as_indices():
    x = tf.constant(DATA)
    one, two = tf.constant(1), tf.constant(2, tf.int64)
    np.testing.assert_array_equal(x[one].numpy(), DATA[1])
    np.testing.assert_array_equal(x[..., two].numpy(), DATA[..., 2])
    np.testing.assert_array_equal(x[0, one:two].numpy(), DATA[0, 1:2])
    np.testing.assert_array_equal(x[:: tf.constant(-1)].numpy(), DATA[::-1])
    np.testing.assert_array_equal(x[tf.constant(1, tf.int16)].numpy(), DATA[1])
    np.testing.assert_array_equal(x[0, np.array(1)].numpy(), DATA[0, 1])
    np.testing.assert_array_equal(x[tf.Variable(1)].numpy(), DATA[1])
    # A list is used like a tuple, as in TensorFlow.
    np.testing.assert_array_equal(x[[0, 1]].numpy(), DATA[0, 1])


def test_strings():
    x = tf.constant(["a", "b", "c"])
    assert x[1].numpy() == b"b"
    assert x[::-1].numpy().tolist() == [b"c", b"b", b"a"]
    assert x[tf.constant([True, False, True])].numpy().tolist() == [b"a", b"c"]


def test_boolean_masks():
    x = tf.constant(DATA)
    np.testing.assert_array_equal(x[x > 5].numpy(), DATA[DATA > 5])
    np.testing.assert_array_equal(x[np.array([True, False])].numpy(), DATA[[True, False]])
    rows = np.array([[True, False, True], [False, False, True]])
    np.testing.assert_array_equal(x[tf.constant(rows)].numpy(), DATA[rows])
    assert tuple(x[x > 99].shape) == (0,)
    with pytest.raises(ValueError, match="mask cannot be scalar"):
        x[True]
    with pytest.raises(ValueError, match="mask cannot be scalar"):
        x[tf.constant(False)]
    with pytest.raises(ValueError, match=r"Shapes \(2,\) and \(3,\) are incompatible"):
        x[tf.constant([True, False, True])]


NOT_AN_INDEX = [
    1.0,
    np.float32(1),
    "a",
    1j,
    object(),
    np.bool_(True),
    slice(0.5, 2),
    slice("a", None),
    lambda: tf.constant(1.0),
    lambda: tf.constant(1, tf.uint8),
    lambda: slice(tf.constant([1]), None),
    np.array([0.0, 1.0]),
    (0, ["a"]),
    lambda: (tf.constant([1.0, 0.0]), 0),
]


@pytest.mark.parametrize("key", NOT_AN_INDEX, ids=case_name)
def test_not_an_index(key):
    with pytest.raises(TypeError, match="Only integers, slices .* are valid indices"):
        tf.constant(DATA)[key() if callable(key) else key]


@pytest.mark.parametrize("taped", [False, True])
@pytest.mark.parametrize(
    ("key", "message"),
    [
        (2, "slice index 2 of dimension 0 out of bounds"),
        (-3, "slice index -1 of dimension 0 out of bounds"),
        (2**40, "slice index 1099511627776 of dimension 0 out of bounds"),
        ((0, 3), "slice index 3 of dimension 1 out of bounds"),
        ((0, 1, 2, 3), "Index out of range using input dim 3; input has only 3 dims"),
        ((0, 0, 0, ..., 0), "Index out of range using input dim 3; input has only 3 dims"),
        ((..., ...), "Multiple ellipses"),
        (slice(None, None, 0), r"strides\[0\] must be non-zero"),
        ([True, 0], "bool"),
        (slice(True, 2), "bool"),
    ],
    ids=case_name,
)
def test_invalid(key, message, taped):
    x = tf.constant(DATA)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        if taped:
            with tf.GradientTape():
                x[key]
        else:
            x[key]


def test_scalar_cannot_be_sliced():
    for key in (0, slice(None), (0, ...), (None, 0)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Attempting to slice scalar"):
            tf.constant(3)[key]
    assert tuple(tf.constant(3)[...].shape) == ()
    assert tuple(tf.constant(3)[None].shape) == (1,)


def test_huge_integers():
    for key in (2**70, slice(0, 2**70), (0, -(2**70))):
        with pytest.raises(ValueError, match="out-of-range integer"):
            tf.constant(DATA)[key]
    for key in (2**63 - 1, -(2**63)):
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
            tf.constant(DATA)[key]


def test_index_that_changes_the_list():
    class Clears:
        def __index__(self):
            key.clear()
            return 0

    key = [Clears(), 1, 2]
    np.testing.assert_array_equal(tf.constant(DATA)[key].numpy(), DATA[0, 1, 2])


def test_views_are_independent_values():
    x = tf.constant(DATA)
    row = x[0]
    del x
    np.testing.assert_array_equal(row.numpy(), DATA[0])
    np.testing.assert_array_equal(row[1][2:].numpy(), DATA[0, 1, 2:])


@pytest.mark.parametrize(
    "key",
    [0, (0, 1), slice(1, None), slice(None, None, -1), (..., 1), (slice(None), None, 0)],
    ids=case_name,
)
def test_gradients(key):
    x = tf.constant(DATA, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x[key] * 3.0
    expected = np.zeros(DATA.shape, np.float32)
    expected[key] = 3
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), expected)


def test_gradient_of_mask():
    x = tf.constant(DATA, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x[x > 5.0]
    gradient = tf.convert_to_tensor(tape.gradient(y, x))
    np.testing.assert_array_equal(gradient.numpy(), (DATA > 5).astype(np.float32))


def test_gradient_of_packed_list():
    a, b = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = tf.convert_to_tensor([a, [b][0], 1.0]) * tf.constant([1.0, 2.0, 3.0])
    assert [g.numpy() for g in tape.gradient(y, [a, b])] == [1, 2]


def test_bounds_of_unknown_size_are_left_out():
    unknown = tf.compat.v1.Dimension(None)
    x = tf.constant([1, 2, 3])
    assert x[unknown:unknown:unknown].numpy().tolist() == [1, 2, 3]
    assert x[tf.compat.v1.Dimension(1) : unknown].numpy().tolist() == [2, 3]
    with pytest.raises(TypeError):
        x[unknown]
