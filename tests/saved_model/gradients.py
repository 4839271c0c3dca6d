"""Functions whose gradients are exported although sizes are unknown."""

import numpy as np

X = np.array([[0.5, -1.5, 2.0], [1.0, 0.25, -0.75]], "f")
N = np.array([1, 0], "i")
MASK = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]], "f")


def functions(tf):
    """Functions of x, of unknown sizes, and of row numbers, by name."""
    nn, math = tf.nn, tf.math
    return {
        "broadcast": lambda x, n: (x + x[0]) * x[:, :1] / (2.0 + tf.abs(x)) - tf.maximum(x, x[1]),
        "reductions": lambda x, n: [
            tf.reduce_sum(x, 1), tf.reduce_mean(x, 0), tf.reduce_max(x, 1), tf.reduce_min(x, 0)
        ],
        "shapes": lambda x, n: [
            tf.reshape(x, [-1]), tf.transpose(x), tf.expand_dims(x, 1), x[:, 1:], x[::-1],
            tf.concat([x, 2.0 * x], 0), tf.stack([x, x]), tf.split(x, 3, axis=1)[1],
        ],
        "products": lambda x, n: tf.matmul(x, x, transpose_b=True),
        "activations": lambda x, n: [
            nn.relu(x), nn.elu(x), nn.selu(x), nn.leaky_relu(x), nn.softplus(x), nn.softsign(x),
            tf.tanh(x), tf.sigmoid(x), nn.gelu(x), nn.relu6(x), nn.swish(x), nn.softmax(x),
            nn.log_softmax(x),
        ],
        "functions": lambda x, n: [
            tf.exp(x), math.log(2.0 + x), tf.sqrt(2.0 + x), math.rsqrt(2.0 + x), tf.square(x),
            math.erf(x), math.lgamma(3.0 + x), tf.sin(x), x**2.0, math.log1p(tf.abs(x)),
        ],
        "losses": lambda x, n: [
            nn.softmax_cross_entropy_with_logits(nn.softmax(-x), x),
            nn.sparse_softmax_cross_entropy_with_logits(n, x),
            nn.sigmoid_cross_entropy_with_logits(tf.sigmoid(-x), x),
        ],
        "rows": lambda x, n: [
            tf.gather(x, n), math.unsorted_segment_sum(x, n, 3), tf.gather_nd(x, n[:, None]),
            tf.where(x > 0.0, x, x * x), tf.cumsum(x, 1), tf.pad(x, [[1, 0], [0, 2]]),
            tf.tile(x, [2, 3]), tf.add_n([x, x]), tf.pad(x, [[0, 0], [1, 1]], "REFLECT"),
        ],
        "normalized": lambda x, n: (x - tf.reduce_mean(x, 0)) * math.rsqrt(
            math.reduce_variance(x, 0) + 0.1
        ),
        "windows": lambda x, n: [
            nn.conv2d(x[:, :, None, None], tf.ones([2, 1, 1, 2]), 1, "SAME"),
            nn.max_pool2d(x[:, :, None, None], [2, 1], 1, "VALID"),
            nn.avg_pool2d(x[:, :, None, None], [2, 1], 1, "VALID"),
            nn.bias_add(x, tf.reduce_sum(x, 0)),
            nn.depthwise_conv2d(x[:, :, None, None], tf.ones([2, 1, 1, 2]), [1] * 4, "SAME"),
        ],
        "two operands": lambda x, n: [
            tf.minimum(x, 2.0 * x[0]), math.divide_no_nan(x, x[0]), math.squared_difference(x, x[:1]),
            math.xlogy(x, 3.0 + x), math.xdivy(x, 3.0 + x), tf.atan2(x, 2.0 + x), (3.0 + x) ** x[0],
            tf.clip_by_value(x, -1.0, 1.0), tf.where(x > 0, x, x[0]),
        ],
        "more functions": lambda x, n: [
            tf.asinh(x), tf.atan(x), tf.cosh(x), tf.tan(x), math.expm1(x), math.reciprocal(3.0 + x),
            tf.acos(x / 4.0), tf.atanh(x / 4.0), math.digamma(4.0 + x), tf.sinh(x), tf.acosh(4.0 + x),
        ],
        "transposed windows": lambda x, n: [
            nn.conv2d_transpose(
                x[:, :, None, None], tf.ones([2, 1, 2, 1]) * x[0, 0], [tf.shape(x)[0], 6, 1, 2], [1, 2, 1, 1]
            ),
            tf.image.crop_and_resize(
                x[:, :, None, None], tf.constant([[0.0, 0.0, 0.9, 1.0]]) * x[0, 0], n[1:], [2, 1]
            ),
        ],
        "resized": lambda x, n: [
            resize(tf.sin(x)[None, :, :, None], 3 + n, **options)
            for resize in (
                tf.compat.v1.image.resize_bilinear, tf.compat.v1.image.resize_bicubic,
                tf.compat.v1.image.resize_nearest_neighbor,
            )
            for options in ({}, {"align_corners": True}, {"half_pixel_centers": True})
        ],
        "chosen": lambda x, n: [
            math.top_k(x, 2)[0], math.cumprod(x, 1), tf.linalg.diag(x), tf.linalg.diag_part(x),
            tf.linalg.diag(x, k=1), tf.reverse_sequence(x, n + 1, 1), tf.gather(x, n[:1]),
            tf.tensor_scatter_nd_add(x, n[:, None], 2.0 * x), tf.tensor_scatter_nd_sub(x, n[:, None], x * x),
            tf.tensor_scatter_nd_update(x, n[:1, None], x[:1] * 3.0),
            tf.tensor_scatter_nd_max(x, n[:, None], x * x), tf.dynamic_partition(x, n, 2)[1],
            tf.dynamic_stitch([n[:1], n[1:]], [x[:1], x[1:] * 2.0]),
        ],
        "groups": lambda x, n: [
            math.segment_mean(x, tf.sort(n)), math.segment_max(x, tf.sort(n)),
            math.unsorted_segment_prod(x * tf.cast(n, x.dtype)[:, None], tf.zeros_like(n), 2),
            tf.sparse.segment_mean(x, n, tf.sort(n)), tf.sparse.segment_sqrt_n(x, n, tf.zeros_like(n)),
            tf.sparse.sparse_dense_matmul(
                tf.SparseTensor([[0, 1], [1, 0]], x[0, :2], [2, tf.shape(x, tf.int64)[0]]), x
            ),
        ],
        "zeros": lambda x, n: [
            math.cumprod(x * MASK, 1), math.cumprod(x * MASK, 1, exclusive=True, reverse=True),
            tf.reduce_prod(x * MASK, 1), math.unsorted_segment_prod(x * MASK[0], tf.zeros_like(n), 2),
            tf.pow(x * MASK, 0.0), tf.pow(x * MASK, 1.0), math.xlogy(x * MASK, 2.0 + x),
        ],
        "repeated": lambda x, n: [
            tf.tensor_scatter_nd_update(x, n[:, None] * 0, 2.0 * x),
            tf.dynamic_stitch([n, n], [x, x * x]),
            tf.tensor_scatter_nd_max(x, n[:, None] * 0, x),
        ],
        "norms": lambda x, n: [
            tf.norm(x), tf.norm(x, axis=1), math.reduce_euclidean_norm(x, 0, keepdims=True),
            tf.clip_by_norm(x * 1e25, 1.0), tf.clip_by_global_norm([x, x * 1e-25], 2.0)[0],
            math.l2_normalize(x * 1e25, 1), math.reduce_std(x, 0), tf.experimental.numpy.hypot(x, x[0]),
        ],
        "special functions": lambda x, n: [
            math.erfinv(x / 4.0), math.ndtri(x / 8.0 + 0.5), math.polygamma(2.0, 3.0 + x),
            math.igamma(1.5, 3.0 + x), math.igammac(1.5, 3.0 + x),
        ],
        "calls": lambda x, n: tf.function(lambda x: tf.tanh(x) * x[0])(x),
        "choices": lambda x, n: [
            tf.cond(tf.reduce_sum(x) > 0, lambda: tf.sin(x), lambda: x * x),
            tf.switch_case(n[0], [lambda: x * x, lambda: tf.exp(x) * x[0], lambda: x]),
        ],
        "loops": lambda x, n: tf.while_loop(
            lambda i, y: i < tf.size(n) + 1, lambda i, y: [i + 1, tf.tanh(y * x[0]) + x], [0, x],
            maximum_iterations=2,
        )[1],
        "choices in loops": lambda x, n: tf.while_loop(
            lambda i, y: i < 3,
            lambda i, y: (
                i + 1, tf.cond(tf.equal(i, n[0]), lambda: tf.sin(y) * x, lambda: y * tf.nn.softmax(x))
            ),
            [0, x],
        )[1],
        "arrays": lambda x, n: _scanned(tf, x),
        "rows of arrays": lambda x, n: [
            tf.map_fn(lambda row: tf.reduce_sum(row * row) * row, x), _appended(tf, x),
            tf.scan(lambda h, row: tf.tanh(h * row), x),
        ],
    }  # fmt: skip


