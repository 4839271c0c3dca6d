"""Operations that programs call again and again, on small tensors and on large ones."""

import zlib

import numpy as np

import surface_mlx
from arrays import below, positive, uniform
from frameworks import computed
from workload import Case, Target, Workload

SMALL = Target("tensorflow", 0.15)
LARGE = Target("tensorflow", 1.05)


def gather(tf, rows, columns, count):
    x, places = tf.constant(uniform(rows, columns)), tf.constant(below(rows, count))
    return lambda: tf.gather(x, places)


def strided_slice(tf, rows, columns):
    x = tf.constant(uniform(rows, columns))
    end = rows * 5 // 8
    return lambda: x[2:end:3, ::-1]


def concat(tf, rows, columns):
    parts = [tf.constant(uniform(rows, columns))] * 4
    return lambda: tf.concat(parts, 1)


def stack_slices(tf, columns):
    rows = tf.unstack(tf.constant(uniform(1000, columns)))
    return lambda: tf.stack(rows)


def where(tf, rows, columns):
    x = uniform(rows, columns)
    x, y, condition = tf.constant(x), tf.constant(x * 2), tf.constant(x > 0)
    return lambda: tf.where(condition, x, y)


def one_hot(tf, count, depth):
    places = tf.constant(below(depth, count))
    return lambda: tf.one_hot(places, depth)


def cumsum(tf, *shape):
    x = tf.constant(uniform(*shape))
    return lambda: tf.cumsum(x, -1)


def top_k(tf, k, *shape):
    x = tf.constant(uniform(*shape))
    return lambda: tf.math.top_k(x, k).values


def sort(tf, *shape):
    x = tf.constant(uniform(*shape))
    return lambda: tf.sort(x)


def unsorted_segment_sum(tf, segments, *shape):
    x, places = tf.constant(uniform(*shape)), tf.constant(below(segments, shape[0]))
    return lambda: tf.math.unsorted_segment_sum(x, places, segments)


def einsum(tf, *shape):
    q, k = tf.constant(uniform(*shape)), tf.constant(uniform(*shape) * 2)
    return lambda: tf.einsum("bhqd,bhkd->bhqk", q, k)


def batched_matmul(tf, *shape):
    a, b = tf.constant(uniform(*shape)), tf.constant(uniform(*shape) * 2)
    return lambda: tf.matmul(a, b)


def layer_norm(tf, rows, columns):
    x, scale, offset = tf.constant(uniform(rows, columns)), tf.ones([columns]), tf.zeros([columns])

    def step():
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3)

    return step


def resize(tf, size, *shape):
    images = tf.constant(uniform(*shape))
    return lambda: tf.image.resize(images, size)


def embedding(tf, rows, columns, count):
    table, places = tf.Variable(uniform(rows, columns)), tf.constant(below(rows, count))

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.embedding_lookup(table, places))
        return tape.gradient(loss, table).values

    return step


def cholesky(tf, count, size):
    x = tf.constant(positive(count, size))
    return lambda: tf.linalg.cholesky(x)


def cholesky_gradient(tf, count, size):
    x = tf.constant(positive(count, size))

    def step():
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(tf.linalg.cholesky(x))
        return tape.gradient(loss, x)

    return step


def repeated_matvec(tf, components, size, count):
    """The products of the same matrices with many vectors, and the matrices' gradient."""
    matrices = tf.constant(uniform(components, size, size).astype(np.float64))
    vectors = tf.constant(uniform(count, components, size).astype(np.float64))

    def step():
        with tf.GradientTape() as tape:
            tape.watch(matrices)
            products = tf.linalg.matvec(matrices, vectors)
        return tape.gradient(products, matrices)

    return step


def shuffle(tf, count):
    x = tf.range(count, dtype=tf.float32)
    tf.random.set_seed(1)
    return lambda: tf.random.shuffle(x, seed=2)


def powers(tf, count, degree):
    x, exponents = tf.constant(uniform(count, 1)), tf.range(degree, dtype=tf.float32)
    return lambda: tf.pow(x, exponents)


