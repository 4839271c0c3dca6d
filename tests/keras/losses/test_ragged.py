"""Losses and metrics of ragged labels and predictions; values are recorded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eagerflow as tf

losses, metrics = tf.keras.losses, tf.keras.metrics


ragged = tf.ragged.constant


FLAT = (ragged([[0.0, 1.0], [1.0]]), ragged([[0.1, 0.2], [0.7]]))


CLASSES = (
    ragged([[[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0]]], ragged_rank=1),
    ragged([[[0.4, 0.6], [0.2, 0.8]], [[0.9, 0.1]]], ragged_rank=1),
)


SPARSE = (ragged([[0, 1], [1]]), CLASSES[1])


def test_losses_of_rows() -> None:
    value = losses.MeanSquaredError()(*FLAT, sample_weight=[1.0, 3.0])
    np.testing.assert_allclose(value, 0.2975, rtol=1e-5)
    value = losses.BinaryCrossentropy(reduction="none")(*FLAT)
    np.testing.assert_allclose(value, [0.85739887, 0.35667479], rtol=1e-5)
    value = losses.CategoricalCrossentropy()(*CLASSES, sample_weight=[1.0, 3.0])
    np.testing.assert_allclose(value, 0.81211501, rtol=1e-5)
    value = losses.SparseCategoricalCrossentropy(reduction="none")(*SPARSE)
    assert isinstance(value, tf.RaggedTensor)
    np.testing.assert_allclose(value.flat_values, [0.9162907, 0.2231435, 2.3025851], rtol=1e-5)
    value = losses.SparseCategoricalCrossentropy(reduction="sum")(
        *SPARSE, sample_weight=[[1.0], [3.0]]
    )
    np.testing.assert_allclose(value, 8.04718971, rtol=1e-5)


def test_rows_of_other_lengths_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="rows of the same lengths"):
        losses.MeanSquaredError()(FLAT[0], tf.constant([[0.3, 0.4], [0.2, 0.7]]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="rows of the same lengths"):
        metrics.MeanAbsoluteError()(FLAT[0], ragged([[0.1], [0.7, 0.2]]))


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (metrics.MeanAbsoluteError(), 0.4),
        (metrics.BinaryAccuracy(), 2 / 3),
        (metrics.Precision(), 1.0),
        (metrics.Recall(), 0.5),
        (metrics.AUC(), 1.0),
    ],
)
def test_metrics(metric: Any, expected: float) -> None:
    np.testing.assert_allclose(metric(*FLAT), expected, rtol=1e-5)


def test_fit_with_ragged_labels() -> None:
    x = tf.keras.Input((None, 2), ragged=True)
    dense = tf.keras.layers.Dense(1, kernel_initializer="ones")
    model = tf.keras.Model(x, tf.keras.layers.TimeDistributed(dense)(x))
    model.compile("sgd", "mse", metrics=["mae"])
    data = ragged([[[1.0, 2], [3, 4]], [[5.0, 6]]], ragged_rank=1)
    labels = ragged([[[1.0], [2]], [[3.0]]], ragged_rank=1)
    history = model.fit(data, labels, verbose=0, epochs=2).history
    np.testing.assert_allclose(history["loss"], [31.0, 4.47786665], rtol=1e-5)
    np.testing.assert_allclose(history["mae"], [5.0, 1.84], rtol=1e-5)
    np.testing.assert_allclose(
        model.predict(data, verbose=0).flat_values, [[1.016], [2.6442664], [4.2725334]], rtol=1e-5
    )


def test_one_hot_labels_need_the_rank_of_the_predictions() -> None:
    with pytest.raises(ValueError, match=r"Shapes \(4,\) and \(4, 5\) are incompatible"):
        losses.CategoricalCrossentropy(axis=1)(tf.range(4), tf.ones([4, 5]) / 5.0)
