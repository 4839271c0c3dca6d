"""Parts of SavedModels, as another Keras asks for them."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow_compat.internals.partial_loading import load_partial, parse_saved_model


class Scale(tf.Module):
    def __init__(self, factor):
        self.factor = tf.Variable(factor)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def apply(self, x):
        return x * self.factor


@pytest.fixture
def folder(tmp_path):
    module = tf.Module()
    module.first, module.second = Scale(2.0), Scale(3.0)
    module.names = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a"], tf.constant([7], tf.int64)), -1
    )
    tf.saved_model.save(module, tmp_path / "model")
    return str(tmp_path / "model")


def test_objects_by_their_paths(folder):
    loaded = load_partial(folder, ["root.first", "root.first.factor"])
    assert list(loaded) == ["root.first", "root.first.factor"]
    assert loaded["root.first"].factor is loaded["root.first.factor"]
    assert loaded["root.first"].factor.numpy() == 2.0
    np.testing.assert_array_equal(loaded["root.first"].apply([1.0, 4.0]), [2.0, 8.0])


def test_the_root_is_everything(folder):
    root = load_partial(folder, ["root"])["root"]
    np.testing.assert_array_equal(root.second.apply([1.0]), [3.0])
    np.testing.assert_array_equal(root.names.lookup(tf.constant(["a"])), [7])


def test_a_variable_in_the_place_of_the_files(folder):
    mine = tf.Variable(0.0)
    loaded = load_partial(folder, {"root.second": None, "root.second.factor": mine})
    assert loaded["root.second"].factor is mine
    assert mine.numpy() == 3.0
    mine.assign(10.0)
    np.testing.assert_array_equal(loaded["root.second"].apply([1.0]), [10.0])


def test_an_object_with_what_sets_its_children(folder):
    class Mine(tf.Module):
        pass

    mine, names = Mine(), []

    def put(target, name, child):
        names.append(name)
        setattr(target, name, child)

    loaded = load_partial(folder, {"root": None, "root.first": (mine, put)})
    assert loaded["root"].first is mine
    assert sorted(names) == ["apply", "factor"]
    assert mine.factor.numpy() == 2.0


def test_a_table_that_is_given_is_not_filled_again(folder):
    mine = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["z"], tf.constant([1], tf.int64)), 0
    )
    root = load_partial(folder, {"root": None, "root.names": (mine, lambda *child: None)})["root"]
    assert root.names is mine
    np.testing.assert_array_equal(mine.lookup(tf.constant(["z", "a"])), [1, 0])


def test_a_table_that_gets_the_files_functions_is_filled_by_them(folder):
    mine = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["z"], tf.constant([1], tf.int64)), 0
    )
    load_partial(folder, {"root.names": (mine, setattr)})
    np.testing.assert_array_equal(mine.lookup(tf.constant(["z", "a"])), [1, 7])


@pytest.mark.parametrize("path", ["root.third", "first", "root.first.factor.deeper", ""])
def test_paths_that_lead_nowhere(folder, path):
    with pytest.raises(ValueError, match="no object"):
        load_partial(folder, [path])


def test_the_message_of_a_folder(folder, tmp_path):
    message = parse_saved_model(folder)
    nodes = message.meta_graphs[0].object_graph_def.nodes
    assert {"first", "second", "names"} <= {child.local_name for child in nodes[0].children}
    with pytest.raises(OSError, match="does not exist"):
        parse_saved_model(str(tmp_path))


def test_functions_keep_their_signature(folder):
    loaded = tf.saved_model.load(folder)
    (spec,) = loaded.first.apply.input_signature
    assert spec._without_tensor_names() == tf.TensorSpec([None], tf.float32)


def test_variables_take_the_name_of_a_file():
    variable = tf.Variable(1.0, name="kernel")
    variable._handle_name = "dense/kernel:0"
    assert variable.name == variable._handle_name == "dense/kernel:0"
