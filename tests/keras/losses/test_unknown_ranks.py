"""Losses and metrics of tensors whose ranks a graph does not know: as those of eager code."""

import functools
import itertools

import numpy as np
import pytest

import eagerflow as tf

K = tf.keras
LABELS = {
    "flat": np.float32([0, 1, 1, 0]),
    "column": np.float32([[0], [1], [1], [0]]),
    "table": np.float32([[0, 1, 1], [1, 0, 0], [1, 1, 0], [0, 0, 1]]),
}
PREDICTIONS = {
    "flat": np.float32([0.7, 0.3, 0.9, 0.2]),
    "column": np.float32([[0.7], [0.3], [0.9], [0.2]]),
    "table": np.float32([[0.1, 0.7, 0.2], [0.3, 0.3, 0.4], [0.6, 0.3, 0.1], [0.2, 0.2, 0.6]]),
}
WEIGHTS = {
    "none": None,
    "scalar": np.float32(2),
    "flat": np.float32([1, 2, 3, 4]),
    "column": np.float32([[1], [2], [3], [4]]),
}
MADE = {
    "mse": lambda: K.losses.MeanSquaredError(),
    "crossentropy": lambda: K.losses.BinaryCrossentropy(reduction="none"),
    "huber": lambda: K.losses.Huber(),
    "categorical crossentropy": lambda: K.losses.CategoricalCrossentropy(),
    "sparse crossentropy": lambda: K.losses.SparseCategoricalCrossentropy(),
    "metric of mse": lambda: K.metrics.MeanSquaredError(),
    "binary accuracy": lambda: K.metrics.BinaryAccuracy(),
    "sparse accuracy": lambda: K.metrics.SparseCategoricalAccuracy(),
    "auc": lambda: K.metrics.AUC(),
    "precision": lambda: K.metrics.Precision(),
}
PAIRS = [("flat", "flat"), ("flat", "column"), ("column", "flat"), ("column", "column")]
DENSE = [*PAIRS, ("table", "table")]
SPARSE = [("flat", "table"), ("column", "table")]


def pairs_of(name):
    if name.startswith("sparse"):
        return SPARSE
    if name.startswith("categorical"):
        return [("table", "table")]
    return PAIRS if name in ("auc", "precision") else DENSE


CASES = [
    (name, labels, predictions, weights)
    for name in MADE
    for labels, predictions in pairs_of(name)
    for weights in WEIGHTS
    # The mean over flat predictions is a scalar, which weights of rank 2 do not fit.
    if not (name == "metric of mse" and weights == "column" and "flat" in (labels, predictions))
]


def answer(name, given, run):
    made = MADE[name]()

    def call(labels, predictions, weights=None):
        if not isinstance(made, K.metrics.Metric):
            return made(labels, predictions, sample_weight=weights)
        made.update_state(labels, predictions, sample_weight=weights)
        return made.result()

    try:
        return run(call)(*given).numpy()
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        return str(error)


@pytest.mark.parametrize(("name", "labels", "predictions", "weights"), CASES)
def test_answers_do_not_depend_on_what_the_graph_knows(name, labels, predictions, weights):
    given = [tf.constant(LABELS[labels]), tf.constant(PREDICTIONS[predictions])]
    if WEIGHTS[weights] is not None:
        given.append(tf.constant(WEIGHTS[weights]))
    expected = answer(name, given, lambda call: call)
    for unknown in itertools.product([False, True], repeat=len(given)):
        # Sizes of one are known where ranks are: predictions of unknown size are those of classes.
        signature = [
            tf.TensorSpec(None if hidden else [None, *x.shape[1:]][: x.ndim], x.dtype)
            for hidden, x in zip(unknown, given, strict=True)
        ]
        traced = functools.partial(tf.function, input_signature=signature)
        result = answer(name, given, traced)
        if isinstance(expected, str):  # weights that do not fit
            assert isinstance(result, str)
        else:
            np.testing.assert_allclose(result, expected, 1e-6, err_msg=str(unknown))


def test_labels_of_unknown_size_are_squeezed():
    loss = tf.function(
        K.losses.MeanSquaredError(),
        input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None])],
    )
    expected = np.mean((LABELS["flat"] - PREDICTIONS["flat"]) ** 2)
    np.testing.assert_allclose(loss(LABELS["column"], PREDICTIONS["flat"]), expected, 1e-6)
    with pytest.raises(tf.errors.InvalidArgumentError, match="squeeze"):
        loss(LABELS["table"], PREDICTIONS["flat"])
