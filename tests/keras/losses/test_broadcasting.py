"""Losses and metrics warn where broadcasting pairs every label with every prediction."""

import inspect
import warnings

import numpy as np
import pytest

import eagerflow as tf

losses, metrics = tf.keras.losses, tf.keras.metrics
FUNCTIONS = [
    losses.mean_squared_error,
    losses.mean_absolute_error,
    losses.mean_absolute_percentage_error,
    losses.mean_squared_logarithmic_error,
    losses.huber,
    losses.log_cosh,
    losses.kl_divergence,
    losses.poisson,
    losses.cosine_similarity,
    losses.hinge,
    losses.squared_hinge,
    losses.categorical_hinge,
    losses.dice,
    losses.tversky,
    losses.binary_crossentropy,
    losses.binary_focal_crossentropy,
    metrics.binary_accuracy,
    metrics.cosine_similarity,
]
STRETCHING = [
    ((4,), (4, 1)),
    ((4, 1), (4,)),
    ((4, 1), (1, 3)),
    ((2, 1, 3), (2, 4, 1)),
    ((3,), (2, 1)),
]
FINE = [
    ((4,), (4,)),
    ((4, 1), (4, 1)),
    ((4, 3), (4, 1)),
    ((3,), (4, 3)),
    ((), (4,)),
    ((1,), (4, 1)),
]


def ones(shape):
    return tf.fill(shape, 0.5)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_functions(function):
    for labels, predictions in STRETCHING:
        with pytest.warns(UserWarning) as said:
            line = inspect.currentframe().f_lineno + 1
            function(ones(labels), ones(predictions))
        (warning,) = [w for w in said if "are broadcast to" in str(w.message)]
        assert (warning.filename, warning.lineno) == (__file__, line)
        for part in (f"shape {labels}", f"shape {predictions}", "tf.squeeze"):
            assert part in str(warning.message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for labels, predictions in FINE:
            if "cosine" in function.__name__ and () in (labels, predictions):
                continue
            function(ones(labels), ones(predictions))


@pytest.mark.parametrize("function", FUNCTIONS[:3], ids=lambda function: function.__name__)
def test_traced_functions_warn_while_they_are_traced(function):
    signature = [tf.TensorSpec([None]), tf.TensorSpec([None, 1])]
    traced = tf.function(lambda y, p: function(y, p), input_signature=signature)
    with pytest.warns(UserWarning, match=r"shape \(None,\).*shape \(None, 1\)"):
        traced(ones([4]), ones([4, 1]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        traced(ones([5]), ones([5, 1]))


def test_keras_squeezes_by_itself():
    x, y = np.ones((8, 2), "f4"), np.ones(8, "f4")
    names = ["mse", "mae", "binary_crossentropy", "huber", "log_cosh", "hinge", "poisson"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in names:
            model = tf.keras.Sequential([tf.keras.layers.Dense(1, "sigmoid", input_shape=(2,))])
            model.compile("sgd", name, metrics=["mae", "accuracy", metrics.RootMeanSquaredError()])
            model.fit(x, y, sample_weight=y, verbose=0)
            model.evaluate(x, y, verbose=0)
        losses.MeanSquaredError()(tf.ones([4]), tf.ones([4, 1]))
        metrics.MeanSquaredError().update_state(tf.ones([4]), tf.ones([4, 1]))
    with pytest.warns(UserWarning, match="are broadcast to shape"):
        losses.MeanSquaredError()(tf.ones([4, 1]), tf.ones([1, 3]))
    with pytest.warns(UserWarning, match="are broadcast to shape"):
        metrics.RootMeanSquaredError().update_state(tf.ones([4, 1]), tf.ones([1, 3]))
