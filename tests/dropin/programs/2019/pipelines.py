"""Pipelines of 2.0: experimental transformations, ragged batches, CSV, windows, options, generators."""

import os
import random
import tempfile

import numpy as np
import tensorflow as tf

random.seed(1)  # of which Keras makes the seeds of first weights

folder = tempfile.mkdtemp()
path = os.path.join(folder, "train.csv")
with open(path, "w") as out:
    out.write(
        "survived,age,sex\n"
        + "".join("%d,%.1f,%s\n" % (i % 2, i * 1.5, "mf"[i % 2]) for i in range(10))
    )
csv = tf.data.experimental.make_csv_dataset(
    path, batch_size=5, label_name="survived", num_epochs=1, shuffle=False
)
for features, label in csv.take(1):
    print({k: v.numpy().tolist() for k, v in features.items()}, label.numpy())
columns = tf.data.experimental.CsvDataset(
    path, [tf.int32, tf.float32], header=True, select_cols=[0, 1]
)
print([(int(a), float(b)) for a, b in columns.take(3)])

words = tf.data.Dataset.from_tensor_slices(["a b", "c", "d e f g", "h i", "j", "k l m"]).map(
    lambda s: tf.strings.split(s)
)
bucketed = words.map(lambda t: (t, tf.size(t))).apply(
    tf.data.experimental.bucket_by_sequence_length(
        lambda t, n: n, [2, 3], [2, 2, 2], padding_values=("", 0)
    )
)
print(sorted(t.shape.as_list() for t, _ in bucketed))
ragged = words.apply(tf.data.experimental.dense_to_ragged_batch(3))
print(next(iter(ragged)).to_list())
grouped = tf.data.Dataset.range(9).apply(
    tf.data.experimental.group_by_window(lambda v: v % 3, lambda key, w: w.batch(3), window_size=3)
)
print([b.numpy().tolist() for b in grouped])
windows = (
    tf.data.Dataset.range(7).window(3, shift=2, drop_remainder=True).flat_map(lambda w: w.batch(3))
)
print([w.numpy().tolist() for w in windows])
ints, floats = (
    tf.data.Dataset.range(3),
    tf.data.Dataset.from_tensors(7).repeat(3).map(lambda v: tf.cast(v, tf.int64)),
)
print(
    [
        int(v)
        for v in tf.data.experimental.choose_from_datasets(
            [ints, floats], tf.data.Dataset.range(2).repeat(3)
        )
    ]
)
weighted = tf.data.experimental.sample_from_datasets(
    [ints.repeat(), floats.repeat()], [0.5, 0.5], seed=1
)
print(len([v for v in weighted.take(6)]), tf.data.experimental.cardinality(ints).numpy())
counted = tf.data.experimental.Counter(start=2, step=3).take(3)
unique = tf.data.Dataset.from_tensor_slices([1, 2, 2, 3, 1]).apply(tf.data.experimental.unique())
scanned = tf.data.Dataset.range(5).apply(
    tf.data.experimental.scan(np.int64(0), lambda s, v: (s + v, s + v))
)
kept = tf.data.Dataset.range(9).apply(tf.data.experimental.take_while(lambda v: v < 4))
print([[int(v) for v in d] for d in (counted, unique, scanned, kept)])


def generator(n):
    for i in range(n):
        yield i, np.full((i,), i, np.float32)


generated = tf.data.Dataset.from_generator(
    generator, args=[4], output_types=(tf.int32, tf.float32), output_shapes=((), (None,))
)
print([(int(a), b.numpy().tolist()) for a, b in generated])
options = tf.data.Options()
options.experimental_deterministic = True
options.experimental_optimization.map_parallelization = True
options.experimental_threading.private_threadpool_size = 2
fast = (
    tf.data.Dataset.range(20)
    .map(lambda v: v * v, num_parallel_calls=tf.data.experimental.AUTOTUNE)
    .with_options(options)
)
print(
    fast.reduce(np.int64(0), lambda s, v: s + v).numpy(),
    fast.prefetch(tf.data.experimental.AUTOTUNE).element_spec,
)
examples = [
    tf.train.Example(
        features=tf.train.Features(
            feature={"x": tf.train.Feature(float_list=tf.train.FloatList(value=[i, i + 0.5]))}
        )
    )
    for i in range(3)
]
records = os.path.join(folder, "x.tfrecord")
writer = tf.data.experimental.TFRecordWriter(records)
writer.write(
    tf.data.Dataset.from_generator(lambda: (e.SerializeToString() for e in examples), tf.string, ())
)
parsed = tf.data.TFRecordDataset(records).map(
    lambda s: tf.io.parse_single_example(s, {"x": tf.io.FixedLenFeature([2], tf.float32)})
)
print([row["x"].numpy().tolist() for row in parsed])
ds = tf.data.Dataset.range(6).shuffle(6, seed=3, reshuffle_each_iteration=False)
print(
    [int(v) for v in ds] == [int(v) for v in ds],
    [int(v) for v in ds.apply(tf.data.experimental.ignore_errors()).shard(2, 0)] != [],
)
iterator = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(3))
print(iterator.get_next().numpy(), next(iter(tf.data.Dataset.range(3).enumerate(5)))[0].numpy())
print(tf.data.experimental.get_single_element(tf.data.Dataset.range(4).batch(4)).numpy())
