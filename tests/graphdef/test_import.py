"""Graphs that TensorFlow wrote, run here."""

from pathlib import Path

import numpy as np
import pytest
from google.protobuf import text_format

import eagerflow as tf
from eagerflow.graphdef import state_ops
from eagerflow.protos.graph import MESSAGES
from graphdef import programs

FILES = Path(__file__).parent / "files"


def frozen(message, inputs, outputs):
    """A function of a GraphDef."""
    wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(message, name=""), [])
    return wrapped.prune(inputs, outputs)


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_graph_gives_tensorflows_values(name):
    _, arguments = programs.PROGRAMS[name]
    recorded = np.load(FILES / f"{name}.npz", allow_pickle=True)
    function = frozen(
        (FILES / f"{name}.pb").read_bytes(),
        recorded["inputs"].tolist(),
        recorded["outputs"].tolist(),
    )
    results = tf.nest.flatten(function(*map(tf.constant, arguments)))
    for k, result in enumerate(results):
        expected = recorded[f"result{k}"]
        if expected.dtype == object:
            assert result.numpy().tolist() == expected.tolist()
        else:
            assert result.dtype.as_numpy_dtype == expected.dtype
            np.testing.assert_allclose(result.numpy(), expected, rtol=1e-5, atol=1e-5)
    assert k + 1 == len(recorded["outputs"])


def graph_def(*nodes, functions=()):
    """A GraphDef of (name, operation, inputs, attributes)."""
    message = MESSAGES["GraphDef"]()
    for node in nodes:
        add_node(message.node, *node)
    message.library.function.extend(functions)
    return message


def add_node(nodes, name, op, inputs=(), **attrs):
    node = nodes.add(name=name, op=op, input=inputs)
    for key, (field, value) in attrs.items():
        setattr(node.attr[key], field, value)
    return node


def function_def(name, *nodes, result):
    """A FunctionDef of one float argument `x`."""
    message = MESSAGES["FunctionDef"]()
    message.signature.name = name
    message.signature.input_arg.add(name="x", type=1)
    message.signature.output_arg.add(name="y", type=1)
    for node in nodes:
        made = add_node(message.node_def, *node)
        if made.op == "PartitionedCall":
            made.attr["Tin"].list.type.append(1)
            made.attr["Tout"].list.type.append(1)
            made.attr["f"].func.name = name
    message.ret["y"] = result
    return message


def test_elements_and_names():
    message = graph_def(
        ("x", "Placeholder"), ("part/y", "Neg", ["x"]), ("last", "Abs", ["part/y:0", "^x"])
    )
    message.node[0].attr["dtype"].type = 1

    @tf.function
    def call(x):
        y, operation = tf.import_graph_def(message, {"x": x}, ["last:0", "part/y"])
        assert operation.type == "Neg" and operation.name == "import/part/y"
        graph = y.graph
        assert graph.get_tensor_by_name("import/part/y:0").op == operation
        return y

    assert float(call(tf.constant(-3.0))) == 3.0


def test_nodes_may_stand_in_any_order():
    message = graph_def(("last", "Abs", ["y"]), ("y", "Neg", ["x"]), ("x", "Placeholder"))
    message.node[2].attr["dtype"].type = 1
    assert float(frozen(message, ["x:0"], "last:0")(tf.constant(2.0))) == 2.0


def test_gradients_flow_through_imported_graphs():
    message = graph_def(("x", "Placeholder"), ("y", "Square", ["x"]))
    message.node[0].attr["dtype"].type = 1
    function = frozen(message, ["x:0"], "y:0")
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    assert float(tape.gradient(y, x)) == 6.0


def test_unknown_operations_are_refused_by_name_when_they_are_needed():
    message = graph_def(("x", "NoOp"), ("y", "NoSuchOp"), ("z", "Abs", ["y"]))
    wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(message, name=""), [])
    with pytest.raises(tf.errors.UnimplementedError, match="'NoSuchOp' in node 'y'"):
        wrapped.prune([], "z:0")


