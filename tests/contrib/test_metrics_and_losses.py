"""tf.contrib.metrics, losses, nn, memory_stats and others: predictions come first."""

import inspect

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import contrib

v1 = tf.compat.v1
RNG = np.random.RandomState(1)
P = RNG.uniform(0.1, 0.9, [4, 3]).astype(np.float32)
L = RNG.randint(0, 2, [4, 3]).astype(np.float32)
PREDICTIONS_FIRST = [
    name
    for name in contrib.metrics.__all__
    # One has another definition than that of its name in `tf.metrics`.
    if name.startswith("streaming_")
    and name != "streaming_recall_at_k"
    and list(inspect.signature(getattr(contrib.metrics, name)).parameters)[1] == "labels"
]
MORE = {
    "at_specificity": [0.5],
    "at_sensitivity": [0.5],
    "at_thresholds": [[0.3, 0.6]],
    "at_k": [2],
    "cosine_distance": [1],
    "mean_iou": [2],
    "relative_error": [L + 1],
}


@pytest.mark.parametrize("name", PREDICTIONS_FIRST)
def test_streaming_metrics_are_those_of_tf_metrics(name):
    streaming = getattr(contrib.metrics, name)
    later = name.removeprefix("streaming_").replace("sparse_", "")
    metric = getattr(v1.metrics, later)
    more = next((more for end, more in MORE.items() if name.endswith(end)), [])
    predictions, labels = P, L
    if name.endswith("mean_iou"):
        predictions = (P > 0.5).astype(np.int64)
    elif name.endswith("top_k"):
        predictions, labels = np.argsort(P)[:, ::-1][:, :2].astype(np.int64), np.array([[0]] * 4)
    elif name.endswith("at_k"):
        labels = np.array([[0], [1], [2], [0]])
    elif "recall" in name or "precision" in name or "true" in name or "false" in name:
        predictions = P if "thresholds" in name else (P > 0.5).astype(np.float32)

    def found(function, *arguments):
        with tf.Graph().as_default(), v1.Session() as session:
            value, update = function(*arguments, *more)
            session.run(v1.local_variables_initializer())
            session.run(update)
            return session.run(value)

    expected = found(metric, labels, predictions)
    np.testing.assert_array_equal(found(streaming, predictions, labels), expected)
    if not more:
        key = next(iter(inspect.signature(streaming).parameters))
        named = found(
            lambda *given: streaming(labels=given[1], **{key: given[0]}), predictions, labels
        )
        np.testing.assert_array_equal(named, expected)


def test_other_metrics():
    with tf.Graph().as_default(), v1.Session() as session:
        value, update = contrib.metrics.streaming_recall_at_k(P, np.argmax(P, 1), 1)
        mean, add = contrib.metrics.streaming_mean([1.0, 3.0])
        values, updates = contrib.metrics.aggregate_metrics((value, update), (mean, add))
        by_name, _ = contrib.metrics.aggregate_metric_map({"mean": (mean, add)})
        session.run(v1.local_variables_initializer())
        session.run(updates)
        assert session.run(values) == [1.0, 2.0] and session.run(by_name) == {"mean": 2.0}
    right = contrib.metrics.accuracy([1, 2, 3], [1, 2, 0], weights=[1, 0, 1])
    assert float(right) == 0.5
    with pytest.raises(ValueError, match="dtypes should match"):
        contrib.metrics.accuracy([1.0], [1])
    union = contrib.metrics.set_union(tf.constant([[1, 2]]), tf.constant([[2, 3]]))
    assert union.values.numpy().tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "name, later",
    [
        ("absolute_difference", "absolute_difference"),
        ("mean_squared_error", "mean_squared_error"),
        ("mean_pairwise_squared_error", "mean_pairwise_squared_error"),
        ("log_loss", "log_loss"),
        ("hinge_loss", "hinge_loss"),
        ("sigmoid_cross_entropy", "sigmoid_cross_entropy"),
        ("softmax_cross_entropy", "softmax_cross_entropy"),
    ],
)
def test_losses_are_those_of_tf_losses(name, later):
    old, new = getattr(contrib.losses, name), getattr(v1.losses, later)
    np.testing.assert_allclose(old(P, L), new(L, P), rtol=1e-6)
    weights = np.array([1, 0, 2, 3], np.float32)
    spread = weights if name.startswith("soft") else weights[:, None]
    np.testing.assert_allclose(old(P, L, weights), new(L, P, spread), rtol=1e-6)


def test_losses_are_collected():
    with tf.Graph().as_default():
        logits = v1.placeholder(tf.float32, [None, 3])
        loss = contrib.losses.sparse_softmax_cross_entropy(logits, [[0], [1]])
        cosine = contrib.losses.cosine_distance(logits, logits, dim=1)
        assert contrib.losses.get_losses() == [loss, cosine]
        assert contrib.losses.get_total_loss().shape == []


