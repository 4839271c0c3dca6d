"""Damaged files of models and weights: one kind of error, which names file and part."""

import json
import random
import shutil
import struct
import subprocess
import sys
import zipfile

import h5py
import numpy as np
import pytest

import eagerflow as tf
from eagerflow.io.damage import DamagedFileError
from eagerflow.protos.saved_model import MESSAGES

keras = tf.keras


@pytest.fixture(scope="module")
def model():
    inputs = keras.Input((3,), name="x")
    hidden = keras.layers.Dense(2, "relu", name="a")(inputs)
    made = keras.Model(inputs, keras.layers.Concatenate(name="c")([hidden, hidden * 2.0]))
    made.compile("adam", "mse")
    made.train_on_batch(np.ones((1, 3)), np.ones((1, 4)))
    return made


def replace(path, name, content):
    with zipfile.ZipFile(path) as archive:
        members = {n: archive.read(n) for n in archive.namelist()}
    members[name] = content
    with zipfile.ZipFile(path, "w") as archive:
        for n, value in members.items():
            if value is not None:
                archive.writestr(n, value)


def layer(config, name):
    return next(each for each in config["config"]["layers"] if each["config"]["name"] == name)


def remove(key):
    def change(config):
        del config["config"][key]

    return change


def put(value, *keys):
    def change(config):
        for key in keys[:-1]:
            config = config[key]
        config[keys[-1]] = value

    return change


CHANGES = {
    "no-layers": remove("layers"),
    "layers-none": put(None, "config", "layers"),
    "layers-text": put("abc", "config", "layers"),
    "layers-number": put([1], "config", "layers"),
    "no-inputs": remove("input_layers"),
    "inputs-elsewhere": put([["x", 0, 7]], "config", "input_layers"),
    "outputs-elsewhere": put([["c", 3, 0]], "config", "output_layers"),
    "config-text": put("abc", "config"),
    "config-number": put(3, "config"),
    "class-number": put(3, "class_name"),
    "module-number": lambda config: layer(config, "a").update(module=3),
    "nodes-number": lambda config: layer(config, "c").update(inbound_nodes=3),
    "no-class": lambda config: config.pop("class_name"),
    "no-layer-config": lambda config: config["config"]["layers"][1].pop("config"),
}


@pytest.mark.parametrize("form", ["m.keras", "m.h5", "m"])
@pytest.mark.parametrize("change", CHANGES)
def test_configurations_that_are_none(tmp_path, model, change, form):
    path = tmp_path / form
    model.save(path)
    if form == "m.keras":
        with zipfile.ZipFile(path) as archive:
            config = json.loads(archive.read("config.json"))
        CHANGES[change](config)
        replace(path, "config.json", json.dumps(config))
        part = "config.json"
    elif form == "m.h5":
        with h5py.File(path, "r+") as file:
            config = json.loads(file.attrs["model_config"])
            CHANGES[change](config)
            file.attrs["model_config"] = json.dumps(config)
        part = "model_config"
    else:
        file = path / "keras_metadata.pb"
        message = MESSAGES["KerasMetadata"].FromString(file.read_bytes())
        config = json.loads(message.nodes[0].metadata)
        CHANGES[change](config)
        message.nodes[0].metadata = json.dumps(config)
        file.write_bytes(message.SerializeToString())
        part = "metadata of the model"
    with pytest.raises(tf.errors.DataLossError, match=part) as caught:
        keras.models.load_model(path)
    assert isinstance(caught.value, ValueError) and str(path) in str(caught.value)


@pytest.mark.parametrize("name", ["config.json", "model.weights.h5"])
@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b"\xff\xfe", b"null", b"[" * 100_000])
def test_members_of_archives(tmp_path, model, name, content):
    path = tmp_path / "m.keras"
    model.save(path)
    replace(path, name, content)
    with pytest.raises(DamagedFileError, match=rf"{name} in .*m\.keras"):
        keras.models.load_model(path)


def test_metadata_that_is_no_text(tmp_path, model):
    model.save(tmp_path / "m")
    file = tmp_path / "m" / "keras_metadata.pb"
    whole = MESSAGES["KerasMetadata"].FromString(file.read_bytes())
    for text in ("", "{", "[]", "3", '{"config": {"a": 1}}'):
        whole.nodes[0].metadata = text
        file.write_bytes(whole.SerializeToString())
        with pytest.raises(DamagedFileError, match=r"keras_metadata\.pb"):
            keras.models.load_model(tmp_path / "m")


def test_what_a_class_does_not_take_is_told_with_its_place(tmp_path, model):
    path = tmp_path / "m.keras"
    model.save(path)
    with zipfile.ZipFile(path) as archive:
        config = json.loads(archive.read("config.json"))
    layer(config, "a")["config"]["unitz"] = 2
    replace(path, "config.json", json.dumps(config))
    with pytest.raises(TypeError, match="'Dense'") as caught:
        keras.models.load_model(path)
    assert not hasattr(caught.value, "add_note") or "config.json" in caught.value.__notes__[0]


