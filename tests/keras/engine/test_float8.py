"""Layers with products of 8-bit floats: rounding, scales, training and files."""

import ml_dtypes
import numpy as np
import pytest

import eagerflow as tf
from eagerflow.keras.engine import float8

layers = tf.keras.layers
X = np.random.RandomState(0).randn(16, 6).astype("float32")
Y = X[:, :3] * 2
NAMES = [
    f"{name}_{kind}"
    for name in ("inputs", "kernel", "outputs_grad")
    for kind in ("scale", "amax_history")
]
KINDS = {
    "dense": lambda: layers.Dense(3),
    "a product": lambda: layers.EinsumDense("ab,bc->ac", 3, bias_axes="c"),
    "no product": lambda: layers.EinsumDense("ab,cb->ac", 3),
}


def make(kind="dense", **options):
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential(
        [tf.keras.Input([6]), layers.Dense(5, activation="relu"), KINDS[kind]()]
    )
    model.quantize("float8")
    model.compile(tf.keras.optimizers.SGD(0.05), "mse", **options)
    return model


def train(model):
    return model.fit(X, Y, batch_size=8, epochs=2, shuffle=False, verbose=0).history["loss"]


@pytest.mark.parametrize(
    ("format", "dtype"),
    [(float8._E4M3, ml_dtypes.float8_e4m3fn), (float8._E5M2, ml_dtypes.float8_e5m2)],
)
def test_values_are_those_of_the_format(format, dtype):
    generator = np.random.RandomState(1)
    values = generator.randn(20000) * 10.0 ** generator.randint(-8, 6, 20000)
    values = np.r_[values, 0, format.greatest, 1e9, -1e9, 2.0**-10, 2.0**-17].astype("float32")
    wanted = np.clip(values, -format.greatest, format.greatest).astype(dtype).astype("float32")
    np.testing.assert_array_equal(float8.rounded(tf.constant(values), format), wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_modes_agree(kind):
    eager, graph, compiled = (
        make(kind, **options) for options in ({"run_eagerly": True}, {}, {"jit_compile": True})
    )
    losses = train(eager)
    assert losses[1] < losses[0]
    np.testing.assert_allclose(train(graph), losses, rtol=1e-3)
    np.testing.assert_allclose(train(compiled), losses, rtol=1e-3)


def test_scales_follow_the_greatest_values_of_training():
    layer = layers.Dense(3)
    layer.build([None, 6])
    kernel = layer.kernel.numpy()
    layer.quantize("float8")
    assert [v.name.partition(":")[0] for v in layer.weights] == ["kernel", "bias", *NAMES]
    assert len(layer.trainable_weights) == 2
    layer(X)
    assert float(layer.inputs_scale) == 1 and not np.any(layer.inputs_amax_history)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(X, training=True) * Y)
    gradients = tape.gradient(loss, layer.trainable_weights)
    assert layer.inputs_amax_history.numpy()[0] == np.abs(X).max()
    assert layer.kernel_amax_history.numpy()[0] == np.abs(kernel).max()
    assert layer.outputs_grad_amax_history.numpy()[0] == np.abs(Y).max()
    rounded = Y.astype(ml_dtypes.float8_e5m2).astype("float32")
    inputs = X.astype(ml_dtypes.float8_e4m3fn).astype("float32")
    np.testing.assert_allclose(gradients[0], inputs.T @ rounded, rtol=1e-4, atol=1e-5)
    layer(X, training=True)
    assert float(layer.inputs_scale) == pytest.approx(np.abs(X).max() / 448)
    assert float(layer.outputs_grad_scale) == 1  # no gradient has been computed


@pytest.mark.parametrize("file", ["m.keras", "m.h5", "m", "weights"])
def test_files(file, tmp_path):
    model = make("no product")
    train(model)
    path = str(tmp_path / file)
    if "weights" in file:
        model.save_weights(path)
        other = make("no product")
        other.load_weights(path)
    else:
        model.save(path)
        other = tf.keras.models.load_model(path)
    for one, same in zip(model.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_array_equal(one, same)
    np.testing.assert_array_equal(model.predict(X, verbose=0), other.predict(X, verbose=0))
    assert train(other) == train(model)


def test_attention_has_layers_with_such_products():
    layer = layers.MultiHeadAttention(2, 4)
    x = tf.random.stateless_normal([2, 3, 8], [1, 2])
    before = layer(x, x)
    layer.quantize("float8")
    np.testing.assert_allclose(layer(x, x), before, atol=0.2)
    assert len(layer.weights) == 8 + 4 * len(NAMES)


def test_what_is_refused():
    dense, convolution = layers.Dense(3), layers.Conv2D(2, 3)
    dense.build([None, 6])
    convolution.build([None, 8, 8, 3])
    with pytest.raises(NotImplementedError, match="Conv2D"):
        convolution.quantize("float8")
    dense.enable_lora(2)
    with pytest.raises(ValueError, match="has lora"):
        dense.quantize("float8")
    other = layers.Dense(3)
    other.build([None, 6])
    other.quantize("float8")
    with pytest.raises(ValueError, match="for training"):
        other.enable_lora(2)
