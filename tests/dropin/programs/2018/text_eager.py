"""Text from a recurrent network of Keras, in eager mode: batches by map, tf.multinomial, checkpoints."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
tf.set_random_seed(3)
text = "to be or not to be, that is the question. " * 40
vocab = sorted(set(text))
char2idx = {u: i for i, u in enumerate(vocab)}
idx2char = np.array(vocab)
text_as_int = np.array([char2idx[c] for c in text])
seq_length, batch_size = 21, 8

chunks = tf.data.Dataset.from_tensor_slices(text_as_int).batch(seq_length + 1, drop_remainder=True)
dataset = (
    chunks.map(lambda chunk: (chunk[:-1], chunk[1:]))
    .shuffle(100, seed=1)
    .batch(batch_size, drop_remainder=True)
)
print(dataset.output_shapes, dataset.output_types)


def build_model(batch):
    return tf.keras.Sequential(
        [
            tf.keras.layers.Embedding(len(vocab), 16, batch_input_shape=[batch, None]),
            tf.keras.layers.GRU(
                48,
                return_sequences=True,
                recurrent_initializer="glorot_uniform",
                recurrent_activation="sigmoid",
                stateful=True,
            ),
            tf.keras.layers.Dense(len(vocab)),
        ]
    )


model = build_model(batch_size)
print([layer.output_shape for layer in model.layers], model.count_params())
optimizer = tf.train.AdamOptimizer(0.01)
prefix = os.path.join(tempfile.mkdtemp(), "ckpt")


def loss_function(real, preds):
    return tf.reduce_mean(tf.losses.sparse_softmax_cross_entropy(labels=real, logits=preds))


for epoch in range(25):
    model.reset_states()
    for inp, target in dataset:
        with tf.GradientTape() as tape:
            loss = loss_function(target, model(inp))
        grads = tape.gradient(loss, model.variables)
        optimizer.apply_gradients(zip(grads, model.variables))
model.save_weights(prefix)
print(
    "learned: %s" % (loss.numpy() < 0.4),
    tf.train.latest_checkpoint(os.path.dirname(prefix)) == prefix,
)
assert loss.numpy() < 0.4

writer = build_model(1)
writer.load_weights(prefix)
writer.build(tf.TensorShape([1, None]))
written, current = [], tf.expand_dims([char2idx[c] for c in "to be"], 0)
writer.reset_states()
for _ in range(12):
    predictions = tf.squeeze(writer(current), 0)
    predicted_id = tf.multinomial(predictions / 0.05, num_samples=1)[-1, 0].numpy()
    current = tf.expand_dims([predicted_id], 0)
    written.append(idx2char[predicted_id])
print(len("".join(written)))
