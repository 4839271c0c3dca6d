"""Models from tensors in the middle of other models."""

import numpy as np
import pytest

import eagerflow as tf

K = tf.keras


def network():
    x = K.Input((3,), name="x")
    hidden = K.layers.Dense(4, name="hidden")(x)
    active = K.layers.ReLU(name="active")(hidden)
    return x, hidden, K.layers.Dense(1, name="out")(active)


def test_layers_before_the_input_are_no_part_of_the_model():
    x, hidden, y = network()
    whole, tail = K.Model(x, y), K.Model(hidden, y)
    assert [type(layer).__name__ for layer in tail.layers] == ["InputLayer", "ReLU", "Dense"]
    assert [layer.name for layer in tail.layers[1:]] == ["active", "out"]
    assert [weight.name for weight in tail.weights] == ["out/kernel:0", "out/bias:0"]
    assert tail.layers[2] is whole.get_layer("out")
    assert tail.input is not hidden
    value = tf.constant([[0.5, -1.0, 2.0]])
    between = whole.get_layer("hidden")(value)
    np.testing.assert_array_equal(tail(between), whole(value))
    assert len(whole.get_layer("active").inbound_nodes) == 2
    assert whole.get_layer("active").input is hidden


def test_input_layers_stay_beside_intermediate_inputs():
    _, hidden, _ = network()
    other = K.Input((2,), name="other")
    both = K.layers.Add(name="both")([hidden, K.layers.Dense(4, name="second")(other)])
    model = K.Model([hidden, other], {"both": both, "other": other})
    assert model.input_names[1] == "other"
    assert model.inputs[1] is other
    result = model([tf.ones([2, 4]), tf.zeros([2, 2])])
    assert result["both"].numpy().tolist() == [[1.0] * 4] * 2
    assert result["other"].shape == [2, 2]


@pytest.mark.parametrize("ending", ["keras", "h5"])
def test_such_a_model_is_trained_and_saved(tmp_path, ending):
    _, hidden, y = network()
    tail = K.Model(hidden, y)
    tail.compile("sgd", "mse")
    tail.fit(np.ones((2, 4)), np.ones((2, 1)), verbose=0)
    path = str(tmp_path / f"tail.{ending}")
    tail.save(path)
    loaded = K.models.load_model(path)
    assert [layer.name for layer in loaded.layers] == [layer.name for layer in tail.layers]
    np.testing.assert_array_equal(loaded(tf.ones([1, 4])), tail(tf.ones([1, 4])))


def test_inputs_determine_outputs_and_are_all_used():
    x, hidden, y = network()
    with pytest.raises(ValueError, match="unvisited input tensors"):
        K.Model([x, hidden], y)
    with pytest.raises(ValueError, match="Graph disconnected"):
        K.Model(hidden, hidden)
    active = y.node.keras_inputs[0]
    with pytest.raises(ValueError, match="Graph disconnected"):
        K.Model(active, [hidden, y])
