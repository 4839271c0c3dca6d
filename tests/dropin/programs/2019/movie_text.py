"""Text in 2.0: Keras's preprocessing, an encoded corpus, bidirectional networks, masks, ragged strings."""

import random

import numpy as np
import tensorflow as tf

random.seed(1)  # of which Keras makes the seeds of first weights

rng = np.random.RandomState(1)
GOOD, BAD, PLAIN = (
    ["good", "great", "lovely", "superb"],
    ["bad", "awful", "boring", "poor"],
    ["the", "film", "was", "plot", "a"],
)
texts, labels = [], []
for i in range(300):
    words = [PLAIN[k] for k in rng.randint(0, 5, rng.randint(3, 8))]
    words.insert(rng.randint(len(words)), (GOOD if i % 2 else BAD)[rng.randint(4)])
    texts.append(" ".join(words) + ("!" if i % 3 else "."))
    labels.append(i % 2)
tokenizer = tf.keras.preprocessing.text.Tokenizer(num_words=50, oov_token="<oov>")
tokenizer.fit_on_texts(texts)
sequences = tokenizer.texts_to_sequences(texts)
padded = tf.keras.preprocessing.sequence.pad_sequences(
    sequences, maxlen=9, padding="post", truncating="post"
)
print(
    tokenizer.word_index["<oov>"],
    padded.shape,
    tokenizer.sequences_to_texts(sequences[:1])[0] == texts[0][:-1],
)
print(
    tf.keras.preprocessing.text.text_to_word_sequence("It's, one!"),
    tokenizer.texts_to_matrix(["the the film"], "count").sum(),
)

model = tf.keras.Sequential(
    [
        tf.keras.layers.Embedding(50, 8, mask_zero=True),
        tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(8, return_sequences=True)),
        tf.keras.layers.Bidirectional(tf.keras.layers.GRU(8)),
        tf.keras.layers.Dense(8, activation="relu"),
        tf.keras.layers.Dropout(0.2),
        tf.keras.layers.Dense(1),
    ]
)
model.compile(
    loss=tf.keras.losses.BinaryCrossentropy(from_logits=True),
    optimizer=tf.keras.optimizers.Adam(0.01),
    metrics=[tf.keras.metrics.BinaryAccuracy(threshold=0.0)],
)
history = model.fit(
    padded[:240], np.array(labels[:240]), epochs=6, batch_size=32, validation_split=0.1, verbose=0
)
loss, accuracy = model.evaluate(padded[240:], np.array(labels[240:]), verbose=0)
print("good: %s" % (accuracy > 0.9), sorted(history.history))
one = model.predict(padded[:1], verbose=0)
extended = np.concatenate([padded[:1], np.zeros([1, 6], padded.dtype)], 1)
print("masked: %s" % np.allclose(one, model.predict(extended, verbose=0), atol=1e-5))
assert accuracy > 0.9, accuracy

docs = tf.constant(["the film was good", "bad plot"])
tokens = tf.strings.split(docs)
bigrams = tf.strings.ngrams(tokens, 2, separator="_")
print(
    tokens.row_lengths().numpy(),
    bigrams.to_list()[1],
    tf.reduce_max(tf.strings.length(tokens), axis=1).numpy(),
)
table = tf.lookup.StaticVocabularyTable(
    tf.lookup.KeyValueTensorInitializer(["the", "film", "good"], tf.range(3, dtype=tf.int64)),
    num_oov_buckets=1,
)
ids = tf.ragged.map_flat_values(table.lookup, tokens)
print(
    ids.to_list(),
    ids.to_tensor(-1).numpy().tolist(),
    tf.strings.reduce_join(tokens, axis=1, separator="-").numpy(),
)
print(
    tf.strings.regex_replace(docs, "[aeiou]", "*").numpy()[0],
    tf.strings.to_number(["1.5", "2"]).numpy(),
    tf.strings.unicode_decode("né", "UTF-8").numpy(),
)
