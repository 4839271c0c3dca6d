"""Losses of connectionist temporal classification in SavedModels."""

from __future__ import annotations

import numpy as np
import pytest

import eagerflow as tf

LABELS = [[1, 2], [2, 0]]
LENGTHS = [2, 1]
FRAMES = [5, 4]


@pytest.mark.parametrize("blank", [0, -1, 2])
@pytest.mark.parametrize("sparse", [False, True])
def test_losses_and_gradients_are_the_same(tmp_path, blank: int, sparse: bool) -> None:
    """A function with the loss is saved as TensorFlow's operation, and has its gradients."""
    labels = np.where(np.array(LABELS) == blank % 4, 3 if blank >= 0 else 1, LABELS)

    def loss(scores):
        if not sparse:
            return tf.nn.ctc_loss(labels, scores, LENGTHS, FRAMES, False, None, blank)
        ragged = tf.RaggedTensor.from_tensor(tf.constant(labels, tf.int32), LENGTHS)
        return tf.nn.ctc_loss(ragged.to_sparse(), scores, None, FRAMES, False, None, blank)

    module = tf.Module()
    module.loss = tf.function(loss, input_signature=[tf.TensorSpec([2, None, 4])])
    tf.saved_model.save(module, tmp_path / "model")
    loaded = tf.saved_model.load(tmp_path / "model")
    scores = tf.random.stateless_normal([2, 5, 4], [1, 2])
    results = []
    for function in (loss, loaded.loss):
        with tf.GradientTape() as tape:
            tape.watch(scores)
            value = function(scores)
        results.append((value, tape.gradient(value, scores)))
    for expected, found in zip(*results, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_version_1_takes_its_own_arguments() -> None:
    """The last class is the blank; lengths are those of the frames."""
    labels = tf.sparse.from_dense([[1]])
    loss = tf.compat.v1.nn.ctc_loss(labels, tf.zeros([1, 1, 3]), [1])
    np.testing.assert_allclose(loss, [np.log(3)], rtol=1e-6)
    with pytest.raises(tf.errors.UnimplementedError, match="merges repeated"):
        tf.compat.v1.nn.ctc_loss(labels, tf.zeros([1, 1, 3]), [1], ctc_merge_repeated=False)
