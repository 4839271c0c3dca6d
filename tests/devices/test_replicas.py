"""Functions of replicas on a plugin's devices: one program, which runs on all of them."""

import contextlib

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework import plugins

pytestmark = pytest.mark.skipif(
    not any(p.is_cpu for p in plugins.installed()) or not _core.pjrt.built_in(),
    reason="needs the package xla-cpu-pjrt",
)
keras = tf.keras
context = tf.distribute.get_replica_context


@pytest.fixture(params=[2, 4])
def strategy(request):
    return tf.distribute.MirroredStrategy([f"/device:XLA_CPU:{k}" for k in range(request.param)])


def per_replica(strategy, make):
    """Values of the replicas, by their numbers."""
    return strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant(make(c.replica_id_in_sync_group))
    )


def local(strategy, value):
    return [v.numpy() for v in strategy.experimental_local_results(value)]


@contextlib.contextmanager
def one_program(capfd, reason=None):
    """What runs inside has a program for all replicas, or says why not."""
    tf.debugging.set_log_device_placement(True)
    try:
        yield
    finally:
        tf.debugging.set_log_device_placement(False)
    lines = [line for line in capfd.readouterr().err.splitlines() if "for all replicas" in line]
    if reason is None:
        assert not lines
    else:
        assert reason in lines[0]


def test_a_training_step(strategy, capfd):
    """Gradients are added up inside the program, and each device updates its copy."""
    count = strategy.num_replicas_in_sync
    with strategy.scope():
        w = tf.Variable([2.0, 1.0])

    @tf.function
    def step(x):
        number = tf.cast(context().replica_id_in_sync_group + 1, tf.float32)
        with tf.GradientTape() as tape:
            loss = number * tf.reduce_sum(tf.square(w) * x)
        gradient = context().all_reduce("SUM", tape.gradient(loss, w))
        w.assign_sub(0.01 * gradient)
        return loss, gradient

    @tf.function
    def train(x):
        losses, gradients = strategy.run(step, args=(x,))
        return strategy.reduce("MEAN", losses, axis=None), losses, gradients

    x = per_replica(strategy, lambda k: [1.0, float(k)])
    expected = np.array([2.0, 1.0])
    with one_program(capfd):
        for _ in range(3):
            mean, losses, gradients = train(x)
            each = [(k + 1) * (expected**2 * [1, k]).sum() for k in range(count)]
            total = sum((k + 1) * 2 * expected * [1, k] for k in range(count))
            np.testing.assert_allclose(local(strategy, losses), each, rtol=1e-5)
            np.testing.assert_allclose(mean, np.mean(each), rtol=1e-5)
            np.testing.assert_allclose(local(strategy, gradients), [total] * count, rtol=1e-5)
            expected = expected - 0.01 * total
            np.testing.assert_allclose([v.numpy() for v in w.values], [expected] * count, rtol=1e-5)
    count_of_programs, text = train.get_concrete_function(x).graph.program
    assert count_of_programs == 1
    assert "stablehlo.all_reduce" in text
    assert text.count("stablehlo.reduce") == 1
    places = [f"XLA_CPU:{k}" for k in range(count)]
    assert [v.device.rpartition("device:")[2] for v in w.values] == places
    assert [v.device.rpartition("device:")[2] for v in losses.values] == places


def test_values_side_by_side(strategy, capfd):
    """Gathered values stand in the order of the replicas."""
    count = strategy.num_replicas_in_sync
    step = tf.function(lambda x: context().all_gather(x * 2.0, axis=1))
    with one_program(capfd):
        gathered = strategy.run(step, args=(per_replica(strategy, lambda k: [[float(k)]]),))
    for each in local(strategy, gathered):
        np.testing.assert_array_equal(each, [[2.0 * k for k in range(count)]])


def test_control_flow(strategy, capfd):
    """Loops and branches inside of replicas, which read and change variables."""
    with strategy.scope():
        w = tf.Variable(1.0)
        total = tf.Variable(
            0.0,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )

    @tf.function
    def step(x):
        while x < 10.0:
            x = x * 2.0 + w
        if x > 15.0:
            total.assign_add(x)
        return x

    with one_program(capfd):
        x = strategy.run(step, args=(per_replica(strategy, lambda k: k + 1.0),))
    expected = [15.0, 11.0, 15.0, 19.0][: strategy.num_replicas_in_sync]
    np.testing.assert_array_equal(local(strategy, x), expected)
    assert float(total.read_value()) == sum(v for v in expected if v > 15)


