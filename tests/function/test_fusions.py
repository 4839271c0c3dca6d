"""Convolutions and products that are fused with the operations that follow."""

import threading

import numpy as np
import pytest

import eagerflow as tf

ACTIVATIONS = {
    "none": lambda x: x,
    "relu": tf.nn.relu,
    "relu6": tf.nn.relu6,
    "leaky_relu": tf.nn.leaky_relu,
    "elu": tf.nn.elu,
    "sigmoid": tf.sigmoid,
    "silu": tf.nn.silu,
    "gelu": tf.nn.gelu,
    "tanh": tf.tanh,
    "two": lambda x: tf.tanh(tf.nn.relu(x)),
}


def variables(rng, **shapes):
    return {k: tf.Variable(rng.normal(0, 0.3, v).astype("f")) for k, v in shapes.items()}


def moments(rng, channels):
    made = variables(rng, scale=channels, offset=channels, mean=channels, variance=channels)
    made["variance"].assign(tf.abs(made["variance"]) + 0.5)
    return made


def fused_normalize(x, m):
    return tf.compat.v1.nn.fused_batch_norm(
        x, m["scale"], m["offset"], m["mean"], m["variance"], 1e-3, is_training=False
    )[0]


def check(function, *shapes, tolerance=2e-5, seed=0):
    """Compares a traced function with its operations one by one; returns its trace."""
    rng = np.random.default_rng(seed)
    traced = tf.function(function)
    for each in shapes:
        x = tf.constant(rng.normal(0, 1, each).astype("f"))
        expected = function(x).numpy()
        scale = max(1, np.abs(expected).max())
        for _ in range(2):
            np.testing.assert_allclose(traced(x).numpy(), expected, atol=tolerance * scale)
    return traced


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("size", [1, 3])
def test_convolution_with_all_that_follows(activation, size):
    rng = np.random.default_rng(1)
    w = variables(rng, filter=(size, size, 8, 24), bias=24)
    m = moments(rng, 24)

    def block(x):
        y = tf.nn.bias_add(tf.nn.conv2d(x, w["filter"], 1, "SAME"), w["bias"])
        y = fused_normalize(y, m)
        return ACTIVATIONS[activation](y + tf.tile(x, [1, 1, 1, 3]))

    check(block, (1, 9, 11, 8), (4, 16, 16, 8), (2, 1, 1, 8))


@pytest.mark.parametrize("channels, side", [(32, 24), (64, 56), (512, 7), (48, 31)])
@pytest.mark.parametrize("batch", [1, 3])
def test_large_convolutions(channels, side, batch):
    # By Winograd's transforms, in pieces of an image, and in pieces of several images.
    rng = np.random.default_rng(2)
    w = variables(rng, filter=(3, 3, channels, channels), bias=channels)
    w["filter"].assign(w["filter"] / channels**0.5)

    def block(x):
        return tf.nn.relu(tf.nn.conv2d(x, w["filter"], 1, "SAME") + w["bias"])

    check(block, (batch, side, side, channels))


@pytest.mark.parametrize("strides", [1, 2])
@pytest.mark.parametrize("padding", ["SAME", "VALID", [[0, 0], [3, 1], [0, 2], [0, 0]]])
def test_strides_and_paddings(strides, padding):
    rng = np.random.default_rng(3)
    w = variables(rng, filter=(5, 3, 3, 40), bias=40)

    def block(x):
        return tf.nn.relu(tf.nn.conv2d(x, w["filter"], strides, padding) + w["bias"])

    check(block, (1, 70, 65, 3), (3, 9, 8, 3))


@pytest.mark.parametrize("multiplier", [1, 2])
def test_depthwise_convolutions(multiplier):
    rng = np.random.default_rng(4)
    channels = 32 * multiplier
    w = variables(rng, filter=(3, 3, 32, multiplier), bias=channels)
    m = moments(rng, channels)

    def block(x):
        x = tf.pad(x, [[0, 0], [0, 1], [1, 2], [0, 0]])
        y = tf.nn.depthwise_conv2d(x, w["filter"], [1, 2, 2, 1], "VALID")
        return tf.nn.relu6(fused_normalize(y + w["bias"], m))

    check(block, (1, 60, 60, 32), (5, 8, 9, 32))


