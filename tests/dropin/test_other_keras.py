"""What another Keras package needs of TensorFlow's inside, beside `install_as_tensorflow(keras=False)`."""

import functools
import inspect
import subprocess
import sys
import unittest

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.graph import session_settings as messages
from eagerflow_compat.internals import (
    columns,
    combinations,
    composites,
    decorators,
    dispatch,
    distribute_combinations,
    functions,
    operators,
    root,
    saving,
    test_util,
    tracking,
    xla,
)

# A symbolic value of a Keras has the operators that it finds in the class of tensors, and a dispatcher of
# its own for what they and all functions are called with.
SYMBOLIC = """
from eagerflow import dropin
dropin.install_as_tensorflow(keras=False)
import tensorflow as tf
from tensorflow.python.util import dispatch

native = tf.constant([1.0, 2.0])
class Symbol:
    def __init__(self, text):
        self.text = text
for name in tf.Tensor.OVERLOADABLE_OPERATORS:
    setattr(Symbol, name, getattr(tf.Tensor, name))

class Recorder(dispatch.GlobalOpDispatcher):
    def handle(self, op, args, kwargs):
        if not any(isinstance(value, Symbol) for value in args):
            return self.NOT_SUPPORTED
        shown = [value.text if isinstance(value, Symbol) else str(value) for value in args]
        return Symbol(f"{op.__name__}({', '.join(shown)})")

Recorder().register()
x = Symbol("x")
assert (x + 1).text == "add(x, 1)" and (1 - x).text == "subtract(1, x)", (1 - x).text
assert (-x).text == "negative(x)" and (x @ x).text == "matmul(x, x)"
assert x[0].text == "getitem(x, 0)" and (x < 2).text == "less(x, 2)"
assert tf.reduce_sum(x).text == "reduce_sum(x)"
# A number on the left has the dtype of a symbol that has one.
Symbol.dtype = tf.float16
two = str(tf.constant(2.0, tf.float16))
for name in ("add", "sub", "mul", "div", "truediv", "floordiv", "mod", "pow"):
    reflected = getattr(Symbol, f"__r{name}__", None)
    if reflected is not None:
        assert reflected(x, 2).text.endswith(f"({two}, x)"), reflected(x, 2).text
del Symbol.dtype
# Tensors and their class are what they were.
assert (native + 1).numpy().tolist() == [2.0, 3.0] and (1 - native)[0].numpy() == 0.0
assert isinstance(native, tf.Tensor) and issubclass(type(native), tf.Tensor)
assert {tf.Tensor: 1}[type(native).__mro__[1]] == 1
assert isinstance(1, tf.Tensor | int) and tf.Tensor.__sub__(native, 1.0).numpy().tolist() == [0.0, 1.0]
dropin.uninstall()
assert type(type(native).__mro__[1]) is type
"""


def test_symbols_with_the_operators_of_tensors():
    done = subprocess.run([sys.executable, "-c", SYMBOLIC], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_tapes_record_what_is_added_to_the_graph_that_is_being_built_again():
    x = tf.Variable(3.0)

    @tf.function
    def squared():
        with tf.GradientTape() as tape:
            with tf.compat.v1.get_default_graph().as_default():
                y = x * x
        return tape.gradient(y, x)

    assert squared().numpy() == 6.0


def test_functions_know_what_runs_outside():
    seen = []

    @tf.function
    def function():
        seen.append(tf.compat.v1.executing_eagerly_outside_functions())

    function()
    with tf.Graph().as_default():
        seen.append(tf.compat.v1.executing_eagerly_outside_functions())
    assert seen == [True, False] and tf.compat.v1.executing_eagerly_outside_functions()


def test_placeholders_of_functions():
    graph = functions.FuncGraph("graph")
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 2])
        assert (x + 1.0).shape.as_list() == [None, 2]


class Listing(tracking.Trackable):
    def __init__(self):
        self._parts = {"part": tf.Variable(1.0)}

    def _trackable_children(self, save_type="checkpoint", **kwargs):
        return self._parts | super()._trackable_children(save_type, **kwargs)


def test_objects_that_list_their_children_are_saved(tmp_path):
    saved, loaded = Listing(), Listing()
    saved._parts["part"].assign(5.0)
    saved._track_trackable(tf.Variable(7.0), "other")
    loaded._track_trackable(tf.Variable(0.0), "other")
    path = tf.train.Checkpoint(root=saved).save(str(tmp_path / "c"))
    tf.train.Checkpoint(root=loaded).restore(path).assert_consumed()
    assert loaded._parts["part"].numpy() == 5.0
    assert loaded._lookup_dependency("other").numpy() == 7.0


