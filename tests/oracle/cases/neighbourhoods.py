"""Blocks, windows and neighbouring channels; monotonic regression; dropout."""

from oracle.inputs import gradient, tensor
from oracle.registry import case, errors

BLOCKS = {
    "2x2": ((2, 4, 6, 3), [2, 2], [[0, 0], [0, 0]]),
    "padded": ((1, 3, 4, 2), [2, 3], [[1, 0], [1, 1]]),
    "one axis": ((2, 4, 3), [2], [[1, 1]]),
    "three axes": ((1, 2, 2, 4), [2, 1, 2], [[0, 0], [1, 0], [0, 0]]),
}


@case(kind=list(BLOCKS))
def space_to_batch(tf, kind):
    shape, blocks, amounts = BLOCKS[kind]
    x = tensor(tf, shape)

    def back(x):
        return tf.batch_to_space(tf.space_to_batch(x, blocks, amounts), blocks, amounts)

    return tf.space_to_batch_nd(x, blocks, amounts), gradient(tf, back, x)


@case
def required_paddings(tf):
    return [
        tf.required_space_to_batch_paddings([5, 7], [2, 2], [[0, 1], [1, 1]]),
        tf.required_space_to_batch_paddings([5, 7, 8], [2, 3, 4]),
    ]


@case(padding=("SAME", "VALID"), rate=((2,), (1, 2), (2, 3)))
def with_space_to_batch(tf, padding, rate):
    n = len(rate)
    x = tensor(tf, (1, *(7, 8)[:n], 2))
    window = [3, 2][:n]

    def op(x, num_spatial_dims, padding):
        return tf.nn.pool(x, window, "MAX", padding=padding)

    return tf.nn.with_space_to_batch(x, rate, padding, op, window)


@case(padding=("SAME", "VALID"), stride=(1, 2))
def extract_volume_patches(tf, padding, stride):
    x = tensor(tf, (2, 3, 4, 5, 2))
    steps = [1, stride, 1, stride, 1]

    def patches(x):
        return tf.extract_volume_patches(x, [1, 2, 3, 2, 1], steps, padding)

    return gradient(tf, patches, x)


MORPHOLOGY = {
    "plain": ([1, 1, 1, 1], [1, 1, 1, 1]),
    "strided": ([1, 2, 1, 1], [1, 1, 1, 1]),
    "dilated": ([1, 1, 1, 1], [1, 2, 2, 1]),
}


@case(op=("dilation2d", "erosion2d"), kind=list(MORPHOLOGY), padding=("SAME", "VALID"))
def morphology(tf, op, kind, padding):
    strides, dilations = MORPHOLOGY[kind]
    x, filters = tensor(tf, (2, 5, 6, 3)), tensor(tf, (2, 3, 3), seed=1)

    def run(x, filters):
        return getattr(tf.nn, op)(x, filters, strides, padding, "NHWC", dilations)

    return gradient(tf, run, x, filters)


@case(dtype=("int32", "uint8", "float64", "float16"))
def dilation_dtype(tf, dtype):
    ones = [1, 1, 1, 1]
    return tf.nn.dilation2d(
        tensor(tf, (1, 4, 4, 1), dtype),
        tensor(tf, (2, 2, 1), dtype, seed=1),
        ones,
        "SAME",
        "NHWC",
        ones,
    )


@case(loose=20, radius=(0, 1, 5), beta=(0.5, 0.75))
def lrn(tf, radius, beta):
    def run(x):
        return tf.nn.lrn(x, radius, 1.5, 0.3, beta)

    return gradient(tf, run, tensor(tf, (2, 2, 3, 4)))


@case(dtype=("float16",))
def lrn_narrow(tf, dtype):
    return tf.nn.local_response_normalization(tensor(tf, (1, 2, 2, 4), dtype))


@case(axis=(0, 1, -1), decreasing=(True, False))
def isotonic(tf, axis, decreasing):
    x = tensor(tf, (4, 6))
    segments = tf.nn.isotonic_regression(x, decreasing, axis)[1]
    return segments, gradient(tf, lambda x: tf.nn.isotonic_regression(x, decreasing, axis)[0], x)


@case(dtype=("int32", "int8", "float64"))
def isotonic_dtype(tf, dtype):
    return list(tf.nn.isotonic_regression(tensor(tf, (7,), dtype)))


@case
def approx_top_k(tf):
    return list(tf.approx_top_k(tf.constant([1.0, 5.0, 3.0]), k=2))


@case(rate=(0.0, 0.25, 0.9), dtype=("float32", "float16"))
def stateless_dropout(tf, rate, dtype):
    x = tensor(tf, (5, 4), dtype)
    same = tf.nn.experimental.stateless_dropout(x, rate, [1, 2], noise_shape=[None, 1])
    sampler = tf.nn.experimental.general_dropout(
        x, rate, lambda shape, dtype: tf.random.stateless_uniform(shape, [3, 4], dtype=dtype)
    )
    return tf.nn.experimental.stateless_dropout(x, rate, [1, 2]), same, sampler


errors(
    "neighbourhoods",
    "wrong",
    {
        "blocks": (lambda tf: tf.space_to_batch(tf.zeros([1, 3, 1]), [2], [[0, 0]]), ["divisible"]),
        "batch": (lambda tf: tf.batch_to_space(tf.zeros([3, 3, 1]), [2], [[0, 0]]), ["divisible"]),
        "paddings": (lambda tf: tf.space_to_batch(tf.zeros([1, 4, 1]), [2], [[0, 0], [0, 0]]), []),
        "dilation format": (
            lambda tf: tf.nn.dilation2d(
                tf.zeros([1, 3, 3, 1]), tf.zeros([2, 2, 1]), [1] * 4, "SAME", "NCHW", [1] * 4
            ),
            ["data_format"],
        ),
        "dilation depth": (
            lambda tf: tf.nn.dilation2d(
                tf.zeros([1, 3, 3, 1]), tf.zeros([2, 2, 2]), [1] * 4, "SAME", "NHWC", [1] * 4
            ),
            ["depth"],
        ),
        "lrn": (lambda tf: tf.nn.lrn(tf.zeros([3, 3])), []),
        "dropout rate": (
            lambda tf: tf.nn.experimental.stateless_dropout([1.0], 1.5, [1, 2]),
            ["range"],
        ),
        "dropout int": (
            lambda tf: tf.nn.experimental.stateless_dropout([1], 0.5, [1, 2]),
            ["floating"],
        ),
    },
)


@case(padding=("SAME", "VALID"), batch=(False, True), dtype=("float32", "float64"))
def max_pool_with_argmax(tf, padding, batch, dtype):
    x = tensor(tf, (2, 5, 6, 3), dtype)

    def pool(x):
        return tf.nn.max_pool_with_argmax(x, [3, 2], 2, padding, include_batch_in_index=batch)

    places = tf.nn.max_pool_with_argmax(x, 2, 1, padding, output_dtype=tf.int32).argmax
    return pool(x).argmax, places, gradient(tf, lambda x: pool(x).output, x)


@case(
    name=("fractional_max_pool", "fractional_avg_pool"), random=(False, True), overlap=(False, True)
)
def fractional_pool(tf, name, random, overlap):
    tf.random.set_seed(2)
    x = tensor(tf, (2, 9, 11, 2))
    options = {"pseudo_random": random, "overlapping": overlap, "seed": 5}
    ratios = ([1, 1.5, 1.5, 1], [1, 1.3, 2.2, 1])
    return [list(getattr(tf.nn, name)(x, ratio, **options)) for ratio in ratios]