def test_random_numbers(strategy, capfd):
    """Replicas draw different ones."""
    step = tf.function(lambda: tf.random.uniform([3]))
    with one_program(capfd):
        values = local(strategy, strategy.run(step))
    assert len({tuple(v) for v in values}) == strategy.num_replicas_in_sync


def test_variables_that_replicas_share(strategy, capfd):
    """They are read by all; what is assigned to them outside of replicas is assigned once."""
    shared = tf.Variable(3.0)
    with strategy.scope():
        w = tf.Variable(1.0)

    @tf.function
    def train():
        def step():
            w.assign_add(context().all_reduce("SUM", shared * w))
            return shared + w

        result = strategy.run(step)
        shared.assign_add(1.0)
        return result

    count = strategy.num_replicas_in_sync
    with one_program(capfd):
        np.testing.assert_allclose(local(strategy, train()), [4.0 + 3.0 * count] * count)
    assert float(shared) == 4.0


def test_replicas_that_differ(strategy, capfd):
    """The operations of all run as one program of the first device, which is said."""

    @tf.function
    def step(x):
        if context().replica_id_in_sync_group == 0:
            x = tf.exp(x)
        return context().all_reduce("SUM", x)

    with one_program(capfd, "replicas do not do the same"):
        total = strategy.run(step, args=(per_replica(strategy, lambda k: float(k)),))
    count = strategy.num_replicas_in_sync
    np.testing.assert_allclose(local(strategy, total), [1 + sum(range(count))] * count)


@pytest.mark.parametrize("optimizer", ["adam", "sgd", "rmsprop"])
def test_fit(strategy, optimizer, capfd):
    """Keras trains as on one device; the steps of training, evaluation and prediction are programs."""
    x = np.random.RandomState(0).randn(64, 6).astype("float32")
    y = np.random.RandomState(1).randint(0, 3, 64)

    def results(scope):
        keras.utils.set_random_seed(3)
        with scope:
            model = keras.Sequential(
                [keras.layers.Dense(8, "relu", input_shape=(6,)), keras.layers.Dense(3)]
            )
            loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
            model.compile(optimizer, loss, metrics=["accuracy"])
        history = model.fit(x, y, 32, epochs=2, verbose=0, shuffle=False).history
        rest = [*history["accuracy"], *model.evaluate(x, y, verbose=0)]
        return np.array([*history["loss"], *rest]), model.predict(x, verbose=0)

    with one_program(capfd):
        found = results(strategy.scope())
    for ours, expected in zip(found, results(tf.device("CPU:0")), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=2e-3, atol=2e-4)


def test_layers_that_share_statistics(strategy, capfd):
    """Dropout draws masks of its own in each replica, and batch normalization keeps its means."""
    keras.utils.set_random_seed(3)
    with strategy.scope():
        model = keras.Sequential(
            [
                keras.layers.Dense(8, "relu", input_shape=(6,)),
                keras.layers.BatchNormalization(),
                keras.layers.Dropout(0.5),
                keras.layers.Dense(1),
            ]
        )
        model.compile("adam", "mse")
    x = np.random.RandomState(0).randn(64, 6).astype("float32") + 1.0
    with one_program(capfd):
        losses = model.fit(x, x[:, :1], 32, epochs=8, verbose=0).history["loss"]
    assert losses[-1] < losses[0]
    # Each replica has statistics of its own, which reading joins.
    mean = model.layers[1].moving_mean
    copies = [copy.numpy() for copy in mean.values]
    assert not np.allclose(copies[0], copies[1])
    np.testing.assert_allclose(tf.convert_to_tensor(mean), np.mean(copies, axis=0), rtol=1e-5)


def test_sums_of_metrics_keep_what_rounding_loses(strategy, capfd):
    with strategy.scope():
        metric = keras.metrics.Sum()

    @tf.function
    def step(x):
        strategy.run(metric.update_state, (x,))

    with one_program(capfd):
        step(tf.constant(2.0**24))
        for _ in range(4):
            step(tf.constant(1.0))
    count = strategy.num_replicas_in_sync
    assert metric.result().numpy() == count * (2.0**24 + 4)
