"""Neural-network operations: convolution, pooling, normalisation, softmax, losses, dropout."""

import numpy as np

from oracle.inputs import (
    ALL,
    COMMON,
    FLOATS,
    array,
    gradient,
    gradient2,
    resolve,
    tensor,
    weights,
)
from oracle.registry import case

# name -> (input shape, filter shape, arguments of conv2d)
CONVOLUTIONS = {
    "valid 3x3": ((2, 5, 6, 3), (3, 3, 3, 4), {"strides": 1, "padding": "VALID"}),
    "same 3x3": ((2, 5, 6, 3), (3, 3, 3, 4), {"strides": 1, "padding": "SAME"}),
    "same 2x2": ((1, 5, 6, 2), (2, 2, 2, 3), {"strides": 1, "padding": "SAME"}),
    "same 4x3": ((1, 5, 6, 2), (4, 3, 2, 3), {"strides": 1, "padding": "SAME"}),
    "1x1": ((2, 4, 4, 3), (1, 1, 3, 5), {"strides": 1, "padding": "SAME"}),
    "1x1 stride 2": ((1, 5, 4, 3), (1, 1, 3, 2), {"strides": 2, "padding": "VALID"}),
    "whole image": ((2, 4, 5, 3), (4, 5, 3, 6), {"strides": 1, "padding": "VALID"}),
    "valid stride 2": ((2, 6, 7, 3), (3, 3, 3, 4), {"strides": 2, "padding": "VALID"}),
    "same stride 2": ((2, 6, 7, 3), (3, 3, 3, 4), {"strides": 2, "padding": "SAME"}),
    "same strides 2,3": ((1, 7, 8, 2), (3, 2, 2, 3), {"strides": [2, 3], "padding": "SAME"}),
    "strides of four": ((1, 7, 8, 2), (3, 2, 2, 3), {"strides": [1, 3, 2, 1], "padding": "VALID"}),
    "stride over the kernel": ((1, 8, 8, 1), (2, 2, 1, 2), {"strides": 3, "padding": "SAME"}),
    "dilation 2": ((1, 7, 8, 2), (3, 3, 2, 3), {"strides": 1, "padding": "VALID", "dilations": 2}),
    "same dilation 2": (
        (1, 7, 8, 2),
        (3, 3, 2, 3),
        {"strides": 1, "padding": "SAME", "dilations": 2},
    ),
    "dilations 2,3": (
        (1, 9, 9, 2),
        (2, 3, 2, 3),
        {"strides": 1, "padding": "SAME", "dilations": [2, 3]},
    ),
    "dilations of four": (
        (1, 9, 9, 2),
        (2, 3, 2, 3),
        {"strides": 1, "padding": "VALID", "dilations": [1, 1, 2, 1]},
    ),
    "explicit": (
        (1, 5, 6, 2),
        (3, 3, 2, 3),
        {"strides": 1, "padding": [[0, 0], [1, 2], [0, 1], [0, 0]]},
    ),
    "explicit stride 2": (
        (1, 5, 6, 2),
        (3, 3, 2, 3),
        {"strides": 2, "padding": [[0, 0], [2, 1], [1, 1], [0, 0]]},
    ),
    "groups 2": ((2, 5, 5, 4), (3, 3, 2, 6), {"strides": 1, "padding": "SAME"}),
    "groups 4": ((1, 5, 5, 4), (3, 3, 1, 4), {"strides": 2, "padding": "VALID"}),
    "one channel": ((2, 8, 8, 1), (3, 3, 1, 16), {"strides": 1, "padding": "VALID"}),
    "one pixel": ((1, 1, 1, 2), (3, 3, 2, 2), {"strides": 1, "padding": "SAME"}),
    "odd channels": ((1, 6, 6, 7), (3, 3, 7, 5), {"strides": 1, "padding": "SAME"}),
    "batch of lists": ((2, 3, 5, 5, 2), (3, 3, 2, 3), {"strides": 1, "padding": "SAME"}),
}


def convolution(tf, name, dtype="float32"):
    shape, kernel, arguments = CONVOLUTIONS[name]
    images, filters = tensor(tf, shape, dtype), tensor(tf, kernel, dtype, -1, 1, seed=1)
    return (lambda x, w: tf.nn.conv2d(x, w, **arguments)), images, filters


