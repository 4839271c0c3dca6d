"""tf.contrib.legacy_seq2seq: decoders of lists of steps."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import contrib

v1 = tf.compat.v1
seq2seq, rnn = contrib.legacy_seq2seq, contrib.rnn
RNG = np.random.RandomState(1)


def values(outputs, feed=None):
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        return session.run(outputs, feed)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        v1.set_random_seed(1)
        yield graph


def symbols(count, length=3):
    return [tf.constant(RNG.randint(0, count, [2])) for _ in range(length)]


def names():
    return [v.op.name for v in v1.trainable_variables()]


def test_loops():
    cell = rnn.BasicRNNCell(3)
    steps = [tf.constant(RNG.normal(size=[2, 3]), tf.float32) for _ in range(3)]
    start = cell.zero_state(2, tf.float32)
    given, last = seq2seq.rnn_decoder(steps, start, cell, scope="given")
    cell = rnn.BasicRNNCell(3)
    looped, _ = seq2seq.rnn_decoder(steps, start, cell, lambda output, step: output * step)
    static, _ = v1.nn.static_rnn(cell, [steps[0], looped[0], looped[1] * 2.0], dtype=tf.float32)
    assert names() == [
        f"{scope}/basic_rnn_cell/{name}"
        for scope in ("given", "rnn_decoder")
        for name in ("kernel", "bias")
    ]
    looped, static, given, last = values([looped, static, given, last])
    np.testing.assert_allclose(looped, static, rtol=1e-5)
    np.testing.assert_allclose(given[-1], last)


@pytest.mark.parametrize("tied", [False, True])
def test_encoders_begin_decoders(tied):
    cell = rnn.GRUCell(3)
    steps = [tf.constant(RNG.normal(size=[2, 4]), tf.float32) for _ in range(3)]
    make = seq2seq.tied_rnn_seq2seq if tied else seq2seq.basic_rnn_seq2seq
    outputs, _ = make(steps, steps[:2], cell)
    assert len(names()) == (4 if tied else 8)
    if tied:
        assert names()[0] == "combined_tied_rnn_seq2seq/tied_rnn_seq2seq/gru_cell/gates/kernel"
        whole, _ = v1.nn.static_rnn(cell, steps + steps[:2], dtype=tf.float32)
        found, expected = values([outputs, whole[3:]])
        np.testing.assert_allclose(found, expected, rtol=1e-5)
    else:
        assert names()[4] == "basic_rnn_seq2seq/rnn_decoder/gru_cell/gates/kernel"


def test_attention():
    cell = rnn.BasicLSTMCell(3)
    states = RNG.normal(size=[2, 5, 3]).astype(np.float32)
    steps = [tf.constant(RNG.normal(size=[2, 4]), tf.float32) for _ in range(2)]
    start = cell.zero_state(2, tf.float32)
    outputs, (_, hidden) = seq2seq.attention_decoder(
        steps, start, states, cell, output_size=7, num_heads=2, initial_state_attention=True
    )
    assert outputs[0].shape.as_list() == [2, 7]
    found = dict(zip(names(), v1.trainable_variables(), strict=True))
    expected = [f"Attn{kind}_{k}" for k in range(2) for kind in "WV"]
    expected += [f"Attention_{k}/{part}" for k in range(2) for part in ("kernel", "bias")]
    expected += ["kernel", "bias", "AttnOutputProjection/kernel", "AttnOutputProjection/bias"]
    expected += ["basic_lstm_cell/kernel", "basic_lstm_cell/bias"]
    assert set(found) == {f"attention_decoder/{name}" for name in expected}
    outputs, hidden, weights = values([outputs, hidden, found])
    w = {name.removeprefix("attention_decoder/"): value for name, value in weights.items()}

    def attend(k, query):
        features = states @ w[f"AttnW_{k}"][0, 0]
        wanted = query @ w[f"Attention_{k}/kernel"] + w[f"Attention_{k}/bias"]
        scores = (np.tanh(features + wanted[:, None]) * w[f"AttnV_{k}"]).sum(2)
        weights = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
        return (weights[:, :, None] * states).sum(1)

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    memory = output = np.zeros([2, 3])
    attention = [attend(k, np.zeros([2, 6])) for k in range(2)]
    with v1.Session() as session:
        given = session.run(steps)
    for x, expected in zip(given, outputs, strict=True):
        mapped = np.concatenate([x, *attention], 1) @ w["kernel"] + w["bias"]
        joined = np.concatenate([mapped, output], 1) @ w["basic_lstm_cell/kernel"]
        into, candidate, forget, out = np.split(joined + w["basic_lstm_cell/bias"], 4, 1)
        memory = memory * sigmoid(forget + 1) + sigmoid(into) * np.tanh(candidate)
        output = np.tanh(memory) * sigmoid(out)
        attention = [attend(k, np.concatenate([memory, output], 1)) for k in range(2)]
        joined = np.concatenate([output, *attention], 1)
        mine = joined @ w["AttnOutputProjection/kernel"] + w["AttnOutputProjection/bias"]
        np.testing.assert_allclose(expected, mine, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(hidden, output, rtol=1e-4, atol=1e-5)


MODELS = {
    "plain": lambda x, y, feed: seq2seq.embedding_rnn_seq2seq(
        x, y, rnn.GRUCell(4), 6, 5, 3, feed_previous=feed
    ),
    "tied": lambda x, y, feed: seq2seq.embedding_tied_rnn_seq2seq(
        x, y, rnn.GRUCell(4), 6, 3, num_decoder_symbols=5, feed_previous=feed
    ),
    "attention": lambda x, y, feed: seq2seq.embedding_attention_seq2seq(
        x, y, rnn.GRUCell(4), 6, 5, 3, num_heads=2, feed_previous=feed
    ),
}


@pytest.mark.parametrize("kind", MODELS)
def test_outputs_are_fed(kind):
    """A tensor chooses between what `feed_previous` is by True and by False."""
    x, y, flag = symbols(6), symbols(5), v1.placeholder(tf.bool, [])
    with v1.variable_scope("model") as scope:
        chosen, _ = MODELS[kind](x, y, flag)
    count = len(names())
    with v1.variable_scope(scope, reuse=True):
        given, _ = MODELS[kind](x, y, False)
        fed, _ = MODELS[kind](x, y, True)
        # Symbols that are given are those of the outputs before.
        later = [y[0], *(tf.argmax(output, 1) for output in fed[:-1])]
        same, _ = MODELS[kind](x, later, False)
    assert len(names()) == count and chosen[0].shape.as_list() == [2, 5]
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        found = [session.run([chosen, given, fed, same], {flag: on}) for on in (False, True)]
    np.testing.assert_allclose(found[0][0], found[0][1], rtol=1e-5)
    np.testing.assert_allclose(found[1][0], found[1][2], rtol=1e-5)
    np.testing.assert_allclose(found[1][2], found[1][3], rtol=1e-5)


def test_a_projection_finds_symbols():
    weights, biases = tf.constant(RNG.normal(size=[4, 5]), tf.float32), tf.zeros([5])
    outputs, _ = seq2seq.embedding_rnn_seq2seq(
        symbols(6), symbols(5), rnn.GRUCell(4), 6, 5, 3, (weights, biases), feed_previous=True
    )
    assert outputs[0].shape.as_list() == [2, 4] and values(outputs)[2].shape == (2, 4)


def test_losses():
    logits = [RNG.normal(size=[3, 4]).astype(np.float32) for _ in range(2)]
    targets = [RNG.randint(0, 4, [3]) for _ in range(2)]
    weights = [np.array([1, 0, 2], np.float32), np.array([1, 1, 0], np.float32)]
    logs = [x - np.log(np.exp(x).sum(1, keepdims=True)) for x in logits]
    total = sum(-log[np.arange(3), t] * w for log, t, w in zip(logs, targets, weights, strict=True))
    mean = total / sum(weights)
    given = [[tf.constant(step) for step in steps] for steps in (logits, targets, weights)]
    found = values(
        [
            seq2seq.sequence_loss_by_example(*given),
            seq2seq.sequence_loss_by_example(*given, average_across_timesteps=False),
            seq2seq.sequence_loss(*given),
            seq2seq.sequence_loss(*given, average_across_batch=False),
            seq2seq.sequence_loss(
                *given, softmax_loss_function=lambda labels, logits: tf.ones([3])
            ),
        ]
    )
    for one, other in zip(found, [mean, total, mean.mean(), mean.sum(), 1.0], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
    with pytest.raises(ValueError, match="must be the same"):
        seq2seq.sequence_loss(given[0], given[1], given[2][:1])


@pytest.mark.parametrize("by_row", [False, True])
def test_buckets_share_a_model_that_learns(by_row):
    count = 5
    x = [v1.placeholder(tf.int32, [None]) for _ in range(4)]
    y = [v1.placeholder(tf.int32, [None]) for _ in range(5)]
    weights = [v1.placeholder(tf.float32, [None]) for _ in range(5)]
    cell = rnn.GRUCell(16)

    def model(sources, targets):
        return seq2seq.embedding_attention_seq2seq(sources, targets, cell, count, count, 8)

    outputs, losses = seq2seq.model_with_buckets(
        x, y, y[1:] + y[:1], weights, [(2, 3), (4, 5)], model, per_example_loss=by_row
    )
    assert [len(each) for each in outputs] == [3, 5]
    assert not [name for name in names() if name.endswith("_1")]
    assert losses[1].shape.rank == int(by_row)
    train = v1.train.AdamOptimizer(0.02).minimize(tf.reduce_mean(losses[1]))
    given = RNG.randint(1, count, [8, 4])
    feed = dict(zip(x, given.T, strict=True))
    feed |= dict(zip(y, np.vstack([np.zeros(8), given.T]), strict=True))
    feed |= dict(zip(weights, np.vstack([np.ones([4, 8]), np.zeros([1, 8])]), strict=True))
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        found = [np.mean(session.run([losses[1], train], feed)[0]) for _ in range(80)]
    assert found[-1] < 0.3 * found[0]
    with pytest.raises(ValueError, match="last bucket"):
        seq2seq.model_with_buckets(x, y, y, weights, [(9, 3)], model)


@pytest.mark.parametrize(
    "steps, states, heads, message",
    [
        ([], [2, 3, 4], 1, "at least 1 input"),
        ([[2, 4]], [2, 3, 4], 0, "1 heads"),
        ([[2, 4]], [None, None, 4], 1, "must be known"),
    ],
)
def test_refusals(steps, states, heads, message):
    with pytest.raises(ValueError, match=message):
        seq2seq.attention_decoder(
            [tf.ones(step) for step in steps],
            tf.zeros([2, 3]),
            v1.placeholder(tf.float32, states),
            rnn.GRUCell(3),
            num_heads=heads,
        )