@pytest.mark.parametrize("mode, value", [("CONSTANT", 0), ("CONSTANT", 2), ("REFLECT", 0)])
def test_padding_before_a_convolution(mode, value):
    rng = np.random.default_rng(5)
    w = variables(rng, filter=(3, 3, 4, 8))

    def block(x):
        x = tf.pad(x, [[0, 0], [3, 0], [0, 4], [0, 0]], mode, value)
        return tf.nn.relu(tf.nn.conv2d(x, w["filter"], 2, "VALID"))

    check(block, (2, 12, 10, 4))


@pytest.mark.parametrize("rows", [1, 7, 300])
@pytest.mark.parametrize("transposed", [False, True])
def test_products(rows, transposed):
    rng = np.random.default_rng(6)
    w = variables(rng, matrix=(200, 96) if transposed else (96, 200), bias=200, factor=200)

    def dense(x):
        y = tf.matmul(x, w["matrix"], transpose_b=transposed)
        return tf.nn.gelu((y + w["bias"]) * w["factor"])

    check(dense, (rows, 96))


@pytest.mark.parametrize("rows", [16, 17, 100])
@pytest.mark.parametrize("inner, cols", [(1, 16), (255, 5), (600, 48), (1000, 147)])
def test_products_with_an_addend_and_limits(rows, inner, cols):
    # Tiles of all heights and widths; terms are added up in one part or in several.
    rng = np.random.default_rng(8)
    w = variables(rng, matrix=(inner, cols), bias=cols, other=(rows, cols))

    def dense(x):
        return tf.nn.relu6(tf.matmul(x, w["matrix"]) + w["bias"] + w["other"])

    check(dense, (rows, inner))


def test_products_of_sequences():
    rng = np.random.default_rng(7)
    layer = tf.keras.layers.Dense(130, activation="gelu")
    layer.build((None, None, 80))
    layer.bias.assign(rng.normal(0, 1, 130))

    @tf.function(input_signature=[tf.TensorSpec((None, None, 80))])
    def traced(x):
        return layer(x) + tf.tile(x[..., :65], [1, 1, 2])

    for shape in [(2, 3, 80), (1, 100, 80), (40, 7, 80)]:
        x = tf.constant(rng.normal(0, 1, shape).astype("f"))
        expected = layer(x) + tf.tile(x[..., :65], [1, 1, 2])
        np.testing.assert_allclose(traced(x), expected, atol=1e-5)


def test_values_that_are_read_elsewhere_stay():
    rng = np.random.default_rng(8)
    w = variables(rng, filter=(3, 3, 8, 8), bias=8)

    def block(x):
        y = tf.nn.conv2d(x, w["filter"], 1, "SAME") + w["bias"]
        z = tf.nn.relu(y)
        return tf.stack([y, z, tf.nn.relu(z + x)])

    check(block, (2, 12, 12, 8))


def test_weights_that_change():
    rng = np.random.default_rng(9)
    w = variables(rng, filter=(3, 3, 8, 8), bias=8)
    m = moments(rng, 8)

    def block(x):
        return tf.nn.relu(fused_normalize(tf.nn.conv2d(x, w["filter"], 1, "SAME"), m) + w["bias"])

    traced = check(block, (2, 12, 12, 8))
    x = tf.constant(rng.normal(0, 1, (2, 12, 12, 8)).astype("f"))
    optimizer = tf.keras.optimizers.SGD(0.5)
    for change in (
        lambda: w["filter"].assign_add(tf.ones((3, 3, 8, 8))),
        lambda: w["filter"].assign(w["filter"] * 0.5),
        lambda: m["mean"].assign_sub(tf.ones(8)),
        lambda: m["variance"][2].assign(9.0),
        lambda: optimizer.apply_gradients([(tf.ones((3, 3, 8, 8)), w["filter"])]),
        lambda: w["bias"].scatter_add(tf.IndexedSlices(tf.constant([3.0]), tf.constant([1]))),
    ):
        before = traced(x).numpy()
        change()
        assert not np.allclose(traced(x).numpy(), before, atol=1e-3)
        np.testing.assert_allclose(traced(x).numpy(), block(x).numpy(), atol=1e-4)


