"""Functions that are written to graphs and read again, here and by TensorFlow.

A program makes a function of tensors, and gives examples of its arguments.
"""

import numpy as np

PROGRAMS = {}


def program(*arguments):
    """Registers a program with the arguments of one call."""

    def register(make):
        PROGRAMS[make.__name__] = (make, arguments)
        return make

    return register


def specs(tf, arguments):
    """The specs of arguments, whose first sizes are unknown."""
    return [
        tf.TensorSpec([None, *value.shape[1:]] if value.ndim else [], value.dtype)
        for value in map(np.asarray, arguments)
    ]


FLOATS = np.linspace(-2, 3, 6, dtype="f").reshape(2, 3)
IMAGES = np.sin(np.arange(2 * 8 * 8 * 3, dtype="f")).reshape(2, 8, 8, 3)
NUMBERS = np.array([[3, 1, 2], [6, 5, 4]], "i")


@program(FLOATS)
def elements(tf):
    def run(x):
        y = tf.exp(-tf.square(x)) + tf.nn.relu(x) * tf.sigmoid(x) - tf.tanh(x) / 3.0
        y = tf.where(x > 0.5, y, tf.maximum(x, -1.0)) + tf.cast(tf.round(x), tf.float32)
        return {"y": tf.clip_by_value(y, -1.0, 2.0), "softplus": tf.nn.softplus(x)}

    return run


@program(FLOATS, NUMBERS)
def arrays(tf):
    def run(x, n):
        parts = tf.split(tf.concat([x, tf.cast(n, tf.float32)], 1), 3, axis=1)
        stacked = tf.stack(parts, axis=1)
        picked = tf.gather(stacked, [2, 0], axis=1)
        flat = tf.reshape(picked, [tf.shape(x)[0], -1])
        padded = tf.pad(flat, [[0, 0], [1, 2]], constant_values=7.0)
        rows = padded[:, 1:-1:2] + tf.expand_dims(tf.range(3.0), 0)
        tiled = tf.tile(tf.transpose(n), [1, 2])
        return (
            rows,
            tiled,
            tf.one_hot(n, 4),
            tf.reverse(x, [1]),
            tf.cumsum(x, 1),
            tf.unstack(n, axis=1),
        )

    return run


@program(FLOATS)
def reductions(tf):
    def run(x):
        mean, variance = tf.nn.moments(x, [0])
        values, indices = tf.nn.top_k(x, 2)
        return (
            tf.reduce_sum(x, 1, keepdims=True), tf.reduce_max(x), tf.reduce_any(x > 2.9, 0), mean,
            variance, values, indices, tf.argmax(x, 1), tf.math.segment_sum(x, [0, 0]),
            tf.reduce_logsumexp(x, 1), tf.sort(x, direction="DESCENDING"), tf.argsort(x),
            tf.norm(x), tf.math.unsorted_segment_sum(x, [1, 1], 3),
        )  # fmt: skip

    return run


@program(FLOATS)
def products(tf):
    def run(x):
        weights = tf.constant(np.cos(np.arange(12, dtype="f")).reshape(3, 4))
        y = tf.matmul(x, weights) + tf.linalg.matmul(x, x, transpose_b=True)[:, :1]
        z = tf.einsum("ab,bc->ac", x, weights)
        batched = tf.matmul(tf.stack([x, x]), tf.stack([weights, weights]))
        return y, z, batched, tf.tensordot(x, weights, 1), tf.linalg.band_part(y, 0, 1)

    return run


@program(IMAGES)
def images(tf):
    def run(x):
        kernel = tf.constant(np.sin(np.arange(54, dtype="f")).reshape(3, 3, 3, 2))
        y = tf.nn.bias_add(tf.nn.conv2d(x, kernel, 1, "SAME"), [0.5, -0.5])
        y = tf.nn.leaky_relu(y)
        pooled = tf.nn.max_pool2d(y, 2, 2, "VALID")
        depth = tf.nn.depthwise_conv2d(x, kernel, [1, 1, 1, 1], "VALID")
        up = tf.nn.conv2d_transpose(y, kernel, [tf.shape(x)[0], 8, 8, 3], 1, "SAME")
        norm, _, _ = tf.compat.v1.nn.fused_batch_norm(
            x, tf.ones(3), tf.zeros(3), tf.zeros(3), tf.ones(3), is_training=False
        )
        return pooled, tf.nn.avg_pool2d(depth, 2, 1, "SAME"), up, norm, tf.nn.softmax(y)

    return run


