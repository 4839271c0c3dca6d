"""Models: what training gives, names, tables, configurations, as Keras 2 (tf_keras) has them."""

import numpy as np

from oracle.inputs import array
from oracle.registry import case, errors

ROWS = 24


def fresh(tf):
    tf.keras.backend.clear_session()
    return tf.keras.layers


def fill(model, seed=0):
    """Weights that both sides share."""
    shapes = [w.shape for w in model.get_weights()]
    model.set_weights([0.3 * array(shape, seed=seed + k) for k, shape in enumerate(shapes)])
    return model


def mlp(tf, classes=3, **kwargs):
    layers = fresh(tf)
    return fill(
        tf.keras.Sequential(
            [
                layers.Dense(5, activation="tanh", input_shape=(4,), **kwargs),
                layers.Dense(classes, activation="softmax"),
            ]
        )
    )


def batch(classes=3, sparse=True):
    x = array((ROWS, 4), seed=7)
    labels = np.abs(array((ROWS,), "int32", seed=8)) % classes
    return x, labels if sparse else np.eye(classes, dtype="float32")[labels]


def outcome(model, history):
    return {**history.history, "weights": model.get_weights()}


@case(optimizer=["sgd", "adam", "rmsprop", "adagrad"])
def fit(tf, optimizer):
    model = mlp(tf)
    model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
    return outcome(model, model.fit(*batch(), batch_size=8, epochs=3, shuffle=False, verbose=0))


@case(
    loss=["mse", "categorical_crossentropy", "kld", "huber_loss", "cosine_similarity"],
)
def losses_by_name(tf, loss):
    model = mlp(tf)
    model.compile("sgd", loss, metrics=["mae", "acc", "mse"])
    return outcome(model, model.fit(*batch(sparse=False), epochs=2, shuffle=False, verbose=0))


@case
def weights_of_samples_and_classes(tf):
    x, y = batch()
    model = mlp(tf)
    model.compile(
        "sgd", "sparse_categorical_crossentropy", ["accuracy"], weighted_metrics=["accuracy"]
    )
    weight = np.linspace(0, 2, ROWS).astype("float32")
    history = model.fit(
        x, y, 8, 2, 0, shuffle=False, sample_weight=weight, class_weight={0: 1.0, 1: 0.5, 2: 3.0}
    )
    return outcome(model, history) | {
        "evaluated": model.evaluate(x, y, 8, 0, weight),
        "predicted": model.predict(x, 10, 0),
    }


@case
def validation(tf):
    x, y = batch()
    model = mlp(tf)
    model.compile(tf.keras.optimizers.Adam(0.05), "sparse_categorical_crossentropy", ["accuracy"])
    return outcome(
        model, model.fit(x, y, 5, 3, 0, validation_split=0.3, validation_freq=2, shuffle=False)
    )


@case
def penalties(tf):
    model = mlp(tf, kernel_regularizer="l2", activity_regularizer="l1", bias_constraint="non_neg")
    model.compile("sgd", "sparse_categorical_crossentropy")
    history = model.fit(*batch(), batch_size=8, epochs=2, shuffle=False, verbose=0)
    return outcome(model, history) | {"losses": [float(v) for v in model.losses[-1:]]}


@case
def normalised(tf):
    layers = fresh(tf)
    model = tf.keras.Sequential(
        [
            layers.Dense(5, input_shape=(4,)),
            layers.BatchNormalization(),
            layers.ReLU(),
            layers.Dense(3),
        ]
    )
    model.set_weights([np.abs(0.3 * array(w.shape)) + 0.1 for w in model.get_weights()])
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("sgd", loss, ["accuracy"])
    return outcome(model, model.fit(*batch(), batch_size=8, epochs=2, shuffle=False, verbose=0))


@case
def frozen(tf):
    model = mlp(tf)
    model.layers[0].trainable = False
    model.compile("sgd", "sparse_categorical_crossentropy")
    history = model.fit(*batch(), batch_size=8, shuffle=False, verbose=0)
    counts = [len(model.trainable_weights), len(model.non_trainable_weights)]
    return outcome(model, history) | {"counts": counts}


def two_outputs(tf):
    layers = fresh(tf)
    a, b = tf.keras.Input([4], name="a"), tf.keras.Input([2], name="b")
    h = layers.Dense(3, activation="relu", name="h")(a)
    both = layers.Concatenate(name="both")([h, b])
    kind = layers.Dense(3, activation="softmax", name="kind")(both)
    size = layers.Dense(1, name="size")(h + 1.0)
    return fill(tf.keras.Model([a, b], [kind, size], name="two"))


