"""The experimental preprocessing layers of 2.2 to 2.4, adapted to data and inside models."""

import random

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers.experimental import preprocessing

random.seed(1)  # of which Keras makes the seeds of first weights

texts = ["The cat sat!", "The dog ran", "a cat and a dog", "Dogs, cats; birds"]
vectorize = preprocessing.TextVectorization(
    max_tokens=12, output_mode="int", output_sequence_length=5
)
vectorize.adapt(tf.data.Dataset.from_tensor_slices(texts).batch(2))
print(vectorize.get_vocabulary()[:4], vectorize(tf.constant(["the cat flew"])).numpy())
bags = preprocessing.TextVectorization(
    max_tokens=8, output_mode="multi_hot", pad_to_max_tokens=True
)
bags.adapt(np.array(texts))
print(bags(np.array(["cat dog"])).shape)

data = np.random.RandomState(0).normal(3.0, 2.0, (200, 3)).astype("float32")
normalizer = preprocessing.Normalization(axis=-1)
normalizer.adapt(data)
out = normalizer(data).numpy()
print(np.round(out.mean(0), 4) + 0.0, np.round(out.std(0), 3))
lookup = preprocessing.StringLookup(vocabulary=["a", "b", "c"])
back = preprocessing.StringLookup(vocabulary=lookup.get_vocabulary(), invert=True)
print(
    lookup(tf.constant([["a", "z"], ["c", "b"]])).numpy().tolist(),
    back(lookup(tf.constant(["b", "q"]))).numpy(),
)
numbers = preprocessing.IntegerLookup(vocabulary=[10, 20, 30])
print(
    numbers(tf.constant([20, 99, 30])).numpy(),
    preprocessing.CategoryEncoding(num_tokens=4, output_mode="count")([[0, 1, 1]]).numpy(),
)
print(
    preprocessing.Hashing(num_bins=5)(tf.constant([["x"], ["y"]])).shape,
    preprocessing.Discretization(bin_boundaries=[0.0, 1.0])(tf.constant([[-1.0], [0.5], [3.0]]))
    .numpy()
    .ravel(),
)

image = np.arange(2 * 8 * 8 * 1, dtype="float32").reshape(2, 8, 8, 1)
augment = tf.keras.Sequential(
    [
        preprocessing.Resizing(6, 6),
        preprocessing.Rescaling(1.0 / 127, offset=0.0),
        preprocessing.RandomFlip("horizontal", seed=1),
        preprocessing.RandomRotation(0.1, seed=2),
        preprocessing.RandomZoom(0.1, seed=3),
        preprocessing.RandomContrast(0.1, seed=4),
        preprocessing.RandomTranslation(0.1, 0.1, seed=5),
    ]
)
print(
    augment(image, training=True).shape, np.round(augment(image, training=False).numpy().mean(), 4)
)
print(
    preprocessing.CenterCrop(4, 4)(image).shape,
    preprocessing.RandomCrop(4, 4)(image, training=True).shape,
)

all_texts = np.array([[t] for t in texts * 20], dtype=object)
labels = np.array([1.0, 0.0, 1.0, 0.0] * 20)
model = tf.keras.Sequential(
    [
        tf.keras.Input(shape=(1,), dtype=tf.string),
        vectorize,
        tf.keras.layers.Embedding(14, 6),
        tf.keras.layers.GlobalAveragePooling1D(),
        tf.keras.layers.Dense(1),
    ]
)
model.compile(
    tf.keras.optimizers.Adam(0.1),
    tf.keras.losses.BinaryCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
history = model.fit(tf.constant(all_texts.tolist()), labels, epochs=8, verbose=0)
print("falls: %s" % (history.history["loss"][-1] < 0.3 * history.history["loss"][0]))
assert history.history["loss"][-1] < 0.3