def test_attributes_set_without_tracking_are_not_saved():
    class Object(tracking.AutoTrackable):
        @tracking.no_automatic_dependency_tracking
        def set_untracked(self):
            self.seen = self._setattr_tracking
            self.untracked = tf.Variable(1.0)

    thing = Object()
    thing.set_untracked()
    thing.tracked = tf.Variable(1.0)
    assert not thing.seen and thing._setattr_tracking
    assert list(thing._trackable_children()) == ["tracked"]


def test_slices_that_begin_where_tensors_say():
    x = tf.reshape(tf.range(12), [3, 4])
    assert xla.dynamic_slice(x, [1, 3], [2, 2]).numpy().tolist() == [[6, 7], [10, 11]]
    updated = xla.dynamic_update_slice(x, tf.constant([[-1, -2]]), tf.constant([5, 1]))
    expected = np.arange(12).reshape(3, 4)
    expected[2, 1:3] = [-1, -2]
    assert updated.numpy().tolist() == expected.tolist()


def test_specs_with_bounds():
    spec = composites.BoundedTensorSpec([2], tf.float32, 0, [1, 2])
    assert spec.minimum == 0.0 and spec.maximum.dtype == np.float32
    assert spec == composites.BoundedTensorSpec([2], tf.float32, 0, [1, 2])
    assert spec != composites.BoundedTensorSpec([2], tf.float32, 0, 3)
    with pytest.raises(ValueError, match="not compatible with shape"):
        composites.BoundedTensorSpec([2], tf.float32, [0, 0, 0], 1)


def test_iterations_at_once():
    x = tf.constant([1.0, 2.0, 3.0])
    assert functions.pfor(lambda i: x[i] * 2.0, 3).numpy().tolist() == [2.0, 4.0, 6.0]


def test_names_of_packages_functions():
    @decorators.keras_export("keras.thing", "keras.other")
    def thing():
        pass

    name = decorators.get_canonical_name_for_symbol
    assert name(thing, api_name="keras") == "keras.thing" and name(thing) is None
    assert decorators.get_symbol_from_name(name(tf.add)) is tf.add


def test_a_test_for_each_combination():
    ran = []

    class Cases(unittest.TestCase):
        @combinations.generate(
            combinations.times(combinations.combine(mode=["eager", "graph"], x=[1, 2]))
        )
        def test_it(self, x):
            ran.append((x, tf.executing_eagerly()))

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Cases).run(result)
    assert hasattr(Cases, "test_it_test_mode_eager_x_1")
    assert result.wasSuccessful() and sorted(ran) == [(1, False), (1, True), (2, False), (2, True)]


def test_graphs_are_true_and_give_names():
    graph = functions.FuncGraph("graph")
    assert graph and tf.Graph()
    with graph.as_default():
        assert graph.unique_name("scope", mark_as_used=False) == "scope"
        assert graph.unique_name("scope") == "scope" and graph.unique_name("scope") == "scope_1"


class OwnTestCase(tf.test.TestCase):
    def test_what_packages_call(self):
        self.assertEqual(self._GetNdArray(tf.ones(2)).tolist(), [1.0, 1.0])
        self.assertDeviceEqual("/CPU:0", "/device:CPU:0")
        with self.assertRaises(AssertionError):
            self.assertDeviceEqual("/CPU:0", "/CPU:1")


def test_operators_that_are_checked_by_their_cholesky_factors():
    def operator(update):
        diagonal = tf.linalg.LinearOperatorDiag([1.0, 2.0])
        return tf.linalg.LinearOperatorLowRankUpdate(
            diagonal, tf.ones([2, 1]), [update], is_self_adjoint=True
        )

    operator(1.0).assert_positive_definite()
    with pytest.raises(tf.errors.InvalidArgumentError, match="not positive definite"):
        operator(-5.0).assert_positive_definite()


def test_variances_of_batches_whose_size_is_not_known():
    x = np.random.default_rng(0).normal(size=(3, 1, 1, 2)).astype(np.float32)

    def normalized(x):
        return tf.compat.v1.nn.fused_batch_norm(x, tf.ones(2), tf.zeros(2))

    function = tf.function(normalized, input_signature=[tf.TensorSpec([None, 1, 1, 2])])
    for known, unknown in zip(normalized(x), function(x), strict=True):
        np.testing.assert_allclose(known, unknown, rtol=1e-6)


