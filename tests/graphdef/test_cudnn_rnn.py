"""CudnnRNN, by its documented vector of parameters, against Keras's layers."""

import itertools

import numpy as np
import pytest

import eagerflow as tf

RNG = np.random.default_rng(0)
# From Keras's order of gates to cuDNN's.
GATES = {"lstm": [0, 1, 2, 3], "gru": [1, 0, 2], "rnn_tanh": [0], "rnn_relu": [0]}
LAYERS = {
    "lstm": tf.keras.layers.LSTM,
    "gru": tf.keras.layers.GRU,
    "rnn_tanh": tf.keras.layers.SimpleRNN,
    "rnn_relu": tf.keras.layers.SimpleRNN,
}


def layer_and_parts(mode, inputs, units):
    """A layer of Keras, and its matrices and biases in cuDNN's order."""
    options = {"activation": mode.removeprefix("rnn_")} if mode.startswith("rnn") else {}
    layer = LAYERS[mode](units, return_sequences=True, return_state=True, **options)
    layer.build([None, None, inputs])
    layer.set_weights([RNG.normal(size=w.shape) for w in layer.weights])
    kernel, recurrent, bias = layer.get_weights()
    biases = bias if bias.ndim == 2 else [bias, np.zeros_like(bias)]
    gates = GATES[mode]
    weights = [
        part.reshape(len(part), len(gates), units)[:, gate].T
        for part, gate in itertools.product((kernel, recurrent), gates)
    ]
    vectors = [
        part.reshape(len(gates), units)[gate] for part, gate in itertools.product(biases, gates)
    ]
    return layer, weights, vectors


@pytest.mark.parametrize("mode", GATES)
def test_one_layer(mode):
    layer, weights, biases = layer_and_parts(mode, 3, 4)
    params = tf.raw_ops.CudnnRNNCanonicalToParams(
        num_layers=1, num_units=4, input_size=3, weights=weights, biases=biases, rnn_mode=mode
    )
    size = tf.raw_ops.CudnnRNNParamsSize(
        num_layers=1, num_units=4, input_size=3, T=tf.float32, S=tf.int32, rnn_mode=mode
    )
    assert size.numpy().tolist() == params.shape.as_list()
    back = tf.raw_ops.CudnnRNNParamsToCanonical(
        num_layers=1,
        num_units=4,
        input_size=3,
        params=params,
        num_params=len(weights),
        rnn_mode=mode,
    )
    for part, expected in zip([*back[0], *back[1]], [*weights, *biases], strict=True):
        np.testing.assert_array_equal(part, expected)

    x = RNG.normal(size=(2, 5, 3)).astype("f")
    states = [RNG.normal(size=(2, 4)).astype("f") for _ in range(2 if mode == "lstm" else 1)]
    expected = layer(x, initial_state=states)

    @tf.function
    def run(x, params):
        return tf.raw_ops.CudnnRNN(
            input=tf.transpose(x, [1, 0, 2]),
            input_h=states[0][None],
            input_c=states[-1][None],
            params=params,
            rnn_mode=mode,
        )

    with tf.GradientTape() as tape:
        tape.watch(params)
        found = run(x, params)
        total = tf.reduce_sum(found[0])
    np.testing.assert_allclose(tf.transpose(found[0], [1, 0, 2]), expected[0], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found[1][0], expected[1], rtol=1e-5, atol=1e-6)
    if mode == "lstm":
        np.testing.assert_allclose(found[2][0], expected[2], rtol=1e-5, atol=1e-6)
    with tf.GradientTape() as other:
        sums = tf.reduce_sum(layer(x, initial_state=states)[0])
    kernel = other.gradient(sums, layer.trainable_weights)[0]
    mine = tf.reshape(tape.gradient(total, params)[:12], [4, 3])
    gate = GATES[mode][0]
    np.testing.assert_allclose(
        mine, tf.transpose(kernel[:, 4 * gate : 4 * gate + 4]), rtol=1e-3, atol=1e-4
    )


def test_layers_directions_and_lengths():
    parts, layers = [], []
    for inputs in (3, 3, 8, 8):
        layer, weights, biases = layer_and_parts("lstm", inputs, 4)
        layers.append(layer)
        parts.append((weights, biases))
    params = tf.raw_ops.CudnnRNNCanonicalToParamsV2(
        num_layers=2,
        num_units=4,
        input_size=3,
        weights=[w for weights, _ in parts for w in weights],
        biases=[b for _, biases in parts for b in biases],
        direction="bidirectional",
    )
    x, lengths = RNG.normal(size=(2, 5, 3)).astype("f"), [5, 3]
    zeros = tf.zeros([2, 4, 4])  # batch, layers and directions, units
    found = tf.raw_ops.CudnnRNNV3(
        input=x, input_h=zeros, input_c=zeros, params=params, sequence_lengths=lengths,
        direction="bidirectional", time_major=False, is_training=False,
    )  # fmt: skip
    for row, length in enumerate(lengths):
        outputs, last = x[row : row + 1, :length], []
        for forward, backward in (layers[:2], layers[2:]):
            first, h, _ = forward(outputs)
            second, other_h, _ = backward(outputs[:, ::-1])
            outputs = tf.concat([first, tf.reverse(second, [1])], 2)
            last += [h[0], other_h[0]]
        np.testing.assert_allclose(found[0][row, :length], outputs[0], rtol=1e-4, atol=1e-5)
        assert not tf.reduce_any(found[0][row, length:] != 0)
        np.testing.assert_allclose(found[1][row], tf.stack(last), rtol=1e-4, atol=1e-5)


def test_refused_inputs():
    zeros = tf.zeros([1, 2, 4])
    with pytest.raises(tf.errors.UnimplementedError, match="skip"):
        tf.raw_ops.CudnnRNN(
            input=tf.zeros([5, 2, 4]), input_h=zeros, input_c=zeros, params=tf.zeros([1]),
            input_mode="skip_input",
        )  # fmt: skip


@pytest.mark.parametrize("mode", ["lstm", "gru"])
def test_inputs_of_unknown_size(mode):
    _, weights, biases = layer_and_parts(mode, 3, 4)
    params = tf.raw_ops.CudnnRNNCanonicalToParams(
        num_layers=1, num_units=4, input_size=3, weights=weights, biases=biases, rnn_mode=mode
    )
    x = tf.constant(RNG.normal(size=(5, 2, 3)).astype("f"))
    state = tf.zeros([1, 2, 4])

    def run(x):
        return tf.raw_ops.CudnnRNN(
            input=x, input_h=state, input_c=state, params=params, rnn_mode=mode
        )

    traced = tf.function(run, input_signature=[tf.TensorSpec([None, None, None])])
    np.testing.assert_allclose(traced(x)[0], run(x)[0], rtol=1e-6, atol=1e-6)
