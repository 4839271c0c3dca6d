"""In graphs, what Keras's layers are called with and return are tensors of the graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import eagerflow
from eagerflow.compat import v1 as tf

layers = tf.keras.layers
backend = tf.keras.backend

# A layer, and the shape of one of its inputs.
LAYERS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "Dense": (lambda: layers.Dense(3, activation="tanh"), (4,)),
    "Conv2D": (lambda: layers.Conv2D(2, 2, activation="relu", padding="same"), (4, 4, 2)),
    "DepthwiseConv2D": (lambda: layers.DepthwiseConv2D(2), (4, 4, 2)),
    "Conv2DTranspose": (lambda: layers.Conv2DTranspose(2, 2, strides=2), (3, 3, 2)),
    "MaxPooling2D": (lambda: layers.MaxPooling2D(), (4, 4, 2)),
    "BatchNormalization": (lambda: layers.BatchNormalization(), (4,)),
    "LayerNormalization": (lambda: layers.LayerNormalization(), (4,)),
    "LSTM": (lambda: layers.LSTM(3), (3, 2)),
    "GRU": (lambda: layers.GRU(3, return_sequences=True), (3, 2)),
    "SimpleRNN": (lambda: layers.SimpleRNN(3), (3, 2)),
    "Bidirectional": (lambda: layers.Bidirectional(layers.GRU(2)), (3, 2)),
    "TimeDistributed": (lambda: layers.TimeDistributed(layers.Dense(2)), (3, 2)),
    "Dropout": (lambda: layers.Dropout(0.5), (4,)),
    "Flatten": (lambda: layers.Flatten(), (2, 2)),
    "PReLU": (lambda: layers.PReLU(alpha_initializer="ones"), (4,)),
    "Lambda": (lambda: layers.Lambda(lambda x: tf.square(x) + 1.0), (4,)),
}


class Around(layers.Layer):
    """A program's own layer around another."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner

    def call(self, inputs: Any) -> Any:
        return self.inner(inputs) * 2.0


def sequential(layer: Any, shape: tuple[int, ...]) -> Any:
    return tf.keras.Sequential([tf.keras.Input(shape), layer, layers.Activation("sigmoid")])


def functional(layer: Any, shape: tuple[int, ...]) -> Any:
    x = tf.keras.Input(shape)
    return tf.keras.Model(x, layers.Activation("sigmoid")(layer(x)))


def subclassed(layer: Any, shape: tuple[int, ...]) -> Any:
    x = tf.keras.Input(shape)
    return tf.keras.Model(x, layers.Activation("sigmoid")(Around(layer)(x)))


def nested(layer: Any, shape: tuple[int, ...]) -> Any:
    x = tf.keras.Input(shape)
    return tf.keras.Model(x, sequential(layer, shape)(x) * 3.0)


KINDS = [sequential, functional, subclassed, nested]


def by_gradients(model: Any, data: Any) -> Any:
    (found,) = tf.gradients(model.output, model.input)
    return backend.get_session().run([model.output, found], {model.input: data})


def by_the_backend(model: Any, data: Any) -> Any:
    (found,) = backend.gradients(backend.sum(model.output), [model.input])
    return backend.get_session().run([model.outputs[0], found], {model.inputs[0]: data})


def by_function(model: Any, data: Any) -> Any:
    found = tf.gradients(model.output, model.input)[0]
    return backend.function([model.input], [model.output, found])([data])


def by_a_model(model: Any, data: Any) -> Any:
    (found,) = tf.gradients(model.output, model.input)
    return tf.keras.Model(model.inputs, [model.output, found]).predict_on_batch(data)


def by_another_input(model: Any, data: Any) -> Any:
    (found,) = tf.gradients(model.output, model.input)
    whole = tf.keras.Model(model.inputs, [model.output, found])
    x = tf.placeholder(tf.float32, [None, *data.shape[1:]])
    return backend.get_session().run(whole(x), {x: data})


WAYS = [by_gradients, by_the_backend, by_function, by_a_model, by_another_input]


@pytest.fixture(autouse=True)
def graph() -> Iterator[None]:
    """Each test has a graph of its own."""
    with eagerflow.Graph().as_default():
        backend.set_session(None)
        yield
        backend.set_session(None)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", LAYERS)
