"""Rows of files of comma-separated values are read by queues, in threads of runners."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_iris

folder = tempfile.mkdtemp()
iris = load_iris()
for part in range(3):
    with open(os.path.join(folder, "iris%d.csv" % part), "w") as out:
        out.write("sl,sw,pl,pw,kind\n")
        for row, kind in list(zip(iris.data, iris.target))[part::3]:
            out.write(",".join("%.1f" % v for v in row) + ",%d\n" % kind)

names = tf.train.match_filenames_once(os.path.join(folder, "iris*.csv"))
queue = tf.train.string_input_producer(names, num_epochs=1, shuffle=False)
reader = tf.TextLineReader(skip_header_lines=1)
key, value = reader.read(queue)
columns = tf.decode_csv(value, record_defaults=[[0.0]] * 4 + [[0]])
features = tf.stack(columns[:4])
feature_batch, label_batch = tf.train.batch([features, columns[4]], batch_size=10, capacity=100)
print(features.get_shape(), feature_batch.get_shape(), label_batch.dtype)

total, count = np.zeros(4), 0
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        while not coord.should_stop():
            rows, kinds = sess.run([feature_batch, label_batch])
            total += rows.sum(0)
            count += len(kinds)
    except tf.errors.OutOfRangeError:
        print("done reading, rows: %d" % count)
    finally:
        coord.request_stop()
    coord.join(threads)
    print("mean %s" % np.round(total / count, 3))
    print(
        "left: %d, produced %d" % (sess.run(queue.size()), sess.run(reader.num_records_produced()))
    )
assert count == 150 and np.allclose(total / count, iris.data.mean(0), atol=1e-4)
