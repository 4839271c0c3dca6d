"""The tables that `model.summary` prints in Keras 2, at every width."""

import hashlib

from oracle.registry import case


def row(tf):
    layers = tf.keras.layers
    rows = [layers.Dense(64, input_shape=(784,)), layers.Dropout(0.2), layers.Dense(10)]
    return tf.keras.Sequential(rows, name="row")


def branches(tf):
    layers = tf.keras.layers
    x = tf.keras.Input((28, 28, 1), name="a_rather_long_input_name")
    y = layers.Conv2D(8, 3)(x)
    z = layers.Conv2D(8, 3, name="other")(x)
    joined = layers.Concatenate(name="cat")([layers.Add()([y, z]), y, z])
    return tf.keras.Model(x, layers.Dense(10)(layers.Flatten()(joined)), name="branches")


def nested(tf):
    layers = tf.keras.layers
    rows = [layers.Dense(4, input_shape=(5,), name="in1"), layers.Dense(3, name="in2")]
    inner = tf.keras.Sequential(rows, name="inner")
    x, y = (tf.keras.Input((5,), name=name) for name in "xy")
    z = tf.keras.Input((3,), name="z")
    deep = tf.keras.Model(
        z, [layers.Dense(2, name="p")(z), layers.Dense(2, name="q")(z)], name="deep"
    )
    between = tf.keras.Input((5,), name="between")
    middle = tf.keras.Model(between, deep(inner(between)), name="middle")
    a, b = middle(x), middle(y)
    return tf.keras.Model([x, y], layers.Average(name="av")([a[0], b[1], a[1]]), name="nested")


def nested_rows(tf):
    layers = tf.keras.layers
    inner = [layers.Dense(3, name="q"), layers.BatchNormalization(name="bn")]
    rows = [
        layers.Dense(4, input_shape=(5,), name="in1"),
        tf.keras.Sequential(inner, name="innermost"),
        layers.Dense(1, name="z"),
    ]
    return tf.keras.Sequential(rows, name="outer")


def recurrent(tf):
    layers = tf.keras.layers
    x = tf.keras.Input((7,), dtype="int32", name="ids")
    mask = tf.keras.Input((7,), dtype="bool", name="mask")
    y = layers.Embedding(10, 4, name="words")(x)
    lstm = layers.LSTM(3, return_state=True, return_sequences=True)
    states = layers.Bidirectional(lstm, name="bi")(y)
    pooled = layers.GlobalAveragePooling1D(name="pool")(states[0], mask=mask)
    outputs = {"a": layers.Dense(2, name="d", trainable=False)(pooled), "b": states[1]}
    return tf.keras.Model([x, mask], outputs, name="recurrent")


def subclass(tf):
    class Own(tf.keras.Model):
        def __init__(self):
            super().__init__(name="own")
            self.a, self.b, self.c = (tf.keras.layers.Dense(3, name=name) for name in "abc")

        def call(self, x):
            return self.b(self.a(x))

    model = Own()
    model(tf.zeros([2, 3]))
    return model


def operations(tf):
    x = tf.keras.Input((4,), name="x")
    y = x * 2 + 1
    z = tf.reduce_sum(y, axis=1, keepdims=True)
    return tf.keras.Model(x, tf.keras.layers.Dense(2)(tf.concat([y, z], 1)), name="operations")


MODELS = {
    model.__name__: model
    for model in (row, branches, nested, nested_rows, recurrent, subclass, operations)
}
FLAGS = {
    "plain": {},
    "nested": {"expand_nested": True},
    "trainable": {"expand_nested": True, "show_trainable": True},
}


def lines(model, **arguments):
    found = []
    model.summary(print_fn=lambda line, **_: found.append(line), **arguments)
    return found


@case(model=MODELS, length=(None, 44, 83), flags=FLAGS)
def tables(tf, model, length, flags):
    tf.keras.backend.clear_session()
    return lines(model(tf), line_length=length, **flags)


@case(model=MODELS, flags=FLAGS)
def every_width(tf, model, flags):
    tf.keras.backend.clear_session()
    built = model(tf)
    texts = ["\n".join(lines(built, line_length=n, **flags)) for n in range(40, 141)]
    return [hashlib.sha256(text.encode()).hexdigest()[:8] for text in texts]


@case(positions=([0.5, 0.8, 1.0], [20, 50, 70], [0.2, 0.5, 0.6, 1.0]))
def positions_of_columns(tf, positions):
    tf.keras.backend.clear_session()
    return lines(row(tf), line_length=90, positions=positions)


@case(names=(("dense", "dropout"), ("drop.*", "dense_1"), ("dense_1", "dropout")))
def ranges_of_layers(tf, names):
    tf.keras.backend.clear_session()
    return lines(row(tf), layer_range=names)
