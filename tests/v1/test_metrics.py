"""tf.metrics of version 1, beside numbers recorded from TensorFlow 2.21."""

import numpy as np
import pytest

import eagerflow

tf = eagerflow.compat.v1
metrics = tf.metrics
_rng = np.random.RandomState(0)
_labels = _rng.randint(0, 2, (2, 20)).astype(np.int64)
_scores = np.clip(_labels * 0.3 + _rng.rand(2, 20) * 0.7, 0, 1).astype(np.float32)
_weights = _rng.rand(2, 20).astype(np.float32)
_classes = _rng.randint(0, 4, (2, 20)).astype(np.int64)
_chances = _rng.rand(2, 20, 5).astype(np.float32)
_guesses = _rng.randint(0, 4, (2, 20)).astype(np.int64)
DATA = (_labels, _scores, _weights, _classes, _chances, _guesses)

# The metric of (labels, scores, weights, classes, chances, guesses); sums of both updates and of
# the value after them.
CASES = {
    "accuracy": (lambda y, p, w, c, s, d: metrics.accuracy(c, d, w), (0.234, 0.274, 0.274)),
    "mean": (lambda y, p, w, c, s, d: metrics.mean(p, w), (0.497, 0.449, 0.449)),
    "mse": (lambda y, p, w, c, s, d: metrics.mean_squared_error(p, w, w), (0.201, 0.188, 0.188)),
    "rmse": (lambda y, p, w, c, s, d: metrics.root_mean_squared_error(p, w), (0.471, 0.448, 0.448)),
    "mae": (lambda y, p, w, c, s, d: metrics.mean_absolute_error(p, w), (0.407, 0.377, 0.377)),
    "mre": (lambda y, p, w, c, s, d: metrics.mean_relative_error(p, w, p), (3.42, 2.623, 2.623)),
    "cos": (
        lambda y, p, w, c, s, d: metrics.mean_cosine_distance(p, w, 0),
        (-3.025, -2.662, -2.662),
    ),
    "pb": (lambda y, p, w, c, s, d: metrics.percentage_below(p, 0.4, w), (0.236, 0.327, 0.327)),
    "mt": (lambda y, p, w, c, s, d: metrics.mean_tensor(p, w), (11.25, 9.539, 9.539)),
    "iou": (lambda y, p, w, c, s, d: metrics.mean_iou(c, d, 4, w), (8.104, 16.295, 0.164)),
    "mpc": (
        lambda y, p, w, c, s, d: metrics.mean_per_class_accuracy(c, d, 4),
        (1.21, 1.114, 0.279),
    ),
    "tp": (lambda y, p, w, c, s, d: metrics.true_positives(y, p > 0.5, w), (2.89, 5.489, 5.489)),
    "fn": (lambda y, p, w, c, s, d: metrics.false_negatives(y, p > 0.5), (3.0, 8.0, 8.0)),
    "tn": (lambda y, p, w, c, s, d: metrics.true_negatives(y, p > 0.5), (5.0, 13.0, 13.0)),
    "fp": (lambda y, p, w, c, s, d: metrics.false_positives(y, p > 0.5, w), (1.062, 1.062, 1.062)),
    "tpt": (
        lambda y, p, w, c, s, d: metrics.true_positives_at_thresholds(y, p, [0.3, 0.6], w),
        (7.678, 13.41, 13.41),
    ),
    "pr": (lambda y, p, w, c, s, d: metrics.precision(y, p > 0.5, w), (0.731, 0.838, 0.838)),
    "rc": (lambda y, p, w, c, s, d: metrics.recall(y, p > 0.5, w), (0.592, 0.639, 0.639)),
    "prt": (
        lambda y, p, w, c, s, d: metrics.precision_at_thresholds(y, p, [0.3, 0.6], w),
        (1.523, 1.58, 1.58),
    ),
    "rct": (
        lambda y, p, w, c, s, d: metrics.recall_at_thresholds(y, p, [0.3, 0.6], w),
        (1.572, 1.561, 1.561),
    ),
    "auc": (lambda y, p, w, c, s, d: metrics.auc(y, p, w), (0.807, 0.88, 0.88)),
    "aucpr": (lambda y, p, w, c, s, d: metrics.auc(y, p, w, curve="PR"), (0.859, 0.879, 0.879)),
    "aucci": (
        lambda y, p, w, c, s, d: metrics.auc(
            y, p, w, curve="PR", summation_method="careful_interpolation"
        ),
        (0.86, 0.88, 0.88),
    ),
    "aucmin": (
        lambda y, p, w, c, s, d: metrics.auc(y, p, num_thresholds=20, summation_method="minoring"),
        (0.747, 0.801, 0.801),
    ),
    "sas": (
        lambda y, p, w, c, s, d: metrics.sensitivity_at_specificity(y, p, 0.7),
        (0.727, 0.739, 0.739),
    ),
    "spa": (
        lambda y, p, w, c, s, d: metrics.specificity_at_sensitivity(y, p, 0.7, w),
        (0.67, 0.862, 0.862),
    ),
    "pk": (lambda y, p, w, c, s, d: metrics.precision_at_k(c, s, 2), (0.175, 0.138, 0.138)),
    "pk1": (
        lambda y, p, w, c, s, d: metrics.precision_at_k(c, s, 2, class_id=1),
        (0.2, 0.167, 0.167),
    ),
    "rk": (lambda y, p, w, c, s, d: metrics.recall_at_k(c, s, 2, weights=w), (0.241, 0.191, 0.191)),
    "rk1": (lambda y, p, w, c, s, d: metrics.recall_at_k(c, s, 3, class_id=2), (0.6, 0.5, 0.5)),
    "apk": (
        lambda y, p, w, c, s, d: metrics.average_precision_at_k(tf.stack([c, d], -1), s, 3),
        (0.338, 0.306, 0.306),
    ),
}


