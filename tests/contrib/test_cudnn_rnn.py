"""tf.contrib.cudnn_rnn: layers against cells of their checkpoints."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.contrib import cudnn_rnn, rnn

v1 = tf.compat.v1
KINDS = {
    "lstm": (cudnn_rnn.CudnnLSTM, cudnn_rnn.CudnnCompatibleLSTMCell),
    "gru": (cudnn_rnn.CudnnGRU, cudnn_rnn.CudnnCompatibleGRUCell),
    "tanh": (cudnn_rnn.CudnnRNNTanh, rnn.BasicRNNCell),
    "relu": (cudnn_rnn.CudnnRNNRelu, lambda units: rnn.BasicRNNCell(units, tf.nn.relu)),
}
X = np.random.RandomState(1).normal(size=[5, 2, 4]).astype(np.float32)


def uniform(shape, dtype=None, **kwargs):
    return tf.random.uniform(shape, -0.7, 0.7, dtype or tf.float32)


def network(cell, both, lengths=None):
    """A network of cells, as the names of checkpoints have it."""
    cells = [[cell(3) for _ in range(2)] for _ in range(1 + both)]
    given = v1.placeholder(tf.float32, [None, None, 4])
    if both:
        outputs, *_ = rnn.stack_bidirectional_dynamic_rnn(
            *cells, given, dtype=tf.float32, sequence_length=lengths, time_major=True
        )
    else:
        stack = rnn.MultiRNNCell(cells[0])
        outputs, _ = v1.nn.dynamic_rnn(stack, given, lengths, dtype=tf.float32, time_major=True)
    return given, outputs


@pytest.mark.parametrize("scope", ["", "model"])
@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_cells_read_the_checkpoints_of_layers_and_write_theirs(kind, both, scope, tmp_path):
    layer, cell = KINDS[kind]
    direction = "bidirectional" if both else "unidirectional"

    def made():
        return layer(
            2, 3, direction=direction, kernel_initializer=uniform, bias_initializer=uniform
        )

    def inside():
        return v1.variable_scope(scope or v1.get_variable_scope())

    with tf.Graph().as_default(), v1.Session() as session, inside():
        given = v1.placeholder(tf.float32, [None, None, 4])
        outputs, states = made()(given, sequence_lengths=[3, 5])
        assert outputs.shape.as_list()[::2] == [None, 6 if both else 3]
        assert len(states) == (2 if kind == "lstm" else 1)
        (kernel,) = v1.trainable_variables()
        assert kernel.name.endswith("/opaque_kernel:0")
        assert v1.gradients(outputs, kernel)[0] is not None
        session.run(v1.global_variables_initializer())
        expected = session.run(outputs, {given: X})
        path = v1.train.Saver().save(session, str(tmp_path / "layer"))
    with tf.Graph().as_default(), v1.Session() as session, inside():
        given, outputs = network(cell, both, [3, 5])
        saver = v1.train.Saver()
        saver.restore(session, path)
        np.testing.assert_allclose(session.run(outputs, {given: X}), expected, atol=1e-5)
        path = saver.save(session, str(tmp_path / "cells"))
    with tf.Graph().as_default(), v1.Session() as session, inside():
        given = v1.placeholder(tf.float32, [None, None, 4])
        outputs, _ = made()(given, sequence_lengths=[3, 5])
        v1.train.Saver().restore(session, path)
        np.testing.assert_allclose(session.run(outputs, {given: X}), expected, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_at_once_and_with_states(kind):
    layer = KINDS[kind][0](2, 3, name="network")
    whole, end = layer(tf.constant(X))
    first, states = layer(tf.constant(X[:2]))
    second, last = layer(tf.constant(X[2:]), initial_state=states)
    np.testing.assert_allclose(tf.concat([first, second], 0), whole, atol=1e-6)
    for one, other in zip(last, end, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)
    turned, state = layer(tf.transpose(X, [1, 0, 2]), time_major=False)
    np.testing.assert_allclose(turned, tf.transpose(whole, [1, 0, 2]), atol=1e-6)
    assert state[0].shape == [2, 2, 3]
    assert layer.rnn_mode in KINDS or layer.rnn_mode == f"rnn_{kind}"
    assert (layer.input_size, layer.num_dirs, layer.state_shape(7)[0]) == (4, 1, [2, 7, 3])


def test_dropout_is_of_training():
    layer = cudnn_rnn.CudnnGRU(2, 30, dropout=0.5)
    a, b = (layer(tf.ones([3, 2, 4]), training=True)[0].numpy() for _ in range(2))
    assert (a != b).any()
    a, b = (layer(tf.ones([3, 2, 4]), training=False)[0].numpy() for _ in range(2))
    assert (a == b).all()


def test_vectors_of_parameters():
    numbers = "gru", 2, 3, 4
    size = cudnn_rnn.cudnn_rnn_opaque_params_size(*numbers, direction="bidirectional")
    vector = np.arange(int(size[0]), dtype=np.float32)
    weights, biases = cudnn_rnn.cudnn_rnn_opaque_params_to_canonical(
        *numbers, vector, direction="bidirectional"
    )
    layer = cudnn_rnn.CudnnGRU(2, 3, direction="bidirectional")
    layer.build([None, None, 4])
    assert [tuple(w.shape) for w in weights] == layer.canonical_weight_shapes
    assert [list(b.shape) for b in biases] == layer.canonical_bias_shapes
    back = cudnn_rnn.cudnn_rnn_canonical_to_opaque_params(*numbers, weights, biases)
    np.testing.assert_array_equal(back, vector)


def test_training():
    with tf.Graph().as_default(), v1.Session() as session:
        layer = cudnn_rnn.CudnnLSTM(1, 8, kernel_initializer=uniform)
        outputs, _ = layer(tf.constant(X))
        loss = tf.reduce_mean(tf.square(tf.reduce_sum(outputs, 2) - X[:, :, 0]))
        train = v1.train.AdamOptimizer(0.05).minimize(loss)
        session.run(v1.global_variables_initializer())
        losses = [session.run([loss, train])[0] for _ in range(60)]
    assert losses[-1] < 0.3 * losses[0]


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: cudnn_rnn.CudnnLSTM(1, 3, direction="up"), "Invalid direction"),
        (lambda: cudnn_rnn.CudnnLSTM(1, 3, input_mode="none"), "Invalid input_mode"),
        (lambda: cudnn_rnn.CudnnLSTM(1, 3, dtype=tf.int32), "Only support"),
        (lambda: cudnn_rnn.CudnnLSTM(1, 3).input_size, "has not been built"),
        (lambda: cudnn_rnn.CudnnLSTM(1, 3).build([2, 3]), "3 dims"),
        (lambda: cudnn_rnn.CudnnLSTM(1, 3).build([2, 3, None]), "should be defined"),
        (lambda: cudnn_rnn.CudnnGRU(1, 3)(tf.ones([2, 1, 4]), tf.ones([1, 1, 3])), "tuple"),
    ],
)
def test_refusals(make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make()


def test_skipped_products_are_refused():
    layer = cudnn_rnn.CudnnGRU(1, 4, input_mode="auto_select")
    with pytest.raises(tf.errors.UnimplementedError, match="skip"):
        layer(tf.ones([2, 1, 4]))
