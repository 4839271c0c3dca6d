"""Optimizers that Keras 3 added."""

import numpy as np

import eagerflow as tf

layers = tf.keras.layers


def test_optimizers_of_keras_3_train():
    x = np.random.default_rng(0).normal(size=(64, 5)).astype("float32")
    y = x @ np.arange(5.0)[:, None]
    for optimizer in (
        tf.keras.optimizers.Lamb(0.05),
        tf.keras.optimizers.Muon(0.05, weight_decay=None),
        tf.keras.optimizers.ScheduleFreeAdamW(0.2),
        tf.keras.optimizers.LossScaleOptimizer(tf.keras.optimizers.SGD(0.05)),
    ):
        tf.keras.utils.set_random_seed(0)
        model = tf.keras.Sequential([layers.Dense(8, activation="tanh"), layers.Dense(1)])
        model.compile(optimizer, "mse")
        losses = model.fit(x, y, epochs=20, batch_size=16, verbose=0).history["loss"]
        assert losses[-1] < losses[0] / 2
        again = tf.keras.optimizers.deserialize(tf.keras.optimizers.serialize(optimizer))
        assert again.get_config() == optimizer.get_config()