@case(loose=4, name=list(CONVOLUTIONS))
def conv2d(tf, name):
    function, images, filters = convolution(tf, name)
    return function(images, filters)


@case(loose=10, name=list(CONVOLUTIONS))
def conv2d_gradient(tf, name):
    function, images, filters = convolution(tf, name)
    return gradient(tf, function, images, filters)["grads"]


@case(
    loose=10,
    name=("valid 3x3", "same stride 2", "explicit", "1x1", "same strides 2,3"),
)
def conv2d_gradient2(tf, name):
    return gradient2(tf, *convolution(tf, name, "float64"))


@case(
    sweep=True,
    loose=4,
    name=("valid 3x3", "same stride 2"),
    dtype=("float16", "bfloat16", "float64", "int32"),
)
def conv2d_dtype(tf, name, dtype):
    function, images, filters = convolution(tf, name, dtype)
    return function(images, filters)


@case(shape=((0, 5, 5, 2), (1, 3, 3, 2)))
def conv2d_empty(tf, shape):
    return tf.nn.conv2d(tensor(tf, shape), tensor(tf, (3, 3, 2, 4)), 1, "VALID")


# name -> (input shape, filter shape, arguments of depthwise_conv2d)
ONES = [1, 1, 1, 1]
DEPTHWISE = {
    "valid": ((2, 5, 6, 3), (3, 3, 3, 1), {"strides": ONES, "padding": "VALID"}),
    "same": ((2, 5, 6, 3), (3, 3, 3, 1), {"strides": ONES, "padding": "SAME"}),
    "multiplier 2": ((1, 5, 5, 3), (3, 2, 3, 2), {"strides": ONES, "padding": "SAME"}),
    "multiplier 3 of 1": ((1, 5, 5, 1), (3, 3, 1, 3), {"strides": ONES, "padding": "VALID"}),
    "stride 2": ((1, 6, 7, 2), (3, 3, 2, 1), {"strides": [1, 2, 2, 1], "padding": "SAME"}),
    "stride 2 valid": ((1, 6, 7, 2), (3, 3, 2, 2), {"strides": [1, 2, 2, 1], "padding": "VALID"}),
    "dilation": (
        (1, 7, 7, 2),
        (3, 3, 2, 1),
        {"strides": ONES, "padding": "SAME", "dilations": [2, 2]},
    ),
    "explicit": (
        (1, 5, 5, 2),
        (3, 3, 2, 1),
        {"strides": ONES, "padding": [[0, 0], [1, 0], [2, 1], [0, 0]]},
    ),
}


@case(loose=4, name=list(DEPTHWISE))
def depthwise_conv2d(tf, name):
    shape, kernel, arguments = DEPTHWISE[name]
    images, filters = tensor(tf, shape), tensor(tf, kernel, seed=1)
    return gradient(tf, lambda x, w: tf.nn.depthwise_conv2d(x, w, **arguments), images, filters)


@case(loose=10, name=("valid", "multiplier 2", "stride 2"))
def depthwise_conv2d_gradient2(tf, name):
    shape, kernel, arguments = DEPTHWISE[name]
    images, filters = tensor(tf, shape, "float64"), tensor(tf, kernel, "float64", seed=1)
    return gradient2(tf, lambda x, w: tf.nn.depthwise_conv2d(x, w, **arguments), images, filters)


# name -> (input shape, filter shape [h, w, out, in], arguments of conv2d_transpose)
TRANSPOSED = {
    "same stride 2": ((2, 3, 4, 3), (3, 3, 2, 3), {"output_shape": [2, 6, 8, 2], "strides": 2}),
    "same stride 2 odd": ((1, 3, 4, 3), (3, 3, 2, 3), {"output_shape": [1, 5, 7, 2], "strides": 2}),
    "valid stride 1": (
        (1, 3, 4, 2),
        (3, 2, 4, 2),
        {"output_shape": [1, 5, 5, 4], "strides": 1, "padding": "VALID"},
    ),
    "valid stride 3": (
        (1, 2, 2, 2),
        (2, 2, 3, 2),
        {"output_shape": [1, 5, 5, 3], "strides": [1, 3, 3, 1], "padding": "VALID"},
    ),
    "tensor output shape": (
        (1, 2, 3, 2),
        (4, 4, 1, 2),
        {"output_shape": np.array([1, 4, 6, 1], np.int32), "strides": [2, 2], "padding": "SAME"},
    ),
    "explicit": (
        (1, 3, 3, 2),
        (3, 3, 2, 2),
        {
            "output_shape": [1, 4, 5, 2],
            "strides": 2,
            "padding": [[0, 0], [1, 2], [1, 1], [0, 0]],
        },
    ),
}


