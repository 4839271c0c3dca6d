"""Values of processes that are joined, in graphs and without them."""

import numpy as np
import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
count = strategy.num_replicas_in_sync
(number,) = strategy.experimental_local_results(
    strategy.run(lambda: tf.distribute.get_replica_context().replica_id_in_sync_group)
)
number = int(number)
numbers = np.arange(count)
assert strategy.extended.should_checkpoint == (number == 0)

# Variables begin with the first process's value.
with strategy.scope():
    v = tf.Variable([float(number), 5.0])
    text = tf.Variable(f"of {number}")
    total = tf.Variable(
        1.0 + number,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.SUM,
        trainable=False,
    )
    summed = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)
assert v.numpy().tolist() == [0.0, 5.0]
assert text.numpy() == b"of 0"
strategy.run(lambda: total.assign(float(number)))
assert float(total.read_value()) == numbers.sum()
strategy.run(lambda: summed.assign_add(float(number)))
assert float(summed) == numbers.sum()


def reductions(x):
    context = tf.distribute.get_replica_context()
    rows = tf.fill([number + 1, 2], x)
    sparse = tf.IndexedSlices(rows[:1], tf.constant([number]), tf.constant([count, 2]))
    parts = {"a": x, "b": [tf.reshape(x, [1]), tf.cast(x, tf.int32)], "c": tf.cast(x, tf.bfloat16)}
    return (
        context.all_reduce("SUM", parts),
        context.all_reduce("MEAN", x),
        context.all_gather(rows, 0),
        context.all_gather(tf.transpose(rows), 1),
        tf.convert_to_tensor(context.all_reduce("SUM", sparse)),
    )


for run in (strategy.run, tf.function(strategy.run)):
    parts, mean, rows, columns, sparse = run(reductions, (tf.constant(float(number)),))
    for part in tf.nest.flatten(parts):
        assert float(tf.reduce_sum(tf.cast(part, tf.float32))) == numbers.sum()
    assert parts["c"].dtype == tf.bfloat16 and parts["b"][1].dtype == tf.int32
    assert float(mean) == numbers.mean()
    expected = np.repeat(numbers, numbers + 1)
    np.testing.assert_array_equal(rows, np.stack([expected] * 2, 1))
    np.testing.assert_array_equal(columns, np.stack([expected] * 2))
    np.testing.assert_array_equal(sparse, np.stack([numbers] * 2, 1))

value = tf.constant([1.0, 2.0]) * number
np.testing.assert_array_equal(
    strategy.reduce("SUM", value, None), [numbers.sum(), 2 * numbers.sum()]
)
assert float(strategy.reduce("MEAN", value, 0)) == 1.5 * numbers.mean()
np.testing.assert_array_equal(strategy.gather(value, 0)[::2], numbers)

# Gradients flow through what joins values.
with tf.GradientTape() as tape:
    x = tf.constant(2.0)
    tape.watch(x)
    y = strategy.run(
        lambda: tf.distribute.get_replica_context().all_reduce("SUM", x * (number + 1))
    )
assert float(tape.gradient(y, x)) == count * (number + 1)

# Large tensors travel alone, the same in each run.
large = tf.random.stateless_normal([300_000], seed=[number, 1])
first, second = (strategy.reduce("SUM", large, None).numpy() for _ in range(2))
assert first.tobytes() == second.tobytes()
print("done")
