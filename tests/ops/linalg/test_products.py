"""Products of float matrices of all sizes against NumPy in double precision."""

import numpy as np
import pytest

import eagerflow as tf

SIZES = [1, 2, 5, 8, 15, 16, 17, 31, 33, 48, 49, 100, 130, 257]


def product(m, k, n, transpose_a, transpose_b, dtype=np.float32):
    """The error of a product relative to the bound of rounding errors."""
    random = np.random.default_rng(m * 7919 + k * 31 + n)
    a = random.normal(size=(k, m) if transpose_a else (m, k)).astype(dtype)
    b = random.normal(size=(n, k) if transpose_b else (k, n)).astype(dtype)
    got = tf.matmul(a, b, transpose_a, transpose_b).numpy()
    left = (a.T if transpose_a else a).astype(np.float64)
    right = (b.T if transpose_b else b).astype(np.float64)
    bound = (np.abs(left) @ np.abs(right)).max() * 10 * np.finfo(dtype).eps
    assert got.shape == (m, n)
    return np.abs(got - left @ right).max() / bound


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_all_combinations_of_odd_sizes(transpose_a, transpose_b, dtype):
    for m in SIZES[::2]:
        for k in SIZES[::3]:
            for n in SIZES:
                assert product(m, k, n, transpose_a, transpose_b, dtype) < 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_number_of_columns(dtype):
    # Tiles end inside each of their vectors, and a second pass over the terms adds to them.
    for n in range(1, 74):
        assert product(9, 300, n, False, False, dtype) < 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_vectors(dtype, transpose_a, transpose_b):
    for m, k, n in [(1, 700, 333), (333, 700, 1), (1, 900, 1), (1, 1, 40), (40, 1, 1)]:
        assert product(m, k, n, transpose_a, transpose_b, dtype) < 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_long_columns(dtype, transpose_a, transpose_b):
    for m, k, n in [(3, 4095, 3), (5, 4096, 2), (31, 4097, 31), (64, 5000, 70), (17, 70000, 40)]:
        assert product(m, k, n, transpose_a, transpose_b, dtype) < 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_every_number_of_rows(dtype, transpose_b):
    """Rows are cut into tiles of about the same height."""
    for m in range(2, 42):
        for n in (16, 40, 57, 96):
            assert product(m, 65, n, False, transpose_b, dtype) < 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gradients_of_a_layer(dtype):
    """Threads share the rows, of which the gradient of the weights is a sum."""
    for rows, inputs, outputs in [
        (512, 40, 30),
        (2048, 64, 192),
        (1537, 130, 10),
        (1024, 256, 256),
        (1024, 257, 256),
        (511, 64, 100),
    ]:
        assert product(inputs, rows, outputs, True, False, dtype) < 1
        assert product(rows, outputs, inputs, False, True, dtype) < 1


@pytest.mark.parametrize("m, k, n", [(512, 256, 2048), (64, 300, 4096), (33, 128, 8192)])
def test_rows_that_share_sets_of_the_cache(m, k, n):
    for columns in (n, n + 16):
        assert product(m, k, columns, False, False) < 1


