"""Connectionist temporal classification: sparse labels, a bidirectional network, decoding, edit distance."""

import numpy as np
import tensorflow as tf

FEATURES, CLASSES, UNITS = 6, 5, 20  # the last class is the blank


def sparse_tuple_from(sequences, dtype=np.int32):
    indices = [(n, i) for n, seq in enumerate(sequences) for i in range(len(seq))]
    values = np.concatenate(sequences).astype(dtype)
    shape = [len(sequences), max(map(len, sequences))]
    return np.array(indices, np.int64), values, np.array(shape, np.int64)


def batch(rng, size=16):
    prototypes = np.eye(CLASSES - 1, FEATURES)
    targets, frames = [], []
    for _ in range(size):
        labels = rng.randint(0, CLASSES - 1, rng.randint(2, 4))
        rows = [prototypes[label] for label in labels for _ in range(rng.randint(2, 4))]
        targets.append(labels)
        frames.append(np.array(rows) + 0.1 * rng.randn(len(rows), FEATURES))
    lengths = [len(f) for f in frames]
    padded = np.zeros((size, max(lengths), FEATURES))
    for row, f in zip(padded, frames):
        row[: len(f)] = f
    return padded, lengths, sparse_tuple_from(targets)


graph = tf.Graph()
with graph.as_default():
    inputs = tf.placeholder(tf.float32, [None, None, FEATURES])
    targets = tf.sparse_placeholder(tf.int32)
    seq_len = tf.placeholder(tf.int32, [None])
    cell = tf.contrib.rnn.LSTMCell(UNITS, state_is_tuple=True)
    stack = tf.contrib.rnn.MultiRNNCell([cell], state_is_tuple=True)
    outputs, _ = tf.nn.dynamic_rnn(stack, inputs, seq_len, dtype=tf.float32)
    shape = tf.shape(inputs)
    outputs = tf.reshape(outputs, [-1, UNITS])
    W = tf.Variable(tf.truncated_normal([UNITS, CLASSES], stddev=0.1, seed=1))
    b = tf.Variable(tf.constant(0.0, shape=[CLASSES]))
    logits = tf.reshape(tf.matmul(outputs, W) + b, [shape[0], -1, CLASSES])
    logits = tf.transpose(logits, (1, 0, 2))
    cost = tf.reduce_mean(tf.nn.ctc_loss(targets, logits, seq_len))
    optimizer = tf.train.AdamOptimizer(0.02).minimize(cost)
    decoded, log_prob = tf.nn.ctc_greedy_decoder(logits, seq_len)
    beams, _ = tf.nn.ctc_beam_search_decoder(logits, seq_len, beam_width=10)
    error = tf.reduce_mean(tf.edit_distance(tf.cast(decoded[0], tf.int32), targets))
    dense = tf.sparse_tensor_to_dense(beams[0], default_value=-1)
    print(logits.get_shape(), decoded[0].dtype, targets.get_shape())

with tf.Session(graph=graph) as session:
    tf.global_variables_initializer().run()
    rng = np.random.RandomState(0)
    for step in range(150):
        x, n, y = batch(rng)
        feed = {inputs: x, targets: y, seq_len: n}
        value, _ = session.run([cost, optimizer], feed)
    x, n, y = batch(rng, 30)
    feed = {inputs: x, targets: tf.SparseTensorValue(*y), seq_len: n}
    rate, rows, sparse = session.run([error, dense, decoded[0]], feed)
    print("learned: %s, labels below an error of 0.2: %s" % (value < 1.0, rate < 0.2))
    print(type(sparse).__name__, rows.shape[0], log_prob.get_shape().ndims)
    assert rate < 0.2, rate
