"""Sparse tensors and tables of words: placeholders, lookups, bags, crossed ids."""

import os
import tempfile

import numpy as np
import tensorflow as tf

path = os.path.join(tempfile.mkdtemp(), "vocabulary.txt")
with open(path, "w") as out:
    out.write("\n".join(["good", "bad", "film", "plot", "the"]) + "\n")
TEXTS = [
    "the good film",
    "the bad plot",
    "good plot",
    "bad film bad",
    "the good good film",
    "the bad bad film",
]
LABELS = [1, 0, 1, 0, 1, 0]

texts = tf.placeholder(tf.string, [None])
labels = tf.placeholder(tf.float32, [None, 1])
words = tf.string_split(texts, " ")
table = tf.contrib.lookup.index_table_from_file(path, num_oov_buckets=1)
ids = table.lookup(words)
embedding = tf.get_variable("words", [6, 3], initializer=tf.random_normal_initializer(seed=2))
bag = tf.nn.embedding_lookup_sparse(embedding, ids, None, combiner="mean")
logits = tf.layers.dense(bag, 1, kernel_initializer=tf.random_normal_initializer(seed=1))
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, labels=labels))
train = tf.train.AdagradOptimizer(0.5).minimize(loss)
print(type(words).__name__, words.indices.get_shape(), ids.values.dtype, bag.get_shape())
print(type(tf.gradients(loss, embedding)[0]).__name__)

pieces = tf.sparse_placeholder(tf.float32, shape=[None, 4])
weights = tf.constant(np.arange(8.0, dtype=np.float32).reshape(4, 2))
product = tf.sparse_tensor_dense_matmul(pieces, weights)
dense = tf.sparse_tensor_to_dense(pieces)
sums = tf.sparse_reduce_sum(pieces, 1)
filled, empty = tf.sparse_fill_empty_rows(pieces, -1.0)
ordered = tf.sparse_reorder(pieces)
kept = tf.sparse_retain(pieces, tf.greater(pieces.values, 1.0))
softmax = tf.sparse_softmax(tf.sparse_reshape(ordered, [1, 3, 4]))
both = tf.sparse_concat(1, [ordered, ordered])
slice_ = tf.sparse_slice(ordered, [0, 0], [2, 3])

keys = tf.constant(["a", "b", "c"])
hashed = tf.contrib.lookup.HashTable(
    tf.contrib.lookup.KeyValueTensorInitializer(keys, tf.constant([1.0, 2.0, 3.0])), -1.0
)
mutable = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1)
insert = mutable.insert(tf.constant(["x", "y"]), tf.constant([5, 6], tf.int64))
strings = tf.contrib.lookup.index_to_string_table_from_file(path, default_value="?")

with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    feed = {texts: TEXTS, labels: np.array(LABELS)[:, None]}
    print(sess.run(ids, feed).values.tolist())
    for step in range(60):
        value, _ = sess.run([loss, train], feed)
        if step % 20 == 0:
            print("loss %.4f" % value)
    sparse = tf.SparseTensorValue(
        np.array([[0, 1], [2, 0], [2, 3]]), np.array([1.5, 1.0, 2.0]), [3, 4]
    )
    print(sess.run(product, {pieces: sparse}).tolist())
    print(sess.run([dense, sums], {pieces: sparse}))
    print(sess.run([filled, empty, kept], {pieces: sparse}))
    print(sess.run([both.dense_shape, slice_.values, softmax.values], {pieces: sparse}))
    print(sess.run(hashed.lookup(tf.constant(["c", "z"]))), sess.run(hashed.size()))
    sess.run(insert)
    print(
        sess.run(mutable.lookup(tf.constant(["y", "z"]))),
        sess.run(strings.lookup(tf.constant([2, 9], tf.int64))),
    )
    assert value < 0.1
