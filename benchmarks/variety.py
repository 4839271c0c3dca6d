"""Operations beside the most frequent ones, small and large: every function counts for somebody."""

import numpy as np

from arrays import below, uniform
from surface import LARGE, SMALL, contenders
from workload import Workload


def argmax(tf, axis, *shape):
    x = tf.constant(uniform(*shape))
    return lambda: tf.argmax(x, axis)


def sum_rows(tf, *shape):
    x = tf.constant(uniform(*shape))
    return lambda: tf.reduce_sum(x, -1)


def max_columns(tf, *shape):
    x = tf.constant(uniform(*shape))
    return lambda: tf.reduce_max(x, 0)


def gather_in_rows(tf, count, *shape):
    x, places = tf.constant(uniform(*shape)), tf.constant(below(shape[1], shape[0], count))
    return lambda: tf.gather(x, places, batch_dims=1)


def flip(tf, *shape):
    x = tf.constant(uniform(*shape))
    return lambda: tf.reverse(x, [1])


def norm(tf, *shape):
    x = tf.constant(uniform(*shape))
    return lambda: tf.norm(x)


def cumsum_columns(tf, *shape):
    x = tf.constant(uniform(*shape))
    return lambda: tf.cumsum(x, 0)


def integer_product(tf, size):
    x = tf.constant(below(100, size, size).astype(np.int32))
    return lambda: tf.matmul(x, x)


def product(tf, left, right, transpose=False):
    a, b = tf.constant(uniform(*left)), tf.constant(uniform(*right))
    return lambda: tf.matmul(a, b, transpose_a=transpose)


def broadcast_product(tf, *shapes):
    a, b = (tf.constant(uniform(*shape)) for shape in shapes)
    return lambda: a * b


def broadcast_gradient(tf, *shapes):
    a, b = (tf.constant(uniform(*shape)) for shape in shapes)

    @tf.function
    def step(a, b):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            product = a * b
        return tape.gradient(product, [a, b])

    return lambda: step(a, b)[0]


def half_product(tf, size):
    x = tf.constant(uniform(size, size).astype(np.float16))
    return lambda: tf.matmul(x, x)


def complex_product(tf, size):
    x = tf.complex(uniform(size, size), uniform(size, size))
    return lambda: tf.math.real(tf.matmul(x, x))


def bfloat16_product(tf, size):
    x = tf.cast(tf.constant(uniform(size, size)), tf.bfloat16)
    return lambda: tf.matmul(x, x)


def bfloat16_softmax(tf, *shape):
    x = tf.cast(tf.constant(uniform(*shape)), tf.bfloat16)
    return lambda: tf.nn.softmax(x)


def bfloat16_mean(tf, *shape):
    x = tf.cast(tf.constant(uniform(*shape)), tf.bfloat16)
    return lambda: tf.reduce_mean(x, axis=1)


def solve(tf, size, columns):
    a = tf.constant(uniform(size, size) + np.eye(size, dtype=np.float32) * size)
    b = tf.constant(uniform(size, columns))
    return lambda: tf.linalg.solve(a, b)


def triangular_solve(tf, size, columns):
    a = tf.constant(uniform(size, size) + np.eye(size, dtype=np.float32) * size)
    b = tf.constant(uniform(size, columns))
    return lambda: tf.linalg.triangular_solve(a, b)


def draw_gamma(tf, *shape):
    return lambda: tf.random.gamma(shape, 2.0)


def fake_quantize(tf, *shape):
    x = tf.constant(uniform(*shape))
    return lambda: tf.quantization.fake_quant_with_min_max_vars(x, -0.5, 0.5)


def sigmoid_cross_entropy(tf, *shape):
    x = uniform(*shape)
    labels, logits = tf.constant((x > 0).astype(np.float32)), tf.constant(x * 4)
    return lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)


