"""All losses and metrics of a batch whose size a graph does not know: as in eager code."""

import inspect

import numpy as np
import pytest

import eagerflow as tf

K = tf.keras
RANDOM = np.random.default_rng(0)
PROBABILITIES = RANDOM.dirichlet(np.ones(4), 5).astype(np.float32)
CLASSES = np.float32([0, 1, 2, 1, 3])
SAMPLES = {
    "one hot": (np.eye(4, dtype=np.float32)[CLASSES.astype(int)], PROBABILITIES),
    "classes": (CLASSES, PROBABILITIES),
    "column of classes": (CLASSES[:, None], PROBABILITIES),
    "binary": (
        np.float32([[0], [1], [1], [0], [1]]),
        RANDOM.uniform(0.1, 0.9, [5, 1]).astype(np.float32),
    ),
    "images": (
        RANDOM.integers(0, 2, [2, 3, 3, 2]).astype(np.float32),
        RANDOM.uniform(0.1, 0.9, [2, 3, 3, 2]).astype(np.float32),
    ),
    "sequences": (
        np.float32([[1, 2, 0], [2, 0, 0]]),
        RANDOM.dirichlet(np.ones(4), [2, 5]).astype(np.float32),
    ),
}
ARGUMENTS = {
    "IoU": {"num_classes": 4, "target_class_ids": [0]},
    "MeanIoU": {"num_classes": 4},
    "MeanRelativeError": {"normalizer": [1.0, 2.0, 3.0, 4.0]},
    "OneHotIoU": {"num_classes": 4, "target_class_ids": [0]},
    "OneHotMeanIoU": {"num_classes": 4},
    "PrecisionAtRecall": {"recall": 0.5},
    "RecallAtPrecision": {"precision": 0.5},
    "SensitivityAtSpecificity": {"specificity": 0.5},
    "SpecificityAtSensitivity": {"sensitivity": 0.5},
    "SparseTopKCategoricalAccuracy": {"k": 2},
    "TopKCategoricalAccuracy": {"k": 2},
}
BASES = {"Loss", "Metric", "MeanMetricWrapper", "LossFunctionWrapper", "SumOverBatchSize"}


def classes(module, base):
    named = (getattr(module, name) for name in dir(module) if name not in BASES)
    return list(dict.fromkeys(x for x in named if inspect.isclass(x) and issubclass(x, base)))


ALL = [*classes(K.losses, K.losses.Loss), *classes(K.metrics, K.metrics.Metric)]
ALL.remove(K.metrics.MeanTensor)  # has a variable of the shape of its values


def answer(made, given, signature=None):
    made = made(**ARGUMENTS.get(made.__name__, {}))

    def call(labels, predictions, weights=None):
        if isinstance(made, K.losses.Loss):
            return made(labels, predictions, sample_weight=weights)
        if type(made) in (K.metrics.Mean, K.metrics.Sum):
            made.update_state(predictions, sample_weight=weights)
            return made.result()
        made.update_state(labels, predictions, sample_weight=weights)
        return made.result()

    return (tf.function(call, input_signature=signature) if signature else call)(*given)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("made", ALL, ids=lambda made: made.__name__)
def test_batches_of_any_size(made, sample):
    labels, predictions = map(tf.constant, SAMPLES[sample])
    weights = tf.range(1.0, labels.shape[0] + 1.0)
    for given in ([labels, predictions], [labels, predictions, weights]):
        try:
            expected = answer(made, given)
        except Exception:
            continue  # not for such labels
        signature = [tf.TensorSpec([None, *x.shape[1:]], x.dtype) for x in given]
        result = answer(made, given, signature)
        for x, y in zip(tf.nest.flatten(result), tf.nest.flatten(expected), strict=True):
            np.testing.assert_allclose(x, y, 1e-5, 1e-6)
