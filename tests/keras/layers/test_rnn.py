"""States, masks and dropout of recurrent layers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eagerflow as tf
from layer_cases import values

layers = tf.keras.layers


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=2e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (
            lambda: layers.LSTM(4, dropout=0.3, recurrent_dropout=0.5, return_sequences=True),
            [0.21737754, 0.17198457, 0.18561320],
        ),
        (lambda: layers.GRU(4, recurrent_dropout=0.5), [0.21078520, 0.18536030, 0.19634612]),
        (
            lambda: layers.SimpleRNN(4, dropout=0.5, activation="relu"),
            [0.88623166, 0.50127751, 0.54220051],
        ),
        (
            lambda: layers.Bidirectional(layers.GRU(3, dropout=0.2, recurrent_dropout=0.4)),
            [0.11848994, 0.10040715, 0.12521914],
        ),
    ],
)
def test_recurrent_layers_drop_anew_at_each_step_of_fit(make: Any, expected: list[float]) -> None:
    random = np.random.RandomState(0)
    x, y = random.rand(6, 4, 3).astype("float32"), random.rand(6, 2).astype("float32")
    tf.keras.utils.set_random_seed(7)
    model = tf.keras.Sequential([make(), layers.Flatten(), layers.Dense(2)])
    model.compile("sgd", "mse")
    history = model.fit(x, y, epochs=3, batch_size=3, shuffle=False, verbose=0)
    close(history.history["loss"], expected)


X = values(2, 6, 3)


@pytest.mark.parametrize("name", ["LSTM", "GRU", "SimpleRNN"])
def test_stateful_layers_go_on(name: str) -> None:
    """Two halves of a sequence give what the whole gives, until states are reset."""
    whole = getattr(layers, name)(4)
    expected = whole(X).numpy()
    layer = getattr(layers, name)(4, stateful=True, batch_input_shape=(2, None, 3))
    layer.build((2, None, 3))
    layer.set_weights(whole.get_weights())
    assert len(layer.weights) == len(whole.weights)
    layer(X[:, :2])
    np.testing.assert_allclose(layer(X[:, 2:]).numpy(), expected, atol=1e-6)
    assert np.any(layer.states[0].numpy())
    layer.reset_states()
    assert not np.any(layer.states[0].numpy())
    np.testing.assert_allclose(layer(X).numpy(), expected, atol=1e-6)
    given = [values(2, 4, seed=k) for k in range(len(layer.states))]
    layer.reset_states(given)
    np.testing.assert_array_equal(layer.states[-1].numpy(), given[-1])
    np.testing.assert_allclose(layer(X).numpy(), whole(X, initial_state=given).numpy(), atol=1e-6)
    with pytest.raises(ValueError, match="expects"):
        layer.reset_states([*given, given[0]])
    with pytest.raises(ValueError, match="incompatible"):
        layer.reset_states([value[:1] for value in given])
    with pytest.raises(AttributeError, match="stateful"):
        whole.reset_states()


def test_states_can_be_given_in_many_ways() -> None:
    layer = layers.LSTM(4)
    states = [values(2, 4), values(2, 4, seed=1)]
    expected = layer(X, initial_state=states).numpy()
    tensors = [tf.constant(state) for state in states]
    for result in (layer([tf.constant(X), *tensors]), layer(X, tensors)):
        np.testing.assert_array_equal(result.numpy(), expected)
    with pytest.raises(ValueError, match="not compatible"):
        layer(X, initial_state=states[:1])
    with pytest.raises(ValueError, match="not compatible"):
        layer(X, initial_state=[state[:, :3] for state in states])


def test_masks_come_from_layers_before() -> None:
    ids = np.array([[1, 2, 0, 0], [3, 0, 0, 0]])
    embedded = layers.Embedding(5, 3, mask_zero=True)(ids)
    layer = layers.LSTM(4, return_sequences=True)
    outputs = layer(embedded)
    np.testing.assert_array_equal(outputs._keras_mask.numpy(), ids != 0)
    np.testing.assert_array_equal(outputs[1, 0].numpy(), outputs[1, 3].numpy())
    short = layer(tf.constant(embedded.numpy()[:1, :2]))
    np.testing.assert_allclose(outputs[0, 3].numpy(), short[0, 1].numpy(), atol=1e-6)
    assert layers.GRU(2)(embedded)._keras_mask is None


def test_dropout_stays_within_a_sequence() -> None:
    tf.random.set_seed(3)
    cell = layers.SimpleRNNCell(50, dropout=0.5, recurrent_dropout=0.5)
    layer = layers.RNN(cell, return_sequences=True)
    x = tf.ones([2, 3, 40])
    plain = layer(x).numpy()
    one, two = layer(x, training=True).numpy(), layer(x, training=True).numpy()
    assert np.any(one != plain) and np.any(one != two)
    mask = cell.get_dropout_mask_for_cell(x[:, 0], True).numpy()
    assert set(np.unique(mask)) == {0.0, 2.0}
    assert cell.get_dropout_mask_for_cell(x[:, 0], True).numpy().tolist() == mask.tolist()
    assert cell.get_dropout_mask_for_cell(x[:, 0], False) is None
    for name in ("LSTM", "GRU", "SimpleRNN"):
        fast = getattr(layers, name)(8, dropout=0.5, recurrent_dropout=0.3)
        assert np.any(fast(x, training=True).numpy() != fast(x).numpy())
        np.testing.assert_array_equal(fast(x).numpy(), fast(x).numpy())


class Constants(layers.AbstractRNNCell):
    """A cell that adds a constant at each step."""

    state_size = output_size = 3

    def call(self, inputs: Any, states: Any, constants: Any = None) -> Any:
        total = states[0] + inputs + constants[0]
        return total, [total]


def test_constants_and_own_cells() -> None:
    layer = layers.RNN(Constants(), return_sequences=True, return_state=True)
    bias = values(2, 3)
    outputs, state = layer(X, constants=[bias])
    expected = np.cumsum(X + bias[:, np.newaxis], 1)
    np.testing.assert_allclose(outputs.numpy(), expected, atol=1e-5)
    np.testing.assert_array_equal(state.numpy(), outputs[:, -1].numpy())
    assert layer.get_config()["num_constants"] == 1
    with pytest.raises(ValueError, match="does not support constants"):
        layers.RNN(layers.GRUCell(3))(X, constants=[bias])


class Nested(layers.Layer):
    """A cell with structures for inputs, outputs and states."""

    state_size = [3, [3, 3]]
    output_size = 3

    def call(self, inputs: Any, states: Any) -> Any:
        a, (b, c) = states
        x, y = inputs
        return {"sum": a + x, "more": b}, [a + x, [b + y, c + x * y]]


def test_structures() -> None:
    layer = layers.RNN(Nested(), return_sequences=True)
    y = values(2, 6, 3, seed=4)
    outputs = layer((tf.constant(X), tf.constant(y)))
    np.testing.assert_allclose(outputs["sum"].numpy(), np.cumsum(X, 1), atol=1e-5)
    before = np.concatenate([np.zeros((2, 1, 3)), np.cumsum(y, 1)[:, :-1]], 1)
    np.testing.assert_allclose(outputs["more"].numpy(), before, atol=1e-5)


def test_attributes_of_the_cell_are_the_layers_too() -> None:
    layer = layers.LSTM(4, activation="relu", dropout=0.25)
    assert layer.units == 4 and layer.dropout == 0.25 and layer.use_bias
    assert layer.activation is tf.keras.activations.relu
    layer.build((None, None, 3))
    bias = layer.cell.bias.numpy()
    np.testing.assert_array_equal(bias, np.repeat([0.0, 1.0, 0.0, 0.0], 4))
    with pytest.raises(AttributeError):
        _ = layer.something


def test_bidirectional_states() -> None:
    layer = layers.Bidirectional(layers.GRU(3, return_state=True), merge_mode=None)
    states = [values(2, 3), values(2, 3, seed=1)]
    one, other, *last = layer(X, initial_state=states)
    np.testing.assert_array_equal(one.numpy(), last[0].numpy())
    np.testing.assert_array_equal(other.numpy(), last[1].numpy())
    alone = layer.backward_layer(X, initial_state=states[1:])[0]
    np.testing.assert_array_equal(other.numpy(), alone.numpy())
    with pytest.raises(ValueError, match="initial_state"):
        layer(X, initial_state=states[:1])
    with pytest.raises(ValueError, match="merge mode"):
        layers.Bidirectional(layers.GRU(3), merge_mode="max")
    with pytest.raises(ValueError, match="go_backwards"):
        layers.Bidirectional(layers.GRU(3), backward_layer=layers.GRU(3))


def test_time_distributed_masks() -> None:
    ids = np.array([[[1, 2], [0, 0]], [[3, 0], [4, 0]]])
    words = layers.TimeDistributed(layers.Embedding(5, 3, mask_zero=True))(ids)
    np.testing.assert_array_equal(words._keras_mask.numpy(), ids != 0)
    sentences = layers.TimeDistributed(layers.LSTM(4))(words)
    np.testing.assert_array_equal(sentences._keras_mask.numpy(), (ids != 0).any(-1))
    with pytest.raises(ValueError, match="at least 3"):
        layers.TimeDistributed(layers.Dense(2))(tf.ones([2, 3]))


def test_bad_arguments() -> None:
    for name in ("LSTM", "GRUCell", "SimpleRNN"):
        with pytest.raises(ValueError, match="units"):
            getattr(layers, name)(0)
    with pytest.raises(ValueError, match="state_size"):
        layers.RNN(layers.Dense(2))
    with pytest.raises(ValueError, match="ndim=3"):
        layers.LSTM(3)(tf.ones([2, 3]))


def test_cells_that_need_values_have_the_shapes_they_say() -> None:
    """A program's cell that fails on placeholders is asked for its sizes; states are checked."""

    class Cell:
        state_size = output_size = 3

        def call(self, inputs, states):
            total = states[0] + float(np.sum(inputs.numpy()))
            return total, [total]

    class Reading(Cell):
        def call(self, inputs, states):
            if str(inputs.numpy()[0, 0]) != "1.0":
                raise RuntimeError("another program's data")
            return super().call(inputs, states)

    layer = layers.RNN(Reading())
    assert layer(tf.keras.Input((2, 5))).shape.as_list() == [None, 3]
    with pytest.raises(ValueError, match="not compatible"):
        layer(tf.keras.Input((2, 5)), initial_state=[tf.keras.Input((4,))])
    np.testing.assert_array_equal(layer(tf.ones([1, 2, 5])), [[10.0, 10.0, 10.0]])


