"""Eager translation with attention: subclassed Keras models, teacher forcing, a checkpoint."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
tf.set_random_seed(0)
PAIRS = [
    ("a b c", "x y z"),
    ("c b a", "z y x"),
    ("a a b", "x x y"),
    ("b c c", "y z z"),
    ("c a b", "z x y"),
    ("b b a", "y y x"),
]


class LanguageIndex:
    def __init__(self, lines):
        words = sorted({w for line in lines for w in line.split()})
        self.word2idx = {"<pad>": 0, "<start>": 1, "<end>": 2}
        self.word2idx.update((w, i + 3) for i, w in enumerate(words))
        self.idx2word = {i: w for w, i in self.word2idx.items()}

    def encode(self, line):
        return [1] + [self.word2idx[w] for w in line.split()] + [2]


source, target = [LanguageIndex(side) for side in zip(*PAIRS)]
pad = lambda rows: tf.keras.preprocessing.sequence.pad_sequences(rows, padding="post")  # noqa: E731
inputs = pad([source.encode(a) for a, _ in PAIRS])
outputs = pad([target.encode(b) for _, b in PAIRS])
UNITS, BATCH = 24, 6


def gru(units):
    return tf.keras.layers.GRU(
        units,
        return_sequences=True,
        return_state=True,
        recurrent_activation="sigmoid",
        recurrent_initializer="glorot_uniform",
    )


class Encoder(tf.keras.Model):
    def __init__(self, size):
        super(Encoder, self).__init__()
        self.embedding = tf.keras.layers.Embedding(size, 8)
        self.gru = gru(UNITS)

    def call(self, x, hidden):
        return self.gru(self.embedding(x), initial_state=hidden)


class Decoder(tf.keras.Model):
    def __init__(self, size):
        super(Decoder, self).__init__()
        self.embedding = tf.keras.layers.Embedding(size, 8)
        self.gru = gru(UNITS)
        self.fc = tf.keras.layers.Dense(size)
        self.W1, self.W2, self.V = [tf.keras.layers.Dense(n) for n in (UNITS, UNITS, 1)]

    def call(self, x, hidden, enc_output):
        with_time = tf.expand_dims(hidden, 1)
        score = self.V(tf.nn.tanh(self.W1(enc_output) + self.W2(with_time)))
        weights = tf.nn.softmax(score, axis=1)
        context = tf.reduce_sum(weights * enc_output, axis=1)
        x = tf.concat([tf.expand_dims(context, 1), self.embedding(x)], axis=-1)
        output, state = self.gru(x)
        return self.fc(tf.reshape(output, (-1, output.shape[2]))), state, weights


def loss_function(real, pred):
    mask = 1 - np.equal(real, 0)
    loss_ = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=real, logits=pred) * mask
    return tf.reduce_mean(loss_)


encoder, decoder = Encoder(len(source.word2idx)), Decoder(len(target.word2idx))
optimizer = tf.train.AdamOptimizer(0.02)
dataset = tf.data.Dataset.from_tensor_slices((inputs, outputs)).shuffle(6, seed=1)
dataset = dataset.apply(tf.contrib.data.batch_and_drop_remainder(BATCH))
checkpoint = tf.train.Checkpoint(optimizer=optimizer, encoder=encoder, decoder=decoder)
for epoch in range(100):
    for batch, (inp, targ) in enumerate(dataset):
        loss = 0
        with tf.GradientTape() as tape:
            enc_output, hidden = encoder(inp, tf.zeros((BATCH, UNITS)))
            dec_input = tf.expand_dims([1] * BATCH, 1)
            for t in range(1, targ.shape[1]):
                predictions, hidden, _ = decoder(dec_input, hidden, enc_output)
                loss += loss_function(targ[:, t], predictions)
                dec_input = tf.expand_dims(targ[:, t], 1)
        variables = encoder.variables + decoder.variables
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables), tf.train.get_or_create_global_step())
path = checkpoint.save(file_prefix=os.path.join(tempfile.mkdtemp(), "ckpt"))
print(
    "learned: %s" % (loss.numpy() / int(targ.shape[1]) < 0.1),
    len(variables),
    os.path.basename(path),
)


def translate(line):
    enc_output, hidden = encoder(
        tf.convert_to_tensor([source.encode(line)]), [tf.zeros((1, UNITS))]
    )
    dec_input, result = tf.expand_dims([1], 0), []
    for _ in range(5):
        predictions, hidden, weights = decoder(dec_input, hidden, enc_output)
        predicted_id = tf.argmax(predictions[0]).numpy()
        if predicted_id == 2:
            break
        result.append(target.idx2word[predicted_id])
        dec_input = tf.expand_dims([predicted_id], 0)
    return " ".join(result)


print([translate(a) == b for a, b in PAIRS])
assert sum(translate(a) == b for a, b in PAIRS) >= 5
