"""What another Keras package needs of TensorFlow's inside, beside `install_as_tensorflow(keras=False)`."""

import subprocess
import sys
import unittest

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.compat.internals import (
    combinations,
    composites,
    decorators,
    functions,
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
