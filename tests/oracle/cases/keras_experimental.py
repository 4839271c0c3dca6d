"""Parts of Keras 2 under `experimental` and `legacy`, and older arguments of common layers."""

import numpy as np

from oracle.registry import case, errors


def features(tf, *arguments, **named):
    return tf.keras.layers.experimental.RandomFourierFeatures(*arguments, **named)


@case(kernel=("gaussian", "laplacian", "ones"), scale=(None, 2.0), trainable=(False, True))
def random_features(tf, kernel, scale, trainable):
    tf.keras.utils.set_random_seed(1)
    given = tf.keras.initializers.Ones() if kernel == "ones" else kernel
    layer = features(tf, 3, given, scale=scale, trainable=trainable)
    outputs = layer(tf.ones((2, 4)))
    config = layer.get_config()
    return [
        outputs, float(layer.scale), len(layer.trainable_weights), len(layer.non_trainable_weights),
        sorted(config), float(config["scale"]), layer.compute_output_shape((None, 4)),
    ]  # fmt: skip


class Longest:
    """A metric's methods."""

    def reset_state(self):
        self.longest = 0.0

    def update_state(self, y_true, y_pred, sample_weight=None):
        self.longest = max(self.longest, float(np.abs(y_true.numpy() - y_pred.numpy()).max()))

    def result(self):
        return self.longest


@case(how=("eager", "traced", "trained"))
def metrics_in_python(tf, how):
    base = tf.keras.metrics.experimental.PyMetric
    methods = {name: vars(Longest)[name] for name in ("reset_state", "update_state", "result")}
    metric = type("Own", (base,), dict(methods, __module__=__name__))(name="longest")
    if how == "trained":
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
        model.compile("sgd", "mse", metrics=[metric])
        return model.evaluate(np.ones((4, 2)), np.array([[1.0], [2], [5], [3]]), verbose=0)

    def run(y_true, y_pred):
        metric.update_state(y_true, y_pred)

    update = run if how == "eager" else tf.function(run)
    update(tf.constant([1.0, 2.0]), tf.constant([3.0, 2.0]))
    update(tf.constant([1.0]), tf.constant([1.5]))
    results = [metric.result() if how == "eager" else tf.function(metric.result)()]
    metric.reset_state()
    return [*results, metric.result()]


@case
def datasets_made_by_functions(tf):
    def make(context):
        data = tf.data.Dataset.from_tensors((np.ones((2,)), np.ones((1,)))).repeat()
        return data.batch(context.get_per_replica_batch_size(4))

    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("sgd", "mse")
    creator = tf.keras.utils.experimental.DatasetCreator(make)
    return model.fit(creator, epochs=2, steps_per_epoch=3, verbose=0).history


@case
def older_serialization(tf):
    legacy, keras = tf.keras.utils.legacy, tf.keras
    config = legacy.serialize_keras_object(keras.initializers.Constant(2.0))
    again = legacy.deserialize_keras_object(config, {"Constant": keras.initializers.Constant})
    return [
        config, again((2,)), legacy.serialize_keras_object(None),
        legacy.serialize_keras_object(keras.activations.relu),
        legacy.deserialize_keras_object("f", {"f": keras.activations.relu})(tf.constant(-1.0)),
    ]  # fmt: skip


@case(enabled=(False, True), seed=(7, None))
def generators_of_layers(tf, enabled, seed):
    functions = tf.keras.backend.experimental
    (functions.enable_tf_random_generator if enabled else functions.disable_tf_random_generator)()
    try:
        tf.keras.utils.set_random_seed(3)
        layer = tf.keras.layers.Dropout(0.5, seed=seed)
        drawn = [layer(tf.ones((8,)), training=True) for _ in range(2)]
        return [functions.is_tf_random_generator_enabled(), *drawn]
    finally:
        functions.disable_tf_random_generator()


@case(axis=((1, 2), (0,), [-1]))
def softmax_of_several_axes(tf, axis):
    x = tf.reshape(tf.range(12.0), (2, 2, 3)) / 4.0
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.keras.activations.softmax(x, axis=axis)
        total = tf.reduce_sum(y * x)
    return [y, tape.gradient(total, x)]


@case
def constants_of_arrays(tf):
    layer = tf.keras.layers.Dense(
        2, kernel_initializer=tf.keras.initializers.Constant(np.arange(6.0).reshape(3, 2))
    )
    model = tf.keras.Sequential([tf.keras.Input((3,)), layer])
    return tf.keras.models.model_from_json(model.to_json()).get_weights()


