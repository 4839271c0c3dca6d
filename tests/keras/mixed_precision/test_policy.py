"""Dtype policies: computing in one dtype with weights in another."""

import copy

import numpy as np
import pytest

import eagerflow as tf

layers = tf.keras.layers


mixed_precision = tf.keras.mixed_precision


@pytest.fixture(params=["mixed_float16", "mixed_bfloat16"])
def policy(request):
    mixed_precision.set_global_policy(request.param)
    yield mixed_precision.global_policy()
    mixed_precision.set_global_policy("float32")


def test_policies():
    assert mixed_precision.global_policy().name == "float32"
    mixed = mixed_precision.Policy("mixed_float16")
    assert (mixed.compute_dtype, mixed.variable_dtype) == ("float16", "float32")
    layer = layers.Dense(2, dtype=mixed)
    assert layer.dtype_policy is mixed
    assert (layer.dtype, layer.compute_dtype) == ("float32", "float16")
    again = layers.Dense.from_config(layer.get_config())
    assert again.compute_dtype == "float16"
    assert layers.Dense(2, dtype="float64")(np.ones([1, 2])).dtype == tf.float64
    with pytest.raises(ValueError, match="mixed precision Policy"):
        mixed_precision.Policy("float17")


def test_layers_compute_in_the_policys_dtype(policy):
    model = tf.keras.Sequential(
        [
            layers.Conv2D(4, 3, input_shape=(6, 6, 1)),
            layers.BatchNormalization(),
            layers.Flatten(),
            layers.Dense(3, activation="relu"),
            layers.Dense(2, dtype="float32"),
        ]
    )
    with tf.GradientTape() as tape:
        outputs = model(np.ones([2, 6, 6, 1]), training=True)
        loss = tf.reduce_sum(outputs)
    gradients = tape.gradient(loss, model.trainable_variables)
    assert outputs.dtype == tf.float32
    assert model.layers[0].output.dtype == policy.compute_dtype
    assert {v.dtype for v in model.weights} == {tf.float32}
    assert {g.dtype for g in gradients} == {tf.float32}
    kernel = model.layers[3].kernel
    assert kernel.dtype == tf.float32
    kernel.assign_add(tf.ones_like(kernel))


def test_recurrent_and_attention_layers(policy):
    x = tf.keras.Input([4, 8])
    h = layers.LSTM(6, return_sequences=True)(x)
    h = layers.GRU(6, return_sequences=True)(h)
    h = layers.MultiHeadAttention(2, 3)(h, h)
    model = tf.keras.Model(x, layers.LayerNormalization()(h))
    assert model(np.ones([2, 4, 8])).dtype == policy.compute_dtype
    assert {v.dtype for v in model.weights} == {tf.float32}


def test_experimental_names():
    experimental = tf.keras.mixed_precision.experimental
    policy = experimental.Policy("mixed_float16")
    assert (policy.compute_dtype, policy.loss_scale) == ("float16", "dynamic")
    assert experimental.Policy("float32").loss_scale is None
    assert experimental.Policy("mixed_float16", loss_scale=16).loss_scale == 16
    experimental.set_policy(policy)
    try:
        layer = tf.keras.layers.Dense(1)
        assert layer(tf.ones([1, 2])).dtype is tf.float16
        assert experimental.get_layer_policy(layer) is policy
    finally:
        experimental.set_policy(None)
    assert experimental.global_policy().name == "float32"
    v = tf.Variable(1.0)
    optimizer = experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale=4)
    with tf.GradientTape() as tape:
        loss = optimizer.get_scaled_loss(v * v)
    assert float(loss) == 4.0
    gradients = optimizer.get_unscaled_gradients(tape.gradient(loss, [v]))
    optimizer.apply_gradients(zip(gradients, [v], strict=True))
    assert float(v) == 0.5
    assert experimental.LossScaleOptimizer(tf.keras.optimizers.SGD()).dynamic
    with pytest.raises(ValueError, match="can only be called on a layer"):
        experimental.get_layer_policy(3)


def test_layers_that_leave_inputs_as_they_are_cast_their_weights():
    seen = []

    class Layer(tf.keras.layers.Layer):
        def build(self, shape):
            self.w = self.add_weight("w", [2], initializer="ones")

        def call(self, x):
            seen.append((x.dtype, (self.w * 1).dtype))
            return x

    layer = Layer(dtype="mixed_float16", autocast=False)
    for _ in range(2):  # the second call takes a shorter way
        layer(tf.ones([1, 2]))
    assert seen == [(tf.float32, tf.float16)] * 2
    assert tf.keras.layers.Dense(1, dtype="mixed_float16", autocast=False)(
        tf.ones([1, 2])
    ).dtype == (tf.float16)


def test_compiled_models_of_mixed_precision_are_copied():
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
        model.compile("adam", "mse")
        x, y = np.ones([4, 3], np.float32), np.ones([4, 2], np.float32)
        model.fit(x, y, verbose=0)
        kept = model.get_weights()
        again = copy.deepcopy(model)
        again.fit(x, y, verbose=0)
    finally:
        tf.keras.mixed_precision.set_global_policy("float32")
    assert int(again.optimizer.iterations) == 2 and int(model.optimizer.iterations) == 1
    np.testing.assert_array_equal(model.get_weights()[0], kept[0])
    assert not np.array_equal(again.get_weights()[0], kept[0])