@case(loose=10, name=list(TRANSPOSED))
def conv2d_transpose(tf, name):
    shape, kernel, arguments = TRANSPOSED[name]
    images, filters = tensor(tf, shape), tensor(tf, kernel, seed=1)
    return gradient(tf, lambda x, w: tf.nn.conv2d_transpose(x, w, **arguments), images, filters)


# --- pooling ----------------------------------------------------------------------------------

POOLS = {
    "2x2": ((2, 4, 6, 3), {"ksize": 2, "strides": 2, "padding": "VALID"}),
    "2x2 odd valid": ((1, 5, 7, 2), {"ksize": 2, "strides": 2, "padding": "VALID"}),
    "2x2 odd same": ((1, 5, 7, 2), {"ksize": 2, "strides": 2, "padding": "SAME"}),
    "3x3 stride 1 same": ((1, 5, 5, 2), {"ksize": 3, "strides": 1, "padding": "SAME"}),
    "3x2 stride 2,1": ((1, 6, 5, 2), {"ksize": [3, 2], "strides": [2, 1], "padding": "VALID"}),
    "of four": ((1, 6, 6, 1), {"ksize": [1, 3, 2, 1], "strides": [1, 2, 3, 1], "padding": "SAME"}),
    "global": ((2, 3, 4, 5), {"ksize": [3, 4], "strides": 1, "padding": "VALID"}),
    "3x3 stride 2 same": ((2, 6, 6, 1), {"ksize": 3, "strides": 2, "padding": "SAME"}),
    "1x1 stride 2": ((1, 4, 4, 2), {"ksize": 1, "strides": 2, "padding": "VALID"}),
}
POOLINGS = ("nn.max_pool2d", "nn.avg_pool2d")


@case(op=POOLINGS, name=list(POOLS))
def pool(tf, op, name):
    shape, arguments = POOLS[name]
    return gradient(tf, lambda x: resolve(tf, op)(x, **arguments), tensor(tf, shape))


@case(sweep=True, op=POOLINGS, dtype=("float16", "bfloat16", "float64", "int32", "uint8"))
def pool_dtype(tf, op, dtype):
    x = tensor(tf, (1, 4, 4, 2), dtype, -9, 9)
    return resolve(tf, op)(x, 2, 2, "VALID")


@case(loose=10, op=POOLINGS, name=("2x2", "3x3 stride 1 same"))
def pool_gradient2(tf, op, name):
    shape, arguments = POOLS[name]
    return gradient2(
        tf, lambda x: resolve(tf, op)(x * x * x, **arguments), tensor(tf, shape, "float64")
    )


@case(op=POOLINGS)
def pool_ties_and_negatives(tf, op):
    x = tf.constant(np.array([[1, 1, -1, -5], [1, 1, -2, -1], [0, 0, 3, 3], [0, 0, 3, 2.0]]))
    x = tf.cast(tf.reshape(x, [1, 4, 4, 1]), tf.float32)
    return gradient(tf, lambda x: resolve(tf, op)(x, 2, 2, "SAME"), x)


@case(op=POOLINGS)
def pool_nan(tf, op):
    x = tf.constant([[[[1.0], [2.0]], [[np.inf], [-1.0]]]])
    return resolve(tf, op)(x, 2, 2, "VALID")


# --- bias, normalisation ----------------------------------------------------------------------


@case(shape=((2, 3), (4, 5, 3), (2, 2, 2, 3), (2, 1, 2, 1, 3), (0, 3)))
def bias_add(tf, shape):
    return gradient(tf, tf.nn.bias_add, tensor(tf, shape), tensor(tf, (3,), seed=1))


@case(sweep=True, dtype=COMMON)
def bias_add_dtype(tf, dtype):
    return tf.nn.bias_add(tensor(tf, (2, 3), dtype), tensor(tf, (3,), dtype, seed=1))


@case(loose=10)
def bias_add_gradient2(tf):
    def cube(x, b):
        return tf.nn.bias_add(x, b * b) ** 3

    return gradient2(tf, cube, tensor(tf, (2, 3), "float64"), tensor(tf, (3,), "float64", seed=1))


