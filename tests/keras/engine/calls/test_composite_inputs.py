"""Symbolic ragged and sparse tensors: what they are made of, and the layers that functions of them become."""

import numpy as np
import pytest

import eagerflow as tf

keras = tf.keras
RAGGED = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
SPARSE = tf.SparseTensor([[0, 0], [1, 2]], [1.0, 2.0], [2, 4])


def rebuilt(inputs, outputs):
    """A model, and one from its configuration."""
    model = keras.Model(inputs, outputs)
    return model, keras.Model.from_config(model.get_config())


def agree(models, value):
    """The common answer of models."""
    first, second = [np.asarray(m(value)) for m in models]
    np.testing.assert_array_equal(first, second)
    return first.tolist()


def test_a_ragged_input_has_the_spec_of_its_unknown_sizes():
    spec = keras.Input([None, 3], 2, ragged=True).type_spec
    assert spec == tf.RaggedTensorSpec([2, None, 3], tf.float32, 1, tf.int64)
    assert keras.Input([3, None], ragged=True).type_spec.ragged_rank == 2


@pytest.mark.parametrize(
    "name, answer",
    [
        ("values", [1, 2, 3]),
        ("flat_values", [1, 2, 3]),
        ("row_splits", [0, 2, 2, 3]),
    ],
)
def test_properties_become_layers(name, answer):
    x = keras.Input([None], ragged=True)
    assert agree(rebuilt(x, getattr(x, name)), RAGGED) == answer


@pytest.mark.parametrize(
    "name, args, answer",
    [
        ("to_tensor", (), [[1, 2], [0, 0], [3, 0]]),
        ("to_tensor", (-1,), [[1, 2], [-1, -1], [3, -1]]),
        ("nrows", (), 3),
        ("row_lengths", (), [2, 0, 1]),
        ("row_starts", (), [0, 2, 2]),
        ("row_limits", (), [2, 2, 3]),
        ("value_rowids", (), [0, 0, 2]),
        ("bounding_shape", (), [3, 2]),
    ],
)
def test_methods_become_layers(name, args, answer):
    x = keras.Input([None], ragged=True)
    assert agree(rebuilt(x, getattr(x, name)(*args)), RAGGED) == answer


def test_functions_of_ragged_inputs_become_layers():
    x = keras.Input([None], ragged=True)
    doubled = tf.concat([x, x * 2], axis=1)
    assert type(doubled).__name__ == "RaggedKerasTensor"
    models = rebuilt(x, tf.reduce_sum(doubled, axis=1))
    assert agree(models, RAGGED) == [9, 0, 9]


def test_factories_take_symbolic_tensors():
    values, splits = keras.Input([]), keras.Input([], dtype=tf.int64)
    rows = tf.RaggedTensor.from_row_splits(values, splits)
    assert rows.node.layer.name.startswith("tf.RaggedTensor.from_row_splits")
    models = rebuilt([values, splits], rows.to_tensor())
    assert agree(models, [tf.constant([1.0, 2.0, 3.0]), tf.constant([0, 2, 3])]) == [[1, 2], [3, 0]]


def test_functions_of_sparse_inputs_become_layers():
    x = keras.Input([4], sparse=True)
    assert x.values.shape.as_list() == [None] and x.indices.shape.as_list() == [None, 2]
    models = rebuilt(x, tf.sparse.to_dense(tf.sparse.reorder(x)))
    assert agree(models, SPARSE) == tf.sparse.to_dense(SPARSE).numpy().tolist()
    assert tf.sparse.reshape(x, [-1]).shape.as_list() == [None]


def test_a_layer_of_the_program_gets_ragged_arguments():
    class Sum(keras.layers.Layer):
        def call(self, first, second=None):
            return (first + second).to_tensor()

    a, b = keras.Input([None], ragged=True), keras.Input([None], ragged=True)
    model = keras.Model([a, b], Sum()(a, second=b))
    assert model([RAGGED, RAGGED]).numpy().tolist() == [[2, 4], [0, 0], [6, 0]]


