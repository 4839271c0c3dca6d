"""Graphs of version 1 with their variables in files: SavedModels, and checkpoints' graphs."""

import os

import numpy as np
import pytest

import eagerflow as tf
from v1.small_graph import build

v1 = tf.compat.v1
sm = v1.saved_model
X = np.arange(6, dtype="f").reshape(2, 3)


@pytest.fixture
def saved(tmp_path):
    """A SavedModel and a checkpoint, and what y and the loss after one more step are."""
    with tf.Graph().as_default(), v1.Session() as session:
        inputs, outputs = build(tf)
        session.run(v1.global_variables_initializer())
        session.run("train", {"x:0": X})
        sm.simple_save(session, tmp_path / "model", inputs, outputs)
        v1.train.Saver().save(session, tmp_path / "checkpoint", global_step=7)
        y = session.run("y:0", {"x:0": X})
        session.run("train", {"x:0": X})
        return tmp_path, y, session.run("loss:0", {"x:0": X})


def test_saved_model_is_loaded_into_a_session(saved):
    folder, y, loss = saved
    with tf.Graph().as_default(), v1.Session() as session:
        message = sm.loader.load(session, [sm.tag_constants.SERVING], folder / "model")
        signature = message.signature_def[sm.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY]
        assert sm.is_valid_signature(signature)
        names = {key: info.name for key, info in signature.outputs.items()}
        feed = {signature.inputs["x"].name: X, signature.inputs["words"].name: ["b", "c"]}
        found = session.run(names, feed)
        np.testing.assert_allclose(found["y"], y, rtol=1e-6)
        assert found["found"].tolist() == [2, -1]
        session.run("train", feed)
        np.testing.assert_allclose(session.run("loss:0", feed), loss, rtol=1e-6)


def test_saved_model_is_loaded_as_functions(saved):
    folder, y, _ = saved
    loaded = tf.saved_model.load(folder / "model")
    found = loaded.signatures["serving_default"](x=tf.constant(X), words=tf.constant(["a", "?"]))
    np.testing.assert_allclose(found["y"], y, rtol=1e-6)
    assert found["found"].numpy().tolist() == [1, -1]


def test_names_get_a_scope(saved):
    folder, y, _ = saved
    with tf.Graph().as_default(), v1.Session() as session:
        sm.load(session, ["serve"], folder / "model", import_scope="old")
        np.testing.assert_allclose(session.run("old/y:0", {"old/x:0": X}), y, rtol=1e-6)
        assert v1.trainable_variables()[0].name == "old/weight:0"


def test_graph_of_a_checkpoint_goes_on_training(saved):
    folder, y, loss = saved
    path = f"{folder}/checkpoint-7"
    with tf.Graph().as_default(), v1.Session() as session:
        saver = v1.train.import_meta_graph(path + ".meta")
        saver.restore(session, path)
        np.testing.assert_allclose(session.run("y:0", {"x:0": X}), y, rtol=1e-6)
        session.run("train", {"x:0": X})
        np.testing.assert_allclose(session.run("loss:0", {"x:0": X}), loss, rtol=1e-6)
        assert [v.name for v in v1.trainable_variables()] == ["weight:0", "bias:0"]
        assert [tensor.name for tensor in v1.get_collection("outputs")] == ["y:0"]
        assert v1.get_collection("notes") == ["a text", "another"]
        assert v1.get_collection("sizes") == [3]
        session.run(v1.global_variables_initializer())
        assert session.run("weight:0").tolist() == np.ones((3, 2)).tolist()
        more = v1.layers.dense(v1.get_default_graph().get_tensor_by_name("y:0"), 1)
        session.run(v1.global_variables_initializer())
        assert session.run(more, {"x:0": X}).shape == (2, 1)


def test_meta_files_go_with_their_checkpoints(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        session.run(v1.get_variable("v", initializer=1.0).initializer)
        saver = v1.train.Saver(max_to_keep=1)
        for step in range(3):
            saver.save(session, tmp_path / "model", global_step=step)
        saver.save(session, tmp_path / "model", global_step=3, write_meta_graph=False)
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".meta")]


def test_graph_as_text(tmp_path):
    with tf.Graph().as_default():
        build(tf)
        v1.train.export_meta_graph(tmp_path / "graph.pbtxt", as_text=True)
    with tf.Graph().as_default(), v1.Session() as session:
        assert v1.train.import_meta_graph(tmp_path / "graph.pbtxt") is not None
        session.run(v1.global_variables_initializer())
        assert session.run("y:0", {"x:0": X}).shape == (2, 2)


