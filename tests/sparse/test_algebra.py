"""Products, sums and parts of sparse tensors, beside the same of dense ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eagerflow as tf

A = np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 3.0, -1.0, 4.0]])
B = np.array([[0.0, 5.0], [0.0, 0.0], [1.0, 0.0], [2.0, -1.0]])


def sparse(array):
    return tf.sparse.from_dense(tf.constant(array))


def close(found, expected):
    if isinstance(found, tf.SparseTensor):
        order = [tuple(row) for row in found.indices.numpy().tolist()]
        assert order == sorted(set(order))
        found = tf.sparse.to_dense(found)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-9)


MODES = {"eager": lambda f: f, "traced": tf.function, "xla": tf.function(jit_compile=True)}


@pytest.mark.parametrize("mode", ["eager", "traced"])
def test_matmul(mode):
    matmul = MODES[mode](lambda a, b, **kw: tf.sparse.matmul(a, b, **kw))
    for a, b in ((sparse(A), sparse(B)), (sparse(A), tf.constant(B)), (tf.constant(A), sparse(B))):
        close(matmul(a, b), A @ B)
        close(MODES[mode](lambda a, b: a @ b)(a, b), A @ B)
        close(MODES[mode](tf.matmul)(a, b), A @ B)
    close(matmul(sparse(A.T), sparse(B), transpose_a=True), A @ B)
    close(matmul(sparse(A), sparse(B.T), transpose_b=True), A @ B)
    close(matmul(sparse(A), tf.constant(B.T), transpose_b=True), A @ B)
    complex_a = A + 1j * A[::-1]
    close(matmul(sparse(complex_a.T), tf.constant(B + 0j), transpose_a=True), complex_a @ B)
    found = MODES[mode](lambda a, b: a @ b)(sparse(A), sparse(B))
    assert isinstance(found, tf.SparseTensor)


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([(), (2,), (3, 1)]),
    st.sampled_from([(), (2,), (1, 2)]),
)
def test_batches(seed, ours, theirs):
    random = np.random.default_rng(seed)
    m, k, n = random.integers(0, 4, 3)
    a = random.integers(-2, 3, [*ours, m, k]) * random.integers(0, 2, [*ours, m, k])
    b = random.integers(-2, 3, [*theirs, k, n]) * random.integers(0, 2, [*theirs, k, n])
    close(sparse(a) @ sparse(b), a @ b)


@given(st.integers(0, 2**32 - 1), st.data())
def test_elementwise(seed, data):
    shape = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=3))
    random = np.random.default_rng(seed)
    arrays = []
    for _ in range(2):
        own = [data.draw(st.sampled_from([1, size])) for size in shape][
            data.draw(st.integers(0, len(shape) - 1)) :
        ]
        arrays.append(random.integers(-2, 3, own) * random.integers(0, 2, own))
    x, y = arrays
    for name in ("add", "subtract", "multiply"):
        expected = getattr(np, name)(x, y)
        found = getattr(tf, name)(sparse(x), sparse(y))
        assert isinstance(found, tf.SparseTensor)
        close(found, expected)


@pytest.mark.parametrize("mode", ["eager", "traced"])
def test_operators(mode):
    def all_of(a, b, dense):
        return (
            a + b,
            a - b,
            a * b,
            -a,
            a + dense,
            dense + a,
            a - dense,
            dense - a,
            dense * a,
            2.0 * a,
            1.0 + a,
        )

    other, dense = np.roll(A, 1), np.ones([4])
    found = MODES[mode](all_of)(sparse(A), sparse(other), tf.constant(dense))
    for value, expected in zip(found, all_of(A, other, dense), strict=True):
        close(value, np.asarray(expected))
    assert all(isinstance(value, tf.SparseTensor) for value in found[:4])


PARTS = [
    0,
    -1,
    (slice(None), 2),
    (2, 3),
    slice(None, None, -1),
    (slice(1, 3), slice(None, None, 2)),
    (..., slice(3, 0, -2)),
    (None, 1),
    (slice(None), None, slice(5, None)),
    ...,
    (slice(0, 0), 1),
]


@pytest.mark.parametrize("mode", ["eager", "traced"])
@pytest.mark.parametrize("key", PARTS, ids=str)
def test_parts(key, mode):
    close(MODES[mode](lambda a: a[key])(sparse(A)), A[key])


@pytest.mark.parametrize("mode", ["eager", "traced"])
def test_gradients(mode):
    def of_values(function):
        def gradients(a, b):
            left, right = sparse(A).with_values(a), sparse(B).with_values(b)
            with tf.GradientTape() as tape:
                tape.watch([a, b])
                loss = tf.reduce_sum(tf.sparse.to_dense(function(left, right)) ** 2)
            return tape.gradient(loss, [a, b], unconnected_gradients="zero")

        return MODES[mode](gradients)(tf.constant(A[A != 0]), tf.constant(B[B != 0]))

    by_a, by_b = of_values(lambda a, b: a @ b)
    close(by_a, (2 * (A @ B) @ B.T)[A != 0])
    close(by_b, (A.T @ (2 * A @ B))[B != 0])
    by_a, by_b = of_values(lambda a, b: tf.sparse.transpose(a)[:, :2] * b + b)
    part = A.T[:, :2]
    outer = np.zeros_like(A.T)
    outer[:, :2] = 2 * (part * B + B) * B
    close(by_a, outer.T[A != 0])
    close(by_b, (2 * (part * B + B) * (part + 1))[B != 0])


def test_second_derivatives():
    a = sparse(A)
    x = tf.constant(A[A != 0])

    def loss(x):
        square = a.with_values(x) @ tf.sparse.transpose(a.with_values(x))
        return tf.reduce_sum(square.values**2)

    gradient = tf.func.grad(loss)
    step = np.zeros(len(A[A != 0]))
    step[1] = 1e-4
    differences = (gradient(x + step) - gradient(x - step)) / 2e-4
    np.testing.assert_allclose(tf.func.hessian(loss)(x)[1], differences, rtol=1e-6, atol=1e-6)


def test_unknown_sizes():
    spec = tf.SparseTensorSpec([None, None], tf.float64)

    @tf.function(input_signature=[spec, spec])
    def product(a, b):
        found = a @ b
        assert found.shape.as_list() == [None, None]
        return found, a + a[:1]

    found, total = product(sparse(A), sparse(B))
    close(found, A @ B)
    close(total, A + A[:1])


def test_large_matrices_that_are_almost_empty():
    random = np.random.default_rng(0)
    indices = np.unique(random.integers(0, 1 << 20, [500, 2]) >> 8 << 8, axis=0)
    a = tf.SparseTensor(indices, np.arange(1.0, len(indices) + 1), [1 << 20, 1 << 20])
    found = a @ a
    small = np.zeros([1 << 12, 1 << 12])
    small[tuple(indices.T >> 8)] = a.values
    expected = small @ small
    np.testing.assert_array_equal(found.indices.numpy() >> 8, np.argwhere(expected))
    np.testing.assert_allclose(found.values, expected[expected != 0])


def test_errors():
    a = sparse(A)
    with pytest.raises(tf.errors.InvalidArgumentError, match="product"):
        a @ a
    with pytest.raises(TypeError, match=r"tf\.matmul"):
        tf.sparse.matmul(A, B)
    with pytest.raises(tf.errors.InvalidArgumentError, match="float32"):
        a @ sparse(B.astype("float32"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="float32"):
        a @ tf.constant(B, tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        a + sparse(B)
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        a[3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="only 2 dims"):
        a[0, 0, 0]
    with pytest.raises(TypeError, match="sparse tensors"):
        a[[0, 1]]


def _rows(kind: str, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices of two matrices of 700 by 700 in order, which have some, all or no rows in common."""
    random = np.random.default_rng(count)
    ours = np.sort(random.choice(490_000, count, replace=kind == "repeated"))
    theirs = {
        "same": ours,
        "equal": ours.copy(),
        "repeated": ours.copy(),
        "last differs": np.append(ours[:-1], 489_999) if count else ours,
        "others": np.sort(random.choice(490_000, count // 2, replace=False)),
    }[kind]
    return tuple(np.stack(np.divmod(flat, 700), 1) for flat in (ours, theirs))


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.complex128])
@pytest.mark.parametrize("count", [0, 3, 100_000])
@pytest.mark.parametrize("kind", ["same", "equal", "repeated", "last differs", "others"])
@pytest.mark.parametrize("mode", MODES)
def test_sums_and_products_of_matrices_that_share_rows(mode, kind, count, dtype) -> None:
    random = np.random.default_rng(1)
    ours, theirs = _rows(kind, count)
    x, y = (random.integers(-9, 9, len(rows)).astype(dtype) for rows in (ours, theirs))
    a = tf.SparseTensor(ours, x, [700, 700])
    b = (a if kind == "same" else tf.SparseTensor(theirs, y, [700, 700])).with_values(y)
    total, product = MODES[mode](lambda a, b: (a + b, a * b))(a, b)
    sums = [np.zeros([700, 700], dtype) for _ in range(2)]
    for dense, rows, values in zip(sums, (ours, theirs), (x, y), strict=True):
        np.add.at(dense, tuple(rows.T), values)
    with np.errstate(over="ignore"):
        # Repeated rows are added up, and each meets each in a product.
        for found, expected in ((total, sums[0] + sums[1]), (product, sums[0] * sums[1])):
            dense = np.zeros([700, 700], dtype)
            np.add.at(dense, tuple(found.indices.numpy().T), found.values.numpy())
            assert (dense == expected).all()