VARIANTS = {
    "renormalized": {"renorm": True},
    "within limits": {
        "renorm": True,
        "renorm_clipping": {"rmax": 1.1, "rmin": 0.9, "dmax": 0.2},
        "renorm_momentum": 0.5,
    },
    "in parts": {"virtual_batch_size": 4},
    "parts renormalized": {"virtual_batch_size": 4, "renorm": True},
    "parts by another axis": {"virtual_batch_size": 2, "axis": 1},
    "several axes renormalized": {"renorm": True, "axis": [1, 2]},
    "neither": {"axis": [1, 2], "center": False},
}


@case(loose=20.0, variant=VARIANTS, dtype=("float32", "float16"))
def batches_in_variants(tf, variant, dtype):
    x = tf.constant(np.random.RandomState(1).randn(8, 3, 2) * 2 + 1, dtype)
    layer = tf.keras.layers.BatchNormalization(momentum=0.8, dtype=dtype, **variant)
    outputs = [layer(x, training=True)]
    with tf.GradientTape() as tape:
        outputs.append(layer(x + 1.0, training=True))
        total = tf.reduce_sum(tf.cast(outputs[-1], tf.float32) ** 2)
    outputs += [layer(x, training=False), tape.gradient(total, layer.trainable_weights)]
    return [*outputs, [w.name.split("/")[-1] for w in layer.weights], *layer.weights]


LAYERS = {
    "brightness": lambda tf, **k: tf.keras.layers.RandomBrightness((0.25, 0.25), **k),
    "rotation": lambda tf, **k: tf.keras.layers.RandomRotation((0.1, 0.1), **k),
    "zoom": lambda tf, **k: tf.keras.layers.RandomZoom((0.3, 0.3), **k),
    "translation": lambda tf, **k: tf.keras.layers.RandomTranslation((0.33, 0.33), (0.1, 0.1), **k),
}


@case(layer=tuple(LAYERS), dtype=("uint8", "int32"))
def images_of_integers(tf, layer, dtype):
    images = (np.arange(48).reshape(1, 4, 4, 3) * 5).astype("uint8")
    return LAYERS[layer](tf, dtype=dtype)(images, training=True)


errors(
    "keras_experimental",
    "refused",
    {
        **{
            f"{name} partitions": (
                lambda tf, name=name: getattr(tf.keras.initializers, name)()(
                    (4, 2), partition_shape=(2, 2), partition_offset=(0, 0)
                ),
                [f"{name} initializer doesn't support partition-related arguments"],
            )
            for name in ("Orthogonal", "Identity")
        },
        "no features": (lambda tf: features(tf, 0), ["`output_dim` should be a positive integer"]),
        "another kernel": (lambda tf: features(tf, 3, "x"), ["Unsupported `kernel_initializer`"]),
        "a scale of 0": (
            lambda tf: features(tf, 3, scale=0.0),
            ["When provided, `scale` should be a positive float"],
        ),
        "features of images": (
            lambda tf: features(tf, 3)(tf.ones((2, 3, 4))),
            ["The rank of the input tensor should be 2"],
        ),
        "groups on another axis": (
            lambda tf: tf.keras.layers.GroupNormalization(2, axis=5)(tf.ones((2, 4, 4))),
            ["Invalid value for `axis` argument. Expected 0 <= axis < inputs.rank"],
        ),
        **{
            name: (
                lambda tf, arguments=arguments: tf.keras.layers.BatchNormalization(**arguments)(
                    tf.ones((4, 2, 2, 2)), training=True
                ),
                words,
            )
            for name, arguments, words in (
                ("fused renorm", {"fused": True, "renorm": True}, ["Passing both `fused=True`"]),
                (
                    "fused parts",
                    {"fused": True, "virtual_batch_size": 2},
                    ["is not supported when `virtual_batch_size` is specified"],
                ),
                ("parts of axis 0", {"axis": 0, "virtual_batch_size": 2}, ["cannot include 0"]),
                (
                    "another limit",
                    {"renorm": True, "renorm_clipping": {"x": 1.0}},
                    ["Received invalid keys for `renorm_clipping` argument"],
                ),
            )
        },
        "no function": (
            lambda tf: tf.keras.utils.experimental.DatasetCreator(2),
            ["`dataset_fn` for `DatasetCreator` must be a `callable`"],
        ),
        "no dataset": (
            lambda tf: tf.keras.utils.experimental.DatasetCreator(lambda: 3)(),
            ["The `callable` provided to `DatasetCreator` must return a Dataset"],
        ),
        "no number of steps": (
            lambda tf: tf.keras.Sequential().fit(
                tf.keras.utils.experimental.DatasetCreator(lambda c: None)
            ),
            [],
        ),
        "an unknown object": (
            lambda tf: tf.keras.utils.legacy.deserialize_keras_object("f", {}),
            ["Unknown object"],
        ),
    },
)  # fmt: skip
