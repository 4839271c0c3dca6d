"""Writes files with eagerflow and reads them with TensorFlow, tf_keras and Keras 3.

From the folder `tests`, in an environment that has all of them:

    python -m oracle.files
"""

from __future__ import annotations

import functools
import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from graphdef import programs
from saved_model import gradients
from saved_model.modules import check as check_module
from saved_model.modules import make as make_module
from v1 import small_graph

Check = Callable[[SimpleNamespace, str], None]
CHECKS: list[Check] = []
X = np.random.default_rng(0).normal(size=(8, 6)).astype("f")
Y = np.random.default_rng(1).normal(size=(8, 2)).astype("f")


def check(function: Check) -> Check:
    """Adds a function that is given the modules and an empty folder, and fails if files do."""
    CHECKS.append(function)
    return function


def same(ours: Any, theirs: Any, tolerance: float = 1e-6) -> None:
    """Fails unless two lists of arrays agree."""
    for left, right in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(left, right, rtol=tolerance, atol=tolerance)


def dense_model(keras: Any, compiled: bool = True) -> Any:
    """A functional model with a normalization, trained for a moment if compiled."""
    layers = keras.layers
    inputs = keras.Input((6,), name="features")
    x = layers.Dense(5, activation="relu", name="first")(inputs)
    x = layers.BatchNormalization(name="norm")(x)
    x = layers.Concatenate(name="joined")([x, layers.Dense(3, name="side")(inputs)])
    model = keras.Model(inputs, layers.Dense(2, name="last")(x))
    if compiled:
        model.compile(keras.optimizers.Adam(0.01), "mse", metrics=["mae"])
        model.fit(X, Y, epochs=2, batch_size=4, shuffle=False, verbose=0)
    return model


def sequence_model(keras: Any) -> Any:
    """A Sequential model of recurrent and convolutional layers."""
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((6, 4)),
            layers.Conv1D(3, 3, padding="same"),
            layers.LSTM(4, return_sequences=True),
            layers.GRU(3),
            layers.Dropout(0.5),
            layers.Dense(2, activation="softmax"),
        ]
    )


SEQUENCES = np.random.default_rng(2).normal(size=(3, 6, 4)).astype("f")


@check
def graphs(tools: SimpleNamespace, folder: str) -> None:
    """Graphs of our functions, run by TensorFlow."""
    ef, tf = tools.ef, tools.tf
    for make, arguments in programs.PROGRAMS.values():
        traced = ef.function(make(ef)).get_concrete_function(*programs.specs(ef, arguments))
        ef.io.write_graph(traced.graph, folder, "graph.pb", as_text=False)
        with open(os.path.join(folder, "graph.pb"), "rb") as file:
            message = tf.compat.v1.GraphDef.FromString(file.read())
        wrapped = tf.compat.v1.wrap_function(
            functools.partial(tf.graph_util.import_graph_def, message, name=""), []
        )
        sides = ([tensor.name for tensor in side] for side in (traced.inputs, traced.outputs))
        theirs = wrapped.prune(*sides)(*map(tf.constant, arguments))
        ours = ef.nest.flatten(traced(*map(ef.constant, arguments)))
        for left, right in zip(ours, tf.nest.flatten(theirs), strict=True):
            if left.dtype is ef.string:
                assert left.numpy().tolist() == right.numpy().tolist()
            else:
                same([left.numpy()], [right.numpy()], 1e-5)


@check
def functions_of_modules(tools: SimpleNamespace, folder: str) -> None:
    """SavedModels with functions, signatures and tables, each by the other's reader."""
    for writer, reader in ((tools.ef, tools.tf), (tools.tf, tools.ef)):
        path = f"{folder}/{writer.__name__}"
        module = make_module(writer, None)
        signatures = {"serving_default": module.look_up, "loop": module.loop}
        writer.saved_model.save(module, path, signatures=signatures)
        check_module(reader, reader.saved_model.load(path))


