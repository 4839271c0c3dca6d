"""Graphs of traced functions as lists and drawings, and gradients explained through calls."""

import pytest

import eagerflow as tf
from eagerflow.debug import draw_graph, explain_gradient, show_graph, trace


def without_places(text):
    return [line.partition("    #")[0].rstrip() for line in text.splitlines()]


@tf.function
def choose(x):
    y = tf.exp(x)
    unused = tf.sin(x)
    assert unused is not None
    return tf.cond(y > 2.0, lambda: y * 2.0, lambda: x)


def test_a_list_has_what_runs_and_the_graphs_inside():
    concrete = choose.get_concrete_function(tf.TensorSpec([]))
    lines = without_places(show_graph(concrete))
    assert lines == [
        "x = input float32[]",
        "Exp = Exp(x) -> float32[]",
        "Greater = Greater(Exp, 2.0) -> bool[]",
        "cond = StatelessIf(Greater, Exp, x) -> float32[]",
        "  cond_true:",
        "    cond/Placeholder = captured Exp:0",
        "    cond/mul = Mul(cond/Placeholder, 2.0) -> float32[]",
        "    return cond/mul",
        "  cond_false:",
        "    cond/Placeholder = captured x:0",
        "    return cond/Placeholder",
        "Identity = Identity(cond) -> float32[]",
        "return Identity",
    ]
    assert show_graph(choose) == show_graph(concrete) == show_graph(concrete.graph)


def test_lines_say_where_operations_were_added():
    first = choose.python_function.__code__.co_firstlineno
    concrete = choose.get_concrete_function(tf.TensorSpec([]))
    (line,) = [line for line in show_graph(concrete).splitlines() if line.startswith("Exp")]
    assert line.endswith(f"# test_graphs.py:{first + 2}")


def test_effects_and_variables_are_shown():
    v = tf.Variable(1.0, name="total")

    @tf.function
    def add(x):
        v.assign_add(tf.reduce_sum(x))

    text = show_graph(add.get_concrete_function(tf.TensorSpec([None, 2])))
    assert "x = input float32[?,2]" in text
    assert "AssignAddVariableOp(Sum) {variable=total:0}" in text


def test_only_functions_with_one_trace_have_one_list():
    @tf.function
    def same(x):
        return x

    with pytest.raises(ValueError, match="has 0 traces"):
        show_graph(same)
    same(1), same(2)
    with pytest.raises(ValueError, match="has 2 traces"):
        show_graph(same)
    with pytest.raises(TypeError, match="traced function or a graph"):
        show_graph(len)


def test_drawings_have_a_frame_for_each_graph_inside(tmp_path):
    concrete = choose.get_concrete_function(tf.TensorSpec([]))
    picture = draw_graph(concrete, tmp_path / "graph.dot")
    assert str(picture) == show_graph(concrete)
    text = (tmp_path / "graph.dot").read_text()
    assert text == picture.to_string()
    assert text.count("subgraph cluster_") == 2 and text.count("style=dashed") == 2
    assert "label=<cond: cond_true>" in text
    assert "<b>Exp</b>" in text and "Sin" not in text
    # Equal graphs are equal drawings.
    assert draw_graph(concrete).to_string() == text


@tf.function
def rounded(x):
    return tf.reduce_sum(tf.round(x * 3.0))


@tf.function
def calls_rounded(x):
    return rounded(x) * 2.0


def test_gradients_are_explained_by_the_line_inside_of_calls():
    x = tf.constant([1.0, 2.0])
    with trace(), tf.GradientTape() as tape:
        tape.watch(x)
        y = calls_rounded(x)
    explanation = explain_gradient(tape, y, x)
    assert explanation.kind == "no gradient"
    assert explanation.step.name == "Round"
    assert explanation.line.function == "rounded"
    assert explanation.line.number == rounded.python_function.__code__.co_firstlineno + 2
