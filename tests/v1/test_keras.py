"""Keras in version 1: optimizers with `lr` and `decay`, and the graph that models are in."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse

import eagerflow
from eagerflow.framework import context

tf = eagerflow.compat.v1
OLDER = eagerflow.keras.optimizers.legacy


@pytest.mark.parametrize("name", OLDER.__all__)
def test_classes_are_the_older_ones(name):
    assert getattr(tf.keras.optimizers, name) is getattr(OLDER, name)


def test_newer_ones_are_not_there():
    assert not {"AdamW", "Lion", "Adafactor"} & set(dir(tf.keras.optimizers))
    assert not hasattr(tf.keras.optimizers, "AdamW")


def test_the_rate_by_its_older_name():
    v = eagerflow.Variable([1.0, 2.0])
    optimizer = tf.keras.optimizers.SGD(lr=0.5)
    optimizer.apply_gradients([(eagerflow.constant([1.0, 1.0]), v)])
    assert v.numpy().tolist() == [0.5, 1.5]
    optimizer.lr = 0.25
    assert optimizer.get_config()["learning_rate"] == 0.25
    assert type(tf.keras.optimizers.get(tf.keras.optimizers.serialize(optimizer))) is OLDER.SGD


def test_a_model_trains_by_it_in_a_graph():
    with tf.Graph().as_default():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=[1])])
        model.compile(tf.keras.optimizers.SGD(lr=0.0), "mse")
        before = model.get_weights()
        model.fit(np.ones([4, 1]), np.ones([4, 1]), verbose=0)
        np.testing.assert_array_equal(model.get_weights()[0], before[0])
        assert tf.keras.backend.get_value(model.optimizer.lr) == 0.0


def test_clear_session_empties_the_default_graph():
    with tf.Graph().as_default() as graph:
        tf.constant(1.0)
        tf.keras.backend.clear_session()
        assert tf.get_default_graph() is graph and len(graph.get_operations()) == 1
    context.set_eager(False)
    try:
        first = tf.get_default_graph()
        tf.constant(1.0)
        tf.keras.backend.clear_session()
        assert tf.get_default_graph() is not first
        assert not tf.get_default_graph().get_operations()
        assert tf.keras.backend.get_session().run(tf.constant(2.0)) == 2.0
    finally:
        context.set_eager(True)
        context.reset_default_graph()


@pytest.mark.parametrize("eager", [False, True])
def test_the_programs_seed_determines_first_weights(tmp_path, eager):
    path = tmp_path / "program.py"
    path.write_text(
        "import numpy as np\n"
        "import tensorflow as tf\n"
        f"if {eager}: tf.enable_eager_execution()\n"
        "tf.set_random_seed(7)\n"
        "layers = tf.keras.layers\n"
        "model = tf.keras.Sequential([layers.GRU(3, input_shape=(4, 2)), layers.Dense(2)])\n"
        "more = layers.Embedding(4, 3, input_length=2)\n"
        "more.build((None, 2))\n"
        "weights = tf.keras.backend.batch_get_value(model.weights + more.weights)\n"
        "print([np.round(w, 6).tolist() for w in weights])\n"
    )
    command = [sys.executable, "-m", "eagerflow", "--generation", "1.x", str(path)]
    first, second = (
        subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in "ab"
    )
    assert first == second and len(first) > 100


@pytest.mark.parametrize("sparse", [False, True])
def test_matrices_of_scipy_are_fed_densely_unless_the_input_is_sparse(sparse):
    dense = np.array(
        [[0.0, 2.0, 0.0], [1.0, 0.0, 3.0], [0.0, 0.0, 0.0], [4.0, 0.0, 0.0]], np.float32
    )
    matrix = scipy.sparse.csr_matrix(dense)
    with tf.Graph().as_default():
        keras = tf.keras
        x = keras.Input((3,), sparse=sparse)
        y = keras.layers.Dense(2, kernel_initializer="ones")(x)
        if not sparse:
            y = keras.layers.Dropout(0.5)(y)
        model = keras.Model(x, y)
        sums = np.repeat(dense.sum(1, keepdims=True), 2, axis=1)
        np.testing.assert_array_equal(model.predict(matrix, batch_size=2), sums)
        np.testing.assert_array_equal(model.predict_on_batch(matrix), sums)
        model.compile("sgd", "mse", metrics=["mae"])
        targets = sums if sparse else scipy.sparse.csr_matrix(sums)
        assert model.evaluate(matrix, targets, batch_size=2, verbose=0) == [0.0, 0.0]
        assert model.test_on_batch(matrix, targets) == [0.0, 0.0]
        model.fit(matrix, targets, batch_size=2, epochs=1, validation_split=0.5, verbose=0)
        model.train_on_batch(matrix, targets)
