"""Static shapes of functions composed of operations on partial shapes."""

from oracle import registry
from oracle.static_shapes import ask

NETWORKS = """
tf.nn.zero_fraction(x(2, 3))
"""

LINEAR_ALGEBRA = """
tf.einsum('bij,jk->bik', x(2, 3, 4), x(4, 5))
"""

SEGMENTS = """
tf.math.unsorted_segment_mean(x(4, 3), n(4), 5)
tf.math.unsorted_segment_sqrt_n(x(4, 3), n(4), 5)
tf.math.bincount(n(4), minlength=3, maxlength=3)
tf.math.confusion_matrix(n(4), n(4), num_classes=3)
"""

TEXT = """
tf.strings.regex_full_match(s(2, 3), 'a')
tf.strings.split(s(3)).values
tf.strings.unicode_decode(s(3), 'UTF-8').flat_values
tf.strings.unicode_encode(n(2, 3), 'UTF-8')
tf.strings.unicode_transcode(s(2, 3), 'UTF-8', 'UTF-16-BE')
tf.strings.unicode_script(n(2, 3))
tf.strings.ngrams(s(3), 2)
tf.strings.bytes_split(s(2, 3)).flat_values
tf.strings.split(s(2, 3)).flat_values
tf.strings.unicode_split(s(3), 'UTF-8').values
tf.strings.unicode_decode_with_offsets(s(2, 3), 'UTF-8')[1].flat_values
tf.strings.unsorted_segment_join(s(3), n(3), 2)
tf.strings.as_string(b(2, 3))
tf.strings.as_string(x(2, 3), width=8)
tf.strings.to_number(s(2, 3), tf.int64)
tf.strings.substr(s(2, 3), n(), n())
tf.strings.regex_replace(s(2, 3), '([0-9])', 'x')
tf.fingerprint(s(3))
tf.strings.format('{}', x(2, 3))
tf.io.decode_csv(s(4), [[0], ['']])
"""

IMAGES = """
tf.image.resize(x(2, 8, 6, 3), [4, 5])
tf.image.resize(x(8, 6, 3), [4, 5], method='nearest')
tf.image.flip_left_right(x(2, 8, 6, 3))
tf.image.flip_up_down(x(8, 6, 3))
tf.image.rgb_to_grayscale(x(2, 8, 6, 3))
tf.image.rgb_to_hsv(x(2, 8, 6, 3))
tf.image.hsv_to_rgb(x(2, 8, 6, 3))
tf.image.per_image_standardization(x(2, 8, 6, 3))
tf.image.central_crop(x(2, 8, 6, 3), 0.5)
tf.image.crop_to_bounding_box(x(2, 8, 6, 3), 1, 1, 4, 4)
tf.image.pad_to_bounding_box(x(2, 8, 6, 3), 1, 1, 10, 10)
tf.image.resize_with_crop_or_pad(x(2, 8, 6, 3), 5, 9)
tf.image.resize_with_pad(x(2, 8, 6, 3), 5, 9)
tf.image.psnr(x(2, 8, 6, 3), x(2, 8, 6, 3), 1.0)
tf.image.non_max_suppression(x(5, 4), x(5), 3)
tf.image.random_crop(x(8, 6, 3), [4, 4, 3])
tf.image.draw_bounding_boxes(x(2, 8, 6, 3), x(2, 5, 4), x(5, 4))
"""

