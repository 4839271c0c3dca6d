"""Datasets of version 1.4: one-shot, initializable, reinitializable and feedable iterators."""

import os
import tempfile

import numpy as np
import tensorflow as tf

path = os.path.join(tempfile.mkdtemp(), "rows.csv")
with open(path, "w") as out:
    out.write("a,b\n" + "".join("%d,%.1f\n" % (i, i / 2.0) for i in range(7)))


def parse(line):
    a, b = tf.decode_csv(line, [[0], [0.0]])
    return {"a": a}, b


lines = tf.data.TextLineDataset(path).skip(1).map(parse, num_parallel_calls=2)
features, target = lines.shuffle(10, seed=1).repeat(2).batch(4).make_one_shot_iterator().get_next()

limit = tf.placeholder(tf.int64, shape=[])
counted = tf.data.Dataset.range(limit).filter(lambda v: tf.equal(v % 2, 0)).prefetch(1)
initializable = counted.make_initializable_iterator()
number = initializable.get_next()

training = tf.data.Dataset.range(100, 103).map(lambda v: v + tf.random_uniform([], -1, 1, tf.int64))
validation = tf.data.Dataset.range(5)
switch = tf.data.Iterator.from_structure(training.output_types, training.output_shapes)
element = switch.get_next()
to_training, to_validation = switch.make_initializer(training), switch.make_initializer(validation)

handle = tf.placeholder(tf.string, shape=[])
feedable = tf.data.Iterator.from_string_handle(
    handle, validation.output_types, validation.output_shapes
)
either = feedable.get_next()
endless = validation.repeat().make_one_shot_iterator()

images = tf.placeholder(np.float32, [None, 2, 2])
slices = tf.data.Dataset.from_tensor_slices(
    {"image": images, "label": tf.range(tf.shape(images)[0])}
)
slices = slices.apply(tf.contrib.data.batch_and_drop_remainder(2)).make_initializable_iterator()
batch = slices.get_next()

words = tf.data.Dataset.from_tensor_slices(["one two", "three", "four five six"])
padded = words.map(lambda s: tf.string_split([s]).values).padded_batch(
    3, [None], padding_values="-"
)
padded = padded.make_one_shot_iterator().get_next()
flat = tf.data.Dataset.from_generator(
    lambda: ((i, [i] * i) for i in range(4)), (tf.int64, tf.int64), ([], [None])
)
flat = (
    flat.flat_map(lambda n, v: tf.data.Dataset.from_tensor_slices(v))
    .make_one_shot_iterator()
    .get_next()
)
zipped = tf.data.Dataset.zip((validation, validation.map(lambda v: v * v))).interleave(
    lambda a, b: tf.data.Dataset.from_tensors(a + b).repeat(2), cycle_length=2, block_length=1
)
zipped = zipped.make_one_shot_iterator().get_next()
print(features["a"].get_shape(), lines.output_types, batch["image"].get_shape(), padded.get_shape())


def drain(sess, fetch):
    found = []
    while True:
        try:
            found.append(sess.run(fetch))
        except tf.errors.OutOfRangeError:
            return found


with tf.Session() as sess:
    rows = drain(sess, [features["a"], target])
    print([len(a) for a, _ in rows], sorted(np.concatenate([a for a, _ in rows]).tolist()))
    for n in (5, 8):
        sess.run(initializable.initializer, feed_dict={limit: n})
        print([int(v) for v in drain(sess, number)])
    for initializer in (to_training, to_validation, to_training):
        sess.run(initializer)
        print(len(drain(sess, element)))
    handles = sess.run([endless.string_handle(), initializable.string_handle()])
    sess.run(initializable.initializer, {limit: 6})
    print([int(sess.run(either, {handle: handles[i % 2]})) for i in range(6)])
    sess.run(slices.initializer, {images: np.arange(20.0).reshape(5, 2, 2)})
    print([b["label"].tolist() for b in drain(sess, batch)])
    print(
        sess.run(padded).tolist(),
        [int(v) for v in drain(sess, flat)],
        [int(v) for v in drain(sess, zipped)],
    )