def crop_and_resize(tf, count, size, *shape):
    images = tf.constant(uniform(*shape))
    edges = np.sort(uniform(count, 2, 2) / 2 + 0.5, axis=1).reshape(count, 4)
    boxes, which = tf.constant(edges), tf.constant(below(shape[0], count).astype(np.int32))
    return lambda: tf.image.crop_and_resize(images, boxes, which, [size, size])


def adjust_saturation(tf, *shape):
    images = tf.constant(uniform(*shape) / 2 + 0.5)
    return lambda: tf.image.adjust_saturation(images, 1.5)


def sparse_to_dense(tf, count, *shape):
    places = np.sort(np.random.RandomState(0).choice(np.prod(shape), count, replace=False))
    indices = np.stack(np.unravel_index(places, shape), 1)
    sparse = tf.SparseTensor(indices, tf.constant(uniform(count)), shape)
    return lambda: tf.sparse.to_dense(sparse)


def ragged_to_tensor(tf, rows, longest):
    lengths = below(longest, rows)
    ragged = tf.RaggedTensor.from_row_lengths(tf.constant(uniform(int(lengths.sum()))), lengths)
    return lambda: ragged.to_tensor()


def boolean_mask(tf, *shape):
    x = uniform(*shape)
    values, mask = tf.constant(x), tf.constant(x > 0)
    return lambda: tf.boolean_mask(values, mask)


def bincount(tf, limit, count):
    x = tf.constant(below(limit, count).astype(np.int32))
    return lambda: tf.math.bincount(x)


def pad_reflect(tf, *shape):
    x = tf.constant(uniform(*shape))
    return lambda: tf.pad(x, [[1, 1], [2, 2]], "REFLECT")


def split_strings(tf, count):
    texts = tf.constant([f"some words and {k}" for k in range(count)])
    return lambda: tf.strings.split(texts).row_splits


def hash_strings(tf, count):
    texts = tf.constant([f"word{k}" for k in range(count)])
    return lambda: tf.strings.to_hash_bucket_fast(texts, 1000)


# Name, title, operation, its sizes when small, and when large.
def sparse_product(tf, count, columns, *shape):
    places = np.sort(np.random.RandomState(0).choice(np.prod(shape), count, replace=False))
    indices = np.stack(np.unravel_index(places, shape), 1)
    sparse = tf.SparseTensor(indices, tf.constant(uniform(count)), shape)
    dense = tf.constant(uniform(shape[1], columns))
    return lambda: tf.sparse.sparse_dense_matmul(sparse, dense)


