"""Gradient tapes: what they record, what they return, and how they refuse."""

import numpy as np
import pytest

import eagerflow as tf


def test_variables_are_watched_when_read():
    v, w = tf.Variable([1.0, 2.0]), tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * v * w)
    assert [x is v for x in tape.watched_variables()] == [True]
    assert tape.gradient(y, v).numpy().tolist() == [6.0, 12.0]


def test_nothing_is_watched_on_request():
    v = tf.Variable(1.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = v * v
    assert tape.watched_variables() == () and tape.gradient(y, v) is None


def test_structures_of_sources_and_targets():
    a, b = tf.Variable(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(b)
        targets = {"x": a * b, "y": [a * a]}
    gradients = tape.gradient(targets, {"a": a, "b": (b, tf.constant(1.0))})
    assert float(gradients["a"]) == 7.0 and float(gradients["b"][0]) == 2.0
    assert gradients["b"][1] is None


def test_output_gradients():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, x, output_gradients=tf.constant([1.0, 10.0])).numpy().tolist() == [
        2.0,
        40.0,
    ]


def test_unconnected_gradients():
    x, y = tf.Variable([1.0, 2.0]), tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(y)
        z = y * 2.0
    assert tape.gradient(z, x) is None
    zero = tf.UnconnectedGradients.ZERO
    for choice in (zero, "zero"):
        assert tape.gradient(z, x, unconnected_gradients=choice).numpy().tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients"):
        tape.gradient(z, x, unconnected_gradients="foo")


def test_a_tape_serves_once_unless_persistent():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="non-persistent GradientTape can only be used"):
        tape.gradient(y, x)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        z = y * y
    assert float(tape.gradient(y, x)) == 6.0 and float(tape.gradient(z, x)) == 108.0


def test_pausing_and_resetting():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        with tape.stop_recording():
            unseen = x * x
        y = x * 2.0
    assert float(tape.gradient([y, unseen], x)) == 2.0
    with tf.GradientTape() as tape:
        before = x * x
        tape.reset()
        after = x * 2.0
    assert float(tape.gradient([before, after], x)) == 2.0
    with pytest.raises(RuntimeError, match="not recording"), tf.GradientTape().stop_recording():
        pass
    with pytest.raises(ValueError, match="not recording"):
        tf.GradientTape().reset()


def test_nested_tapes_give_higher_orders():
    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x * x
        first = inner.gradient(y, x)
    assert float(first) == 12.0 and float(outer.gradient(first, x)) == 12.0


def test_what_cannot_be_watched():
    with tf.GradientTape() as tape:
        for wrong in (3, None, [3.0]):
            with pytest.raises(ValueError, match="not tf.Tensor or tf.Variable"):
                tape.watch(wrong)
    with pytest.raises(TypeError, match="received None"):
        tape.gradient(None, tf.Variable(1.0))
    with tf.GradientTape() as tape, pytest.raises(ValueError, match="still recording"):
        tape.__enter__()


def test_lookups_have_sparse_gradients():
    table = tf.Variable(tf.ones([4, 2]))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [1, 1, 3]))
    gradient = tape.gradient(y, table)
    assert isinstance(gradient, tf.IndexedSlices)
    assert gradient.indices.numpy().tolist() == [1, 1, 3]
    assert gradient.dense_shape.numpy().tolist() == [4, 2]
    dense = tf.convert_to_tensor(gradient)
    assert dense.numpy()[:, 0].tolist() == [0.0, 2.0, 0.0, 1.0]


@pytest.mark.parametrize("persistent", [True, False])
def test_jacobian(persistent):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = x @ tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    jacobian = tape.jacobian(y, x)
    assert jacobian.shape == [2, 3, 2, 2]
    np.testing.assert_allclose(jacobian.numpy()[1, 2], [[0.0, 0.0], [3.0, 6.0]])
    if not persistent:
        with pytest.raises(RuntimeError):
            tape.gradient(y, x)


def test_jacobians_row_by_row_ask_for_a_persistent_tape():
    x = tf.Variable([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        y = x * x
    for jacobian in (tape.jacobian, tape.batch_jacobian):
        with pytest.raises(RuntimeError, match="persistent=True"):
            jacobian(y, x, experimental_use_pfor=False)
    assert tape.batch_jacobian(y, x).numpy().tolist() == [[[2.0]], [[4.0]]]


def test_jacobians_of_several_sources():
    x, v = tf.constant([1.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    by_x, by_v = tape.jacobian(y, [x, v])
    assert by_x.numpy().tolist() == [[2.0, 0.0], [0.0, 4.0]] and by_v is None
    zeros = tape.jacobian(y, v, unconnected_gradients="zero")
    assert zeros.numpy().tolist() == [0.0, 0.0]


def test_batch_jacobian():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.reverse(x * x, [1])
    expected = [[[0.0, 4.0], [2.0, 0.0]], [[0.0, 8.0], [6.0, 0.0]]]
    assert tape.batch_jacobian(y, x).numpy().tolist() == expected
    assert not tape.batch_jacobian(y, tf.ones([2, 5])).numpy().any()
    with pytest.raises(ValueError, match="rank at least 2"):
        tape.batch_jacobian(tf.ones([2]), x)
    with pytest.raises(ValueError, match="Need first dimension"):
        tape.batch_jacobian(tf.ones([3, 2]), x)


def test_a_used_tape_keeps_its_variables_and_can_be_entered_again():
    v, w = tf.Variable(2.0), tf.Variable(3.0)
    tape = tf.GradientTape()
    for factor in (1.0, 2.0):
        with tape:
            y = w * v * factor
        assert tape.gradient(y, v).numpy() == 3.0 * factor
        assert tape.watched_variables() == (v, w)
        with pytest.raises(RuntimeError, match="non-persistent"):
            tape.gradient(y, v)


def test_objects_that_act_as_variables():
    class Holder:
        _should_act_as_resource_variable = True

        def __init__(self, value):
            self.value = tf.Variable(value)
            self.handle = self.value.handle

    holders = [Holder(2.0), Holder(3.0)]
    with tf.GradientTape() as tape:
        product = holders[0].value * holders[1].value
    assert [float(g) for g in tape.gradient(product, holders)] == [3.0, 2.0]
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(holders[0])
        product = holders[0].value * holders[1].value
    first, second = tape.gradient(product, holders)
    assert float(first) == 3.0 and second is None
    with pytest.raises(ValueError, match="not tf.Tensor or tf.Variable"):
        tape.watch(object())


@pytest.mark.parametrize("persistent", [False, True])
def test_packages_go_on_from_the_records_of_a_tape(persistent):
    x = tf.constant(3.0)
    tape = tf.GradientTape(persistent=persistent)
    assert tape._tape is None and not tape._recording
    with tape:
        tape.watch(x)
        y = x * x
        assert tape._tape is not None and tape._recording
        with tape._ensure_recording():
            y = y * 1.0
    assert tape._tape is not None and not tape._recording
    with tape._ensure_recording():
        z = y * y
    assert float(tape.gradient(z, x)) == 108.0
    assert (tape._tape is None) == (not persistent)


def test_rows_of_gradients_are_stacked_as_dense_tensors():
    v = tf.Variable(tf.ones([4, 2]))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, [[0], [1]]), [1, 2])

        def gradients(k):
            with tape._ensure_recording():
                one = tf.gather(y, k)
            return tape.gradient(one, [v])

        (found,) = tf.vectorized_map(gradients, tf.range(2))
    expected = np.zeros([2, 4, 2])
    expected[[0, 1], [0, 1]] = 1.0
    np.testing.assert_array_equal(found, expected)