COMPOSED = """
tf.repeat(x(2, 3), 2)
tf.meshgrid(x(2), x(3))
tf.meshgrid(x(2), x(3), x(4), indexing='ij')
tf.unravel_index(n(4), [2, 3])
tf.reduce_logsumexp(x(2, 3), axis=1)
tf.reduce_logsumexp(x(2, 3))
tf.math.reduce_variance(x(2, 3), axis=0)
tf.math.reduce_std(x(2, 3), axis=0)
tf.math.reduce_euclidean_norm(x(2, 3), axis=0, keepdims=True)
tf.math.count_nonzero(x(2, 3), axis=0)
tf.math.zero_fraction(x(2, 3))
tf.math.cumulative_logsumexp(x(2, 3), axis=1)
tf.math.polyval([1.0, 2.0], x(2, 3))
tf.math.lbeta(x(2, 3))
tf.math.is_non_decreasing(x(2, 3))
tf.math.is_strictly_increasing(x(2, 3))
tf.math.log_sigmoid(x(2, 3))
tf.math.erfcinv(x(2, 3))
tf.math.reciprocal_no_nan(x(2, 3))
tf.math.accumulate_n([x(2, 3), x(2, 3)])
tf.math.scalar_mul(2.0, x(2, 3))
tf.histogram_fixed_width_bins(x(2, 3), [0.0, 1.0], nbins=5)
tf.scatter_nd(n(4, 1), x(4, 3), [8, 3])
tf.scatter_nd(n(4, 1), b(4, 3), [8, 3])
tf.stack([x(2, 3), x(2, 3)], axis=2)
tf.concat([x(2, 3), x(2, 4)], axis=1)
tf.split(x(4, 6), 2, axis=1)
tf.broadcast_dynamic_shape(n(2), n(3))
tf.size(x(2, 3))
tf.rank(x(2, 3))
tf.ones_like(x(2, 3))
tf.one_hot(n(2, 3), 5)
tf.sequence_mask(n(2, 3), 5)
tf.sequence_mask(n(2, 3))
tf.eye(3, batch_shape=[2])
tf.argmax(x(2, 3), axis=1)
tf.cumsum(x(2, 3), axis=1)
tf.clip_by_norm(x(2, 3), 1.0)
tf.clip_by_global_norm([x(2, 3), x(4)], 1.0)
tf.linalg.global_norm([x(2, 3), x(4)])
tf.tensor_scatter_nd_update(x(5, 3), n(2, 1), x(2, 3))
tf.transpose(x(2, 3, 4))
tf.image.extract_glimpse(x(2, 8, 6, 3), [4, 4], x(2, 2), noise='zero')
tf.bitcast(x(2, 3), tf.int32)
tf.math.top_k(x(2, 5), 3)
tf.math.in_top_k(n(2), x(2, 5), 2)
tf.nn.weighted_moments(x(2, 4, 3), axes=[1], frequency_weights=x(2, 4, 1))
tf.nn.ctc_greedy_decoder(x(7, 2, 5), n(2))[1]
tf.nn.ctc_loss(n(2, 3), x(7, 2, 5), n(2), n(2))
tf.nn.safe_embedding_lookup_sparse(x(5, 3), tf.SparseTensor(l(4, 2), l(4), [2, 3]))
tf.signal.fft(z(2, 8))
tf.signal.hann_window(8)
tf.quantization.fake_quant_with_min_max_args(x(2, 3))
tf.quantization.quantize(x(2, 3), 0.0, 1.0, tf.qint8)
tf.random.normal([2, 3])
tf.random.uniform(tf.shape(x(2, 3)))
tf.random.stateless_uniform(tf.shape(x(2, 3)), [1, 2])
tf.random.shuffle(x(2, 3))
tf.random.categorical(x(2, 3), 5)
tf.random.gamma([2], x(3))
tf.random.poisson([2], x(3))
tf.random.truncated_normal([2, 3])
tf.bitcast(x(2, 3), tf.uint8)
tf.nn.ctc_loss(n(2, 3), x(7, 2, 5), n(2), n(2), blank_index=4)
tf.nn.ctc_unique_labels(n(2, 3))
"""

SPARSE = """
tf.sparse.to_dense(tf.SparseTensor(l(4, 2), x(4), l(2)))
tf.sparse.sparse_dense_matmul(tf.SparseTensor(l(4, 2), x(4), [3, 5]), x(5, 6))
tf.sparse.reduce_sum(tf.SparseTensor(l(4, 2), x(4), [3, 5]), axis=1)
tf.sparse.from_dense(x(3, 4)).indices
"""

# What is better than TensorFlow's, by the reason why.
BETTER = {
    "colours have three channels": """
tf.image.adjust_saturation(x(2, 8, 6, 3), 0.1)
tf.image.adjust_hue(x(2, 8, 6, 3), 0.1)
""",
    "one unknown size leaves the other known": """
tf.image.extract_patches(x(2, 8, 6, 3), [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], 'SAME')
tf.extract_volume_patches(x(1, 4, 4, 4, 2), [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], 'VALID')
""",
    "constant arguments say what the sizes are": """
tf.image.sobel_edges(x(2, 8, 6, 3))
""",
}

for lines in (NETWORKS, LINEAR_ALGEBRA, SEGMENTS, TEXT, IMAGES, COMPOSED, SPARSE):
    registry.expressions("partial_shapes_composed", lines, ask)
for reason, lines in BETTER.items():
    registry.expressions("partial_shapes_composed", lines, ask, better=reason)
