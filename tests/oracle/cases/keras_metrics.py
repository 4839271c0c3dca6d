"""Metrics: values over several batches, weights, configurations as Keras 2 (tf_keras) has them."""

import numpy as np

from oracle.inputs import array
from oracle.registry import case, errors

MEANS = (
    "MeanSquaredError",
    "MeanAbsoluteError",
    "MeanAbsolutePercentageError",
    "MeanSquaredLogarithmicError",
    "RootMeanSquaredError",
    "LogCoshError",
    "Poisson",
    "KLDivergence",
    "Hinge",
    "SquaredHinge",
    "CategoricalHinge",
    "CosineSimilarity",
    "BinaryCrossentropy",
    "CategoricalCrossentropy",
    "Accuracy",
    "BinaryAccuracy",
    "CategoricalAccuracy",
)
COUNTS = ("TruePositives", "TrueNegatives", "FalsePositives", "FalseNegatives")
RATES = ("Precision", "Recall")
BOUNDED = (
    "SensitivityAtSpecificity",
    "SpecificityAtSensitivity",
    "PrecisionAtRecall",
    "RecallAtPrecision",
)
FUNCTIONS = (
    "binary_accuracy",
    "categorical_accuracy",
    "mean_squared_error",
    "mae",
    "MAPE",
    "msle",
    "kld",
    "poisson",
    "hinge",
    "squared_hinge",
    "log_cosh",
    "binary_crossentropy",
    "categorical_crossentropy",
)


def probabilities(shape=(6, 3), seed=0):
    values = np.exp(array(shape, seed=seed))
    return values / values.sum(-1, keepdims=True)


def labels(shape=(6, 3), seed=0):
    classes = np.abs(array(shape[:-1], "int32", seed=seed)) % shape[-1]
    return np.eye(shape[-1], dtype="float32")[classes]


def scores(count=40, seed=0):
    """Yes-or-no labels and probabilities that have something to do with them."""
    yes = (np.arange(count) * 7 + seed) % 3 == 0
    noise = np.abs(np.sin(np.arange(count) * 1.7 + seed)).astype("float32")
    return yes.astype("float32"), (0.6 * noise + 0.35 * yes).astype("float32")


def over_batches(tf, metric, batches):
    """The result after each batch, after a reset, and after the first batch again."""
    found = []
    for batch in batches:
        metric.update_state(*batch)
        found.append(metric.result())
    metric.reset_state()
    metric.update_state(*batches[0])
    return [*found, metric.result()]


@case(loose=10, name=MEANS)
def means(tf, name):
    metric = getattr(tf.keras.metrics, name)()
    batches = [
        (labels(seed=1), probabilities(seed=2)),
        (labels(seed=3), probabilities(seed=4), [1.0, 0.0, 2.0, 0.5, 1.0, 3.0]),
        (labels(seed=5), probabilities(seed=6), 0.5),
    ]
    if name == "RootMeanSquaredError":
        batches[1] = (*batches[1][:2], np.abs(array((6, 3), seed=9)))
    return [over_batches(tf, metric, batches), metric.name]


