"""Keras's models in programs of version 1: in graphs, with sessions; values are TensorFlow's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eagerflow
from eagerflow.compat import v1 as tf

layers = tf.keras.layers
backend = tf.keras.backend
constant = eagerflow.keras.initializers.Constant
X = np.linspace(-1, 1, 32).reshape(16, 2).astype("float32")
Y = (X.sum(1, keepdims=True) > 0).astype("float32")


@pytest.fixture(autouse=True)
def graph() -> Iterator[None]:
    """Each test has a graph of its own."""
    with eagerflow.Graph().as_default():
        backend.set_session(None)
        yield
        backend.set_session(None)


def functional() -> Any:
    x = tf.keras.Input((2,))
    hidden = layers.Dense(3, activation="tanh", kernel_initializer=constant(0.1), name="h")(x)
    return tf.keras.Model(x, layers.Dense(1, kernel_initializer=constant(0.2), name="o")(hidden))


def test_fit_in_a_graph() -> None:
    """Training, evaluation and prediction run at once; losses of the program's may be of version 1."""
    model = tf.keras.Sequential(
        [
            layers.Dense(3, activation="relu", kernel_initializer=constant(0.1)),
            layers.Dense(1, kernel_initializer=constant(0.2)),
        ]
    )

    def loss(label: Any, guess: Any) -> Any:
        return tf.reduce_mean(tf.square(label - guess)) + 0.0 * tf.reduce_sum(guess)

    model.compile("sgd", loss)
    history = model.fit(X, Y, epochs=2, batch_size=8, shuffle=False, verbose=0).history
    np.testing.assert_allclose(history["loss"], [0.4406, 0.42], atol=1e-4)
    np.testing.assert_allclose(model.evaluate(X, Y, verbose=0), 0.4003, atol=1e-4)
    assert model.predict(X).shape == (16, 1)


def test_names_count_in_each_graph() -> None:
    """A layer's number does not depend on other graphs."""
    for _ in range(2):
        with eagerflow.Graph().as_default():
            x = tf.keras.Input((2,))
            hidden = layers.Dense(1)(x)
            model = tf.keras.Model(x, layers.Dense(1)(hidden))
            assert [v.name for v in model.weights] == [
                "dense/kernel:0",
                "dense/bias:0",
                "dense_1/kernel:0",
                "dense_1/bias:0",
            ]
            assert [v.name for v in tf.global_variables()] == [v.name for v in model.weights]


def test_sessions_train_a_model(tmp_path: Path) -> None:
    """Version 1's optimizers and Savers take a model's variables; its output is a graph's tensor."""
    model = functional()
    label = tf.placeholder(tf.float32, [None, 1])
    loss = tf.reduce_mean(tf.square(model.output - label))
    step = tf.train.AdamOptimizer(0.1).minimize(loss)
    saver = tf.train.Saver()
    feeds = {model.input: X, label: Y}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        losses = [session.run([loss, step], feeds)[0] for _ in range(3)]
        np.testing.assert_allclose(losses, [0.4435, 0.2123, 0.0704], atol=1e-4)
        kernel = model.get_layer("h").kernel
        path = saver.save(session, str(tmp_path / "model"))
        before = session.run(kernel)
        session.run(step, feeds)
        assert not np.allclose(session.run(kernel), before)
        saver.restore(session, path)
        np.testing.assert_array_equal(session.run(kernel), before)
        np.testing.assert_array_equal(model.get_weights()[0], before)
        total = session.run(tf.reduce_sum(model.trainable_weights[0]))
        np.testing.assert_allclose(total, 2.3131, atol=1e-4)
        hidden = session.run(model.get_layer("h").output, {model.input: X[:1]})
        np.testing.assert_allclose(hidden, [[-0.4284] * 3], atol=1e-4)
    assert "h/kernel/Adam_1" in [v.op.name for v in tf.global_variables()]


