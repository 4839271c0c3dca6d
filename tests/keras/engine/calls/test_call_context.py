"""The learning phase in graphs of version 1: a tensor that programs feed, or a number that they set."""

import numpy as np
import pytest

import eagerflow

tf = eagerflow.compat.v1
keras = eagerflow.keras
K = keras.backend
ONES = np.ones([4, 8], np.float32)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_the_phase_is_a_tensor_that_is_false_unless_it_is_fed():
    phase = K.learning_phase()
    assert phase is K.learning_phase() and phase.op.type == "PlaceholderWithDefault"
    assert (phase.name, phase.op.inputs[0].name) == (
        "keras_learning_phase:0",
        "keras_learning_phase/input:0",
    )
    x = tf.placeholder(tf.float32, [None, 8])
    dropped = keras.layers.Dropout(0.5)(x)
    with tf.name_scope("elsewhere"), tf.Session() as session:
        assert (session.run(dropped, {x: ONES}) == ONES).all()
        found = session.run(dropped, {x: ONES, K.learning_phase(): 1})
        assert set(found.ravel()) == {0.0, 2.0}
        chosen = K.in_train_phase(x * 2.0, x * 3.0), K.in_test_phase(x * 2.0, x * 3.0)
        assert [value[0, 0] for value in session.run(chosen, {x: ONES})] == [3, 2]
        assert [value[0, 0] for value in session.run(chosen, {x: ONES, phase: True})] == [2, 3]


def test_layers_and_models_follow_it():
    x = tf.placeholder(tf.float32, [None, 8])
    normalized = keras.layers.BatchNormalization()(x)
    model = keras.Sequential([keras.layers.Dense(8), keras.layers.GaussianNoise(1.0)])
    noisy = model(x)
    recurrent = keras.layers.LSTM(4, dropout=0.5)(tf.reshape(x, [-1, 2, 4]))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        rows = ONES * [[0.0], [1.0], [2.0], [3.0]]
        assert session.run(normalized, {x: rows}) == pytest.approx(rows, rel=1e-3)
        trained = session.run(normalized, {x: rows, K.learning_phase(): True})
        assert trained.mean() == pytest.approx(0.0, abs=1e-5) and trained.min() < -1.0
        for changing in (noisy, recurrent):
            same = [session.run(changing, {x: ONES}) for _ in range(2)]
            assert (same[0] == same[1]).all()
            other = session.run(changing, {x: ONES, K.learning_phase(): True})
            assert (other != same[0]).any()


def test_functions_take_it():
    x = K.placeholder([None, 8])
    function = K.function([x, K.learning_phase()], [keras.layers.Dropout(0.5)(x)])
    assert (function([ONES, 0])[0] == ONES).all()
    assert (function([ONES, 1])[0] != ONES).all()


def test_it_is_set_for_one_graph():
    x = tf.constant(ONES)
    K.set_learning_phase(1)
    assert K.learning_phase() == 1
    trained = keras.layers.Dropout(0.5)(x)
    K.set_learning_phase(0)
    same = keras.layers.Dropout(0.5)(x)
    with tf.Graph().as_default():
        assert K.learning_phase().name == "keras_learning_phase:0"
        with K.learning_phase_scope(1):
            assert K.learning_phase() == 1
        assert K.learning_phase().name == "keras_learning_phase:0"
    with tf.Session() as session:
        assert (session.run(trained) != ONES).all() and (session.run(same) == ONES).all()
    with pytest.raises(ValueError, match="0 or 1"):
        K.set_learning_phase(2)
    K.clear_session()
    assert K.learning_phase().op.type == "PlaceholderWithDefault"
