"""A bidirectional network with a conditional random field tags sequences."""

import numpy as np
import tensorflow as tf

WORDS, TAGS, LENGTH = 12, 4, 7


def batch(rng, size=40):
    lengths = rng.randint(3, LENGTH + 1, size)
    words = rng.randint(1, WORDS, (size, LENGTH))
    tags = (words % 2) + 2 * np.concatenate([np.zeros((size, 1), int), words[:, :-1] % 2], 1)
    mask = np.arange(LENGTH) < lengths[:, None]
    return words * mask, tags * mask, lengths


words = tf.placeholder(tf.int32, [None, None], name="word_ids")
tags = tf.placeholder(tf.int32, [None, None], name="labels")
lengths = tf.placeholder(tf.int32, [None], name="sequence_lengths")
dropout = tf.placeholder(dtype=tf.float32, shape=[], name="dropout")
with tf.variable_scope("words"):
    table = tf.get_variable("_word_embeddings", [WORDS, 8], dtype=tf.float32)
    embedded = tf.nn.dropout(tf.nn.embedding_lookup(table, words), dropout)
with tf.variable_scope("bi-lstm"):
    fw, bw = tf.contrib.rnn.LSTMCell(12), tf.contrib.rnn.LSTMCell(12)
    (of, ob), _ = tf.nn.bidirectional_dynamic_rnn(
        fw, bw, embedded, sequence_length=lengths, dtype=tf.float32
    )
    output = tf.concat([of, ob], axis=-1)
with tf.variable_scope("proj"):
    W = tf.get_variable("W", [24, TAGS])
    b = tf.get_variable("b", [TAGS], initializer=tf.zeros_initializer())
    steps = tf.shape(output)[1]
    logits = tf.reshape(tf.matmul(tf.reshape(output, [-1, 24]), W) + b, [-1, steps, TAGS])
log_likelihood, transitions = tf.contrib.crf.crf_log_likelihood(logits, tags, lengths)
loss = tf.reduce_mean(-log_likelihood)
train = tf.train.AdamOptimizer(0.03).minimize(loss)
decoded, score = tf.contrib.crf.crf_decode(logits, transitions, lengths)
print(transitions.name, transitions.get_shape(), decoded.dtype)
with tf.Session() as sess:
    tf.set_random_seed(1)
    sess.run(tf.global_variables_initializer())
    rng = np.random.RandomState(0)
    for _ in range(100):
        w, t, n = batch(rng)
        value, _ = sess.run([loss, train], {words: w, tags: t, lengths: n, dropout: 0.9})
    w, t, n = batch(rng)
    feed = {words: w, lengths: n, dropout: 1.0}
    scores, matrix, found = sess.run([logits, transitions, decoded], feed)
    right = total = 0
    for row, want, k, other in zip(scores, t, n, found):
        path, _ = tf.contrib.crf.viterbi_decode(row[:k], matrix)
        assert path == list(other[:k])
        right += np.sum(np.array(path) == want[:k])
        total += k
    print("learned: %s" % (right / float(total) > 0.95))
    assert right / float(total) > 0.95
