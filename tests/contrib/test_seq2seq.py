"""Decoders with helpers, attention and beams, against loops written out."""

import itertools

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.contrib import seq2seq

v1 = tf.compat.v1
WORDS, DEPTH, UNITS, BATCH, STEPS = 7, 5, 6, 2, 4
RANDOM = np.random.default_rng(0)
INPUTS = RANDOM.normal(size=(BATCH, STEPS, DEPTH)).astype(np.float32)
TABLE = RANDOM.normal(size=(WORDS, DEPTH)).astype(np.float32)
MEMORY = RANDOM.normal(size=(BATCH, 3, 8)).astype(np.float32)
LENGTHS = [4, 2]
END = 0


@pytest.fixture
def cell():
    return v1.nn.rnn_cell.GRUCell(UNITS)


@pytest.fixture
def layer():
    return v1.layers.Dense(WORDS, use_bias=False)


def zero_state(cell, rows=BATCH):
    return cell.zero_state(rows, tf.float32)


def test_training_is_a_dynamic_rnn(cell, layer):
    helper = seq2seq.TrainingHelper(INPUTS, LENGTHS)
    decoder = seq2seq.BasicDecoder(cell, helper, zero_state(cell), layer)
    outputs, state, lengths = seq2seq.dynamic_decode(decoder, impute_finished=True)
    expected, last = v1.nn.dynamic_rnn(cell, tf.constant(INPUTS), LENGTHS, dtype=tf.float32)
    np.testing.assert_allclose(outputs.rnn_output, layer(expected), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(state, last, rtol=1e-5)
    assert lengths.numpy().tolist() == LENGTHS
    assert outputs.sample_id[0].numpy().tolist() == np.argmax(layer(expected)[0], 1).tolist()
    by_time, _, _ = seq2seq.dynamic_decode(decoder, output_time_major=True)
    assert by_time.rnn_output.shape == (STEPS, BATCH, WORDS)


def greedy(cell, layer, ids, steps):
    """The likeliest ids, step by step."""
    state = zero_state(cell, len(ids))
    found = []
    for _ in range(steps):
        outputs, state = cell(tf.gather(TABLE, ids), state)
        ids = np.argmax(layer(outputs), 1)
        found.append(ids)
    return np.stack(found, 1)


def test_greedy_decoding_feeds_the_likeliest(cell, layer):
    helper = seq2seq.GreedyEmbeddingHelper(TABLE, [1, 2], end_token=99)
    decoder = seq2seq.BasicDecoder(cell, helper, zero_state(cell), layer)
    outputs, _, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=6)
    np.testing.assert_array_equal(outputs.sample_id, greedy(cell, layer, [1, 2], 6))
    assert lengths.numpy().tolist() == [6, 6]
    # A row ends with the first of its ids that is the last one.
    first = int(outputs.sample_id[0, 0])
    ending = seq2seq.GreedyEmbeddingHelper(TABLE, [1, 1], end_token=first)
    decoder = seq2seq.BasicDecoder(cell, ending, zero_state(cell), layer)
    _, _, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=6)
    assert lengths.numpy().tolist() == [1, 1]


def test_sampling_and_schedules(cell, layer):
    helper = seq2seq.SampleEmbeddingHelper(TABLE, [1, 2], 99, softmax_temperature=1e-3, seed=1)
    decoder = seq2seq.BasicDecoder(cell, helper, zero_state(cell), layer)
    outputs, _, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=5)
    np.testing.assert_array_equal(outputs.sample_id, greedy(cell, layer, [1, 2], 5))
    for chance in 0.0, 1.0:
        helper = seq2seq.ScheduledEmbeddingTrainingHelper(INPUTS, LENGTHS, TABLE, chance)
        decoder = seq2seq.BasicDecoder(cell, helper, zero_state(cell), layer)
        outputs, _, lengths = seq2seq.dynamic_decode(decoder)
        assert lengths.numpy().tolist() == LENGTHS
        assert ((outputs.sample_id.numpy() >= 0) == bool(chance)).all()
    own = v1.nn.rnn_cell.GRUCell(DEPTH)
    helper = seq2seq.ScheduledOutputTrainingHelper(INPUTS, LENGTHS, 1.0)
    decoder = seq2seq.BasicDecoder(own, helper, zero_state(own))
    outputs, _, _ = seq2seq.dynamic_decode(decoder)
    one, state = own(INPUTS[:, 0], zero_state(own))
    two, _ = own(one, state)
    np.testing.assert_allclose(outputs.rnn_output[:, 1], two, rtol=1e-5)


