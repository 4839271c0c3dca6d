"""Variables that functions create, accept as arguments and keep; methods."""

import gc
import weakref

import pytest

import eagerflow as tf
from eagerflow.functions.function import function

SINGLETON = "only supports singleton tf.Variables created on the first call"


def test_the_first_call_traces_twice_if_it_makes_variables():
    made, traces = [], []

    @function
    def scale(x):
        traces.append(1)
        if not made:
            made.append(tf.Variable(3.0, name="w"))
        return made[0] * x

    assert float(scale(tf.constant(2.0))) == 6.0
    assert float(scale(tf.constant(3.0))) == 9.0
    assert len(traces) == scale.experimental_get_tracing_count() == 2
    made[0].assign(1.0)
    assert scale(tf.constant([3.0])).numpy().tolist() == [3.0]
    assert len(traces) == 3


def test_initial_values_are_computed_from_the_call():
    made = []

    @function
    def f(x):
        if not made:
            made.append(tf.Variable(x * 2.0))
        return made[0] + x

    assert float(f(tf.constant(2.0))) == 6.0
    assert float(f(tf.constant(5.0))) == 9.0


def test_initial_values_may_not_depend_on_specs():
    made = []

    @function(autograph=False)
    def f(x):
        if not made:
            made.append(tf.Variable(x * 2.0))
        return made[0] + x

    with pytest.raises(
        Exception, match="Unable to lift tensor .* depends transitively on placeholder"
    ):
        f.get_concrete_function(tf.TensorSpec([]))


def test_initial_values_of_operations_are_computed_once():
    made = []

    @function
    def f(x):
        if not made:
            made.append(tf.Variable(tf.ones([2]) * tf.random.uniform([2])))
        return made[0] * x

    concrete = f.get_concrete_function(tf.TensorSpec([2]))
    assert f.experimental_get_tracing_count() == 2
    value = made[0].numpy().tolist()
    assert concrete(tf.ones([2])).numpy().tolist() == value
    assert f(tf.ones([2])).numpy().tolist() == value


@pytest.mark.parametrize("scope", [False, True])
def test_variables_of_every_trace_are_refused(scope):
    @function
    def f(x):
        if scope:
            with tf.init_scope():
                v = tf.Variable(1.0)
        else:
            v = tf.Variable(1.0)
        return v + x

    with pytest.raises(ValueError, match=SINGLETON):
        f(1.0)


def test_variables_of_later_traces_are_refused():
    made = []

    @function
    def f(x):
        if not made or x.shape.rank == 1:
            made.append(tf.Variable(1.0))
        return made[-1] + x

    f(tf.constant(1.0))
    with pytest.raises(ValueError, match=SINGLETON):
        f(tf.constant([1.0]))


def test_a_trace_without_variables_forbids_later_ones():
    made = []

    @function(autograph=False)
    def f(x):
        if x.shape.rank == 1:
            made.append(tf.Variable(1.0))
        return x

    f(tf.constant(1.0))
    with pytest.raises(ValueError, match="Creating variables on a non-first call"):
        f(tf.constant([1.0]))


def test_inner_functions_make_their_own_variables():
    made, traces = [], []

    @function
    def inner(x):
        traces.append("inner")
        if not made:
            made.append(tf.Variable(2.0))
        return made[0] * x

    @function
    def outer(x):
        traces.append("outer")
        return inner(x)

    assert float(outer(tf.constant(2.0))) == 4.0
    assert traces == ["outer", "inner", "inner"]
    assert float(inner(tf.constant(3.0))) == 6.0
    assert len(traces) == 3


def test_other_variables_of_a_kind_use_the_same_trace():
    traces = []

    @function
    def change(v, x):
        traces.append(v)
        v.assign_add(x)
        return v * 10.0

    first, second = tf.Variable(1.0), tf.Variable(5.0)
    assert float(change(first, tf.constant(1.0))) == 20.0
    assert float(change(second, tf.constant(1.0))) == 60.0
    assert (float(first), float(second)) == (2.0, 6.0)
    assert len(traces) == 1


