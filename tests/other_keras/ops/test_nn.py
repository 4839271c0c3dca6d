"""keras.ops.ctc_decode in graphs, and its errors; its values are recorded."""

import numpy as np
import pytest

import eagerflow as tf

ops = tf.keras.ops
LOGITS = np.random.default_rng(1).normal(size=(3, 5, 4)).astype("float32")


@pytest.mark.parametrize("strategy", ["greedy", "beam_search"])
@pytest.mark.parametrize("mask_index", [0, 2, -1, None])
def test_graphs_of_unknown_sizes(strategy, mask_index):
    def decoded(logits, lengths):
        return ops.ctc_decode(logits, lengths, strategy, 8, mask_index=mask_index)

    specs = [tf.TensorSpec([None, None, None], tf.float32), tf.TensorSpec([None], tf.int64)]
    graph = tf.function(decoded, input_signature=specs)
    for got, want in zip(graph(LOGITS, [5, 3, 4]), decoded(LOGITS, [5, 3, 4]), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want)
    labels, scores = decoded(LOGITS, [5, 3, 4])
    assert labels.shape == (1, 3, 5) and labels.dtype == tf.int32 and scores.shape == (3, 1)


def test_half_precision_is_decoded_in_single():
    assert ops.ctc_decode(LOGITS.astype("float16"), [5, 5, 5])[1].dtype == tf.float32
    assert ops.ctc_decode(LOGITS.astype("float64"), [5, 5, 5])[1].dtype == tf.float64


def test_other_strategies_are_refused():
    with pytest.raises(ValueError, match="strategy"):
        ops.ctc_decode(LOGITS, [5, 5, 5], "best")
