"""What each process reads of a dataset."""

import os
import tempfile

import tensorflow as tf

Policy = tf.data.experimental.AutoShardPolicy
strategy = tf.distribute.MultiWorkerMirroredStrategy()
count = strategy.num_replicas_in_sync
resolver = strategy.cluster_resolver
assert (resolver.task_type, resolver.task_id) == ("worker", strategy.extended._communicator.rank)
contexts = []


def values(dataset):
    return [strategy.experimental_local_results(part)[0].numpy().tolist() for part in dataset]


def of(dataset, policy=None):
    if policy is not None:
        options = tf.data.Options()
        options.experimental_distribute.auto_shard_policy = policy
        dataset = dataset.with_options(options)
    return values(strategy.experimental_distribute_dataset(dataset))


def made(context):
    contexts.append(context)
    size = context.get_per_replica_batch_size(2 * count)
    return tf.data.Dataset.range(2 + 2 * context.input_pipeline_id).batch(size)


parts = values(strategy.distribute_datasets_from_function(made))
(context,) = contexts
rank = context.input_pipeline_id
assert (context.num_input_pipelines, context.num_replicas_in_sync) == (count, count)
# Those that have fewer batches go on with empty ones.
assert parts == [[2 * k, 2 * k + 1] if k <= rank else [] for k in range(count)]

numbers = tf.data.Dataset.range(3 * count).batch(2 * count)
expected = [[2 * rank, 2 * rank + 1], [2 * count + rank]]
assert of(numbers) == of(numbers, Policy.DATA) == expected
assert of(numbers, Policy.OFF) == [
    *([2 * k, 2 * k + 1] for k in range(count)),
    *([2 * count + k, 2 * count + k + 1][: count - k] for k in range(0, count, 2)),
]
try:
    of(numbers, Policy.FILE)
except tf.errors.NotFoundError as error:
    assert "unshardable" in str(error)
else:
    raise AssertionError
try:
    of(tf.data.Dataset.range(3))
except ValueError as error:
    assert "must be batched" in str(error)
else:
    raise AssertionError

with tempfile.TemporaryDirectory() as folder:
    names = [os.path.join(folder, f"{k}.txt") for k in range(count + 1)]
    for k, name in enumerate(names):
        with open(name, "w") as file:
            file.write(f"{k}a\n{k}b\n")
    own = [k for k in range(count + 1) if k % count == rank]
    lines = [f"{k}{letter}".encode() for k in own for letter in "ab"]
    text = tf.data.TextLineDataset(names).map(lambda line: line).batch(count)
    for policy in (Policy.FILE, Policy.AUTO):
        assert sum(of(text, policy), []) == lines
    found = tf.data.Dataset.from_tensor_slices(names)
    nested = found.interleave(tf.data.TextLineDataset, cycle_length=1).batch(count)
    assert sum(of(nested, Policy.FILE), []) == lines
    few = tf.data.TextLineDataset(names[:1]).batch(count)
    try:
        of(few)
    except tf.errors.InvalidArgumentError as error:
        assert "only has 1 file(s)" in str(error)
    else:
        raise AssertionError
print("done")