def test_fit_and_sessions_see_the_same() -> None:
    """What `fit` has changed is what a session computes with, and initializers start again."""
    model = functional()
    model.compile("sgd", "mse")
    x = tf.placeholder(tf.float32, [None, 2])
    output = model(x)
    session = backend.get_session()
    before = session.run(output, {x: X})
    model.fit(X, Y, verbose=0)
    after = session.run(output, {x: X})
    assert not np.allclose(before, after)
    np.testing.assert_allclose(after, model.predict(X), rtol=1e-6)
    session.run(tf.global_variables_initializer())
    np.testing.assert_array_equal(session.run(output, {x: X}), before)


def test_gradients_and_functions_of_models() -> None:
    """Derivatives by inputs, activations and weights; functions from inputs to activations."""
    x = tf.keras.Input((2,))
    output = layers.Dense(1, kernel_initializer=constant(0.2))(x)
    model = tf.keras.Model(x, output)
    session = backend.get_session()
    expected = X[:2].sum(1, keepdims=True) * 0.2
    np.testing.assert_allclose(session.run(output * 2, {x: X[:2]}), expected * 2, rtol=1e-5)
    (by_input,) = tf.gradients(output, x)
    np.testing.assert_allclose(session.run(by_input, {x: X[:2]}), [[0.2, 0.2]] * 2)
    by_weights = backend.gradients(output, model.trainable_weights)
    kernel, bias = session.run(by_weights, {x: X[:2]})
    np.testing.assert_allclose(kernel[:, 0], X[:2].sum(0), rtol=1e-6)
    np.testing.assert_allclose(bias, [2.0])
    (found,) = backend.function([x], [output])([X[:2]])
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_convolutions_on_placeholders() -> None:
    """Layers on tensors of a graph, trained by version 1's optimizer."""
    x = tf.placeholder(tf.float32, [None, 8, 8, 1])
    label = tf.placeholder(tf.int64, [None])
    n = layers.Conv2D(4, 3, activation="relu", kernel_initializer=constant(0.05))(x)
    n = layers.BatchNormalization()(layers.MaxPooling2D()(n))
    logits = layers.Dense(3, kernel_initializer=constant(0.01))(layers.Flatten()(n))
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label, logits=logits)
    )
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    images = np.random.RandomState(0).rand(6, 8, 8, 1)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        feeds = {x: images, label: [0, 1, 2, 0, 1, 2]}
        losses = [session.run([loss, step], feeds)[0] for _ in range(2)]
    np.testing.assert_allclose(losses, [1.09861, 1.09797], atol=1e-5)
    assert [v.name for v in tf.trainable_variables()][:3] == [
        "conv2d/kernel:0",
        "conv2d/bias:0",
        "batch_normalization/gamma:0",
    ]


def test_recurrent_models() -> None:
    """Version 1's LSTM has hard gates; a model with it is run by sessions and trained by `fit`."""
    model = tf.keras.Sequential(
        [
            layers.Embedding(10, 4, input_length=5, embeddings_initializer=constant(0.1)),
            layers.LSTM(3, kernel_initializer=constant(0.1), recurrent_initializer=constant(0.1)),
            layers.Dense(1, activation="sigmoid", kernel_initializer=constant(0.2)),
        ]
    )
    words = np.arange(30).reshape(6, 5) % 10
    session = backend.get_session()
    (hidden,) = backend.function([model.input], [model.layers[1].output])([words])
    np.testing.assert_allclose(hidden[0], [0.034] * 3, atol=1e-4)
    output = session.run(model.output, {model.input: words})
    np.testing.assert_allclose(output[0], [0.5051], atol=1e-4)
    np.testing.assert_allclose(output, model.predict(words), rtol=1e-5)
    (gradient,) = tf.gradients(model.output, model.layers[0].output)
    found = session.run(gradient, {model.input: words})
    assert found.shape == (6, 5, 4)
    assert np.abs(found).min() > 0
    model.compile("rmsprop", "binary_crossentropy")
    model.fit(words, np.ones((6, 1)), verbose=0)
    np.testing.assert_allclose(
        session.run(model.output, {model.input: words}), model.predict(words), rtol=1e-5
    )
    assert layers.GRU(2).reset_after is False