def test_helpers_of_functions(cell):
    def next_inputs(time, outputs, state, sample_ids):
        return tf.fill([BATCH], time >= 2), tf.fill([BATCH, DEPTH], 0.5), state

    helper = seq2seq.CustomHelper(
        lambda: (tf.fill([BATCH], False), tf.ones([BATCH, DEPTH])),
        lambda time, outputs, state: tf.argmax(outputs, 1, tf.int32),
        next_inputs,
    )
    outputs, _, lengths = seq2seq.dynamic_decode(
        seq2seq.BasicDecoder(cell, helper, zero_state(cell))
    )
    assert outputs.rnn_output.shape == (BATCH, 3, UNITS) and lengths.numpy().tolist() == [3, 3]
    helper = seq2seq.InferenceHelper(
        lambda outputs: outputs[:, :DEPTH],
        [DEPTH],
        tf.float32,
        tf.ones([BATCH, DEPTH]),
        lambda samples: tf.fill([BATCH], False),
    )
    outputs, _, _ = seq2seq.dynamic_decode(
        seq2seq.BasicDecoder(cell, helper, zero_state(cell)), maximum_iterations=3
    )
    np.testing.assert_array_equal(outputs.sample_id, outputs.rnn_output[..., :DEPTH])


@pytest.mark.parametrize(
    "attention, options",
    [
        (seq2seq.LuongAttention, {}),
        (seq2seq.LuongAttention, {"scale": True}),
        (seq2seq.BahdanauAttention, {}),
        (seq2seq.BahdanauAttention, {"normalize": True}),
    ],
)
def test_attention(attention, options):
    mechanism = attention(UNITS, MEMORY, memory_sequence_length=[3, 2], **options)
    inner = v1.nn.rnn_cell.LSTMCell(UNITS)
    wrapper = seq2seq.AttentionWrapper(
        inner, mechanism, attention_layer_size=4, alignment_history=True
    )
    decoder = seq2seq.BasicDecoder(
        wrapper, seq2seq.TrainingHelper(INPUTS, LENGTHS), zero_state(wrapper)
    )
    with tf.GradientTape() as tape:
        outputs, state, _ = seq2seq.dynamic_decode(decoder)
        loss = tf.reduce_sum(outputs.rnn_output)
    assert outputs.rnn_output.shape == (BATCH, STEPS, 4)
    weights = state.alignment_history.stack().numpy()
    assert weights.shape == (STEPS, BATCH, 3) and not weights[:, 1, 2].any()
    np.testing.assert_allclose(weights.sum(2), np.ones([STEPS, BATCH]), rtol=1e-5)
    assert all(gradient is not None for gradient in tape.gradient(loss, tape.watched_variables()))
    # The first step, written out.
    hidden, _ = inner(tf.concat([INPUTS[:, 0], tf.zeros([BATCH, 4])], 1), zero_state(inner))
    found, _ = mechanism(hidden, None)
    np.testing.assert_allclose(weights[0], found, rtol=1e-5)
    context = tf.einsum("bt,btd->bd", found, mechanism.values)
    attended = wrapper._attention_layers[0](tf.concat([hidden, context], 1))
    np.testing.assert_allclose(outputs.rnn_output[:, 0], attended, rtol=1e-4, atol=1e-6)


def test_attention_to_two_memories(cell):
    mechanisms = [seq2seq.LuongAttention(UNITS, MEMORY), seq2seq.BahdanauAttention(3, MEMORY)]
    wrapper = seq2seq.AttentionWrapper(cell, mechanisms, attention_layer_size=[2, 3])
    output, state = wrapper(INPUTS[:, 0], zero_state(wrapper))
    assert output.shape == (BATCH, 5) and [x.shape[1] for x in state.alignments] == [3, 3]
    other = zero_state(wrapper).clone(cell_state=tf.ones([BATCH, UNITS]))
    assert other.cell_state.numpy().all()
    with pytest.raises(ValueError, match="tile_batch"):
        other.clone(cell_state=tf.ones([1, UNITS]))


def probability(cell, layer, start, words):
    """The logarithm of the probability of a sequence that ends with END or its last word."""
    state, total, last = zero_state(cell, 1), 0.0, start
    for word in words:
        outputs, state = cell(TABLE[last : last + 1], state)
        total += tf.nn.log_softmax(layer(outputs))[0, word].numpy()
        last = word
        if word == END:
            break
    return total


@pytest.mark.parametrize("penalty", [0.0, 0.6])
def test_wide_beams_find_the_best_of_all_sequences(cell, layer, penalty):
    state = seq2seq.tile_batch(zero_state(cell), WORDS)
    decoder = seq2seq.BeamSearchDecoder(
        cell, TABLE, [1, 2], END, state, WORDS, layer, length_penalty_weight=penalty
    )
    outputs, last, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=2)
    assert outputs.predicted_ids.shape == (BATCH, 2, WORDS)
    for row, start in enumerate((1, 2)):
        scores = {}
        for words in itertools.product(range(WORDS), repeat=2):
            if words[0] == END:
                words = END, END
            # An end that comes next is not counted, one that has come is.
            length = max(1, sum(word != END for word in words))
            total = probability(cell, layer, start, words)
            scores[words] = total / ((5 + length) / 6) ** penalty
        best = sorted(scores, key=scores.get, reverse=True)[:3]
        assert [tuple(x) for x in outputs.predicted_ids[row, :, :3].numpy().T] == best
        found = outputs.beam_search_decoder_output.scores[row, -1, :3]
        np.testing.assert_allclose(found, [scores[words] for words in best], rtol=1e-5)


