"""A small transformer of 2.0: masks, positional encoding, a schedule of one's own, greedy decoding."""

import random

import numpy as np
import tensorflow as tf

random.seed(1)  # of which Keras makes the seeds of first weights

tf.random.set_seed(2)
START, END, VOCAB, LENGTH, D = 1, 2, 10, 6, 32


def positional_encoding(position, d_model):
    angles = np.arange(position)[:, None] / np.power(
        10000, 2 * (np.arange(d_model)[None] // 2) / d_model
    )
    angles[:, 0::2], angles[:, 1::2] = np.sin(angles[:, 0::2]), np.cos(angles[:, 1::2])
    return tf.cast(angles[None], tf.float32)


def scaled_dot_product_attention(q, k, v, mask):
    logits = tf.matmul(q, k, transpose_b=True) / tf.math.sqrt(tf.cast(tf.shape(k)[-1], tf.float32))
    if mask is not None:
        logits += mask * -1e9
    weights = tf.nn.softmax(logits, axis=-1)
    return tf.matmul(weights, v), weights


class MultiHeadAttention(tf.keras.layers.Layer):
    def __init__(self, d_model, num_heads):
        super(MultiHeadAttention, self).__init__()
        self.num_heads, self.d_model, self.depth = num_heads, d_model, d_model // num_heads
        self.wq, self.wk, self.wv, self.dense = [tf.keras.layers.Dense(d_model) for _ in range(4)]

    def split_heads(self, x, batch_size):
        x = tf.reshape(x, (batch_size, -1, self.num_heads, self.depth))
        return tf.transpose(x, perm=[0, 2, 1, 3])

    def call(self, v, k, q, mask):
        size = tf.shape(q)[0]
        q, k, v = [
            self.split_heads(w(t), size) for w, t in ((self.wq, q), (self.wk, k), (self.wv, v))
        ]
        out, weights = scaled_dot_product_attention(q, k, v, mask)
        out = tf.reshape(tf.transpose(out, perm=[0, 2, 1, 3]), (size, -1, self.d_model))
        return self.dense(out), weights


class Block(tf.keras.layers.Layer):
    def __init__(self, cross=False):
        super(Block, self).__init__()
        self.attentions = [MultiHeadAttention(D, 4) for _ in range(2 if cross else 1)]
        self.ffn = tf.keras.Sequential(
            [tf.keras.layers.Dense(64, activation="relu"), tf.keras.layers.Dense(D)]
        )
        self.norms = [tf.keras.layers.LayerNormalization(epsilon=1e-6) for _ in range(3)]

    def call(self, x, memory, mask, memory_mask):
        x = self.norms[0](x + self.attentions[0](x, x, x, mask)[0])
        if len(self.attentions) > 1:
            x = self.norms[1](x + self.attentions[1](memory, memory, x, memory_mask)[0])
        return self.norms[2](x + self.ffn(x))


class Transformer(tf.keras.Model):
    def __init__(self):
        super(Transformer, self).__init__()
        self.embeddings = [tf.keras.layers.Embedding(VOCAB, D) for _ in range(2)]
        self.encoder, self.decoder = Block(), Block(cross=True)
        self.final = tf.keras.layers.Dense(VOCAB)
        self.positions = positional_encoding(20, D)

    def call(self, inp, tar):
        padding = tf.cast(tf.math.equal(inp, 0), tf.float32)[:, tf.newaxis, tf.newaxis, :]
        size = tf.shape(tar)[1]
        ahead = 1 - tf.linalg.band_part(tf.ones((size, size)), -1, 0)
        look = tf.maximum(tf.cast(tf.math.equal(tar, 0), tf.float32)[:, None, None, :], ahead)
        e, d = [
            emb(t) + self.positions[:, : tf.shape(t)[1]]
            for emb, t in zip(self.embeddings, (inp, tar))
        ]
        memory = self.encoder(e, None, padding, None)
        return self.final(self.decoder(d, memory, look, padding))


class CustomSchedule(tf.keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, d_model, warmup_steps=60):
        super(CustomSchedule, self).__init__()
        self.d_model, self.warmup_steps = tf.cast(d_model, tf.float32), warmup_steps

    def __call__(self, step):
        step = tf.cast(step, tf.float32)
        return tf.math.rsqrt(self.d_model) * tf.math.minimum(
            tf.math.rsqrt(step + 1), step * self.warmup_steps**-1.5
        )


def batch(rng, size=64):
    n = rng.randint(3, LENGTH - 1, size)
    source = np.where(np.arange(LENGTH) < n[:, None], rng.randint(3, VOCAB, (size, LENGTH)), 0)
    target = np.zeros((size, LENGTH + 2), int)
    target[:, 0] = START
    for row, s, k in zip(target, source, n):
        row[1 : k + 1], row[k + 1] = s[:k][::-1], END
    return source.astype("int64"), target.astype("int64")


model = Transformer()
optimizer = tf.keras.optimizers.Adam(CustomSchedule(D), beta_1=0.9, beta_2=0.98, epsilon=1e-9)
loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
train_loss = tf.keras.metrics.Mean(name="train_loss")
accuracy = tf.keras.metrics.SparseCategoricalAccuracy(name="train_accuracy")


@tf.function(input_signature=[tf.TensorSpec((None, None), tf.int64)] * 2)
def train_step(inp, tar):
    tar_inp, tar_real = tar[:, :-1], tar[:, 1:]
    with tf.GradientTape() as tape:
        predictions = model(inp, tar_inp)
        mask = tf.cast(tf.math.logical_not(tf.math.equal(tar_real, 0)), tf.float32)
        loss = tf.reduce_sum(loss_object(tar_real, predictions) * mask) / tf.reduce_sum(mask)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    train_loss(loss)
    accuracy(tar_real, predictions, sample_weight=mask)


rng = np.random.RandomState(0)
for epoch in range(4):
    train_loss.reset_states()
    accuracy.reset_states()
    for _ in range(90):
        train_step(*batch(rng))
print("learned: %s" % (accuracy.result().numpy() > 0.9), len(model.trainable_variables))
assert accuracy.result().numpy() > 0.9, accuracy.result()
source, target = batch(rng, 20)
output = tf.fill([20, 1], tf.constant(START, tf.int64))
for _ in range(LENGTH):
    predicted = tf.argmax(model(source, output)[:, -1:], axis=-1)
    output = tf.concat([output, predicted], axis=-1)
right = [
    row[: list(t).index(END)].tolist() == t[: list(t).index(END)].tolist()
    for row, t in zip(output.numpy(), target)
]
print("decoded: %s" % (np.mean(right) > 0.7))
