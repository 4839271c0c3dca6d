"""Captures of concrete functions whose values calls compute."""

import pytest

import eagerflow as tf

SCALAR = tf.TensorSpec([])


def test_calls_compute_the_value_anew():
    x, y = tf.constant(1.0), tf.constant(2.0)
    concrete = tf.function(lambda a: a * x + y).get_concrete_function(SCALAR)
    values = [tf.constant(4.0)]
    place = next(k for k, captured in enumerate(concrete.captured_inputs) if captured == 2.0)
    concrete.replace_capture_with_deferred_capture(
        concrete.captured_inputs[place], lambda: values[0], SCALAR, concrete.inputs[1 + place]
    )
    assert float(concrete(tf.constant(3.0))) == 7.0
    values[0] = tf.constant(5.0)
    assert float(concrete(tf.constant(3.0))) == 8.0
    concrete.replace_capture_with_deferred_capture(x, lambda: tf.constant(10.0), SCALAR)
    assert float(concrete(tf.constant(3.0))) == 35.0
    outer = tf.function(lambda a: concrete(a) * 2.0)
    assert float(outer(tf.constant(3.0))) == 70.0


def test_effects_and_structures_stay():
    x, v = tf.constant(1.0), tf.Variable(0.0)

    def f(a):
        v.assign_add(1.0)
        return {"product": a * x, "count": v.read_value()}

    concrete = tf.function(f).get_concrete_function(SCALAR)
    concrete.replace_capture_with_deferred_capture(x, lambda: tf.constant(10.0), SCALAR)
    for count in (1.0, 2.0):
        result = concrete(tf.constant(2.0))
        assert (float(result["product"]), float(result["count"])) == (20.0, count)


@pytest.mark.parametrize("dtype", [tf.bool, tf.int32, tf.string])
def test_constants_are_replaced_wherever_the_trace_knew_their_values(dtype):
    before, after = (
        tf.cast(v, dtype) if dtype is not tf.string else tf.constant(str(v)) for v in (1, 0)
    )
    one = tf.constant("1") if dtype is tf.string else tf.cast(1, dtype)

    @tf.function
    def f():
        if tf.equal(before, one):
            return tf.constant(1.0)
        return tf.constant(2.0)

    concrete = f.get_concrete_function()
    assert float(concrete()) == 1.0
    concrete.replace_capture_with_deferred_capture(before, lambda: after, tf.TensorSpec([], dtype))
    assert float(concrete()) == 2.0


def test_values_of_other_types_are_refused():
    x = tf.constant(1.0)
    concrete = tf.function(lambda: x + 1.0).get_concrete_function()
    with pytest.raises(ValueError, match="Attempting to substitute closure with spec"):
        concrete.replace_capture_with_deferred_capture(x, lambda: 1.0, tf.TensorSpec([2]))


def test_pruned_functions_compute_anew_what_followed_from_a_fed_constant():
    wrapped = tf.compat.v1.wrap_function(lambda: tf.constant(1.0) + 1.0, [])
    graph = wrapped.graph
    part = wrapped.prune(graph.get_tensor_by_name("Const:0"), graph.get_tensor_by_name("add:0"))
    assert float(part(tf.constant(5.0))) == 6.0
