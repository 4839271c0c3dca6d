"""Programs written for Keras 3 on TensorFlow: blocks of transformers, networks with their own steps."""

import numpy as np
import pytest

import eagerflow as tf

keras = tf.keras


layers, ops = keras.layers, keras.ops


class Positions(layers.Layer):
    """Embeddings of words and of their places."""

    def __init__(self, length, words, size, **kwargs):
        super().__init__(**kwargs)
        self.words = layers.Embedding(words, size)
        self.places = layers.Embedding(length, size)

    def call(self, x):
        return self.words(x) + self.places(ops.arange(0, ops.shape(x)[-1], 1))

    def compute_mask(self, inputs, mask=None):
        return ops.not_equal(inputs, 0)


class Encoder(layers.Layer):
    """Attention to the sequence itself, and a network with layers in a row."""

    def __init__(self, size, heads, **kwargs):
        super().__init__(**kwargs)
        self.attention = layers.MultiHeadAttention(num_heads=heads, key_dim=size)
        self.dense = keras.Sequential([layers.Dense(size, activation="relu"), layers.Dense(size)])
        self.norms = [layers.LayerNormalization() for _ in range(2)]
        self.supports_masking = True

    def call(self, inputs, mask=None):
        allowed = None if mask is None else ops.cast(mask[:, None, :], "int32")
        attended = self.attention(query=inputs, value=inputs, key=inputs, attention_mask=allowed)
        x = self.norms[0](inputs + attended)
        return self.norms[1](x + self.dense(x))


class Decoder(layers.Layer):
    """Attention to what came before, and to another sequence."""

    def __init__(self, size, heads, **kwargs):
        super().__init__(**kwargs)
        self.own = layers.MultiHeadAttention(heads, size)
        self.other = layers.MultiHeadAttention(heads, size)
        self.norms = [layers.LayerNormalization() for _ in range(2)]
        self.supports_masking = True

    def call(self, inputs, mask=None):
        inputs, encoded = inputs
        query_mask, key_mask = (None, None) if mask is None else mask
        batch, length = ops.shape(inputs)[:2]
        causal = ops.cast(ops.arange(length)[:, None] >= ops.arange(length), "int32")
        causal = ops.tile(ops.reshape(causal, (1, length, length)), (batch, 1, 1))
        x = self.own(inputs, inputs, attention_mask=causal, query_mask=query_mask)
        x = self.norms[0](inputs + x)
        y, scores = self.other(
            query=x,
            value=encoded,
            key=encoded,
            query_mask=query_mask,
            key_mask=key_mask,
            return_attention_scores=True,
        )
        return self.norms[1](x + y)


def test_a_classifier_of_sequences():
    keras.utils.set_random_seed(1)
    x = np.random.randint(1, 50, (128, 12))
    y = (x[:, 0] > 25).astype("int32")
    inputs = layers.Input(shape=(12,))
    hidden = Encoder(16, 2)(Positions(12, 50, 16)(inputs))
    hidden = layers.GlobalAveragePooling1D()(hidden)
    outputs = layers.Dense(2, activation="softmax")(hidden)
    model = keras.Model(inputs=inputs, outputs=outputs)
    model.compile(keras.optimizers.AdamW(3e-3), "sparse_categorical_crossentropy", ["accuracy"])
    history = model.fit(x, y, batch_size=32, epochs=8, validation_split=0.25, verbose=0).history
    assert history["loss"][-1] < 0.8 * history["loss"][0]


def test_a_translator_of_sequences_of_any_length():
    """A row of layers inside a layer takes lengths that no layer knew before."""
    keras.utils.set_random_seed(2)
    source = keras.Input(shape=(None,), dtype="int64", name="source")
    target = keras.Input(shape=(None,), dtype="int64", name="target")
    encoded = Encoder(16, 2)(Positions(10, 20, 16)(source))
    decoded = Decoder(16, 2)([Positions(10, 20, 16)(target), encoded])
    words = layers.Dense(20, activation="softmax")(decoded)
    model = keras.Model({"source": source, "target": target}, words)
    assert words.shape.as_list() == [None, None, 20]
    loss = keras.losses.SparseCategoricalCrossentropy(ignore_class=0)
    model.compile(keras.optimizers.Adam(1e-2), loss=loss, metrics=["accuracy"])
    x = np.random.randint(1, 20, (64, 6))
    x[:32, 4:] = 0
    before = np.concatenate([np.ones((64, 1), "int64"), x[:, :-1]], 1)
    history = model.fit({"source": x, "target": before}, x, epochs=6, verbose=0).history
    assert history["loss"][-1] < 0.85 * history["loss"][0]
    assert model.predict({"source": x[:2, :3], "target": x[:2, :5]}, verbose=0).shape == (2, 5, 20)


