"""Composed functions of corresponding elements work on the elements of ragged tensors."""

import operator

import numpy as np
import pytest

import eagerflow as tf

NUMBERS = tf.ragged.constant([[0.5, 0.2, 0.9], [0.1], [], [0.3, 0.7]])
TEXTS = tf.ragged.constant([["a1", "B"], [], ["cc"]])
SPECIAL = (
    "bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_y0 bessel_y1 dawsn "
    "expint fresnel_cos fresnel_sin spence"
).split()
FUNCTIONS = {
    **{name: getattr(tf.math.special, name) for name in SPECIAL},
    **{
        name: getattr(tf.math, name)
        for name in "bessel_i0 bessel_i0e bessel_i1 bessel_i1e ndtri erfcinv rint angle".split()
    },
    "scalar_mul": lambda x: tf.math.scalar_mul(2.0, x),
    "cast": lambda x: tf.cast(x, tf.float64),
    "clip_by_value": lambda x: tf.clip_by_value(x, 0.2, 0.5),
    "log_sigmoid": tf.math.log_sigmoid,
    "reciprocal_no_nan": tf.math.reciprocal_no_nan,
    "adjust_brightness": lambda x: tf.image.adjust_brightness(x, 0.1),
    "adjust_gamma": lambda x: tf.image.adjust_gamma(x, 2.0),
    "convert_image_dtype": lambda x: tf.image.convert_image_dtype(x, tf.uint8),
    "stateless_random_brightness": lambda x: tf.image.stateless_random_brightness(x, 0.1, [1, 2]),
    "check_numerics": lambda x: tf.debugging.check_numerics(x, "bad"),
    "as_string": lambda x: tf.strings.as_string(x, precision=2),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_element_is_what_it_is_in_a_dense_tensor(name):
    function = FUNCTIONS[name]
    result = function(NUMBERS)
    assert isinstance(result, tf.RaggedTensor)
    assert result.row_splits.numpy().tolist() == [0, 3, 4, 4, 6]
    expected = function(NUMBERS.flat_values)
    assert result.dtype is expected.dtype
    np.testing.assert_array_equal(result.flat_values.numpy(), expected.numpy())


@pytest.mark.parametrize("function", [tf.math.zeta, tf.math.igamma, tf.math.nextafter])
def test_two_arguments_are_aligned(function):
    both = function(NUMBERS + 2.0, NUMBERS)
    flat = NUMBERS.flat_values
    np.testing.assert_array_equal(both.flat_values.numpy(), function(flat + 2.0, flat).numpy())
    one = function(NUMBERS + 2.0, 0.5)
    np.testing.assert_array_equal(one.flat_values.numpy(), function(flat + 2.0, 0.5).numpy())


def test_parts_of_strings():
    assert tf.strings.substr(TEXTS, 0, 1).to_list() == [[b"a", b"B"], [], [b"c"]]
    places = tf.ragged.constant([[1, 0], [], [1]])
    ones = tf.ones_like(places)
    assert tf.strings.substr(TEXTS, places, ones).to_list() == [[b"1", b"B"], [], [b"c"]]


def test_base64():
    encoded = tf.io.encode_base64(TEXTS)
    assert encoded.to_list() == [[b"YTE", b"Qg"], [], [b"Y2M"]]
    assert tf.io.decode_base64(encoded).to_list() == TEXTS.to_list()


def test_cross_entropy_of_logits():
    loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=NUMBERS, logits=NUMBERS)
    expected = tf.nn.sigmoid_cross_entropy_with_logits(NUMBERS.flat_values, NUMBERS.flat_values)
    np.testing.assert_array_equal(loss.flat_values.numpy(), expected.numpy())


def test_means_of_segments():
    ids = tf.ragged.constant([[0, 1, 1], [0], [], [1, 0]])
    mean = tf.math.unsorted_segment_mean(NUMBERS, ids, 2)
    np.testing.assert_allclose(mean.numpy(), [1.3 / 3, 1.4 / 3], rtol=1e-6)
    root = tf.math.unsorted_segment_sqrt_n(NUMBERS, ids, 2)
    np.testing.assert_allclose(root.numpy(), [1.3 / 3**0.5, 1.4 / 3**0.5], rtol=1e-6)
    product = tf.math.unsorted_segment_prod(NUMBERS, ids, 2)
    np.testing.assert_allclose(product.numpy(), [0.035, 0.054], rtol=1e-6)


