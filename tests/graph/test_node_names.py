"""Names that functions are given are those of the nodes that they add to graphs for sessions."""

from __future__ import annotations

import json

import pytest

import eagerflow as tf
from eagerflow.framework.op_function import op_function
from oracle import node_names, registry, values

RECORDED = json.loads(node_names.FILE.read_text())
# Functions whose results are other operations here, or constants.
OTHERWISE = frozenset(
    line
    for line in (values.RECORDED.parent / "not_named.txt").read_text().splitlines()
    if not line.startswith("#")
)


@pytest.mark.parametrize("path", sorted(RECORDED.keys() - OTHERWISE))
def test_results_are_called_as_by_tensorflow(path: str) -> None:
    """A result's name, where the function is given its own path as a name."""
    family, _, name = RECORDED[path]["case"].partition("/")
    found = node_names.calls(tf, registry.load(family)[name])
    assert found[path] == RECORDED[path]["names"]


def test_names_by_position_and_scope() -> None:
    """A name given by position; names in scopes; a name that is taken gets a number."""
    with tf.compat.v1.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
        first = tf.add(x, x, "sum")
        with tf.name_scope("part"):
            second = tf.math.reduce_mean(x, name="mean")
        third = tf.add(x, 1.0, name="sum")
    assert [first.name, second.name, third.name] == ["sum:0", "part/mean:0", "sum_1:0"]
    assert graph.get_tensor_by_name("sum:0").op == first.op
    with tf.compat.v1.Session(graph=graph) as session:
        assert session.run("part/mean:0", {"x:0": [1.0, 3.0]}) == 2.0


def test_results_known_while_the_graph_is_built_are_named() -> None:
    """What is computed at once is a constant of the graph where it has a name."""
    with tf.compat.v1.Graph().as_default() as graph:
        tf.strings.length(["abc", "d"], name="sizes")
        tf.sequence_mask([1, 2], name="mask")
    with tf.compat.v1.Session(graph=graph) as session:
        sizes, mask = session.run(["sizes:0", "mask/Less:0"])
    assert sizes.tolist() == [3, 1]
    assert mask.tolist() == [[True, False], [True, True]]


def test_names_of_frozen_graphs() -> None:
    """A message of a graph has the names that functions were given."""
    with tf.compat.v1.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 3], name="x")
        tf.nn.softmax(tf.nn.relu(x, name="act"), name="probabilities")
    names = [node.name for node in graph.as_graph_def().node]
    assert names == ["x", "act", "probabilities"]


V1 = tf.compat.v1
IMAGES, FILTERS = [[[[1.0, 2.0]]]], [[[[1.0], [2.0]]]]


@pytest.mark.parametrize(
    "call, unnamed, named",
    [
        (lambda name: V1.nn.moments(IMAGES, [0], name=name)[0], "moments/Squeeze", "q/Squeeze"),
        (lambda name: V1.nn.l2_normalize(IMAGES, 0, name=name), "l2_normalize", "q"),
        (lambda name: V1.nn.conv2d(IMAGES, FILTERS, 1, "SAME", name=name), "Conv2D", "q"),
        (
            lambda name: V1.nn.depthwise_conv2d(IMAGES, FILTERS, [1] * 4, "SAME", name=name),
            "depthwise",
            "q",
        ),
        (
            lambda name: V1.nn.weighted_cross_entropy_with_logits(IMAGES, IMAGES, 1.0, name=name),
            "logistic_loss",
            "q",
        ),
    ],
)
def test_functions_with_the_arguments_of_version_1_are_named_once(call, unnamed, named):
    """Their operations are in the scope of the function that they call; names are TensorFlow's."""
    with tf.Graph().as_default():
        assert [call(None).op.name, call("q").op.name] == [unnamed, named]


def test_names_that_have_to_be_given_name_no_operations() -> None:
    functions = {"tanh": tf.tanh}

    @op_function
    def known(name, default=None):
        return functions.get(name, default)

    with tf.Graph().as_default():
        assert known("tanh") is tf.tanh and known(name="tanh") is tf.tanh