def test_outputs_and_derivatives_are_those_of_eager_execution(
    name: str, kind: Callable[..., Any], way: Callable[..., Any]
) -> None:
    """Whatever the model is made of, and however it is asked for."""
    make, shape = LAYERS[name]
    model = kind(make(), shape)
    data = np.random.RandomState(0).rand(2, *shape).astype("float32")
    output, gradient = way(model, data)
    weights = model.get_weights()
    with eagerflow.init_scope(), eagerflow.framework.context.running_eagerly():
        again = kind(make(), shape)
        again.set_weights(weights)
        x = eagerflow.constant(data)
        with eagerflow.GradientTape() as tape:
            tape.watch(x)
            y = again(x)
        np.testing.assert_allclose(output, y, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(gradient, tape.gradient(y, x), rtol=1e-4, atol=1e-6)


def test_tensors_are_the_graph_s() -> None:
    """Inputs are placeholders; the results of layers are tensors of operations, with a history."""
    x = tf.keras.Input((4,), name="given")
    dense = layers.Dense(3, name="dense")
    y = dense(x)
    for tensor in (x, y):
        assert tensor.graph is tf.get_default_graph()
        assert tf.is_tensor(tensor)
        assert backend.is_keras_tensor(tensor)
    assert x.op.type == "Placeholder"
    assert x.name == "given:0"
    assert y._keras_history.layer is dense
    model = tf.keras.Model(x, y)
    assert model.input is x
    assert model.outputs[0] is dense.output is dense.get_output_at(0) is y
    assert dense.input is dense.get_input_at(0) is x
    (node,) = model._nodes_by_depth[0]
    assert node.input_tensors is x
    assert node.output_tensors is y
    assert {x: 1, y: 2}[model.outputs[0]] == 2
    assert not backend.is_keras_tensor(tf.placeholder(tf.float32))
    assert not backend.is_keras_tensor(tf.constant(1.0) + 1.0)


def test_operations_between_layers_become_layers() -> None:
    """They come from tensors of layers, several of them, and from what is inside of layers."""
    a, b = tf.keras.Input((2,)), tf.keras.Input((2,))
    dense = layers.Dense(2, kernel_initializer="ones")
    mixed = tf.stack([dense(a), tf.sin(b)], 1)
    rows = tf.map_fn(lambda row: row * 2.0, mixed)
    looped = tf.while_loop(lambda n, r: n < 3, lambda n, r: [n + 1, r + 1.0], [0, rows])[1]
    chosen = tf.cond(tf.reduce_sum(b) > 0.0, lambda: looped, lambda: -looped)
    model = tf.keras.Model([a, b], layers.Flatten()(chosen))
    data = [np.ones((1, 2), "float32"), np.zeros((1, 2), "float32") + 1.0]
    found = model.predict(data)
    np.testing.assert_allclose(found, [[7.0, 7.0, 4.682942, 4.682942]], rtol=1e-5)
    np.testing.assert_allclose(model.predict_on_batch([data[0], -data[1]])[0, :2], -7.0)
    assert [layer.name[:12] for layer in model.layers].count("tf_op_layer_") >= 1
    model.compile("sgd", "mse")
    before = dense.get_weights()[0]
    model.fit(data, np.zeros((1, 4)), verbose=0)
    assert not np.allclose(before, dense.get_weights()[0])


def test_what_other_placeholders_feed_is_no_part_of_a_model() -> None:
    """Layers take it, as sessions do; a model of it is refused."""
    x = tf.keras.Input((2,))
    scale = tf.placeholder(tf.float32, [])
    y = layers.Dense(1, kernel_initializer="ones")(x * scale)
    found = backend.get_session().run(y, {x: [[1.0, 2.0]], scale: 2.0})
    np.testing.assert_allclose(found, [[6.0]])
    with pytest.raises(ValueError, match="tf.keras.Input"):
        tf.keras.Model(x, y)


def test_layers_that_return_what_they_get() -> None:
    """Each result is another tensor, and masks stay with it."""
    x = tf.keras.Input((3, 2))
    masked = layers.Masking()(x)
    same = layers.Lambda(lambda value: value)(x)
    assert same is not x
    model = tf.keras.Model(x, [same, layers.LSTM(2, name="lstm")(masked)])
    data = np.random.RandomState(0).rand(2, 3, 2).astype("float32")
    data[0, 2] = 0.0
    first, second = model.predict(data)
    np.testing.assert_array_equal(first, data)
    found = backend.function([x], model.outputs)([data])
    np.testing.assert_allclose(found[1], second, rtol=1e-5)


def test_weights_from_tensors_of_the_graph() -> None:
    """A program's initializer may compute with other weights."""
    first = layers.Dense(2, kernel_initializer="ones")
    x = tf.keras.Input((2,))
    first(x)
    doubled = first.kernel * 2.0

    def initializer(shape: Any, dtype: Any = None) -> Any:
        return doubled

    second = layers.Dense(2, kernel_initializer=initializer)
    second(x)
    np.testing.assert_array_equal(second.get_weights()[0], np.full((2, 2), 2.0))


def test_inputs_that_are_given() -> None:
    """A placeholder of the program's may be a model's input."""
    given = tf.placeholder(tf.float32, [None, 2])
    x = tf.keras.Input(tensor=given)
    assert x is given
    model = tf.keras.Model(x, layers.Dense(1, kernel_initializer="ones")(x))
    found = backend.get_session().run(model.output, {given: [[1.0, 2.0]]})
    np.testing.assert_allclose(found, [[3.0]])
    np.testing.assert_allclose(model.predict(np.array([[1.0, 2.0]])), [[3.0]])


def test_functions_of_structures() -> None:
    """Inputs, values and outputs in lists, dictionaries, or alone."""
    x, y = tf.keras.Input((1,)), tf.keras.Input((1,))
    one = np.ones((1, 1))
    assert backend.function(x, x * 2.0)(one).tolist() == [[2.0]]
    assert backend.function([x], x * 2.0)([one]).tolist() == [[2.0]]
    found = backend.function([x, y], {"sum": x + y})([one, one])
    assert found["sum"].tolist() == [[2.0]]


def test_a_cloned_model_and_one_on_other_inputs() -> None:
    """Clones repeat the calls; intermediate results can be inputs."""
    x = tf.keras.Input((2,))
    hidden = layers.Dense(3, name="hidden")(x)
    model = tf.keras.Model(x, layers.Dense(1)(hidden))
    clone = tf.keras.models.clone_model(model)
    clone.set_weights(model.get_weights())
    data = np.ones((1, 2), "float32")
    np.testing.assert_allclose(clone.predict(data), model.predict(data))
    rest = tf.keras.Model(hidden, model.output)
    (middle,) = backend.function([x], [hidden])([data])
    np.testing.assert_allclose(rest.predict(middle), model.predict(data), rtol=1e-6)


def test_operations_are_not_saved() -> None:
    """The message says what to do instead."""
    x = tf.keras.Input((2,))
    model = tf.keras.Model(x, tf.square(layers.Dense(1)(x)))
    with pytest.raises(NotImplementedError, match="Lambda"):
        model.to_json()


def test_predictions_are_the_graph_s() -> None:
    """They have what a program has put in place of a weight, and other numbers of rows by input."""
    dense = layers.Dense(2, kernel_initializer="ones", use_bias=False)
    dense.build((None, 2))
    dense.kernel = dense.kernel * 2.0
    x, rows = tf.keras.Input((2,)), tf.keras.Input((), dtype="int32")
    model = tf.keras.Model([x, rows], tf.gather(dense(x), rows))
    data = np.array([[1.0, 2.0], [3.0, 4.0]], "float32")
    found = model.predict_on_batch([data, np.array([1, 0, 1])])
    np.testing.assert_allclose(found[:, 0], [14.0, 6.0, 14.0])
    named = tf.keras.Model({"x": x, "rows": rows}, {"y": model.output})
    found = named.predict({"x": data, "rows": np.array([1, 1])}, batch_size=2)
    np.testing.assert_allclose(found["y"][:, 0], [14.0, 14.0])


def test_a_layer_takes_anything_as_trainable() -> None:
    """Keras's layers of version 1 check it no more than Python does."""
    assert layers.Layer(64).trainable == 64


@pytest.mark.parametrize("kind", ["constant", "variable"])
def test_inputs_with_a_value_are_not_fed(kind: str) -> None:
    """A model's predictions take the others."""
    value = np.array([[1.0, 2.0]], "float32")
    given = tf.constant(value) if kind == "constant" else backend.variable(value)
    x, other = tf.keras.Input((2,)), tf.keras.Input(tensor=given)
    model = tf.keras.Model([x, other], layers.Add()([x, other]))
    np.testing.assert_allclose(model.predict_on_batch(value * 2.0), value * 3.0)
    with pytest.raises(ValueError, match="is fed 1 of its 2"):
        model.predict_on_batch([value, value])
