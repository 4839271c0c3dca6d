"""Epochs of `tf.keras` models' `fit`, which TensorFlow runs in graph mode.

Both contenders start from the same weights and see the same batches, so the losses agree.
"""

import numpy as np

import cnn
from workload import Case, Target, Workload


def fitting_case(model, x, y, batch):
    """A Case of epochs over the data; the loss of the first one is what is compared."""

    def epoch():
        history = model.fit(x, y, batch_size=batch, epochs=1, shuffle=False, verbose=0)
        return history.history["loss"][0]

    def run(count):
        for _ in range(count):
            epoch()

    return Case(run, lambda: [epoch()])


def filled(model):
    """The model with weights that depend on their shapes only."""
    generator = np.random.default_rng(2)
    values = []
    for weight in model.get_weights():
        fan_in = np.prod(weight.shape[:-1]) or 1
        scale = 0.0 if weight.ndim == 1 else np.sqrt(1 / fan_in)
        values.append(generator.normal(scale=scale, size=weight.shape).astype(np.float32))
    model.set_weights(values)
    return model


def classifier(tf, *layers, metrics=()):
    """A compiled row of layers that ends in logits."""
    model = filled(tf.keras.Sequential(list(layers)))
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(1e-4), loss, metrics=list(metrics))
    return model


def perceptron(tf):
    """200 steps of a small dense network: what is measured is mostly the loop around it."""
    layers = tf.keras.layers
    generator = np.random.default_rng(0)
    x = generator.random((6400, 784), np.float32)
    model = classifier(
        tf,
        tf.keras.Input((784,)),
        layers.Dense(128, activation="relu"),
        layers.Dense(10),
        metrics=["accuracy"],
    )
    return fitting_case(model, x, generator.integers(0, 10, 6400), 32)


def convolutions(tf):
    """The second network of the training steps, on 640 images."""
    layers = tf.keras.layers
    net = cnn.LARGE
    generator = np.random.default_rng(0)
    x = generator.random((10 * net.batch, 28, 28, 1), np.float32)
    blocks = []
    for channels in net.channels:
        blocks.append(layers.Conv2D(channels, 3, padding="same", activation="relu"))
        blocks.append(layers.MaxPooling2D())
    dense = [layers.Dense(units, activation="relu") for units in net.dense[:-1]]
    model = classifier(
        tf,
        tf.keras.Input((28, 28, 1)),
        *blocks,
        layers.Flatten(),
        *dense,
        layers.Dense(net.dense[-1]),
    )
    return fitting_case(model, x, generator.integers(0, 10, len(x)), net.batch)


def recurrent(tf):
    """Four steps of LSTM(128) over 100 steps of 32 features."""
    layers = tf.keras.layers
    generator = np.random.default_rng(0)
    x = generator.normal(size=(256, 100, 32)).astype(np.float32)
    model = classifier(tf, tf.keras.Input((100, 32)), layers.LSTM(128), layers.Dense(10))
    return fitting_case(model, x, generator.integers(0, 10, len(x)), 64)


def transformer(tf):
    """Four steps of a transformer block, 256 wide, with 4 heads and 128 tokens."""
    layers = tf.keras.layers
    generator = np.random.default_rng(0)
    x = generator.normal(size=(64, 128, 256)).astype(np.float32)
    tokens = tf.keras.Input((128, 256))
    attended = layers.MultiHeadAttention(4, 64)(tokens, tokens)
    h = layers.LayerNormalization()(layers.Add()([tokens, attended]))
    wide = layers.Dense(256)(layers.Dense(1024, activation="relu")(h))
    h = layers.LayerNormalization()(layers.Add()([h, wide]))
    logits = layers.Dense(10)(layers.GlobalAveragePooling1D()(h))
    model = filled(tf.keras.Model(tokens, logits))
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(1e-4), loss)
    return fitting_case(model, x, generator.integers(0, 10, len(x)), 16)


def on_both(build):
    """The two contenders that have `fit`."""
    return {"eagerflow": build, "tensorflow": build}


WORKLOADS = [
    Workload(
        "fit_mlp",
        "fit: 784-128-10, batch 32, 200 steps",
        Target("tensorflow", 0.25),
        on_both(perceptron),
    ),
    Workload(
        "fit_cnn",
        "fit: 28×28 CNN, batch 64, 10 steps",
        Target("tensorflow", 0.85),
        on_both(convolutions),
    ),
    Workload(
        "fit_lstm",
        "fit: LSTM(128) over 100 steps, batch 64, 4 steps",
        Target("tensorflow", 0.8),
        on_both(recurrent),
    ),
    Workload(
        "fit_transformer",
        "fit: transformer block, batch 16, 4 steps",
        Target("tensorflow", 0.85),
        on_both(transformer),
    ),
]
