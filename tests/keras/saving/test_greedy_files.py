"""Small files that are made to take up time or memory, or name what is not theirs to read."""

import io
import struct
import zipfile

import h5py
import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from eagerflow.io.archives import member
from eagerflow.keras.saving import memory_limit

keras = tf.keras


layers = keras.layers


def operation(symbol, first, **arguments):
    """A model in which one operation is called, as a configuration."""
    x = keras.Input((3,), name="x")
    config = keras.Model(x, tf.exp(x)).get_config()
    entry = config["layers"][1]
    entry["config"]["function"] = symbol
    entry["inbound_nodes"] = [[*first, arguments]]
    return config


@pytest.mark.parametrize(
    ("symbol", "constant", "arguments"),
    [
        ("math.pow", 10, {"y": 3}),
        ("math.multiply", "text", {"y": 3}),
        ("math.floormod", "%9d", {"y": 1}),
        ("range", 5, {}),
        ("random.normal", [2, 2], {}),
        ("strings.regex_replace", "aaa", {"pattern": "(a+)+$", "rewrite": ""}),
    ],
)
def test_constants_are_not_computed_with(symbol, constant, arguments):
    """A text times a billion, or a power of large integers, takes what memory or time there is."""
    config = operation(symbol, ["_CONSTANT_VALUE", -1, constant], **arguments)
    with pytest.raises(ValueError, match="without any input"):
        keras.Model.from_config(config)


def test_constants_beside_an_input_are():
    x = keras.Input((3,))
    model = keras.Model(x, [tf.pow(2.0, x), 1 - x, tf.concat([x, tf.ones([1, 3])], 0)])
    again = keras.Model.from_config(model.get_config())
    value = tf.ones([1, 3])
    for found, expected in zip(again(value), model(value), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_tensors_made_while_loading_are_limited(tmp_path):
    """A range of a billion numbers, for which the file has no more than the count."""
    x = keras.Input((8,))
    model = keras.Model(x, tf.sequence_mask(x, maxlen=4))
    text = model.to_json().replace('"maxlen": 4', '"maxlen": 1000000000')
    assert "1000000000" in text
    path = tmp_path / "m.h5"
    keras.Sequential([layers.Dense(1, input_shape=(1,))]).save(path)
    with h5py.File(path, "r+") as file:
        file.attrs["model_config"] = text
    tf.config.experimental.reset_memory_stats("CPU:0")
    before = tf.config.experimental.get_memory_info("CPU:0")["current"]
    with pytest.raises(ValueError, match="Layer count mismatch"):
        keras.models.load_model(path)
    assert tf.config.experimental.get_memory_info("CPU:0")["peak"] - before < 1 << 20


def test_the_limit_of_tensors_ends_with_the_loading():
    with memory_limit.limited_weights(0):
        inside = _core.limit_tensors(1 << 20)
        with pytest.raises(tf.errors.ResourceExhaustedError, match="1048576"):
            tf.zeros([1 << 20])
    assert inside < 1 << 31
    assert tf.zeros([1 << 20]).shape == [1 << 20]


@pytest.mark.parametrize("dtype", ["U100000000", "S2000000000", "V2000000000"])
def test_arrays_of_wide_elements(dtype):
    config = {"class_name": "__numpy__", "config": {"value": ["a"], "dtype": dtype}}
    with pytest.raises(ValueError, match="would be larger than"):
        keras.utils.deserialize_keras_object(config)


@pytest.mark.parametrize("dtype", ["float16", "int64", "complex128", "bool"])
def test_arrays_come_back(dtype):
    value = np.array([[0, 1], [1, 0]], dtype)
    again = keras.utils.deserialize_keras_object(keras.utils.serialize_keras_object(value))
    assert again.dtype == dtype
    np.testing.assert_array_equal(again, value)


def test_many_references_to_one_text(tmp_path):
    """Each takes 16 bytes in the file, and in memory as much as the text."""
    path = tmp_path / "w.weights.h5"
    count, long = 4000, "x" * 100_000
    with h5py.File(path, "w") as file:
        texts = file.create_dataset("layers/dense/vars/0", (count,), h5py.string_dtype())
        texts[0] = long
        texts[1:] = ""
        start = texts.id.get_offset()
    content = bytearray(path.read_bytes())
    content[start : start + 16 * count] = content[start : start + 16] * count
    path.write_bytes(content)
    model = keras.Sequential([layers.Dense(2, input_shape=(3,))])
    with pytest.raises(ValueError, match="would take more than"):
        model.load_weights(path)


@pytest.mark.parametrize("name", ["m.h5", "m.keras"])
def test_long_vocabularies_come_back(tmp_path, name):
    words = [f"word{k}" for k in range(5000)]
    model = keras.Sequential([keras.Input((1,), dtype="string")])
    model.add(layers.StringLookup(vocabulary=words))
    model.save(tmp_path / name)
    again = keras.models.load_model(tmp_path / name)
    assert again.layers[-1].get_vocabulary()[1:] == words


def with_false_size(packing, size, claimed):
    """An archive whose member unpacks to more than it says."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", packing) as archive:
        archive.writestr("m", bytes(size))
    content = stream.getvalue()
    return io.BytesIO(content.replace(struct.pack("<I", size), struct.pack("<I", claimed)))


def test_members_unpack_to_what_they_claim():
    with zipfile.ZipFile(with_false_size(zipfile.ZIP_DEFLATED, 5 << 20, 10)) as archive:
        with pytest.raises(zipfile.BadZipFile):
            member(archive, "m")
    with zipfile.ZipFile(with_false_size(zipfile.ZIP_DEFLATED, 5 << 20, 5 << 20)) as archive:
        assert member(archive, "m") == bytes(5 << 20)


@pytest.mark.parametrize("packing", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_packings_that_give_all_at_once(tmp_path, packing):
    with zipfile.ZipFile(with_false_size(packing, 5 << 20, 10)) as archive:
        with pytest.raises(ValueError, match="stored or deflated"):
            member(archive, "m")
    model = keras.Sequential([layers.Dense(2, input_shape=(3,))])
    path = tmp_path / "w.npz"
    model.save_weights(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(tf.errors.DataLossError, match="stored or deflated"):
        model.load_weights(path)


def test_many_arrays_that_are_each_small_enough(tmp_path):
    path = tmp_path / "w.npz"
    np.savez_compressed(path, **{str(k): np.zeros(5 << 20, "f4") for k in range(10)})
    model = keras.Sequential([layers.Dense(2, input_shape=(3,))])
    with pytest.raises(tf.errors.DataLossError, match="would unpack to more than"):
        model.load_weights(path)


def test_vectors_in_other_files_need_an_opt_in(tmp_path):
    path = tf.train.Checkpoint(v=tf.Variable([[1.0, 2.0]] * 5)).write(str(tmp_path / "secret"))
    column = tf.feature_column.embedding_column(
        tf.feature_column.categorical_column_with_identity("x", 5),
        2,
        ckpt_to_load_from=path,
        tensor_name_in_ckpt="v/.ATTRIBUTES/VARIABLE_VALUE",
    )
    config = layers.serialize(layers.DenseFeatures([column]))
    with pytest.raises(ValueError, match=r"names a file of its vectors.*safe_mode=False"):
        layers.deserialize(config)
