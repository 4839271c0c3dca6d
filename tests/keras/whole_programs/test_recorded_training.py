"""Whole trainings with seeds: the losses that Keras 2 on TensorFlow 2.21 gives."""

import numpy as np
import pytest

import eagerflow as tf

keras = tf.keras


layers = tf.keras.layers


def with_dropout(data):
    model = keras.Sequential(
        [
            layers.Dense(8, activation="relu", input_shape=(4,)),
            layers.Dropout(0.4),
            layers.GaussianNoise(0.1),
            layers.Dense(1),
        ]
    )
    model.compile("adam", "mse")
    x = data.rand(50, 4)
    return model.fit(x, x.sum(1), batch_size=16, epochs=3, verbose=0, validation_split=0.2)


class Sampling(layers.Layer):
    def call(self, inputs):
        mean, log_variance = inputs
        return mean + tf.exp(0.5 * log_variance) * tf.random.normal(tf.shape(mean))


class Autoencoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = layers.Dense(6, activation="tanh")
        self.mean, self.log_variance = layers.Dense(2), layers.Dense(2)
        self.sampling = Sampling()
        self.decoder = keras.Sequential([layers.Dense(6, activation="tanh"), layers.Dense(5)])

    def train_step(self, data):
        with tf.GradientTape() as tape:
            hidden = self.hidden(data)
            mean, log_variance = self.mean(hidden), self.log_variance(hidden)
            output = self.decoder(self.sampling((mean, log_variance)))
            spread = 1 + log_variance - tf.square(mean) - tf.exp(log_variance)
            loss = tf.reduce_mean(tf.square(output - data)) - 0.05 * tf.reduce_mean(spread)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))  # noqa: B905
        return {"loss": loss}


def of_a_variational_autoencoder(data):
    model = Autoencoder()
    model.compile(keras.optimizers.Adam(0.02))
    x = data.rand(40, 5).astype("float32")
    dataset = tf.data.Dataset.from_tensor_slices(x).shuffle(40).batch(8)
    return model.fit(dataset, epochs=3, verbose=0)


class Tokens(layers.Layer):
    def __init__(self):
        super().__init__()
        self.words = layers.Embedding(20, 8, mask_zero=True)
        self.places = layers.Embedding(6, 8)

    def call(self, inputs):
        return self.words(inputs) + self.places(tf.range(tf.shape(inputs)[-1]))

    def compute_mask(self, inputs, mask=None):
        return self.words.compute_mask(inputs)


def of_a_transformer(data):
    inputs = keras.Input((6,), dtype="int32")
    x = Tokens()(inputs)
    attended = layers.MultiHeadAttention(2, 4, dropout=0.2)(x, x, use_causal_mask=True)
    x = layers.LayerNormalization()(x + layers.Dropout(0.1)(attended))
    model = keras.Model(inputs, layers.Dense(20)(x))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.AdamW(0.01, weight_decay=0.01), loss, metrics=["accuracy"])
    words = data.randint(1, 20, (30, 7))
    words[:8, 5:] = 0
    return model.fit(words[:, :-1], words[:, 1:], batch_size=10, epochs=3, verbose=0)


def of_changed_images(data):
    model = keras.Sequential(
        [
            layers.RandomFlip("horizontal", input_shape=(8, 8, 1)),
            layers.RandomTranslation(0.1, 0.2),
            layers.RandomContrast(0.2),
            layers.Conv2D(4, 3, activation="relu"),
            layers.SpatialDropout2D(0.25),
            layers.GlobalAveragePooling2D(),
            layers.Dense(3),
        ]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("rmsprop", loss, metrics=["accuracy"])
    images, labels = data.rand(24, 8, 8, 1).astype("float32"), data.randint(0, 3, 24)
    dataset = tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(24, seed=1)
    dataset = dataset.batch(6).cache().shuffle(4).prefetch(tf.data.AUTOTUNE)
    return model.fit(dataset, epochs=3, verbose=0)


def of_sentences(data):
    model = keras.Sequential(
        [
            layers.Embedding(15, 6, mask_zero=True, input_length=5),
            layers.Bidirectional(layers.LSTM(4, dropout=0.2, return_sequences=True)),
            layers.GRU(3, dropout=0.2),
            layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile("adamax", "binary_crossentropy", metrics=["accuracy"])
    words, labels = data.randint(0, 15, (32, 5)), data.randint(0, 2, 32)
    return model.fit(words, labels, batch_size=8, epochs=3, verbose=0, class_weight={0: 1, 1: 2})


EXPECTED: dict[str, dict[str, list[float]]] = {
    "with_dropout": {
        "loss": [3.4674, 3.7453, 3.575],
        "val_loss": [4.5208, 4.4251, 4.3318],
    },
    "of_a_variational_autoencoder": {
        "loss": [0.34759, 0.14988, 0.10771],
    },
    "of_a_transformer": {
        "loss": [3.0745, 2.8234, 2.6696],
        "accuracy": [0.077778, 0.15556, 0.18333],
    },
    "of_changed_images": {
        "loss": [1.0967, 1.1122, 1.1205],
        "accuracy": [0.29167, 0.29167, 0.29167],
    },
    "of_sentences": {
        "loss": [0.99639, 0.99266, 0.9912],
        "accuracy": [0.5, 0.4375, 0.4375],
    },
}


@pytest.mark.parametrize(
    "train",
    [with_dropout, of_a_variational_autoencoder, of_a_transformer, of_changed_images, of_sentences],
)
def test_trains_as_recorded(train):
    keras.utils.set_random_seed(21)
    history = train(np.random.RandomState(3)).history
    expected = EXPECTED[train.__name__]
    assert history.keys() == expected.keys()
    for name, values in expected.items():
        np.testing.assert_allclose(history[name], values, rtol=2e-3, err_msg=name)