def test_fit_with_an_optimizer_of_version_1(tmp_path: Path) -> None:
    """Keras takes it; a file keeps the model without it."""
    dataset = tf.data.Dataset.from_tensor_slices((X, Y)).batch(4).repeat()
    model = tf.keras.Sequential(
        [
            layers.Dense(2, input_shape=(2,), kernel_initializer=constant(0.1)),
            layers.Dense(1, kernel_initializer=constant(0.1)),
        ]
    )
    model.compile(tf.train.GradientDescentOptimizer(0.1), "mse")
    history = model.fit(dataset, epochs=2, steps_per_epoch=4, verbose=0).history
    np.testing.assert_allclose(history["loss"], [0.3849, 0.2538], atol=1e-4)
    path = str(tmp_path / "model.h5")
    model.save(path)
    again = tf.keras.models.load_model(path)
    np.testing.assert_allclose(again.predict(X), model.predict(X))
    x = tf.placeholder(tf.float32, [None, 2])
    output = again(x)
    session = backend.get_session()
    np.testing.assert_allclose(session.run(output, {x: X[:1]}), [[0.4085]], atol=1e-4)
    again.set_weights([weight * 0 for weight in again.get_weights()])
    np.testing.assert_array_equal(session.run(output, {x: X[:1]}), [[0.0]])


def test_models_of_ones_own_class_on_placeholders() -> None:
    """Their layers are built by the call; weights are read and set in the session."""

    class Net(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.a = layers.Dense(3, activation="relu", kernel_initializer=constant(0.1))
            self.b = layers.Dense(1, kernel_initializer=constant(0.1))

        def call(self, x: Any) -> Any:
            return self.b(self.a(x))

    net = Net()
    x = tf.placeholder(tf.float32, [None, 2])
    output = net(x)
    assert [v.name for v in tf.global_variables()][:2] == [
        "net/dense/kernel:0",
        "net/dense/bias:0",
    ]
    decay = tf.add_n([tf.nn.l2_loss(v) for v in net.trainable_variables if "kernel" in v.name])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(output, {x: -X[:1]}), [[0.05806452]], rtol=1e-5)
        np.testing.assert_allclose(session.run(decay), 0.045, rtol=1e-5)
        weights = net.get_weights()
        assert [w.shape for w in weights] == [(2, 3), (3,), (3, 1), (1,)]
        net.set_weights([weight + 1 for weight in weights])
        np.testing.assert_allclose(session.run(decay), 5.445, rtol=1e-5)
    assert net.count_params() == 13


def test_lambdas_and_the_backends_values() -> None:
    """Functions of version 1 inside layers, and values by `eval`, `get_value` and `set_value`."""
    x = layers.Input((2,))
    z = layers.Dense(2, kernel_initializer=constant(0.3))(x)
    output = layers.Lambda(lambda t: tf.reduce_sum(tf.square(t), axis=1, keepdims=True))(z)
    model = tf.keras.models.Model(x, output)
    model.compile("sgd", "mse")
    np.testing.assert_allclose(model.predict(X[:1]), [[0.6743]], atol=1e-4)
    mean = backend.get_session().run(tf.reduce_mean(output), {x: X})
    np.testing.assert_allclose(mean, 0.2547, atol=1e-4)
    assert backend.eval(tf.constant(3.0)) == 3.0
    np.testing.assert_allclose(backend.get_value(model.layers[1].kernel), np.full((2, 2), 0.3))
    backend.set_value(model.layers[1].bias, np.array([1.0, 2.0]))
    np.testing.assert_allclose(model.predict(X[:1]), [[2.1904]], atol=1e-4)
    np.testing.assert_allclose(model.train_on_batch(X, Y), 25.636, atol=1e-2)


def pictures() -> Any:
    x = tf.keras.Input((6, 6, 3))
    n = layers.Conv2D(4, 3, activation="relu", name="conv", kernel_initializer=constant(0.05))(x)
    n = layers.GlobalAveragePooling2D()(layers.BatchNormalization()(n))
    n = layers.Dense(3, activation="softmax", kernel_initializer=constant(0.1))(n)
    return tf.keras.Model(x, n)


