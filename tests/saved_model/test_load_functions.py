"""SavedModels that TensorFlow wrote: functions, signatures, variables, tables."""

import shutil
import time
from pathlib import Path

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.functions.variable_creation import UnliftableError
from eagerflow.protos.saved_model import MESSAGES
from saved_model import modules

FILES = Path(__file__).parent / "files"


def test_functions_of_a_module():
    loaded = tf.saved_model.load(FILES / "module")
    modules.check(tf, loaded)
    assert [v.trainable for v in loaded.trainable_variables] == [True] * 5
    assert loaded.asset.asset_path.numpy().decode().endswith("assets/words.txt")
    signature = loaded.signatures["loop"]
    assert signature.structured_input_signature == (
        (),
        {"n": tf.TensorSpec([], tf.int32, name="n")},
    )
    assert signature.structured_outputs["output_0"].dtype == tf.float32


def test_calls_that_nothing_was_saved_for_are_refused():
    loaded = tf.saved_model.load(FILES / "module")
    with pytest.raises(ValueError, match=r"Could not find matching.*\n.*[\s\S]*Option 3"):
        loaded.options(tf.constant([1]))
    with pytest.raises(ValueError, match="Could not find matching"):
        loaded.loop()
    assert float(loaded.loop(2)) == 3.0


def test_functions_train_inside_of_others():
    loaded = tf.saved_model.load(FILES / "module")
    optimizer = tf.keras.optimizers.SGD(0.1)

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(loaded.structured(x)["y"])
        optimizer.apply_gradients([(tape.gradient(loss, loaded.v), loaded.v)])
        return loss

    losses = [float(step(tf.constant([1.0, 2.0]))) for _ in range(2)]
    np.testing.assert_allclose(losses, [9.0, 8.1], rtol=1e-6)


def test_keras_model_without_its_classes():
    loaded = tf.saved_model.load(FILES / "keras")
    x = tf.ones((2, 3))
    expected = np.load(FILES / "keras.npy")
    np.testing.assert_allclose(loaded(x, training=False), expected, rtol=1e-5, atol=1e-6)
    (result,) = loaded.signatures["serving_default"](x).values()
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)
    assert len(loaded.variables) == 8 and len(loaded.trainable_variables) == 6


def test_signatures_of_version_1():
    loaded = tf.saved_model.load(FILES / "version1")
    signature = loaded.signatures["serving_default"]
    assert signature(tf.constant([[1.0, 2.0]]))["y"].numpy().tolist() == [[5.5]]
    assert signature(a=tf.constant([[0.0, 0.0]]))["y"].numpy().tolist() == [[0.5]]
    assert [v.name for v in loaded.variables] == ["w:0", "b:0"]
    loaded.variables[1].assign([1.0])
    assert signature(tf.constant([[0.0, 0.0]]))["y"].numpy().tolist() == [[1.0]]


def changed(folder, change, source="module"):
    """A copy of a SavedModel whose message is changed."""
    shutil.copytree(FILES / source, folder)
    path = folder / "saved_model.pb"
    message = MESSAGES["SavedModel"].FromString(path.read_bytes())
    change(message.meta_graphs[0])
    path.write_bytes(message.SerializeToString())
    return folder


def test_operations_that_reach_files_are_refused(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("s")

    def read(graph):
        for function in graph.graph_def.library.function:
            for node in function.node_def:
                if node.op == "AddV2":
                    node.op = "ReadFile"
                    del node.input[1:]

    loaded = tf.saved_model.load(changed(tmp_path / "m", read))
    with pytest.raises(tf.errors.PermissionDeniedError, match="ReadFile, which reaches files"):
        loaded.options(tf.constant([1.0]))


def test_unknown_operations_are_refused_when_their_function_is_called(tmp_path):
    def unknown(graph):
        for function in graph.graph_def.library.function:
            for node in function.node_def:
                if node.op == "Mul":
                    node.op = "NoSuchOp"

    loaded = tf.saved_model.load(changed(tmp_path / "m", unknown))
    assert loaded.look_up(tf.constant(["b"])).numpy().tolist() == [2]
    with pytest.raises(tf.errors.UnimplementedError, match="'NoSuchOp' in node"):
        loaded.structured(tf.constant([1.0]))


@pytest.mark.parametrize("seed", range(60))
def test_damaged_files_give_documented_errors_soon(tmp_path, seed):
    random = np.random.default_rng(seed)
    name = ["module", "keras", "version1"][seed % 3]
    shutil.copytree(FILES / name, tmp_path / "m")
    path = tmp_path / "m" / "saved_model.pb"
    data = bytearray(path.read_bytes())
    for _ in range(1 + seed % 5):
        data[random.integers(len(data))] = random.integers(256)
    if seed % 7 == 0:
        del data[random.integers(len(data)) :]
    path.write_bytes(data)
    start = time.perf_counter()
    try:
        loaded = tf.saved_model.load(tmp_path / "m")
        for key in loaded.signatures:
            loaded.signatures[key]
    except (tf.errors.OpError, ValueError):
        pass
    assert time.perf_counter() - start < 10


def test_arrays_of_text_fit_functions_of_strings(tmp_path):
    module = tf.Module()
    module.shout = tf.function(
        lambda text: tf.strings.upper(text), input_signature=[tf.TensorSpec([None], tf.string)]
    )
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    for text in (["a", "b"], np.array(["a", "b"]), np.array([b"a", b"b"])):
        assert loaded.shout(text).numpy().tolist() == [b"A", b"B"]
    with pytest.raises(ValueError, match="matching concrete function"):
        loaded.shout(np.array([1.0]))


def test_layers_list_no_weights_of_loaded_objects(tmp_path):
    module = tf.train.Checkpoint(kernel=tf.Variable([1.0]))
    module.trainable_variables = [module.kernel]
    tf.saved_model.save(module, tmp_path)
    layer = tf.keras.layers.Layer()
    layer.loaded = tf.saved_model.load(tmp_path)
    assert layer.weights == []
    (variable,) = layer.loaded.trainable_variables
    layer.add_weight(name="v", shape=[1], trainable=False, getter=lambda *args, **kwargs: variable)
    assert layer.trainable_weights == [] and len(layer.non_trainable_weights) == 1


def test_parts_of_graphs_of_version_1_are_functions():
    loaded = tf.saved_model.load(FILES / "version1")
    double = loaded.prune(["a:0"], ["add:0"])
    (found,) = double(tf.constant([[1.0, 1.0]]))
    assert found.numpy().tolist() == [[3.5]]
    assert loaded.graph.get_operation_by_name("add").type == "AddV2"
    with pytest.raises(UnliftableError, match="placeholder"):
        loaded.prune([], ["add:0"])