@check
def keras_models_as_functions(tools: SimpleNamespace, folder: str) -> None:
    """Keras models of ours, which TensorFlow runs without Keras, also in sessions."""
    ef, tf = tools.ef, tools.tf
    for name, make in programs.MODELS.items():
        model, x = make(ef.keras)
        path = f"{folder}/{name}"
        model.save(path, save_format="tf")
        expected = np.asarray(model(x, training=False))
        loaded = tf.saved_model.load(path)
        signature = loaded.signatures["serving_default"]
        (key,) = signature.structured_input_signature[1]
        (result,) = signature(**{key: tf.constant(x)}).values()
        same([expected, expected], [result, loaded(x, training=False)], 1e-5)
        model.export(f"{path}-exported")
        exported = tf.saved_model.load(f"{path}-exported")
        same([expected], [exported.serve(x)], 1e-5)
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            meta_graph = tf.compat.v1.saved_model.load(session, ["serve"], path)
            info = meta_graph.signature_def["serving_default"]
            (fetch,), (feed,) = info.outputs.values(), info.inputs.values()
            same([expected], [session.run(fetch.name, {feed.name: x})], 1e-5)


@check
def every_dtype(tools: SimpleNamespace, folder: str) -> None:
    """Tensors of all dtypes, empty ones and text, by TensorFlow's reader."""
    ef, tf = tools.ef, tools.tf
    names = "float16 bfloat16 float32 float64 complex64 complex128 bool int8 int16 int32 int64"
    names += " uint8 uint16 uint32 uint64"
    values = {}
    for name in names.split():
        numbers = np.arange(6).reshape(2, 3).astype(getattr(ef, name).as_numpy_dtype)
        values[name] = numbers
        values[f"{name}_empty"] = numbers[:, :0]
        values[f"{name}_scalar"] = numbers[1, 2]
    values["text"] = np.array([["one", ""], ["three", "ü" * 300]])
    variables = {name: ef.Variable(value) for name, value in values.items()}
    path = ef.train.Checkpoint(**variables).write(f"{folder}/all")
    reader = tf.train.load_checkpoint(path)
    for name, value in values.items():
        got = reader.get_tensor(f"{name}/.ATTRIBUTES/VARIABLE_VALUE")
        if name == "text":
            value = np.char.encode(value, "utf-8").astype(object)
        assert np.shape(got) == np.shape(value), name
        np.testing.assert_array_equal(got, value, err_msg=name)


@check
def large_tensors(tools: SimpleNamespace, folder: str) -> None:
    """Tensors that are written in several pieces."""
    ef, tf = tools.ef, tools.tf
    value = np.random.default_rng(0).integers(0, 256, (9 << 20) + 5).astype(np.uint8)
    path = ef.train.Checkpoint(v=ef.Variable(value), w=ef.Variable(1.0)).write(f"{folder}/large")
    v, w = tf.Variable(tf.zeros(value.shape, tf.uint8)), tf.Variable(0.0)
    tf.train.Checkpoint(v=v, w=w).read(path).assert_consumed()
    np.testing.assert_array_equal(v.numpy(), value)


@check
def modules(tools: SimpleNamespace, folder: str) -> None:
    """Modules with lists, dictionaries and shared variables; replaced once, and numbered."""

    def make(tf: Any, number: float) -> Any:
        module, inner = tf.Module(), tf.Module()
        inner.w = tf.Variable([number, 2 * number])
        module.parts = [inner, inner]
        module.table = {"a": tf.Variable(3 * number), "b": [tf.Variable([int(number)])]}
        return module

    ef, tf = tools.ef, tools.tf
    checkpoint = ef.train.Checkpoint(module=make(ef, 1.0))
    checkpoint.write(f"{folder}/x")
    checkpoint = ef.train.Checkpoint(module=make(ef, 7.0))
    path = checkpoint.write(f"{folder}/x")
    fresh = make(tf, 0.0)
    tf.train.Checkpoint(module=fresh).read(path).assert_consumed()
    same([v.numpy() for v in fresh.variables], [v.numpy() for v in make(ef, 7.0).variables])
    manager = ef.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
    for _ in range(3):
        manager.save()
    theirs = tf.train.Checkpoint(module=make(tf, 0.0))
    theirs_manager = tf.train.CheckpointManager(theirs, folder, max_to_keep=2)
    assert theirs_manager.checkpoints == manager.checkpoints
    theirs.restore(theirs_manager.latest_checkpoint).assert_consumed()
    assert int(theirs.save_counter) == 3