# Name, title, target, operation, its sizes.
OPERATIONS = [
    ("gather", "gather of 20 rows of 32×32", SMALL, gather, (32, 32, 20)),
    ("strided-slice", "`x[2:20:3, ::-1]` of 32×32", SMALL, strided_slice, (32, 32)),
    ("concat", "concat of four 32×32", SMALL, concat, (32, 32)),
    ("stack-1000", "stack of 1,000 rows of 8", SMALL, stack_slices, (8,)),
    ("where", "where of 32×32", SMALL, where, (32, 32)),
    ("one-hot", "one_hot of 20 numbers below 32", SMALL, one_hot, (20, 32)),
    ("cumsum", "cumsum of 1,000", SMALL, cumsum, (1000,)),
    ("top-k", "top_k of 1,000, k = 10", SMALL, top_k, (10, 1000)),
    ("sort", "sort of 1,000", SMALL, sort, (1000,)),
    (
        "segment-sum",
        "unsorted_segment_sum of 1,000 in 20 segments",
        SMALL,
        unsorted_segment_sum,
        (20, 1000),
    ),
    ("einsum", "einsum of attention scores, 2×4×8×4", SMALL, einsum, (2, 4, 8, 4)),
    ("batched-matmul", "matmul of eight 8×8", SMALL, batched_matmul, (8, 8, 8)),
    ("layer-norm", "layer normalisation of 32×32", SMALL, layer_norm, (32, 32)),
    ("resize", "bilinear resize of 12×12×3 to 18×18", SMALL, resize, ((18, 18), 1, 12, 12, 3)),
    (
        "embedding",
        "embedding lookup of 20 rows with its gradient",
        SMALL,
        embedding,
        (32, 32, 20),
    ),
    ("cholesky", "cholesky of 64 matrices of 16×16", SMALL, cholesky, (64, 16)),
    (
        "cholesky-gradient",
        "cholesky of 64 matrices of 16×16 with its gradient",
        SMALL,
        cholesky_gradient,
        (64, 16),
    ),
    (
        "matvec",
        "float64 matvec of 5×32×32 and 1,000×5×32 with its gradient",
        SMALL,
        repeated_matvec,
        (5, 32, 1000),
    ),
    ("shuffle-large", "shuffle of 1,000,000 numbers", LARGE, shuffle, (1_000_000,)),
    ("powers-large", "powers 0 to 31 of 100,000 numbers", LARGE, powers, (100_000, 32)),
    ("gather-large", "gather of 100,000 rows of 64", LARGE, gather, (50_000, 64, 100_000)),
    (
        "strided-slice-large",
        "`x[2:2560:3, ::-1]` of 4096×4096",
        LARGE,
        strided_slice,
        (4096, 4096),
    ),
    ("concat-large", "concat of four 1024×1024", LARGE, concat, (1024, 1024)),
    ("stack-1000-large", "stack of 1,000 rows of 4,096", LARGE, stack_slices, (4096,)),
    ("where-large", "where of 2048×2048", LARGE, where, (2048, 2048)),
    ("one-hot-large", "one_hot of 32,768 numbers below 128", LARGE, one_hot, (32_768, 128)),
    ("cumsum-large", "cumsum of 4,000,000", LARGE, cumsum, (4_000_000,)),
    ("cumsum-rows-large", "cumsum along rows of 2048×2048", LARGE, cumsum, (2048, 2048)),
    ("top-k-large", "top_k of 1,000,000, k = 100", LARGE, top_k, (100, 1_000_000)),
    ("top-k-rows-large", "top_k of 1,024×4,096, k = 10", LARGE, top_k, (10, 1024, 4096)),
    ("sort-large", "sort of 1,000,000", LARGE, sort, (1_000_000,)),
    ("sort-rows-large", "sort of the rows of 4,096×256", LARGE, sort, (4096, 256)),
    (
        "segment-sum-large",
        "unsorted_segment_sum of 65,536×64 in 1,000 segments",
        LARGE,
        unsorted_segment_sum,
        (1000, 65_536, 64),
    ),
    (
        "segment-sum-numbers-large",
        "unsorted_segment_sum of 4,000,000 in 1,000 segments",
        LARGE,
        unsorted_segment_sum,
        (1000, 4_000_000),
    ),
    (
        "einsum-large",
        "einsum of attention scores, 8×8×128×64",
        LARGE,
        einsum,
        (8, 8, 128, 64),
    ),
    (
        "batched-matmul-large",
        "matmul of 64 matrices of 128×128",
        LARGE,
        batched_matmul,
        (64, 128, 128),
    ),
    ("layer-norm-large", "layer normalisation of 8,192×512", LARGE, layer_norm, (8192, 512)),
    (
        "resize-large",
        "bilinear resize of 8×256×256×3 to 512×512",
        LARGE,
        resize,
        ((512, 512), 8, 256, 256, 3),
    ),
    (
        "embedding-large",
        "embedding lookup of 65,536 of 50,000 rows of 64 with its gradient",
        LARGE,
        embedding,
        (50_000, 64, 65_536),
    ),
    ("cholesky-large", "cholesky of 4,096 matrices of 16×16", LARGE, cholesky, (4096, 16)),
    ("cholesky-1024", "cholesky of 1024×1024", LARGE, cholesky, (1, 1024)),
]


def repeated(operation, sizes):
    """A Case for a framework: the operation made ready, then repeated."""

    def case(tf):
        make = operation(tf, *sizes)
        large = np.prod(np.shape(make())) > 1000
        step = (lambda: computed(make())) if large else make

        def run(count):
            for _ in range(count):
                step()

        return Case(run, lambda: numbers(np.ravel(np.asarray(step()))[:50]))

    return case


def numbers(values):
    """Values that can be compared: numbers themselves, and texts by their checksums."""
    return [zlib.crc32(value) if isinstance(value, bytes) else value for value in values]


def contenders(operation, sizes):
    """The operation on those who have it."""
    operations = {"eagerflow": operation, "tensorflow": operation}
    if with_mlx := surface_mlx.namesake(operation):
        operations["mlx"] = with_mlx
    return {name: repeated(function, sizes) for name, function in operations.items()}


WORKLOADS = [
    Workload(
        name=f"surface-{name}",
        title=title,
        target=target,
        contenders=contenders(operation, sizes),
    )
    for name, title, target, operation, sizes in OPERATIONS
]
