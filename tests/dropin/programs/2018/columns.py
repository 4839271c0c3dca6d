"""Feature columns feed a linear and a deep model in a graph."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
N = 240
data = {
    "age": rng.randint(18, 70, N).astype(np.float32),
    "job": rng.choice(["clerk", "nurse", "pilot", "cook"], N),
    "city": rng.randint(0, 50, N).astype(str),
    "score": rng.rand(N, 2).astype(np.float32),
}
label = ((data["age"] > 40) ^ (data["job"] == "pilot")).astype(np.float32)[:, None]

fc = tf.feature_column
age = fc.numeric_column("age", normalizer_fn=lambda x: (x - 44.0) / 15.0)
buckets = fc.bucketized_column(fc.numeric_column("age"), [25.0, 40.0, 55.0])
job = fc.categorical_column_with_vocabulary_list(
    "job", ["clerk", "nurse", "pilot"], num_oov_buckets=1
)
city = fc.categorical_column_with_hash_bucket("city", hash_bucket_size=20)
crossed = fc.crossed_column([buckets, "job"], hash_bucket_size=40)
wide = [buckets, job, crossed]
deep = [
    age,
    fc.indicator_column(job),
    fc.embedding_column(
        city, dimension=3, initializer=tf.truncated_normal_initializer(stddev=0.1, seed=1)
    ),
    fc.numeric_column("score", shape=(2,)),
]


def input_fn(shuffle):
    dataset = tf.data.Dataset.from_tensor_slices((data, label))
    if shuffle:
        dataset = dataset.apply(tf.contrib.data.shuffle_and_repeat(N, seed=3))
    return dataset.batch(40 if shuffle else N)


iterator = tf.data.Iterator.from_structure(
    *[getattr(input_fn(True), k) for k in ("output_types", "output_shapes")]
)
features, labels = iterator.get_next()
with tf.variable_scope("wide"):
    linear = fc.linear_model(features, wide)
with tf.variable_scope("deep"):
    net = fc.input_layer(features, deep)
    hidden = tf.layers.dense(
        net, 12, tf.nn.relu, kernel_initializer=tf.glorot_normal_initializer(seed=2)
    )
    logits = (
        tf.layers.dense(hidden, 1, kernel_initializer=tf.glorot_normal_initializer(seed=3)) + linear
    )
loss = tf.losses.sigmoid_cross_entropy(labels, logits)
accuracy = tf.metrics.accuracy(labels, tf.to_float(logits > 0), name="acc")
auc = tf.metrics.auc(labels, tf.sigmoid(logits), name="auc")
train = tf.group(
    tf.train.FtrlOptimizer(0.2, l1_regularization_strength=0.001).minimize(
        loss, var_list=tf.trainable_variables("wide")
    ),
    tf.train.AdagradOptimizer(0.1).minimize(
        loss, tf.train.get_or_create_global_step(), tf.trainable_variables("deep")
    ),
)
print(net.get_shape(), linear.get_shape(), sorted(v.op.name for v in tf.trainable_variables()))
print(sorted(fc.make_parse_example_spec(deep + wide)))
with tf.Session() as sess:
    sess.run(
        [
            tf.global_variables_initializer(),
            tf.tables_initializer(),
            iterator.make_initializer(input_fn(True)),
        ]
    )
    for _ in range(200):
        sess.run(train)
    sess.run([tf.local_variables_initializer(), iterator.make_initializer(input_fn(False))])
    _, _, value = sess.run([accuracy[1], auc[1], loss])
    found, area = sess.run([accuracy[0], auc[0]])
    print(
        "good: %s %s" % (found > 0.95, area > 0.97),
        len(tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)),
    )
    assert found > 0.95, found
