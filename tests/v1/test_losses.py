"""Losses of version 1 whose shapes are unknown while the graph is built."""

import numpy as np
import pytest

import eagerflow as tf

v1 = tf.compat.v1
LOGITS = np.array([[1.0, 2.0], [3.0, 5.0]], "f")
LABELS = np.array([[0.0, 1.0], [1.0, 0.0]], "f")
WEIGHTS = np.array([1.0, 3.0], "f")


@pytest.mark.parametrize("reduction", v1.losses.Reduction.all())
@pytest.mark.parametrize("weighted", [True, False])
def test_shapes_may_be_unknown(reduction, weighted):
    def loss(labels, logits, weights):
        return v1.losses.softmax_cross_entropy(
            labels, logits, weights, label_smoothing=0.1, reduction=reduction
        )

    weights = WEIGHTS if weighted else np.float32(2.0)
    with tf.Graph().as_default(), v1.Session() as session:
        fed = [v1.placeholder(tf.float32) for _ in range(2)]
        weight = v1.placeholder(tf.float32, weights.shape)
        result = loss(*fed, weight)
        found = session.run(result, {fed[0]: LABELS, fed[1]: LOGITS, weight: weights})
    np.testing.assert_allclose(found, loss(LABELS, LOGITS, weights), rtol=1e-6)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_sums_have_the_dtype_of_the_losses(count):
    with tf.Graph().as_default(), v1.Session() as session:
        for _ in range(count):
            v1.losses.add_loss(tf.constant(1.5, tf.float64), v1.GraphKeys.REGULARIZATION_LOSSES)
        total = v1.losses.get_regularization_loss()
        assert total.name == "total_regularization_loss:0"
        assert total.dtype == (tf.float64 if count else tf.float32)
        assert session.run(total) == 1.5 * count
