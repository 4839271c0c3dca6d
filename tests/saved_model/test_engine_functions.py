"""Recurrent operations of the engine, which files have as functions with loops."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from eagerflow.protos.saved_model import MESSAGES

K = tf.keras
X = np.random.default_rng(0).normal(size=[3, 7, 4]).astype(np.float32)
MASKED = np.where(np.arange(7)[None, :, None] < np.array([7, 3, 0])[:, None, None], X, 0)
LAYERS = {
    "lstm": lambda: [K.layers.LSTM(5)],
    "sequences": lambda: [K.layers.LSTM(5, return_sequences=True), K.layers.Flatten()],
    "hard gates": lambda: [K.layers.LSTM(5, recurrent_activation="hard_sigmoid")],
    "gru": lambda: [K.layers.GRU(5, activation="relu")],
    "simple": lambda: [K.layers.SimpleRNN(5)],
    "both ways": lambda: [K.layers.Bidirectional(K.layers.GRU(3))],
    "masked": lambda: [K.layers.Masking(), K.layers.LSTM(5)],
}


def types(graph):
    found = set()
    for node in graph.nodes:
        found.add(node.type)
        for callee in node.callees:
            found |= types(callee)
    return found


def file_of(folder):
    return MESSAGES["SavedModel"].FromString((folder / "saved_model.pb").read_bytes())


def implementing(message):
    functions = message.meta_graphs[0].graph_def.library.function
    return [f for f in functions if f.attr["_implements"].func.name.startswith("eagerflow.")]


@pytest.mark.parametrize("name", LAYERS)
def test_loaded_models_run_the_operation(name, tmp_path):
    model = K.Sequential([K.layers.Input([7, 4]), *LAYERS[name](), K.layers.Dense(2)])
    x = tf.constant(MASKED.astype(np.float32) if name == "masked" else X)
    with tf.GradientTape() as tape:
        expected = model(x)
        loss = tf.reduce_sum(expected**2)
    gradients = tape.gradient(loss, model.trainable_variables)
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    served = loaded.signatures["serving_default"]
    assert not types(served.graph) & {"While", "StatelessWhile"}
    np.testing.assert_array_equal(next(iter(served(x).values())), expected)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(loaded(x) ** 2)
    for mine, theirs in zip(
        tape.gradient(loss, loaded.trainable_variables), gradients, strict=True
    ):
        np.testing.assert_allclose(mine, theirs, 1e-5, 1e-6)


def saved_lstm(folder, change):
    """A saved model whose functions that stand for operations are changed."""
    model = K.Sequential([K.layers.Input([7, 4]), K.layers.LSTM(5)])
    tf.saved_model.save(model, folder)
    message = file_of(folder)
    found = implementing(message)
    assert found
    for function in found:
        change(function)
    (folder / "saved_model.pb").write_bytes(message.SerializeToString())
    served = tf.saved_model.load(folder).signatures["serving_default"]
    return model, served


@pytest.mark.parametrize("name", ["", "eagerflow.read_file", "other.lstm"])
def test_the_function_itself_does_the_same(name, tmp_path):
    """What does not know the operation runs the loop."""
    model, served = saved_lstm(
        tmp_path, lambda function: setattr(function.attr["_implements"].func, "name", name)
    )
    assert types(served.graph) & {"While", "StatelessWhile"}
    np.testing.assert_allclose(next(iter(served(tf.constant(X)).values())), model(X), 1e-5, 1e-6)


def other_activation(function):
    function.attr["_implements"].func.attr["activation"].s = b"os.system"


def unknown_attribute(function):
    function.attr["_implements"].func.attr["command"].s = b"ls"


def fewer_results(function):
    del function.signature.output_arg[-1]


def other_operation(function):
    function.attr["_implements"].func.name = "eagerflow.simple_rnn"


@pytest.mark.parametrize(
    "change", [other_activation, unknown_attribute, fewer_results, other_operation]
)
def test_damaged_functions_are_refused(change, tmp_path):
    with pytest.raises(tf.errors.InvalidArgumentError):
        _, served = saved_lstm(tmp_path, change)
        served(tf.constant(X))


def test_graphs_have_a_call():
    @tf.function(input_signature=[tf.TensorSpec([None, None, 8])])
    def run(projection):
        h = tf.zeros([tf.shape(projection)[1], 2])
        return _core.ops.lstm(projection, h, h, tf.ones([2, 8]))[0]

    message = run.get_concrete_function().graph.as_graph_def()
    called = {node.attr["f"].func.name for node in message.node if node.op == "PartitionedCall"}
    library = {f.signature.name: f for f in message.library.function}
    assert [library[name].attr["_implements"].func.name for name in called] == ["eagerflow.lstm"]
    with tf.Graph().as_default() as imported:
        tf.import_graph_def(message, name="")
    assert "LSTM" not in {operation.type for operation in imported.get_operations()}
