"""Models made from symbolic inputs and outputs."""

import json

import numpy as np
import pytest

import eagerflow as tf

layers = tf.keras.layers


def data(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def two_paths():
    x = tf.keras.Input([3], name="x")
    h = layers.Dense(4, name="h")(x)
    left = tf.nn.relu(h) * 2.0 - 1.0
    y = layers.Dense(2, name="y")(layers.Concatenate(name="both")([h, left]))
    return tf.keras.Model(x, y, name="two_paths")


def test_symbolic_shapes():
    x = tf.keras.Input([8, 3])
    assert x.shape.as_list() == [None, 8, 3]
    assert x[:, 0].shape.as_list() == [None, 3]
    assert tf.reduce_mean(x, axis=1).shape.as_list() == [None, 3]
    assert tf.concat([x, x], axis=-1).shape.as_list() == [None, 8, 6]
    assert tf.reshape(x, [-1, 24]).shape.as_list() == [None, 24]
    assert tf.transpose(x, [0, 2, 1]).shape.as_list() == [None, 3, 8]
    assert (x @ tf.ones([3, 5])).shape.as_list() == [None, 8, 5]
    assert tf.cast(x > 0, tf.int32).dtype == tf.int32
    images = layers.Conv2D(4, 3, strides=2)(tf.keras.Input([None, None, 3]))
    assert images.shape.as_list() == [None, None, None, 4]


def test_runs_what_was_written():
    model = two_paths()
    x = data(5, 3)
    h = x @ model.get_layer("h").kernel.numpy()
    both = np.concatenate([h, np.maximum(h, 0) * 2 - 1], axis=-1)
    expected = both @ model.get_layer("y").kernel.numpy()
    np.testing.assert_allclose(model(x), expected, rtol=1e-5, atol=1e-6)
    assert model.input_shape == (None, 3)
    assert model.output_shape == (None, 2)
    assert model.count_params() == 3 * 4 + 4 + 8 * 2 + 2
    assert model.layers[0].name == "x"
    assert model.input_names == ["x"]
    assert model.output_names == ["y"]


def test_several_inputs_and_outputs():
    a, b = tf.keras.Input([2], name="a"), tf.keras.Input([2], name="b")
    dense = layers.Dense(3, name="shared")
    model = tf.keras.Model(
        {"a": a, "b": b}, {"sum": dense(a) + dense(b), "product": dense(a) * dense(b)}
    )
    values = {"a": data(4, 2), "b": data(4, 2, seed=1)}
    kernel = dense.kernel.numpy()
    one, other = values["a"] @ kernel, values["b"] @ kernel
    found = model(values)
    np.testing.assert_allclose(found["sum"], one + other, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found["product"], one * other, rtol=1e-5, atol=1e-6)
    assert len(model.trainable_weights) == 2
    assert dense.input is a
    assert dense.output is dense.get_output_at(0)
    assert dense.get_input_at(1) is b


def test_models_inside_models():
    inner = two_paths()
    x = tf.keras.Input([3])
    model = tf.keras.Model(x, layers.Dense(1)(inner(x)))
    assert inner in model.layers
    assert len(model.weights) == 6
    assert model(data(2, 3)).shape == [2, 1]
    again = tf.keras.Model.from_config(model.get_config())
    again.set_weights(model.get_weights())
    np.testing.assert_array_equal(again(data(2, 3)), model(data(2, 3)))


def test_part_of_a_model():
    model = two_paths()
    part = tf.keras.Model(model.input, model.get_layer("both").output)
    assert part(data(2, 3)).shape == [2, 8]
    assert part.get_layer("h") is model.get_layer("h")


def test_configuration_round_trip():
    model = two_paths()
    text = model.to_json()
    assert json.loads(text)["class_name"] == "Functional"
    again = tf.keras.models.model_from_json(text)
    assert [layer.name for layer in again.layers] == [layer.name for layer in model.layers]
    again.set_weights(model.get_weights())
    np.testing.assert_array_equal(again(data(2, 3)), model(data(2, 3)))
    clone = tf.keras.models.clone_model(model)
    assert clone.count_params() == model.count_params()
    assert not np.array_equal(clone.get_weights()[0], model.get_weights()[0])


def test_ranks_and_dtypes_of_inputs():
    x = tf.keras.Input([1])
    model = tf.keras.Model(x, x * 2)
    assert model(np.arange(3)).numpy().tolist() == [[0], [2], [4]]
    integers = tf.keras.Input([2], dtype="int32")
    assert tf.keras.Model(integers, integers + 1)(np.ones([1, 2])).dtype == tf.int32


def test_losses_of_functional_models():
    x = tf.keras.Input([2])
    h = layers.Dense(3, activity_regularizer="l2")(x)
    model = tf.keras.Model(x, h)
    model.add_loss(tf.reduce_mean(tf.abs(h)))
    outputs = model(data(4, 2))
    found = sorted(float(loss) for loss in model.losses)
    values = outputs.numpy()
    expected = sorted([0.01 * np.sum(values**2) / 4, np.mean(np.abs(values))])
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_masks_reach_later_layers():
    x = tf.keras.Input([4], dtype="int32")
    h = layers.Embedding(5, 2, mask_zero=True)(x)
    assert h._keras_mask.shape.as_list() == [None, 4]
    model = tf.keras.Model(x, tf.cast(layers.Lambda(lambda v, mask=None: mask)(h), tf.float32))
    assert model(np.array([[1, 2, 0, 0]])).numpy().tolist() == [[1, 1, 0, 0]]


def test_subclasses_made_from_inputs_and_outputs():
    class Counting(tf.keras.Model):
        calls = 0

        def call(self, inputs, training=None):
            self.calls += 1
            return super().call(inputs, training=training)

    x = tf.keras.Input([2])
    model = Counting(x, layers.Dense(1)(x))
    model(data(1, 2))
    assert model.calls == 1
    assert len(model.weights) == 2


def test_errors_name_what_is_wrong():
    a, b = tf.keras.Input([2], name="a"), tf.keras.Input([2], name="b")
    with pytest.raises(ValueError, match="Graph disconnected"):
        tf.keras.Model(a, a + b)
    with pytest.raises(ValueError, match="used 2 times"):
        tf.keras.Model(a, layers.Dense(1, name="same")(layers.Dense(2, name="same")(a)))
    with pytest.raises(TypeError, match="symbolic"):
        if a > 0:
            pass
    model = tf.keras.Model(a, a * 2)
    with pytest.raises(ValueError, match=r"expected shape=\(None, 2\), found shape=\(1, 3\)"):
        model(np.ones([1, 3]))
    with pytest.raises(ValueError, match="No such layer: c"):
        model.get_layer("c")


def test_states_do_not_change_while_shapes_are_inferred():
    class Total(layers.Layer):
        def __init__(self, size):
            super().__init__()
            self.total = tf.Variable(tf.zeros([size]), trainable=False)
            self.mean = tf.keras.metrics.Mean(name="mean_input")

        def call(self, inputs):
            self.total.assign_add(tf.reduce_sum(inputs, axis=0))
            self.add_metric(self.mean(inputs))
            return inputs + self.total

    x = tf.keras.Input([2])
    layer = Total(2)
    model = tf.keras.Model(x, layer(x))
    assert layer.total.numpy().tolist() == [0, 0]
    model(np.ones([3, 2], np.float32))
    assert layer.total.numpy().tolist() == [3, 3]
    assert float(layer.mean.result()) == 1.0
    layer.total.assign([1.0, 1.0])
    assert layer.total.numpy().tolist() == [1, 1]


def test_inputs_in_a_list_may_come_by_name():
    first, second = tf.keras.Input([1], name="z"), tf.keras.Input([2], name="a")
    model = tf.keras.Model([first, second], layers.Concatenate()([first, second]))
    values = {"a": np.array([[2.0, 3.0]]), "z": np.array([[1.0]])}
    assert model(values).numpy().tolist() == [[1, 2, 3]]
    with pytest.raises(ValueError, match='Missing data for input "z"'):
        model({"a": values["a"]})


def test_layers_of_other_layers_calls():
    class Endpoint(layers.Layer):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.loss_fn = tf.keras.losses.MeanSquaredError()

        def call(self, targets, outputs):
            self.add_loss(self.loss_fn(targets, outputs))
            return outputs

    x, y = tf.keras.Input([3], name="x"), tf.keras.Input([1], name="y")
    model = tf.keras.Model([x, y], Endpoint()(y, layers.Dense(1)(x)))
    model.compile("sgd")
    history = model.fit({"x": data(8, 3), "y": data(8, 1)}, epochs=3, verbose=0).history
    assert history["loss"][-1] < history["loss"][0]


def test_models_inside_are_numbered_as_in_keras():
    """A model inside counts the call it was made with; files without that are read, too."""
    images = tf.keras.Input((4,), name="images")
    inner = tf.keras.Sequential([tf.keras.layers.Dense(4, input_shape=(4,))], name="inner")
    twice = inner(inner(images)) + images
    model = tf.keras.Model(images, tf.keras.layers.Dense(2, name="top")(twice))
    config = model.get_config()
    calls = {layer["name"]: layer["inbound_nodes"] for layer in config["layers"]}
    assert calls["inner"] == [[["images", 0, 0, {}]], [["inner", 1, 0, {}]]]
    assert calls["tf.__operators__.add"][0][:3] == ["inner", 2, 0]
    older = tf.nest.map_structure(lambda value: value, config)
    for layer in older["layers"]:
        if layer["name"] == "inner":
            layer["inbound_nodes"][1][0][1] = 0
        if layer["name"] == "tf.__operators__.add":
            layer["inbound_nodes"][0][1] = 1
    x = np.ones((3, 4), "float32")
    for one in (config, older):
        again = tf.keras.Model.from_config(one)
        again.set_weights(model.get_weights())
        np.testing.assert_array_equal(again(x).numpy(), model(x).numpy())


def test_a_summary_numbers_calls_of_models_from_zero(capsys):
    inner = tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(2,))], name="inner")
    x = tf.keras.Input((2,), name="x")
    tf.keras.Model(x, tf.keras.layers.concatenate([inner(x), inner(x)])).summary()
    shown = capsys.readouterr().out
    assert "'inner[0][0]'" in shown and "'inner[1][0]'" in shown and "inner[2]" not in shown


