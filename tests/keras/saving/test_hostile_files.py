"""Files that are made to do harm: code, references to other files, and claims of enormous sizes."""

import json
import zipfile

import h5py
import numpy as np
import pytest

import eagerflow as tf
from eagerflow.keras.engine.functional.op_layer import TFOpLambda
from eagerflow.keras.saving import serialization
from eagerflow.protos.saved_model import MESSAGES

layers = tf.keras.layers


def make(units=2):
    return tf.keras.Sequential([layers.Dense(units, input_shape=(3,), name="d")])


@pytest.mark.parametrize("name", ["m.keras", "m.h5"])
def test_code_needs_an_opt_in(tmp_path, name):
    model = tf.keras.Sequential([layers.Lambda(lambda x: x * 2, input_shape=(3,))])
    path = tmp_path / name
    model.save(path)
    with pytest.raises(ValueError, match="safe_mode=False"):
        tf.keras.models.load_model(path)
    loaded = tf.keras.models.load_model(path, safe_mode=False, compile=False)
    assert loaded(np.ones((1, 3), "f")).numpy().tolist() == [[2.0, 2.0, 2.0]]


def test_code_in_saved_models_gives_way_to_functions(tmp_path):
    ran = []
    model = tf.keras.Sequential([layers.Lambda(lambda x: ran.append(1) or x * 2, input_shape=(3,))])
    model.save(tmp_path / "m")
    ran.clear()
    loaded = tf.keras.models.load_model(tmp_path / "m", compile=False)
    assert loaded(np.ones((1, 3), "f")).numpy().tolist() == [[2.0, 2.0, 2.0]]
    assert not ran and type(loaded.layers[-1]) is not layers.Lambda
    assert isinstance(loaded.layers[-1], layers.Lambda)


def test_functions_that_stand_for_code_have_its_arguments(tmp_path):
    inputs = tf.keras.Input([2])
    shift = layers.Lambda(
        lambda x, by: x - by, arguments={"by": np.array([1.0, 2.0])}, name="shift"
    )
    tf.keras.Model(inputs, shift(inputs)).save(tmp_path / "m", save_format="tf")
    for _ in range(2):
        loaded = tf.keras.models.load_model(tmp_path / "m", compile=False)
        assert loaded(np.ones((1, 2), "f")).numpy().tolist() == [[0.0, -1.0]]
        assert list(loaded.get_layer("shift").arguments["by"]) == [1.0, 2.0]
        loaded.save(tmp_path / "m", save_format="tf")


def test_code_in_json_needs_an_opt_in():
    model = tf.keras.Sequential([layers.Lambda(lambda x: x * 2, input_shape=(3,))])
    with pytest.raises(ValueError, match="safe_mode=False"):
        tf.keras.models.model_from_json(model.to_json())
    again = tf.keras.models.model_from_json(model.to_json(), safe_mode=False)
    assert again(np.ones((1, 3), "f")).numpy().tolist() == [[2.0, 2.0, 2.0]]
    # Within a program, copies are no matter.
    assert len(tf.keras.models.clone_model(model).layers) == 1


