"""Gradients of operations that programs replace in TensorFlow's registry; values of TensorFlow 2.21."""

import importlib

import numpy as np
import pytest

import eagerflow
from eagerflow_compat import dropin


@pytest.fixture(scope="module")
def tf():
    yield eagerflow.install_as_tensorflow("2.x")
    dropin.uninstall()


@pytest.fixture
def entries():
    """The registry's entries, with gradients that a test has replaced restored."""
    module = importlib.import_module("tensorflow.python.framework.ops")
    entries = module._gradient_registry._registry
    kept = {name: entries[name]["type"] for name in ("Tanh", "Mul", "ConcatV2", "MaxPool", "Sum")}
    yield entries
    for name, gradient in kept.items():
        entries[name]["type"] = gradient


def eager(tf, f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def traced(tf, f, x):
    return tf.function(lambda x: eager(tf, f, x))(x)


def called(tf, f, x):
    return eager(tf, tf.function(f), x)


def branched(tf, f, x):
    return traced(tf, lambda x: tf.cond(x[0] < 100.0, lambda: f(x), lambda: x), x)


def gradients(tf, f, x):
    return tf.function(lambda x: tf.gradients(f(x), x)[0])(x)


def session(tf, f, x):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        fed = tf.constant(x.numpy())
        return session.run(tf.gradients(f(fed), fed)[0])


WAYS = [eager, traced, called, branched, gradients, session]


@pytest.mark.parametrize("way", WAYS)
def test_replaced_gradient_is_used(tf, entries, way):
    seen = []

    def replaced(op, gradient):
        seen.append((op.type, len(op.outputs)))
        return 10.0 * gradient * op.outputs[0]

    def f(x):
        return tf.reduce_sum(x * tf.tanh(2.0 * x))

    x = tf.constant([0.5, -1.0, 2.0])
    before = np.asarray(way(tf, f, x))
    own = entries["Tanh"]["type"]
    entries["Tanh"]["type"] = replaced
    assert entries["Tanh"]["type"] is replaced
    y = np.tanh(2.0 * x.numpy())
    assert np.asarray(way(tf, f, x)) == pytest.approx(y + 20.0 * x.numpy() * y, rel=1e-5)
    assert set(seen) == {("Tanh", 1)}
    entries["Tanh"]["type"] = own
    count = len(seen)
    assert np.asarray(way(tf, f, x)) == pytest.approx(before) and len(seen) == count


@pytest.mark.parametrize("way", WAYS)
def test_replaced_gradient_calls_the_own_one(tf, entries, way):
    own = {name: entries[name]["type"] for name in ("Tanh", "Mul")}

    def doubled(op, *weights):
        found = own[op.type](op, *weights)
        return [2.0 * g for g in found] if isinstance(found, (list, tuple)) else 2.0 * found

    x = tf.constant([0.5, -1.0])
    for name in own:
        entries[name]["type"] = doubled
    found = way(tf, lambda x: tf.reduce_sum(tf.tanh(tf.multiply(x, x))), x)
    expected = 4.0 * 2.0 * x.numpy() * (1.0 - np.tanh(x.numpy() ** 2) ** 2)
    assert np.asarray(found) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("way", [traced, gradients, session])
def test_operations_have_the_inputs_of_tensorflow(tf, entries, way):
    own = {name: entries[name]["type"] for name in ("ConcatV2", "MaxPool", "Sum")}
    seen = {}

    def noted(op, *weights):
        seen[op.type] = [tf.get_static_value(x) for x in op.inputs if x.dtype == tf.int32]
        if op.type == "MaxPool":
            assert op.get_attr("ksize") == [1, 2, 2, 1]
        return own[op.type](op, *weights)

    for name in own:
        entries[name]["type"] = noted

    def f(x):
        rows = tf.concat([x, 3.0 * x], axis=1)
        return tf.reduce_sum(tf.nn.max_pool2d(rows, 2, 2, "VALID"), axis=[0, 1, 2, 3])

    x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    found = way(tf, f, x)
    expected = np.zeros([4, 4], "float32")
    expected[1::2, 1::2] = 4.0
    assert np.asarray(found)[0, :, :, 0] == pytest.approx(expected)
    assert np.array_equal(seen["ConcatV2"], [1]) and np.array_equal(seen["Sum"], [[0, 1, 2, 3]])


def test_tapes_of_functions_end_where_they_did_not_record(tf, entries):
    own = entries["Tanh"]["type"]
    entries["Tanh"]["type"] = lambda op, weight: 3.0 * own(op, weight)

    @tf.function
    def both(x, z):
        before = tf.tanh(x)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, before])
            inside = tf.tanh(x) * before
            with tape.stop_recording():
                outside = tf.tanh(x)
        sources = {"x": x, "before": before, "z": z}
        return tape.gradient(inside, sources), tape.gradient(outside, [x, z], None, "zero")

    found, zeros = both(tf.constant(0.5), tf.constant(1.0))
    y = np.tanh(0.5)
    assert float(found["x"]) == pytest.approx(3.0 * (1 - y * y) * y)
    assert float(found["before"]) == pytest.approx(y) and found["z"] is None
    assert [float(zero) for zero in zeros] == [0.0, 0.0]


def test_operation_without_a_gradient(tf, entries):
    x = tf.constant(0.5)
    entries["Tanh"]["type"] = None
    for way in (eager, called, traced, gradients):
        assert float(way(tf, lambda x: x + tf.tanh(x), x)) == 1.0


def test_entries_come_and_go(tf, entries):
    ops = importlib.import_module("tensorflow.python.framework.ops")
    assert "Tanh" in entries and "NoSuchOperation" not in entries
    entries["NoSuchOperation"] = {"type": test_entries_come_and_go, "location": None}
    assert ops.gradient_registry.lookup("NoSuchOperation") is test_entries_come_and_go
    del entries["NoSuchOperation"]
    with pytest.raises(LookupError, match="NoSuchOperation"):
        ops.gradient_registry.lookup("NoSuchOperation")
    assert entries["Tanh"]["type"] is ops.gradient_registry.lookup("Tanh")


def test_recorded_by_the_name_of_a_gradient(tf, entries):
    backprop = importlib.import_module("tensorflow.python.eager.backprop")

    own = entries["LeakyRelu"]["type"]
    entries["LeakyRelu"]["type"] = lambda op, weight: op.get_attr("alpha") * weight * op.inputs[0]
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.constant(1.0)
        backprop.record_gradient("LeakyRelu", [x], ("alpha", 5.0), [y])
    assert float(tape.gradient(y, x)) == 15.0
    entries["LeakyRelu"]["type"] = own
