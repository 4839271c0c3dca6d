"""Epochs of `tf.keras` models' `fit`, which TensorFlow runs in graph mode.

All contenders start from the same weights and see the same batches, so the losses agree. PyTorch
and programs with a loop of their own do the steps that `fit` does.
"""

import numpy as np

import cnn
import keras_torch
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


def loop_case(tf, model, x, y, batch):
    """The same by a loop of one's own over a dataset, as programs without `fit` write it."""
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(batch)

    def epoch():
        total = 0.0
        for images, labels in data:
            with tf.GradientTape() as tape:
                loss = model.loss(labels, model(images, training=True))
            gradients = tape.gradient(loss, model.trainable_variables)
            model.optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            total += loss
        return float(total) * batch / len(x)

    def run(count):
        for _ in range(count):
            epoch()

    return Case(run, lambda: [epoch()])


def filled(model):
    """The model with matrices that depend on their shapes only."""
    matrices = keras_torch.Matrices()
    model.set_weights([w if w.ndim == 1 else matrices(*w.shape) for w in model.get_weights()])
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


def network(tf):
    """The second network of the training steps, and 6,400 images: 100 steps."""
    layers = tf.keras.layers
    net = cnn.LARGE
    generator = np.random.default_rng(0)
    x = generator.random((100 * net.batch, 28, 28, 1), np.float32)
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
    return model, x, generator.integers(0, 10, len(x)), net.batch


def convolutions(tf):
    """`fit` of that network."""
    return fitting_case(*network(tf))


def convolutions_by_loop(tf):
    """A program's own loop over the same batches."""
    return loop_case(tf, *network(tf))


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
        "fit: 28×28 CNN, batch 64, 6,400 images",
        Target("tensorflow", 0.85),
        on_both(convolutions),
    ),
    Workload(
        "loop_cnn",
        "the same by a loop of one's own",
        Target("fit", 1.05),
        {"eagerflow": convolutions_by_loop, "fit": convolutions},
    ),
    Workload(
        "fit_lstm",
        "fit: LSTM(128) over 100 steps, batch 64, 4 steps",
        Target("tensorflow", 0.8),
        on_both(recurrent) | {"torch": keras_torch.recurrent},
        also=(Target("torch", 1.0),),
    ),
    Workload(
        "fit_transformer",
        "fit: transformer block, batch 16, 4 steps",
        Target("tensorflow", 0.85),
        on_both(transformer) | {"torch": keras_torch.transformer},
        also=(Target("torch", 0.9),),
    ),
]