class Sampling(layers.Layer):
    """Normal numbers with given means and logarithms of variances."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.seeds = keras.random.SeedGenerator(1337)

    def call(self, inputs):
        mean, log_variance = inputs
        noise = keras.random.normal(shape=ops.shape(mean), seed=self.seeds)
        return mean + ops.exp(0.5 * log_variance) * noise


class VAE(keras.Model):
    """A variational autoencoder with a step of its own."""

    def __init__(self, encoder, decoder, **kwargs):
        super().__init__(**kwargs)
        self.encoder, self.decoder = encoder, decoder
        self.total = keras.metrics.Mean(name="total_loss")

    @property
    def metrics(self):
        return [self.total]

    def train_step(self, data):
        with tf.GradientTape() as tape:
            mean, log_variance, code = self.encoder(data)
            output = self.decoder(code)
            error = ops.mean(ops.sum(keras.losses.binary_crossentropy(data, output), axis=(1, 2)))
            distance = -0.5 * (1 + log_variance - ops.square(mean) - ops.exp(log_variance))
            loss = error + ops.mean(ops.sum(distance, axis=1))
        gradients = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_weights, strict=True))
        self.total.update_state(loss)
        return {m.name: m.result() for m in self.metrics}


def train_vae():
    keras.utils.set_random_seed(3)
    images = keras.Input(shape=(8, 8, 1))
    x = layers.Conv2D(4, 3, activation="relu", strides=2, padding="same")(images)
    x = layers.Dense(16, activation="relu")(layers.Flatten()(x))
    mean, log_variance = layers.Dense(2)(x), layers.Dense(2)(x)
    encoder = keras.Model(images, [mean, log_variance, Sampling()([mean, log_variance])])
    code = keras.Input(shape=(2,))
    x = layers.Reshape((4, 4, 4))(layers.Dense(64, activation="relu")(code))
    x = layers.Conv2DTranspose(1, 3, activation="sigmoid", strides=2, padding="same")(x)
    model = VAE(encoder, keras.Model(code, x))
    model.compile(optimizer=keras.optimizers.Adam(1e-2))
    return model.fit(np.tri(8)[None, :, :, None].repeat(64, 0), epochs=20, verbose=0).history


def test_a_variational_autoencoder_is_the_same_each_time():
    history = train_vae()
    assert history == train_vae()
    assert history["total_loss"][-1] < 0.8 * history["total_loss"][0]


def test_columns_of_a_table(tmp_path):
    """Layers that were adapted to numbers and words, in a model that is saved and loaded."""
    keras.utils.set_random_seed(4)
    age = np.random.randint(20, 80, (60, 1)).astype("float32")
    kind = np.random.choice(["fixed", "normal", "reversible"], (60, 1))
    y = (kind == "fixed").astype("float32")
    rows = tf.data.Dataset.from_tensor_slices(({"age": age, "kind": kind}, y)).batch(10)
    inputs = {
        "age": keras.Input((1,), name="age"),
        "kind": keras.Input((1,), name="kind", dtype="string"),
    }
    norm, lookup = layers.Normalization(), layers.StringLookup(output_mode="one_hot")
    norm.adapt(rows.map(lambda x, y: x["age"]))
    lookup.adapt(rows.map(lambda x, y: x["kind"]))
    x = layers.concatenate([norm(inputs["age"]), lookup(inputs["kind"])])
    model = keras.Model(inputs, layers.Dense(1, activation="sigmoid")(x))
    model.compile(keras.optimizers.Adam(0.1), "binary_crossentropy", auto_scale_loss=False)
    history = model.fit(rows, epochs=6, verbose=0).history
    assert history["loss"][-1] < 0.5 * history["loss"][0]
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(again.predict(rows, verbose=0), model.predict(rows, verbose=0))


def test_symbolic_operations():
    """Operations on inputs become layers, whose models are saved and loaded."""
    x = keras.Input((4, 3))
    y = ops.concatenate([ops.softmax(x), ops.square(x)], axis=-1)
    assert ops.shape(y) == (None, 4, 6)
    y = ops.mean(ops.where(y > 0.5, y, ops.zeros_like(y)), axis=1)
    model = keras.Model(x, y)
    value = np.random.rand(2, 4, 3).astype("float32")
    both = np.concatenate([np.exp(value) / np.exp(value).sum(-1, keepdims=True), value**2], -1)
    np.testing.assert_allclose(model(value), np.where(both > 0.5, both, 0).mean(1), rtol=1e-5)
    again = keras.Model.from_config(model.get_config())
    np.testing.assert_array_equal(again(value), model(value))


def test_seeds():
    seeds = keras.random.SeedGenerator(5)
    one, other = (keras.random.uniform((3,), seed=seeds).numpy() for _ in range(2))
    assert (one != other).all()
    np.testing.assert_array_equal(one, keras.random.uniform((3,), seed=5))
    runs = []
    for _ in range(2):
        keras.utils.set_random_seed(9)
        runs.append([keras.random.normal((2,)).numpy() for _ in range(2)])
    np.testing.assert_array_equal(runs[0], runs[1])
    assert (runs[0][0] != runs[0][1]).all()
    ones = np.ones((64,), "float32")
    assert set(np.unique(keras.random.dropout(ones, 0.5, seed=1))) == {0.0, 2.0}
    assert sorted(keras.random.shuffle(np.arange(9), seed=2).numpy()) == list(range(9))
    for numbers in (
        keras.random.beta((500,), 2.0, 2.0, seed=3).numpy() * 2,
        keras.random.gamma((500,), 1.0, seed=3).numpy(),
        keras.random.binomial((500,), 2.0, 0.5, seed=3).numpy(),
    ):
        assert numbers.shape == (500,) and abs(numbers.mean() - 1.0) < 0.2
    with pytest.raises(ValueError, match="integer"):
        keras.random.SeedGenerator(1.5)


def test_names_of_keras_3():
    """Losses of masks, a normalization, activations and settings that Keras 2 does not have."""
    mask, guess = np.eye(3, dtype="float32"), np.full((3, 3), 0.25, "float32")
    both = np.sum(mask * guess)
    np.testing.assert_allclose(
        keras.losses.Dice()(mask, guess), 1 - 2 * both / (mask.sum() + guess.sum()), rtol=1e-5
    )
    loss = keras.losses.Tversky(alpha=0.3, beta=0.7)
    rest = 0.3 * np.sum((1 - mask) * guess) + 0.7 * np.sum(mask * (1 - guess))
    np.testing.assert_allclose(loss(mask, guess), 1 - both / (both + rest), rtol=1e-5)
    assert keras.losses.Tversky.from_config(loss.get_config())(mask, guess) == loss(mask, guess)
    x = np.random.rand(2, 3, 4).astype("float32")
    layer = layers.RMSNormalization(axis=[-1, -2])
    expected = x / np.sqrt((x**2).mean((1, 2), keepdims=True) + 1e-6)
    np.testing.assert_allclose(layer(x), expected, rtol=1e-5)
    dense = layers.Dense(2, activation="hard_swish")
    again = layers.Dense.from_config(dense.get_config())
    value = tf.constant([-4.0, 1.0])
    np.testing.assert_allclose(again.activation(value), [0.0, 2 / 3], rtol=1e-5)
    np.testing.assert_allclose(keras.activations.hard_swish(value), [0.0, 2 / 3], rtol=1e-5)
    assert keras.config.backend() == "tensorflow" and keras.config.floatx() == "float32"
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        assert layers.Dense(1).compute_dtype == "bfloat16"
        assert keras.config.dtype_policy().name == "mixed_bfloat16"
    finally:
        keras.mixed_precision.set_dtype_policy(None)
    keras.utils.clear_session()
