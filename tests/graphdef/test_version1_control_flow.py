"""Choices and loops of version 1, in graphs that TensorFlow wrote and in damaged ones."""

import random
from pathlib import Path

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.protos.graph import MESSAGES
from graphdef.version1_programs import FEEDS, PROGRAMS

FILES = Path(__file__).parent / "files"
v1 = tf.compat.v1


def recorded(name):
    """The graph of a program, and TensorFlow's results by name for each feed."""
    found = np.load(FILES / f"version1_{name}.npz")
    results = [{} for _ in FEEDS]
    for key in found:
        number, _, name_of_result = key.partition("_")
        results[int(number)][name_of_result] = found[key]
    return (FILES / f"version1_{name}.pb").read_bytes(), results


def check(found, expected):
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("name", PROGRAMS)
def test_session_gives_tensorflows_values(name):
    message, results = recorded(name)
    with tf.Graph().as_default(), v1.Session() as session:
        tf.import_graph_def(message, name="")
        fetches = {key: f"out_{key}:0" for key in results[0]}
        for feed, expected in zip(FEEDS, results, strict=True):
            found = session.run(fetches, feed)
            for key, value in expected.items():
                check(found[key], value)


@pytest.mark.parametrize("name", PROGRAMS)
def test_function_gives_tensorflows_values(name):
    message, results = recorded(name)
    wrapped = v1.wrap_function(lambda: tf.import_graph_def(message, name=""), [])
    whole = wrapped.prune(["x:0", "n:0", "p:0"], {key: f"out_{key}:0" for key in results[0]})
    for feed, expected in zip(FEEDS, results, strict=True):
        found = whole(*map(tf.constant, feed.values()))
        for key, value in expected.items():
            check(found[key].numpy(), value)


def test_gradients_flow_through_choices_and_loops():
    message, _ = recorded("loops")
    wrapped = v1.wrap_function(lambda: tf.import_graph_def(message, name=""), [])
    total = wrapped.prune(["x:0", "n:0"], "out_total:0")
    x = tf.constant([[1.0, 2.0, 3.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = total(x, tf.constant(3))
    np.testing.assert_allclose(tape.gradient(y, x), [[15.0, 15.0, 15.0]])  # 8 x + 4 x + 2 x + x


def test_inner_tensors_are_refused_by_name():
    message, _ = recorded("choices")
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(message, name="")
        with pytest.raises(tf.errors.UnimplementedError, match="'cond/cond/add' is inside of a"):
            graph.get_tensor_by_name("cond/cond/add:0")


def test_effects_of_branches_happen_in_the_one_that_is_taken():
    message = MESSAGES["GraphDef"]()

    def add(name, op, *inputs, **types):
        node = message.node.add(name=name, op=op, input=inputs)
        for key, number in types.items():
            node.attr[key].type = number

    float_, bool_ = 1, 10
    add("p", "Placeholder", dtype=bool_)
    add("v", "VarHandleOp", dtype=float_)
    message.node[-1].attr["shape"].shape.SetInParent()
    add("one", "Const", dtype=float_)
    message.node[-1].attr["value"].tensor.dtype = float_
    message.node[-1].attr["value"].tensor.tensor_shape.SetInParent()
    message.node[-1].attr["value"].tensor.float_val.append(1.0)
    add("v/Assign", "AssignVariableOp", "v", "one", dtype=float_)
    add("pivot", "Switch", "p", "p", T=bool_)
    add("handle", "Switch", "v", "p", T=20)
    add("amount", "Switch", "one", "p", T=float_)
    add("more", "AssignAddVariableOp", "handle:1", "amount:1", dtype=float_)
    add("then", "Identity", "pivot:1", "^more", T=bool_)
    add("otherwise", "Identity", "pivot", T=bool_)
    add("done", "Merge", "otherwise", "then", T=bool_)
    message.node[-1].attr["N"].i = 2
    add("read", "ReadVariableOp", "v", dtype=float_)
    with tf.Graph().as_default(), v1.Session() as session:
        tf.import_graph_def(message, name="")
        session.run("v/Assign")
        for p, value in ((False, 1.0), (True, 2.0), (True, 3.0), (False, 3.0)):
            session.run("done", {"p:0": p})
            assert session.run("read:0") == value


def damaged(message, seed):
    """A graph with a few inputs, operations or names exchanged, or nodes removed."""
    draw = random.Random(seed)
    nodes = message.node
    for _ in range(draw.randint(1, 4)):
        node, other = draw.choice(nodes), draw.choice(nodes)
        kind = draw.randrange(6)
        if kind == 0 and node.input:
            node.input[draw.randrange(len(node.input))] = other.name
        elif kind == 1 and node.input:
            node.input[draw.randrange(len(node.input))] += ":1"
        elif kind == 2:
            node.op = other.op
        elif kind == 3:
            node.name = other.name
        elif kind == 4 and node.input:
            del node.input[draw.randrange(len(node.input))]
        elif kind == 5:
            node.attr["frame_name"].s = draw.choice([b"", b"other", b"while/while_context"])
    return message


@pytest.mark.parametrize("name", PROGRAMS)
def test_damage_is_one_documented_error(name):
    content, _ = recorded(name)
    for seed in range(60):
        message = damaged(MESSAGES["GraphDef"].FromString(content), seed)
        with tf.Graph().as_default():
            try:
                tf.import_graph_def(message, name="")
            except (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError):
                pass


def test_many_nested_loops_are_refused():
    message = MESSAGES["GraphDef"]()
    message.node.add(name="x", op="Placeholder").attr["dtype"].type = 1
    before = "x"
    for k in range(200):
        node = message.node.add(name=f"enter{k}", op="Enter", input=[before])
        node.attr["T"].type, node.attr["frame_name"].s = 1, f"frame{k}".encode()
        before = node.name
    with (
        tf.Graph().as_default(),
        pytest.raises(tf.errors.InvalidArgumentError, match="more than 48 deep"),
    ):
        tf.import_graph_def(message, name="")