@pytest.mark.parametrize("sizes", [(64, 2048, 192), (40, 600, 33), (31, 5000, 31), (300, 70, 90)])
@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_results_do_not_depend_on_the_number_of_threads(sizes, transpose_a, transpose_b):
    m, k, n = sizes
    a = tf.random.stateless_normal([k, m] if transpose_a else [m, k], seed=[1, 2])
    b = tf.random.stateless_normal([n, k] if transpose_b else [k, n], seed=[3, 4])
    before = tf.config.threading.get_intra_op_parallelism_threads()
    results = []
    try:
        for threads in (1, 2, 3):
            tf.config.threading.set_intra_op_parallelism_threads(threads)
            results.append(tf.matmul(a, b, transpose_a, transpose_b).numpy())
    finally:
        tf.config.threading.set_intra_op_parallelism_threads(before)
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_array_equal(results[2], results[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_times_a_vector(dtype):
    """Each number of terms, with rows left over after those that are multiplied together."""
    for k in [*range(1, 50), 1000]:
        for rows in (7, 8, 9, 23):
            assert product(rows, k, 1, False, False, dtype) < 1
            assert product(1, k, rows, False, True, dtype) < 1
        a = np.zeros([9, k], dtype)
        a[:, 0], a[8, -1] = np.inf, np.nan
        np.testing.assert_array_equal(tf.matmul(a, np.ones([k, 1], dtype))[:8], np.inf)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_few_rows_times_a_transposed_matrix(dtype):
    """Either side may be short: dot products with 2 to 8 vectors, copies of the matrix beyond."""
    for few in range(2, 11):
        for many in (7, 8, 9, 15, 47, 49, 203):
            for k in (31, 32, 33, 129, 700):
                assert product(few, k, many, False, True, dtype) < 1
                assert product(many, k, few, False, True, dtype) < 1
        a = np.zeros([few, 77], dtype)
        a[:, 0], a[-1, -1] = np.inf, np.nan
        found = tf.matmul(a, np.ones([50, 77], dtype), transpose_b=True)
        np.testing.assert_array_equal(found[:-1], np.full([few - 1, 50], np.inf))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_vector_times_rows(dtype):
    """Each number of vectors in a row, with columns and rows left over, and rows added in parts."""
    for n in [*range(1, 50), 63, 64, 65, 127, 128, 130, 257, 300]:
        for k in (1, 2, 7, 9, 30):
            assert product(1, k, n, False, False, dtype) < 1
            assert product(n, k, 1, True, False, dtype) < 1
    for k, n in [(70_000, 3), (9_001, 50), (2_000, 300), (300, 3_000)]:
        assert product(1, k, n, False, False, dtype) < 1
        assert product(n, k, 1, True, True, dtype) < 1
    b = np.ones([9, 20], dtype)
    b[:, 3], b[8, 17] = np.inf, np.nan
    found = tf.matmul(np.ones([1, 9], dtype), b)[0].numpy()
    assert np.isinf(found[3]) and np.isnan(found[17])
    np.testing.assert_array_equal(np.delete(found, [3, 17]), 9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_products_of_two_vectors(dtype, transpose_a, transpose_b):
    for m in (2, 5, 300):
        for n in [*range(2, 40), 500]:
            assert product(m, 1, n, transpose_a, transpose_b, dtype) < 1


@pytest.mark.parametrize(
    "m, k, n", [(1, 3000, 10), (32, 784, 128), (784, 32, 128), (700, 300, 20), (70, 900, 500)]
)
def test_sizes_of_networks(m, k, n):
    for transpose_b in (False, True):
        assert product(m, k, n, False, transpose_b) < 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_blocks_of_large_products(dtype, transpose_a, transpose_b):
    # More rows, columns and terms than one block, and partial tiles at the ends; sums of small
    # integers are exact in every order.
    random = np.random.default_rng(0)
    for m, k, n in [
        (203, 517, 811),
        (200, 256, 600),
        (33, 1031, 1601),
        (5, 517, 100),
        (1601, 70, 39),
    ]:
        a = random.integers(-4, 5, (k, m) if transpose_a else (m, k)).astype(dtype)
        b = random.integers(-4, 5, (n, k) if transpose_b else (k, n)).astype(dtype)
        left, right = a.T if transpose_a else a, b.T if transpose_b else b
        expected = left.astype(np.float64) @ right.astype(np.float64)
        got = tf.matmul(a, b, transpose_a, transpose_b).numpy()
        np.testing.assert_array_equal(got, expected.astype(dtype))


@pytest.mark.parametrize("m", [20, 191, 389])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_panels_of_large_products(m, transpose_b):
    for k in 255, 1025:
        for n in 1017, 1030:
            assert product(m, k, n, False, transpose_b) < 1


def test_threads_do_not_change_products():
    random = np.random.default_rng(7)
    a = tf.constant(random.normal(size=(210, 1030)))
    b = tf.constant(random.normal(size=(1030, 1050)))
    row = tf.constant(random.normal(size=(1, 9000)))
    tall = tf.constant(random.normal(size=(9000, 70)))
    threads = tf.config.threading.get_intra_op_parallelism_threads()
    results = []
    try:
        for count in 1, 2, 5:
            tf.config.threading.set_intra_op_parallelism_threads(count)
            floats = tf.cast(a, "float32") @ tf.cast(b, "float32")
            few = tf.matmul(a[:5], a, transpose_b=True), tf.matmul(a, a[:24], transpose_b=True)
            long = tf.matmul(tall, tall, transpose_a=True), tf.matmul(tall[:, :9], tall, True)
            results.append((tf.matmul(a, b), floats, row @ tall, a[:1] @ b, *few, *long))
    finally:
        tf.config.threading.set_intra_op_parallelism_threads(threads)
    for found in results[1:]:
        for product, first in zip(found, results[0], strict=True):
            np.testing.assert_array_equal(product, first)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("rows", "terms"), [(1000, 50), (50, 1000), (12, 8000), (9, 6000), (60, 999)]
)
def test_products_that_follow_closely_have_the_same_results(rows, terms, dtype):
    """Threads that are awake share smaller products; the first of these finds none."""
    matrix = tf.cast(tf.random.stateless_normal([rows, terms], seed=[1, 2]), dtype)
    vector = tf.cast(tf.random.stateless_normal([terms, 1], seed=[3, 4]), dtype)
    weights = tf.cast(tf.random.stateless_normal([rows, 1], seed=[5, 6]), dtype)
    for product in (
        lambda: tf.matmul(matrix, vector),
        lambda: tf.matmul(matrix, weights, transpose_a=True),
        lambda: tf.matmul(weights, vector, transpose_b=True),
    ):
        first = product()
        for _ in range(20):
            np.testing.assert_array_equal(product(), first)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_lies_beyond_a_row_stays_out(dtype):
    # Rows are read in full vectors: values of the next row must not count, not even NaN.
    a = np.ones((30, 4), dtype)
    b = np.ones((4, 17), dtype)
    b[1:, 0] = np.nan
    got = tf.matmul(a, b).numpy()
    assert np.isnan(got[:, 0]).all()
    np.testing.assert_array_equal(got[:, 1:], 4)
    product = tf.matmul(tf.zeros([3, 20], dtype), tf.ones([20, 18], dtype))
    np.testing.assert_array_equal(product.numpy(), 0)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_products_of_bytes_as_int32(dtype):
    x = tf.cast([[1, 2], [3, 100]], dtype)
    product = tf.matmul(x, x, output_type=tf.int32)
    assert product.dtype is tf.int32
    np.testing.assert_array_equal(product, [[7, 202], [303, 10006]])
    traced = tf.function(lambda x: tf.matmul(x, x, output_type=tf.int32))
    np.testing.assert_array_equal(traced(x), product)
    operations = [node.op for node in traced.get_concrete_function(x).graph.as_graph_def().node]
    assert "BatchMatMulV3" in operations
    with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.NotFoundError)):
        tf.matmul(x, x)


