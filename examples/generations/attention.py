"""Sequence to sequence with attention: training helper, greedy decoding and beam search."""

import numpy as np
import tensorflow as tf
from tensorflow.python.layers import core as layers_core

GO, END, VOCABULARY, UNITS, BATCH = 1, 2, 9, 32, 32


def batch(rng, size=BATCH):
    lengths = rng.randint(2, 5, size)
    source = np.zeros((size, 4), np.int32)
    target_in = np.zeros((size, 5), np.int32)
    target_out = np.zeros((size, 5), np.int32)
    for i, n in enumerate(lengths):
        words = rng.randint(3, VOCABULARY, n)
        source[i, :n] = words
        target_in[i, : n + 1] = [GO] + list(words[::-1])
        target_out[i, : n + 1] = list(words[::-1]) + [END]
    return source, lengths, target_in, target_out


class Model(object):
    def __init__(self, mode, beam=0):
        self.source = tf.placeholder(tf.int32, [None, None])
        self.lengths = tf.placeholder(tf.int32, [None])
        size = tf.shape(self.source)[0]
        embedding = tf.get_variable("embedding", [VOCABULARY, 16])
        projection = layers_core.Dense(VOCABULARY, use_bias=False, name="projection")
        with tf.variable_scope("encoder"):
            forward, backward = [tf.contrib.rnn.GRUCell(UNITS // 2) for _ in range(2)]
            (of, ob), (sf, sb) = tf.nn.bidirectional_dynamic_rnn(
                forward,
                backward,
                tf.nn.embedding_lookup(embedding, self.source),
                self.lengths,
                dtype=tf.float32,
            )
            memory, state = tf.concat([of, ob], 2), tf.concat([sf, sb], 1)
        lengths = self.lengths
        if beam:
            memory = tf.contrib.seq2seq.tile_batch(memory, multiplier=beam)
            state = tf.contrib.seq2seq.tile_batch(state, multiplier=beam)
            lengths = tf.contrib.seq2seq.tile_batch(lengths, multiplier=beam)
        with tf.variable_scope("decoder"):
            mechanism = tf.contrib.seq2seq.LuongAttention(
                UNITS, memory, memory_sequence_length=lengths, scale=True
            )
            cell = tf.contrib.seq2seq.AttentionWrapper(
                tf.contrib.rnn.GRUCell(UNITS),
                mechanism,
                attention_layer_size=UNITS,
                name="attention",
            )
            initial = cell.zero_state(size * max(beam, 1), tf.float32).clone(cell_state=state)
            if mode == "train":
                self.target_in = tf.placeholder(tf.int32, [None, None])
                self.target_out = tf.placeholder(tf.int32, [None, None])
                target_lengths = self.lengths + 1
                helper = tf.contrib.seq2seq.TrainingHelper(
                    tf.nn.embedding_lookup(embedding, self.target_in), target_lengths
                )
                decoder = tf.contrib.seq2seq.BasicDecoder(
                    cell, helper, initial, output_layer=projection
                )
                outputs, _, _ = tf.contrib.seq2seq.dynamic_decode(decoder, swap_memory=True)
                longest = tf.reduce_max(target_lengths)
                weights = tf.sequence_mask(target_lengths, longest, dtype=tf.float32)
                self.loss = tf.contrib.seq2seq.sequence_loss(
                    outputs.rnn_output, self.target_out[:, :longest], weights
                )
                self.train = tf.train.AdamOptimizer(0.01).minimize(self.loss)
                return
            starts = tf.fill([size], GO)
            if beam:
                decoder = tf.contrib.seq2seq.BeamSearchDecoder(
                    cell,
                    embedding,
                    starts,
                    END,
                    initial,
                    beam,
                    output_layer=projection,
                    length_penalty_weight=0.0,
                )
            else:
                helper = tf.contrib.seq2seq.GreedyEmbeddingHelper(embedding, starts, END)
                decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, initial, projection)
            outputs, _, self.found_lengths = tf.contrib.seq2seq.dynamic_decode(
                decoder, maximum_iterations=6
            )
            self.ids = outputs.predicted_ids if beam else outputs.sample_id


tf.set_random_seed(1)
with tf.variable_scope("model"):
    trained = Model("train")
with tf.variable_scope("model", reuse=True):
    greedy = Model("infer")
    beam = Model("infer", beam=3)
print(
    len(tf.trainable_variables()),
    [v.op.name for v in tf.trainable_variables() if "decoder" in v.name][:2],
)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    rng = np.random.RandomState(0)
    for step in range(350):
        s, n, i, o = batch(rng)
        loss, _ = sess.run(
            [trained.loss, trained.train],
            {trained.source: s, trained.lengths: n, trained.target_in: i, trained.target_out: o},
        )
    print("learned: %s" % (loss < 0.2))
    s, n, _, o = batch(rng, 40)
    for name, model in (("greedy", greedy), ("beam", beam)):
        ids = sess.run(model.ids, {model.source: s, model.lengths: n})
        ids = ids[:, :, 0] if name == "beam" else ids
        right = [row[: k + 1].tolist() == want[: k + 1].tolist() for row, want, k in zip(ids, o, n)]
        print(name, ids.ndim, "good: %s" % (np.mean(right) > 0.7))
        assert np.mean(right) > 0.7, (loss, np.mean(right))