@pytest.mark.parametrize("name", ["m.h5", "w.h5", "w.weights.h5", "w.safetensors", "w.npz"])
def test_flipped_bits_are_found(tmp_path, model, name):
    path = tmp_path / name
    (model.save if name == "m.h5" else model.save_weights)(path)
    load = keras.models.load_model if name == "m.h5" else model.load_weights
    whole = path.read_bytes()
    before = model.get_weights()
    chance = random.Random(0)
    for place in [*chance.sample(range(len(whole)), 60), len(whole) - 1]:
        content = bytearray(whole)
        content[place] ^= 1 << chance.randrange(8)
        path.write_bytes(content)
        # What says that there is a checksum may be hit itself: then all else is as it was.
        try:
            load(path)
        except (ValueError, OSError):
            pass
        else:
            assert place >= len(whole) - 18 or name in ("w.safetensors", "w.npz")
            for value, old in zip(model.get_weights(), before, strict=True):
                np.testing.assert_array_equal(value, old)


def test_open_files(tmp_path, model):
    model.save(tmp_path / "m.h5")
    with h5py.File(tmp_path / "m.h5") as file:
        again = keras.models.load_model(file)
        assert file.attrs["backend"] == "tensorflow"  # it is still open
    np.testing.assert_array_equal(again(np.ones((1, 3))), model(np.ones((1, 3))))


def test_the_oldest_sequential_models():
    dense = {"class_name": "Dense", "config": {"units": 2, "batch_input_shape": [None, 3]}}
    made = keras.models.model_from_config({"class_name": "Sequential", "config": [dense]})
    assert made.output_shape == (None, 2)


def test_files_with_checksums_can_be_changed(tmp_path, model):
    """The library cuts the checksum off: a change is no damage."""
    path = tmp_path / "w.h5"
    model.save_weights(path)
    size = path.stat().st_size
    with h5py.File(path, "r+") as file:
        file["a/a/bias:0"][...] = [3.0, 4.0]
    assert path.stat().st_size == size - 18
    model.load_weights(path)
    assert model.get_layer("a").bias.numpy().tolist() == [3.0, 4.0]


LOAD = """
import sys
import eagerflow as tf
try:
    tf.keras.models.load_model(sys.argv[1])
except tf.errors.DataLossError as error:
    print(error)
"""


def test_zeros_in_files_of_others_do_not_loop(tmp_path, model):
    """HDF5's library reads an object of no size for ever."""
    path = tmp_path / "m.h5"
    model.save(path)
    with h5py.File(path, "r+"):
        pass  # without a checksum now, as Keras's files are
    content = bytearray(path.read_bytes())
    at = content.index(b"GCOL")
    _, _, size = struct.unpack_from("<HH4xQ", content, at + 16)
    after = at + 32 + -(-size // 8) * 8
    content[after : after + 16] = bytes(16)
    path.write_bytes(content)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LOAD, str(path)],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert "heap" in done.stdout and str(path) in done.stdout, done.stderr


@pytest.mark.parametrize("ending", [".h5", ".weights.h5"])
def test_a_damaged_header_of_an_array_is_an_error_of_files(tmp_path, ending):
    """HDF5's library says KeyError for an object whose header it cannot read."""
    made = keras.Sequential([keras.layers.Dense(2, input_shape=(3,), name="a")])
    path = tmp_path / f"w{ending}"
    made.save_weights(path)
    with h5py.File(path, "r+") as file:  # without a checksum from here on
        arrays = []
        file.visititems(lambda name, item: arrays.append(item))
        header = h5py.h5o.get_info(next(a.id for a in arrays if isinstance(a, h5py.Dataset))).addr
    content = path.read_bytes()
    refused = 0
    for at in range(header, header + 80):
        path.write_bytes(content[:at] + b"\xff" + content[at + 1 :])
        try:
            made.load_weights(path)
        except (OSError, ValueError):
            refused += 1
    assert refused > 20


def test_safetensors_of_others_have_no_checksum(tmp_path):
    from safetensors.numpy import load_file, save_file

    module = tf.Module()
    module.v = tf.Variable([1.0, 2.0])
    save_file({"v": np.array([3.0, 4.0], "f")}, tmp_path / "w.safetensors")
    from eagerflow.checkpoint.arrays import load_arrays, save_arrays

    load_arrays(module, tmp_path / "w.safetensors")
    assert module.v.numpy().tolist() == [3.0, 4.0]
    save_arrays(module, tmp_path / "ours.safetensors")
    assert list(load_file(tmp_path / "ours.safetensors")) == ["v"]
    content = bytearray((tmp_path / "ours.safetensors").read_bytes())
    content[-1] ^= 1
    (tmp_path / "ours.safetensors").write_bytes(content)
    with pytest.raises(tf.errors.DataLossError, match=r"ours\.safetensors.*checksum"):
        load_arrays(module, tmp_path / "ours.safetensors")


def test_folders_that_lack_a_part(tmp_path, model):
    model.save(tmp_path / "m")
    shutil.rmtree(tmp_path / "m" / "variables")
    with pytest.raises(tf.errors.NotFoundError, match="variables"):
        keras.models.load_model(tmp_path / "m")
