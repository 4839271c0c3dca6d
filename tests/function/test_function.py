"""tf.function: how often Python runs, and what calls return."""

import pytest

import eagerflow as tf
from eagerflow.functions.function import function


def test_python_runs_once_for_each_type_of_arguments():
    seen = []

    @function
    def double(x):
        seen.append(x)
        return 2 * x

    assert [float(double(tf.constant(float(k)))) for k in range(3)] == [0.0, 2.0, 4.0]
    assert len(seen) == 1
    double(tf.constant([1.0]))
    double(3)
    double(3)
    double(4)
    assert double.experimental_get_tracing_count() == len(seen) == 4


def test_variables_are_read_and_changed_by_every_call():
    total = tf.Variable(1.0)

    @function
    def add(x):
        total.assign_add(x)
        return total * 10.0

    assert float(add(tf.constant(1.0))) == 20.0
    assert float(add(tf.constant(1.0))) == 30.0
    assert float(total) == 3.0


def test_a_variable_made_in_the_first_call_costs_a_second_trace():
    made = []

    @function
    def scale(x):
        if not made:
            made.append(tf.Variable(2.0 * x))
        return made[0] * x

    assert float(scale(tf.constant(3.0))) == 18.0
    assert float(scale(tf.constant(4.0))) == 24.0
    assert scale.experimental_get_tracing_count() == 2


def test_a_variable_made_in_every_call_is_refused():
    @function
    def leaky(x):
        return tf.Variable(1.0) + x

    with pytest.raises(ValueError, match="only supports singleton tf.Variables"):
        leaky(1.0)


def test_gradients_pass_through_calls():
    v = tf.Variable(3.0)

    @function
    def square(x):
        return v * v * x

    with tf.GradientTape() as tape:
        y = square(tf.constant(2.0))
    assert float(tape.gradient(y, v)) == 12.0


def test_attributes_of_the_callable_object_are_shown():
    class Scale(tf.Module):
        def __init__(self):
            super().__init__()
            self.factor = tf.Variable(2.0)
            self._call = "its own"

        def __call__(self, x):
            return x * self.factor

        def twice(self, x):
            return self(self(x))

    scale = Scale()
    scaled = function(scale)
    assert float(scaled(3.0)) == 6.0
    assert scaled.factor is scale.factor
    assert callable(scaled._call)  # names of the user's functions are not reserved
    with pytest.raises(AttributeError, match="twice"):
        scaled.twice(1.0)

    def tagged(x):
        return x

    tagged.tag = "kept"
    assert function(tagged).tag == "kept"


def test_traces_are_forgotten_where_programs_free_them():
    traces = []

    class Doubles:
        @tf.function
        def method(self, x):
            traces.append("method")
            return x * 2

    @tf.function
    def double(x):
        traces.append("function")
        return x * 2

    one = Doubles()
    for _ in range(2):
        for _ in range(2):
            assert int(double(tf.constant(2))) == int(one.method(tf.constant(2))) == 4
        double._concrete_variable_creation_fn = None
        Doubles.method._descriptor_cache.clear()
    assert traces == ["function", "method"] * 2
    assert int(double(tf.constant(3))) == 6
    with pytest.raises(TypeError, match="only be set to None"):
        double._concrete_variable_creation_fn = one.method
