"""Losses: values, gradients, weights, masks and configurations as Keras 2 (tf_keras) has them."""

from oracle.inputs import array
from oracle.registry import case, errors

FUNCTIONS = (
    "mean_squared_error",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_squared_logarithmic_error",
    "huber",
    "log_cosh",
    "kl_divergence",
    "poisson",
    "cosine_similarity",
    "hinge",
    "squared_hinge",
    "categorical_hinge",
    "binary_crossentropy",
    "binary_focal_crossentropy",
    "categorical_crossentropy",
    "categorical_focal_crossentropy",
)
CLASSES = (
    "MeanSquaredError",
    "MeanAbsoluteError",
    "MeanAbsolutePercentageError",
    "MeanSquaredLogarithmicError",
    "Huber",
    "LogCosh",
    "KLDivergence",
    "Poisson",
    "CosineSimilarity",
    "Hinge",
    "SquaredHinge",
    "CategoricalHinge",
    "BinaryCrossentropy",
    "BinaryFocalCrossentropy",
    "CategoricalCrossentropy",
    "CategoricalFocalCrossentropy",
)
ALIASES = ("mse", "MSE", "mae", "MAE", "mape", "MAPE", "msle", "MSLE", "kld", "KLD", "logcosh")


def probabilities(tf, shape, seed=0, dtype="float32"):
    return tf.nn.softmax(tf.constant(array(shape, dtype, seed=seed)))


def pair(tf, shape=(4, 3), dtype="float32"):
    return probabilities(tf, shape, 1, dtype), probabilities(tf, shape, 2, dtype)


def one_hot(tf, shape=(4, 3)):
    return tf.one_hot([i % shape[-1] for i in range(shape[0])], shape[-1])


def with_gradient(tf, function, y_pred):
    with tf.GradientTape() as tape:
        tape.watch(y_pred)
        loss = function(y_pred)
    return [loss, tape.gradient(loss, y_pred)]


@case(loose=10, name=FUNCTIONS)
def functions(tf, name):
    y_true, y_pred = pair(tf)
    function = getattr(tf.keras.losses, name)
    return with_gradient(tf, lambda p: function(y_true, p), y_pred)


@case(loose=10, name=("huber", "mse", "binary_crossentropy", "categorical_crossentropy", "hinge"))
def functions_of_float64(tf, name):
    y_true, y_pred = pair(tf, dtype="float64")
    return getattr(tf.keras.losses, name)(y_true, y_pred)


@case(name=ALIASES)
def aliases(tf, name):
    y_true, y_pred = pair(tf)
    return getattr(tf.keras.losses, name)(y_true, y_pred)


@case(name=("mse", "mae", "hinge", "binary_crossentropy"))
def functions_of_integer_labels(tf, name):
    return getattr(tf.keras.losses, name)([[0, 1], [1, 1]], [[0.25, 0.5], [0.75, 0.125]])


@case(loose=10, name=CLASSES, reduction=("auto", "none", "sum", "sum_over_batch_size"))
def classes(tf, name, reduction):
    y_true, y_pred = pair(tf)
    return getattr(tf.keras.losses, name)(reduction=reduction)(y_true, y_pred)


@case(loose=10, name=CLASSES)
def classes_weighted(tf, name):
    y_true, y_pred = pair(tf, (2, 3, 4))
    loss = getattr(tf.keras.losses, name)()
    return [
        loss(y_true, y_pred, sample_weight=2.0),
        loss(y_true, y_pred, sample_weight=[[0.5], [2.0]]),
        loss(y_true, y_pred, sample_weight=array((2, 3), seed=3)),
        loss(y_true, y_pred, sample_weight=array((2, 3, 1), seed=4)),
        with_gradient(tf, lambda p: loss(y_true, p, sample_weight=[[1.0], [3.0]]), y_pred),
    ]


@case(loose=10, name=CLASSES)
def configurations(tf, name):
    loss = getattr(tf.keras.losses, name)(reduction="sum")
    again = type(loss).from_config(loss.get_config())
    third = tf.keras.losses.deserialize(tf.keras.losses.serialize(loss))
    y_true, y_pred = pair(tf)
    config = {k: v for k, v in loss.get_config().items() if k != "fn"}
    return [config, again(y_true, y_pred), third(y_true, y_pred), third.name, third.reduction]