@case(form=["lists", "names"])
def several_outputs(tf, form):
    model = two_outputs(tf)
    x, y = batch()
    inputs, targets = [x, x[:, :2]], [y, x[:, :1]]
    loss, metrics = ["sparse_categorical_crossentropy", "mse"], [["accuracy"], ["mae"]]
    if form == "names":
        inputs, targets = (
            dict(zip("ab", inputs, strict=True)),
            dict(zip(("kind", "size"), targets, strict=True)),
        )
        loss = {"size": "mse", "kind": loss[0]}
        metrics = {"kind": "accuracy", "size": ["mae", "mse"]}
    model.compile("sgd", loss, metrics, loss_weights=[1.0, 0.3])
    history = model.fit(inputs, targets, 8, 2, 0, shuffle=False)
    return outcome(model, history) | {
        "names": model.metrics_names,
        "evaluated": model.evaluate(inputs, targets, 8, 0),
        "predicted": model.predict(inputs, verbose=0),
    }


@case
def one_batch_at_a_time(tf):
    x, y = batch()
    model = mlp(tf)
    model.compile("adam", "sparse_categorical_crossentropy", ["accuracy"])
    return {
        "train": [model.train_on_batch(x[:8], y[:8]), model.train_on_batch(x[8:], y[8:])],
        "kept": model.train_on_batch(x, y, reset_metrics=False, return_dict=True),
        "test": model.test_on_batch(x, y, sample_weight=np.arange(ROWS, dtype="float32")),
        "predict": model.predict_on_batch(x[:3]),
    }


@case
def masked_sequences(tf):
    layers = fresh(tf)
    model = fill(
        tf.keras.Sequential(
            [
                layers.Embedding(6, 4, mask_zero=True, input_length=5),
                layers.LSTM(3, return_sequences=True),
                layers.Dense(2),
            ]
        )
    )
    tokens = np.abs(array((8, 5), "int32")) % 6
    model.compile("sgd", "mse", ["mae"], weighted_metrics=["mse"])
    return outcome(model, model.fit(tokens, array((8, 5, 2)), 4, 2, 0, shuffle=False))


@case
def order_of_callbacks(tf):
    calls = []

    class Log(tf.keras.callbacks.Callback):
        pass

    def note(name):
        def call(self, *args):
            logs = args[-1] if args and isinstance(args[-1], dict) else {}
            number = [str(a) for a in args if isinstance(a, int)]
            calls.append(" ".join([name, *number, *sorted(logs)]))

        return call

    for mode in ("train", "test", "predict"):
        for point in ("begin", "end"):
            setattr(Log, f"on_{mode}_{point}", note(f"on_{mode}_{point}"))
            setattr(Log, f"on_{mode}_batch_{point}", note(f"on_{mode}_batch_{point}"))
    for point in ("begin", "end"):
        setattr(Log, f"on_epoch_{point}", note(f"on_epoch_{point}"))
    x, y = batch()
    model = mlp(tf)
    model.compile("sgd", "sparse_categorical_crossentropy", ["accuracy"])
    model.fit(x, y, 12, 2, 0, [Log()], validation_data=(x, y), validation_batch_size=12)
    model.predict(x, 12, 0, callbacks=[Log()])
    return calls


def table(model, **kwargs):
    lines = []
    model.summary(print_fn=lambda line, *_: lines.append(line), **kwargs)
    return lines


@case(show=[False, True], expand=[False, True])
def summary(tf, show, expand):
    layers = fresh(tf)
    inner = tf.keras.Sequential(
        [layers.Dense(4, activation="relu", input_shape=(4,)), layers.Dense(2)], name="inner"
    )
    plain = tf.keras.Sequential(
        [
            layers.InputLayer((4,)),
            inner,
            layers.Dense(100000),
            layers.BatchNormalization(trainable=False),
            layers.Dense(3, name="a_very_long_name_for_a_layer_that_does_not_fit"),
        ],
        name="outer",
    )
    x = tf.keras.Input([None, 4], name="x")
    sequence, state, _ = layers.LSTM(4, return_state=True)(x)
    total = layers.Add()([sequence, state])
    model = tf.keras.Model(x, [inner(total), tf.nn.relu(total)], name="branched")
    options = {"show_trainable": show, "expand_nested": expand}
    return [table(plain, **options), table(model, **options)]


