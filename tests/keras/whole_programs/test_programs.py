"""Small models of the kinds that programs train, trained."""

import numpy as np

import eagerflow as tf

layers = tf.keras.layers


def test_digits_are_learnt():
    load_digits = __import__("sklearn.datasets", fromlist=["load_digits"]).load_digits
    digits = load_digits()
    images = (digits.images / 16).astype(np.float32)[..., None]
    tf.random.set_seed(1)
    model = tf.keras.Sequential(
        [
            layers.Conv2D(16, 3, padding="same", activation="relu", input_shape=(8, 8, 1)),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dropout(0.3),
            layers.Dense(10),
        ]
    )
    model.compile(
        tf.keras.optimizers.Adam(2e-3),
        tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    history = model.fit(
        images[:1400],
        digits.target[:1400],
        epochs=6,
        verbose=0,
        validation_data=(images[1400:], digits.target[1400:]),
    )
    assert history.history["val_accuracy"][-1] > 0.9
    assert history.history["loss"][-1] < 0.2


class GAN(tf.keras.Model):
    """Learns to draw pairs of numbers from a circle."""

    def __init__(self, discriminator, generator, latent_dim):
        super().__init__()
        self.discriminator = discriminator
        self.generator = generator
        self.latent_dim = latent_dim

    def compile(self, d_optimizer, g_optimizer, loss_fn):
        super().compile()
        self.d_optimizer = d_optimizer
        self.g_optimizer = g_optimizer
        self.loss_fn = loss_fn
        self.d_loss_metric = tf.keras.metrics.Mean(name="d_loss")
        self.g_loss_metric = tf.keras.metrics.Mean(name="g_loss")

    @property
    def metrics(self):
        return [self.d_loss_metric, self.g_loss_metric]

    def train_step(self, real):
        batch_size = tf.shape(real)[0]
        noise = tf.random.normal(shape=(batch_size, self.latent_dim))
        combined = tf.concat([self.generator(noise), real], axis=0)
        labels = tf.concat([tf.ones((batch_size, 1)), tf.zeros((batch_size, 1))], axis=0)
        with tf.GradientTape() as tape:
            d_loss = self.loss_fn(labels, self.discriminator(combined))
        grads = tape.gradient(d_loss, self.discriminator.trainable_weights)
        self.d_optimizer.apply_gradients(
            zip(grads, self.discriminator.trainable_weights, strict=True)
        )
        noise = tf.random.normal(shape=(batch_size, self.latent_dim))
        with tf.GradientTape() as tape:
            predictions = self.discriminator(self.generator(noise))
            g_loss = self.loss_fn(tf.zeros((batch_size, 1)), predictions)
        grads = tape.gradient(g_loss, self.generator.trainable_weights)
        self.g_optimizer.apply_gradients(zip(grads, self.generator.trainable_weights, strict=True))
        self.d_loss_metric.update_state(d_loss)
        self.g_loss_metric.update_state(g_loss)
        return {"d_loss": self.d_loss_metric.result(), "g_loss": self.g_loss_metric.result()}


def test_adversarial_networks():
    tf.random.set_seed(2)
    angles = np.random.default_rng(0).uniform(0, 2 * np.pi, 512)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=-1).astype(np.float32)
    discriminator = tf.keras.Sequential(
        [tf.keras.Input([2]), layers.Dense(32), layers.LeakyReLU(0.2), layers.Dense(1)],
        name="discriminator",
    )
    generator = tf.keras.Sequential(
        [tf.keras.Input([4]), layers.Dense(32, activation="relu"), layers.Dense(2)],
        name="generator",
    )
    before = [w.copy() for w in generator.get_weights()]
    gan = GAN(discriminator, generator, latent_dim=4)
    gan.compile(
        tf.keras.optimizers.Adam(1e-3),
        tf.keras.optimizers.Adam(1e-3),
        tf.keras.losses.BinaryCrossentropy(from_logits=True),
    )
    data = tf.data.Dataset.from_tensor_slices(circle).shuffle(512, seed=1).batch(64)
    history = gan.fit(data, epochs=12, verbose=0)
    assert list(history.history) == ["d_loss", "g_loss"]
    values = np.array([history.history["d_loss"], history.history["g_loss"]])
    assert np.isfinite(values).all()
    assert all(
        not np.array_equal(a, b) for a, b in zip(before, generator.get_weights(), strict=True)
    )
    drawn = generator(tf.random.normal([256, 4])).numpy()
    assert 0.4 < np.mean(np.linalg.norm(drawn, axis=-1)) < 1.8