def test_files_name_the_python_that_they_lack(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None], name="x")
        plain = tf.identity(x * 2.0, name="plain")
        called = v1.py_func(lambda a: a + 1, [x], tf.float32, name="called")
        after = tf.identity(called, name="after")
        sm.simple_save(session, tmp_path / "m", {"x": x}, {"y": plain, "z": after})
    with tf.Graph().as_default(), v1.Session() as session:
        sm.loader.load(session, ["serve"], tmp_path / "m")
        assert session.run("plain:0", {"x:0": [3.0]}) == [6.0]
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="pyfunc_.* is not found: node 'called'"
        ):
            session.run("after:0", {"x:0": [3.0]})


def test_what_no_file_can_have_is_left_out_or_refused_by_name(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [1, 6, 6, 1], name="x")
        plain = tf.identity(x * 2.0, name="plain")
        pooled = tf.nn.fractional_max_pool(x, [1.0, 1.5, 1.5, 1.0])[0]
        after = tf.identity(pooled, name="after")
        names = [node.name for node in v1.train.export_meta_graph().graph_def.node]
        assert "plain" in names and "after" not in names
        sm.simple_save(session, tmp_path / "plain", {"x": x}, {"y": plain})
        with pytest.raises(tf.errors.UnimplementedError, match="calls Python.*test_saved_models"):
            sm.simple_save(session, tmp_path / "pooled", {"x": x}, {"y": after})


