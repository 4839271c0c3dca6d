"""train_step of one's own in 2.2: fit, with metrics, compiled losses, sample weights, predict_step."""

import numpy as np
import tensorflow as tf
from tensorflow import keras

loss_tracker = keras.metrics.Mean(name="loss")
mae_metric = keras.metrics.MeanAbsoluteError(name="mae")


class CustomModel(keras.Model):
    def train_step(self, data):
        if len(data) == 3:
            x, y, sample_weight = data
        else:
            sample_weight = None
            x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compiled_loss(
                y, y_pred, sample_weight=sample_weight, regularization_losses=self.losses
            )
        trainable_vars = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, trainable_vars), trainable_vars))
        self.compiled_metrics.update_state(y, y_pred, sample_weight=sample_weight)
        return {m.name: m.result() for m in self.metrics}

    def test_step(self, data):
        x, y = data
        y_pred = self(x, training=False)
        self.compiled_loss(y, y_pred, regularization_losses=self.losses)
        self.compiled_metrics.update_state(y, y_pred)
        return {m.name: m.result() for m in self.metrics}


class ByHand(keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = keras.losses.mean_squared_error(y, y_pred)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        loss_tracker.update_state(loss)
        mae_metric.update_state(y, y_pred)
        return {"loss": loss_tracker.result(), "mae": mae_metric.result()}

    @property
    def metrics(self):
        return [loss_tracker, mae_metric]


def build(kind):
    init = keras.initializers.RandomUniform(-0.2, 0.2, seed=3)
    inputs = keras.Input(shape=(8,))
    h = keras.layers.Dense(6, activation="tanh", kernel_initializer=init, kernel_regularizer="l2")(
        inputs
    )
    return kind(inputs, keras.layers.Dense(1, kernel_initializer=init)(h))


rng = np.random.RandomState(0)
x, y = rng.rand(200, 8), rng.rand(200, 1)
model = build(CustomModel)
model.compile(optimizer=keras.optimizers.SGD(0.1), loss="mse", metrics=["mae"])
history = model.fit(
    x, y, sample_weight=rng.rand(200, 1), epochs=3, batch_size=50, shuffle=False, verbose=0
)
print({k: np.round(v, 5).tolist() for k, v in history.history.items()})
print(np.round(model.evaluate(x, y, verbose=0), 5), model.predict(x[:3]).shape)
hand = build(ByHand)
hand.compile(optimizer="adam")
print(sorted(hand.fit(x, y, epochs=2, verbose=0).history), loss_tracker.count.numpy())


class GAN(keras.Model):
    def __init__(self, discriminator, generator, latent_dim):
        super(GAN, self).__init__()
        self.discriminator, self.generator, self.latent_dim = discriminator, generator, latent_dim

    def compile(self, d_optimizer, g_optimizer, loss_fn):
        super(GAN, self).compile()
        self.d_optimizer, self.g_optimizer, self.loss_fn = d_optimizer, g_optimizer, loss_fn

    def train_step(self, real):
        if isinstance(real, tuple):
            real = real[0]
        size = tf.shape(real)[0]
        noise = tf.random.normal(shape=(size, self.latent_dim))
        combined = tf.concat([self.generator(noise), real], axis=0)
        labels = tf.concat([tf.ones((size, 1)), tf.zeros((size, 1))], axis=0)
        with tf.GradientTape() as tape:
            d_loss = self.loss_fn(labels, self.discriminator(combined))
        grads = tape.gradient(d_loss, self.discriminator.trainable_weights)
        self.d_optimizer.apply_gradients(zip(grads, self.discriminator.trainable_weights))
        with tf.GradientTape() as tape:
            g_loss = self.loss_fn(tf.zeros((size, 1)), self.discriminator(self.generator(noise)))
        grads = tape.gradient(g_loss, self.generator.trainable_weights)
        self.g_optimizer.apply_gradients(zip(grads, self.generator.trainable_weights))
        return {"d_loss": d_loss, "g_loss": g_loss}


gan = GAN(
    keras.Sequential(
        [keras.layers.Dense(8, activation="relu", input_shape=(2,)), keras.layers.Dense(1)]
    ),
    keras.Sequential(
        [keras.layers.Dense(8, activation="relu", input_shape=(3,)), keras.layers.Dense(2)]
    ),
    3,
)
gan.compile(
    keras.optimizers.Adam(3e-3),
    keras.optimizers.Adam(3e-3),
    keras.losses.BinaryCrossentropy(from_logits=True),
)
fitted = gan.fit(
    tf.data.Dataset.from_tensor_slices(rng.randn(128, 2).astype("float32")).batch(32),
    epochs=2,
    verbose=0,
)
print(sorted(fitted.history), np.isfinite(fitted.history["g_loss"]).all())
