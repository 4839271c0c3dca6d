"""Subclassed layers and models of 2.0: add_loss, add_metric, custom training, get_config, saving."""

import os
import random
import tempfile

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from tensorflow.keras import layers

random.seed(1)  # of which Keras makes the seeds of first weights

x = (load_digits().data / 16.0).astype("float32")


class Sampling(layers.Layer):
    """Draws from the distribution that mean and log variance describe."""

    def call(self, inputs):
        mean, log_var = inputs
        epsilon = tf.keras.backend.random_normal(shape=tf.shape(mean), seed=1)
        return mean + tf.exp(0.5 * log_var) * epsilon


class Encoder(layers.Layer):
    def __init__(self, latent=3, units=32, name="encoder", **kwargs):
        super(Encoder, self).__init__(name=name, **kwargs)
        self.projection = layers.Dense(units, activation="relu")
        self.mean, self.log_var = (
            layers.Dense(latent),
            layers.Dense(latent, kernel_initializer="zeros"),
        )
        self.sampling = Sampling()

    def call(self, inputs):
        h = self.projection(inputs)
        mean, log_var = self.mean(h), self.log_var(h)
        return mean, log_var, self.sampling((mean, log_var))


class VAE(tf.keras.Model):
    def __init__(self, **kwargs):
        super(VAE, self).__init__(**kwargs)
        self.encoder = Encoder()
        self.decoder = tf.keras.Sequential(
            [layers.Dense(32, activation="relu"), layers.Dense(64, activation="sigmoid")],
            name="decoder",
        )

    def call(self, inputs):
        mean, log_var, z = self.encoder(inputs)
        kl = -0.5 * tf.reduce_mean(log_var - tf.square(mean) - tf.exp(log_var) + 1)
        self.add_loss(0.01 * kl)
        self.add_metric(kl, name="kl", aggregation="mean")
        return self.decoder(z)


vae = VAE()
optimizer = tf.keras.optimizers.Adam(learning_rate=1e-2)
mse = tf.keras.losses.MeanSquaredError()
metric = tf.keras.metrics.Mean()
dataset = tf.data.Dataset.from_tensor_slices(x).shuffle(buffer_size=1024, seed=2).batch(64)
history = []
for epoch in range(6):
    metric.reset_states()
    for batch in dataset:
        with tf.GradientTape() as tape:
            loss = mse(batch, vae(batch)) + sum(vae.losses)
        grads = tape.gradient(loss, vae.trainable_weights)
        optimizer.apply_gradients(zip(grads, vae.trainable_weights))
        metric(loss)
    history.append(metric.result().numpy())
print(
    "falls: %s" % (history[-1] < 0.6 * history[0]), len(vae.losses), [m.name for m in vae.metrics]
)
vae.compile(optimizer, loss=tf.keras.losses.MeanSquaredError())
fitted = vae.fit(x, x, epochs=2, batch_size=64, verbose=0)
print(sorted(fitted.history), [w.name for w in vae.encoder.weights][:2])
assert history[-1] < 0.6 * history[0]


class Antirectifier(layers.Layer):
    def __init__(self, initializer="he_normal", **kwargs):
        super().__init__(**kwargs)
        self.initializer = tf.keras.initializers.get(initializer)

    def build(self, input_shape):
        self.kernel = self.add_weight(
            "kernel", shape=(input_shape[-1] * 2, 4), initializer=self.initializer, trainable=True
        )

    def call(self, inputs, training=None):
        inputs -= tf.reduce_mean(inputs, axis=-1, keepdims=True)
        return tf.matmul(tf.concat([tf.nn.relu(inputs), tf.nn.relu(-inputs)], -1), self.kernel)

    def get_config(self):
        config = super().get_config()
        config.update({"initializer": tf.keras.initializers.serialize(self.initializer)})
        return config


inputs = tf.keras.Input(shape=(8,), name="numbers")
outputs = layers.Dense(1, name="out")(Antirectifier(name="anti")(inputs))
model = tf.keras.Model(inputs=inputs, outputs=outputs)
path = os.path.join(tempfile.mkdtemp(), "model.h5")
model.save(path)
again = tf.keras.models.load_model(
    path, custom_objects={"Antirectifier": Antirectifier}, compile=False
)
rows = np.random.RandomState(0).randn(4, 8).astype("float32")
print(
    np.allclose(model(rows), again(rows)),
    again.get_layer("anti").get_config()["initializer"]["class_name"],
)
folder = tempfile.mkdtemp()
vae.save_weights(os.path.join(folder, "vae"), save_format="tf")
other = VAE()
other.load_weights(os.path.join(folder, "vae")).expect_partial()
other(x[:1])
print(
    np.allclose(other.decoder(np.ones([1, 3], "float32")), vae.decoder(np.ones([1, 3], "float32")))
)
