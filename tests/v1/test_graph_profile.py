"""Counts of parameters and float operations of graphs; expected values are TensorFlow's."""

import pytest

import eagerflow as tf

v1 = tf.compat.v1
Builder = v1.profiler.ProfileOptionBuilder
QUIET = Builder(Builder.float_operation()).with_empty_output().build()


def total(build):
    with tf.Graph().as_default() as graph:
        build()
    return v1.profiler.profile(graph, options=QUIET).total_float_ops


def image(channels=3):
    return v1.placeholder(tf.float32, [2, 8, 8, channels])


def matrix():
    return v1.placeholder(tf.float32, [2, 5])


ONES = [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("build", "flops"),
    [
        (lambda: tf.nn.conv2d(image(), tf.ones([3, 3, 3, 4]), ONES, "SAME"), 27648),
        (lambda: tf.nn.depthwise_conv2d(image(), tf.ones([3, 3, 3, 2]), ONES, "VALID"), 7776),
        (lambda: tf.nn.max_pool(image(4), 2, 2, "VALID"), 512),
        (lambda: tf.nn.bias_add(image(4), tf.ones([4])), 512),
        (lambda: tf.matmul(v1.placeholder(tf.float32, [2, 64]), tf.ones([64, 5])), 1280),
        (lambda: tf.matmul(v1.placeholder(tf.float32, [64, 2]), tf.ones([64, 5]), True), 1280),
        (lambda: tf.matmul(v1.placeholder(tf.float32, [3, 4, 5]), tf.ones([3, 5, 6])), 720),
        (lambda: tf.nn.softmax(matrix()), 50),
        (lambda: tf.nn.l2_loss(matrix()), 29),
        (lambda: tf.add_n([matrix()] * 3), 20),
        (lambda: tf.math.rsqrt(matrix()), 20),
        (lambda: matrix() * 2.0, 10),
        (lambda: tf.reduce_sum(matrix(), 1), 8),
        (lambda: tf.reduce_mean(matrix()), 10),
        (lambda: tf.argmax(matrix(), 1), 8),
        (lambda: tf.tanh(tf.nn.relu(matrix())), 0),
        (lambda: tf.matmul(v1.placeholder(tf.float32, [None, 64]), tf.ones([64, 5])), 0),
    ],
)
def test_float_operations(build, flops):
    assert total(build) == flops


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        with v1.variable_scope("l"):
            w = v1.get_variable("w", initializer=tf.zeros([4, 3]))
            b = v1.get_variable("b", initializer=tf.zeros([3]))
            v1.get_variable("n", initializer=1.0, trainable=False)
        with v1.name_scope("a"):
            product = v1.matmul(tf.ones([7, 4]), w, name="mm")
            v1.nn.bias_add(product, b, name="sum")
    return graph


def test_parameters(graph, capsys):
    found = v1.profiler.profile(graph, options=Builder.trainable_variables_parameter())
    assert found.total_parameters == 15
    (scope,) = found.children
    assert [(child.name, child.parameters) for child in scope.children] == [("l/b", 3), ("l/w", 12)]
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "_TFProfRoot (--/15 params)",
        "  l (--/15 params)",
        "    l/b (3, 3/3 params)",
        "    l/w (4x3, 12/12 params)",
    ]


def test_scopes_and_kinds(graph, tmp_path):
    found = v1.profiler.profile(graph, options=QUIET)
    (scope,) = found.children
    assert (scope.name, scope.float_ops, scope.total_float_ops) == ("a", 0, 189)
    assert [(child.name, child.float_ops) for child in scope.children] == [
        ("a/mm", 168),
        ("a/sum", 21),
    ]
    flat = v1.profiler.profile(graph, cmd="graph", options=QUIET)
    assert [child.name for child in flat.children] == ["a/mm", "a/sum"]
    path = str(tmp_path / "report.txt")
    options = Builder(Builder.float_operation()).with_file_output(path).build()
    kinds = v1.profiler.profile(graph, cmd="op", options=options)
    assert kinds.total_float_ops == 189
    (first,) = kinds.children
    assert (first.name, first.float_ops, first.total_float_ops) == ("MatMul", 168, 189)
    assert [node.name for node in first.graph_nodes] == ["a/mm"]
    (second,) = first.children
    assert (second.name, second.total_float_ops) == ("BiasAdd", 21)
    assert open(path).read().splitlines()[1] == "MatMul (168/189 flops)"
    hidden = Builder(QUIET).with_node_names(hide_name_regexes=["a/sum"]).build()
    assert v1.profiler.Profiler(graph).profile_name_scope(hidden).total_float_ops == 168


def test_commands(graph):
    with pytest.raises(tf.errors.InvalidArgumentError, match="unknown cmd"):
        v1.profiler.profile(graph, cmd="x")
    with pytest.raises(tf.errors.UnimplementedError, match="lines of code"):
        v1.profiler.profile(graph, cmd="code")
