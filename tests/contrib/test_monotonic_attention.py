"""Attention that only moves forwards: modes, mechanisms and their variables."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.contrib import rnn, seq2seq

v1 = tf.compat.v1
RNG = np.random.RandomState(1)


def walked(p, before):
    """The expected weights of a walk from each step that was chosen before."""
    found = np.zeros_like(p)
    for row in range(len(p)):
        for start in range(p.shape[1]):
            reach = before[row, start]
            for k in range(start, p.shape[1]):
                found[row, k] += reach * p[row, k]
                reach *= 1 - p[row, k]
    return found


@pytest.mark.parametrize("mode", ["recursive", "parallel"])
def test_expected_weights(mode):
    p = RNG.uniform(size=[3, 7]).astype(np.float32)
    before = RNG.dirichlet(np.ones(7), 3).astype(np.float32)
    found = seq2seq.monotonic_attention(p, before, mode)
    np.testing.assert_allclose(found, walked(p, before), rtol=1e-4, atol=1e-6)
    with tf.Graph().as_default(), v1.Session() as session:
        given = v1.placeholder(tf.float32, [None, None])
        traced = seq2seq.monotonic_attention(given, tf.constant(before), mode)
        np.testing.assert_allclose(session.run(traced, {given: p}), found, rtol=1e-5, atol=1e-7)


def test_hard_weights():
    p = RNG.randint(0, 2, [5, 7]).astype(np.float32)
    before = np.eye(7, dtype=np.float32)[RNG.randint(0, 7, [5])]
    np.testing.assert_array_equal(seq2seq.monotonic_attention(p, before, "hard"), walked(p, before))
    with pytest.raises(ValueError, match="mode must be"):
        seq2seq.monotonic_attention(p, before, "soft")


def test_products():
    x = RNG.uniform(size=[2, 5])
    np.testing.assert_allclose(seq2seq.safe_cumprod(x, axis=1), np.cumprod(x, 1), rtol=1e-6)
    exclusive = seq2seq.safe_cumprod(tf.constant([0.0, 0.5]), exclusive=True)
    assert exclusive[0] == 1 and exclusive[1] < 1e-30


@pytest.mark.parametrize("mode", ["recursive", "parallel", "hard"])
@pytest.mark.parametrize("kind", ["bahdanau", "luong"])
def test_decoders_move_forwards(kind, mode):
    make = {
        "bahdanau": seq2seq.BahdanauMonotonicAttention,
        "luong": seq2seq.LuongMonotonicAttention,
    }[kind]
    with tf.Graph().as_default(), v1.Session() as session:
        v1.set_random_seed(2)
        memory = tf.constant(RNG.normal(size=[2, 6, 3]), tf.float32)
        attention = make(4, memory, [6, 4], score_bias_init=-0.5, mode=mode)
        cell = seq2seq.AttentionWrapper(rnn.GRUCell(4), attention, alignment_history=True)
        inputs = tf.constant(RNG.normal(size=[2, 5, 3]), tf.float32)
        state, history = cell.zero_state(2, tf.float32), []
        for k in range(5):
            _, state = cell(inputs[:, k], state)
            history.append(state.alignments)
        names = [v.op.name for v in v1.trainable_variables()]
        assert f"attention_wrapper/{kind}_monotonic_attention/attention_score_bias" in names
        session.run(v1.global_variables_initializer())
        first, *weights = session.run([cell.zero_state(2, tf.float32).alignments, *history])
    assert first.tolist() == [[1, 0, 0, 0, 0, 0]] * 2
    assert all((each[1, 4:] == 0).all() for each in weights)
    # What is left behind does not come back.
    behind = [np.cumsum(each, 1) for each in [first, *weights]]
    for before, after in zip(behind, behind[1:], strict=False):
        assert (after <= before + 1e-5).all()
    if mode == "hard":
        assert set(np.unique(weights)) <= {0, 1}


def test_noise():
    memory = tf.constant(RNG.normal(size=[2, 6, 4]), tf.float32)
    noisy = seq2seq.LuongMonotonicAttention(4, memory, sigmoid_noise=1.0)
    start = noisy.initial_alignments(2, tf.float32)
    one, other = (noisy(tf.ones([2, 4]), start)[0].numpy() for _ in range(2))
    assert (one != other).any()
