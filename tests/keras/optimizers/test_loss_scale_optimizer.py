"""LossScaleOptimizer, alone and in fit."""

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


def test_training_scales_the_loss(policy):
    x = np.random.default_rng(0).normal(size=[64, 4]).astype(np.float32)
    y = (x.sum(axis=1) > 0).astype(np.int64)
    model = tf.keras.Sequential(
        [layers.Dense(16, activation="relu", input_shape=(4,)), layers.Dense(2, dtype="float32")]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = mixed_precision.LossScaleOptimizer(tf.keras.optimizers.Adam(0.02))
    model.compile(optimizer, loss, metrics=["accuracy"])
    history = model.fit(x, y, epochs=10, batch_size=16, verbose=0).history
    assert history["loss"][-1] < 0.5 * history["loss"][0]
    assert history["accuracy"][-1] > 0.9


@pytest.fixture
def mixed_float16():
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
    yield
    tf.keras.mixed_precision.set_global_policy("float32")


def test_fit_scales_the_loss_by_itself(mixed_float16):
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [layers.Dense(8, activation="tanh", input_shape=(2,)), layers.Dense(1, dtype="float32")]
    )
    model.compile(tf.keras.optimizers.Adam(0.05), "mse")
    assert isinstance(model.optimizer, tf.keras.mixed_precision.LossScaleOptimizer)
    assert model.layers[0].compute_dtype == "float16"
    model.set_weights([np.full(w.shape, 0.1, "float32") for w in model.get_weights()])
    x = 0.1 * np.random.RandomState(0).rand(64, 2).astype("float32")
    losses = model.fit(x, x.sum(1), epochs=10, verbose=0).history["loss"]
    assert losses[-1] < 0.5 * losses[0]
    # Weights and targets are small, so that no scaled gradient leaves float16's range.
    assert float(model.optimizer.loss_scale) == 2.0**15
    assert float(model.optimizer.learning_rate) == pytest.approx(0.05)
