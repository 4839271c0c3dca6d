"""Layers and models with int8 weights."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core

K = tf.keras
L = K.layers
int8 = _core.ops


def rounded(x, axes):
    """Whole numbers and their scales, as layers round weights and inputs."""
    greatest = np.abs(x).max(axis=axes, keepdims=True)
    scale = np.where(greatest > 0, greatest / 127, 1).astype(np.float32)
    return np.rint(x / scale), scale


def close(result, expected, tolerance):
    result, expected = np.asarray(result), np.asarray(expected)
    np.testing.assert_allclose(result, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize(
    ("rows", "depth", "cols"),
    [(1, 1, 1), (1, 5, 3), (7, 17, 33), (64, 100, 200), (5, 1000, 1000), (300, 64, 70)],
)
def test_products_are_exact_sums_of_rounded_numbers(rows, depth, cols):
    generator = np.random.default_rng(0)
    x = generator.normal(size=(rows, depth)).astype(np.float32)
    w, scale = rounded(generator.normal(size=(depth, cols)).astype(np.float32), 0)
    bytes_of_x, x_scale = rounded(x, 1)
    expected = bytes_of_x @ w * (x_scale * scale)
    close(int8.int8_matmul(x, w.astype(np.int8), scale[0]), expected, 1e-6)


def test_products_of_zeros_infinities_and_nothing():
    w, scale = np.ones([3, 2], np.int8), np.ones(2, np.float32)
    x = np.array([[0, 0, 0], [np.nan, 1, 1], [127, 0, 0]], np.float32)
    result = int8.int8_matmul(x, w, scale).numpy()
    np.testing.assert_array_equal(result[[0, 2]], [[0, 0], [127, 127]])
    assert np.isnan(result[1]).all()
    assert int8.int8_matmul(np.ones([0, 3], np.float32), w, scale).shape == (0, 2)
    empty = int8.int8_matmul(np.ones([4, 0], np.float32), np.ones([0, 2], np.int8), scale)
    np.testing.assert_array_equal(empty, np.zeros([4, 2]))


@pytest.mark.parametrize(
    ("image", "filters", "stride", "padding", "dilation"),
    [
        ((1, 5, 5, 3), (3, 3, 3, 8), 1, "SAME", 1),
        ((2, 9, 8, 5), (3, 2, 5, 20), 2, "SAME", 1),
        ((3, 10, 10, 16), (3, 3, 16, 33), 1, "VALID", 2),
        ((2, 32, 32, 3), (7, 7, 3, 64), 2, "SAME", 1),
        ((2, 8, 8, 6), (3, 3, 3, 4), 1, "SAME", 1),
    ],
)
def test_convolutions_are_those_of_rounded_numbers(image, filters, stride, padding, dilation):
    generator = np.random.default_rng(0)
    x = generator.normal(size=image).astype(np.float32)
    w, scale = rounded(generator.normal(size=filters).astype(np.float32), (0, 1, 2))
    if image[3] == filters[2]:  # filters in groups see floats
        whole, x_scale = rounded(x, (1, 2, 3))
        x_rounded = (whole * x_scale).astype(np.float32)
    else:
        x_rounded = x
    strides, dilations = [1, stride, stride, 1], [1, dilation, dilation, 1]
    expected = tf.nn.conv2d(x_rounded, w * scale, strides, padding, dilations=dilations)
    args = strides, padding, None, dilations, "NHWC"
    result = int8.int8_conv2d(x, w.astype(np.int8), scale.reshape(-1), *args)
    close(result, expected, 1e-6)
    # The gradient is that of a convolution of floats.
    variable = tf.Variable(x)
    with tf.GradientTape(persistent=True) as tape:
        ours = int8.int8_conv2d(variable, w.astype(np.int8), scale.reshape(-1), *args)
        theirs = tf.nn.conv2d(variable, w * scale, strides, padding, dilations=dilations)
    close(tape.gradient(ours, variable), tape.gradient(theirs, variable), 1e-6)


def test_shapes_that_do_not_fit():
    x, w, scale = np.ones([2, 3], np.float32), np.ones([3, 4], np.int8), np.ones(4, np.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Matrix size-incompatible"):
        int8.int8_matmul(x[:, :2], w, scale)
    with pytest.raises(tf.errors.InvalidArgumentError, match="scale must have a number"):
        int8.int8_matmul(x, w, scale[:3])
    image, filters = np.ones([1, 4, 4, 3], np.float32), np.ones([1, 1, 3, 4], np.int8)
    with pytest.raises(tf.errors.InvalidArgumentError, match="NHWC"):
        int8.int8_conv2d(image, filters, scale, [1] * 4, "SAME", None, [1] * 4, "NCHW")


def dense():
    return K.Sequential(
        [L.Dense(32, "relu", input_shape=(20,)), L.BatchNormalization(), L.Dense(10)]
    ), np.float32


def images():
    return K.Sequential(
        [
            L.Conv2D(16, 3, padding="same", input_shape=(12, 12, 3)),
            L.BatchNormalization(),
            L.ReLU(),
            L.DepthwiseConv2D(3),
            L.SeparableConv2D(8, 3),
            L.Conv2D(8, 1),
            L.Flatten(),
            L.Dense(10),
        ]
    ), np.float32


def sequences():
    return K.Sequential(
        [L.Conv1D(16, 3, padding="causal", input_shape=(12, 3)), L.SeparableConv1D(8, 3)]
    ), np.float32


def recurrent():
    return K.Sequential(
        [
            L.Embedding(50, 16, input_length=7),
            L.LSTM(12, return_sequences=True),
            L.Bidirectional(L.GRU(8, return_sequences=True)),
            L.RNN(L.LSTMCell(5), return_sequences=True),
            L.TimeDistributed(L.Dense(4)),
            L.SimpleRNN(5),
        ]
    ), np.int32


def attention():
    x = K.Input((7, 16))
    hidden = L.LayerNormalization()(L.MultiHeadAttention(4, 4)(x, x) + x)
    result = L.EinsumDense("abc,cd->abd", [None, 8], bias_axes="d")(hidden)
    return K.Model(x, result), np.float32


def inputs_of(model, dtype):
    generator = np.random.default_rng(1)
    shape = (5, *model.input_shape[1:])
    if dtype is np.int32:
        return generator.integers(0, 50, shape)
    return generator.normal(size=shape).astype(dtype)


@pytest.mark.parametrize("make", [dense, images, sequences, recurrent, attention])
@pytest.mark.parametrize("ending", [".keras", ".h5", ""])
def test_models_are_saved_and_loaded(make, ending, tmp_path):
    K.utils.set_random_seed(0)
    model, dtype = make()
    x = inputs_of(model, dtype)
    before = model.predict(x, verbose=0)
    model.quantize("int8")
    after = model.predict(x, verbose=0)
    close(after, before, 0.05)
    assert not np.array_equal(after, before)
    close(model(x), after, 1e-5)  # layer by layer, and all in a graph
    saved = tmp_path / f"model{ending}"
    model.save(saved, save_format=None if ending else "tf")
    loaded = K.models.load_model(saved)
    np.testing.assert_array_equal(loaded.predict(x, verbose=0), after)
    kinds = [weight.dtype.name for weight in loaded.weights]
    assert "int8" in kinds
    assert kinds == [weight.dtype.name for weight in model.weights]


@pytest.mark.parametrize("ending", [".keras", ".h5", ""])
@pytest.mark.parametrize("make", [dense, images, sequences, recurrent, attention])
def test_models_of_4_bits(make, ending, tmp_path):
    K.utils.set_random_seed(0)
    model, dtype = make()
    x = inputs_of(model, dtype)
    before = model.predict(x, verbose=0)
    size = sum(weight.numpy().nbytes for weight in model.weights)
    model.quantize("int4")
    after = model.predict(x, verbose=0)
    close(after, before, 0.6)
    close(model(x), after, 1e-5)
    assert sum(weight.numpy().nbytes for weight in model.weights) < size / 2
    saved = tmp_path / f"model{ending}"
    model.save(saved, save_format=None if ending else "tf")
    loaded = K.models.load_model(saved)
    np.testing.assert_array_equal(loaded.predict(x, verbose=0), after)


def test_values_of_4_bits():
    layer = L.Dense(5)
    layer.build([None, 3])
    layer.quantize("int4")
    assert layer.dtype_policy.name == "int4_from_float32"
    packed, scale = layer.kernel.values.numpy(), layer.kernel.scale.numpy()
    assert packed.shape == (3, 3)
    low, high = packed << 4 >> 4, packed >> 4
    integers = np.stack([low, high], -1).reshape(3, 6)[:, :5]
    np.testing.assert_allclose(layer.kernel.numpy(), integers * scale)
    np.testing.assert_array_equal(abs(integers).max(0), [7] * 5)


def test_weights_of_quantized_models(tmp_path):
    model, _ = dense()
    other, _ = dense()
    model.quantize("int8")
    with pytest.raises(ValueError, match="expecting 8 weights"):
        other.set_weights(model.get_weights())
    other.quantize("int8")
    x = np.ones([2, 20], np.float32)
    for name in ("weights.weights.h5", "checkpoint"):
        model.save_weights(str(tmp_path / name))
        other.load_weights(str(tmp_path / name))
        np.testing.assert_array_equal(other(x), model(x))
        other.set_weights([0 * weight for weight in other.get_weights()])


def test_a_quantized_weight():
    layer = L.Dense(4, kernel_regularizer="l2")
    layer.build([None, 3])
    kernel = layer.kernel.numpy()
    layer.quantize("int8")
    assert layer.dtype_policy.name == "int8_from_float32"
    assert layer.dtype_policy.quantization_mode == "int8"
    assert [w.name for w in layer.weights] == ["bias:0", "kernel:0", "kernel_scale:0"]
    assert [w.name for w in layer.trainable_weights] == ["bias:0"]
    assert layer.losses == []
    scale = np.abs(kernel).max(axis=0) / 127
    assert (np.abs(layer.kernel.numpy() - kernel) <= scale / 2 * 1.001).all()
    close(tf.reduce_sum(layer.kernel), layer.kernel.numpy().sum(), 1e-5)
    x = np.ones([2, 4], np.float32)
    close(tf.matmul(x, layer.kernel, transpose_b=True), x @ layer.kernel.numpy().T, 1e-5)


def test_a_column_of_zeros_stays_zero():
    layer = L.Dense(2, kernel_initializer="zeros")
    layer.build([None, 3])
    layer.quantize("int8")
    np.testing.assert_array_equal(layer(np.ones([1, 3], np.float32)), [[0, 0]])


def test_what_cannot_be_quantized():
    model, _ = dense()
    with pytest.raises(ValueError, match="Invalid quantization mode"):
        model.quantize("int2")
    with pytest.raises(ValueError, match="isn't yet built"):
        L.Dense(3).quantize("int8")
    with pytest.raises(ValueError, match="built first"):
        K.Sequential([L.Dense(3)]).quantize("int8")
    normalization = model.layers[1]
    with pytest.raises(NotImplementedError, match="BatchNormalization"):
        normalization.quantize("int8")
    double = L.Dense(3, dtype="float64")
    double.build([None, 2])
    with pytest.raises(ValueError, match="float64"):
        double.quantize("int8")
    model.layers[0].quantize("int8")
    with pytest.raises(ValueError, match="already quantized"):
        model.layers[0].quantize("int8")
    with pytest.raises(ValueError, match="filters"):
        model.quantize("int8", filters=3)


def test_filters_choose_layers():
    for filters in ("last", ["nothing", "last$"], lambda layer: layer.name == "last"):
        model = K.Sequential([L.Dense(3, input_shape=(2,), name="first"), L.Dense(3, name="last")])
        model.quantize("int8", filters=filters)
        modes = [layer.dtype_policy.quantization_mode for layer in model.layers]
        assert modes == [None, "int8"]


def test_results_of_an_image_do_not_depend_on_the_batch():
    model, dtype = images()
    model.quantize("int8")
    x = inputs_of(model, dtype)
    x[3] *= 100
    close(model.predict(x, verbose=0)[:1], model.predict(x[:1], verbose=0), 1e-5)


def test_training_goes_on_around_quantized_weights():
    model, _ = dense()
    model.layers[2].quantize("int8")
    model.compile("sgd", "mse")
    x, y = np.ones([8, 20], np.float32), np.ones([8, 10], np.float32)
    bytes_before = model.layers[2].kernel.values.numpy()
    losses = model.fit(x, y, epochs=5, verbose=0).history["loss"]
    assert losses[-1] < losses[0]
    np.testing.assert_array_equal(model.layers[2].kernel.values, bytes_before)


def test_digits_are_recognized_as_well():
    digits = pytest.importorskip("sklearn.datasets").load_digits()
    K.utils.set_random_seed(0)
    x = (digits.images[..., None] / 16).astype(np.float32)
    y = digits.target
    model = K.Sequential(
        [
            L.Conv2D(16, 3, padding="same", activation="relu", input_shape=(8, 8, 1)),
            L.Conv2D(32, 3, strides=2, padding="same", activation="relu"),
            L.Flatten(),
            L.Dense(64, "relu"),
            L.Dense(10),
        ]
    )
    loss = K.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, ["accuracy"])
    model.fit(x[:1400], y[:1400], epochs=8, batch_size=32, verbose=0)
    _, before = model.evaluate(x[1400:], y[1400:], verbose=0)
    model.quantize("int8")
    model.compile("adam", loss, ["accuracy"])
    _, after = model.evaluate(x[1400:], y[1400:], verbose=0)
    assert before > 0.9
    assert after > before - 0.01
