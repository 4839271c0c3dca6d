"""Models of extension types: configurations, files and functions."""

import pytest

import eagerflow as tf


class Masked(tf.experimental.BatchableExtensionType):
    __name__ = "tests.keras.Masked"
    values: tf.Tensor
    mask: tf.Tensor
    scale: int = 1

    @property
    def shape(self):
        return self.values.shape

    @property
    def dtype(self):
        return self.values.dtype

    class Spec:
        @property
        def shape(self):
            return self.values.shape

        @property
        def dtype(self):
            return self.values.dtype


class Filled(tf.keras.layers.Layer):
    def call(self, x):
        return tf.where(x.mask, x.values * float(x.scale), 0.0)


@pytest.fixture
def model():
    tensors = tf.TensorSpec([None, 2]), tf.TensorSpec([None, 2], tf.bool)
    inputs = tf.keras.Input(type_spec=Masked.Spec(*tensors, scale=3))
    return tf.keras.Model(inputs, tf.keras.layers.Dense(1)(Filled()(inputs)))


MASKED = Masked([[1.0, 2.0], [3.0, 4.0]], [[True, False], [True, True]], 3)
OBJECTS = {"Filled": Filled}


def test_configurations_hold_the_spec(model):
    config = model.get_config()["layers"][0]["config"]
    assert set(config) == {"name", "type_spec"}
    assert config["type_spec"]["class_name"] == "__typespec__"
    for copy in (
        tf.keras.Model.from_config(model.get_config(), OBJECTS),
        tf.keras.models.model_from_json(model.to_json(), OBJECTS),
        tf.keras.models.clone_model(model),
    ):
        assert copy.input.type_spec == model.input.type_spec
        copy.set_weights(model.get_weights())
        assert copy(MASKED).numpy().tolist() == model(MASKED).numpy().tolist()


@pytest.mark.parametrize("name", ["model.keras", "model.h5", "model"])
def test_files_hold_the_spec(model, name, tmp_path):
    model.save(str(tmp_path / name))
    loaded = tf.keras.models.load_model(str(tmp_path / name), OBJECTS)
    assert loaded.input.type_spec == model.input.type_spec
    assert loaded(MASKED).numpy().tolist() == model(MASKED).numpy().tolist()


def test_a_spec_that_the_program_does_not_have(model):
    text = model.to_json().replace('"Masked.Spec"', '"Missing.Spec"')
    with pytest.raises(ValueError, match="no class of specs 'Missing.Spec'"):
        tf.keras.models.model_from_json(text, OBJECTS)


def test_layers_whose_operations_are_dispatched():
    class Values(tf.experimental.BatchableExtensionType):
        values: tf.Tensor
        shape = property(lambda self: self.values.shape)
        dtype = property(lambda self: self.values.dtype)

        class Spec:
            shape = property(lambda self: self.values.shape)
            dtype = property(lambda self: self.values.dtype)

    @tf.experimental.dispatch_for_api(tf.matmul, {"a": Values})
    def matmul(
        a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False,
        a_is_sparse=False, b_is_sparse=False, output_type=None, grad_a=False, grad_b=False, name=None,
    ):  # fmt: skip
        return Values(tf.matmul(a.values, b, transpose_a, transpose_b))

    @tf.experimental.dispatch_for_api(tf.nn.bias_add, {"value": Values})
    def bias_add(value, bias, data_format=None, name=None):
        return Values(tf.nn.bias_add(value.values, bias, data_format, name))

    inputs = tf.keras.Input(type_spec=Values.Spec(tf.TensorSpec([None, 2])))
    dense = tf.keras.layers.Dense(3)
    model = tf.keras.Model(inputs, dense(inputs))
    result = model(Values([[1.0, 2.0]]))
    assert isinstance(result, Values)
    assert result.values.numpy().tolist() == dense(tf.constant([[1.0, 2.0]])).numpy().tolist()