def test_dispatchers_of_version_1s_functions():
    class Marked:
        pass

    class Dispatcher(dispatch.OpDispatcher):
        def handle(self, args, kwargs):
            found = any(isinstance(value, Marked) for value in [*args, *kwargs.values()])
            return "handled" if found else self.NOT_SUPPORTED

    Dispatcher().register(tf.compat.v1.boolean_mask)
    assert tf.compat.v1.boolean_mask(Marked(), [True]) == "handled"
    assert tf.compat.v1.boolean_mask([1, 2], [True, False]).numpy().tolist() == [1]


def test_names_that_another_keras_exports_are_its_own(monkeypatch):
    monkeypatch.setattr(decorators, "_exported", {})
    assert decorators.get_symbol_from_name("keras.Model") is tf.keras.Model

    @decorators.keras_export("keras.Model", v1=["keras.engine.Model"])
    class Model:
        pass

    assert decorators.get_symbol_from_name("keras.Model") is Model
    assert decorators.get_symbol_from_name("compat.v1.keras.engine.Model") is Model
    assert decorators.get_symbol_from_name("keras.layers.Dense") is None
    assert decorators.get_symbol_from_name("math.add") is tf.add


def test_decorated_methods_have_no_instance_among_their_arguments():
    class Layer:
        def call(self, inputs, training=False):
            return inputs + 1.0 if training else inputs

    layer = Layer()
    spec = inspect.getfullargspec(Layer.call)
    for given in (None, spec):
        traced = tf.function(
            decorators.make_decorator(
                layer.call, lambda *a, **k: layer.call(*a, **k), decorator_argspec=given
            )
        )
        assert traced(tf.constant(1.0), training=True).numpy() == 2.0


def test_a_librarys_function_is_converted_if_it_asks_itself():
    def steps(n):
        total = tf.constant(0)
        for k in tf.range(n):
            total += k
        return total

    steps.__module__ = "tf_keras.src.engine.training"
    assert tf.function(steps)(tf.constant(4)).numpy() == 6


def test_lists_of_attributes_have_the_weights_of_their_layers():
    module = tf.Module()
    module.items = [tf.keras.layers.Dense(1), tf.Variable(1.0, trainable=False), "other"]
    module.items[0].build([None, 2])
    module.items.append({"more": tf.Variable(2.0)})
    items = module.items
    assert [w.shape.as_list() for w in items.trainable_weights] == [[2, 1], [1], []]
    assert [w.numpy() for w in items.non_trainable_weights] == [1.0]
    assert len(items.weights) == 4 and items.layers == [module.items[0]]


def test_graphs_around_functions():
    seen = []

    @tf.function
    def outer():
        graph = tf.compat.v1.get_default_graph()
        while True:
            seen.append(graph._get_control_flow_context())
            try:
                graph = graph.outer_graph
            except AttributeError:
                return tf.constant(1.0, name=None)

    outer()
    assert seen == [None, None]


def test_loops_of_version_1_in_functions():
    @tf.function
    def doubled(n):
        x = tf.constant(1)
        return tf.compat.v1.while_loop(lambda k, x: k < n, lambda k, x: (k + 1, x * 2), (0, x))[1]

    assert doubled(tf.constant(5)).numpy() == 32


def test_moving_averages_of_fused_normalization():
    x = tf.reshape([1.0, 3.0], [2, 1, 1, 1])
    one, zero = tf.ones([1]), tf.zeros([1])
    for data_format in ("NHWC", "NCHW"):
        _, mean, variance = tf.compat.v1.nn.fused_batch_norm(
            x, one, zero, zero, one, data_format=data_format, exponential_avg_factor=0.25
        )
        np.testing.assert_allclose([mean[0], variance[0]], [0.5, 1.25])


def test_specs_by_name_and_without_sizes():
    spec = tf.TensorSpec([2, 3], tf.int32, "x")
    assert composites.get_name(type(spec)) == "tf.TensorSpec"
    assert composites.lookup("tf.RaggedTensorSpec") is tf.RaggedTensorSpec
    assert spec._serialize() == (tf.TensorShape([2, 3]), tf.int32, "x")
    assert spec._with_tensor_ranks_only() == tf.TensorSpec([None, None], tf.int32, "x")
    sparse = tf.SparseTensorSpec([2, 3], tf.int32)._with_tensor_ranks_only()
    assert sparse == tf.SparseTensorSpec([None, None], tf.int32)
    ragged = tf.RaggedTensorSpec([2, None], tf.int32)._with_tensor_ranks_only()
    assert ragged == tf.RaggedTensorSpec([None, None], tf.int32)