def test_builder_writes_graphs_that_share_variables(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        inputs, outputs = build(tf)
        session.run(v1.global_variables_initializer())
        signature = sm.signature_def_utils.predict_signature_def(inputs, outputs)
        words = tmp_path / "words.txt"
        words.write_text("a\nb\n")
        asset = tf.constant(str(words), name="file")
        builder = sm.builder.SavedModelBuilder(tmp_path / "model")
        with pytest.raises(AssertionError, match="has not been saved yet"):
            builder.add_meta_graph(["serve"])
        builder.add_meta_graph_and_variables(
            session, ["train"], {"serving_default": signature}, assets_collection=[asset]
        )
        with pytest.raises(AssertionError, match="already been saved"):
            builder.add_meta_graph_and_variables(session, ["train"])
        builder.add_meta_graph(["serve", "gpu"], {"serving_default": signature})
        assert builder.save() == f"{tmp_path}/model/saved_model.pb".encode()
        with pytest.raises(AssertionError, match="isn't empty"):
            sm.Builder(tmp_path / "model")
    assert (tmp_path / "model/assets/words.txt").read_text() == "a\nb\n"
    with tf.Graph().as_default(), v1.Session() as session:
        with pytest.raises(RuntimeError, match=r"tags 'other'.*'train'"):
            sm.load(session, ["other"], tmp_path / "model")
        message = sm.load(session, ["train"], tmp_path / "model")
        path = session.run(message.asset_file_def[0].tensor_info.name)
        assert path == f"{tmp_path}/model/assets/words.txt".encode()
        session.run("y:0", {"x:0": X})
    updater = sm.signature_def_utils.MethodNameUpdater(tmp_path / "model")
    updater.replace_method_name("serving_default", "classify", tags="train")
    with pytest.raises(ValueError, match="no signature 'other'"):
        updater.replace_method_name("other", "classify")
    updater.save()
    with tf.Graph().as_default(), v1.Session() as session:
        message = sm.load(session, ["train"], tmp_path / "model")
        assert message.signature_def["serving_default"].method_name == "classify"


def test_main_op_runs_when_a_model_is_loaded(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        local = v1.get_local_variable("local", initializer=5.0)
        kept = v1.get_variable("kept", initializer=1.0)
        y = tf.add(local, kept, name="y")
        session.run(sm.main_op.main_op())
        builder = sm.Builder(tmp_path / "model")
        signature = sm.build_signature_def({}, {"y": sm.build_tensor_info(y)}, "method")
        init = v1.local_variables_initializer()
        builder.add_meta_graph_and_variables(session, ["serve"], {"f": signature}, main_op=init)
        builder.save(as_text=True)
    assert sm.maybe_saved_model_directory(tmp_path / "model")
    with tf.Graph().as_default(), v1.Session() as session:
        sm.load(session, ["serve"], tmp_path / "model")
        assert session.run("y:0") == 6.0


def test_signatures_of_examples():
    with tf.Graph().as_default() as graph:
        text = v1.placeholder(tf.string, [None])
        number = v1.placeholder(tf.float32, [None])
        sparse = v1.sparse_placeholder(tf.float32)
        assert sm.is_valid_signature(sm.regression_signature_def(text, number))
        assert sm.is_valid_signature(sm.classification_signature_def(text, text, number))
        assert not sm.is_valid_signature(sm.build_signature_def())
        for make, message in [
            (lambda: sm.regression_signature_def(None, number), "`examples` cannot be None"),
            (lambda: sm.regression_signature_def(text, text), "must be of type float"),
            (lambda: sm.classification_signature_def(text, None, None), "cannot both be None"),
            (lambda: sm.classification_signature_def(text, number, None), "must be a string"),
            (lambda: sm.predict_signature_def({}, {"y": number}), "`inputs` cannot be None or"),
        ]:
            with pytest.raises(ValueError, match=message):
                make()
        info = sm.utils.build_tensor_info(sparse)
        found = sm.utils.get_tensor_from_tensor_info(info, graph)
        assert [found.values.name, found.indices.name] == [sparse.values.name, sparse.indices.name]
    with pytest.raises(RuntimeError, match="eager"):
        sm.build_tensor_info(tf.constant(1))


def test_reserved_and_unfinished_signatures_are_refused(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, name="x")
        signature = sm.predict_signature_def({"x": x}, {"x": x})
        builder = sm.Builder(tmp_path / "model")
        with pytest.raises(KeyError, match="reserved for initialization"):
            builder.add_meta_graph_and_variables(
                session, ["serve"], {"__saved_model_init_op": signature}
            )
        signature.inputs["x"].ClearField("name")
        with pytest.raises(AssertionError, match="encoding"):
            builder.add_meta_graph_and_variables(session, ["serve"], {"f": signature})


def test_graphs_need_graphs(tmp_path):
    with pytest.raises(RuntimeError, match="eager execution"):
        v1.train.export_meta_graph()
    with tf.Graph().as_default():
        with pytest.raises(OSError, match="does not exist"):
            v1.train.import_meta_graph(tmp_path / "nothing")
        (tmp_path / "file").write_bytes(b"\x01\x02 no message")
        with pytest.raises(tf.errors.InvalidArgumentError, match="holds no MetaGraphDef"):
            v1.train.import_meta_graph(tmp_path / "file")


def test_damaged_graphs_are_documented_errors(saved):
    folder, _, _ = saved
    content = bytearray((folder / "checkpoint-7.meta").read_bytes())
    draw = np.random.default_rng(1)
    accepted = 0
    for trial in range(150):
        damaged = content.copy()
        if trial % 3 == 0:
            del damaged[draw.integers(len(damaged)) :]
        for place in draw.integers(len(damaged), size=draw.integers(1, 6)):
            damaged[place] = draw.integers(256)
        (folder / "damaged.meta").write_bytes(bytes(damaged))
        with tf.Graph().as_default():
            try:
                v1.train.import_meta_graph(folder / "damaged.meta")
                accepted += 1
            except (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError):
                pass
    assert accepted < 150


def test_signature_of_a_model_that_is_cloned_into_a_graph(tmp_path):
    """As a package for microscopy exports its models."""
    keras = tf.keras
    model = keras.Sequential([keras.layers.Input((4,), name="input"), keras.layers.Dense(2)])
    signatures = sm.signature_def_utils
    with tf.Graph().as_default():
        clone = keras.models.clone_model(model)
        clone.set_weights(model.get_weights())
        signature = signatures.predict_signature_def(
            {"input": clone.input}, {"output": clone.output}
        )
        builder = sm.builder.SavedModelBuilder(str(tmp_path / "model"))
        session = v1.keras.backend.get_session()
        builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature})
        builder.save()
    x = np.arange(12.0, dtype="float32").reshape(3, 4)
    serve = tf.saved_model.load(str(tmp_path / "model")).signatures["serving_default"]
    found = serve(input=tf.constant(x))["output"]
    assert found.numpy() == pytest.approx(model(x).numpy(), rel=1e-6)