@check
def generators(tools: SimpleNamespace, folder: str) -> None:
    """A random generator goes on where it was."""
    ours = tools.ef.random.Generator.from_seed(5)
    ours.normal([3])
    path = tools.ef.train.Checkpoint(g=ours).write(f"{folder}/g")
    theirs = tools.tf.random.Generator.from_seed(0)
    tools.tf.train.Checkpoint(g=theirs).read(path).assert_consumed()
    same([ours.normal([4]).numpy()], [theirs.normal([4]).numpy()])


@check
def names_of_version_1(tools: SimpleNamespace, folder: str) -> None:
    """The name-based format of TensorFlow 1."""
    ef, tf = tools.ef, tools.tf
    ours = [ef.Variable([1.0, 2.0], name="layer/w"), ef.Variable(3, name="step")]
    path = ef.compat.v1.train.Saver(ours).save(None, f"{folder}/model", global_step=7)
    assert tf.train.list_variables(path) == [("layer/w", [2]), ("step", [])]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        w = tf.compat.v1.get_variable("layer/w", [2])
        tf.compat.v1.train.Saver([w]).restore(session, path)
        same([session.run(w)], [[1.0, 2.0]])


@check
def keras_checkpoints(tools: SimpleNamespace, folder: str) -> None:
    """A model with its optimizer: tf_keras trains on as eagerflow does."""
    ours = dense_model(tools.ef.keras)
    ours.save_weights(f"{folder}/w")
    theirs = dense_model(tools.tf_keras)
    theirs.load_weights(f"{folder}/w").assert_consumed()
    same(theirs.get_weights(), ours.get_weights())
    path = tools.ef.train.Checkpoint(model=ours, optimizer=ours.optimizer).save(f"{folder}/c")
    theirs = dense_model(tools.tf_keras)
    checkpoint = tools.tf.train.Checkpoint(model=theirs, optimizer=theirs.optimizer)
    checkpoint.restore(path).assert_consumed()
    for model in (ours, theirs):
        model.fit(X, Y, batch_size=4, shuffle=False, verbose=0)
    same(theirs.get_weights(), ours.get_weights(), 1e-5)


@check
def keras_2_files(tools: SimpleNamespace, folder: str) -> None:
    """Models and weights in one file, by tf_keras."""
    ours = dense_model(tools.ef.keras)
    expected = [ours.predict(X, verbose=0)]
    for ending in (".h5", ".keras"):
        ours.save(f"{folder}/m{ending}")
        theirs = tools.tf_keras.models.load_model(f"{folder}/m{ending}")
        same([theirs.predict(X, verbose=0)], expected)
        again = tools.ef.keras.models.load_model(f"{folder}/m{ending}")
        for model in (again, theirs):
            model.fit(X, Y, batch_size=4, shuffle=False, verbose=0)
        same(theirs.get_weights(), again.get_weights(), 1e-5)
    for name in ("w.h5", "w.weights.h5"):
        ours.save_weights(f"{folder}/{name}")
        fresh = dense_model(tools.tf_keras, compiled=name == "w.weights.h5")
        fresh.load_weights(f"{folder}/{name}")
        same([fresh.predict(X, verbose=0)], expected)
    fresh = tools.tf_keras.models.model_from_json(ours.to_json())
    fresh.set_weights(ours.get_weights())
    same([fresh.predict(X, verbose=0)], expected)


@check
def keras_2_sequences(tools: SimpleNamespace, folder: str) -> None:
    """Recurrent and convolutional layers, by tf_keras."""
    ours = sequence_model(tools.ef.keras)
    for ending in (".h5", ".keras"):
        ours.save(f"{folder}/m{ending}")
        theirs = tools.tf_keras.models.load_model(f"{folder}/m{ending}", compile=False)
        same([theirs.predict(SEQUENCES, verbose=0)], [ours.predict(SEQUENCES, verbose=0)], 1e-5)


