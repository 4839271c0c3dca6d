"""Signatures of classes and native methods in `inspect` and editors, and argument order."""

import inspect

import pytest

import eagerflow as tf


@pytest.mark.parametrize(
    "function, parameters",
    [
        (tf.GradientTape, "persistent watch_accessed_variables"),
        (tf.GradientTape.watch, "self tensor"),
        (
            tf.GradientTape.gradient,
            "self target sources output_gradients unconnected_gradients",
        ),
        (tf.Variable.assign, "self value use_locking name read_value"),
        (tf.Variable.assign_add, "self delta use_locking name read_value"),
        (tf.Variable.read_value, "self"),
        (tf.data.TextLineDataset, "filenames compression_type buffer_size num_parallel_reads name"),
        (tf.gradients, "ys xs grad_ys name gate_gradients aggregation_method stop_gradients"),
        (tf.compat.v1.gradients, "ys xs grad_ys name colocate_gradients_with_ops gate_gradients"),
        (tf.hessians, "ys xs gate_gradients aggregation_method name"),
        (tf.experimental.numpy.max, "a axis keepdims"),
        (tf.experimental.numpy.imag, "val"),
        (tf.nest.is_nested, "seq"),
        (tf.distribute.NcclAllReduce, "num_packs"),
        (tf.distribute.ReductionToOneDevice, "reduce_to_device accumulation_fn"),
        (
            tf.distribute.experimental.MultiWorkerMirroredStrategy,
            "communication cluster_resolver",
        ),
        (
            tf.distribute.RunOptions,
            "experimental_enable_dynamic_batch_size experimental_bucketizing_dynamic_shape "
            "experimental_xla_options",
        ),
        (
            tf.keras.optimizers.legacy.SGD.minimize,
            "self loss var_list grad_loss name tape",
        ),
        (tf.nn.RNNCellResidualWrapper.call, "self inputs state kwargs"),
        (tf.test.TestCase.assertAllGreater, "self a comparison_target"),
    ],
)
def test_parameters_are_tensorflows(function, parameters):
    wanted = parameters.split()
    assert list(inspect.signature(function).parameters)[: len(wanted)] == wanted


def test_tensor_arrays_show_what_they_are_made_of():
    assert next(iter(inspect.signature(tf.TensorArray).parameters)) == "dtype"


def test_a_legacy_optimizer_takes_the_gradient_of_the_loss_third():
    x = tf.Variable(1.0)
    tf.keras.optimizers.legacy.SGD(1.0).minimize(lambda: x * 1.0, [x], tf.constant(0.5))
    assert float(x) == 0.5


def test_options_refuse_what_they_do_not_have():
    for options in (
        tf.saved_model.SaveOptions,
        tf.saved_model.LoadOptions,
        tf.distribute.InputOptions,
    ):
        with pytest.raises(TypeError, match="unexpected keyword"):
            options(experimental_oi_device="/job:localhost")
    assert tf.saved_model.SaveOptions(["Mine"]).namespace_whitelist == ["Mine"]


class TestSession(tf.test.TestCase):
    def test_a_session_runs_the_graph_that_it_is_given(self):
        graph = tf.Graph()
        with graph.as_default():
            y = tf.constant(2.0) * 3.0
        with self.session(graph=graph) as session:
            self.assertEqual(session.run(y), 6.0)