def learned(name, *arguments, **kwargs):
    return float(getattr(contrib.losses.metric_learning, name)(*arguments, **kwargs))


ROWS = RNG.normal(size=[6, 4]).astype(np.float32)
ROWS /= np.linalg.norm(ROWS, axis=1, keepdims=True)
CLASSES = np.array([0, 1, 0, 2, 1, 0])


def test_semihard_triplets():
    distances = ((ROWS[:, None] - ROWS[None]) ** 2).sum(2)
    losses = []
    for a in range(6):
        others = [distances[a, n] for n in range(6) if CLASSES[n] != CLASSES[a]]
        for p in range(6):
            if p != a and CLASSES[p] == CLASSES[a]:
                farther = [each for each in others if each > distances[a, p]]
                chosen = min(farther) if farther else max(others)
                losses.append(max(0.7 + distances[a, p] - chosen, 0))
    found = learned("triplet_semihard_loss", CLASSES, ROWS, margin=0.7)
    np.testing.assert_allclose(found, np.mean(losses), rtol=1e-5)


def test_lifted_structures():
    distances = np.sqrt(((ROWS[:, None] - ROWS[None]) ** 2).sum(2))
    other = CLASSES[:, None] != CLASSES[None]
    total = pairs = 0
    for i in range(6):
        for j in range(i + 1, 6):
            if CLASSES[i] == CLASSES[j]:
                sums = sum(np.exp(1 - distances[k][other[k]]).sum() for k in (i, j))
                total += max(np.log(sums) + distances[i, j], 0) ** 2
                pairs += 1
    found = learned("lifted_struct_loss", CLASSES, ROWS)
    np.testing.assert_allclose(found, total / (2 * pairs), rtol=1e-5)


def test_pairs():
    other = RNG.normal(size=[6, 4]).astype(np.float32)
    logits = ROWS @ other.T
    logs = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    same = (CLASSES[:, None] == CLASSES[None]).astype(np.float32)
    targets = same / same.sum(1, keepdims=True)
    lengths = (ROWS**2).sum(1).mean() + (other**2).sum(1).mean()
    expected = -(targets * logs).sum(1).mean() + 0.25 * 0.002 * lengths
    np.testing.assert_allclose(learned("npairs_loss", CLASSES, ROWS, other), expected, rtol=1e-5)
    sparse = [tf.SparseTensor([[0, c]], [1.0], [1, 3]) for c in CLASSES]
    found = learned("npairs_loss_multilabel", sparse, ROWS, other)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    distances = np.linalg.norm(ROWS - other, axis=1)
    alike = np.array([1, 0, 1, 0, 1, 0])
    expected = np.where(alike, distances**2, np.maximum(2 - distances, 0) ** 2).mean()
    found = learned("contrastive_loss", alike, ROWS, other, margin=2.0)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_learned_distances_have_gradients():
    rows = tf.Variable(np.concatenate([ROWS, ROWS[:1]]))
    for name in ("triplet_semihard_loss", "lifted_struct_loss"):
        with tf.GradientTape() as tape:
            classes = np.append(CLASSES, 0)
            loss = getattr(contrib.losses.metric_learning, name)(classes, rows)
        assert np.isfinite(tape.gradient(loss, rows)).all()


def test_functions():
    x = RNG.normal(size=[1000, 50]).astype(np.float32)
    dropped = contrib.nn.alpha_dropout(x, 0.8).numpy()
    assert abs(dropped.mean()) < 0.02 and abs(dropped.var() - 1) < 0.02
    assert contrib.nn.alpha_dropout(tf.ones([2]), 1.0).numpy().tolist() == [1, 1]
    with pytest.raises(ValueError, match="range"):
        contrib.nn.alpha_dropout(x, 0.0)
    later = tf.nn.softmax_cross_entropy_with_logits(L, P)
    flipped = contrib.nn.deprecated_flipped_softmax_cross_entropy_with_logits(P, L)
    np.testing.assert_array_equal(flipped, later)


def test_bytes_and_messages():
    stats = contrib.memory_stats
    with tf.Graph().as_default(), v1.Session() as session:
        use, most, limit = session.run(
            [stats.BytesInUse(), stats.MaxBytesInUse(), stats.BytesLimit()]
        )
    assert 0 <= use <= most <= limit
    message = contrib.util.make_tensor_proto([1, 2])
    assert contrib.util.make_ndarray(message).tolist() == [1, 2]
    assert contrib.util.constant_value(tf.constant(3)) == 3
    assert contrib.keras.layers.Dense is v1.keras.layers.Dense
