"""Layers called with ragged and sparse tensors, as Keras 2 (tf_keras) has them."""

import numpy as np

from oracle.registry import case

SEQUENCES = [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]]
ONES = {"kernel_initializer": "ones"}
STEPS = {"kernel_initializer": "ones", "recurrent_initializer": "ones"}


def sequences(tf):
    return tf.ragged.constant(SEQUENCES, ragged_rank=1) * 0.1


def even(tf):
    rows = tf.reshape(tf.range(16.0), (4, 2, 2))
    return tf.RaggedTensor.from_row_splits(rows, [0, 3, 4])


def sparse(tf, dtype="float32"):
    return tf.sparse.from_dense(tf.constant([[0, 1, 0], [2, 0, 3]], dtype))


def words(tf):
    return tf.ragged.constant([["a", "b"], ["c"]])


def numbers(tf):
    return tf.ragged.constant([[1, 2], [3]], dtype=tf.int64)


def shown(tf, value):
    if isinstance(value, tf.RaggedTensor):
        return [value.flat_values, value.row_lengths()]
    if isinstance(value, tf.SparseTensor):
        return [value.indices, value.values, value.dense_shape]
    return value


LAYERS = {
    "flatten ragged": lambda tf, k: k.Flatten()(numbers(tf)[:1]),
    "flatten sequences": lambda tf, k: k.Flatten()(even(tf)),
    "reshape ragged": lambda tf, k: k.Reshape((-1, 2))(even(tf)),
    "layer normalization": lambda tf, k: k.LayerNormalization()(sequences(tf)),
    "softmax ragged": lambda tf, k: k.Softmax()(tf.ragged.constant([[1.0, 2.0, 4.0], [], [3.0]])),
    "softmax sequences": lambda tf, k: k.Softmax()(sequences(tf)),
    "dense sparse": lambda tf, k: k.Dense(2, **ONES)(sparse(tf)),
    "dense ragged": lambda tf, k: k.Dense(2, activation="tanh", **ONES)(sequences(tf)),
    "embedding ragged": lambda tf, k: k.Embedding(5, 2, embeddings_initializer="ones")(numbers(tf)),
    "embedding sparse": lambda tf, k: k.Embedding(5, 2, embeddings_initializer="ones")(
        sparse(tf, "int64")
    ),
    "time distributed": lambda tf, k: k.TimeDistributed(k.Dense(1, **ONES))(sequences(tf)),
    "bidirectional": lambda tf, k: k.Bidirectional(k.LSTM(1, **STEPS))(sequences(tf)),
    "bidirectional steps": lambda tf, k: k.Bidirectional(k.GRU(1, return_sequences=True, **STEPS))(
        sequences(tf)
    ),
    "softmax": lambda tf, k: k.Softmax()(sequences(tf)),
    "rescaling": lambda tf, k: k.Rescaling(0.5)(tf.ragged.constant([[1.0, 3.0], [-1.0]])),
    "activation": lambda tf, k: k.Activation("relu")(sequences(tf)),
    "add": lambda tf, k: k.Add()([sequences(tf), sequences(tf)]),
    "multiply": lambda tf, k: k.Multiply()([sequences(tf), sequences(tf)]),
    "concatenate": lambda tf, k: k.Concatenate()([sequences(tf), sequences(tf)]),
    "concatenate sparse": lambda tf, k: k.Concatenate()([sparse(tf), sparse(tf)]),
}


@case(loose=10, layer=LAYERS)
def layers(tf, layer):
    return shown(tf, layer(tf, tf.keras.layers))


@case(loose=10, name=("LSTM", "GRU", "SimpleRNN"), sequences_back=(False, True))
def recurrent(tf, name, sequences_back):
    layer = getattr(tf.keras.layers, name)(2, return_sequences=sequences_back, **STEPS)
    return shown(tf, layer(sequences(tf)))


ENCODERS = {
    "string lookup": lambda k, **o: k.StringLookup(vocabulary=["a", "b"], **o),
    "integer lookup": lambda k, **o: k.IntegerLookup(vocabulary=[1, 2], **o),
    "hashing": lambda k, **o: k.Hashing(4, **o),
    "discretization": lambda k, **o: k.Discretization([0.0, 2.0], **o),
    "category encoding": lambda k, **o: k.CategoryEncoding(4, **o),
}
INPUTS = {
    "string lookup": (words, lambda tf: tf.sparse.from_dense([["a", ""], ["b", "a"]])),
    "integer lookup": (numbers, lambda tf: sparse(tf, "int64")),
    "hashing": (words, lambda tf: tf.sparse.from_dense([["a", ""], ["b", "a"]])),
    "discretization": (lambda tf: tf.ragged.constant([[1.0, 3.0], [-1.0]]), sparse),
    "category encoding": (numbers, lambda tf: sparse(tf, "int64")),
}


@case(name=ENCODERS, kind=(0, 1), mode=("int", "multi_hot", "count"), compact=(False, True))
def encoders(tf, name, kind, mode, compact):
    title = next(key for key, value in ENCODERS.items() if value is name)
    if mode == "int" and (compact or title == "category encoding"):
        return "not offered"
    layer = name(tf.keras.layers, output_mode=mode, sparse=compact)
    return shown(tf, layer(INPUTS[title][kind](tf)))


@case(mode=("int", "multi_hot", "count", "tf_idf"))
def text(tf, mode):
    options = {"idf_weights": [1.0, 2.0]} if mode == "tf_idf" else {}
    layer = tf.keras.layers.TextVectorization(
        vocabulary=["a", "b"], output_mode=mode, split=None, **options
    )
    return layer(words(tf))


@case
def adapted(tf):
    lookup, count = tf.keras.layers.StringLookup(), tf.keras.layers.IntegerLookup()
    lookup.adapt(tf.data.Dataset.from_tensors(words(tf)))
    count.adapt(tf.data.Dataset.from_tensors(sparse(tf, "int64")))
    return [[str(t) for t in lookup.get_vocabulary()], [int(t) for t in count.get_vocabulary()]]


@case(loose=20)
def trained_on_sparse_rows(tf):
    inputs = tf.keras.Input((3,), sparse=True)
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1, **ONES)(inputs))
    model.compile("sgd", "mse")
    history = model.fit(sparse(tf), np.ones((2, 1)), batch_size=2, verbose=0).history
    return [history["loss"], model.predict(sparse(tf), verbose=0)]


@case(loose=20)
def trained_on_ragged_rows(tf):
    k = tf.keras.layers
    inputs = tf.keras.Input((None,), ragged=True, dtype="int64")
    x = k.Embedding(5, 2, embeddings_initializer="ones")(inputs)
    model = tf.keras.Model(inputs, k.Dense(1, **ONES)(k.LSTM(2, **STEPS)(x)))
    model.compile("sgd", "mse")
    history = model.fit(numbers(tf), np.ones((2, 1)), batch_size=2, verbose=0).history
    return [history["loss"], model.predict(numbers(tf), verbose=0)]


@case(loose=20)
def trained_on_a_dataset_of_ragged_rows(tf):
    k = tf.keras.layers
    rows = [k.GRU(2, **STEPS), k.Dense(1, **ONES)]
    model = tf.keras.Sequential([tf.keras.Input((None, 2), ragged=True), *rows])
    model.compile("sgd", "mse")
    data = tf.data.Dataset.from_tensor_slices((sequences(tf), [1.0, 2.0])).batch(2)
    return model.fit(data, verbose=0).history["loss"]