@check
def keras_3_files(tools: SimpleNamespace, folder: str) -> None:
    """Models and weights in one file, by Keras 3."""
    makers = [(dense_model, X), (sequence_model, SEQUENCES)]
    for make, data in makers:
        ours = make(tools.ef.keras)
        expected = [ours.predict(data, verbose=0)]
        for ending in (".h5", ".keras"):
            ours.save(f"{folder}/m{ending}")
            # Its optimizers do not know the arguments that Keras 2 keeps in HDF5.
            compile = ending == ".keras"
            theirs = tools.keras.models.load_model(f"{folder}/m{ending}", compile=compile)
            same([theirs.predict(data, verbose=0)], expected, 1e-5)
        ours.save_weights(f"{folder}/w.weights.h5")
        fresh = make(tools.keras)
        fresh.load_weights(f"{folder}/w.weights.h5")
        same([fresh.predict(data, verbose=0)], expected, 1e-5)


@check
def saved_models(tools: SimpleNamespace, folder: str) -> None:
    """Objects and variables of SavedModels."""
    ef, tf = tools.ef, tools.tf
    module = ef.Module()
    module.v = ef.Variable([1.0, 2.0])
    module.items = [ef.Variable(3), {"a": ef.Variable("text")}]
    ef.saved_model.save(module, f"{folder}/module")
    loaded = tf.saved_model.load(f"{folder}/module")
    same([loaded.v.numpy(), loaded.items[0].numpy()], [[1.0, 2.0], 3])
    assert loaded.items[1]["a"].numpy() == b"text"
    ours = dense_model(ef.keras)
    ours.save(f"{folder}/model")
    theirs = tools.tf_keras.models.load_model(f"{folder}/model", compile=False)
    same([theirs.predict(X, verbose=0)], [ours.predict(X, verbose=0)])


@check
def gradients_of_unknown_sizes(tools: SimpleNamespace, folder: str) -> None:
    """Gradients inside of our functions, which TensorFlow finds for operations or runs as written."""
    for order in (1, 2):
        tools.ef.saved_model.save(gradients.make(tools.ef, order), f"{folder}/{order}")
        loaded = tools.tf.saved_model.load(f"{folder}/{order}")
        for name in gradients.names(tools.tf, order):
            found = getattr(loaded, name)(gradients.X, gradients.N)
            # TensorFlow runs what we wrote; where its own gradients are wrong, ours are expected.
            right = tools.ef if name in gradients.TRUER[order] else tools.tf
            same([gradients.expected(right, name, order)], [found], 1e-4 if order == 2 else 1e-5)


@check
def graphs_of_version_1(tools: SimpleNamespace, folder: str) -> None:
    """SavedModels and checkpoints' graphs of version 1, each by the other's reader, which trains on."""
    for writer, reader in ((tools.ef, tools.tf), (tools.tf, tools.ef)):
        path = f"{folder}/{writer.__name__}"
        feed = {"x:0": X[:2, :3], "words:0": ["b", "c"]}
        v1 = writer.compat.v1
        with writer.Graph().as_default(), v1.Session() as session:
            inputs, outputs = small_graph.build(writer)
            session.run([v1.global_variables_initializer(), v1.tables_initializer()])
            session.run("train", feed)
            init = v1.tables_initializer()
            v1.saved_model.simple_save(session, f"{path}/model", inputs, outputs, init)
            v1.train.Saver().save(session, f"{path}/kept")
            expected = [session.run("y:0", feed)]
            session.run("train", feed)
            expected.append(session.run("loss:0", feed))
        v1 = reader.compat.v1
        with reader.Graph().as_default(), v1.Session() as session:
            info = v1.saved_model.load(session, ["serve"], f"{path}/model")
            fetches = {k: v.name for k, v in info.signature_def["serving_default"].outputs.items()}
            found = session.run(fetches, feed)
            session.run("train", feed)
            same(expected, [found["y"], session.run("loss:0", feed)], 1e-5)
            assert found["found"].tolist() == [2, -1]
        with reader.Graph().as_default(), v1.Session() as session:
            saver = v1.train.import_meta_graph(f"{path}/kept.meta")
            saver.restore(session, f"{path}/kept")
            found = [session.run("y:0", feed)]
            session.run("train", feed)
            same(expected, [*found, session.run("loss:0", feed)], 1e-5)


