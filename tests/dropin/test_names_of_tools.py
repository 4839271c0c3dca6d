"""Private names of TensorFlow's tools, tapes, registries and loaders: what they do."""

import importlib
import unittest

import numpy as np
import pytest

import eagerflow
from eagerflow import dropin


@pytest.fixture(scope="module")
def tf():
    yield eagerflow.install_as_tensorflow("2.x")
    dropin.uninstall()


def private(path):
    return importlib.import_module(f"tensorflow.{path}")


def saved_in_session(tf, folder):
    """A graph with a variable, its checkpoint and its file, from a session."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [None], name="x")
        v = v1.get_variable("v", initializer=[2.0, 3.0])
        tf.identity(tf.identity(x) * v, name="y")
        session.run(v1.global_variables_initializer())
        prefix = v1.train.Saver().save(session, str(folder / "model"))
        tf.io.write_graph(graph, str(folder), "graph.pb", as_text=False)
        tf.io.write_graph(graph, str(folder), "graph.pbtxt")
    return prefix


@pytest.mark.parametrize("binary", [True, False])
def test_graphs_are_frozen_and_trimmed(tf, tmp_path, binary):
    prefix = saved_in_session(tf, tmp_path)
    freeze = importlib.import_module("tensorflow.python.tools.freeze_graph")
    file = str(tmp_path / ("graph.pb" if binary else "graph.pbtxt"))
    out = str(tmp_path / "frozen.pb")
    frozen = freeze.freeze_graph(
        file, "", binary, prefix, "y", "save/restore_all", "save/Const:0", out, True, ""
    )
    assert not [node for node in frozen.node if "Var" in node.op]
    assert tf.compat.v1.GraphDef.FromString((tmp_path / "frozen.pb").read_bytes()) == frozen
    optimize = private("python.tools.optimize_for_inference_lib").optimize_for_inference
    small = optimize(frozen, ["x"], ["y"], tf.float32.as_datatype_enum)
    assert len(small.node) < len(frozen.node) and "Identity" not in {n.op for n in small.node[:-1]}
    with pytest.raises(KeyError, match="not found"):
        optimize(frozen, ["none"], ["y"], tf.float32.as_datatype_enum)
    for message in (frozen, small):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            tf.import_graph_def(message, name="")
            assert session.run("y:0", {"x:0": [1.0, 10.0]}).tolist() == [2, 30]
    with pytest.raises(ValueError, match="name of a node"):
        freeze.freeze_graph(file, "", binary, prefix, "", None, None, "", True, "")


def test_checkpoints_are_printed(tf, tmp_path, capsys):
    prefix = saved_in_session(tf, tmp_path)
    show = private("python.tools.inspect_checkpoint").print_tensors_in_checkpoint_file
    show(prefix, "v", False)
    assert capsys.readouterr().out.splitlines() == [
        "tensor: v (float32) [2]",
        "[2. 3.]",
        "# Total number of params: 2",
    ]
    show(prefix, "", True, count_exclude_pattern="v")
    assert capsys.readouterr().out.splitlines()[-1] == "# Total number of params: 0"
    show(prefix, None, False, True)
    assert capsys.readouterr().out.splitlines()[0] == "tensor: v (float32) [2]"
    show(prefix, "", False)
    assert "v" in capsys.readouterr().out


def test_saved_models_are_loaded_in_steps(tf, tmp_path):
    v1 = tf.compat.v1
    words = tmp_path / "words.txt"
    words.write_text("a\n")
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [], name="x")
        y = tf.multiply(x, v1.get_variable("v", initializer=2.0), name="y")
        asset = tf.constant(str(words), name="words")
        v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, asset)
        session.run(v1.global_variables_initializer())
        builder = v1.saved_model.Builder(str(tmp_path / "model"))
        signature = v1.saved_model.predict_signature_def({"x": x}, {"y": y})
        builder.add_meta_graph_and_variables(
            session, ["serve"], {"serving_default": signature}, [asset]
        )
        builder.save()
    impl = private("python.saved_model.loader_impl")
    loader = impl.SavedModelLoader(str(tmp_path / "model"))
    message = loader.get_meta_graph_def_from_tags(["serve"])
    files = impl.get_asset_tensors(loader.export_dir, message, "again")
    assert files["again/words:0"].endswith(b"assets/words.txt")
    with tf.Graph().as_default() as graph, v1.Session() as session:
        saver, _ = loader.load_graph(graph, ["serve"])
        assert impl._get_main_op_tensor(message) is None
        loader.restore_variables(session, saver)
        loader.run_init_ops(session, ["serve"])
        assert session.run("y:0", {"x:0": 3.0}) == 6
    with tf.Graph().as_default(), v1.Session() as session:
        loader.load(session, ["serve"])
        assert session.run("y:0", {"x:0": 4.0}) == 8
    with pytest.raises(RuntimeError):
        loader.get_meta_graph_def_from_tags(["train"])


def test_tapes_can_be_asked_and_told(tf):
    record = private("python.eager.record")
    x, y = tf.constant(2.0), tf.constant(3.0)
    assert not record.should_record_backprop([x])
    with tf.GradientTape() as tape:
        tape.watch(x)
        assert record.should_record_backprop([y, x * 2]) and not record.should_record_backprop([y])
        with record.stop_recording():
            assert not record.should_record_backprop([x])
            z = x * 5.0
        record.record_operation("Fivefold", [z], [x], lambda dz: [dz * 50.0])
    assert float(tape.gradient(z, x)) == 50


def test_traced_functions_know_what_tapes_outside_may_watch(tf):
    record = private("python.eager.record")
    v, fixed, c = tf.Variable(1.0), tf.Variable(1.0, trainable=False), tf.constant(1.0)
    seen = []

    def function(x):
        seen.append(
            [record.should_record_backprop([t]) for t in (v * 2.0, fixed * v, fixed + 1.0, x)]
        )
        if x > 0.0:
            seen.append([record.should_record_backprop([v + x])])
        return x * v

    with tf.GradientTape() as tape:
        tape.watch(c)
        tf.function(function)(c)
        with tape.stop_recording():
            tf.function(function)(c)
    tf.function(function)(c)
    recorded, stopped = [[True, True, False, False], [True]], [[False] * 4, [False]]
    assert seen == recorded + stopped + stopped


def test_functions_of_graphs(tf):
    function = private("python.eager.wrap_function").function_from_graph_def
    traced = tf.function(lambda a, b: {"sum": a + b}).get_concrete_function(
        tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.float32)
    )
    names = [tensor.name for tensor in traced.graph.inputs]
    message = traced.graph.as_graph_def()
    result = traced.graph.outputs[0].name
    assert float(function(message, names, result)(tf.constant(1.0), tf.constant(2.0))) == 3
    held = function(message, names[:1], result, captures={names[1][:-2]: tf.constant(5.0)})
    assert float(held(tf.constant(1.0))) == 6
    convert = private("python.framework.convert_to_constants")
    weight = tf.Variable(4.0)
    times = tf.function(lambda x: x * weight).get_concrete_function(tf.TensorSpec([], tf.float32))
    frozen, graph_def = convert.convert_variables_to_constants_v2_as_graph(times)
    assert not frozen.graph.variables and "Const" in {node.op for node in graph_def.node}
    specs = private("python.framework.func_graph").convert_structure_to_signature
    given = [tf.constant([1.0]), {"k": tf.constant(1)}, 3]
    assert specs(given, ["a", "b", "c"]) == [
        tf.TensorSpec([1], tf.float32, "a"),
        {"k": tf.TensorSpec([], tf.int32, "b_k")},
        3,
    ]


def test_messages_are_compared(tf):
    compare = private("python.util.protobuf.compare")
    case = unittest.TestCase()
    shape = private("core.framework.tensor_shape_pb2").TensorShapeProto
    two, three = (shape(dim=[shape.Dim(size=size)]) for size in (2, 3))
    assert compare.ProtoEq(two, two) and not compare.ProtoEq(two, three)
    compare.assertProtoEqual(case, "dim { size: 2 }", two)
    with pytest.raises(AssertionError):
        compare.assertProtoEqual(case, two, three)
    graph = private("core.framework.attr_value_pb2").AttrValue
    near = [graph(f=value) for value in (1.0, 1.0 + 2e-7)]
    with pytest.raises(AssertionError):
        compare.assertProtoEqual(case, *near)
    compare.assertProtoEqual(case, *near, normalize_numbers=True)
    compare.assertProtoEqual(case, *near, relative_tolerance=1e-5)
    meta = private("core.protobuf.meta_graph_pb2").MetaGraphDef
    a, b = meta(), meta()
    for message, names in ((a, "xy"), (b, "yx")):
        for name in names:
            message.graph_def.node.add(name=name, op="NoOp")
    equal = private("python.framework.test_util").assert_meta_graph_protos_equal
    equal(tf.test.TestCase(), a, b)
    b.graph_def.node[0].name = "z"
    with pytest.raises(AssertionError):
        equal(tf.test.TestCase(), a, b)


def test_registries_of_operations(tf):
    ops = private("python.framework.ops")

    @tf.RegisterGradient("NineOfNames")
    def nine(op, grad):
        return 9.0 * grad

    assert ops.gradient_registry.lookup("NineOfNames") is nine
    with pytest.raises(LookupError):
        ops.gradient_registry.lookup("none")
    with tf.Graph().as_default() as graph:
        x = tf.constant(1.0)
        with graph.gradient_override_map({"Identity": "NineOfNames"}):
            y = tf.identity(x)
        assert ops.get_gradient_function(x.op) is None
        assert ops.get_gradient_function(y.op) is nine
        count = ops.RegisterStatistics("Identity", "names")(lambda g, node: ops.OpStats("names", 3))
        node = y.op.node_def
        total = ops.get_stats_for_node_def(graph, node, "names")
        assert ops.get_stats_for_node_def(graph, x.op.node_def, "names").value is None
    total += ops.OpStats("names", 4)
    assert total.value == 7 and count(None, None).value == 3
    with pytest.raises(ValueError, match="type"):
        total += ops.OpStats("others", 1)
    with pytest.raises(KeyError):
        ops.RegisterStatistics("Identity", "names")(count)
    declared = private("python.framework.op_def_registry")
    assert declared.get("none") is None and declared.get("Relu").name == "Relu"


def test_states_of_summaries_and_shapes(tf, tmp_path):
    summaries = private("python.ops.summary_ops_v2")
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default(step=3):
        assert summaries._summary_state.writer is writer and summaries._summary_state.step == 3
    assert summaries._summary_state.writer is None
    assert summaries._INVALID_SCOPE_CHARACTERS.sub("", "a b:c/d") == "abc/d"
    unknown = private("python.framework.tensor_shape").unknown_shape
    assert unknown().rank is None and unknown(ndims=2).as_list() == [None, None]
    zeros = private("python.ops.rnn_cell_impl")._zero_state_tensors
    sizes = [part.shape for part in zeros((2, tf.TensorShape([3, 4])), 5, tf.float32)]
    assert sizes == [[5, 2], [5, 3, 4]]
    pick = private("python.training.device_setter")._RoundRobinStrategy(2)
    assert [pick(None) for _ in range(3)] == [0, 1, 0]
    variable = tf.Variable([1.0, 2.0])
    private("python.ops.tensor_getitem_override")._slice_helper_var(variable, 1).assign(7.0)
    np.testing.assert_array_equal(variable, [1, 7])
    einsum = private("python.ops.special_math_ops")._einsum_v1
    assert float(einsum("i,i->", tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0]))) == 11


def test_resources_that_do_not_exist_are_reported(tf):
    resources = private("python.ops.resources")
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        assert session.run(resources.report_uninitialized_resources()).tolist() == []
        variable = tf.compat.v1.Variable(3.0, name="v")
        exists = tf.compat.v1.is_variable_initialized(variable)
        resources.register_resource(variable.handle, variable.initializer, exists)
        report = resources.report_uninitialized_resources()
        assert len(session.run(report)) == 1
        session.run(variable.initializer)
        assert session.run(report).tolist() == []


def test_areas_without_anything_refuse_by_their_reason(tf):
    for path, reason in (
        ("python.tpu.tpu_feed:InfeedQueue", "TPU"),
        ("python.tpu.ops.tpu_ops:outfeed_dequeue_tuple", "TPU"),
        ("python.debug:LocalCLIDebugHook", "tf.print"),
        ("python.ops.nccl_ops:all_sum", "devices"),
        ("python.client.timeline:Timeline", "profiler"),
        ("lite.python.interpreter:Interpreter", "phones"),
        ("python.distribute.coordinator.cluster_coordinator:Closure", "servers"),
    ):
        module, _, name = path.partition(":")
        with pytest.raises(NotImplementedError, match=reason):
            getattr(private(module), name)()
    with pytest.raises(ImportError):
        importlib.import_module("tensorflow.python.tpu.no_such_module")
    with pytest.raises(AttributeError):
        _ = private("python.tpu.tpu_feed").NoSuchName


def test_attributes_of_xla_are_messages(tf):
    xla = private("compiler.xla.xla_data_pb2")
    numbers = xla.ConvolutionDimensionNumbers(
        input_batch_dimension=1, kernel_spatial_dimensions=[2]
    )
    assert xla.ConvolutionDimensionNumbers.FromString(numbers.SerializeToString()) == numbers
    assert numbers.SerializeToString() == b"2\x01\x02\x38\x01"
    assert xla.RandomAlgorithm.RNG_PHILOX == 2


def test_modules_of_keras_3_have_the_names_of_their_namespace(tf):
    for path, public in (
        ("keras.src.layers.layer:Layer", tf.keras.layers.Layer),
        ("keras.src.losses.losses:MeanSquaredError", tf.keras.losses.MeanSquaredError),
    ):
        module, _, name = path.partition(":")
        assert getattr(importlib.import_module(module), name) is public
