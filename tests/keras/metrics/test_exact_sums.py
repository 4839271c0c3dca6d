"""Metrics go on where their dtype has no room for the next value."""

import numpy as np
import pytest

import eagerflow as tf

metrics = tf.keras.metrics
v1 = tf.compat.v1
FULL = 2.0**24  # the first float32 to which 1 cannot be added

BINARY = (tf.constant([1.0, 0.0, 1.0, 0.0]), tf.constant([0.75, 0.75, 0.25, 0.25]))
CLASSES = (tf.constant([0, 1, 1]), tf.constant([[0.75, 0.25], [0.25, 0.75], [0.75, 0.25]]))
ONE_HOT = (tf.constant([[1.0, 0.0], [0.0, 1.0]]), tf.constant([[0.75, 0.25], [0.75, 0.25]]))
CASES = {
    "Sum": (metrics.Sum, (tf.constant([1.0]),)),
    "Mean": (metrics.Mean, (tf.constant([1.0, 0.5]),)),
    "MeanTensor": (metrics.MeanTensor, (tf.constant([1.0, 0.5]),)),
    "Accuracy": (metrics.Accuracy, BINARY),
    "BinaryAccuracy": (metrics.BinaryAccuracy, BINARY),
    "CategoricalAccuracy": (metrics.CategoricalAccuracy, ONE_HOT),
    "SparseCategoricalAccuracy": (metrics.SparseCategoricalAccuracy, CLASSES),
    "TopK": (lambda **k: metrics.TopKCategoricalAccuracy(1, **k), ONE_HOT),
    "MeanSquaredError": (metrics.MeanSquaredError, BINARY),
    "RootMeanSquaredError": (metrics.RootMeanSquaredError, BINARY),
    "Hinge": (metrics.Hinge, BINARY),
    "MeanRelativeError": (lambda **k: metrics.MeanRelativeError([1.0] * 4, **k), BINARY),
    "MeanMetricWrapper": (
        lambda **k: metrics.MeanMetricWrapper(lambda y, p: tf.abs(y - p), **k),
        BINARY,
    ),
    "TruePositives": (metrics.TruePositives, BINARY),
    "TrueNegatives": (metrics.TrueNegatives, BINARY),
    "FalsePositives": (metrics.FalsePositives, BINARY),
    "FalseNegatives": (metrics.FalseNegatives, BINARY),
    "thresholds": (lambda **k: metrics.TruePositives([0.1, 0.5], **k), BINARY),
    "Precision": (metrics.Precision, BINARY),
    "Recall": (metrics.Recall, BINARY),
    "PrecisionAtRecall": (lambda **k: metrics.PrecisionAtRecall(0.5, 5, **k), BINARY),
    "SensitivityAtSpecificity": (lambda **k: metrics.SensitivityAtSpecificity(0.5, 5, **k), BINARY),
    "AUC": (lambda **k: metrics.AUC(5, **k), BINARY),
    "AUC-labels": (lambda **k: metrics.AUC(5, multi_label=True, **k), ONE_HOT),
    "MeanIoU": (lambda **k: metrics.MeanIoU(2, **k), (BINARY[0], tf.round(BINARY[1]))),
    "BinaryIoU": (metrics.BinaryIoU, BINARY),
    "OneHotIoU": (lambda **k: metrics.OneHotIoU(2, [0, 1], **k), ONE_HOT),
    "F1Score": (metrics.F1Score, ONE_HOT),
    "R2Score": (metrics.R2Score, (BINARY[0][:, None], BINARY[1][:, None])),
}


def eagerly(update):
    return update


def traced(update):
    return tf.function(update)


def in_a_loop(update):
    @tf.function
    def once(*batch):
        for _ in tf.range(1):
            update(*batch)

    return once


@pytest.mark.parametrize("way", [eagerly, traced, in_a_loop])
@pytest.mark.parametrize("name", CASES)
def test_states_are_those_of_double_precision(name, way):
    make, batch = CASES[name]
    single, double = make(), make(dtype="float64")
    wide = [tf.cast(each, tf.float64) if each.dtype.is_floating else each for each in batch]
    for metric, values in ((single, batch), (double, wide)):
        metric.update_state(*values)
        for weight in metric.weights:
            weight.assign(tf.fill(weight.shape, tf.cast(FULL, weight.dtype)))
    update = way(single.update_state)
    for _ in range(9):
        update(*batch)
        double.update_state(*wide)
    for weight, exact in zip(single.weights, double.weights, strict=True):
        np.testing.assert_array_equal(weight, exact.numpy().astype(weight.dtype.as_numpy_dtype))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