@case(name=("Mean", "Sum"))
def reductions(tf, name):
    metric = getattr(tf.keras.metrics, name)()
    batches = [
        ([1, 3, 5, 7],),
        (2.0,),
        ([[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [2.0, 1.0]]),
        ([[1.0, 2.0], [3.0, 4.0]], [1.0, 0.0]),
        (tf.ones([2, 3, 2]), [[1.0, 2.0, 0.0], [0.0, 0.0, 1.0]]),
        (tf.constant([1.0, 2.0]), 3.0),
    ]
    return over_batches(tf, metric, batches)


@case
def mean_of_nothing(tf):
    return [tf.keras.metrics.Mean().result(), tf.keras.metrics.AUC().result()]


@case
def mean_tensors(tf):
    metric = tf.keras.metrics.MeanTensor()
    batches = [([0.0, 1.0],), ([2.0, 3.0], [1.0, 3.0]), ([1.0, 1.0], 0.5)]
    found = over_batches(tf, metric, batches)
    return [*found, metric.total, metric.count]


@case
def calls_return_results(tf):
    metric = tf.keras.metrics.Mean()
    return [metric(1.0), metric(3.0), metric([5.0, 5.0], sample_weight=[1.0, 0.0])]


@case(shape={"flat": (6,), "column": (6, 1)})
def sparse_categorical_accuracies(tf, shape):
    classes = labels(seed=1).argmax(-1).reshape(shape)
    metric = tf.keras.metrics.SparseCategoricalAccuracy()
    batches = [
        (classes, probabilities(seed=2)),
        (tf.cast(classes, tf.float32), probabilities(seed=3)),
        (tf.cast(classes, tf.uint8), probabilities(seed=4), [1.0, 0.0, 2.0, 0.5, 1.0, 3.0]),
    ]
    return over_batches(tf, metric, batches)


@case
def sparse_categorical_accuracy_of_sequences(tf):
    metric = tf.keras.metrics.SparseCategoricalAccuracy()
    classes = labels((2, 3, 4), seed=1).argmax(-1)
    metric.update_state(classes, probabilities((2, 3, 4), seed=2))
    metric.update_state(classes, probabilities((2, 3, 4), seed=3), [[1.0, 0.0, 1.0], [1.0] * 3])
    return [metric.result(), metric.count]


@case(k=(1, 2, 3))
def top_k(tf, k):
    sparse = tf.keras.metrics.SparseTopKCategoricalAccuracy(k=k)
    dense = tf.keras.metrics.TopKCategoricalAccuracy(k=k)
    one_hot = labels((6, 5), seed=1)
    y_pred = probabilities((6, 5), seed=2)
    weights = [1.0, 0.0, 2.0, 0.5, 1.0, 3.0]
    return [
        sparse(one_hot.argmax(-1), y_pred),
        sparse(one_hot.argmax(-1), y_pred, weights),
        dense(one_hot, y_pred),
        dense(one_hot, y_pred, weights),
        tf.keras.metrics.sparse_top_k_categorical_accuracy(one_hot.argmax(-1), y_pred, k),
        tf.keras.metrics.top_k_categorical_accuracy(one_hot, y_pred, k),
        # Ties count.
        tf.keras.metrics.sparse_top_k_categorical_accuracy([1, 2], [[0.5, 0.5, 0.0], [1.0] * 3], k),
    ]


@case(name=FUNCTIONS)
def functions(tf, name):
    return getattr(tf.keras.metrics, name)(labels(seed=1), probabilities(seed=2))


@case
def sparse_functions(tf):
    classes = labels(seed=1).argmax(-1)
    y_pred = probabilities(seed=2)
    return [
        tf.keras.metrics.sparse_categorical_accuracy(classes, y_pred),
        tf.keras.metrics.sparse_categorical_accuracy(classes[:, None], y_pred),
        tf.keras.metrics.sparse_categorical_crossentropy(classes, y_pred),
    ]


@case(threshold=(0.3, 0.5, 0.9))
def binary_thresholds(tf, threshold):
    yes, y_pred = scores()
    metric = tf.keras.metrics.BinaryAccuracy(threshold=threshold)
    return [metric(yes, y_pred), tf.keras.metrics.binary_accuracy(yes, y_pred, threshold)]


@case(
    name=COUNTS + RATES,
    thresholds={"none": None, "one": 0.3, "two": [0.2, 0.7], "even": [0.0, 0.25, 0.5, 0.75, 1.0]},
)
def counts(tf, name, thresholds):
    metric = getattr(tf.keras.metrics, name)(thresholds=thresholds)
    first, second = scores(seed=1), scores(seed=2)
    weights = np.abs(array((40,), seed=3))
    return over_batches(tf, metric, [first, (*second, weights), (*second, 2.0)])


@case(
    name=RATES,
    options={"top": {"top_k": 2}, "class": {"class_id": 1}, "both": {"top_k": 1, "class_id": 2}},
)
def rates_of_classes(tf, name, options):
    metric = getattr(tf.keras.metrics, name)(**options)
    batches = [(labels(seed=1), probabilities(seed=2)), (labels(seed=3), probabilities(seed=4))]
    return over_batches(tf, metric, batches)


@case(name=BOUNDED, count=(1, 5, 200), value=(0.1, 0.6, 1.0))
def bounded(tf, name, count, value):
    metric = getattr(tf.keras.metrics, name)(value, num_thresholds=count)
    first, second = scores(seed=1), scores(seed=2)
    return over_batches(tf, metric, [first, (*second, np.abs(array((40,), seed=3)))])


@case(
    loose=10,
    curve=("ROC", "PR", "PR_GAIN"),
    method=("interpolation", "majoring", "minoring"),
    count=(2, 7, 200),
)
def auc(tf, curve, method, count):
    metric = tf.keras.metrics.AUC(num_thresholds=count, curve=curve, summation_method=method)
    first, second = scores(seed=1), scores(seed=2)
    return over_batches(tf, metric, [first, (*second, np.abs(array((40,), seed=3)))])


@case(loose=10, curve=("ROC", "PR"), weights={"none": None, "some": [1.0, 2.0, 0.5]})
def auc_of_labels(tf, curve, weights):
    metric = tf.keras.metrics.AUC(curve=curve, multi_label=True, label_weights=weights)
    several = tf.keras.metrics.AUC(curve=curve, label_weights=weights)
    first = labels(seed=1), probabilities(seed=2)
    second = labels(seed=3), probabilities(seed=4), [[1.0], [0.0], [2.0], [0.5], [1.0], [3.0]]
    return [over_batches(tf, metric, [first, second]), over_batches(tf, several, [first, second])]


@case(
    loose=10,
    options={
        "thresholds": {"thresholds": [0.2, 0.5, 0.9]},
        "logits": {"from_logits": True},
        "labels": {"multi_label": True, "num_labels": 4},
        "labels thresholds": {"multi_label": True, "thresholds": [0.1, 0.7]},
    },
)
def auc_options(tf, options):
    metric = tf.keras.metrics.AUC(name="area", **options)
    yes, y_pred = scores(seed=1)
    metric.update_state(yes.reshape(10, 4), y_pred.reshape(10, 4))
    return [metric.result(), metric.name, metric.get_config()]


@case(
    options={
        "cosine axis": ("CosineSimilarity", {"axis": 0}),
        "relative": ("MeanRelativeError", {"normalizer": [1.0, 2.0, 0.0]}),
        "binary logits": ("BinaryCrossentropy", {"from_logits": True, "label_smoothing": 0.1}),
        "categorical logits": (
            "CategoricalCrossentropy",
            {"from_logits": True, "label_smoothing": 0.1},
        ),
    }
)
def options_of_means(tf, options):
    name, arguments = options
    metric = getattr(tf.keras.metrics, name)(**arguments)
    return [metric(labels(seed=1), probabilities(seed=2)), metric.dtype]


@case(logits=(False, True), ignored=(None, 1))
def sparse_crossentropies(tf, logits, ignored):
    metric = tf.keras.metrics.SparseCategoricalCrossentropy(
        from_logits=logits, ignore_class=ignored
    )
    classes = labels(seed=1).argmax(-1)
    return [metric(classes, probabilities(seed=2)), metric(classes, probabilities(seed=3), 2.0)]


@case(
    loose=10,
    average=(None, "micro", "macro", "weighted"),
    threshold=(None, 0.4),
    beta=(1.0, 2.0),
)
def f_scores(tf, average, threshold, beta):
    metric = tf.keras.metrics.FBetaScore(average=average, beta=beta, threshold=threshold)
    weights = np.array([1.0, 0.0, 2.0, 0.5, 1.0, 3.0], "float32")
    return over_batches(
        tf,
        metric,
        [(labels(seed=1), probabilities(seed=2)), (labels(seed=3), probabilities(seed=4), weights)],
    )


@case(loose=10, aggregation=(None, "uniform_average", "variance_weighted_average"), inputs=(0, 2))
def r2_scores(tf, aggregation, inputs):
    metric = tf.keras.metrics.R2Score(aggregation, num_regressors=inputs)
    batches = [
        (array((8, 2), seed=1), array((8, 2), seed=2)),
        (array((8, 2), seed=3), array((8, 2), seed=4), np.abs(array((8,), seed=5))),
    ]
    return over_batches(tf, metric, batches)


IOUS = {
    "iou": ("IoU", {"num_classes": 3, "target_class_ids": [0, 2]}),
    "mean": ("MeanIoU", {"num_classes": 3}),
    "mean ignoring": ("MeanIoU", {"num_classes": 3, "ignore_class": 1}),
    "absent": ("MeanIoU", {"num_classes": 6}),
}


@case(name=list(IOUS))
def ious(tf, name):
    kind, arguments = IOUS[name]
    metric = getattr(tf.keras.metrics, kind)(name="metric", **arguments)
    y_true, y_pred = [0, 1, 2, 2, 1, 0, 0], [0, 2, 2, 1, 1, 0, 1]
    weights = [0.5, 1.0, 2.0, 1.0, 0.0, 1.0, 3.0]
    return [
        over_batches(tf, metric, [(y_true, y_pred), (y_pred, y_true, weights)]),
        metric.total_cm,
        metric.get_config(),
    ]


@case
def other_ious(tf):
    one_hot, y_pred = labels(seed=1), probabilities(seed=2)
    yes, answers = scores()
    m = tf.keras.metrics
    return [
        m.OneHotIoU(num_classes=3, target_class_ids=[0, 2])(one_hot, y_pred),
        m.OneHotMeanIoU(num_classes=3)(one_hot, y_pred, [1.0, 0.0, 2.0, 0.5, 1.0, 3.0]),
        m.BinaryIoU(target_class_ids=[0, 1], threshold=0.4)(yes, answers),
        m.BinaryIoU(target_class_ids=[1])(yes, answers),
        m.MeanIoU(3, sparse_y_true=False, sparse_y_pred=False)(one_hot, y_pred),
    ]


CONFIGS = {
    "AUC": {"num_thresholds": 5, "curve": "PR"},
    "Precision": {"thresholds": [0.2, 0.4], "class_id": 1},
    "Recall": {"top_k": 2},
    "Mean": {"name": "loss"},
    "BinaryAccuracy": {"threshold": 0.3},
    "TopKCategoricalAccuracy": {"k": 2},
    "FBetaScore": {"beta": 2.0},
    "F1Score": {"average": "macro"},
    "PrecisionAtRecall": {"recall": 0.4},
    "SensitivityAtSpecificity": {"specificity": 0.4, "num_thresholds": 10},
    "TruePositives": {"thresholds": 0.25},
    "R2Score": {"num_regressors": 2},
    "MeanSquaredError": {"dtype": "float64"},
    "BinaryCrossentropy": {"from_logits": True},
    "OneHotIoU": {"num_classes": 3, "target_class_ids": [1]},
    "OneHotMeanIoU": {"num_classes": 3},
    "BinaryIoU": {"threshold": 0.2},
    "CosineSimilarity": {"axis": 0},
    "SparseCategoricalAccuracy": {},
    "CategoricalAccuracy": {},
}


@case(name=list(CONFIGS))
def configurations(tf, name):
    metric = getattr(tf.keras.metrics, name)(**{"name": "metric", **CONFIGS[name]})
    copy = type(metric).from_config(metric.get_config())
    again = tf.keras.metrics.deserialize(tf.keras.metrics.serialize(metric))
    return [
        metric.get_config(),
        copy.get_config() == metric.get_config(),
        again.get_config() == metric.get_config(),
        [tuple(w.shape) for w in metric.weights],
    ]


@case
def merged(tf):
    first, second, third = (tf.keras.metrics.Mean() for _ in range(3))
    first(1.0), second([2.0, 3.0]), third([4.0, 6.0], [1.0, 0.0])
    first.merge_state([second, third])
    return [first.result(), first.count]


@case
def weights_move(tf):
    metric = tf.keras.metrics.Precision(thresholds=[0.2, 0.5])
    metric.update_state(*scores())
    copy = tf.keras.metrics.Precision(thresholds=[0.2, 0.5])
    copy.set_weights(metric.get_weights())
    return [copy.result(), metric.get_weights(), len(metric.variables), metric.stateful]


@case
def a_subclass(tf):
    class Positives(tf.keras.metrics.Metric):
        def __init__(self, name="positives", **kwargs):
            super().__init__(name=name, **kwargs)
            self.count = self.add_weight(name="count", initializer="zeros")
            self.of_class = self.add_weight("of_class", initializer="ones")

        def update_state(self, y_true, y_pred, sample_weight=None):
            self.count.assign_add(tf.reduce_sum(tf.cast(y_pred > 0.5, tf.float32)))

        def result(self):
            return {"count": self.count, "of_class": self.of_class}

    metric = Positives()
    first = metric([1, 0], tf.constant([0.9, 0.1]))
    metric.update_state([1, 0], tf.constant([0.9, 0.8]))
    second = metric.result()
    metric.reset_state()
    return [dict(first), dict(second), dict(metric.result()), metric.get_config()]


@case
def a_wrapped_function(tf):
    metric = tf.keras.metrics.MeanMetricWrapper(
        lambda y_true, y_pred, scale: scale * tf.abs(y_true - y_pred), name="error", scale=2.0
    )
    return [metric([1.0, 2.0], [2.0, 4.0]), metric([1.0], [1.0], 4.0), metric.name]


@case(name=("AUC", "Precision", "Mean", "SparseCategoricalAccuracy", "TruePositives"))
def default_names(tf, name):
    tf.keras.backend.reset_uids()
    return [getattr(tf.keras.metrics, name)().name for _ in range(3)]


@case(name=("accuracy", "acc", "mse", "AUC", "Precision", "cosine_similarity", "BinaryAccuracy"))
def found_by_name(tf, name):
    found = tf.keras.metrics.get(name)
    return getattr(found, "__name__", type(found).__name__)


@case
def defaults(tf):
    yes, y_pred = scores()
    m = tf.keras.metrics
    one_hot, answers = labels((9, 8), seed=1), probabilities((9, 8), seed=2)
    return [
        m.binary_accuracy(yes, y_pred),
        m.BinaryAccuracy()(yes, y_pred),
        m.top_k_categorical_accuracy(one_hot, answers),
        m.TopKCategoricalAccuracy()(one_hot, answers),
        m.sparse_top_k_categorical_accuracy(one_hot.argmax(-1), answers),
        m.SparseTopKCategoricalAccuracy()(one_hot.argmax(-1), answers),
        [len(getattr(m, name)(0.5).thresholds) for name in BOUNDED],
        m.AUC().num_thresholds,
        m.F1Score().get_config(),
        m.BinaryIoU()(yes, y_pred),
    ]


@case(
    made={
        "one hot": lambda m: m.OneHotIoU(3, [0], dtype="float64"),
        "one hot mean": lambda m: m.OneHotMeanIoU(3, dtype="float64"),
        "iou": lambda m: m.IoU(3, [0], dtype="float64"),
        "binary iou": lambda m: m.BinaryIoU(dtype="float64"),
        "binary accuracy": lambda m: m.BinaryAccuracy(dtype="float64"),
        "top": lambda m: m.TopKCategoricalAccuracy(dtype="float64"),
        "mean": lambda m: m.Mean(dtype="float64"),
        "auc": lambda m: m.AUC(dtype="float64"),
        "precision": lambda m: m.Precision(dtype="float64"),
        "r2": lambda m: m.R2Score(dtype="float64"),
        "mae": lambda m: m.MeanAbsoluteError(dtype="float64"),
    }
)
def dtypes_of_weights(tf, made):
    metric = made(tf.keras.metrics)
    return [metric.dtype, sorted({w.dtype.name for w in metric.weights})]


@case
def top_k_of_sequences(tf):
    classes = labels((2, 3, 5), seed=1).argmax(-1)
    y_pred = probabilities((2, 3, 5), seed=2)
    metric = tf.keras.metrics.SparseTopKCategoricalAccuracy(k=2)
    return [
        tf.keras.metrics.sparse_top_k_categorical_accuracy(classes, y_pred, 2),
        tf.keras.metrics.top_k_categorical_accuracy(labels((2, 3, 5), seed=1), y_pred, 2),
        metric(classes, y_pred),
        metric(classes, y_pred, [[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]]),
    ]


@case(loose=10)
def accuracies_of_columns(tf):
    classes = labels(seed=1).argmax(-1)
    metric = tf.keras.metrics.SparseCategoricalAccuracy()
    metric.update_state(classes[:, None], probabilities(seed=2), [1.0, 0.0, 2.0, 0.5, 1.0, 3.0])
    binary = tf.keras.metrics.BinaryAccuracy()
    yes, y_pred = scores(6)
    binary.update_state(yes, y_pred[:, None], [1.0, 0.0, 2.0, 0.5, 1.0, 3.0])
    plain = tf.keras.metrics.Accuracy()
    plain.update_state([[1], [2], [3]], [1, 2, 4], [1.0, 0.0, 1.0])
    return [metric.result(), metric.count, binary.result(), plain.result(), plain.count]


@case(thresholds={"outside": [-0.5, 0.3, 0.5], "even": [0.0, 0.5, 1.0], "one": [0.5]})
def counts_at_ends(tf, thresholds):
    # Predictions of exactly 0 and 1, and on a threshold.
    yes = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]
    y_pred = [0.0, 0.0, 1.0, 1.0, 0.5, 0.5, 0.3]
    inside = [t for t in thresholds if t >= 0]
    return [getattr(tf.keras.metrics, name)(inside)(yes, y_pred) for name in COUNTS + RATES]


