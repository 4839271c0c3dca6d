"""What packages ask TensorFlow's private modules, and modes of tests, for."""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import eagerflow as tf
from eagerflow_compat.internals import decorators, inspection, tracking
from eagerflow_compat.internals.composites import BoundedTensorSpec
from eagerflow_compat.internals.convolutions import Convolution

ROOT = Path(__file__).parents[2]


def run(folder, text, *options):
    path = folder / "program.py"
    path.write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "eagerflow", *options, str(path)],
        cwd=folder,
        env=dict(os.environ, PYTHONPATH=str(ROOT)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_arguments_of_calls_are_flat():
    class Network:
        def call(self, inputs, state=(), *rest, training=None, **kwargs):
            pass

    network = Network()
    found = inspection.getcallargs(network.call, 1, step_type=3)
    assert found == {
        "self": network,
        "inputs": 1,
        "state": (),
        "training": None,
        "step_type": 3,
    }
    assert inspection.getcallargs(network.call, 1, 2, 9)["state"] == 2


def test_specs_of_arrays_get_the_bounds_of_their_dtype():
    class Spec:
        shape, dtype, name = (2,), np.dtype("int32"), "actions"

    spec = BoundedTensorSpec.from_spec(Spec())
    assert spec.dtype is tf.int32 and spec.minimum == -(2**31) and spec.maximum == 2**31 - 1
    bounded = Spec()
    bounded.minimum, bounded.maximum = 3, 5
    spec = BoundedTensorSpec.from_spec(bounded)
    assert (spec.minimum, spec.maximum) == (3, 5)
    floats = BoundedTensorSpec.from_spec(tf.TensorSpec([], tf.float32))
    assert floats.minimum == np.finfo("float32").min


def test_layers_do_not_track_what_is_set_in_a_scope():
    class Network(tf.keras.layers.Layer):
        def __init__(self, inner):
            super().__init__()
            with tracking.no_automatic_dependency_tracking_scope(self):
                self.given = {"inner": inner, "model": tf.keras.Sequential([inner])}
            self.own = tf.keras.layers.Dense(2)

        def call(self, x):
            return self.own(x)

    network = Network(tf.keras.layers.Dense(3))
    network(tf.ones([1, 4]))
    assert len(network.trainable_variables) == 2
    assert list(network._flatten_layers(include_self=False)) == [network.own]


def test_what_was_assigned_can_be_waited_for():
    v = tf.Variable([1.0, 2.0])
    assert tf.compat.v1.scatter_update(v, [0], [5.0]).op is None
    assert tf.group(tf.compat.v1.assign(v, [3.0, 4.0]).op) is None
    with pytest.raises(AttributeError, match="undefined when eager"):
        _ = tf.Variable(1.0).op

    @tf.function
    def update():
        with tf.control_dependencies([tf.compat.v1.scatter_update(v, [1], [7.0]).op]):
            return tf.identity(v)

    assert update().numpy().tolist() == [3, 7]


def test_enumerations_and_settings_of_messages(tmp_path):
    text = (
        "import tensorflow as tf\n"
        "from tensorflow.core.framework import types_pb2, graph_pb2\n"
        "from tensorflow.core.protobuf import config_pb2\n"
        "from tensorflow.python.framework import c_api_util\n"
        "assert types_pb2.DT_FLOAT == 1 and types_pb2.DataType.Name(9) == 'DT_INT64'\n"
        "assert config_pb2.ConfigProto is tf.compat.v1.ConfigProto\n"
        "config = config_pb2.ConfigProto()\n"
        "config.graph_options.rewrite_options.optimizers[:] = ['constfold']\n"
        "config.graph_options.rewrite_options.optimizers.append('function')\n"
        "config.device_count['GPU'] = 0\n"
        "print(list(config.graph_options.rewrite_options.optimizers), config.device_count['GPU'])\n"
        "add = c_api_util.ApiDefMap().get_op_def('AddV2')\n"
        "print([argument.name for argument in add.input_arg])\n"
        "try:\n    c_api_util.ApiDefMap().get_op_def('NoSuch')\n"
        "except ValueError as error:\n    print(error)\n"
    )
    assert run(tmp_path, text).splitlines() == [
        "['constfold', 'function'] 0",
        "['x', 'y']",
        "No entry found for NoSuch.",
    ]


def test_models_are_traced_with_named_outputs(tmp_path):
    text = (
        "import tensorflow as tf\n"
        "from tensorflow.python.keras.saving import saving_utils\n"
        "from tensorflow.python.framework.convert_to_constants import (\n"
        "    convert_variables_to_constants_v2)\n"
        "model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,), name='d')])\n"
        "traced = saving_utils.trace_model_call(model).get_concrete_function()\n"
        "print(list(traced.structured_outputs), traced.structured_outputs['d'].shape)\n"
        "captured = traced.graph.function_captures\n"
        "assert set(captured.by_val_internal) == set(captured.by_val_external)\n"
        "frozen = convert_variables_to_constants_v2(traced)\n"
        "print(len(frozen.graph.variables))\n"
    )
    assert run(tmp_path, text).splitlines() == ["['d'] (None, 2)", "0"]


def test_older_dense_features_are_told_by_their_class():
    older = tf.compat.v1.keras.layers.DenseFeatures
    assert issubclass(older, tf.keras.layers.DenseFeatures)
    assert older is not tf.keras.layers.DenseFeatures
    column = tf.feature_column.numeric_column("a")
    assert older([column])({"a": tf.constant([[2.0]])}).numpy().tolist() == [[2.0]]


def test_variables_of_graphs_say_how_they_are_joined():
    with tf.Graph().as_default():
        variable = tf.compat.v1.Variable(1.0)
    assert variable.synchronization is tf.VariableSynchronization.AUTO
    assert variable.aggregation is tf.VariableAggregation.NONE


def test_values_of_attributes_are_dtypes_and_messages():
    with tf.Graph().as_default() as graph:
        tf.constant([1.0, 2.0])
        tf.compat.v1.placeholder(tf.int32, [None, 2])
    value, given = graph.get_operations()
    assert value.get_attr("dtype") is tf.float32 and given.get_attr("dtype") is tf.int32
    np.testing.assert_array_equal(tf.make_ndarray(value.get_attr("value")), [1, 2])
    assert [dim.size for dim in given.get_attr("shape").dim] == [-1, 2]


class BothModes(tf.test.TestCase):
    def test_functions_and_sessions_give_values(self):
        assert self.evaluate({"loss": lambda: (tf.constant(3.0),)}) == {"loss": (3.0,)}
        with self.cached_session() as session:
            assert session.run([tf.constant(2)]) == [2]
            with pytest.raises(NotImplementedError, match="feed_dict"):
                session.run(tf.constant(2), {"x:0": 2})

    def test_functions_are_compared_and_not_called(self):
        def never(a):
            raise AssertionError("called")

        self.assertAllEqual([never, never], (never, never))

    def test_arrays_need_no_session(self):
        with tf.Graph().as_default():
            self.assertAllClose(np.ones(2), [1.0, 1.0])
            assert self.evaluate([np.float32(3.0)]) == [3.0]

    def test_tensors_of_a_graph_are_run_together(self):
        with tf.Graph().as_default():
            counter = tf.compat.v1.get_variable("counter", [], tf.int32)
            self.evaluate(counter.initializer)
            step = counter.assign_add(1)
            with tf.control_dependencies([step]):
                both = {"first": tf.identity(step), "rest": [tf.identity(step) + 1, 7]}
            assert self.evaluate(both) == {"first": 1, "rest": [2, 7]}

    def test_the_global_step_is_a_tests_own_a(self):
        self.check_step()

    def test_the_global_step_is_a_tests_own_b(self):
        self.check_step()

    def check_step(self):
        step = tf.compat.v1.train.get_or_create_global_step()
        assert int(step) == 0 and tf.compat.v1.train.get_global_step() is step
        step.assign_add(3)


def test_a_convolution_is_checked_once():
    filters = tf.ones([3, 3, 2, 4])
    convolution = Convolution([2, 8, 8, 2], filters.shape, "SAME", strides=[2, 2])
    images = tf.random.normal([2, 8, 8, 2], seed=1)
    expected = tf.nn.conv2d(images, filters, 2, "SAME")
    assert np.array_equal(convolution(images, filters), expected)
    assert convolution.num_spatial_dims == 2 and convolution.strides.tolist() == [2, 2]
    first = Convolution(tf.TensorShape([None, 3, 8]), [3, 3, 4], "VALID", data_format="NCW")
    assert first.num_spatial_dims == 1 and first.num_batch_dims == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"input_shape": [2, 8, 8, 3]}, "not divisible"),
        ({"input_shape": [8, 8, 2]}, "must be >="),
        ({"strides": [2, 2], "dilation_rate": [2, 2]}, "not supported in conjunction"),
        ({"strides": [2]}, "for each of 2 axes"),
        ({"dilation_rate": [0, 1]}, "must be positive"),
        ({"filter_shape": tf.TensorShape(None)}, "num_spatial_dims"),
    ],
)
def test_convolutions_that_cannot_be_are_refused(arguments, message):
    given = {"input_shape": [2, 8, 8, 2], "filter_shape": [3, 3, 2, 4], "padding": "SAME"}
    with pytest.raises(ValueError, match=message):
        Convolution(**(given | arguments))


def test_decorators_of_traced_functions_are_unwrapped():
    class Scale(tf.Module):
        @tf.function
        def call(self, x, by=2.0):
            return x * by

    found, target = decorators.unwrap(Scale.call)
    assert len(found) == 1 and list(inspect.signature(target).parameters) == ["self", "x", "by"]