def test_texts_of_ragged_tensors_in_a_template():
    numbers = tf.ragged.constant([[3, 1], [], [2]])
    assert tf.strings.format("x {}", numbers).numpy() == b"x [[3, 1], [], [2]]"


def test_combined_rows_of_ragged_numbers():
    table = tf.reshape(tf.range(8.0), [4, 2])
    ids = tf.ragged.constant([[1, 3], [], [2]], dtype=tf.int64)
    rows = tf.nn.safe_embedding_lookup_sparse(table, ids)
    np.testing.assert_array_equal(rows.numpy(), [[4, 5], [0, 0], [4, 5]])


def test_mapped_rows_stay_ragged():
    numbers = tf.ragged.constant([[3, 1], [], [2]])
    assert tf.map_fn(tf.math.square, numbers).to_list() == [[9, 1], [], [4]]
    assert tf.map_fn(tf.reduce_sum, numbers).numpy().tolist() == [4, 0, 2]


def test_placeholders_of_unknown_sizes_beside_ragged_rows():
    ragged = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [None] * 6)
        result = session.run(tf.math.floormod(x, ragged), {x: np.full([1] * 6, 2.5)})
    assert result.to_list() == [[[[[[0.5, 0.5], [], [2.5]]]]]]


@pytest.mark.parametrize("symbol", ["eq", "ne", "lt", "le", "gt", "ge"])
@pytest.mark.parametrize("kind", [tf.constant, tf.Variable])
def test_comparisons_with_a_dense_tensor_on_either_side(kind, symbol):
    compare = getattr(operator, symbol)
    dense, rows = kind([[1], [3]]), tf.ragged.constant([[1, 2], [3]])
    expected = [[compare(1, 1), compare(1, 2)], [compare(3, 3)]]
    assert compare(dense, rows).to_list() == expected
    mirrored = [[compare(1, 1), compare(2, 1)], [compare(3, 3)]]
    assert compare(rows, dense).to_list() == mirrored


def test_products_of_matrices_with_a_dense_tensor_on_either_side():
    dense, rows = (
        tf.constant([[1.0, 2.0], [3.0, 4.0]]),
        tf.ragged.constant([[1.0, 2.0], [3.0, 4.0]]),
    )
    expected = (dense @ dense).numpy().tolist()
    assert (dense @ rows).numpy().tolist() == expected
    assert (rows @ dense).numpy().tolist() == expected
    assert (tf.Variable(dense) @ rows).numpy().tolist() == expected


@pytest.mark.parametrize(
    "other",
    [
        None,
        "text",
        1.5,
        tf.zeros([5, 5], tf.int32),
        tf.zeros([2, 2], tf.int32),
        tf.ragged.constant([[1], [2, 3]]),
        tf.ragged.constant([[1.0, 2.0], [3.0]]),
    ],
    ids=str,
)
def test_what_cannot_be_compared_is_unequal(other):
    rows = tf.ragged.constant([[1, 2], [3]])
    assert (rows == other) is False
    assert (rows != other) is True
    if isinstance(other, tf.Tensor | tf.RaggedTensor):
        assert (other == rows) is False
        assert (other != rows) is True


def test_an_order_needs_operands_that_can_be_compared():
    rows = tf.ragged.constant([[1, 2], [3]])
    with pytest.raises(tf.errors.InvalidArgumentError):
        rows < tf.zeros([5, 5], tf.int32)  # noqa: B015


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        ([["a", "b"]], ValueError),
        ([["a"], ["b", "c"]], ValueError),
        ([[["a"]], [["b"]]], ValueError),
        ([["a", "b"], []], tf.errors.InvalidArgumentError),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "function",
    [lambda *args: tf.strings.join(args), lambda *args: tf.ragged.map_flat_values(tf.add, *args)],
    ids=["join", "map_flat_values"],
)
def test_rows_must_be_equal(function, rows, error):
    first = tf.ragged.constant([["a"], ["b"]])
    with pytest.raises(error):
        function(first, tf.ragged.constant(rows))
    assert function(first, first).to_list() == [[b"aa"], [b"bb"]]
