"""Optimizers, losses, metrics and initializers that Keras 3 has and Keras 2 lacks."""

import importlib

import numpy as np

from oracle.inputs import array
from oracle.registry import case

OPTIMIZERS = {
    "lamb": ("Lamb", {"learning_rate": 0.1}),
    "lamb decay": ("Lamb", {"beta_1": 0.8, "weight_decay": 0.1, "epsilon": 1e-3}),
    "muon": ("Muon", {"learning_rate": 0.1}),
    "muon plain": (
        "Muon",
        {"learning_rate": 0.1, "rms_rate": None, "nesterov": False, "weight_decay": None},
    ),
    "muon excluding": (
        "Muon",
        {"learning_rate": 0.1, "exclude_layers": ["kern"], "adam_lr_ratio": 0.5},
    ),
    "schedule free": ("ScheduleFreeAdamW", {"learning_rate": 0.1}),
    "schedule free warm": ("ScheduleFreeAdamW", {"warmup_steps": 3, "weight_decay": 0.1}),
}


def keras(tf):
    """Keras 3, whatever generation `tf.keras` is."""
    return tf.keras if tf.__name__ == "eagerflow" else importlib.import_module("keras")


@case(loose=20, name=OPTIMIZERS)
def steps_of_optimizers(tf, name):
    k = keras(tf)
    kind, arguments = name
    optimizer = getattr(k.optimizers, kind)(**arguments)
    make = k.Variable
    values = [array((3, 5), seed=1), array((6, 4), seed=2), array((3,), seed=3), array((), seed=4)]
    names = ("kernel", "wide", "bias", "scalar")
    variables = [make(value, name=one) for value, one in zip(values, names, strict=True)]
    for step in range(4):
        gradients = [tf.constant(array(v.shape, seed=10 + step)) for v in values]
        optimizer.apply_gradients(list(zip(gradients, variables, strict=True)))
    config = optimizer.get_config()
    kept = {key: config[key] for key in arguments if key != "learning_rate"}
    return [np.asarray(k.ops.convert_to_numpy(v)) for v in variables], kept


@case(loose=20)
def scaled_losses(tf):
    k = keras(tf)
    optimizer = k.optimizers.LossScaleOptimizer(
        k.optimizers.SGD(0.1), initial_scale=8.0, dynamic_growth_steps=2
    )
    v = k.Variable(array((3,), seed=1))
    found = []
    for factor in (1.0, 1.0, float("inf"), 1.0):
        with tf.GradientTape() as tape:
            loss = optimizer.scale_loss(tf.reduce_sum(tf.square(k.ops.convert_to_tensor(v))))
            loss = loss * factor
        optimizer.apply([tape.gradient(loss, v if k is tf.keras else v.value)], [v])
        found += [loss, tf.identity(k.ops.convert_to_tensor(v))]
    return found


EMBEDDINGS = array((8, 4), seed=5)
EMBEDDINGS /= np.linalg.norm(EMBEDDINGS, axis=1, keepdims=True)
CLASSES = np.array([0, 1, 2, 0, 1, 2, 0, 3])


@case(loose=20, arguments=({}, {"gamma": 8.0, "margin": 0.2}, {"remove_diagonal": False}))
def circle_loss(tf, arguments):
    k = keras(tf)
    x = tf.constant(EMBEDDINGS)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = k.losses.Circle(**arguments)(CLASSES, x)
    each = k.losses.Circle(**arguments, reduction="none")(CLASSES[:, None], x)
    return [loss, tape.gradient(loss, x), each]


@case(loose=20)
def circle_loss_of_references(tf):
    return keras(tf).losses.circle(
        CLASSES[:3], EMBEDDINGS[:3], CLASSES[3:], EMBEDDINGS[3:], remove_diagonal=False, gamma=4
    )


@case(loose=20, q=(0.2, 0.5, 0.9))
def generalized_cross_entropy(tf, q):
    k = keras(tf)
    x = tf.nn.softmax(tf.constant(array((8, 5), seed=6)))
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = k.losses.CategoricalGeneralizedCrossEntropy(q)(CLASSES, x)
    return [loss, tape.gradient(loss, x)]


@case(loose=20)
def ctc_loss(tf):
    k = keras(tf)
    labels = np.array([[1, 2, 0, 0], [3, 3, 1, 0], [2, 0, 0, 0]])
    x = tf.constant(array((3, 9, 5), seed=7))
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = k.losses.CTC()(labels, x)
    return [loss, tape.gradient(loss, x), k.losses.ctc(labels, x)]


@case(loose=20, name=("PearsonCorrelation", "ConcordanceCorrelation"), axis=(-1, 0))
def correlations(tf, name, axis):
    k = keras(tf)
    metric = getattr(k.metrics, name)(axis=axis)
    for seed in (1, 2):
        true = array((5, 7), seed=seed)
        metric.update_state(true, true + array((5, 7), seed=seed + 5) * 0.3)
    return metric.result(), metric.get_config()["axis"]


@case(
    loose=20,
    arguments=(
        {},
        {"side": "imag"},
        {"window": None},
        {"window": "hamming", "scaling": "spectrum", "periodic": True},
        {"window": [0.1, 0.2, 0.3, 0.2, 0.1, 0.4], "scaling": None, "side": "imag"},
    ),
)
def transform_kernels(tf, arguments):
    return keras(tf).initializers.STFT(**arguments)((6, 1, 5), "float64")
