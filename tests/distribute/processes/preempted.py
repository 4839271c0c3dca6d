"""Trains until one of the processes is told to end; the next run goes on from there."""

import os
import signal
import sys

import tensorflow as tf

folder, stop_at = sys.argv[1], int(sys.argv[2])
strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.cluster_resolver.task_id or 0
with strategy.scope():
    step = tf.Variable(0, dtype=tf.int64)
    total = tf.Variable(0.0)
    checkpoint = tf.train.Checkpoint(step=step, total=total)
handler = tf.distribute.experimental.PreemptionCheckpointHandler(
    strategy.cluster_resolver, checkpoint, folder
)
print(f"begins at {int(step)}", flush=True)


@tf.function
def train():
    def replica():
        context = tf.distribute.get_replica_context()
        return context.all_reduce("SUM", tf.constant(1.0))

    total.assign_add(strategy.reduce("MEAN", strategy.run(replica), axis=None))
    step.assign_add(1)


while step < 10:
    if int(step) == stop_at and rank == strategy.extended._communicator.size - 1:
        os.kill(os.getpid(), signal.SIGTERM)
    handler.run(train)
expected = 10.0 * strategy.num_replicas_in_sync
assert float(total) == expected, (float(total), expected)
print(f"done after {handler.total_run_calls}", flush=True)