def test_saved_objects_in_order(tmp_path):
    module = tf.Module()
    module.inner = tf.Module()
    module.inner.v = tf.Variable(1.0)
    nodes, paths = saving.save_and_return_nodes(module, str(tmp_path))
    assert nodes[0] is module and paths[module] == []
    found = next(node for node in nodes if node is module.inner.v)
    assert [reference.name for reference in paths[found]] == ["inner", "v"]
    assert float(tf.saved_model.load(str(tmp_path)).inner.v) == 1.0


def test_copies_know_their_variable():
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        variable = tf.Variable(1.0)
    assert variable.values[0]._distributed_container() is variable


def test_results_of_assignments_in_functions_have_an_operation():
    variable = tf.Variable(1.0)

    @tf.function
    def doubled_if(condition):
        tf.cond(condition, lambda: variable.assign(variable * 2.0).op, tf.no_op)

    doubled_if(tf.constant(True))
    assert variable.numpy() == 2.0


def test_parts_of_tensors_are_a_public_function():
    name = decorators.get_canonical_name_for_symbol(operators.getitem)
    assert name == "__operators__.getitem"
    function = decorators.get_symbol_from_name(name)
    assert function is operators.getitem
    assert function(tf.constant([1, 2, 3]), slice(1, None)).numpy().tolist() == [2, 3]


def test_arguments_of_parameterized_tests_are_their_own():
    from absl.testing import parameterized

    calls = []

    def noting(text):
        def decorate(test):
            @functools.wraps(test)
            def noted(self, *args, **kwargs):
                calls.append(text)
                test(self, *args, **kwargs)

            return noted

        return decorate

    @combinations.generate(combinations.combine(mode=["eager", "graph"]))
    @test_util.for_all_test_methods(noting, "noted")
    class Tests(parameterized.TestCase):
        @parameterized.parameters("sum", "mean")
        def test_parameter(self, mode):
            calls.append(mode)

        def test_plain(self):
            calls.append("plain")

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Tests).run(result)
    assert result.testsRun == 6 and not result.errors, result.errors
    assert hasattr(Tests, "test_plain_test_mode_eager")
    assert sorted(calls) == ["mean"] * 2 + ["noted"] * 6 + ["plain"] * 2 + ["sum"] * 2


def test_tests_take_strategies_by_name():
    seen = []

    class Tests(unittest.TestCase):
        @distribute_combinations.generate(
            combinations.combine(
                mode="eager",
                strategy=[
                    distribute_combinations.one_device_strategy,
                    distribute_combinations.mirrored_strategy_with_one_cpu,
                    distribute_combinations.tpu_strategy,
                ],
            )
        )
        def test_it(self, strategy):
            seen.append(type(strategy).__name__)

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Tests).run(result)
    assert not result.errors and len(result.skipped) == 1
    assert sorted(seen) == ["MirroredStrategy", "OneDeviceStrategy"]
    for name in ("OneDeviceCPU", "Mirrored1CPU", "TPU"):
        assert hasattr(Tests, f"test_it_test_mode_eager_strategy_{name}")
    with pytest.raises(AttributeError):
        distribute_combinations.no_such_name  # noqa: B018


def test_columns_have_weights_of_a_layer():
    layer = tf.keras.layers.Layer()
    manager = columns.StateManager(layer, trainable=True)
    made = []
    for name in ("a", "b"):
        column = tf.feature_column.embedding_column(
            tf.feature_column.categorical_column_with_identity(name, 3), dimension=2
        )
        made.append(manager.create_variable(column, "embedding_weights", [3, 2]))
        assert manager.get_variable(column, "embedding_weights") is made[-1]
    assert all(any(weight is w for w in layer.trainable_weights) for weight in made)
    assert made[0] is not made[1]