def test_calls_pass_their_variables_on():
    @function
    def inner(v):
        v.assign_add(1.0)
        return v.read_value()

    @function
    def outer(v, w):
        return inner(w) - inner(v)

    a, b, c, d = (tf.Variable(float(k)) for k in (1, 10, 100, 1000))
    assert float(outer(a, b)) == 9.0
    assert float(outer(c, d)) == 900.0
    assert [float(v) for v in (a, b, c, d)] == [2.0, 11.0, 101.0, 1001.0]
    assert outer.experimental_get_tracing_count() == 1


def test_the_same_variable_twice_is_another_trace():
    @function
    def f(v, w):
        v.assign_add(1.0)
        return w.read_value()

    v, w = tf.Variable(1.0), tf.Variable(2.0)
    assert float(f(v, w)) == 2.0
    assert float(f(v, v)) == 3.0
    assert f.experimental_get_tracing_count() == 2


def test_gradients_reach_the_variables_of_the_call():
    @function
    def f(v):
        return v * v

    v, w = tf.Variable(2.0), tf.Variable(3.0)
    f(v)
    with tf.GradientTape() as tape:
        y = f(w)
    assert float(tape.gradient(y, w)) == 6.0


def test_init_scope_runs_at_once():
    seen = []

    @function
    def f(x):
        seen.append(tf.executing_eagerly())
        with tf.init_scope():
            seen.append(tf.executing_eagerly())
            k = tf.constant(2.0) + 1.0
        return x * k

    assert float(f(tf.constant(2.0))) == 6.0
    assert seen == [False, True]


class Scaled:
    traces: list = []

    def __init__(self, factor):
        self.factor = factor

    @function
    def __call__(self, x):
        self.traces.append(self.factor)
        return x * self.factor

    @function(input_signature=[tf.TensorSpec([], tf.float32)])
    def signed(self, x):
        return x * self.factor


def test_methods_are_traced_for_each_object():
    Scaled.traces.clear()
    a, b = Scaled(2.0), Scaled(3.0)
    one = tf.constant(1.0)
    assert [float(a(one)), float(b(one)), float(a(one))] == [2.0, 3.0, 2.0]
    assert Scaled.traces == [2.0, 3.0]
    assert a.__call__ is a.__call__ and a.__call__ is not b.__call__
    assert str(a.__call__.function_type) == "(x)"
    assert float(a.signed(4)) == 8.0
    assert float(Scaled.__call__(b, one)) == 3.0


def test_methods_do_not_keep_objects_alive():
    a = Scaled(2.0)
    a(tf.constant(1.0))
    alive = weakref.ref(a)
    del a
    gc.collect()
    assert alive() is None


def test_methods_of_extension_types_take_them_as_arguments():
    class Masked(tf.experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

        @function
        def filled(self, default):
            return tf.where(self.mask, self.values, default)

    for values in ([1, 2, 3], [4, 5, 6]):
        masked = Masked(values, [True, False, True])
        assert masked.filled(-1).numpy().tolist() == [values[0], -1, values[2]]


def test_zeros_of_a_known_shape_are_lifted_out_of_traces():
    class Running(tf.Module):
        total = None

        @tf.function
        def __call__(self, x):
            if self.total is None:
                self.total = tf.Variable(tf.zeros_like(x))
            self.total.assign_add(x)
            return self.total + tf.ones_like(x)

    running = Running()
    running.__call__.get_concrete_function(tf.TensorSpec([2]))
    assert running(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 3.0]


def test_lengths_of_output_shapes_in_graphs():
    @tf.function
    def grown(x):
        return tf.nn.conv_transpose(x, tf.ones([2, 3, 4]), tf.stack([tf.shape(x)[0], 10, 3]), 2)

    assert grown(tf.ones([2, 5, 4])).shape == [2, 10, 3]