@case(loose=10)
def labels_known_before(tf):
    metric = tf.keras.metrics.AUC(multi_label=True, num_labels=3, num_thresholds=5)
    shapes = [tuple(w.shape) for w in metric.weights]
    tensor = tf.keras.metrics.MeanTensor(shape=(2, 3))
    return [
        shapes,
        metric(labels(seed=1), probabilities(seed=2)),
        [tuple(w.shape) for w in tensor.weights],
        tensor.result(),
    ]


@case(loose=10, inputs=(6, 7, 8))
def more_inputs_than_samples(tf, inputs):
    metric = tf.keras.metrics.R2Score(num_regressors=inputs)
    return metric(array((4, 2), seed=1), array((4, 2), seed=2))


@case
def restored_normalizer(tf):
    metric = tf.keras.metrics.MeanRelativeError(normalizer=[1.0, 2.0, 4.0])
    copy = tf.keras.metrics.MeanRelativeError.from_config(metric.get_config())
    return [
        copy([1.0, 3.0, 5.0], [2.0, 3.0, 1.0]),
        copy.name,
        metric([[1.0, 3.0, 5.0]] * 2, [[2.0, 3.0, 1.0], [0.0, 0.0, 0.0]], [1.0, 0.5]),
    ]


@case(threshold=(0.5, 1.0))
def f_score_thresholds(tf, threshold):
    metric = tf.keras.metrics.F1Score(threshold=threshold)
    return metric([[1, 1, 0], [1, 0, 0]], [[0.5, 0.6, 0.7], [0.2, 0.6, 1.0]])