@check
def events(tools: SimpleNamespace, folder: str) -> None:
    """Event files, by TensorFlow's reader."""
    ef, tf = tools.ef, tools.tf
    with ef.summary.create_file_writer(folder).as_default(step=3):
        ef.summary.scalar("loss", 0.5)
        ef.summary.histogram("weights", np.arange(10.0))
        ef.summary.text("note", "hello")
        ef.summary.image("picture", np.zeros((1, 4, 5, 3), "f"))
    [name] = os.listdir(folder)
    found = {
        value.tag: (event.step, tf.make_ndarray(value.tensor))
        for event in tf.compat.v1.train.summary_iterator(f"{folder}/{name}")
        for value in event.summary.value
    }
    assert {step for step, _ in found.values()} == {3} and len(found) == 4
    same([found["loss"][1], found["weights"][1].shape], [0.5, (30, 3)])
    assert tf.io.decode_png(found["picture"][1][2]).shape == (4, 5, 3)


@check
def records(tools: SimpleNamespace, folder: str) -> None:
    """TFRecord files, plain and compressed."""
    wanted = [b"", b"one", bytes(100_000)]
    for kind in ("", "GZIP", "ZLIB"):
        with tools.ef.io.TFRecordWriter(f"{folder}/r", kind) as writer:
            for record in wanted:
                writer.write(record)
        dataset = tools.tf.data.TFRecordDataset(f"{folder}/r", compression_type=kind)
        assert [record.numpy() for record in dataset] == wanted, kind


def pipeline(tf: Any) -> Any:
    """A dataset whose elements have parts of all kinds."""

    def parts(x: Any) -> dict[str, Any]:
        return {
            "numbers": tuple(
                tf.cast(x, dtype)
                for dtype in (tf.bfloat16, tf.float16, tf.uint64, tf.complex64, tf.bool)
            ),
            "text": tf.strings.as_string([x, x + 100]),
            "nothing": tf.zeros([0, 3]),
            "ragged": tf.RaggedTensor.from_row_lengths(tf.range(x + 1), [x, 1]),
            "sparse": tf.sparse.from_dense([[x, 0], [0, 1]]),
        }

    return tf.data.Dataset.range(5).map(parts)


def flat(tf: Any, dataset: Any) -> list[Any]:
    """All values of a dataset, as lists."""
    leaves = [leaf for e in dataset for leaf in tf.nest.flatten(e, expand_composites=True)]
    return [np.asarray(leaf.numpy()).tolist() for leaf in leaves]


@check
def saved_datasets(tools: SimpleNamespace, folder: str) -> None:
    """Saved datasets, compressed and in shards, in both directions."""
    wanted = flat(tools.tf, pipeline(tools.tf))
    for writer, reader in ((tools.ef, tools.tf), (tools.tf, tools.ef)):
        for kind in (None, "GZIP", "SNAPPY"):
            path = f"{folder}/{writer.__name__}-{kind}"
            pipeline(writer).save(path, compression=kind)
            loaded = reader.data.Dataset.load(path, compression=kind)
            assert loaded.element_spec == pipeline(reader).element_spec, kind
            assert str(flat(reader, loaded)) == str(wanted), kind
        path = f"{folder}/{writer.__name__}-shards"
        writer.data.Dataset.range(20).save(path, shard_func=lambda x: x % 3)
        loaded = reader.data.Dataset.load(path)
        assert len(loaded) == 20 and sorted(loaded.as_numpy_iterator()) == list(range(20))


def main() -> int:
    """Runs all checks, or those that are named, and returns 1 if one fails."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    os.environ["KERAS_BACKEND"] = "tensorflow"
    import tensorflow
    import tf_keras

    import eagerflow
    import keras

    tools = SimpleNamespace(ef=eagerflow, tf=tensorflow, tf_keras=tf_keras, keras=keras)
    failures = 0
    for function in CHECKS:
        if sys.argv[1:] and function.__name__ not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(tools, folder)
                print(f"files/{function.__name__}: read", flush=True)
            except Exception:
                failures += 1
                print(f"files/{function.__name__}: {traceback.format_exc()}", flush=True)
    print(f"{failures} of {len(CHECKS)} kinds of files not read as they should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
