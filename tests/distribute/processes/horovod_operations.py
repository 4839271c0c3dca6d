"""Horovod's operations and their gradients, process sets, and what makes processes the same."""

import horovod.tensorflow as hvd
import numpy as np
import tensorflow as tf

hvd.init()
rank, size = hvd.rank(), hvd.size()
ranks = np.arange(size)
total = size * (size + 1) / 2
assert (hvd.local_rank(), hvd.local_size(), hvd.cross_rank(), hvd.cross_size()) == (
    rank,
    size,
    0,
    1,
)

x = tf.constant([1.0, 2.0]) * (rank + 1)
expected = np.array([1.0, 2.0])
np.testing.assert_allclose(hvd.allreduce(x), expected * total / size)
np.testing.assert_allclose(hvd.allreduce(x, average=False), expected * total)
np.testing.assert_allclose(hvd.allreduce(x, op=hvd.Max), expected * size)
np.testing.assert_allclose(hvd.allreduce(x, op=hvd.Min), expected)
np.testing.assert_allclose(hvd.allreduce(x, op=hvd.Sum, prescale_factor=2.0), expected * total * 2)
for compression in (hvd.Compression.fp16, hvd.Compression.bf16):
    half = hvd.allreduce(x, op=hvd.Sum, compression=compression)
    assert half.dtype == tf.float32
    np.testing.assert_allclose(half, expected * total)
several = hvd.grouped_allreduce([x, tf.constant(rank), x * 2], op=hvd.Sum)
np.testing.assert_allclose(several[0] + several[2], expected * total * 3)
assert int(several[1]) == ranks.sum()

rows = hvd.allgather(tf.fill([rank + 1, 2], float(rank)))
np.testing.assert_array_equal(rows[:, 0], np.repeat(ranks, ranks + 1))
assert hvd.allgather(tf.constant([f"of {rank}"])).numpy().tolist() == [
    f"of {k}".encode() for k in ranks
]
np.testing.assert_allclose(hvd.broadcast(x, size - 1), expected * size)
assert hvd.broadcast(tf.constant(f"of {rank}"), 1).numpy() == b"of 1"
try:
    hvd.broadcast(tf.zeros([rank + 1]), 0)
except ValueError as error:
    assert "is broadcast from rank 0" in str(error)
else:
    raise AssertionError
sent = tf.range(2 * size) + 100 * rank
received, splits = hvd.alltoall(sent, splits=[2] * size)
np.testing.assert_array_equal(
    received, np.stack([100 * ranks + 2 * rank, 100 * ranks + 2 * rank + 1], 1).ravel()
)
np.testing.assert_array_equal(splits, [2] * size)
np.testing.assert_array_equal(hvd.alltoall(sent), received)
scattered = hvd.reducescatter(tf.range(size + 1.0) * (rank + 1), op=hvd.Sum)
own = [0, 1] if rank == 0 else [rank + 1]
np.testing.assert_allclose(scattered, np.array(own) * total)


def gradient(function):
    """The gradient at x of the sum of a function's results, weighed 1, 2 and so on."""

    def of(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
            loss = tf.reduce_sum(y * tf.range(1.0, tf.cast(tf.size(y), tf.float32) + 1.0))
        return tape.gradient(loss, x)

    eager, traced = of(x).numpy(), tf.function(of)(x).numpy()
    np.testing.assert_array_equal(eager, traced)
    return eager


np.testing.assert_allclose(gradient(lambda x: hvd.allreduce(x, op=hvd.Sum)), expected * size)
np.testing.assert_allclose(gradient(hvd.allreduce), expected)
np.testing.assert_allclose(gradient(hvd.allgather), [2 * rank + 1, 2 * rank + 2])
np.testing.assert_allclose(gradient(lambda x: hvd.broadcast(x, 0)), expected * (rank == 0))

v = tf.Variable([float(rank)] * 3)
hvd.broadcast_variables([v], root_rank=1)
assert v.numpy().tolist() == [1.0] * 3
assert hvd.broadcast_object({"rank": rank}, 1) == {"rank": 1}
assert hvd.allgather_object(rank) == list(ranks)

last = hvd.add_process_set(hvd.ProcessSet([size - 1]))
assert last.included() == (rank == size - 1) and last.size() == 1
if last.included():
    assert float(hvd.allreduce(tf.constant(float(rank)), op=hvd.Sum, process_set=last)) == rank
else:
    try:
        hvd.allreduce(x, process_set=last)
    except ValueError as error:
        assert "is not in the process set" in str(error)
    else:
        raise AssertionError
assert hvd.remove_process_set(last)

for refused, name in (
    (lambda: hvd.allreduce(x, op=hvd.Adasum), "Adasum"),
    (lambda: hvd.elastic.run, "elastic"),
    (hvd.join, "join"),
):
    try:
        refused()
    except NotImplementedError as error:
        assert name in str(error)
    else:
        raise AssertionError(name)
print("done")
