"""Layers of functional models whose `call` reads values: shapes are known before any value is."""

import numpy as np
import pytest

import eagerflow as tf

keras = tf.keras


def printing(x):
    tf.print("x", x)
    return x


def checking(x):
    tf.debugging.assert_non_negative(x - 5.0)
    tf.debugging.assert_equal(tf.shape(x)[1], 4)
    tf.debugging.Assert(tf.reduce_all(x > 7.0), [x])
    return tf.debugging.check_numerics(x, "x")


def through_numpy(x):
    return tf.ensure_shape(tf.numpy_function(lambda a: a * 2, [x], tf.float32), [None, 4])


# The static shape that Keras 2 tells for inputs of shape (None, 4).
PROGRAMS = {
    "print": (printing, [None, 4]),
    "assertions": (checking, [None, 4]),
    "numpy_function": (through_numpy, [None, 4]),
    "cond": (lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: x + 1, lambda: x), [None, 4]),
    "python if": (lambda x: x + 1 if tf.reduce_sum(x) > 0 else x, [None, 4]),
    "while": (
        lambda x: tf.while_loop(lambda y: tf.reduce_sum(y) < 100, lambda y: (y * 2,), [x])[0],
        [None, 4],
    ),
    "mask": (lambda x: tf.boolean_mask(x, x[:, 0] > 0), [None, 4]),
    "where": (lambda x: tf.where(x > 0), [None, 2]),
    "unique": (lambda x: tf.unique(tf.reshape(x, [-1]))[0], [None]),
    "svd": (lambda x: tf.linalg.svd(x[:, :, None] * x[:, None])[0], [None, 4]),
    "strings": (lambda x: tf.strings.length(tf.strings.as_string(x)), [None, 4]),
    "sequence_mask": (lambda x: tf.sequence_mask(tf.cast(x[:, 0], tf.int32)), [None, None]),
    "sparse": (lambda x: tf.sparse.to_dense(tf.sparse.from_dense(x)), [None, 4]),
    "stft": (lambda x: tf.signal.stft(x, 2, 1), [None, 3, 2]),
    "histogram": (lambda x: tf.histogram_fixed_width(x, [0.0, 1.0]), [100]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_shapes(name, capsys):
    program, shape = PROGRAMS[name]

    class Layer(keras.layers.Layer):
        def call(self, x):
            return program(x)

    inputs = keras.Input((4,))
    outputs = Layer()(inputs)
    assert outputs.shape.as_list() == shape
    assert capsys.readouterr() == ("", "")
    x = tf.constant(np.arange(8.0, 16.0, dtype=np.float32).reshape(2, 4))
    model = keras.Model(inputs, outputs)
    assert np.array_equal(model(x), program(x))


def test_what_shapes_are_found_for_is_not_written(tmp_path):
    class Layer(keras.layers.Layer):
        def build(self, shape):
            self.count = self.add_weight(name="count", shape=(), initializer="zeros")

        def call(self, x):
            self.count.assign_add(1.0)
            tf.summary.scalar("mean", tf.reduce_mean(x), step=0)
            return tf.boolean_mask(x, x[:, 0] > 0)

    with tf.summary.create_file_writer(str(tmp_path)).as_default() as writer:
        layer = Layer()
        layer(keras.Input((4,)))
        writer.flush()
    assert layer.count.numpy() == 0
    assert b"mean" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def test_errors_are_those_of_the_layer():
    class Layer(keras.layers.Layer):
        def call(self, x):
            if tf.reduce_sum(x) > -1.0:
                raise KeyError("no such thing")
            return x

    with pytest.raises(RuntimeError, match="no such thing"):
        Layer()(keras.Input((4,)))


def test_layers_are_called_with_sparse_inputs() -> None:
    """A sparse input is sparse for layers, and so is what they make of it."""

    class Twice(tf.keras.layers.Layer):
        def call(self, x):
            return tf.sparse.SparseTensor(x.indices, x.values * 2, x.dense_shape)

    x = tf.keras.Input([3], sparse=True)
    assert x.type_spec == tf.SparseTensorSpec([None, 3], tf.float32)
    twice = Twice()({"x": x}["x"])
    assert isinstance(twice.type_spec, tf.SparseTensorSpec)
    model = tf.keras.Model(x, tf.keras.layers.Dense(2, kernel_initializer="ones")(twice))
    given = tf.sparse.from_dense([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    assert model(given).numpy().tolist() == [[6.0, 6.0], [6.0, 6.0]]
    model.compile("sgd", "mse")
    assert model.evaluate(given, tf.ones([2, 2]), verbose=0) == 25.0


def test_sequence_columns_are_in_functional_models() -> None:
    """A layer of sequences of features takes the sparse inputs of a functional model."""
    column = tf.feature_column.sequence_numeric_column("a")
    given = {"a": tf.keras.Input([None, 1], sparse=True, name="a")}
    steps, _ = tf.keras.experimental.SequenceFeatures([column])(given)
    model = tf.keras.Model(given, tf.keras.layers.SimpleRNN(2)(steps))
    values = tf.SparseTensor([[0, 0, 0], [1, 0, 0]], [1.0, 2.0], [2, 1, 1])
    assert model.predict({"a": values}, verbose=0).shape == (2, 2)


@tf.keras.utils.register_keras_serializable("shape_inference")
class _Remembers(tf.keras.layers.Layer):
    """Keeps what it makes of a memory in one call, and reads that in the next one."""

    def __init__(self, units, memory=None, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.project = tf.keras.layers.Dense(units, use_bias=False)
        self.values = None if memory is None else self(memory, remember=True)

    def __call__(self, inputs, **kwargs):
        if not kwargs.get("remember") and len(inputs) == 1:
            inputs = [*inputs, self.values]
        return super().__call__(inputs, **kwargs)

    def call(self, inputs, remember=False):
        if remember:
            self.keys = self.project(inputs)
            return inputs
        scale = tf.function(lambda query: query[:, None] * self.keys)
        return tf.reduce_sum(scale(inputs[0]), -1)

    def get_config(self):
        return {**super().get_config(), "units": self.units}


@pytest.mark.parametrize("older_form", [False, True])
def test_a_layer_reads_what_it_kept_in_an_earlier_call(older_form):
    source = tf.keras.Input([4, 3])
    query = tf.keras.Input([6])
    score = _Remembers(6, tf.keras.layers.Dense(5)(source))([query])
    model = tf.keras.Model([source, query], score)
    model.use_legacy_config = older_form
    inputs = [np.ones((2, 4, 3), np.float32), np.ones((2, 6), np.float32)]
    expected = model.predict_on_batch(inputs)
    assert expected.shape == (2, 4)
    again = tf.keras.Model.from_config(model.get_config())
    again.set_weights(model.get_weights())
    np.testing.assert_array_equal(again.predict_on_batch(inputs), expected)


def test_models_give_configurations_of_layers_in_the_form_of_older_versions():
    inner = tf.keras.Sequential([tf.keras.layers.Dense(2)])
    inputs = tf.keras.Input([3])
    model = tf.keras.Model(inputs, inner(inputs))
    for made in (model, tf.keras.Sequential([tf.keras.Input([3]), inner])):
        newer = made.get_config()["layers"][-1]
        assert "module" in newer and "build_config" in newer
        made.use_legacy_config = True
        older = made.get_config()["layers"][-1]
        assert older["class_name"] == "Sequential"
        for entry in (older, older["config"]["layers"][-1]):
            assert not {"module", "registered_name", "build_config"} & entry.keys()
        again = type(made).from_config(made.get_config())
        again.set_weights(made.get_weights())
        x = np.ones((1, 3), np.float32)
        np.testing.assert_array_equal(again(x), made(x))
