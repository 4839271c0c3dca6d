"""Vectors of words by noise-contrastive estimation, and by a sampled softmax."""

import collections
import math

import numpy as np
import tensorflow as tf

SENTENCES = """the cat sat on the mat . the dog sat on the rug . a cat chased a mouse .
a dog chased a cat . the king rules the land . the queen rules the land . a king wears a crown .
a queen wears a crown .""".split()
count = collections.Counter(SENTENCES * 5).most_common()
dictionary = {word: index for index, (word, _) in enumerate(count)}
data = [dictionary[word] for word in SENTENCES * 5]
reverse = dict(zip(dictionary.values(), dictionary.keys()))
vocabulary_size, embedding_size, num_sampled, batch_size = len(dictionary), 8, 6, 32


def generate_batch(rng):
    centers = rng.randint(1, len(data) - 1, batch_size)
    offsets = rng.choice([-1, 1], batch_size)
    inputs = [data[c] for c in centers]
    labels = [[data[c + o]] for c, o in zip(centers, offsets)]
    return np.array(inputs, np.int32), np.array(labels, np.int32)


graph = tf.Graph()
with graph.as_default():
    train_inputs = tf.placeholder(tf.int32, shape=[batch_size])
    train_labels = tf.placeholder(tf.int32, shape=[batch_size, 1])
    valid = tf.constant([dictionary["king"], dictionary["cat"]], dtype=tf.int32)
    with tf.device("/cpu:0"):
        embeddings = tf.Variable(
            tf.random_uniform([vocabulary_size, embedding_size], -1.0, 1.0, seed=1)
        )
        embed = tf.nn.embedding_lookup(embeddings, train_inputs)
        nce_weights = tf.Variable(
            tf.truncated_normal(
                [vocabulary_size, embedding_size], stddev=1.0 / math.sqrt(embedding_size), seed=2
            )
        )
        nce_biases = tf.Variable(tf.zeros([vocabulary_size]))
    nce = tf.reduce_mean(
        tf.nn.nce_loss(
            weights=nce_weights,
            biases=nce_biases,
            labels=train_labels,
            inputs=embed,
            num_sampled=num_sampled,
            num_classes=vocabulary_size,
        )
    )
    candidates = tf.nn.log_uniform_candidate_sampler(
        tf.cast(train_labels, tf.int64), 1, num_sampled, True, vocabulary_size, seed=3
    )
    sampled = tf.reduce_mean(
        tf.nn.sampled_softmax_loss(
            nce_weights,
            nce_biases,
            train_labels,
            embed,
            num_sampled,
            vocabulary_size,
            sampled_values=candidates,
        )
    )
    full = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=tf.squeeze(train_labels, [1]),
            logits=tf.matmul(embed, nce_weights, transpose_b=True) + nce_biases,
        )
    )
    optimizer = tf.train.GradientDescentOptimizer(0.3)
    steps = [optimizer.minimize(nce), tf.train.AdagradOptimizer(0.3).minimize(sampled)]
    norm = tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keep_dims=True))
    normalized = embeddings / norm
    similarity = tf.matmul(tf.nn.embedding_lookup(normalized, valid), normalized, transpose_b=True)
    init = tf.global_variables_initializer()

with tf.Session(graph=graph) as session:
    rng = np.random.RandomState(0)
    for name, step in zip(("nce", "sampled softmax"), steps):
        init.run()
        losses = []
        for _ in range(800):
            inputs, labels = generate_batch(rng)
            _, value = session.run([step, full], {train_inputs: inputs, train_labels: labels})
            losses.append(value)
        before, after = np.mean(losses[:20]), np.mean(losses[-20:])
        print("%s: falls %s" % (name, after < 0.8 * before))
        assert after < 0.8 * before
    sim = similarity.eval()
    print(sim.shape, [reverse[(-row).argsort()[0]] for row in sim])
