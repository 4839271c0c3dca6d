"""Conditional random fields, against all sequences written out."""

import itertools

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.contrib import crf

BATCH, STEPS, TAGS = 3, 4, 3
LENGTHS = np.array([4, 2, 1], np.int32)
RANDOM = np.random.default_rng(0)
POTENTIALS = RANDOM.normal(size=(BATCH, STEPS, TAGS)).astype(np.float32)
TRANSITIONS = RANDOM.normal(size=(TAGS, TAGS)).astype(np.float32)
SEQUENCE = RANDOM.integers(0, TAGS, (BATCH, STEPS))


def score(row, tags):
    """The score of a row's sequence of tags."""
    unary = sum(POTENTIALS[row, step, tag] for step, tag in enumerate(tags))
    return unary + sum(TRANSITIONS[pair] for pair in itertools.pairwise(tags))


def all_sequences(row):
    return list(itertools.product(range(TAGS), repeat=int(LENGTHS[row])))


@pytest.fixture(params=["eager", "function"])
def run(request):
    """Calls functions of potentials and lengths, also traced for any number of rows and steps."""
    if request.param == "eager":
        return lambda function: function(POTENTIALS, LENGTHS)
    signature = [tf.TensorSpec([None, None, TAGS]), tf.TensorSpec([None], tf.int32)]
    return lambda function: tf.function(function, signature)(POTENTIALS, LENGTHS)


def test_the_norm_sums_over_all_sequences(run):
    found = run(lambda x, lengths: crf.crf_log_norm(x, lengths, TRANSITIONS))
    expected = [
        np.log(sum(np.exp(score(row, tags)) for tags in all_sequences(row))) for row in range(BATCH)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_the_best_sequence_is_found(run):
    tags, best = run(lambda x, lengths: crf.crf_decode(x, TRANSITIONS, lengths))
    assert tags.dtype == tf.int32 and tags.shape == (BATCH, STEPS)
    for row, length in enumerate(LENGTHS):
        expected = max(all_sequences(row), key=lambda tags, row=row: score(row, tags))
        assert tuple(tags[row, :length].numpy()) == expected
        assert not tags[row, length:].numpy().any()
        np.testing.assert_allclose(best[row], score(row, expected), rtol=1e-5)
    alone, value = crf.viterbi_decode(POTENTIALS[0], TRANSITIONS)
    assert alone == tags[0].numpy().tolist()
    np.testing.assert_allclose(value, best[0], rtol=1e-5)


def test_likelihoods_and_their_gradients(run):
    def likelihoods(x, lengths):
        return crf.crf_log_likelihood(x, SEQUENCE, lengths, TRANSITIONS)[0]

    expected = [score(row, SEQUENCE[row, :n]) for row, n in enumerate(LENGTHS)]
    norm = crf.crf_log_norm(POTENTIALS, LENGTHS, TRANSITIONS)
    np.testing.assert_allclose(run(likelihoods), expected - norm, rtol=1e-4)
    potentials = tf.Variable(POTENTIALS)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(likelihoods(potentials, LENGTHS))
    gradient = tape.gradient(loss, potentials).numpy()
    # What is said minus what is expected: no change of a step's potentials as a whole.
    np.testing.assert_allclose(gradient.sum(2), np.zeros([BATCH, STEPS]), atol=1e-5)
    assert gradient[0, 1, SEQUENCE[0, 1]] > 0 and not gradient[2, 1:].any()


def test_transitions_are_a_variable_by_default():
    with tf.compat.v1.variable_scope("tags_of_words"):
        _, transitions = crf.crf_log_likelihood(POTENTIALS, SEQUENCE, LENGTHS)
    assert transitions.name == "tags_of_words/transitions:0" and transitions.shape == (TAGS, TAGS)


def test_only_allowed_tags_count():
    allowed = np.ones([BATCH, STEPS, TAGS], bool)
    allowed[0, :, 0] = False
    sequences = [tags for tags in all_sequences(0) if 0 not in tags]
    found = crf.crf_multitag_sequence_score(POTENTIALS, allowed, LENGTHS, TRANSITIONS)
    expected = np.log(sum(np.exp(score(0, tags)) for tags in sequences))
    np.testing.assert_allclose(found[0], expected, rtol=1e-5)
    tags, _ = crf.crf_constrained_decode(POTENTIALS, allowed, TRANSITIONS, LENGTHS)
    assert tuple(tags[0].numpy()) == max(sequences, key=lambda tags: score(0, tags))


def test_empty_sequences_and_single_steps():
    assert crf.crf_log_norm(POTENTIALS, [0, 1, 1], TRANSITIONS)[0] == 0.0
    assert crf.crf_sequence_score(POTENTIALS, SEQUENCE, [0, 1, 1], TRANSITIONS)[0] == 0.0
    tags, _ = crf.crf_decode(POTENTIALS[:, :1], TRANSITIONS, [1, 1, 1])
    assert tags[:, 0].numpy().tolist() == POTENTIALS[:, 0].argmax(1).tolist()
