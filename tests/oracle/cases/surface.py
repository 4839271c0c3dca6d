"""Calls of functions that no other family asks: over dtypes, with gradients, and at the edges.

A call is a line of Python. Its letters stand for arrays of the dtype in question: `x` and `y` within
[-2, 2), `p` and `q` positive, `u` within [0, 1), `m` a well-conditioned matrix; `i` are indices.
"""

import numpy as np

from oracle.inputs import array, dense, np_dtype, weights
from oracle.registry import case

DTYPES = ("float32", "float64", "float16", "bfloat16", "complex64", "int32")

ELEMENTWISE = """
tf.acosh(p + 1) | tf.asinh(x) | tf.atanh(u / 2) | tf.realdiv(x, p) | tf.truncatediv(x, p)
tf.truncatemod(x, p) | tf.saturate_cast(x, 'uint8') | tf.saturate_cast(x, 'float16')
tf.scalar_mul(3, x) | tf.math.angle(x) | tf.math.digamma(p) | tf.math.erfc(x) | tf.math.erfcinv(u)
tf.math.erfinv(u) | tf.math.imag(x) | tf.math.lgamma(p) | tf.math.log_sigmoid(x) | tf.math.ndtri(u)
tf.math.multiply_no_nan(x, y) | tf.math.polygamma(tf.ones_like(p), p) | tf.math.reciprocal(x)
tf.math.reciprocal_no_nan(x) | tf.math.rint(x) | tf.math.softsign(x) | tf.math.xdivy(x, p)
tf.math.xlog1py(x, p) | tf.math.xlogy(x, p) | tf.math.bessel_i0e(x) | tf.math.bessel_i1(x)
tf.math.bessel_i1e(x) | tf.math.special.bessel_j0(p) | tf.math.special.bessel_j1(p)
tf.math.special.bessel_y0(p) | tf.math.special.bessel_y1(p) | tf.nn.crelu(x) | tf.nn.silu(x)
tf.nn.log_poisson_loss(p, x) | tf.nn.log_poisson_loss(p, x, True)
tf.nn.weighted_cross_entropy_with_logits(u, x, 2.0)
"""

