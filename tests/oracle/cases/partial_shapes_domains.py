"""Static shapes of operations of a domain (networks, images, text, ...) on partial shapes."""

from oracle import registry
from oracle.static_shapes import ask

NETWORKS = """
raw('Conv2D', x(2, 8, 7, 4), x(3, 2, 4, 5), strides=[1, 2, 1, 1], padding='SAME')
raw('Conv2D', x(2, 8, 7, 4), x(3, 2, 2, 6), strides=[1, 1, 1, 1], padding='VALID')
raw('DepthwiseConv2dNative', x(2, 8, 7, 4), x(3, 2, 4, 2), strides=[1, 2, 2, 1], padding='SAME')
raw('MaxPool', x(2, 8, 7, 4), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME')
raw('AvgPool', x(2, 8, 7, 4), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME')
raw('AvgPool', x(8, 7, 4), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME')
raw('SoftmaxCrossEntropyWithLogits', x(2, 3), x(2, 3))
raw('SparseSoftmaxCrossEntropyWithLogits', x(2, 3), n(2))
raw('SparseSoftmaxCrossEntropyWithLogits', x(2, 3), n(4))
tf.nn.relu(x(2, 3))
tf.nn.max_pool2d(x(2, 8, 7, 4), ksize=2, strides=2, padding='SAME')
tf.nn.max_pool2d(x(2, 8, 7, 4), ksize=3, strides=[2, 1], padding='VALID')
tf.nn.max_pool2d(x(2, 4, 8, 7), ksize=2, strides=2, padding='SAME', data_format='NCHW')
tf.nn.avg_pool2d(x(2, 8, 7, 4), ksize=2, strides=1, padding='VALID')
tf.nn.avg_pool2d(x(2, 8, 7, 4), ksize=3, strides=2, padding='SAME')
tf.nn.max_pool(x(2, 8, 7, 4), ksize=2, strides=2, padding='VALID')
tf.nn.avg_pool(x(2, 8, 4), ksize=2, strides=2, padding='VALID')
tf.nn.l2_loss(x(2, 3))
tf.nn.compute_average_loss(x(4), global_batch_size=4)
tf.nn.scale_regularization_loss(x())
tf.nn.batch_normalization(x(2, 5, 3), x(3), x(3), x(3), x(3), 0.001)
tf.nn.leaky_relu(x(2, 3))
tf.nn.gelu(x(2, 3))
tf.nn.silu(x(2, 3))
tf.nn.selu(x(2, 3))
tf.nn.softmax(x(2, 3, 4), axis=1)
tf.nn.normalize_moments(x(), x(3), x(3), None)
"""

LINEAR_ALGEBRA = """
raw('Cholesky', x(2, 3, 3))
raw('Cholesky', x(2, 3, 4))
raw('MatrixTriangularSolve', x(2, 3, 3), x(2, 3, 4))
raw('MatrixTriangularSolve', x(1, 3, 3), x(2, 3, 4))
raw('MatrixTriangularSolve', x(2, 3, 3), x(2, 4, 4))
raw('MatrixSolve', x(2, 3, 3), x(2, 3, 4))
raw('MatrixSolve', x(2, 3, 3), x(5, 3, 4))
raw('MatrixInverse', x(2, 3, 3))
raw('Lu', x(2, 3, 3))
raw('TridiagonalSolve', x(2, 3, 4), x(2, 4, 5))
"""

SEGMENTS = """
raw('UnsortedSegmentMax', x(4, 3, 2), n(4, 3), num_segments=5)
raw('UnsortedSegmentMax', x(4, 3), n(5), num_segments=5)
tf.math.unsorted_segment_max(x(4, 3), n(4), 5)
tf.math.unsorted_segment_min(x(4, 3), n(4), 5)
tf.math.unsorted_segment_prod(x(4, 3), n(4), 5)
"""

TEXT = """
raw('StringLength', s(2, 3))
raw('StringStrip', s(2, 3))
tf.strings.length(s(2, 3))
tf.strings.lower(s(2, 3))
tf.strings.upper(s(2, 3))
tf.strings.strip(s(2, 3))
tf.strings.substr(s(2, 3), 0, 4)
tf.strings.to_number(s(2, 3))
tf.strings.as_string(x(2, 3))
tf.strings.to_hash_bucket(s(2, 3), 7)
tf.strings.to_hash_bucket_fast(s(2, 3), 7)
tf.strings.to_hash_bucket_strong(s(2, 3), 7, [1, 2])
tf.strings.regex_replace(s(2, 3), 'a', 'b')
tf.io.encode_base64(s(2, 3))
tf.io.decode_base64(s(2, 3))
"""

IMAGES = """
raw('CropAndResize', x(2, 8, 6, 3), x(5, 4), n(5), crop_size=[4, 5])
tf.image.crop_and_resize(x(2, 8, 6, 3), x(5, 4), n(5), [4, 5])
tf.image.adjust_brightness(x(2, 8, 6, 3), 0.1)
tf.image.adjust_gamma(x(2, 8, 6, 3), 0.1)
tf.image.convert_image_dtype(x(2, 8, 6, 3), tf.uint8)
tf.image.total_variation(x(2, 8, 6, 3))
"""

for lines in (NETWORKS, LINEAR_ALGEBRA, SEGMENTS, TEXT, IMAGES):
    registry.expressions("partial_shapes_domains", lines, ask)