@case
def names_of_weights(tf):
    layers = fresh(tf)

    class Block(layers.Layer):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.dense = layers.Dense(2)
            self.more = [layers.Dense(2, name="one"), layers.Dense(2)]

        def build(self, input_shape):
            self.scale = self.add_weight("scale", [2], initializer="ones")

        def call(self, inputs):
            x = self.dense(inputs)
            for layer in self.more:
                x = layer(x)
            return x * self.scale

    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.row = tf.keras.Sequential([layers.Dense(2), layers.BatchNormalization()])
            self.block = Block()

        def call(self, inputs):
            return self.block(self.row(inputs))

    x = tf.constant(array((3, 2)))
    called, built, row = Net(), Net(), tf.keras.Sequential([Block(), layers.Dense(1)])
    called(x)
    built.build((None, 2))
    row(x)
    functional = two_outputs(tf)
    return [[w.name for w in model.weights] for model in (called, built, row, functional)] + [
        [layer.name for layer in model.layers] for model in (called, row, functional)
    ]


@case
def configuration_of_functional(tf):
    config = two_outputs(tf).get_config()
    return {
        "name": config["name"],
        "inputs": [list(item) for item in config["input_layers"]],
        "outputs": [list(item) for item in config["output_layers"]],
        "classes": [item["class_name"] for item in config["layers"]],
        "modules": [item["module"] for item in config["layers"]],
        "names": [item["name"] for item in config["layers"]],
    }


@case
def metrics_among_weights(tf):
    layers = fresh(tf)

    class Own(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.scale = tf.Variable(1.0, name="scale")
            self.tracker = tf.keras.metrics.Mean(name="tracker")
            self.dense = layers.Dense(1)
            self.more = []
            self.more.append(tf.keras.metrics.Mean(name="another"))

        def call(self, inputs):
            return self.dense(inputs) * self.scale

    model = Own()
    model(tf.ones([1, 2]))
    lists = [model.weights, model.trainable_weights, model.non_trainable_weights]
    model.trainable = False
    lists += [model.weights, model.trainable_weights, model.non_trainable_weights]
    return [[w.name for w in weights] for weights in lists] + [len(model.layers)]


@case
def order_of_layers(tf):
    layers = fresh(tf)
    x = tf.keras.Input([4], name="x")
    a = layers.Dense(2, name="a")(x)
    b = layers.Dense(2, name="b")(a)
    c = layers.Dense(2, name="c")(x)
    shared = layers.Dense(2, name="shared")
    d = layers.Add(name="d")([b, shared(c)])
    e = layers.Multiply(name="e")([shared(a), c])
    z = layers.Concatenate(name="z")([e, d, x])
    model = tf.keras.Model(x, [z, a])
    return [layer.name for layer in model.layers] + [w.name for w in model.weights]


X, Y = batch()


def _compiled(tf):
    model = mlp(tf)
    model.compile("sgd", "sparse_categorical_crossentropy")
    return model


errors(
    "keras_models",
    "misuse",
    {
        "not compiled": (lambda tf: mlp(tf).fit(X, Y), ["compile"]),
        "sizes": (lambda tf: _compiled(tf).fit(X, Y[:5], verbose=0), ["x sizes: 24", "y sizes: 5"]),
        "width": (
            lambda tf: _compiled(tf).predict(X[:, :2], verbose=0),
            ["sequential", "shape=(None, 4)"],
        ),
        "layer": (lambda tf: mlp(tf).get_layer("other"), ["other", "dense_1"]),
        "weights": (lambda tf: mlp(tf).set_weights([X]), ["length 1", "4 weights"]),
        "optimizer": (lambda tf: mlp(tf).compile("sdg"), ["sdg"]),
        "split": (
            lambda tf: _compiled(tf).fit(X[:1], Y[:1], validation_split=0.5),
            ["validation_split=0.5"],
        ),
        "unbuilt": (
            lambda tf: tf.keras.Sequential([tf.keras.layers.Dense(1)]).summary(),
            ["not yet been built"],
        ),
        "disconnected": (
            lambda tf: tf.keras.Model(tf.keras.Input([1]), tf.keras.Input([2]) + 1.0),
            ["Graph disconnected"],
        ),
        "no weights yet": (
            lambda tf: tf.keras.Sequential([tf.keras.layers.Dense(1)]).trainable_weights,
            ["not yet been created", "build()"],
        ),
        "no layer": (lambda tf: tf.keras.Sequential([3]), ["Layer"]),
        "targets": (lambda tf: _compiled(tf).fit(X, verbose=0), ["Target data is missing"]),
    },
)
