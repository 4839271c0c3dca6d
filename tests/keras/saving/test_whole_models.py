"""What whole models keep: constants that are ragged, names of metrics, the specs of calls."""

import numpy as np
import pytest

import eagerflow as tf

keras = tf.keras


@keras.utils.register_keras_serializable("tests")
class AddSum(keras.layers.Layer):
    """Adds the sum of a constant."""

    def call(self, inputs, constant):
        return inputs + tf.reduce_sum(constant.values)


CONSTANTS = [
    tf.ragged.constant([[1.0, 2.0], [3.0]]),
    tf.SparseTensor([[0, 1]], [2.0], [2, 2]),
]


@pytest.mark.parametrize("constant", CONSTANTS, ids=["ragged", "sparse"])
@pytest.mark.parametrize("name", ["model.h5", "model.keras", "model"])
def test_composite_constants_are_saved(constant, name, tmp_path):
    x = keras.Input([2])
    model = keras.Model(x, AddSum()(x, constant))
    model.save(tmp_path / name)
    again = keras.models.load_model(tmp_path / name)
    np.testing.assert_array_equal(again(tf.ones([1, 2])), model(tf.ones([1, 2])))


def test_a_composite_constant_has_the_form_of_keras():
    x = keras.Input([2])
    model = keras.Model(x, AddSum()(x, CONSTANTS[0]))
    call = model.get_config()["layers"][1]["inbound_nodes"][0]
    mark, text = call[0][3]["constant"]
    assert mark == {"_TYPE": "COMPOSITE"}
    assert '"type_spec": "tf.RaggedTensorSpec"' in text
    assert '["int64", [0, 2, 3]]' in text


def test_ragged_texts_are_constants():
    x = keras.Input([], dtype=tf.string)
    words = tf.ragged.constant([["单", "に"], ["x"]])
    model = keras.Model(x, tf.strings.join([words.to_tensor()[0], x]))
    again = keras.Model.from_config(model.get_config())
    text = tf.constant(["!", "?"])
    assert again(text).numpy().tolist() == model(text).numpy().tolist()


@pytest.mark.parametrize("name", ["model.h5", "model"])
def test_loaded_models_name_their_metrics(name, tmp_path):
    x = keras.Input([3])
    outputs = [keras.layers.Dense(1, name="a")(x), keras.layers.Dense(2, name="b")(x)]
    model = keras.Model(x, outputs)
    model.compile("sgd", "mse", metrics={"a": ["mae"], "b": ["accuracy"]})
    model.save(tmp_path / name)
    names = ["loss", "a_loss", "b_loss", "a_mae", "b_accuracy"]
    assert model.metrics_names == names
    assert keras.models.load_model(tmp_path / name).metrics_names == names


def test_the_first_batch_says_what_accuracy_is(tmp_path):
    model = keras.Sequential([keras.layers.Softmax(input_shape=(3,))])
    model.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.save(tmp_path / "model.h5")
    again = keras.models.load_model(tmp_path / "model.h5")
    x, y = np.eye(3, dtype="float32"), np.array([0, 1, 0])
    assert again.evaluate(x, y, verbose=0) == model.evaluate(x, y, verbose=0)


def test_long_names_fit_into_hdf5(tmp_path):
    x = y = keras.Input([2], name="input_" + "x" * 2**15)
    for index in range(4):
        y = keras.layers.Dense(2, name=f"dense_{index}")(y)
    model = keras.Model(x, y)
    model.save(tmp_path / "model.h5")
    again = keras.models.load_model(tmp_path / "model.h5", compile=False)
    np.testing.assert_array_equal(again(tf.ones([1, 2])), model(tf.ones([1, 2])))


class Several(keras.Model):
    def call(self, first, second, third=None, training=None):
        return first


def test_the_specs_of_all_arguments_are_kept():
    model = Several()
    model(tf.ones([1, 1]), tf.ones([2, 2]), third=tf.ones([3, 3]), training=False)
    (first, second), named = model.save_spec(dynamic_batch=False)
    assert [first.shape, second.shape] == [[1, 1], [2, 2]]
    assert list(named) == ["third"] and named["third"].shape == [3, 3]
    assert model.save_spec()[0][0].shape.as_list() == [None, 1]


def test_a_model_that_needs_more_than_inputs_is_not_built():
    with pytest.raises(ValueError, match="positional or keyword arguments that are not inputs"):
        Several().build([None, 2])


def test_weights_of_a_savedmodel_are_loaded(tmp_path):
    model = keras.Sequential([keras.layers.Dense(2, input_shape=(3,))])
    model.save(tmp_path / "model")
    again = keras.Sequential([keras.layers.Dense(2, input_shape=(3,))])
    again.load_weights(tmp_path / "model")
    np.testing.assert_array_equal(again.get_weights()[0], model.get_weights()[0])


def test_an_unbuilt_model_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match="cannot be saved because the input shape"):
        keras.Sequential([keras.layers.Dense(2)]).save(tmp_path / "model")


class Scaled(tf.keras.layers.Layer):
    """A layer with an array among its arguments."""

    def __init__(self, by, shape=(), **kwargs):
        super().__init__(**kwargs)
        self.by, self.shape = by, shape

    def call(self, x):
        return x * tf.constant(self.by["factors"][0], tf.float32)

    def get_config(self):
        return {**super().get_config(), "by": self.by, "shape": self.shape}


@pytest.mark.parametrize("name", ["m.h5", "m"])
@pytest.mark.parametrize("functional", [True, False])
def test_layers_get_lists_for_the_arrays_of_their_configurations(functional, name, tmp_path):
    layer = Scaled({"factors": [np.array([1.0, 2.0])]}, (3, 4), name="scaled")
    inputs = tf.keras.Input([2])
    if functional:
        model = tf.keras.Model(inputs, layer(inputs))
    else:
        model = tf.keras.Sequential([inputs, tf.keras.Sequential([layer], name="inner")])
    model.compile("sgd", "mse")
    model.save(tmp_path / name)
    loaded = tf.keras.models.load_model(tmp_path / name, custom_objects={"Scaled": Scaled})
    found = loaded.get_layer("scaled") if functional else loaded.get_layer("inner").layers[0]
    assert list(found.by["factors"][0]) == [1.0, 2.0]
    if name == "m":
        assert found.shape == (3, 4)
    assert loaded(np.ones((1, 2), "f")).numpy().tolist() == [[1.0, 2.0]]
