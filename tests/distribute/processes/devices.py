"""Two devices in each process: a replica on each of them."""

import numpy as np
import tensorflow as tf

from eagerflow.distribute.cluster import ClusterSpec
from eagerflow.distribute.cluster_resolver import SimpleClusterResolver
from eagerflow.distribute.extended import StrategyExtended
from eagerflow.distribute.strategy import Strategy
from eagerflow.distribute.workers import join_workers

tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)


class OnCPUs(Strategy):
    """MultiWorkerMirroredStrategy as it is on machines with two accelerators."""

    def __init__(self):
        names = [f"/job:localhost/replica:0/task:0/device:CPU:{k}" for k in range(2)]
        workers = join_workers(SimpleClusterResolver(ClusterSpec({})))
        super().__init__(StrategyExtended(self, names, communicator=workers, copies=True))


strategy = OnCPUs()
count = strategy.num_replicas_in_sync
rank = strategy.extended._communicator.rank
assert count == 2 * strategy.extended._communicator.size
with strategy.scope():
    v = tf.Variable(1.0 + rank)
    total = tf.Variable(
        0.0,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.SUM,
        trainable=False,
    )
assert [float(each) for each in v.values] == [1.0, 1.0]


def of_replica():
    context = tf.distribute.get_replica_context()
    number = tf.cast(context.replica_id_in_sync_group, tf.float32)
    total.assign_add(number)
    return number, context.all_reduce("SUM", number), context.all_gather(number[None], 0)


sum_of_all = count * (count - 1) / 2
for run in (strategy.run, tf.function(strategy.run)):
    numbers, sums, gathered = run(of_replica)
    local = [float(each) for each in strategy.experimental_local_results(numbers)]
    assert local == [2 * rank, 2 * rank + 1]
    for each in strategy.experimental_local_results(sums):
        assert float(each) == sum_of_all
    for each in strategy.experimental_local_results(gathered):
        np.testing.assert_array_equal(each, np.arange(count))
    assert float(strategy.reduce("MEAN", numbers, None)) == (count - 1) / 2
assert float(total.read_value()) == 2 * sum_of_all

# fit computes what one replica would.
x = np.random.RandomState(0).randn(48, 5).astype("float32")


def trained():
    tf.keras.utils.set_random_seed(3)
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input([5]),
            tf.keras.layers.Dense(8, activation="tanh"),
            tf.keras.layers.BatchNormalization(synchronized=True),
            tf.keras.layers.Dense(1),
        ]
    )
    model.compile(tf.keras.optimizers.Adam(0.01), "mse")
    model.fit(x, x.sum(1), batch_size=16, epochs=2, shuffle=False, verbose=0)
    return model.get_weights()


with strategy.scope():
    found = trained()
for one, other in zip(trained(), found, strict=True):
    np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6)
print("done")