CALLS = """
tf.argsort(x) | tf.argsort(x, 0, 'DESCENDING') | tf.sort(x) | tf.sort(x, 0, 'DESCENDING')
tf.clip_by_norm(x, 1.0) | tf.clip_by_norm(x, 1.0, 1) | tf.clip_by_global_norm([x, y], 1.0)
tf.cond(True, lambda: x + y, lambda: x) | tf.switch_case(tf.constant(1), [lambda: x, lambda: y])
tf.dynamic_stitch([[0, 2], [1, 3]], [x, y]) | tf.dynamic_partition(x, [1, 0], 2)
tf.ensure_shape(x, [2, None]) | tf.guarantee_const(x) | tf.identity_n([x, y])
tf.histogram_fixed_width(x, [-1, 1], 5) | tf.histogram_fixed_width_bins(x, tf.cast([-1, 1], x.dtype), 5)
tf.meshgrid(x[0], y[1]) | tf.meshgrid(x[0], y[1], indexing='ij') | tf.reverse_sequence(x, [2, 3], 1)
tf.roll(x, 1, 1) | tf.roll(x, [1, -1], [0, 1]) | tf.searchsorted(tf.sort(x), y)
tf.searchsorted(tf.sort(x), y, 'right') | tf.shape_n([x, p]) | tf.tensordot(x, y, 2)
tf.tensordot(x, y, [[1], [1]]) | tf.unique_with_counts(x[0]) | tf.unravel_index([3, 5], [2, 3])
tf.tensor_scatter_nd_add(x, [[0], [1]], y) | tf.tensor_scatter_nd_sub(x, [[0, 1]], y[:1, 0])
tf.tensor_scatter_nd_max(x, [[0], [1]], y) | tf.tensor_scatter_nd_min(x, [[0], [1]], y)
tf.tensor_scatter_nd_update(x, [[1]], y[:1]) | tf.sequence_mask([1, 3], 4, x.dtype)
tf.add_n([x, y, x]) | tf.math.accumulate_n([x, y]) | tf.matrix_square_root(m)
tf.linalg.band_part(m, 1, 0) | tf.linalg.global_norm([x, y]) | tf.linalg.l2_normalize(x, 1)
tf.linalg.matvec(m, x[0]) | tf.linalg.matvec(m, x[0], True) | tf.linalg.tensor_diag(x[0])
tf.linalg.tensor_diag_part(m) | tf.linalg.trace(m) | tf.math.confusion_matrix([0, 2], [1, 2])
tf.math.confusion_matrix([0, 2], [1, 2], 3, [2, 3], x.dtype) | tf.math.cumulative_logsumexp(x, 1)
tf.math.cumulative_logsumexp(x, 0, True, True) | tf.math.in_top_k([0, 2], x, 2)
tf.math.invert_permutation([2, 0, 1]) | tf.math.is_non_decreasing(x) | tf.math.lbeta(p)
tf.math.is_strictly_increasing(tf.sort(x)) | tf.math.polyval([x, y, x], p) | tf.math.reduce_std(x, 1)
tf.math.reduce_euclidean_norm(x, 0) | tf.math.reduce_variance(x) | tf.math.count_nonzero(x, 1)
tf.math.zero_fraction(x) | tf.math.segment_max(m, [0, 0, 2]) | tf.math.segment_min(m, [0, 1, 1])
tf.math.segment_mean(m, [0, 0, 2]) | tf.math.segment_sum(m, [0, 1, 1])
tf.math.unsorted_segment_max(m, [2, 0, 2], 3) | tf.math.unsorted_segment_min(m, [1, 0, 1], 2)
tf.math.unsorted_segment_mean(m, [2, 0, 2], 3) | tf.math.unsorted_segment_sqrt_n(m, [1, 0, 1], 3)
tf.math.unsorted_segment_sum(m, [1, -1, 1], 3) | tf.math.bincount([1, 3, 1])
tf.math.bincount([1, 3, 1], [2, 0, 1], 6, 8, x.dtype) | tf.nn.avg_pool(image, 2, 2, 'SAME')
tf.nn.avg_pool1d(series, 2, 1, 'VALID') | tf.nn.avg_pool3d(volume, 2, 1, 'SAME')
tf.nn.max_pool(image, 2, 1, 'SAME') | tf.nn.max_pool1d(series, 2, 1, 'VALID')
tf.nn.max_pool3d(volume, 2, 1, 'VALID') | tf.nn.conv1d(series, p[:, :, None], 1, 'SAME')
tf.nn.conv1d_transpose(series, x[:, :, None] + tf.zeros_like(series[:1, :1]), [1, 8, 3], 2, 'SAME')
tf.nn.conv3d(volume, kernel, [1] * 5, 'SAME') | tf.nn.conv3d(volume, kernel, [1] * 5, 'VALID')
tf.nn.conv3d_transpose(volume, back, [1, 4, 6, 4, 2], 2, 'SAME')
tf.nn.atrous_conv2d(image, filters, 2, 'SAME')
tf.nn.atrous_conv2d_transpose(image, turned, [1, 4, 4, 3], 2, 'SAME')
tf.nn.conv_transpose(image, turned, [1, 8, 8, 3], 2, 'SAME') | tf.nn.depth_to_space(wide, 2)
tf.nn.space_to_depth(image, 2) | tf.nn.separable_conv2d(image, depthwise, point, [1] * 4, 'SAME')
tf.nn.depthwise_conv2d_backprop_filter(image, [2, 2, 2, 1], image, [1] * 4, 'SAME')
tf.nn.depthwise_conv2d_backprop_input([1, 4, 4, 2], depthwise, image, [1] * 4, 'SAME')
tf.nn.batch_norm_with_global_normalization(image, p[0, :2], q[0, :2], x[0, :2], y[0, :2], 1e-3, True)
tf.nn.compute_average_loss(x[0], global_batch_size=4) | tf.nn.scale_regularization_loss(x[0, 0])
tf.nn.normalize_moments(tf.constant(4, x.dtype), x, p, None) | tf.nn.sufficient_statistics(x, [0])
tf.nn.sufficient_statistics(x, [1], y[0, 0], True) | tf.nn.weighted_moments(x, [0], p)
tf.nn.weighted_moments(x, [1], p, True) | tf.nn.embedding_lookup(m, [2, 0, 2])
of_limits(tf, x, y) | of_bounds(tf, u, p)
tf.signal.fft3d(cube) | tf.signal.ifft2d(cube) | tf.signal.ifft3d(cube) | tf.signal.rfft2d(x)
tf.signal.irfft2d(cube) | tf.signal.irfft3d(cube) | tf.sparse.segment_sum(m, [0, 2, 1], [0, 0, 1])
tf.sparse.segment_mean(m, [0, 2, 1], [0, 0, 1]) | tf.sparse.segment_sqrt_n(m, [0, 2, 1], [0, 0, 1])
tf.random.stateless_categorical(x, 6, [1, 2]) | tf.random.categorical(x, 6, seed=3)
tf.random.truncated_normal([7], x[0, 0], p[0, 0], x.dtype, 3) | tf.random.shuffle(tf.range(9), 5)
tf.random.stateless_normal([7], [3, 4], x[0, 0], p[0, 0], x.dtype)
tf.random.stateless_truncated_normal([7], [3, 4], x[0, 0], p[0, 0], x.dtype)
tf.random.stateless_uniform([7], [3, 4], 0, 4, x.dtype) | tf.random.stateless_poisson([7], [1, 2], p[0, 0])
tf.random.stateless_binomial([7], [1, 2], tf.cast(5, u.dtype), u[0, 0])
tf.random.stateless_gamma([3, 2, 3], [1, 2], p)
"""