def sparse_sum(tf, count, *shape):
    places = np.sort(np.random.RandomState(0).choice(np.prod(shape), count, replace=False))
    indices = np.stack(np.unravel_index(places, shape), 1)
    values = tf.constant(uniform(count))
    a = tf.SparseTensor(indices, values, shape)
    b = tf.SparseTensor(indices[: count // 2], values[: count // 2], shape)
    return lambda: tf.sparse.add(a, b).values


def segment_max(tf, segments, *shape):
    x, places = tf.constant(uniform(*shape)), tf.constant(below(segments, shape[0]))
    return lambda: tf.math.unsorted_segment_max(x, places, segments)


def sparse_segment_mean(tf, segments, count, *shape):
    x, places = tf.constant(uniform(*shape)), tf.constant(below(shape[0], count))
    ids = tf.constant(np.sort(below(segments, count)))
    return lambda: tf.sparse.segment_mean(x, places, ids)


def table_lookup(tf, count):
    keys = tf.range(count, dtype=tf.int64)
    pairs = tf.lookup.KeyValueTensorInitializer(keys, keys * 2)
    table = tf.lookup.StaticHashTable(pairs, -1)
    asked = tf.constant(below(2 * count, count).astype(np.int64))
    return lambda: table.lookup(asked)


def unique(tf, limit, count):
    x = tf.constant(below(limit, count).astype(np.int32))
    return lambda: tf.unique(x).y


def partition(tf, parts, *shape):
    x, which = tf.constant(uniform(*shape)), tf.constant(below(parts, shape[0]).astype(np.int32))
    return lambda: tf.dynamic_partition(x, which, parts)[0]


def replace_signs(tf, count):
    texts = tf.constant([f"What, {k} words? Yes!" for k in range(count)])
    return lambda: tf.strings.regex_replace(texts, r"[!\"#$%&()*+,\-./:;<=>?@\[\\\]^_`{|}~']", "")


def code_points(tf, count):
    texts = tf.constant([f"caf\u00e9 {k}" for k in range(count)])
    return lambda: tf.strings.unicode_decode(texts, "UTF-8").values


def csv_columns(tf, count):
    lines = tf.constant([f"{k / 4},{k},w{k}" for k in range(count)])
    return lambda: tf.io.decode_csv(lines, [0.0, 0, ""])[0]


OPERATIONS = [
    ("argmax", "argmax of {1}×{2} along rows", argmax, (1, 32, 32), (1, 2048, 2048)),
    ("argmax-columns", "argmax of {1}×{2} along columns", argmax, None, (0, 2048, 2048)),
    ("sum-rows", "sum of the rows of {0}×{1}", sum_rows, (16, 3), (1_000_000, 16)),
    ("max-columns", "max of the columns of {0}×{1}", max_columns, None, (2048, 2048)),
    (
        "gather-in-rows",
        "gather of {0} of each row of {1}×{2}",
        gather_in_rows,
        None,
        (64, 4096, 512),
    ),
    ("flip", "reverse of the rows of {0}×{1}", flip, None, (2048, 2048)),
    ("norm", "norm of {0}×{1}", norm, (8, 8), (2048, 2048)),
    ("cumsum-columns", "cumsum of {0}×{1} down columns", cumsum_columns, None, (2048, 2048)),
    (
        "matvec",
        "matmul of {0} and {1}",
        product,
        ((1000, 10), (10, 1)),
        ((1000, 50), (50, 1)),
    ),
    (
        "matvec-transposed",
        "matmul of {0}, transposed, and {1}",
        product,
        ((1000, 10), (1000, 1), True),
        ((100_000, 50), (100_000, 1), True),
    ),
    (
        "outer",
        "matmul of {0} and {1}",
        product,
        ((64, 20, 1), (64, 1, 30)),
        ((64, 300, 1), (64, 1, 200)),
    ),
    (
        "broadcast",
        "{0} times {1} by broadcasting",
        broadcast_product,
        ((64, 20, 1), (64, 1, 30)),
        ((1000, 200, 1), (1000, 1, 30)),
    ),
    (
        "broadcast-gradient",
        "{0} times {1} by broadcasting with its gradient, traced",
        broadcast_gradient,
        ((64, 20, 1), (64, 1, 30)),
        ((1000, 200, 1), (1000, 1, 30)),
    ),
    ("matmul-int32", "int32 matmul, {0}×{0}", integer_product, None, (512,)),
    ("matmul-float16", "float16 matmul, {0}×{0}", half_product, (16,), (512,)),
    ("matmul-bfloat16", "bfloat16 matmul, {0}×{0}", bfloat16_product, None, (512,)),
    ("softmax-bfloat16", "bfloat16 softmax of {0}×{1}", bfloat16_softmax, None, (1024, 2048)),
    ("mean-bfloat16", "bfloat16 means of {0}×{1} along rows", bfloat16_mean, None, (1024, 2048)),
    ("solve", "{0} equations, {1} right-hand sides", solve, None, (512, 8)),
    (
        "triangular-solve",
        "a triangle of {0}×{0}, {1} right-hand sides",
        triangular_solve,
        None,
        (512, 8),
    ),
    ("random-gamma", "{0}×{1} gamma numbers", draw_gamma, None, (500, 1000)),
    ("fake-quantize", "fake quantization of {0}×{1}", fake_quantize, None, (1024, 2048)),
    ("matmul-complex64", "complex64 matmul, {0}×{0}", complex_product, None, (300,)),
    (
        "sigmoid-cross-entropy",
        "sigmoid cross entropy of {0}×{1}",
        sigmoid_cross_entropy,
        (32, 32),
        (1024, 2048),
    ),
    (
        "crop-and-resize",
        "crop_and_resize of {0} boxes of {2}×{3}×{4}×{5} to {1}×{1}",
        crop_and_resize,
        (4, 6, 1, 16, 16, 3),
        (1000, 14, 8, 256, 256, 3),
    ),
    (
        "adjust-saturation",
        "adjust_saturation of {0}×{1}×{2}×{3}",
        adjust_saturation,
        None,
        (8, 256, 256, 3),
    ),
    (
        "sparse-to-dense",
        "{0} elements of a sparse {1}×{2} made dense",
        sparse_to_dense,
        (25, 16, 32),
        (100_000, 1024, 2048),
    ),
    (
        "ragged-to-tensor",
        "{0} ragged rows made a tensor",
        ragged_to_tensor,
        (50, 20),
        (100_000, 20),
    ),
    ("boolean-mask", "boolean_mask of {0}×{1}", boolean_mask, (32, 32), (1024, 2048)),
    ("bincount", "bincount of {1} numbers below {0}", bincount, (64, 500), (1000, 2_000_000)),
    ("pad-reflect", "reflecting pad of {0}×{1}", pad_reflect, None, (1024, 2048)),
    ("split-strings", "strings.split of {0} texts", split_strings, (100,), (100_000,)),
    (
        "sparse-matmul",
        "a sparse {2}×{3} with {0} elements times {1} columns",
        sparse_product,
        (25, 8, 16, 32),
        (100_000, 16, 1024, 2048),
    ),
    (
        "sparse-add",
        "sum of sparse {1}×{2} with {0} elements",
        sparse_sum,
        (25, 16, 32),
        (100_000, 1024, 2048),
    ),
    (
        "segment-max",
        "unsorted_segment_max of {1}×{2}, {0} segments",
        segment_max,
        (8, 16, 32),
        (8, 1024, 2048),
    ),
    (
        "sparse-segment-mean",
        "sparse.segment_mean of {1} rows of {3}",
        sparse_segment_mean,
        (8, 16, 16, 32),
        (512, 1024, 1024, 2048),
    ),
    ("table-lookup", "lookup of {0} numbers in a table", table_lookup, (100,), (1_000_000,)),
    ("unique", "unique of {1} numbers below {0}", unique, (64, 500), (1000, 2_000_000)),
    (
        "dynamic-partition",
        "dynamic_partition of {1}×{2}, {0} parts",
        partition,
        (8, 16, 32),
        (8, 1024, 2048),
    ),
    ("regex-replace", "regex_replace of signs in {0} texts", replace_signs, (100,), (100_000,)),
    ("unicode-decode", "unicode_decode of {0} texts", code_points, (100,), (100_000,)),
    ("decode-csv", "decode_csv of {0} lines", csv_columns, (100,), (100_000,)),
    ("hash-strings", "to_hash_bucket_fast of {0} words", hash_strings, None, (100_000,)),
]


def written(size):
    """A number, or a shape, as titles have it."""
    return "×".join(map(written, size)) if isinstance(size, tuple) else f"{size:,}"


WORKLOADS = [
    Workload(
        name=f"variety-{name}{suffix}",
        title=title.format(*map(written, sizes)),
        target=target,
        contenders=contenders(operation, sizes),
    )
    for suffix, target, place in (("", SMALL, 3), ("-large", LARGE, 4))
    for name, title, operation, *rest in OPERATIONS
    for sizes in [rest[place - 3]]
    if sizes is not None
]