errors(
    "keras_metrics",
    "refused",
    {
        "threshold": (lambda tf: tf.keras.metrics.Precision(thresholds=[0.5, 1.5]), ["1.5"]),
        "curve": (lambda tf: tf.keras.metrics.AUC(curve="RCO"), ["RCO", "PR_GAIN"]),
        "method": (lambda tf: tf.keras.metrics.AUC(summation_method="mean"), ["mean", "majoring"]),
        "thresholds": (lambda tf: tf.keras.metrics.AUC(num_thresholds=1), ["num_thresholds=1"]),
        "labels": (lambda tf: tf.keras.metrics.AUC(num_labels=2), ["num_labels"]),
        "shapes": (
            lambda tf: tf.keras.metrics.Precision().update_state([1, 0, 1], [1.0, 0.0]),
            ["(2,)", "(3,)"],
        ),
        "accuracy shapes": (
            lambda tf: tf.keras.metrics.Accuracy().update_state([1, 0, 1], [1.0, 0.0]),
            ["(2,)", "(3,)"],
        ),
        "average": (lambda tf: tf.keras.metrics.F1Score(average="mean"), ["average", "mean"]),
        "beta": (lambda tf: tf.keras.metrics.FBetaScore(beta=2), ["beta", "float"]),
        "f score rank": (
            lambda tf: tf.keras.metrics.F1Score().update_state([1, 0], [1.0, 0.0]),
            ["2D", "(2,)"],
        ),
        "class": (lambda tf: tf.keras.metrics.IoU(2, target_class_ids=[2]), ["2"]),
        "mean tensor shape": (
            lambda tf: [
                metric(values)
                for metric in [tf.keras.metrics.MeanTensor()]
                for values in ([1.0, 2.0], [1.0, 2.0, 3.0])
            ],
            ["(2,)", "(3,)"],
        ),
        "mean tensor empty": (lambda tf: tf.keras.metrics.MeanTensor().result(), ["any value"]),
        "merge": (
            lambda tf: tf.keras.metrics.Mean().merge_state([tf.keras.metrics.Sum()]),
            ["not compatible"],
        ),
        "kind": (lambda tf: tf.keras.metrics.get(3), ["Could not interpret metric", "3"]),
        "specificity": (lambda tf: tf.keras.metrics.SensitivityAtSpecificity(2.0), ["specificity"]),
        "threshold of scores": (
            lambda tf: tf.keras.metrics.FBetaScore(threshold=0.0),
            ["threshold", "0.0"],
        ),
        "high threshold": (lambda tf: tf.keras.metrics.FBetaScore(threshold=1.5), ["1.5"]),
        "no thresholds": (
            lambda tf: tf.keras.metrics.PrecisionAtRecall(0.5, num_thresholds=0),
            ["num_thresholds", "0"],
        ),
        "regressors": (lambda tf: tf.keras.metrics.R2Score(num_regressors=-1), ["-1"]),
        "r2 rank": (
            lambda tf: tf.keras.metrics.R2Score().update_state([1.0, 0.0], [1.0, 0.0]),
            ["2D", "(2,)"],
        ),
        "label rank": (
            lambda tf: tf.keras.metrics.AUC(multi_label=True).update_state(
                tf.ones([2, 3, 4]), tf.ones([2, 3, 4])
            ),
            ["rank 2", "(2, 3, 4)"],
        ),
        "label weights": (
            lambda tf: tf.keras.metrics.AUC(multi_label=True, label_weights=[1.0, -1.0]),
            [],
        ),
        "aggregation": (lambda tf: tf.keras.metrics.R2Score("mean"), ["class_aggregation"]),
    },
)