PLAIN = """
tf.bitwise.bitwise_and([5, -3], [3, 6]) | tf.bitwise.bitwise_or([5, -3], [3, 6])
tf.bitwise.bitwise_xor([5, -3], [3, 6]) | tf.bitwise.left_shift([5, -3], [3, 2])
tf.bitwise.right_shift([50, -30], [3, 2]) | tf.bitwise.invert(np.array([5, 250], 'uint8'))
tf.broadcast_dynamic_shape([2, 1, 3], [4, 1]) | tf.make_ndarray(tf.make_tensor_proto([1.5, 2]))
tf.get_static_value(tf.constant([1, 2])) | tf.audio.decode_wav(tf.audio.encode_wav([[0.5], [-1.0]], 8))
tf.audio.encode_wav([[0.5, 0.25], [-1.0, 1.0]], 8000) | tf.io.decode_base64(['aGk', 'YQ'])
tf.io.encode_base64(['hi', ''], True) | tf.io.decode_csv(['1,a', ',b'], [[7], ['']])
tf.io.decode_csv(['1;"a;b"'], [[0.5], ['']], ';') | tf.io.parse_tensor(tf.io.serialize_tensor(m), 'float32')
tf.io.serialize_tensor(m) | tf.io.serialize_sparse(tf.sparse.from_dense([[0, 1], [2, 0]]))
tf.io.serialize_sparse(tf.sparse.from_dense([['', 'a'], ['bc', '']]))
tf.io.serialize_many_sparse(tf.sparse.from_dense([['', 'a'], ['bc', '']]))
tf.io.decode_compressed(tf.constant(b'x\\x9cK\\x04\\x00\\x00b\\x00b'), 'ZLIB')
tf.image.decode_bmp(bmp) | tf.image.decode_image(bmp) | tf.image.decode_image(bmp, 3, 'float32')
tf.image.is_jpeg(b'\\xff\\xd8\\xff\\xe0') | tf.image.is_jpeg(b'no') | tf.image.decode_png(png)
tf.image.decode_png(tf.image.encode_png(pixels), 4) | tf.image.extract_jpeg_shape(tf.io.encode_jpeg(pixels))
tf.nest.flatten({'b': [1, (2, 3)], 'a': 4}) | tf.nest.is_nested([1]) | tf.nest.is_nested(1)
tf.nest.map_structure(lambda a, b: a + b, {'a': [1, 2]}, {'a': [3, 4]})
tf.nest.pack_sequence_as({'b': [0, 0], 'a': 0}, [1, 2, 3])
tf.random.fold_in([1, 2], 7) | tf.random.fold_in(tf.constant([1, 2], tf.int64), tf.constant(7, tf.int64))
tf.random.split([1, 2], 3) | tf.random.stateless_shuffle(tf.range(9), [1, 2])
tf.random.log_uniform_candidate_sampler([[1, 2]], 2, 4, True, 20, 3)
tf.nn.learned_unigram_candidate_sampler([[1, 2]], 2, 4, True, 20, 3)
tf.strings.as_string([1.5, -2.0], 3) | tf.strings.as_string([True, False])
tf.strings.as_string([12, -3], width=6, fill='0') | tf.ragged.row_splits_to_segment_ids([0, 2, 2, 3])
tf.ragged.segment_ids_to_row_splits([0, 0, 2], 4) | tf.math.approx_max_k([1.0, 5.0, 3.0], 2)
tf.math.approx_min_k([1.0, 5.0, 3.0], 2) | tf.one_hot([0, 3, -1], 3, 5.0, -1.0, 0)
"""