def test_optional_inputs(tmp_path):
    @tf.keras.utils.register_keras_serializable("test_functional")
    class Either(tf.keras.layers.Layer):
        def call(self, inputs):
            first, second = inputs
            return first if second is None else first + second

    x = tf.keras.Input((3,), name="x")
    y = tf.keras.Input((3,), name="y", optional=True)
    model = tf.keras.Model([x, y], tf.keras.layers.Dense(2)(Either()([x, y])))
    one, two = tf.ones([4, 3]), tf.fill([4, 3], 2.0)
    kernel = model.layers[-1].kernel
    for again in (model, tf.keras.Model.from_config(model.get_config())):
        again.set_weights(model.get_weights())
        np.testing.assert_allclose(again([one, None]).numpy(), (one @ kernel).numpy(), rtol=1e-6)
        np.testing.assert_allclose(again([one, two]).numpy(), (3 * one @ kernel).numpy(), rtol=1e-6)
        with pytest.raises((TypeError, ValueError)):
            again([None, two])


def test_what_is_known_of_each_call():
    dense = layers.Dense(3)
    x, y = tf.keras.Input([4]), tf.keras.Input([7, 4])
    dense(x)
    dense(y)
    assert dense.get_input_shape_at(0) == (None, 4)
    assert dense.get_input_shape_at(1) == (None, 7, 4)
    assert dense.get_output_shape_at(1) == (None, 7, 3)
    assert dense.get_input_mask_at(0) is None
    with pytest.raises(ValueError, match="node 2"):
        dense.get_input_shape_at(2)
    add = layers.Add()
    add([x, layers.Dense(4)(x)])
    assert add.get_input_shape_at(0) == [(None, 4), (None, 4)]
    assert add.get_input_mask_at(0) == [None, None]
    words = tf.keras.Input([6], dtype="int32")
    lstm = layers.LSTM(2, return_sequences=True)
    lstm(layers.Embedding(5, 3, mask_zero=True)(words))
    for mask in (lstm.get_input_mask_at(0), lstm.get_output_mask_at(0)):
        assert (mask.shape, mask.dtype) == ([None, 6], tf.bool)