def _scanned(tf, x):
    """A recurrence over the columns of x, kept in a TensorArray."""

    def step(i, h, kept):
        h = tf.tanh(h + x[:, i])
        return i + 1, h, kept.write(i, h)

    kept = tf.TensorArray(tf.float32, tf.shape(x)[1])
    loop = tf.while_loop(lambda i, *rest: i < tf.shape(x)[1], step, [0, x[:, 0], kept])
    return loop[2].stack() * 2.0


def _appended(tf, x):
    """Products of the rows of x and those before, in a TensorArray that grows."""

    def step(i, h, kept):
        h = tf.sin(h * x[i])
        return i + 1, h, kept.write(kept.size(), h)

    kept = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    loop = tf.while_loop(lambda i, *rest: i < tf.shape(x)[0], step, [0, tf.ones_like(x[0]), kept])
    return loop[2].stack()


def _found(tf, function, x, n, order):
    """The gradient of a function by x, or that of the gradient's square."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        if order == 2:
            parts = [tf.square(_found(tf, function, x, n, 1))]
        else:
            parts = [tf.sin(part) for part in tf.nest.flatten(function(x, n))]
    return tape.gradient(parts, x)


# Gradients of arrays take elements out of them that were put there.
ONCE_ONLY = ("arrays", "rows of arrays")
# Functions that need the rank of x.
RANKED = ("chosen", "groups", "zeros", "repeated")
# Functions whose gradients, or their gradients, TensorFlow computes wrongly at some points, or not at all.
TRUER = {
    1: ("zeros", "repeated", "norms"),
    2: ("zeros", "repeated", "norms", "groups", "activations", "transposed windows"),
}


def names(tf, order=1):
    """The functions that have gradients, or gradients of gradients, in files."""
    return [name for name in functions(tf) if order == 1 or name not in ONCE_ONLY]


def make(tf, order=1, ranked=True):
    """A module with the gradient of each function, by a tape inside of it."""
    module = tf.Module()
    shapes = ([None, 3], [None]) if ranked else (None, None)
    signature = list(map(tf.TensorSpec, shapes, (tf.float32, tf.int32)))

    def gradient_of(function):
        @tf.function(input_signature=signature)
        def gradient(x, n):
            return _found(tf, function, x, n, order)

        return gradient

    of_name = functions(tf)
    for name in names(tf, order):
        setattr(module, name, gradient_of(of_name[name]))
    return module


def expected(tf, name, order=1):
    """The gradient, found at once."""
    return _found(tf, functions(tf)[name], tf.constant(X), tf.constant(N), order).numpy()
