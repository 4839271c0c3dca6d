"""Tables that are filled from files: SavedModels have the files as assets."""

import os
import shutil

import pytest

import eagerflow as tf
from eagerflow.protos.saved_model import MESSAGES

index = tf.lookup.TextFileIndex


def words(path, columns="whole-line", **options):
    if columns == "whole-line":
        kinds = tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
    elif columns == "numbered":
        kinds = tf.int64, index.LINE_NUMBER, tf.string, index.WHOLE_LINE
    else:
        kinds = tf.string, 0, tf.int64, 1
        options["delimiter"] = ","
    return tf.lookup.TextFileInitializer(str(path), *kinds, **options)


TABLES = {
    "static": (lambda path: tf.lookup.StaticHashTable(words(path), -1), ["b", "?"]),
    "offset": (
        lambda path: tf.lookup.StaticHashTable(words(path, value_index_offset=5), -1),
        ["b", "?"],
    ),
    "first-lines": (
        lambda path: tf.lookup.StaticHashTable(words(path, vocab_size=1), -1),
        ["a,4", "b,9"],
    ),
    "numbered": (lambda path: tf.lookup.StaticHashTable(words(path, "numbered"), "?"), [1, 7]),
    "columns": (lambda path: tf.lookup.StaticHashTable(words(path, "columns"), -1), ["b", "?"]),
    "vocabulary": (lambda path: tf.lookup.StaticVocabularyTable(words(path), 3), ["b", "?", "!"]),
}


class Looking(tf.Module):
    def __init__(self, *tables):
        super().__init__()
        self.tables = list(tables)
        self.first = tables[0]
        kind = tables[0].key_dtype
        self.look = tf.function(
            lambda keys: [table.lookup(keys) for table in self.tables],
            input_signature=[tf.TensorSpec([None], kind)],
        )


def graph_of(folder):
    with open(folder / "saved_model.pb", "rb") as file:
        return MESSAGES["SavedModel"].FromString(file.read()).meta_graphs[0]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("a,4\nb,9\nc,2\n")
    return path


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_is_filled_from_the_asset_wherever_the_folder_is(kind, file, tmp_path):
    make, keys = TABLES[kind]
    module = Looking(make(file))
    keys = tf.constant(keys, module.first.key_dtype)
    expected = module.look(keys)[0].numpy().tolist()
    tf.saved_model.save(module, tmp_path / "saved")
    graph = graph_of(tmp_path / "saved")
    assert [asset.filename for asset in graph.asset_file_def] == ["words.txt"]
    assert (tmp_path / "saved" / "assets" / "words.txt").read_bytes() == file.read_bytes()
    placeholder = graph.asset_file_def[0].tensor_info.name.removesuffix(":0")
    assert [n.op for n in graph.graph_def.node if n.name == placeholder] == ["Placeholder"]
    assert b"b,9" not in graph.SerializeToString()
    file.unlink()
    for place in "saved", "elsewhere":
        loaded = tf.saved_model.load(tmp_path / place)
        assert loaded.look(keys)[0].numpy().tolist() == expected
        signature = loaded.signatures["serving_default"](keys)
        assert next(iter(signature.values())).numpy().tolist() == expected
        if place == "saved":
            shutil.move(tmp_path / "saved", tmp_path / "elsewhere")
    tf.saved_model.save(loaded, tmp_path / "again")
    shutil.rmtree(tmp_path / "elsewhere")
    again = tf.saved_model.load(tmp_path / "again")
    assert again.look(keys)[0].numpy().tolist() == expected


def test_files_of_one_name_stay_apart_and_one_file_is_copied_once(tmp_path):
    paths = []
    for name, text in ("x", "a\nb\n"), ("y", "b\nc\na\n"):
        (tmp_path / name).mkdir()
        paths.append(tmp_path / name / "words.txt")
        paths[-1].write_text(text)
    paths.append(paths[0])
    module = Looking(*(tf.lookup.StaticHashTable(words(path), -1) for path in paths))
    module.asset = tf.saved_model.Asset(str(paths[1]))
    tf.saved_model.save(module, tmp_path / "saved")
    assert sorted(os.listdir(tmp_path / "saved" / "assets")) == ["words.txt", "words.txt_1"]
    for path in paths[:2]:
        path.unlink()
    loaded = tf.saved_model.load(tmp_path / "saved")
    found = [ids.numpy().tolist() for ids in loaded.look(tf.constant(["a", "b", "c"]))]
    assert found == [[0, 1, -1], [2, 0, 1], [0, 1, -1]]


@pytest.mark.filterwarnings("ignore")
def test_a_layer_with_a_vocabulary_of_a_file_needs_it_no_more(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("a\nb\n")
    inputs = tf.keras.Input([1], dtype=tf.string)
    model = tf.keras.Model(inputs, tf.keras.layers.StringLookup(vocabulary=str(path))(inputs))
    data = tf.constant([["b"], ["?"], ["a"]])
    expected = model(data).numpy().tolist()
    model.save(tmp_path / "m", save_format="tf")
    model.save(tmp_path / "m.keras")
    path.unlink()
    shutil.move(tmp_path / "m", tmp_path / "n")
    for name in "n", "m.keras":
        assert tf.keras.models.load_model(tmp_path / name)(data).numpy().tolist() == expected