def test_signatures_of_outputs():
    spec = tf.TensorSpec
    dense = layers.Dense(3)
    assert dense.compute_output_signature(spec([None, 4])) == spec([None, 3])
    double = layers.Dense(3, dtype="float64")
    assert double.compute_output_signature(spec([2, 4])) == spec([2, 3], tf.float64)
    joined = layers.Concatenate().compute_output_signature([spec([2, 4]), spec([2, 5])])
    assert joined == spec([2, 9])
    several = layers.LSTM(3, return_state=True).compute_output_signature(spec([2, 4, 5]))
    assert several == [spec([2, 3])] * 3
    with pytest.raises(TypeError, match="Only TensorSpec"):
        dense.compute_output_signature([2, 4])


def test_a_subclass_may_pass_itself_on():
    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__(self)
            self.dense = tf.keras.layers.Dense(2)

        def call(self, inputs):
            return self.dense(inputs)

    assert Net()(tf.ones([3, 4])).shape == (3, 2)


def test_columns_may_come_as_vectors():
    number = tf.keras.Input([1], name="number")
    kind = tf.keras.Input([1], name="kind")
    joined = tf.keras.layers.concatenate([number, kind])
    model = tf.keras.Model([number, kind], tf.keras.layers.Dense(1)(joined))
    columns = {"number": tf.constant([1.0]), "kind": tf.constant([2.0])}
    assert model(columns).shape == (1, 1)
    assert model.predict(columns, verbose=0).shape == (1, 1)
    rows = {name: np.ones(5, np.float32) for name in columns}
    assert model.predict(rows, verbose=0).shape == (5, 1)