@case(
    smoothing=(0.0, 0.1),
    logits=(False, True),
    name=("BinaryCrossentropy", "BinaryFocalCrossentropy"),
    loose=10,
)
def binary(tf, name, smoothing, logits):
    loss = getattr(tf.keras.losses, name)(from_logits=logits, label_smoothing=smoothing)
    y_pred = tf.constant(array((4, 3), seed=2)) if logits else pair(tf)[1]
    labels = tf.cast(one_hot(tf), tf.float32)
    return with_gradient(tf, lambda p: loss(labels, p), y_pred)


@case(loose=10)
def binary_focal_balanced(tf):
    loss = tf.keras.losses.BinaryFocalCrossentropy(True, alpha=0.7, gamma=1.5)
    return loss(one_hot(tf), pair(tf)[1])


@case(
    smoothing=(0.0, 0.1),
    logits=(False, True),
    name=("CategoricalCrossentropy", "CategoricalFocalCrossentropy"),
    loose=10,
)
def categorical(tf, name, smoothing, logits):
    loss = getattr(tf.keras.losses, name)(from_logits=logits, label_smoothing=smoothing)
    y_pred = tf.constant(array((4, 3), seed=2)) if logits else pair(tf)[1]
    return with_gradient(tf, lambda p: loss(one_hot(tf), p), y_pred)


@case(loose=10, axis=(-1, 1, 2), logits=(False, True))
def categorical_axes(tf, axis, logits):
    y_true, y_pred = pair(tf, (2, 3, 4))
    loss = tf.keras.losses.CategoricalCrossentropy(from_logits=logits, axis=axis, reduction="none")
    return loss(y_true, y_pred)


@case(loose=10, logits=(False, True), shape={"flat": (4,), "column": (4, 1)})
def sparse_categorical(tf, logits, shape):
    y_pred = tf.constant(array((4, 3), seed=2)) if logits else pair(tf)[1]
    labels = tf.reshape(tf.constant([0, 2, 1, 1]), shape)
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=logits)
    return with_gradient(tf, lambda p: loss(labels, p), y_pred)


@case(loose=10, dtype=("uint8", "int32", "int64", "float32"))
def sparse_categorical_label_dtypes(tf, dtype):
    labels = tf.cast([0, 2, 1, 1], dtype)
    return tf.keras.losses.sparse_categorical_crossentropy(labels, pair(tf)[1])


@case(loose=10, logits=(False, True), ignored=(0, 2, -1))
def sparse_categorical_ignored(tf, logits, ignored):
    y_pred = tf.constant(array((2, 3, 4), seed=2)) if logits else pair(tf, (2, 3, 4))[1]
    labels = tf.constant([[0, 2, ignored], [1, ignored, 3]])
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=logits, ignore_class=ignored)
    each = tf.keras.losses.SparseCategoricalCrossentropy(logits, ignored, reduction="none")
    return [with_gradient(tf, lambda p: loss(labels, p), y_pred), each(labels, y_pred)]


@case(loose=10)
def sparse_categorical_sequences(tf):
    y_pred = pair(tf, (2, 3, 4))[1]
    function = tf.keras.losses.sparse_categorical_crossentropy
    labels = tf.constant([[0, 2, 1], [1, 3, 3]])
    return [
        function(labels, y_pred),
        function(labels[..., tf.newaxis], y_pred),
        function(tf.constant([[0, 2, 1, 1], [1, 0, 0, 2]]), y_pred, axis=1),
    ]


@case(loose=10)
def of_softmax_outputs(tf):
    # Saturated: only logits keep the loss from epsilon's floor.
    logits = tf.constant([[60.0, 0.0, -60.0], [0.0, 1.0, 2.0]])
    y_pred = tf.keras.activations.softmax(logits)
    yes = tf.keras.activations.sigmoid(logits)
    return [
        tf.keras.losses.sparse_categorical_crossentropy([2, 1], y_pred),
        tf.keras.losses.categorical_crossentropy([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], y_pred),
        tf.keras.losses.binary_crossentropy([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]], yes),
    ]


