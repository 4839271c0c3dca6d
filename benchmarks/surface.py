"""Operations that programs call again and again on small tensors, and some of their gradients."""

import numpy as np

from workload import Case, Target, Workload

RANDOM = np.random.RandomState(0)
MATRIX = RANDOM.uniform(-1, 1, (32, 32)).astype(np.float32)
VECTOR = RANDOM.uniform(-1, 1, 1000).astype(np.float32)
STACK = RANDOM.uniform(-1, 1, (8, 8, 8)).astype(np.float32)
QUERIES = RANDOM.uniform(-1, 1, (2, 4, 8, 4)).astype(np.float32)
LONG = RANDOM.uniform(-1, 1, (1000, 8)).astype(np.float32)
POSITIVE = (lambda m: m @ m.swapaxes(-1, -2) + 16 * np.eye(16, dtype=np.float32))(
    RANDOM.uniform(-1, 1, (64, 16, 16)).astype(np.float32)
)
PLACES = RANDOM.randint(0, 32, 20).astype(np.int64)
SEGMENTS = RANDOM.randint(0, 20, 1000).astype(np.int64)


def repeated(prepare):
    """A Case for a framework from a function that returns the operation to repeat."""

    def case(tf):
        step = prepare(tf)

        def run(count):
            for _ in range(count):
                step()

        return Case(run, lambda: np.ravel(np.asarray(step()))[:50])

    return case


def gather(tf):
    x, places = tf.constant(MATRIX), tf.constant(PLACES)
    return lambda: tf.gather(x, places)


def strided_slice(tf):
    x = tf.constant(MATRIX)
    return lambda: x[2:20:3, ::-1]


def concat(tf):
    parts = [tf.constant(MATRIX)] * 4
    return lambda: tf.concat(parts, 1)


def stack_slices(tf):
    x = tf.constant(LONG)
    rows = tf.unstack(x)
    return lambda: tf.stack(rows)


def where(tf):
    x, y, condition = tf.constant(MATRIX), tf.constant(MATRIX * 2), tf.constant(MATRIX > 0)
    return lambda: tf.where(condition, x, y)


def one_hot(tf):
    places = tf.constant(PLACES)
    return lambda: tf.one_hot(places, 32)


def cumsum(tf):
    x = tf.constant(VECTOR)
    return lambda: tf.cumsum(x)


def top_k(tf):
    x = tf.constant(VECTOR)
    return lambda: tf.math.top_k(x, 10).values


def sort(tf):
    x = tf.constant(VECTOR)
    return lambda: tf.sort(x)


def unsorted_segment_sum(tf):
    x, segments = tf.constant(VECTOR), tf.constant(SEGMENTS)
    return lambda: tf.math.unsorted_segment_sum(x, segments, 20)


def einsum(tf):
    q, k = tf.constant(QUERIES), tf.constant(QUERIES * 2)
    return lambda: tf.einsum("bhqd,bhkd->bhqk", q, k)


def batched_matmul(tf):
    a, b = tf.constant(STACK), tf.constant(STACK * 2)
    return lambda: tf.matmul(a, b)


def layer_norm(tf):
    x, scale, offset = tf.constant(MATRIX), tf.ones([32]), tf.zeros([32])

    def step():
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3)

    return step


def embedding(tf):
    table, places = tf.Variable(MATRIX), tf.constant(PLACES)

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.embedding_lookup(table, places))
        return tape.gradient(loss, table).values

    return step


def cholesky(tf):
    x = tf.constant(POSITIVE)
    return lambda: tf.linalg.cholesky(x)


# Name, title, operation.
OPERATIONS = [
    ("gather", "gather of 20 rows of 32×32", gather),
    ("strided-slice", "`x[2:20:3, ::-1]` of 32×32", strided_slice),
    ("concat", "concat of four 32×32", concat),
    ("stack-1000", "stack of 1,000 rows of 8", stack_slices),
    ("where", "where of 32×32", where),
    ("one-hot", "one_hot of 20 numbers below 32", one_hot),
    ("cumsum", "cumsum of 1,000", cumsum),
    ("top-k", "top_k of 1,000, k = 10", top_k),
    ("sort", "sort of 1,000", sort),
    ("segment-sum", "unsorted_segment_sum of 1,000 in 20 segments", unsorted_segment_sum),
    ("einsum", "einsum of attention scores, 2×4×8×4", einsum),
    ("batched-matmul", "matmul of eight 8×8", batched_matmul),
    ("layer-norm", "layer normalisation of 32×32", layer_norm),
    ("embedding", "embedding lookup of 20 rows with its gradient", embedding),
    ("cholesky", "cholesky of 64 matrices of 16×16", cholesky),
]

WORKLOADS = [
    Workload(
        name=f"surface-{name}",
        title=title,
        target=Target("tensorflow", 0.15),
        contenders={"eagerflow": repeated(operation), "tensorflow": repeated(operation)},
    )
    for name, title, operation in OPERATIONS
]
