"""Images are written as records and read back through shuffled batches.

Messages need protobuf: pip install 'eagerflow[messages]'
"""

import os
import tempfile

import numpy as np
import tensorflow as tf

path = os.path.join(tempfile.mkdtemp(), "train.tfrecords")


def _int64(value):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))


def _bytes(value):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


rng = np.random.RandomState(1)
images = rng.randint(0, 256, (60, 6, 5, 1)).astype(np.uint8)
writer = tf.python_io.TFRecordWriter(path)
for index, image in enumerate(images):
    example = tf.train.Example(
        features=tf.train.Features(
            feature={
                "height": _int64(6),
                "width": _int64(5),
                "label": _int64(index % 3),
                "image_raw": _bytes(image.tobytes()),
            }
        )
    )
    writer.write(example.SerializeToString())
writer.close()
first = tf.train.Example()
first.ParseFromString(next(tf.python_io.tf_record_iterator(path)))
print(sorted(first.features.feature), first.features.feature["height"].int64_list.value[0])


def read_and_decode(filename_queue):
    reader = tf.TFRecordReader()
    _, serialized = reader.read(filename_queue)
    features = tf.parse_single_example(
        serialized,
        features={
            "image_raw": tf.FixedLenFeature([], tf.string),
            "label": tf.FixedLenFeature([], tf.int64),
        },
    )
    image = tf.decode_raw(features["image_raw"], tf.uint8)
    image.set_shape([30])
    image = tf.cast(image, tf.float32) * (1.0 / 255) - 0.5
    return image, tf.cast(features["label"], tf.int32)


with tf.Graph().as_default():
    with tf.name_scope("input"):
        filename_queue = tf.train.string_input_producer([path], num_epochs=2)
        image, label = read_and_decode(filename_queue)
        batch, sparse_labels = tf.train.shuffle_batch(
            [image, label], batch_size=20, num_threads=2, capacity=50, min_after_dequeue=20
        )
    mean = tf.reduce_mean(batch)
    init = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
    print([runner.name for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)])
    with tf.Session() as sess:
        sess.run(init)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        means, counts = [], np.zeros(3, int)
        try:
            while not coord.should_stop():
                value, labels = sess.run([mean, sparse_labels])
                means.append(value)
                counts += np.bincount(labels, minlength=3)
        except tf.errors.OutOfRangeError:
            print("Done training for %d steps." % len(means))
        finally:
            coord.request_stop()
        coord.join(threads)
print(counts.tolist(), "%.4f" % np.mean(means))
assert counts.tolist() == [40, 40, 40]
assert np.allclose(np.mean(means), images.mean() / 255 - 0.5, atol=1e-4)