class Sampling(layers.Layer):
    def call(self, inputs):
        mean, log_variance = inputs
        batch, size = tf.shape(mean)[0], tf.shape(mean)[1]
        noise = tf.random.normal(shape=(batch, size))
        return mean + tf.exp(0.5 * log_variance) * noise


class VAE(tf.keras.Model):
    def __init__(self, encoder, decoder, **kwargs):
        super().__init__(**kwargs)
        self.encoder = encoder
        self.decoder = decoder
        self.total = tf.keras.metrics.Mean(name="total_loss")
        self.reconstruction = tf.keras.metrics.Mean(name="reconstruction_loss")
        self.kl = tf.keras.metrics.Mean(name="kl_loss")

    @property
    def metrics(self):
        return [self.total, self.reconstruction, self.kl]

    def train_step(self, data):
        with tf.GradientTape() as tape:
            z_mean, z_log_var, z = self.encoder(data)
            reconstruction = self.decoder(z)
            reconstruction_loss = tf.reduce_mean(
                tf.reduce_sum(
                    tf.keras.losses.binary_crossentropy(data, reconstruction), axis=(1, 2)
                )
            )
            kl_loss = -0.5 * (1 + z_log_var - tf.square(z_mean) - tf.exp(z_log_var))
            kl_loss = tf.reduce_mean(tf.reduce_sum(kl_loss, axis=1))
            total_loss = reconstruction_loss + kl_loss
        grads = tape.gradient(total_loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(grads, self.trainable_weights, strict=True))
        self.total.update_state(total_loss)
        self.reconstruction.update_state(reconstruction_loss)
        self.kl.update_state(kl_loss)
        return {metric.name: metric.result() for metric in self.metrics}


def test_variational_autoencoder():
    load_digits = __import__("sklearn.datasets", fromlist=["load_digits"]).load_digits
    images = (load_digits().images[:512] / 16).astype(np.float32)[..., None]
    tf.random.set_seed(3)
    inputs = tf.keras.Input(shape=(8, 8, 1))
    x = layers.Conv2D(8, 3, activation="relu", strides=2, padding="same")(inputs)
    x = layers.Dense(16, activation="relu")(layers.Flatten()(x))
    z_mean = layers.Dense(2, name="z_mean")(x)
    z_log_var = layers.Dense(2, name="z_log_var")(x)
    z = Sampling()([z_mean, z_log_var])
    encoder = tf.keras.Model(inputs, [z_mean, z_log_var, z], name="encoder")
    latent = tf.keras.Input(shape=(2,))
    x = layers.Dense(4 * 4 * 8, activation="relu")(latent)
    x = layers.Reshape((4, 4, 8))(x)
    x = layers.Conv2DTranspose(8, 3, activation="relu", strides=2, padding="same")(x)
    outputs = layers.Conv2DTranspose(1, 3, activation="sigmoid", padding="same")(x)
    decoder = tf.keras.Model(latent, outputs, name="decoder")
    assert decoder.output_shape == (None, 8, 8, 1)
    vae = VAE(encoder, decoder)
    vae.compile(optimizer=tf.keras.optimizers.Adam(3e-3))
    history = vae.fit(images, epochs=8, batch_size=64, verbose=0).history
    assert history["total_loss"][-1] < 0.85 * history["total_loss"][0]
    assert history["kl_loss"][-1] > 0
    assert vae.decoder.predict(np.zeros([1, 2]), verbose=0).shape == (1, 8, 8, 1)


