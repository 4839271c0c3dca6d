"""Layers that Keras 3 has and Keras 2 lacks."""

import importlib

import numpy as np

from oracle.inputs import array
from oracle.registry import case


def keras(tf):
    """Keras 3, whatever generation `tf.keras` is."""
    return tf.keras if tf.__name__ == "eagerflow" else importlib.import_module("keras")


def same_weights(layer):
    """Gives a layer weights that follow from their shapes alone."""
    layer.set_weights([array(w.shape, seed=k) * 0.4 for k, w in enumerate(layer.get_weights())])


def again(layer):
    """A layer like this one, made from its configuration, with its weights."""
    return type(layer).from_config(layer.get_config())


ATTENTIONS = {
    "plain": {},
    "gate": {"use_gate": True, "use_bias": False},
    "window": {"sliding_window": 2},
}


@case(loose=50, arguments=ATTENTIONS, scores=(False, True), causal=(False, True))
def group_query_attention(tf, arguments, scores, causal):
    k = keras(tf)
    layer = k.layers.GroupQueryAttention(4, 6, 2, **arguments)
    query, value = tf.constant(array((2, 5, 8), seed=1)), tf.constant(array((2, 7, 8), seed=2))
    layer(query, value)
    same_weights(layer)
    flags = {"return_attention_scores": scores, "use_causal_mask": causal}
    with tf.GradientTape() as tape:
        tape.watch(query)
        found = layer(query, value, **flags)
        total = tf.reduce_sum(tf.square(found[0] if scores else found))
    twin = again(layer)
    twin(query, value)
    twin.set_weights(layer.get_weights())
    return found, tape.gradient(total, query), twin(query, value, **flags)


@case(loose=50)
def group_query_attention_of_masked_inputs(tf):
    k = keras(tf)
    layer = k.layers.GroupQueryAttention(3, 4, 2)
    query, value = tf.constant(array((2, 5, 8), seed=1)), tf.constant(array((2, 6, 8), seed=2))
    layer(query, value)
    same_weights(layer)
    mask = np.array([[1, 1, 1, 0, 0, 1], [1, 0, 1, 0, 1, 1]], "bool")
    allowed = np.tril(np.ones((5, 6), "bool"), 2)[None]
    return [
        layer(query, value, value_mask=tf.constant(mask)),
        layer(query, value, attention_mask=tf.constant(allowed)),
        layer(query, value, attention_mask=allowed, key_mask=tf.constant(mask), key=value),
    ]


@case(
    loose=200,
    mode=("log", "magnitude", "psd", "real", "imag", "angle", "stft"),
    data_format=("channels_last", "channels_first"),
)
def transforms_of_signals(tf, mode, data_format):
    k = keras(tf)
    shape = (2, 60, 3) if data_format == "channels_last" else (2, 3, 60)
    x = tf.constant(array(shape, seed=3))
    found = []
    for arguments in (
        {"padding": "same", "frame_step": 5, "expand_dims": True, "window": "hamming"},
        {"fft_length": 32, "periodic": True, "scaling": "spectrum"},
    ):
        layer = k.layers.STFTSpectrogram(mode, 16, data_format=data_format, **arguments)
        if tf.__name__ == "tensorflow" and data_format == "channels_first":
            last = k.layers.STFTSpectrogram(mode, 16, data_format="channels_last", **arguments)
            y = last(tf.transpose(x, [0, 2, 1]))
            if arguments.get("expand_dims"):
                found.append(tf.transpose(y, [0, 3, 1, 2]))
            else:
                found.append(tf.transpose(y, [0, 2, 1]))
        else:
            found.append(layer(x))
            again(layer)(x)
    return [tf.cos(one) for one in found] if mode == "angle" else found


@case(
    loose=100,
    arguments=(
        {},
        {"power_to_db": False, "mag_exp": 1.0, "window": "hamming"},
        {"sequence_length": 48, "ref_power": 2.0, "top_db": 20.0, "min_freq": 100.0},
        {"window": None, "max_freq": 3000.0},
    ),
)
def mel_spectrograms(tf, arguments):
    layer = keras(tf).layers.MelSpectrogram(64, 20, num_mel_bins=8, sampling_rate=8000, **arguments)
    x = tf.constant(array((2, 300), seed=4))
    return [layer(x), again(layer)(x[0])]


POOLED = {1: ((2, 11, 3), 4), 2: ((2, 9, 7, 3), (4, 5)), 3: ((1, 5, 6, 4, 2), (2, 4, 3))}


@case(loose=20, kind=("Average", "Max"), rank=(1, 2, 3))
def adaptive_pooling(tf, kind, rank):
    layers = keras(tf).layers
    shape, sizes = POOLED[rank]
    layer = getattr(layers, f"Adaptive{kind}Pooling{rank}D")(sizes)
    x = tf.constant(array(shape, seed=5))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = layer(x)
        total = tf.reduce_sum(tf.square(y))
    first = type(layer)(sizes, data_format="channels_first")
    turned = tf.transpose(x, [0, rank + 1, *range(1, rank + 1)])
    return [y, tape.gradient(total, x), first(turned), again(layer)(x)]


@case(loose=20, arguments=({}, {"tie_weights": False}, {"logit_soft_cap": 0.5}))
def reversible_embedding(tf, arguments):
    k = keras(tf)
    layer = k.layers.ReversibleEmbedding(9, 4, **arguments)
    layer(tf.constant([[1, 2]]))
    same_weights(layer)
    x = tf.constant(array((2, 3, 4), seed=6))
    return [layer(tf.constant([[1, 8, 0]])), layer(x, reverse=True), layer.get_weights()]


@case(loose=20)
def pipelines(tf):
    layers = keras(tf).layers
    pipeline = layers.Pipeline([layers.Rescaling(2.0), layers.CenterCrop(2, 3)])
    x = tf.constant(array((2, 4, 5, 3), seed=7))
    return [pipeline(x), again(pipeline)(x)]


@case(loose=100, center=(True, False), window=("hann", "hamming", None))
def transforms_and_back(tf, center, window):
    ops = keras(tf).ops
    x = tf.constant(array((2, 64), seed=8))
    parts = ops.stft(x, 12, 4, 16, window=window, center=center)
    return [*parts, ops.istft(parts, 12, 4, 16, window=window, center=center)[:, 16:32]]


@case(loose=20, name=("bartlett", "blackman", "hamming", "hanning"), length=(2, 5, 8))
def windows(tf, name, length):
    return getattr(keras(tf).ops, name)(length)


@case(loose=50)
def more_windows(tf):
    ops = keras(tf).ops
    return [
        ops.kaiser(7, 3.0),
        ops.geomspace(1.0, 1000.0, 7),
        ops.geomspace(-2.0, -32.0, 4, endpoint=False),
    ]