def test_weights_that_change_in_every_run():
    rng = np.random.default_rng(12)
    w = variables(
        rng, matrix=(96, 200), bias=200, filter=(3, 3, 8, 8), wide=(3, 3, 32, 40), offset=40, row=8
    )

    def dense(x):
        return tf.nn.relu(tf.matmul(x, w["matrix"]) + w["bias"])

    def convolution(x):
        return tf.nn.relu(tf.nn.conv2d(x, w["filter"], 1, "SAME"))

    def residual(x):
        y = tf.nn.bias_add(tf.nn.conv2d(x, w["filter"], 1, "SAME"), w["row"])
        return tf.nn.silu(tf.nn.relu6(y + x))

    def broadcast(x):
        return tf.nn.relu(tf.nn.conv2d(x, w["filter"], 1, "SAME") + x[:1])

    def by_winograd(x):
        return tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w["wide"], 1, "SAME"), w["offset"]))

    def padded(x):
        x = tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]])
        return tf.nn.relu(tf.nn.conv2d(x, w["filter"], 2, "VALID") + w["row"])

    def scaled(x):
        return tf.nn.relu((tf.nn.conv2d(x, w["filter"], 1, "SAME") + w["row"]) * w["row"])

    for function, shape in [
        (dense, (300, 96)),
        (convolution, (2, 20, 20, 8)),
        (residual, (2, 20, 20, 8)),
        (broadcast, (2, 20, 20, 8)),
        (by_winograd, (2, 24, 24, 32)),
        (padded, (2, 20, 20, 8)),
        (scaled, (2, 20, 20, 8)),
    ]:
        traced = tf.function(function)
        x = tf.constant(rng.normal(0, 1, shape).astype("f"))
        for _ in range(6):
            for variable in w.values():
                variable.assign_add(tf.random.normal(variable.shape))
            expected = function(x).numpy()
            np.testing.assert_allclose(traced(x), expected, rtol=1e-4, atol=1e-3)
        np.testing.assert_allclose(traced(x), function(x), rtol=1e-4, atol=1e-3)
        assert traced(x).numpy().tobytes() == traced(x).numpy().tobytes()


def test_weights_that_change_inside():
    w = tf.Variable(tf.ones((3, 3, 8, 8)))

    @tf.function
    def twice(x):
        a = tf.nn.relu(tf.nn.conv2d(x, w, 1, "SAME"))
        w.assign(2 * w)
        return a, tf.nn.relu(tf.nn.conv2d(x, w, 1, "SAME"))

    x = tf.ones((1, 20, 20, 8))
    for factor in (1, 2, 4):
        a, b = twice(x)
        assert a[0, 5, 5, 0] == 72 * factor
        assert b[0, 5, 5, 0] == 144 * factor


def test_filters_that_are_computed():
    def function(x):
        filters = tf.reshape(tf.reduce_mean(x, [0, 1]), [1, 1, 6, 8])
        return tf.nn.relu(tf.nn.conv2d(x[..., :6], filters, 1, "SAME"))

    check(function, (3, 4, 6, 8))