def moments(tf, dtype, shape):
    mean, offset, scale = (tensor(tf, shape, dtype, seed=i) for i in (1, 2, 3))
    return mean, tensor(tf, shape, dtype, 0.5, 2, seed=4), offset, scale


@case(shape=((2, 3), (2, 4, 4, 3)), dtype=("float32", "float64"))
def batch_normalization(tf, shape, dtype):
    def normal(x, *moments):
        return tf.nn.batch_normalization(x, *moments, variance_epsilon=1e-3)

    return gradient(tf, normal, tensor(tf, shape, dtype), *moments(tf, dtype, (3,)))


@case(offset=(True, False), scale=(True, False))
def batch_normalization_without(tf, offset, scale):
    mean, variance, beta, gamma = moments(tf, "float32", (3,))
    return tf.nn.batch_normalization(
        tensor(tf, (2, 3)), mean, variance, beta if offset else None, gamma if scale else None, 1e-5
    )


@case
def batch_normalization_of_the_batch(tf):
    def normal(x, scale):
        mean = tf.reduce_mean(x, axis=[0, 1, 2])
        variance = tf.reduce_mean(tf.math.squared_difference(x, mean), axis=[0, 1, 2])
        return tf.nn.batch_normalization(x, mean, variance, None, scale, 1e-3)

    return gradient(tf, normal, tensor(tf, (2, 3, 3, 2)), tensor(tf, (2,), seed=1))


@case(axes=((0,), (0, 1), (1,), (-1,)), keepdims=(False, True))
def moments_of(tf, axes, keepdims):
    x = tensor(tf, (2, 3, 4))
    return [*tf.nn.moments(x, axes=list(axes), keepdims=keepdims)]


# --- softmax and the cross-entropies ----------------------------------------------------------

SOFTMAXES = ("nn.softmax", "nn.log_softmax")


@case(op=SOFTMAXES, shape=((3,), (1,), (2, 4), (2, 0), (0, 3), (2, 1, 3, 1, 2)))
def softmax(tf, op, shape):
    return gradient(tf, resolve(tf, op), tensor(tf, shape, "float32", -4, 4))


@case(op=SOFTMAXES, axis=(0, 1, 2, -1, -2))
def softmax_axis(tf, op, axis):
    return gradient(tf, lambda x: resolve(tf, op)(x, axis=axis), tensor(tf, (2, 3, 4)))


@case(sweep=True, op=SOFTMAXES, dtype=ALL)
def softmax_dtype(tf, op, dtype):
    return resolve(tf, op)(tensor(tf, (2, 3), dtype))


@case(loose=10, op=SOFTMAXES)
def softmax_gradient2(tf, op):
    return gradient2(tf, resolve(tf, op), tensor(tf, (2, 3), "float64"))


@case(op=SOFTMAXES)
def softmax_extremes(tf, op):
    x = tf.constant([[1000.0, 0.0, -1000.0], [-1e30, -1e30, -1e30], [88.0, 89.0, 90.0]])
    return [resolve(tf, op)(x), resolve(tf, op)([[1.0, 2.0]]), resolve(tf, "math." + op[3:])(x)]


CROSS = {
    "2x3": (2, 3),
    "1x1": (1, 1),
    "vector": (3,),
    "3d": (2, 2, 3),
    "empty": (0, 3),
}


@case(shape=CROSS, dtype=("float32", "float64"))
def softmax_cross_entropy(tf, shape, dtype):
    def loss(labels, logits):
        return tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)

    labels = tf.nn.softmax(tensor(tf, shape, dtype, seed=1))
    return gradient(tf, loss, labels, tensor(tf, shape, dtype))


@case(axis=(0, 1, -1))
def softmax_cross_entropy_axis(tf, axis):
    labels = tf.nn.softmax(tensor(tf, (2, 3, 4), seed=1), axis=axis)
    return tf.nn.softmax_cross_entropy_with_logits(labels, tensor(tf, (2, 3, 4)), axis=axis)


@case(loose=10)
def softmax_cross_entropy_gradient2(tf):
    labels = tf.nn.softmax(tensor(tf, (2, 3), "float64", seed=1))

    def loss(logits):
        return tf.nn.softmax_cross_entropy_with_logits(labels, logits)

    return gradient2(tf, loss, tensor(tf, (2, 3), "float64"))


