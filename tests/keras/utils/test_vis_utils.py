"""Drawings of models."""

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
    for part in ("InputLayer", "h</font>", "[(None, 3)]", "(None, 2)", "linear"):
        assert part in text
    assert text.count("->") == 5
    assert text.count("{") == text.count("}")


def test_options():
    plain = vis_utils.model_to_dot(model(), show_layer_names=False).to_string()
    assert "h</font>" not in plain and "rankdir=TB" in plain
    text = vis_utils.model_to_dot(
        model(), show_dtype=True, show_trainable=True, rankdir="LR", layer_range=["x", "h"]
    ).to_string()
    assert "float32" in text and ">yes<" in text and "rankdir=LR" in text
    assert "Add" not in text and text.count("->") == 1


def test_models_inside():
    text = vis_utils.model_to_dot(model(), expand_nested=True).to_string()
    assert "label=<in>" in text and text.count("subgraph cluster_") == 1
    assert text.count("{") == text.count("}") == 2


def test_files(tmp_path, capsys, monkeypatch):
    path = tmp_path / "model.dot"
    picture = tf.keras.utils.plot_model(model(), path)
    assert path.read_text().startswith("digraph G {")
    assert str(picture).startswith('Model: "')
    with pytest.raises(ValueError, match="saved as one of svg, png, pdf"):
        tf.keras.utils.plot_model(model(), tmp_path / "model.doc")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    with pytest.raises(ImportError, match=r"needs pygraphviz: pip install pygraphviz, or"):
        tf.keras.utils.plot_model(model(), tmp_path / "model.png")
    monkeypatch.setitem(sys.modules, "IPython.core.magics.namespace", None)
    assert tf.keras.utils.plot_model(model(), tmp_path / "model.png") is None
    assert "needs pygraphviz" in capsys.readouterr().out
    with pytest.raises(ValueError, match="not yet been built"):
        tf.keras.utils.plot_model(tf.keras.Sequential([layers.Dense(1)]))
    assert not (tmp_path / "model.png").exists()


def test_programs_call_it_as_pydots_graphs(tmp_path):
    dot = tf.keras.utils.model_to_dot(model())
    assert dot.create(prog="dot", format="dot") == dot.create_dot() == dot.to_string().encode()
    dot.write_dot(tmp_path / "a.dot")
    dot.write(tmp_path / "b.txt", format="raw")
    assert (tmp_path / "a.dot").read_text() == (tmp_path / "b.txt").read_text() == dot.to_string()
    with pytest.raises(AttributeError, match="create_doc"):
        dot.create_doc()


def test_graphs_list_their_nodes_and_edges_as_pydot_does():
    layers = [tf.keras.layers.Dense(2, name=name) for name in ("d1", "d2", "d3")]
    model = tf.keras.Sequential([tf.keras.Input([3]), *layers])
    graph = tf.keras.utils.model_to_dot(model)
    assert len(graph.get_nodes()) == 5
    assert graph.get_nodes()[0].get_name() == "node"
    assert "d1" in graph.get_nodes()[2].get_label()
    names = [node.get_name() for node in graph.get_nodes()]
    edges = [
        (names.index(e.get_source()), names.index(e.get_destination())) for e in graph.get_edges()
    ]
    assert edges == [(1, 2), (2, 3), (3, 4)]
    part = tf.keras.utils.model_to_dot(model, layer_range=["d1", "d2"])
    assert len(part.get_nodes()) == 3
    assert len(part.get_edges()) == 1