def test_trees_of_beams():
    ids = [[[1, 2]], [[3, 4]], [[5, 6]]]
    parents = [[[0, 0]], [[1, 0]], [[1, 1]]]
    whole = seq2seq.gather_tree(ids, parents, [3], END)
    assert whole[:, 0].numpy().T.tolist() == [[1, 4, 5], [1, 4, 6]]
    short = seq2seq.gather_tree(ids, parents, [2], END)
    assert short[:, 0].numpy().T.tolist() == [[2, 3, END], [1, 4, END]]
    ended = seq2seq.gather_tree(ids, parents, [3], 4)
    assert ended[:, 0].numpy().T.tolist() == [[1, 4, 4], [1, 4, 4]]


def test_a_model_in_a_graph_trains_and_translates():
    with tf.Graph().as_default():
        v1.set_random_seed(1)
        inputs = v1.placeholder(tf.float32, [None, None, DEPTH])
        lengths = v1.placeholder(tf.int32, [None])
        rows = tf.shape(inputs)[0]
        encoded, state = v1.nn.dynamic_rnn(
            v1.nn.rnn_cell.LSTMCell(UNITS), inputs, lengths, dtype=tf.float32
        )
        attention = seq2seq.BahdanauAttention(UNITS, encoded, lengths)
        wrapper = seq2seq.AttentionWrapper(
            v1.nn.rnn_cell.LSTMCell(UNITS), attention, attention_layer_size=UNITS
        )
        first = wrapper.zero_state(rows, tf.float32).clone(cell_state=state)
        layer = v1.layers.Dense(WORDS)
        helper = seq2seq.TrainingHelper(inputs, lengths)
        outputs, _, _ = seq2seq.dynamic_decode(
            seq2seq.BasicDecoder(wrapper, helper, first, layer), scope="decoder"
        )
        weights = tf.sequence_mask(lengths, dtype=tf.float32)
        targets = tf.ones_like(weights, tf.int32)
        loss = seq2seq.sequence_loss(outputs.rnn_output, targets, weights)
        train = v1.train.AdamOptimizer(0.05).minimize(loss)
        greedy_helper = seq2seq.GreedyEmbeddingHelper(TABLE, tf.fill([rows], 1), END)
        said, _, _ = seq2seq.dynamic_decode(
            seq2seq.BasicDecoder(wrapper, greedy_helper, first, layer), maximum_iterations=5
        )
        tiled = seq2seq.tile_batch(state, 3)
        other = v1.nn.rnn_cell.LSTMCell(UNITS)
        beams, _, _ = seq2seq.dynamic_decode(
            seq2seq.BeamSearchDecoder(other, TABLE, tf.fill([rows], 1), END, tiled, 3, layer),
            maximum_iterations=4,
        )
        names = [variable.name for variable in v1.trainable_variables()]
        assert "decoder/attention_wrapper/bahdanau_attention/query_layer/kernel:0" in names
        assert "memory_layer/kernel:0" in names
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            feeds = {inputs: INPUTS, lengths: LENGTHS}
            before = session.run(loss, feeds)
            for _ in range(20):
                session.run(train, feeds)
            assert session.run(loss, feeds) < before / 4
            assert session.run(said.sample_id, feeds).tolist() == [[1] * 5] * BATCH
            assert session.run(beams.predicted_ids, feeds).shape == (BATCH, 4, 3)


def test_losses_of_sequences():
    logits = RANDOM.normal(size=(BATCH, STEPS, WORDS)).astype(np.float32)
    targets = RANDOM.integers(0, WORDS, (BATCH, STEPS))
    weights = np.array([[1, 1, 0.5, 0], [1, 0, 0, 0]], np.float32)
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits).numpy() * weights

    def loss(**options):
        return seq2seq.sequence_loss(logits, targets, weights, **options).numpy()

    neither = {"average_across_timesteps": False, "average_across_batch": False}
    np.testing.assert_allclose(loss(), each.sum() / weights.sum(), rtol=1e-5)
    np.testing.assert_allclose(loss(**neither), each, rtol=1e-5)
    by_row = loss(average_across_batch=False)
    np.testing.assert_allclose(by_row, each.sum(1) / weights.sum(1), rtol=1e-5)
    by_step = loss(average_across_timesteps=False)
    np.testing.assert_allclose(by_step[:3], each.sum(0)[:3] / weights.sum(0)[:3], rtol=1e-5)
    assert by_step[3] == 0.0
    summed = loss(**neither, sum_over_timesteps=True, sum_over_batch=True)
    np.testing.assert_allclose(summed, each.sum() / 4, rtol=1e-5)
    with pytest.raises(ValueError, match="exclude"):
        loss(sum_over_batch=True)
    with pytest.raises(ValueError, match="wanted"):
        seq2seq.sequence_loss(logits[0], targets, weights)
