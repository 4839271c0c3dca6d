"""Strategies on one device: what programs written for several ask of them."""

import numpy as np
import pytest

import eagerflow as tf


def test_replicas():
    strategy = tf.distribute.MirroredStrategy()
    assert strategy.num_replicas_in_sync == 1
    assert not tf.distribute.has_strategy() and not tf.distribute.in_cross_replica_context()
    with strategy.scope():
        assert tf.distribute.get_strategy() is strategy
        assert tf.distribute.in_cross_replica_context()
        assert tf.distribute.get_replica_context() is None

    def step(x):
        context = tf.distribute.get_replica_context()
        assert not tf.distribute.in_cross_replica_context()
        assert context.strategy is strategy
        return context.replica_id_in_sync_group, context.all_reduce("sum", x * 2.0)

    replica, doubled = strategy.run(step, args=(tf.constant(3.0),))
    assert int(replica) == 0 and float(doubled) == 6.0
    assert tf.distribute.get_replica_context() is not None


def test_reductions():
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    values = tf.constant([1.0, 2.0])
    assert float(strategy.reduce(tf.distribute.ReduceOp.MEAN, values, axis=0)) == 1.5
    assert float(strategy.reduce("SUM", values, axis=0)) == 3.0
    np.testing.assert_array_equal(strategy.reduce("SUM", values, axis=None), values)
    with pytest.raises(ValueError, match="not a valid ReduceOp"):
        strategy.reduce("X", values, axis=None)


def test_training():
    strategy = tf.distribute.MirroredStrategy()
    dataset = tf.data.Dataset.from_tensor_slices((np.ones((8, 3), "f"), np.ones((8, 1), "f")))
    distributed = strategy.experimental_distribute_dataset(dataset.batch(4))
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        optimizer = tf.keras.optimizers.SGD(0.1)

    def step(x, y):
        with tf.GradientTape() as tape:
            losses = tf.square(model(x) - y)
            loss = tf.nn.compute_average_loss(losses[:, 0], global_batch_size=4)
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    totals = []
    for _ in range(20):
        losses = [strategy.run(step, args=batch) for batch in distributed]
        totals.append(float(strategy.reduce("SUM", losses[-1], axis=None)))
    assert totals[-1] < 0.01 * totals[0] + 1e-6


def test_input_functions():
    strategy = tf.distribute.MirroredStrategy()
    dataset = strategy.distribute_datasets_from_function(
        lambda context: tf.data.Dataset.range(4).batch(context.get_per_replica_batch_size(2))
    )
    assert [x.numpy().tolist() for x in dataset] == [[0, 1], [2, 3]]
    context = tf.distribute.InputContext(num_replicas_in_sync=2)
    with pytest.raises(ValueError, match="not divisible"):
        context.get_per_replica_batch_size(3)


def test_devices_that_are_not_there():
    with pytest.raises(ValueError, match="Unknown attribute 'foo'"):
        tf.distribute.MirroredStrategy(["foo:0"])
    # Soft placement runs it on the CPU.
    assert tf.distribute.MirroredStrategy(["/gpu:0"]).run(lambda: tf.constant(1.0) + 1) == 2.0
    with pytest.raises(RuntimeError, match="scope"), tf.distribute.MirroredStrategy().scope():
        tf.distribute.get_strategy().run(lambda: tf.distribute.experimental_set_strategy(None))


def test_changes_without_a_value_are_operations_of_functions():
    with tf.distribute.MirroredStrategy(["cpu:0"]).scope():
        v = tf.Variable(1.0)

    @tf.function
    def change():
        assert v.assign(4.0, read_value=False).type == "AssignVariableOp"

    change()
    assert float(v) == 4.0


def test_changes_without_a_value_give_none():
    with tf.distribute.MirroredStrategy(["cpu:0"]).scope():
        v = tf.Variable(1.0)
        assert (
            v.assign(2.0, read_value=False) is None and v.assign_sub(1.0, read_value=False) is None
        )
        assert float(v) == 1.0 and float(v.assign_add(2.0)) == 3.0


def test_devices_are_named_by_what_lists_them():
    (cpu,) = tf.config.list_logical_devices("CPU")
    for device in (cpu, cpu.name, tf.DeviceSpec.from_string(cpu.name)):
        strategies = [
            tf.distribute.MirroredStrategy([device]),
            tf.distribute.OneDeviceStrategy(device),
            tf.distribute.experimental.CentralStorageStrategy([device], device),
        ]
        with tf.device(device):
            name = tf.constant(1).device
        for strategy in strategies:
            assert list(strategy.extended.worker_devices) == [name]
