"""Candidate samplers and the losses that use them."""

import numpy as np

from oracle.inputs import gradient, resolve, tensor
from oracle.registry import case, errors

TRUE = [[1, 4], [2, 0], [5, 3]]
SAMPLERS = {
    "uniform": {"range_max": 20},
    "log_uniform": {"range_max": 20},
    "learned_unigram": {"range_max": 8},
    "fixed_unigram": {"range_max": 6, "unigrams": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]},
}


@case(loose=10, name=list(SAMPLERS), unique=(True, False), seed=(None, 3))
def sampler(tf, name, unique, seed):
    function = resolve(tf, f"random.{name}_candidate_sampler")
    tf.random.set_seed(5)
    size = 7 if name == "learned_unigram" else 4
    return [
        list(
            function(
                TRUE,
                2,
                size,
                unique,
                seed=None if seed is None else seed + unique,
                **SAMPLERS[name],
            )
        )
        for _ in range(3)
    ]


@case(loose=10)
def fixed_unigram_options(tf):
    tf.random.set_seed(6)
    options = {"unigrams": [3.0, 1.0, 7.0, 2.0], "distortion": 0.75, "num_reserved_ids": 2}
    return list(tf.random.fixed_unigram_candidate_sampler(TRUE, 2, 3, True, 6, **options, seed=1))


@case
def all_classes(tf):
    return list(tf.random.all_candidate_sampler(TRUE, 2, 6, True))


@case
def accidental_hits(tf):
    return list(tf.nn.compute_accidental_hits(TRUE, [2, 9, 4, 3], 2))


@case(loose=20, hits=(True, False), name=("nce_loss", "sampled_softmax_loss"))
def loss(tf, hits, name):
    weights, biases = tensor(tf, (12, 4)), tensor(tf, (12,), seed=1)
    inputs = tensor(tf, (3, 4), seed=2)
    values = (
        tf.constant([3, 1, 7, 4], tf.int64),
        tf.constant(np.linspace(0.1, 0.6, 6).reshape(3, 2).astype(np.float32)),
        tf.constant([0.2, 0.3, 0.1, 0.4]),
    )

    def run(weights, biases, inputs):
        return resolve(tf, f"nn.{name}")(
            *(weights, biases, tf.constant(TRUE, tf.int64), inputs),
            *(4, 12, 2, values),
            remove_accidental_hits=hits,
        )

    return gradient(tf, run, weights, biases, inputs)


@case(loose=20, name=("nce_loss", "sampled_softmax_loss"))
def drawn_loss(tf, name):
    tf.random.set_seed(9)
    weights, biases = tensor(tf, (12, 4)), tensor(tf, (12,), seed=1)
    labels = tf.constant([[1], [7], [3]], tf.int64)
    return resolve(tf, f"nn.{name}")(weights, biases, labels, tensor(tf, (3, 4), seed=2), 5, 12)


errors(
    "sampling",
    "wrong",
    {
        "too many": (
            lambda tf: tf.random.uniform_candidate_sampler([[1]], 1, 5, True, 3),
            ["too small"],
        ),
        "columns": (
            lambda tf: tf.random.uniform_candidate_sampler([[1]], 2, 2, True, 3),
            ["num_true"],
        ),
        "vector": (lambda tf: tf.random.uniform_candidate_sampler([1], 1, 2, True, 3), ["matrix"]),
        "no weights": (
            lambda tf: tf.random.fixed_unigram_candidate_sampler([[1]], 1, 2, True, 3),
            ["unigrams"],
        ),
    },
)