@case
def masked(tf):
    y_true, y_pred = pair(tf, (2, 3, 4))
    y_pred._keras_mask = tf.constant([[True, False, True], [True, True, False]])
    loss = tf.keras.losses.MeanSquaredError()
    total = tf.keras.losses.MeanSquaredError(reduction="sum")
    return [
        loss(y_true, y_pred),
        loss(y_true, y_pred, sample_weight=[[1.0], [2.0]]),
        total(y_true, y_pred),
    ]


@case
def squeezed(tf):
    y_true, y_pred = tf.constant([1.0, 2.0, 3.0]), tf.constant([[1.5], [2.0], [5.0]])
    loss = tf.keras.losses.MeanSquaredError()
    return [
        loss(y_true, y_pred),
        loss(y_pred, y_true),
        loss(y_true, y_pred, sample_weight=2.0),
        tf.keras.losses.MeanAbsoluteError(reduction="none")(y_true, y_pred),
    ]


@case
def a_subclass(tf):
    class Distance(tf.keras.losses.Loss):
        def call(self, y_true, y_pred):
            return tf.reduce_sum(tf.abs(y_true - y_pred), axis=-1)

    y_true, y_pred = pair(tf)
    return [
        Distance()(y_true, y_pred),
        Distance(reduction="none", name="distance")(y_true, y_pred),
        Distance(name="distance").get_config(),
    ]


@case(name=("mse", "MeanSquaredError", "sparse_categorical_crossentropy", "kld"))
def found_by_name(tf, name):
    found = tf.keras.losses.get(name)
    return getattr(found, "__name__", type(found).__name__)


@case
def reductions(tf):
    reduction = tf.keras.losses.Reduction
    return [reduction.AUTO, reduction.NONE, reduction.SUM, reduction.SUM_OVER_BATCH_SIZE]


@case(name=("Huber", "CosineSimilarity", "KLDivergence", "LogCosh", "MeanSquaredError"))
def default_names(tf, name):
    return getattr(tf.keras.losses, name)().name


@case(loose=10)
def outside_of_probabilities(tf):
    y_true = tf.constant([[0.0, 1.0, 0.25], [0.5, 0.0, 0.5]])
    y_pred = tf.constant([[0.0, 1.5, 0.25], [0.0, 0.0, 1.0]])
    return [
        with_gradient(tf, lambda p: tf.keras.losses.kl_divergence(y_true, p), y_pred),
        with_gradient(tf, lambda p: tf.keras.losses.poisson(y_true, p), y_pred),
        tf.keras.losses.kl_divergence([[0.0, 1.5]], [[0.5, 0.5]]),
        tf.keras.losses.mean_squared_logarithmic_error([[-1.0, 2.0]], [[-0.5, -3.0]]),
        tf.keras.losses.mean_absolute_percentage_error([[0.0, 2.0]], [[1.0, 3.0]]),
        tf.keras.losses.cosine_similarity([[0.0, 0.0]], [[1.0, 3.0]]),
    ]


@case(loose=10, name=CLASSES)
def classes_weighted_by_sample(tf, name):
    loss = getattr(tf.keras.losses, name)
    y_true, y_pred = pair(tf, (2, 3, 4))
    return [
        loss()(y_true, y_pred, sample_weight=[0.5, 2.0]),
        loss(reduction="none")(y_true, y_pred, sample_weight=[0.5, 2.0]),
        loss()(*pair(tf), sample_weight=[[0.5], [2.0], [1.0], [0.0]]),
        loss()(*pair(tf), sample_weight=[0, 0, 0, 0]),
    ]


@case
def without_samples(tf):
    loss = tf.keras.losses.MeanSquaredError
    nothing = tf.zeros([0, 3])
    return [
        loss()(nothing, nothing),
        loss(reduction="none")(nothing, nothing),
        loss(reduction="sum")(nothing, nothing),
    ]


@case
def of_integers(tf):
    class Distance(tf.keras.losses.Loss):
        def call(self, y_true, y_pred):
            return tf.abs(y_true - y_pred)

    y_true, y_pred = tf.constant([1, 5, 2]), tf.constant([4, 4, 4])
    return [
        Distance()(y_true, y_pred),
        Distance(reduction="sum")(y_true, y_pred),
        Distance()(y_true, y_pred, sample_weight=[0.5, 1.0, 2.0]),
    ]