def test_sequence_to_sequence_with_attention():
    """Sequences are turned around: the decoder must look back at the right places."""
    tf.random.set_seed(4)
    generator = np.random.default_rng(0)
    length, words = 5, 8
    source = generator.integers(2, words, size=[512, length])
    target = source[:, ::-1]
    decoder_in = np.concatenate([np.ones([512, 1], int), target[:, :-1]], axis=1)

    encoder_input = tf.keras.Input([length], dtype="int32", name="source")
    embedded = layers.Embedding(words, 16, mask_zero=True)(encoder_input)
    encoded, h, c = layers.LSTM(32, return_sequences=True, return_state=True)(embedded)
    decoder_input = tf.keras.Input([length], dtype="int32", name="target")
    shifted = layers.Embedding(words, 16, mask_zero=True)(decoder_input)
    decoded = layers.LSTM(32, return_sequences=True)(shifted, initial_state=[h, c])
    context = layers.Attention(use_scale=True)([decoded, encoded])
    logits = layers.Dense(words)(layers.Concatenate()([decoded, context]))
    model = tf.keras.Model([encoder_input, decoder_input], logits)
    assert model.output_shape == (None, length, words)
    model.compile(
        tf.keras.optimizers.Adam(1e-2),
        tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    history = model.fit([source, decoder_in], target, batch_size=64, epochs=12, verbose=0).history
    assert history["accuracy"][-1] > 0.6
    assert history["loss"][-1] < 0.6 * history["loss"][0]


def test_tables_with_words():
    """Numbers and words from a table: lookup, one-hot encoding and normalisation in the model."""
    tf.random.set_seed(5)
    ages = np.arange(32.0)
    kinds = np.array(["cat", "dog", "cat", "fish"] * 8)
    price = (ages / 32 + (kinds == "dog")).astype(np.float32)
    inputs = {
        "age": tf.keras.Input([1], name="age"),
        "kind": tf.keras.Input([1], name="kind", dtype=tf.string),
    }
    normalise = layers.Normalization(axis=None)
    normalise.adapt(ages)
    lookup = layers.StringLookup(vocabulary=["cat", "dog", "fish"])
    encoded = layers.CategoryEncoding(4, output_mode="one_hot")(lookup(inputs["kind"]))
    joined = layers.concatenate([normalise(inputs["age"]), encoded])
    model = tf.keras.Model(inputs, layers.Dense(1)(joined))
    model.compile(tf.keras.optimizers.Adam(0.05), "mse")
    data = tf.data.Dataset.from_tensor_slices(({"age": ages, "kind": kinds}, price))
    history = model.fit(data.shuffle(32, seed=1).batch(8), epochs=40, verbose=0).history
    assert history["loss"][-1] < 0.05 * history["loss"][0]
    rows = {"age": np.array([[16.0]]), "kind": np.array([["dog"]])}
    assert abs(model.predict(rows, verbose=0)[0, 0] - 1.5) < 0.3


def test_images_made_larger_and_changed():
    """A model that mixes layers and functions on images, a frozen one inside."""
    tf.random.set_seed(6)
    inside = tf.keras.Sequential(
        [tf.keras.Input([8, 8, 3]), layers.SeparableConv2D(4, 3), layers.BatchNormalization()]
    )
    inside.trainable = False
    x = tf.keras.Input([16, 16, 3])
    h = layers.Rescaling(1 / 127.5, offset=-1)(layers.RandomFlip("horizontal")(x))
    h = inside(tf.image.resize(h, [8, 8]), training=False)
    model = tf.keras.Model(x, layers.Dense(2)(layers.GlobalMaxPooling2D()(h)))
    assert model.output_shape == (None, 2)
    assert len(model.trainable_weights) == 2
    before = inside.get_weights()
    model.compile("adam", "mse")
    images = np.random.default_rng(0).integers(0, 255, [8, 16, 16, 3])
    assert np.isfinite(model.fit(images, np.ones([8, 2]), verbose=0).history["loss"][0])
    assert all(np.array_equal(a, b) for a, b in zip(before, inside.get_weights(), strict=True))