def refuses(message, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        frozen(message, [], [])


def test_hostile_graphs_give_one_error():
    refuses(b"\xff\xff\xff", "no GraphDef")
    refuses(graph_def(("a", "Abs", ["b"]), ("b", "Abs", ["a"])), "depends on itself")
    refuses(graph_def(("a", "Abs", ["a"])), "depends on itself")
    refuses(graph_def(("a", "Abs", ["b"])), "no node 'b'|no input 'b'")
    refuses(graph_def(("a", "NoOp"), ("b", "Abs", ["a:7"])), "no input 'a:7'")
    refuses(graph_def(("a", "Abs")), "cannot be built")
    refuses(graph_def(("a", "Const")), "cannot be built")
    huge = graph_def(("a", "Const"))
    huge.node[0].attr["value"].tensor.dtype = 1
    huge.node[0].attr["value"].tensor.tensor_shape.dim.add(size=1 << 60)
    refuses(huge, "cannot be built")
    many = graph_def(("a", "Pack"))
    many.node[0].attr["N"].i = 1 << 60
    refuses(many, "cannot be built")


def calling(function):
    """A graph that calls a function with a constant."""
    message = graph_def(("c", "Const"), ("call", "PartitionedCall", ["c"]), functions=function)
    message.node[0].attr["value"].tensor.dtype = 1
    message.node[0].attr["value"].tensor.float_val.append(1.0)
    message.node[0].attr["dtype"].type = 1
    message.node[1].attr["Tin"].list.type.append(1)
    message.node[1].attr["Tout"].list.type.append(1)
    message.node[1].attr["f"].func.name = function[0].signature.name
    return message


def test_functions_that_call_themselves_are_refused():
    twice = ("a", "PartitionedCall", ["x"]), ("b", "PartitionedCall", ["a:output:0"])
    refuses(calling([function_def("f", *twice, result="b:output:0")]), "calls itself")


def test_functions_that_multiply_are_refused():
    chain = []
    for k in range(40):
        calls = [(f"n{i}", "PartitionedCall", ["x"]) for i in range(4)]
        message = function_def(f"f{k}", *calls, ("s", "AddN"), result="s:sum:0")
        for node in message.node_def[:4]:
            node.attr["f"].func.name = f"f{k + 1}"
        message.node_def[4].input.extend(f"n{i}:output:0" for i in range(4))
        message.node_def[4].attr["N"].i = 4
        chain.append(message)
    chain.append(function_def("f40", ("a", "Abs", ["x"]), result="a:y:0"))
    refuses(calling(chain), "call each other too often")


def test_examples_are_parsed_as_graphs_of_files_say():
    example = tf.train.Example()
    example.features.feature["a"].float_list.value.extend([1.0, 2.0])
    example.features.feature["c"].int64_list.value.extend([3, 4, 5])
    other = tf.train.Example()
    other.features.feature["a"].float_list.value.extend([3.0, 4.0])
    other.features.feature["b"].bytes_list.value.append(b"x")
    message = MESSAGES["GraphDef"]()

    def constant(name, value, dtype):
        node = message.node.add(name=name, op="Const")
        node.attr["dtype"].type = dtype.as_datatype_enum
        tensor = tf.constant(value, dtype)
        node.attr["value"].tensor.ParseFromString(tf.io.serialize_tensor(tensor).numpy())

    node = message.node.add(name="s", op="Placeholder")
    node.attr["dtype"].type = 7
    node.attr["shape"].shape.dim.add(size=-1)
    for name in ("names", "a_default"):
        constant(name, [], tf.string if name == "names" else tf.float32)
    constant("sparse", ["b"], tf.string)
    constant("dense", ["a"], tf.string)
    constant("ragged", ["c"], tf.string)
    node = message.node.add(name="parse", op="ParseExampleV2")
    node.input.extend(["s", "names", "sparse", "dense", "ragged", "a_default"])
    node.attr["num_sparse"].i = 1
    for key, number in [
        ("Tdense", 1), ("sparse_types", 7), ("ragged_value_types", 9), ("ragged_split_types", 9)
    ]:  # fmt: skip
        node.attr[key].list.type.append(number)
    node.attr["dense_shapes"].list.shape.add().dim.add(size=2)
    function = frozen(message, ["s:0"], [f"parse:{k}" for k in range(6)])
    found = function(tf.constant([example.SerializeToString(), other.SerializeToString()]))
    indices, values, shape, dense, rows, splits = (tensor.numpy().tolist() for tensor in found)
    assert (indices, values, shape) == ([[1, 0]], [b"x"], [2, 1])
    assert dense == [[1.0, 2.0], [3.0, 4.0]]
    assert (rows, splits) == ([3, 4, 5], [0, 3, 3])
    # The older operation takes a tensor for each name.
    constant("a", "a", tf.string)
    constant("b", "b", tf.string)
    older = message.node.add(name="older", op="ParseExample")
    older.input.extend(["s", "names", "b", "a", "a_default"])
    older.attr["Nsparse"].i = older.attr["Ndense"].i = 1
    for key in ("Tdense", "sparse_types", "dense_shapes"):
        older.attr[key].CopyFrom(node.attr[key])
    function = frozen(message, ["s:0"], ["older:1", "older:3"])
    found = function(tf.constant([example.SerializeToString(), other.SerializeToString()]))
    assert [tensor.numpy().tolist() for tensor in found] == [[b"x"], dense]


def test_checkpoints_are_written_and_read_only_if_that_is_allowed(tmp_path):
    message = MESSAGES["GraphDef"]()
    for name, value in (("prefix", str(tmp_path / "c")), ("keys", ["v"]), ("slices", [""])):
        node = message.node.add(name=name, op="Const")
        node.attr["dtype"].type = 7
        tensor = tf.constant(value)
        node.attr["value"].tensor.ParseFromString(tf.io.serialize_tensor(tensor).numpy())
    add_node(message.node, "v", "Placeholder", dtype=("type", 1))
    save = message.node.add(name="save", op="SaveV2", input=["prefix", "keys", "slices", "v"])
    save.attr["dtypes"].list.type.append(1)
    restore = message.node.add(name="restore", op="RestoreV2", input=["prefix", "keys", "slices"])
    restore.input.append("^save")
    restore.attr["dtypes"].list.type.append(1)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(message, name="")
        with pytest.raises(tf.errors.PermissionDeniedError, match="SaveV2, which reaches files"):
            graph.get_tensor_by_name("restore:0")
    meta = tf.compat.v1.MetaGraphDef()
    meta.graph_def.ParseFromString(message.SerializeToString())
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        allowed = ["SaveV2", "RestoreV2"]
        tf.compat.v1.train.import_meta_graph(meta, allowed_operations=allowed)
        assert session.run("restore:0", {"v:0": [1.0, 2.0]}).tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("op", "attribute", "value", "is_refused"),
    [
        ("PrintV2", "output_stream", b"file:///tmp/out", True),
        ("PrintV2", "output_stream", b"stderr", False),
        ("DecodeProtoV2", "descriptor_source", b"/etc/passwd", True),
        ("DecodeProtoV2", "descriptor_source", b"bytes://abc", False),
        ("EncodeProto", "descriptor_source", "/etc/passwd", True),
        ("FixedUnigramCandidateSampler", "vocab_file", "words.txt", True),
        ("FixedUnigramCandidateSampler", "vocab_file", "", False),
        ("InitializeTableFromTextFile", "delimiter", "", True),
        ("Add", "name", "", False),
    ],
)
def test_operations_that_reach_files_by_an_attribute(op, attribute, value, is_refused):
    assert state_ops.reaches_files(op, {attribute: value}) == is_refused


