"""Pooling with places, classes among the largest, fake quantization, and convolutions of doubles."""

import numpy as np
import pytest

import eagerflow as tf


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32"])
def test_places_of_the_largest(padding, dtype):
    x = np.random.RandomState(0).permutation(2 * 5 * 7 * 3).reshape(2, 5, 7, 3).astype(dtype)
    output, places = tf.nn.max_pool_with_argmax(
        x, (2, 3), (2, 1), padding, include_batch_in_index=True
    )
    assert output.dtype == dtype and places.dtype == tf.int64
    np.testing.assert_array_equal(output, x.reshape(-1)[places.numpy()])
    if dtype != "int32":
        np.testing.assert_array_equal(output, tf.nn.max_pool2d(x, (2, 3), (2, 1), padding))
    single = tf.nn.max_pool_with_argmax(x, (2, 3), (2, 1), padding, output_dtype=tf.int32).argmax
    assert single.dtype == tf.int32
    np.testing.assert_array_equal(single, places.numpy() % (5 * 7 * 3))


def test_places_among_equals_and_nan():
    x = np.array([1.0, 1.0, np.nan, 0.0], "float32").reshape(1, 1, 4, 1)
    output, places = tf.nn.max_pool_with_argmax(x, (1, 2), (1, 2), "VALID")
    assert output.numpy().reshape(-1).tolist() == [1, 0]
    assert places.numpy().reshape(-1).tolist() == [0, 3]
    nothing = tf.nn.max_pool_with_argmax(tf.zeros([0, 4, 4, 1]), 2, 2, "VALID")
    assert nothing.output.shape == (0, 2, 2, 1)


def test_gradients_of_pooling_with_places():
    x = np.random.RandomState(0).permutation(4 * 5 * 2).reshape(1, 4, 5, 2).astype("float64")
    weights = np.random.RandomState(1).randn(1, 3, 4, 2)

    def loss(x):
        return tf.reduce_sum(tf.nn.max_pool_with_argmax(x, 2, 1, "VALID").output ** 2 * weights)

    for theoretical, numerical in zip(*tf.test.compute_gradient(loss, [x]), strict=True):
        np.testing.assert_allclose(theoretical, numerical, rtol=1e-6, atol=1e-5)
    x = tf.constant(x)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = loss(x)
        first = inner.gradient(y, x)
    second = outer.gradient(first, x)
    np.testing.assert_allclose(tf.reduce_sum(second), 2 * weights.sum(), rtol=1e-9)


def test_in_top_k_against_sorting():
    random = np.random.RandomState(0)
    scores = random.permutation(300 * 50).reshape(300, 50).astype("float32")
    targets = random.randint(-1, 52, 300)
    for k in (1, 3, 50):
        ranks = (-scores).argsort(axis=1).argsort(axis=1)
        known = (targets >= 0) & (targets < 50)
        expected = known & (ranks[np.arange(300), np.where(known, targets, 0)] < k)
        np.testing.assert_array_equal(tf.math.in_top_k(targets, scores, k), expected)


def test_in_top_k_with_ties_and_what_is_not_finite():
    scores = [[1.0, 1.0, 0.0], [np.inf, 1.0, 0.0], [0.0, np.nan, 1.0]]
    assert tf.math.in_top_k([1, 1, 2], scores, 1).numpy().tolist() == [True, False, False]
    with pytest.raises(tf.errors.InvalidArgumentError, match="must match length of targets"):
        tf.math.in_top_k([1], scores, 1)


@pytest.mark.parametrize("shape", [(5,), (0,), (40, 3), (70_000,)])
def test_fake_quantization(shape):
    x = np.random.RandomState(0).uniform(-8, 8, shape).astype("float32")
    y = tf.quantization.fake_quant_with_min_max_vars(x, -4.0, 4.0).numpy()
    scale = np.float32(8 / 255)
    steps = y / scale
    np.testing.assert_allclose(steps, np.round(steps), atol=2e-3)
    inside = np.abs(x) < 3.9
    np.testing.assert_allclose(y[inside], x[inside], atol=scale)
    args = tf.quantization.fake_quant_with_min_max_args(x, -4.0, 4.0).numpy()
    np.testing.assert_allclose(args, y, atol=scale * 1.01)


@pytest.mark.parametrize("persistent", [False, True])
def test_gradients_of_fake_quantization(persistent):
    random = np.random.RandomState(0)
    x = tf.constant(random.uniform(-2, 2, (300, 4)).astype("float32"))
    low, high = tf.constant([-1.0, -0.5, 0.0, -1.5]), tf.constant([1.0, 1.5, 0.0, 0.5])
    weights = random.randn(300, 4).astype("float32")
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch([x, low, high])
        y = tf.quantization.fake_quant_with_min_max_vars_per_channel(x, low, high)
        if persistent:
            into, below, above = tape.gradient(y, [x, low, high], weights)
    if not persistent:
        into, below, above = tape.gradient(y, [x, low, high], weights)
    numbers = x.numpy()
    for channel, (least, most) in enumerate([(-1.0, 1.0), (-0.5, 1.5), (None, None), (-1.5, 0.5)]):
        column, weight = numbers[:, channel], weights[:, channel]
        if least is None:
            np.testing.assert_array_equal(into[:, channel], weight)
            assert float(below[channel]) == 0 and float(above[channel]) == 0
            continue
        sure = np.minimum(np.abs(column - least), np.abs(column - most)) > 0.01
        inside = (column >= least) & (column <= most)
        expected = np.where(inside, weight, 0)
        np.testing.assert_array_equal(into.numpy()[sure, channel], expected[sure])
        np.testing.assert_allclose(float(below[channel]), weight[column < least].sum(), atol=2.0)


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("strides, dilations", [(1, 1), (2, 1), (1, 2)])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_convolutions_of_doubles(groups, strides, dilations, padding):
    random = np.random.RandomState(0)
    x, filters = random.randn(3, 7, 8, 4), random.randn(3, 2, 4 // groups, 6)

    def convolve(x, filters):
        return tf.nn.conv2d(x, filters, strides, padding, dilations=dilations)

    exact = convolve(x, filters).numpy()
    near = convolve(x.astype("float32"), filters.astype("float32")).numpy()
    np.testing.assert_allclose(exact, near, atol=1e-4)
    weights = random.randn(*exact.shape)
    x, filters = tf.constant(x), tf.constant(filters)
    with tf.GradientTape() as tape:
        tape.watch([x, filters])
        y = tf.reduce_sum(convolve(x, filters) * weights)
    dx, dfilters = tape.gradient(y, [x, filters])
    # The result is linear in each: products with the gradients give it back.
    np.testing.assert_allclose(tf.reduce_sum(dx * x), y, rtol=1e-9)
    np.testing.assert_allclose(tf.reduce_sum(dfilters * filters), y, rtol=1e-9)


def test_scores_that_are_lowered():
    boxes = np.array([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 5, 1, 6], [0, 0, 1, 1]], "float32")
    places, scores = tf.image.non_max_suppression_with_scores(
        boxes, [0.9, 0.8, 0.5, np.nan], 4, soft_nms_sigma=0.5
    )
    assert places.numpy().tolist() == [0, 2, 1]
    overlap = 0.9 / 1.1
    np.testing.assert_allclose(scores, [0.9, 0.5, 0.8 * np.exp(-(overlap**2))], rtol=1e-5)