def placeholders(fixed):
    return [
        tf.placeholder(array.dtype, array.shape[1:] if fixed else [None, *array.shape[2:]])
        for array in DATA
    ]


@pytest.mark.parametrize("name", CASES)
def test_metric(name):
    make, expected = CASES[name]
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = placeholders(fixed=name == "mt")
        value, update = make(*inputs)
        session.run(tf.local_variables_initializer())
        found = [
            np.sum(
                session.run(update, {x: array[k] for x, array in zip(inputs, DATA, strict=True)})
            )
            for k in range(2)
        ]
        found.append(np.sum(session.run(value)))
    np.testing.assert_allclose(found, expected, atol=6e-4)


def test_collections_and_variables():
    with tf.Graph().as_default():
        value, update = metrics.precision(
            [1, 0], [1, 1], metrics_collections="shown", updates_collections=["updates"]
        )
        assert tf.get_collection("shown") == [value]
        assert tf.get_collection("updates") == [update]
        assert [v.op.name for v in tf.local_variables()] == [
            "precision/true_positives/count",
            "precision/false_positives/count",
        ]
        assert tf.local_variables() == tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)


def test_bad_input():
    with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
        metrics.auc([1, 0], [0.5, 0.2])
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(ValueError, match="curve"):
            metrics.auc([1, 0], [0.5, 0.2], curve="DET")
        with pytest.raises(ValueError, match="range"):
            metrics.sensitivity_at_specificity([1], [0.5], 1.5)
        labels = tf.placeholder(tf.int64, [None])
        _, update = metrics.mean_iou(labels, labels, 3)
        session.run(tf.local_variables_initializer())
        message = r"test_metrics.py(.|\n)*`labels` out of bound"
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            session.run(update, {labels: [5]})


# Metrics of labels and predictions, and what they are called with besides.
ALIGNED = {
    "accuracy": {},
    "mean_absolute_error": {},
    "mean_squared_error": {},
    "root_mean_squared_error": {},
    "mean_iou": {"num_classes": 2},
    "mean_per_class_accuracy": {"num_classes": 2},
    "precision": {},
    "recall": {},
    "auc": {},
    "true_positives": {},
    "false_negatives_at_thresholds": {"thresholds": [0.5]},
    "precision_at_thresholds": {"thresholds": [0.5]},
    "sensitivity_at_specificity": {"specificity": 0.5},
}


@pytest.mark.parametrize("name", ALIGNED)
@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
def test_an_axis_of_one_is_squeezed(name, known):
    """Whichever of labels, predictions and weights has it, and whether or not ranks are known."""
    arrays = np.array([1, 0, 1, 1]), np.array([1, 1, 0, 1]), np.array([0.5, 1, 2, 1], np.float32)
    results = []
    for longer in ((), (0,), (1,), (2,), (0, 1), (0, 1, 2)):
        with tf.Graph().as_default(), tf.Session() as session:
            values = [a[:, None] if k in longer else a for k, a in enumerate(arrays)]
            fed = [tf.placeholder(v.dtype, v.shape if known else None) for v in values]
            _, update = getattr(metrics, name)(*fed[:2], weights=fed[2], **ALIGNED[name])
            session.run(tf.local_variables_initializer())
            results.append(session.run(update, dict(zip(fed, values, strict=True))))
    for result in results:
        np.testing.assert_allclose(result, results[0], rtol=1e-6)


@pytest.mark.parametrize("name", ALIGNED)
def test_shapes_that_cannot_match_are_refused_at_once(name):
    with tf.Graph().as_default():
        for shapes in (([4], [3], [4]), ([4, 2], [4], [4]), ([4], [4], [3]), ([4], [4], [4, 1, 1])):
            given = [tf.zeros(shape) for shape in shapes]
            with pytest.raises(ValueError):
                getattr(metrics, name)(*given[:2], weights=given[2], **ALIGNED[name])


def test_predictions_that_are_no_probabilities_are_refused():
    with tf.Graph().as_default(), tf.Session() as session:
        for score in (-0.1, 1.1, np.nan):
            _, update = metrics.auc([1.0], [score])
            session.run(tf.local_variables_initializer())
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"in \[0, 1\]"):
                session.run(update)


@pytest.mark.parametrize("name", ["precision_at_k", "recall_at_k", "average_precision_at_k"])
def test_sparse_labels_are_like_dense_ones(name):
    rows = np.array([[1, 3], [2, 0], [4, 1]])
    scores = np.random.RandomState(1).rand(3, 5).astype(np.float32)
    sparse = tf.SparseTensorValue(np.argwhere(rows >= 0), rows.ravel(), [3, 2])
    with tf.Graph().as_default(), tf.Session() as session:
        found = []
        for labels in (tf.constant(rows), tf.SparseTensor(*sparse)):
            _, update = getattr(metrics, name)(labels, scores, 2)
            session.run(tf.local_variables_initializer())
            found.append(session.run(update))
        assert found[0] == found[1] > 0
        with pytest.raises(ValueError, match="rank 2"):
            getattr(metrics, name)(rows[0], scores[0], 2)


def test_labels_beyond_the_classes_are_missed():
    with tf.Graph().as_default(), tf.Session() as session:
        _, recall = metrics.recall_at_k([[0, -1, 9]], [[0.9, 0.1]], 1)
        session.run(tf.local_variables_initializer())
        np.testing.assert_allclose(session.run(recall), 1 / 3, rtol=1e-6)