def rewritten(path, change):
    """An archive with another configuration."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    config = json.loads(members["config.json"])
    change(config)
    members["config.json"] = json.dumps(config).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    "function", [("os", "system"), ("builtins", "eval"), ("eagerflow.io", "write_file")]
)
def test_functions_that_are_no_activations(tmp_path, function):
    path = tmp_path / "m.keras"
    make().save(path)
    module, name = function

    def change(config):
        config["config"]["layers"][1]["config"]["activation"] = {
            "module": module, "class_name": "function", "config": name, "registered_name": name,
        }  # fmt: skip

    rewritten(path, change)
    with pytest.raises((TypeError, ValueError), match=name):
        tf.keras.models.load_model(path)


@pytest.mark.parametrize(
    "symbol", ["io.write_file", "io.os.system", "keras.utils.get_file", "py_function", "__loader__"]
)
def test_operations_that_are_none(symbol):
    with pytest.raises(TypeError, match="no operation"):
        TFOpLambda.from_config({"name": "x", "function": symbol})


@pytest.mark.parametrize("name", ["m.keras", "m.h5", "m"])
def test_layers_larger_than_the_file(tmp_path, name, monkeypatch):
    path = tmp_path / name
    get_config = layers.Dense.get_config
    with monkeypatch.context() as patch:
        patch.setattr(
            layers.Dense, "get_config", lambda self: {**get_config(self), "units": 1 << 30}
        )
        make().save(path)
    with pytest.raises(ValueError, match="too small"):
        tf.keras.models.load_model(path)


def test_an_archive_that_unpacks_to_much(tmp_path):
    path = tmp_path / "m.keras"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("config.json", "{}")
        archive.writestr("model.weights.h5", bytes(200 << 20))
    with pytest.raises(ValueError, match="would unpack to more"):
        tf.keras.models.load_model(path)


@pytest.mark.parametrize("name", ["w.h5", "w.weights.h5"])
def test_arrays_that_are_not_there(tmp_path, name):
    """HDF5 keeps no bytes of what was never written."""
    path = tmp_path / name
    make().save_weights(path)
    with h5py.File(path, "r+") as file:
        file.create_dataset("more", (1 << 40,), "f4", chunks=(1 << 20,))
    with pytest.raises(ValueError, match="would take more than"):
        make().load_weights(path)


def test_arrays_in_other_files(tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(bytes(24))
    for kind in ("external", "link", "virtual"):
        path = tmp_path / f"{kind}.weights.h5"
        make().save_weights(path)
        with h5py.File(path, "r+") as file:
            place = "layers/dense/vars/0"
            del file[place]
            if kind == "external":
                file.create_dataset(place, (3, 2), "f4", external=[(str(secret), 0, 24)])
            elif kind == "link":
                file[place] = h5py.ExternalLink("other.h5", "/x")
            else:
                layout = h5py.VirtualLayout((3, 2), "f4")
                layout[:] = h5py.VirtualSource("other.h5", "x", (3, 2))
                file.create_virtual_dataset(place, layout)
        with pytest.raises(ValueError, match="another file"):
            make().load_weights(path)


def test_npz_with_a_false_shape(tmp_path):
    path = tmp_path / "w.npz"
    make().save_weights(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content.replace(b"(3, 2), }   ", b"(3, 2000000000), }"[:12]))
    with pytest.raises((tf.errors.DataLossError, ValueError)):
        make().load_weights(path)


def saved_model(path, change):
    module = tf.Module()
    module.v = tf.Variable([1.0, 2.0])
    module.inside = tf.Module()
    module.inside.w = tf.Variable(1)
    tf.saved_model.save(module, path)
    file = path / "saved_model.pb"
    message = MESSAGES["SavedModel"].FromString(file.read_bytes())
    change(message.meta_graphs[0].object_graph_def)
    file.write_bytes(message.SerializeToString())
    return path


def test_saved_models_with_false_graphs(tmp_path):
    def enormous(graph):
        next(n for n in graph.nodes if n.HasField("variable")).variable.shape.dim.add(size=1 << 40)

    def nowhere(graph):
        graph.nodes[0].children[0].node_id = 1000

    def negative(graph):
        graph.nodes[0].children[0].node_id = -1

    def deep(graph):
        for _ in range(5000):
            node = graph.nodes.add()
            node.user_object.identifier = "_generic_user_object"
            node.children.add(node_id=len(graph.nodes), local_name="x")
        graph.nodes[0].children[0].node_id = len(graph.nodes) - 5000

    for k, change in enumerate((enormous, nowhere, negative, deep)):
        path = saved_model(tmp_path / str(k), change)
        with pytest.raises(tf.errors.DataLossError, match="graph of objects"):
            tf.saved_model.load(path)


@pytest.mark.parametrize("file", ["model.keras", "model.h5", "json"])
def test_unsafe_mode_holds_for_all_loaders_of_a_thread(tmp_path, file):
    model = tf.keras.Sequential([tf.keras.layers.Lambda(lambda x: x * 2, input_shape=(2,))])
    text = model.to_json()
    if file != "json":
        model.save(tmp_path / file)

    def load():
        if file == "json":
            return tf.keras.models.model_from_json(text)
        return tf.keras.models.load_model(tmp_path / file, compile=False)

    with serialization.SafeModeScope(False):  # ends what the call below begins
        tf.keras.config.enable_unsafe_deserialization()
        assert load()(tf.ones([1, 2])).numpy().tolist() == [[2.0, 2.0]]
        with serialization.SafeModeScope(), pytest.raises(ValueError, match="safe_mode=False"):
            load()
    with pytest.raises(ValueError, match="safe_mode=False"):
        load()