def test_pictures_that_please_a_model() -> None:
    """Functions of the backend give losses and gradients by what a model is given."""
    model = pictures()
    activations = model.get_layer("conv").output
    loss = backend.mean(backend.square(activations))
    gradient = backend.gradients(loss, model.input)[0]
    gradient /= backend.maximum(backend.mean(backend.abs(gradient)), 1e-7)
    step = backend.function([model.input], [loss, gradient])
    x = np.random.RandomState(0).rand(2, 6, 6, 3).astype("float32")[:1]
    losses = []
    for _ in range(3):
        value, change = step([x])
        losses.append(value)
        x = x + 0.1 * change
    np.testing.assert_allclose(losses, [0.36382, 0.61197, 0.93258], rtol=1e-4)
    by_class = backend.gradients(tf.log(model.output[:, 1]), activations)[0]
    pooled = backend.mean(by_class, axis=(0, 1, 2))
    weights, maps = backend.function([model.input], [pooled, activations[0]])([x])
    assert weights.shape == (4,)
    assert maps.shape == (4, 4, 4)


def test_two_models_against_each_other() -> None:
    """Each optimizer of version 1 trains its own model's variables; values are TensorFlow's."""

    def dense(units: int, sizes: int) -> Any:
        first = layers.Dense(
            8, activation="relu", input_shape=(sizes,), kernel_initializer=constant(0.1)
        )
        return tf.keras.Sequential([first, layers.Dense(units, kernel_initializer=constant(0.1))])

    maker, judge = dense(4, 2), dense(1, 4)
    noise, real = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [None, 4])
    made = judge(maker(noise))
    entropy = tf.nn.sigmoid_cross_entropy_with_logits

    def mean(logits: Any, labels: Any) -> Any:
        return tf.reduce_mean(entropy(logits=logits, labels=labels(logits)))

    of_judge = mean(judge(real), tf.ones_like) + mean(made, tf.zeros_like)
    of_maker = mean(made, tf.ones_like)
    steps = [
        tf.train.AdamOptimizer(0.01).minimize(loss, var_list=model.trainable_weights)
        for loss, model in ((of_judge, judge), (of_maker, maker))
    ]
    found = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        feeds = {noise: np.ones((4, 2)), real: np.ones((4, 4))}
        for _ in range(3):
            found.append(session.run([of_judge, steps[0]], feeds)[0])
            found.append(session.run([of_maker, steps[1]], feeds)[0])
    np.testing.assert_allclose(found, [1.265, 0.6718, 1.2512, 0.6642, 1.241, 0.6518], atol=1e-4)


def test_steps_and_both_directions() -> None:
    """Wrapped layers are parts of a graph as they are of a model."""
    x = layers.Input((3, 4))
    n = layers.TimeDistributed(layers.Dense(2, kernel_initializer=constant(0.1)))(x)
    ones = {"kernel_initializer": constant(0.1), "recurrent_initializer": constant(0.1)}
    model = tf.keras.Model(x, layers.Bidirectional(layers.GRU(2, **ones))(n))
    data = np.arange(24.0).reshape(2, 3, 4) / 10
    session = backend.get_session()
    session.run(tf.global_variables_initializer())
    found = session.run(model.output, {model.input: data})
    expected = [[0.0508, 0.0508, 0.0293, 0.0293], [0.1345, 0.1345, 0.115, 0.115]]
    np.testing.assert_allclose(found, expected, atol=1e-4)
    given = tf.placeholder(tf.float32, [None, 3, 4])
    np.testing.assert_allclose(session.run(model(given), {given: data}), found, rtol=1e-5)


def test_updates_of_functions() -> None:
    """Variables change when a function is called."""
    total = backend.variable(np.zeros(2))
    x = backend.placeholder((2,))
    double = backend.function([x], [x * 2], updates=[(total, total + x)])
    assert double([np.array([1.0, 2.0])])[0].tolist() == [2.0, 4.0]
    assert backend.get_value(total).tolist() == [1.0, 2.0]