PNG = (
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x01\x08\0\0\0\0\xd1I\xe6\x90\0\0\0\x0bIDATx\x9c"
    b"cHh\0\0\x01\x84\x01\x01\xd2\xa9\x14\x8c\0\0\0\0IEND\xaeB`\x82"
)
BMP = (
    b"BM:\0\0\0\0\0\0\x006\0\0\0(\0\0\0\x01\0\0\0\x01\0\0\0\x01\0\x18\0\0\0\0\0\x04\0\0\0"
    + bytes(16)
    + b"\x01\x02\x03\0"
)


def lines(text):
    return [call.strip() for line in text.strip().splitlines() for call in line.split(" | ")]


def arrays(dtype):
    matrix = array((3, 3), dtype, seed=5)
    return {
        "x": array((2, 3), dtype, seed=1),
        "y": array((2, 3), dtype, seed=2),
        "p": np.abs(array((2, 3), dtype, 1, 3, seed=3)) + np.array(0, np_dtype(dtype)),
        "q": np.abs(array((2, 3), dtype, 1, 3, seed=4)) + np.array(0, np_dtype(dtype)),
        "u": array((2, 3), dtype, 0.1, 0.9, seed=6),
        "m": (matrix + 6 * np.eye(3)).astype(np_dtype(dtype)),
        "image": array((1, 4, 4, 2), dtype, seed=7),
        "wide": array((1, 2, 2, 8), dtype, seed=8),
        "volume": array((1, 2, 3, 2, 2), dtype, seed=9),
        "kernel": array((2, 2, 1, 2, 3), dtype, seed=10),
        "back": array((2, 2, 2, 2, 2), dtype, seed=11),
        "filters": array((2, 2, 2, 3), dtype, seed=12),
        "turned": array((2, 2, 3, 2), dtype, seed=13),
        "depthwise": array((2, 2, 2, 1), dtype, seed=14),
        "point": array((1, 1, 2, 3), dtype, seed=15),
        "series": array((1, 4, 3), dtype, seed=16),
        "cube": array((2, 3, 4), dtype, seed=17),
    }


def of_limits(tf, x, y):
    """What limits get of upstream gradients; TensorFlow does not differentiate that again."""
    op = tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient
    return tf.stop_gradient(op(x, y, [-1, -2, 0], [1, 2, 3])[2])


def of_bounds(tf, u, p):
    """Numbers between bounds on either side of the mean."""
    draw = tf.random.stateless_parameterized_truncated_normal
    return tf.stop_gradient(draw([5, 3], [1, 2], u[0] - 1, p[0, 0], -p[1], p[0]))


def called(tf, call, values):
    """The result of a call, and the gradients by the arrays in it if they are differentiable."""
    names = {name: tf.constant(value) for name, value in values.items() if name in call}
    tf.random.set_seed(11)
    with tf.GradientTape() as tape:
        for value in names.values():
            tape.watch(value)
        result = eval(call, {"tf": tf, "of_limits": of_limits, "of_bounds": of_bounds, **names})
    result = tf.nest.flatten(result)
    first = result[0]
    if not (isinstance(first, tf.Tensor) and first.dtype.is_floating):
        return {"value": result}
    used = [name for name, value in names.items() if value.dtype.is_floating]
    zero = tf.UnconnectedGradients.ZERO
    grads = tape.gradient(first, [names[name] for name in used], weights(tf, first), zero)
    return {
        "value": result,
        "grads": {name: dense(tf, grad) for name, grad in zip(used, grads, strict=True)},
    }


@case(loose=10, sweep=True, call=lines(ELEMENTWISE) + lines(CALLS), dtype=DTYPES)
def over_dtypes(tf, call, dtype):
    return called(tf, call, arrays(dtype))


@case(loose=10, sweep=True, call=lines(ELEMENTWISE))
def at_the_edges(tf, call):
    edges = np.array([[np.nan, np.inf, -np.inf], [0.0, -0.0, 1.0]], np.float32)
    values = {name: edges for name in "xyu"} | {name: np.abs(edges) for name in "pq"}
    return {"value": called(tf, call, values)["value"]}


@case(loose=10, sweep=True, call=lines(ELEMENTWISE))
def of_nothing(tf, call):
    return called(tf, call, {name: np.zeros((2, 0), np.float32) for name in "xyupq"})


@case(sweep=True, call=lines(PLAIN))
def plain(tf, call):
    tf.random.set_seed(11)
    values = {
        "m": tf.constant(array((2, 2))),
        "pixels": array((2, 2, 3), "uint8", 0, 255),
        "png": PNG,
        "bmp": BMP,
    }
    return {"value": tf.nest.flatten(eval(call, {"tf": tf, "np": np, **values}))}