def test_layers_say_what_ragged_tensors_they_give():
    x = keras.Input([None, 3], ragged=True)
    lstm = keras.layers.LSTM(2, return_sequences=True)(x)
    assert lstm.type_spec == tf.RaggedTensorSpec([None, None, 2], tf.float32, 1, tf.int64)
    assert keras.layers.Flatten()(x).shape.as_list() == [None, None]
    with pytest.raises(ValueError, match="last dimension"):
        keras.layers.Dense(2)(keras.Input([None], ragged=True))


def test_configurations_name_only_listed_attributes():
    config = keras.Model(
        *(lambda x: (x, x.row_splits))(keras.Input([None], ragged=True))
    ).get_config()
    layer = next(entry for entry in config["layers"] if "attr_name" in entry["config"])
    layer["config"]["attr_name"] = "__class__"
    with pytest.raises((TypeError, ValueError), match="__class__"):
        keras.Model.from_config(config)


def test_an_index_may_be_symbolic():
    values = tf.range(5.0)
    count = keras.Input([], dtype=tf.int32)
    models = rebuilt(count, values[: count[0]])
    assert agree(models, tf.constant([3, 3])) == [0, 1, 2]
    assert agree(rebuilt(count, values[count[0]]), tf.constant([3])) == 3


def test_sizes_of_ranges_are_known():
    x = keras.Input([10], 2)
    assert tf.range(tf.shape(x)[0] * 3).shape.as_list() == [6]
    assert tf.range(tf.shape(x)[0] * 50000).shape.as_list() == [100000]


def test_a_list_of_one_stays_a_list():
    x = keras.Input([2])
    models = rebuilt(x, tf.stack([x]))
    assert agree(models, tf.ones([1, 2])) == [[[1, 1]]]


def test_the_sizes_of_joined_sparse_inputs_are_known():
    join = keras.layers.Concatenate(axis=1)
    assert join([keras.Input([k], 2, sparse=True) for k in (1, 2)]).shape.as_list() == [2, 3]
    assert join([keras.Input([k], sparse=True) for k in (1, 2)]).shape.as_list() == [None, 3]


def test_dense_layers_say_which_ragged_tensors_they_take():
    with pytest.raises(ValueError, match="innermost dimension is non-ragged"):
        keras.layers.Dense(2).call(RAGGED)


def test_a_class_beside_a_functional_model_gets_its_arguments():
    class Functional(keras.Model):
        def __init__(self, *args, **kwargs):
            x = keras.Input([2])
            super().__init__(*args, inputs=[x], outputs=keras.layers.Dense(1)(x), **kwargs)

    class Mixin:
        def __init__(self, note, **kwargs):
            self.note = note
            super().__init__(**kwargs)

    assert type("First", (Mixin, Functional), {})(note="a").note == "a"
    assert type("Last", (Functional, Mixin), {})(note="b").note == "b"
    with pytest.raises(TypeError, match="note"):
        Functional(note="c")


def test_values_of_extension_types_are_inputs_and_data():
    class Masked(tf.experimental.BatchableExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

        @property
        def shape(self):
            return self.values.shape

        class Spec:
            @property
            def shape(self):
                return self.values.shape

    class Apply(tf.keras.layers.Layer):
        def call(self, x):
            return x.values * tf.cast(x.mask, tf.float32)

    spec = Masked.Spec(tf.TensorSpec([None, 3]), tf.TensorSpec([None, 3], tf.bool))
    inputs = tf.keras.Input(type_spec=spec)
    outputs = tf.keras.layers.Dense(1, kernel_initializer="ones")(Apply()(inputs))
    model = tf.keras.Model(inputs, outputs)
    model.compile("sgd", "mse")
    x = Masked(np.ones([5, 3], np.float32), np.tile([True, True, False], [5, 1]))
    assert model.predict(x, batch_size=2, verbose=0).tolist() == [[2.0]] * 5
    losses = model.fit(x, np.ones([5, 1]), epochs=2, batch_size=5, verbose=0).history["loss"]
    assert losses[0] == 1.0 > losses[1]
    assert model.train_on_batch(x, np.ones([5, 1])) < losses[1]