def test_states_of_unknown_size_are_taken() -> None:
    class Cell:
        state_size = None

        def call(self, inputs, states):
            return inputs + states[0], [states[0] + 1]

    total, state = layers.RNN(Cell(), return_state=True)(
        tf.ones([1, 3, 2]), initial_state=[tf.zeros([1, 2])]
    )
    np.testing.assert_array_equal(total, [[3.0, 3.0]])
    np.testing.assert_array_equal(state, [[3.0, 3.0]])


def test_states_are_inputs():
    """The input of a call with symbolic states lists them after the sequence."""
    x, state = tf.keras.Input([3, 4]), tf.keras.Input([5])
    recurrent = (
        (tf.keras.layers.SimpleRNN(5), 1),
        (tf.keras.layers.LSTM(5), 2),
        (tf.keras.layers.Bidirectional(tf.keras.layers.SimpleRNN(5)), 2),
    )
    for layer, count in recurrent:
        layer(x, initial_state=[state] * count)
        assert [id(part) for part in layer.input] == [id(x), *[id(state)] * count]
        assert layer.input_shape == [(None, 3, 4), *[(None, 5)] * count]
        assert layer.get_input_shape_at(0) == layer.input_shape
    plain = tf.keras.layers.SimpleRNN(5)
    plain(x)
    assert plain.input is x