def test_output_types_of_products():
    x = tf.ones([2, 2], tf.float16)
    assert tf.matmul(x, x, output_type=tf.float16, a_is_sparse=True).dtype is tf.float16
    with pytest.raises(tf.errors.NotFoundError, match="float as double"):
        tf.matmul(tf.ones([2, 2]), tf.ones([2, 2]), output_type=tf.float64)
    batch = tf.constant([[[1, 2], [3, 300]]], tf.int16)
    np.testing.assert_array_equal(tf.matmul(batch, batch), np.matmul(batch, batch))
    with pytest.raises(tf.errors.InvalidArgumentError, match="int16"):
        tf.matmul(batch[0], batch[0])


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex64"])
@pytest.mark.parametrize(
    "shapes",
    [
        [(5, 8, 6), (70, 5, 6)],
        [(8, 6), (10, 6)],
        [(3, 1, 4, 5), (2, 3, 7, 5)],
        [(1, 5, 3, 4), (6, 5, 4)],
        [(2, 5, 3, 4), (6, 2, 5, 4)],
        [(5, 3, 4), (6, 1, 4)],
    ],
    ids=str,
)
def test_vectors_that_share_matrices(dtype, shapes):
    rng = np.random.default_rng(0)
    a, b = ((3 * rng.normal(size=shape)).astype(dtype) for shape in shapes)
    expected = np.einsum("...ij,...j->...i", a, b)
    turned = np.swapaxes(a, -1, -2).copy()
    for result in (
        tf.linalg.matvec(a, b),
        tf.linalg.matvec(turned, b, transpose_a=True),
        tf.linalg.matvec(turned.conj(), b, adjoint_a=True),
    ):
        np.testing.assert_allclose(result, expected, rtol=2e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32"])
@pytest.mark.parametrize(
    "leading, matrices", [((50,), (3,)), ((4, 5), (2, 3)), ((2,), (1,)), ((7,), ())]
)
@pytest.mark.parametrize("k, n", [(5, 4), (1, 3), (40, 30), (3, 1)])
def test_rows_and_columns_that_share_matrices(dtype, leading, matrices, k, n):
    numbers = np.random.default_rng(k)

    def draw(*shape):
        values = 5 * numbers.normal(size=shape)
        if dtype == "complex64":
            values = values + 1j * numbers.normal(size=shape)
        return values.astype(dtype)

    matrix = draw(*matrices, k, n)
    rows, columns = draw(*leading, *matrices, 1, k), draw(*leading, *matrices, n, 1)
    transposed = np.ascontiguousarray(np.swapaxes(matrix, -1, -2))
    for found, wanted in (
        (tf.matmul(rows, matrix), rows @ matrix),
        (tf.matmul(rows, transposed, transpose_b=True), rows @ matrix),
        (tf.matmul(rows, transposed.conj(), adjoint_b=True), rows @ matrix),
        (tf.matmul(matrix, columns), matrix @ columns),
        (tf.matmul(transposed, columns, transpose_a=True), matrix @ columns),
        (tf.matmul(transposed.conj(), columns, adjoint_a=True), matrix @ columns),
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


def test_gradients_of_vectors_that_share_matrices():
    numbers = np.random.default_rng(0)
    matrices, vectors = numbers.normal(size=(3, 5, 4)), numbers.normal(size=(50, 3, 4))
    weights = numbers.normal(size=(50, 3, 5))
    of_matrices, of_vectors = tf.constant(matrices), tf.constant(vectors)
    with tf.GradientTape() as tape:
        tape.watch([of_matrices, of_vectors])
        total = tf.reduce_sum(tf.linalg.matvec(of_matrices, of_vectors) * weights)
    by_matrices, by_vectors = tape.gradient(total, [of_matrices, of_vectors])
    np.testing.assert_allclose(by_matrices, np.einsum("nki,nkj->kij", weights, vectors))
    np.testing.assert_allclose(by_vectors, np.einsum("kij,nki->nkj", matrices, weights))


@pytest.mark.parametrize("axis", [[1], (1,), [], [0, 0], np.int64(1)], ids=repr)
def test_axes_that_norms_refuse(axis):
    with pytest.raises(ValueError, match="'axis' must be None"):
        tf.norm(tf.ones([2, 3]), axis=axis)