def test_every_float_keeps_its_remainder(dtype):
    full = {"bfloat16": 2**8, "float16": 2**11, "float32": 2**24, "float64": 2**53}[dtype]
    metric = metrics.Sum(dtype=dtype)
    metric.update_state(float(full))
    for _ in range(4):
        metric.update_state(1.0)
    assert int(tf.cast(metric.result(), tf.float64)) == full + 4
    assert metric.result().dtype.name == metric.dtype == dtype


def test_metrics_of_programs_keep_it():
    class Balance(metrics.Metric):
        def __init__(self):
            super().__init__()
            self.sum = self.add_weight("sum", initializer="zeros")

        def update_state(self, plus, minus):
            self.sum.assign_add(plus)
            self.sum.assign_sub(minus)

        def result(self):
            return self.sum

    metric = Balance()
    for _ in range(5):
        metric.update_state(FULL, 0.0)
        metric.update_state(3.0, 0.0)
    metric.update_state(0.0, 4 * FULL)
    metric.update_state(0.0, FULL)
    assert metric.result().numpy() == 15


def test_any_other_change_forgets_it():
    metric = metrics.Sum()
    changes = [
        lambda: metric.total.assign(FULL),
        lambda: metric.set_weights([np.float32(FULL)]),
        lambda: (metric.reset_state(), metric.update_state(FULL)),
        tf.function(lambda: metric.total.assign(FULL)),
        lambda: tf.keras.backend.set_value(metric.total, FULL),
    ]
    for change in changes:
        metric.reset_state()
        metric.update_state(FULL)
        metric.update_state(1.0)
        change()
        metric.update_state(1.0)
        assert metric.result().numpy() == FULL
        metric.update_state(1.0)
        assert metric.result().numpy() == FULL + 2


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_infinities_and_nans_stay_what_they_are(value):
    metric = metrics.Sum()
    metric.update_state(value)
    metric.update_state(1.0)
    np.testing.assert_array_equal(metric.result(), value)
    metric.reset_state()
    metric.update_state(2.0)
    assert metric.result().numpy() == 2


def test_it_is_no_weight(tmp_path):
    metric = metrics.Mean()
    metric.update_state([FULL, 1.0])
    metric.update_state(1.0)
    assert [weight.shape for weight in metric.get_weights()] == [(), ()]
    assert len(metric.variables) == 2
    path = tf.train.Checkpoint(metric=metric).write(str(tmp_path / "metric"))
    names = [name for name, _ in tf.train.list_variables(path) if name.startswith("metric/")]
    assert names == [f"metric/{name}/.ATTRIBUTES/VARIABLE_VALUE" for name in ("count", "total")]
    other = metrics.Mean()
    other.update_state([FULL, 1.0, 1.0])
    tf.train.Checkpoint(metric=other).read(path)
    assert other.total.numpy() == metric.total.numpy() and other.count.numpy() == 3


def test_replicas_keep_their_own():
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    with strategy.scope():
        metric = metrics.Sum()
    strategy.run(metric.update_state, (FULL,))
    step = tf.function(lambda: strategy.run(metric.update_state, (1.0,)))
    for _ in range(4):
        step()
    assert metric.result().numpy() == FULL + 4


@pytest.mark.parametrize(
    "name", ["mean", "accuracy", "true_positives", "precision", "recall", "auc", "mean_iou"]
)
def test_version_1(name):
    with tf.Graph().as_default():
        labels, predictions = v1.placeholder(tf.float32, [2]), v1.placeholder(tf.float32, [2])
        arguments = [predictions] if name == "mean" else [labels, predictions]
        if name == "mean_iou":
            arguments = [tf.cast(labels, tf.int64), tf.cast(predictions, tf.int64), 2]
        _, update = getattr(v1.metrics, name)(*arguments)
        variables = v1.local_variables()
        fill = [v.assign(tf.fill(v.shape, tf.cast(FULL, v.dtype))) for v in variables]
        feed = {labels: [1.0, 0.0], predictions: [1.0, 0.0]}
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            session.run(update, feed)
            once = session.run(variables)
            session.run(fill)
            for _ in range(4):
                session.run(update, feed)
            for state, change in zip(session.run(variables), once, strict=True):
                exact = (FULL + 4 * np.asarray(change, np.float64)).astype(state.dtype)
                np.testing.assert_array_equal(state, exact)
