"""keras.ops.nanquantile and its relatives, in corners and in graphs."""

import numpy as np
import pytest

import eagerflow as tf

ops = tf.keras.ops
NAN = float("nan")
X = np.array([[1, NAN, 3], [NAN, NAN, NAN], [7, 5, NAN]], "float32")


def test_rows_without_numbers_are_nan():
    np.testing.assert_allclose(ops.nanmedian(X, 1), [2, NAN, 6])
    np.testing.assert_allclose(ops.nanmedian(X[1]), NAN)
    q = [[0.1, 0.5], [0.9, 1.0]]
    expected = np.stack([[1.2, 2, 2.8, 3], [NAN] * 4, [5.2, 6, 6.8, 7]], -1).reshape(2, 2, 3)
    np.testing.assert_allclose(ops.nanquantile(X, q, 1), expected, rtol=1e-6)
    np.testing.assert_allclose(ops.nanpercentile(X, 100 * np.array(q), 1), expected, rtol=1e-6)
    assert ops.nanquantile(X, q, 1, keepdims=True).shape == (2, 2, 3, 1)
    assert ops.quantile(X, q, 1).shape == (2, 2, 3)


def test_integers_and_booleans_become_floating():
    assert ops.nanmedian([True, False, True]).dtype == tf.float32
    assert float(ops.nanmedian(np.array([1, 2, 4, 9]))) == 3.0
    assert ops.nanmedian(tf.constant([1.0, NAN], tf.float16)).dtype == tf.float16


def test_infinite_elements_are_no_distance_from_themselves():
    for function in (ops.median, ops.nanmedian):
        assert float(function([1.0, np.inf, np.inf])) == np.inf
        assert float(function([1.0, 2.0, np.inf])) == 2.0


def test_graphs_of_unknown_sizes():
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
    def quantiles(x):
        return ops.nanquantile(x, [0.2, 0.7], axis=1), ops.quantile(x, 0.4), ops.nanmedian(x)

    for x in (X, X[:1, :2]):
        eager = ops.nanquantile(x, [0.2, 0.7], axis=1), ops.quantile(x, 0.4), ops.nanmedian(x)
        for got, want in zip(quantiles(x), eager, strict=True):
            np.testing.assert_allclose(got, want)


def test_gradients_reach_only_numbers():
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(ops.nanmedian(x, 1)[::2])
    assert tape.gradient(total, x).numpy().tolist() == [[0.5, 0, 0.5], [0, 0, 0], [0.5, 0.5, 0]]


def test_other_methods_are_refused():
    with pytest.raises(ValueError, match="method"):
        ops.nanquantile(X, 0.5, method="cubic")


def test_places_where_all_is_nan():
    x = np.array([[np.nan, 2.0, 1.0], [np.nan] * 3], np.float32)
    assert ops.nanargmax(x, axis=1).numpy().tolist() == [1, -1]
    assert ops.nanargmin(x, axis=1, keepdims=True).numpy().tolist() == [[2], [-1]]
    assert ops.nanargmax(x[1]).numpy() == -1 and ops.nanargmin(x).numpy() == 2