def test_tables_are_read_and_restored_as_another_keras_does():
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    table.insert(tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64))
    (factory,) = tracking.saveable_objects_from_trackable(table).values()
    values = [part.tensor for part in factory().specs]
    assert sorted(len(value) for value in values) == [2, 2]
    fresh = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    (factory,) = tracking.saveable_objects_from_trackable(fresh).values()
    factory().restore(values, None)
    assert fresh.lookup(tf.constant(["b", "c"])).numpy().tolist() == [2, -1]
    variable = tf.Variable(1.0)
    (factory,) = tracking.saveable_objects_from_trackable(variable).values()
    factory().restore([np.float32(3.0)])
    assert float(variable) == 3.0
    assert tracking.saveable_objects_from_trackable(tf.Module()) == {}
    holder = tf.Module()
    holder.inner = variable
    assert tracking.list_objects(holder)[1] is variable


def test_callables_of_sessions_by_names_of_tensors():
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x, y = v1.placeholder(tf.float32, name="x"), v1.placeholder(tf.float32, name="y")
        count = tf.Variable(0.0)
        total, update = x + 2.0 * y, count.assign_add(1.0, read_value=False)
        session.run(count.initializer)
        options = messages.CallableOptions()
        options.feed.append(x.name)
        options.fetch.append(total.name)
        options.target.append(update.name)
        connection = options.tensor_connection.add()
        connection.from_tensor, connection.to_tensor = (x * 10.0).name, y.name
        call = session._make_callable_from_options(options)
        assert [float(value) for value in call(np.float32(1.0), run_metadata=None)] == [21.0]
        assert float(session.run(count)) == 1.0


def test_settings_of_rewriting_are_accepted():
    rewrites = messages.RewriterConfig()
    rewrites.implementation_selector = messages.RewriterConfig.ON
    config = tf.compat.v1.ConfigProto(
        graph_options=tf.compat.v1.GraphOptions(rewrite_options=rewrites)
    )
    assert config.graph_options.rewrite_options.implementation_selector == 1


def test_graphs_tell_the_device_that_is_asked_for():
    class Captured:
        device = None

        def _set_device_from_string(self, device):
            self.device = device

    with tf.Graph().as_default() as graph:
        captured = Captured()
        graph._apply_device_functions(captured)
        assert captured.device is None and tf.DeviceSpec.from_string(None).device_type is None
        with tf.device("/cpu:0"):
            graph._apply_device_functions(captured)
        assert tf.DeviceSpec.from_string(captured.device).device_type == "CPU"


def test_functions_have_their_first_trace():
    function = tf.function(lambda x: x + 1)
    assert function._concrete_variable_creation_fn is None
    first = function.get_concrete_function(tf.constant(1))
    function(tf.constant(1.0))
    assert function._concrete_variable_creation_fn is first


def test_operations_have_control_outputs_and_attributes_of_programs():
    with tf.Graph().as_default():
        first = tf.constant(1.0).op
        with tf.control_dependencies([first]):
            second = tf.no_op("second")
        assert first._control_outputs == [second] and second._control_outputs == []
        second._unconditional_update = True
        assert second._unconditional_update and {second: 1}[second] == 1


def test_the_latest_checkpoint_is_noted_with_relative_paths(tmp_path):
    prefix = str(tmp_path / "before" / "weights")
    tf.train.Checkpoint(v=tf.Variable(1.0)).write(prefix)
    root.update_checkpoint_state(
        save_dir=str(tmp_path / "before"),
        model_checkpoint_path=prefix,
        save_relative_paths=True,
        all_model_checkpoint_paths=[prefix],
    )
    (tmp_path / "before").rename(tmp_path / "after")
    assert tf.train.latest_checkpoint(tmp_path / "after") == str(tmp_path / "after" / "weights")


def test_values_of_several_tensors_are_asked_for_their_variables():
    for value in (tf.ragged.constant([[1.0], []]), tf.sparse.from_dense([1.0, 0.0])):
        assert value._convert_variables_to_tensors() is value


def test_classes_of_tests_with_control_flow_stay_what_they_are():
    class Tests(test_util.TensorFlowTestCase):
        def test_once(self):
            pass

    names = dir(Tests)
    assert test_util.with_control_flow_v2(Tests) is Tests
    assert dir(Tests) == names


def test_graphs_have_keys():
    graphs = [tf.Graph(), tf.Graph(), functions_graph()]
    keys = [graph._graph_key for graph in graphs]
    assert len(set(keys)) == 3 and keys == [graph._graph_key for graph in graphs]


def functions_graph():
    return tf.function(lambda: 1.0).get_concrete_function().graph
