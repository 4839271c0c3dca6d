"""tensorflow.python.eager.record and ops.while_v2, as programs import them."""

import pytest

import eagerflow as tf
from eagerflow_compat.internals import backprop, control_flow


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("given", [0, 3])
def test_wrong_numbers_of_gradients_are_named(count, given):
    x, y = [tf.constant(1.0) for _ in range(count)], tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        backprop.record_operation("Broken", [y], x, lambda dy: [dy] * given)
    with pytest.raises(tf.errors.InternalError, match=f"'Broken'.* {count} but received {given}"):
        tape.gradient(y, x)


def test_recorded_operations_have_products_by_a_forward_function():
    x, y, z = (tf.constant(value) for value in (1.0, 2.0, 3.0))
    with tf.autodiff.ForwardAccumulator(x, tf.constant(10.0)) as accumulator:
        backprop.record_operation("First", [y], [x], None, lambda change: [-2.0 * change])
        backprop.record_operation("Nothing", [], [], None, lambda: [])
        backprop.record_operation("Second", [z], [y], None, lambda change: [change])
    assert float(accumulator.jvp(y)) == float(accumulator.jvp(z)) == -20.0


def test_loops_return_lists():
    def double(x):
        return [x * 2.0]

    (result,) = control_flow.while_loop(lambda x: x < 4.0, double, [tf.constant(1.0)])
    assert float(result) == 4.0