def test_gradients_through_a_fused_graph():
    rng = np.random.default_rng(10)
    w = variables(rng, filter=(3, 3, 8, 8), bias=8, matrix=(8, 40), last=40)
    m = moments(rng, 8)

    def loss(x):
        y = tf.nn.relu(fused_normalize(tf.nn.conv2d(x, w["filter"], 1, "SAME") + w["bias"], m) + x)
        return tf.reduce_sum(tf.tanh(tf.matmul(tf.reduce_mean(y, [1, 2]), w["matrix"]) + w["last"]))

    def gradients(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = loss(x)
        return tape.gradient(value, [x, *w.values(), *m.values()])

    x = tf.constant(rng.normal(0, 1, (2, 40, 40, 8)).astype("f"))
    expected = gradients(x)
    traced_loss = tf.function(loss)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = traced_loss(x)
    for function in (
        lambda: tape.gradient(value, [x, *w.values(), *m.values()]),
        lambda: tf.function(gradients)(x),
    ):
        for got, wanted in zip(function(), expected, strict=True):
            np.testing.assert_allclose(got, wanted, atol=2e-4 * np.abs(wanted).max())


@pytest.mark.parametrize("activation", ["relu", "relu6", "none"])
def test_values_that_are_no_numbers(activation):
    w = tf.Variable(np.eye(16, dtype="f").reshape(1, 1, 16, 16))
    b = tf.Variable(tf.zeros(16))
    x = np.zeros((1, 40, 40, 16), "f")
    x[0, 3, 4, 5], x[0, 7, 7, 7], x[0, 8, 8, 8] = np.nan, np.inf, -np.inf

    def block(x):
        return ACTIVATIONS[activation](tf.nn.conv2d(x, w, 1, "SAME") + b)

    np.testing.assert_array_equal(tf.function(block)(x), block(x))


def test_errors_are_those_of_the_operations():
    w = tf.Variable(tf.ones((3, 3, 8, 8)))
    b = tf.Variable(tf.ones(8))

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def block(x):
        return tf.nn.relu(tf.nn.conv2d(x, w, 1, "VALID") + b)

    assert block(tf.ones((1, 30, 30, 8))).shape == (1, 28, 28, 8)
    with pytest.raises(tf.errors.InvalidArgumentError, match="[Dd]epth"):
        block(tf.ones((1, 30, 30, 7)))
    assert block(tf.ones((0, 30, 30, 8))).shape == (0, 28, 28, 8)


def test_addends_that_broadcast():
    w = variables(np.random.default_rng(11), filter=(3, 3, 8, 8))

    @tf.function(input_signature=[tf.TensorSpec((None, None, None, 8)), tf.TensorSpec((None,) * 4)])
    def block(x, y):
        return tf.nn.relu(tf.nn.conv2d(x, w["filter"], 1, "SAME") + y)

    x = tf.random.normal((3, 20, 20, 8))
    for shape in [(3, 20, 20, 8), (1, 20, 20, 8), (3, 1, 1, 8), (1, 1, 1, 1)]:
        y = tf.random.normal(shape)
        expected = tf.nn.relu(tf.nn.conv2d(x, w["filter"], 1, "SAME") + y)
        np.testing.assert_allclose(block(x, y), expected, atol=1e-5)


def test_several_threads_at_once():
    model = tf.keras.Sequential(
        [tf.keras.layers.Conv2D(32, 3, activation="relu"), tf.keras.layers.Dense(64, "relu")]
    )
    inputs = [tf.random.normal((n, 40, 40, 8)) for n in (1, 2, 3, 4)]
    expected = [model(x).numpy() for x in inputs]
    traced = tf.function(model)
    wrong = []

    def work(k):
        for _ in range(5):
            if not np.allclose(traced(inputs[k]).numpy(), expected[k], atol=1e-4):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_model_predicts_what_it_gives_when_called():
    tf.keras.utils.set_random_seed(0)
    model = tf.keras.applications.MobileNetV2((64, 64, 3), weights=None, classes=10)
    for v in model.weights:
        if "moving_variance" in v.name:
            v.assign(tf.random.uniform(v.shape, 0.5, 1.5))
        elif "moving_mean" in v.name or "beta" in v.name:
            v.assign(tf.random.normal(v.shape, stddev=0.1))
    x = np.random.default_rng(0).normal(size=(3, 64, 64, 3)).astype("f")
    np.testing.assert_allclose(model.predict(x, verbose=0), model(x, training=False), atol=1e-5)