@pytest.mark.parametrize("reset_after", [True, False])
def test_a_gru_cell_takes_more_axes_than_one_of_examples(reset_after):
    cell = tf.keras.layers.GRUCell(5, reset_after=reset_after)
    x, h = tf.random.normal([2, 3, 4], seed=1), tf.random.normal([2, 3, 5], seed=2)
    together, _ = cell(x, [h])
    flat, _ = cell(tf.reshape(x, [6, 4]), [tf.reshape(h, [6, 5])])
    np.testing.assert_allclose(together, tf.reshape(flat, [2, 3, 5]), atol=1e-6)


def _stateful(batch):
    return tf.keras.Sequential(
        [
            tf.keras.layers.GRU(3, stateful=True, batch_input_shape=[batch, None, 2], name="g"),
            tf.keras.layers.Reshape([1, 3]),
            tf.keras.layers.LSTM(2, stateful=True, name="l"),
        ]
    )


def test_states_are_in_no_checkpoint(tmp_path):
    model, one = _stateful(4), _stateful(1)
    model(tf.ones([4, 2, 2]))
    path = str(tmp_path / "weights")
    model.save_weights(path)
    assert not [name for name, _ in tf.train.list_variables(path) if "states" in name]
    one.load_weights(path).assert_consumed()
    for ours, theirs in zip(one.get_weights(), model.get_weights(), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    saved = tf.train.Checkpoint(model=model).save(str(tmp_path / "all"))
    tf.train.Checkpoint(model=one).restore(saved).assert_consumed()


def test_saved_models_keep_states(tmp_path):
    model = _stateful(4)
    x = tf.random.stateless_uniform([4, 2, 2], [1, 2])
    model(x)
    model.save(str(tmp_path), save_format="tf")
    again = tf.keras.models.load_model(str(tmp_path))
    for layer in (0, 2):
        assert again.layers[layer].states[0].numpy().any()
    np.testing.assert_allclose(again(x), model(x), rtol=1e-5)