def test_a_graph_does_not_print_to_a_file(tmp_path):
    message = tf.compat.v1.GraphDef()
    node = message.node.add(name="text", op="Const")
    node.attr["dtype"].type = tf.string.as_datatype_enum
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto("x"))
    node = message.node.add(name="print", op="PrintV2", input=["text"])
    node.attr["output_stream"].s = f"file://{tmp_path}/out".encode()

    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        tf.import_graph_def(message, name="")
        session.run(graph.get_operations())
    assert not (tmp_path / "out").exists()


def test_messages_of_one_kind_are_parts_of_others():
    message = tf.compat.v1.GraphDef()
    node = message.node.add(name="x", op="Const")
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto([1.0, 2.0]))
    node.attr["shape"].shape.CopyFrom(tf.TensorShape([2, None]).as_proto())
    meta = tf.compat.v1.MetaGraphDef()
    meta.graph_def.CopyFrom(message)
    assert meta.graph_def == message
    assert len(node.attr["shape"].shape.dim) == 2


def test_values_that_may_be_fed_keep_their_shape():
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = v1.placeholder_with_default(np.ones(3, "f"), [None], name="x")
        tf.identity(x * 2.0, name="y")
        message = graph.as_graph_def()
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v1.import_graph_def(message, name="")
        assert graph.get_tensor_by_name("x:0").shape.as_list() == [None]
        assert session.run("y:0").tolist() == [2, 2, 2]
        assert session.run("y:0", {"x:0": [1.0, 4.0]}).tolist() == [2, 8]


def test_outputs_of_a_node_are_tensors_of_their_own():
    """The mean and the variance that inference returns are inputs."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None, 4, 4, 2], name="x")
        values = [tf.constant([1.0, 2.0], name=f"v{k}") for k in range(4)]
        v1.nn.fused_batch_norm(x, *values, is_training=False, name="norm")
        message = graph.as_graph_def()
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v1.import_graph_def(message, name="")
        names = [tensor.name for op in graph.get_operations() for tensor in op.outputs]
        assert len(set(names)) == len(names) > 6
        assert session.run("norm:1").tolist() == [1.0, 2.0]


def test_texts_of_graphs_may_have_the_places_that_nodes_come_from():
    message = tf.compat.v1.GraphDef()
    text_format.Parse(
        """
        node {
          name: "one" op: "Const"
          attr { key: "dtype" value { type: DT_FLOAT } }
          attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 } } }
          experimental_debug_info { original_node_names: "first" }
        }
        """,
        message,
    )
    assert message.node[0].experimental_debug_info.original_node_names == ["first"]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        (one,) = tf.graph_util.import_graph_def(message, return_elements=["one:0"], name="")
        assert session.run(one) == 1.0
