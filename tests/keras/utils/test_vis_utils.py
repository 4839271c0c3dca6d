"""Models as graphs in Graphviz's language."""

import sys

import pytest

import eagerflow as tf
from eagerflow.keras.utils import vis_utils

layers = tf.keras.layers


def model():
    inner = tf.keras.Sequential([layers.Dense(2, activation="relu", input_shape=(3,))], name="in")
    x = tf.keras.Input([3], name="x")
    h = layers.Dense(3, name="h")(x)
    return tf.keras.Model(x, layers.Add(name="sum")([inner(h), inner(x)]))


def test_nodes_and_arrows():
    text = vis_utils.model_to_dot(
        model(), show_shapes=True, show_layer_activations=True
    ).to_string()
    assert text.startswith("digraph G {")
    for part in ("InputLayer", ">h<", "[(None, 3)]", "(None, 2)", "linear"):
        assert part in text
    assert text.count("->") == 5
    assert text.count("{") == text.count("}")


def test_models_inside():
    text = vis_utils.model_to_dot(model(), expand_nested=True).to_string()
    assert "subgraph cluster_in {" in text
    assert text.count("{") == text.count("}") == 2


def test_files(tmp_path, capsys, monkeypatch):
    path = tmp_path / "model.dot"
    tf.keras.utils.plot_model(model(), path)
    assert path.read_text().startswith("digraph G {")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ImportError, match="install graphviz"):
        tf.keras.utils.plot_model(model(), tmp_path / "model.png")
    monkeypatch.setitem(sys.modules, "IPython.core.magics.namespace", None)
    assert tf.keras.utils.plot_model(model(), tmp_path / "model.png") is None
    assert "install graphviz" in capsys.readouterr().out
    with pytest.raises(ValueError, match="not yet been built"):
        tf.keras.utils.plot_model(tf.keras.Sequential([layers.Dense(1)]))