@program(FLOATS)
def choices(tf):
    def run(x):
        total = tf.reduce_sum(x)
        if total > 2.0:
            y = x * 2.0
            total -= 1.0
        else:
            y = x - total
        picked = tf.switch_case(
            tf.cast(total, tf.int32), [lambda: x[0], lambda: x[1], lambda: -x[0]]
        )
        return y, total, picked, tf.cond(total < 100.0, lambda: y + 1.0, lambda: y)

    return run


@program(FLOATS, np.int32(4))
def loops(tf):
    def run(x, n):
        collected = tf.TensorArray(tf.float32, size=n)
        total = tf.zeros_like(x)
        for i in tf.range(n):
            if i > 2:
                continue
            total += x * tf.cast(i, tf.float32)
            collected = collected.write(i, tf.reduce_sum(total))
        mapped = tf.map_fn(lambda row: tf.reduce_max(row) + row, x)
        k = tf.constant(0)
        while tf.reduce_sum(total) < 50.0 and k < 5:
            total = total + 1.0
            k += 1
        return total, collected.stack(), mapped, k, tf.scan(lambda a, b: a + b, x)

    return run


@program(np.array(["one two", "", "three"]))
def texts(tf):
    def run(s):
        joined = tf.strings.join([tf.strings.upper(s), s], "-")
        length = tf.strings.length(s)
        part = tf.strings.substr(tf.strings.join([s, "abc"]), 1, 2)
        hashed = tf.strings.to_hash_bucket_fast(s, 100)
        number = tf.strings.to_number(tf.strings.as_string(length), tf.float32)
        return joined, length, part, hashed, number

    return run


@program(FLOATS)
def inner_functions(tf):
    @tf.function
    def scaled(x, factor):
        return x * factor

    @tf.function
    def both(x):
        return scaled(x, 2.0) + scaled(x, tf.constant(3.0)), tf.reduce_sum(scaled(x, x))

    def run(x):
        a, b = both(x)
        return a - b, both(a)[0]

    return run


def _images(keras):
    layers = keras.layers
    model = keras.Sequential(
        [
            keras.Input((8, 8, 3)),
            layers.Conv2D(4, 3, activation="gelu", padding="same"),
            layers.BatchNormalization(),
            layers.UpSampling2D(2, interpolation="bilinear"),
            layers.Conv2DTranspose(3, 3, strides=2),
            layers.SeparableConv2D(3, 3, activation="swish"),
            layers.MaxPooling2D(),
            layers.GlobalAveragePooling2D(),
            layers.Dropout(0.5),
            layers.Dense(3, activation="softmax"),
        ]
    )
    return model, IMAGES


def _sequences(keras):
    layers = keras.layers
    model = keras.Sequential(
        [
            keras.Input((6,)),
            layers.Embedding(10, 4, mask_zero=True),
            layers.Bidirectional(layers.LSTM(4, return_sequences=True)),
            layers.GRU(3, return_sequences=True),
            layers.SimpleRNN(3),
            layers.Dense(2),
        ]
    )
    return model, np.array([[1, 2, 3, 0, 0, 0], [4, 5, 6, 7, 8, 9]], "f")


def _attention(keras):
    layers = keras.layers
    inputs = keras.Input((5, 8))
    y = layers.MultiHeadAttention(2, 4)(inputs, inputs)
    y = layers.LayerNormalization()(layers.Add()([y, inputs]))
    return keras.Model(inputs, y), np.sin(np.arange(80, dtype="f")).reshape(2, 5, 8)


# Functions of a Keras that make a model and an example of its inputs.
MODELS = {"images": _images, "sequences": _sequences, "attention": _attention}