@case(dtype=FLOATS, labels=("int32", "int64"))
def sparse_cross_entropy(tf, dtype, labels):
    indices = tf.constant(np.array([2, 0, 1], labels))

    def loss(logits):
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=indices, logits=logits)

    return gradient(tf, loss, tensor(tf, (3, 4), dtype))


@case(shape=((3,), (2, 3, 4), (0, 5)))
def sparse_cross_entropy_shape(tf, shape):
    labels = tf.zeros(shape[:-1], tf.int32) + 1

    def loss(logits):
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)

    return gradient(tf, loss, tensor(tf, shape))


@case(loose=10)
def sparse_cross_entropy_gradient2(tf):
    def loss(logits):
        return tf.nn.sparse_softmax_cross_entropy_with_logits([1, 0], logits)

    return gradient2(tf, loss, tensor(tf, (2, 3), "float64"))


@case
def cross_entropy_extremes(tf):
    logits = tf.constant([[1000.0, 0.0, -1000.0], [-1000.0, 1000.0, 0.0]])
    return [
        gradient(tf, lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([0, 0], x), logits),
        gradient(
            tf, lambda x: tf.nn.softmax_cross_entropy_with_logits([[1.0, 0, 0]] * 2, x), logits
        ),
        gradient(tf, lambda x: tf.nn.sigmoid_cross_entropy_with_logits(tf.ones([2, 3]), x), logits),
    ]


@case(dtype=FLOATS, shape=((), (4,), (2, 3)))
def sigmoid_cross_entropy(tf, dtype, shape):
    def loss(labels, logits):
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    return gradient(
        tf, loss, tensor(tf, shape, dtype, 0, 1, seed=1), tensor(tf, shape, dtype, -9, 9)
    )


@case(loose=10)
def sigmoid_cross_entropy_gradient2(tf):
    def loss(labels, logits):
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    labels, logits = tensor(tf, (3,), "float64", 0, 1), tensor(tf, (3,), "float64", seed=1)
    return gradient2(tf, loss, labels, logits)


@case(dtype=FLOATS, shape=((), (4,), (2, 3, 2), (0,)))
def l2_loss(tf, dtype, shape):
    return gradient(tf, tf.nn.l2_loss, tensor(tf, shape, dtype))


# --- dropout ----------------------------------------------------------------------------------


@case(rate=(0.0, 0.25, 0.5, 0.9), dtype=("float32", "float64", "float16"))
def dropout(tf, rate, dtype):
    tf.random.set_seed(7)
    return tf.nn.dropout(tensor(tf, (5, 4), dtype), rate)


@case
def dropout_forms(tf):
    tf.random.set_seed(11)
    x = tensor(tf, (3, 4))
    return [
        tf.nn.dropout(x, 0.5, seed=3),
        tf.nn.dropout(x, 0.5, noise_shape=[3, 1]),
        tf.nn.dropout(x, rate=tf.constant(0.3)),
        tf.nn.dropout([1.0, 2.0, 3.0], 0.5),
    ]


@case
def dropout_gradient(tf):
    tf.random.set_seed(5)
    x = tensor(tf, (4, 4))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.dropout(x, 0.4, seed=2)
    return [y, tape.gradient(y, x, output_gradients=weights(tf, y))]


@case(loose=10)
def small_network_step(tf):
    """A whole convolutional step: the gradient of every parameter."""
    images = tensor(tf, (3, 8, 8, 1))
    labels = tf.constant([1, 0, 3])
    parameters = [
        tf.Variable(array(shape, low=-0.5, high=0.5, seed=i))
        for i, shape in enumerate([(3, 3, 1, 4), (4,), (3, 3, 4, 5), (5,), (5, 4), (4,)])
    ]
    w1, b1, w2, b2, w3, b3 = parameters
    with tf.GradientTape() as tape:
        x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(images, w1, 1, "SAME"), b1))
        x = tf.nn.max_pool2d(x, 2, 2, "VALID")
        x = tf.nn.relu(tf.nn.conv2d(x, w2, 1, "VALID") + b2)
        x = tf.reduce_mean(x, [1, 2]) @ w3 + b3
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x))
    return [loss, x, tape.gradient(loss, parameters)]