def test_slices_by_symbolic_numbers():
    values = tf.keras.Input(batch_shape=(4, 8))
    count = tf.keras.Input(batch_shape=(), dtype=tf.int32)
    x = np.arange(32.0, dtype="float32").reshape(4, 8)
    for part, expected in (
        (values[:, ::count], x[:, ::2]),
        (values[:, :count], x[:, :2]),
        (values[count:], x[2:]),
    ):
        model = tf.keras.Model([values, count], part)
        np.testing.assert_array_equal(model([x, tf.constant(2)]), expected)


def test_inputs_like_tensors_and_of_any_rank():
    assert tf.keras.Input(type_spec=tf.TensorSpec(None, tf.float32)).shape.rank is None
    assert tf.keras.Input(tensor=tf.zeros((7, 32))).shape == (7, 32)
    with pytest.raises(TypeError, match="Keyword argument not understood"):
        tf.keras.Model(inputs=5)


def test_models_of_programs_whose_sizes_are_dimensions():
    tf.compat.v1.disable_v2_tensorshape()
    try:
        a, b = tf.keras.Input((3,)), tf.keras.Input((2,), batch_size=4)
        outputs = tf.keras.layers.Dense(1)(tf.keras.layers.concatenate([a, b]))
        model = tf.keras.Model([a, b], outputs)
        assert model.predict([tf.ones([4, 3]), tf.ones([4, 2])], verbose=0).shape == (4, 1)
    finally:
        tf.compat.v1.enable_v2_tensorshape()


def test_symbolic_tensors_tell_their_spec():
    x = tf.keras.Input([3], name="x")
    assert str(x) == (
        "KerasTensor(type_spec=TensorSpec(shape=(None, 3), dtype=tf.float32, name='x'), name='x', "
        "description=\"created by layer 'x'\")"
    )
    assert str(tf.keras.layers.Dense(2, name="d")(x)) == (
        "KerasTensor(type_spec=TensorSpec(shape=(None, 2), dtype=tf.float32, name=None), "
        "name='d', description=\"created by layer 'd'\")"
    )
    rows = tf.keras.Input([None], ragged=True, name="rows")
    assert repr(rows).startswith("<KerasTensor: type_spec=RaggedTensorSpec(")


def test_functional_models_with_a_configuration_of_their_own_are_cloned_by_it():
    class Own(tf.keras.Model):
        def __init__(self, units, **kwargs):
            inputs = tf.keras.Input([3])
            super().__init__(inputs, tf.keras.layers.Dense(units)(inputs), **kwargs)
            self.units = units

        def get_config(self):
            return {"units": self.units, "name": self.name}

    copy = tf.keras.models.clone_model(Own(4, name="own"))
    assert type(copy) is Own and copy.units == 4 and copy.name == "own"
    assert copy.output_shape == (None, 4)


def test_calls_are_known_by_their_distance_from_the_outputs():
    a, b = tf.keras.Input([3], name="a"), tf.keras.Input([3], name="b")
    shared = tf.keras.layers.Dense(3, name="shared")
    both = tf.keras.layers.Add(name="add")([shared(shared(a)), b])
    model = tf.keras.Model([a, b], tf.keras.layers.Dense(1, name="out")(both))
    found = {
        depth: [node.outbound_layer.name for node in nodes]
        for depth, nodes in model._nodes_by_depth.items()
    }
    assert found == {0: ["out"], 1: ["add"], 2: ["shared", "b"], 3: ["shared"], 4: ["a"]}
    empty = tf.keras.Sequential([tf.keras.layers.Dense(2)])
    assert not hasattr(empty, "_nodes_by_depth")
    empty.build([None, 3])
    assert sorted(empty._nodes_by_depth) == [0, 1]


def test_layers_say_what_they_were_called_on_as_keras_2_does():
    keras = tf.keras

    class First(keras.layers.Layer):
        def call(self, x):
            return [x[0] + 1.0]

    x = keras.Input((4,))
    layer = First()
    layer([x])
    source = x._keras_history.layer
    assert layer.input is x and source.input is x and source.get_input_at(0) is x
    assert source.input_shape == source.output_shape == [(None, 4)]
    assert source.get_input_shape_at(0) == source.get_output_shape_at(0) == (None, 4)
    assert layer.input_shape == layer.get_output_shape_at(0) == (None, 4)
    assert layer.output_shape == [(None, 4)] and layer.output is layer.get_output_at(0)
    assert layer._inbound_nodes[0].flat_input_ids == [str(id(x))]
    assert source._inbound_nodes[0].flat_input_ids == []


def test_models_have_a_loss_once_they_are_compiled():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    assert not hasattr(model, "loss") and model.optimizer is None
    model.compile("sgd", "mse")
    assert model.loss == "mse"