@case(loose=10, smoothing=(0.0, 0.1))
def smoothing_tensors(tf, smoothing):
    y_true, y_pred = one_hot(tf), pair(tf)[1]
    amount = tf.constant(smoothing)
    return [
        tf.keras.losses.categorical_crossentropy(y_true, y_pred, label_smoothing=amount),
        tf.keras.losses.binary_crossentropy(y_true, y_pred, label_smoothing=amount),
    ]


@case(loose=10, name=("binary_focal_crossentropy", "categorical_focal_crossentropy"))
def focal_logits(tf, name):
    y_pred = tf.constant(array((4, 3), seed=2))
    function = getattr(tf.keras.losses, name)
    return [
        with_gradient(tf, lambda p: function(one_hot(tf), p, from_logits=True), y_pred),
        function(one_hot(tf), y_pred, gamma=0.5, alpha=0.75, from_logits=True, label_smoothing=0.2),
    ]


@case(loose=10)
def ignored_and_masked(tf):
    y_pred = pair(tf, (2, 3, 4))[1]
    y_pred._keras_mask = tf.constant([[True, False, True], [True, True, True]])
    loss = tf.keras.losses.SparseCategoricalCrossentropy(ignore_class=-1)
    labels = tf.constant([[0, 2, 1], [1, -1, 3]])
    return [loss(labels, y_pred), loss(labels, y_pred, sample_weight=[[1.0], [3.0]])]


@case(name=("huber_loss", "bce", "BCE", "MAPE", "kullback_leibler_divergence"))
def older_names(tf, name):
    function = tf.keras.losses.get(name)
    return [function.__name__, function(*pair(tf))]


@case
def plain_values_of_functions(tf):
    losses = tf.keras.losses
    return [
        losses.serialize(losses.mean_squared_error),
        losses.serialize(losses.mean_squared_error, use_legacy_format=True),
        losses.serialize(losses.Huber(0.5), use_legacy_format=True)["config"]["delta"],
        losses.serialize(None),
        losses.get(losses.mean_squared_error) is losses.mean_squared_error,
        losses.get(None),
    ]


@case
def wrapped_function_by_name(tf):
    loss = tf.keras.losses.deserialize(
        {
            "class_name": "LossFunctionWrapper",
            "config": {"fn": "mean_absolute_error", "reduction": "sum", "name": "mine"},
        }
    )
    return [loss(*pair(tf)), loss.name, loss.reduction]


@case
def saturated_hinges(tf):
    # Labels of 0 and 1 stand for -1 and 1; any other label keeps all as they are.
    y_pred = tf.constant([[0.5, -2.0, 3.0]])
    return [
        tf.keras.losses.hinge([[0.0, 1.0, 1.0]], y_pred),
        tf.keras.losses.hinge([[0.0, 1.0, 2.0]], y_pred),
        tf.keras.losses.squared_hinge([[-1.0, 1.0, -1.0]], y_pred),
        tf.keras.losses.categorical_hinge([[1.0, 0.0, 0.0]], y_pred),
    ]


errors(
    "keras_losses",
    "refused",
    {
        "reduction": (
            lambda tf: tf.keras.losses.MeanSquaredError(reduction="average"),
            ["Invalid Reduction Key", "average"],
        ),
        "name": (lambda tf: tf.keras.losses.get("means_squared"), ["means_squared"]),
        "kind": (lambda tf: tf.keras.losses.get(3), ["Could not interpret loss", "3"]),
        "shapes": (
            lambda tf: tf.keras.losses.categorical_crossentropy(
                tf.ones([2, 3]), tf.ones([2, 4]) / 4.0
            ),
            ["(2, 3)", "(2, 4)"],
        ),
        "label": (
            lambda tf: tf.keras.losses.sparse_categorical_crossentropy([0, 3], tf.ones([2, 3])),
            ["3", "[0, 3)"],
        ),
        "weights": (
            lambda tf: tf.keras.losses.MeanSquaredError()(
                tf.ones([4, 2]), tf.ones([4, 2]), sample_weight=[1.0, 2.0, 3.0]
            ),
            ["[4]", "[3]"],
        ),
        "axis": (
            lambda tf: tf.keras.losses.categorical_crossentropy(
                tf.ones([2, 3]), tf.ones([2, 3]), axis=True
            ),
            ["`axis`", "int"],
        ),
    },
)
