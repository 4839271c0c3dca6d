"""Products with sparse matrices and moves of places, against NumPy, and with bad indices."""

import operator

import numpy as np
import pytest

import eagerflow as tf


def matrix(rows, columns, share, seed, dtype=np.float32):
    random = np.random.RandomState(seed)
    dense = random.uniform(-1, 1, (rows, columns)) * (random.uniform(size=(rows, columns)) < share)
    if np.issubdtype(dtype, np.complexfloating):
        dense = dense * (1 + 0.5j)
    if np.issubdtype(dtype, np.integer):
        dense = dense * 9
    return dense.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.complex64])
@pytest.mark.parametrize("width", [0, 1, 5, 16, 29, 100])
@pytest.mark.parametrize("sizes", [(3, 4), (300, 200), (0, 4), (1, 1)])
@pytest.mark.parametrize("adjoint", [False, True])
def test_products(dtype, width, sizes, adjoint):
    a = matrix(*sizes, 0.3, 1, dtype)
    b = matrix(sizes[0 if adjoint else 1], width, 1.0, 2, dtype)
    product = tf.sparse.sparse_dense_matmul(tf.sparse.from_dense(a), b, adjoint_a=adjoint).numpy()
    wanted = (a.conj().T if adjoint else a) @ b
    np.testing.assert_allclose(product, wanted, rtol=1e-4, atol=1e-4)


def test_products_of_unordered_and_repeated_places():
    a = tf.SparseTensor([[2, 1], [0, 0], [2, 1]], [1.0, 2.0, 3.0], [3, 2])
    b = tf.constant(np.arange(140.0, dtype=np.float32).reshape(2, 70))
    product = tf.sparse.sparse_dense_matmul(a, b).numpy()
    np.testing.assert_allclose(product, [2 * b[0].numpy(), 0 * b[0].numpy(), 4 * b[1].numpy()])


def test_products_of_half_floats_add_in_float():
    a = tf.cast(tf.sparse.from_dense(np.ones((1, 4096), np.float32)), tf.float16)
    assert tf.sparse.sparse_dense_matmul(a, tf.ones([4096, 1], tf.float16)).numpy() == [[4096]]


def test_products_keep_nan():
    a = tf.SparseTensor([[0, 0]], [np.nan], [2, 1])
    product = tf.sparse.sparse_dense_matmul(a, [[1.0]]).numpy()
    assert np.isnan(product[0, 0]) and product[1, 0] == 0


@pytest.mark.parametrize("adjoint", [False, True])
@pytest.mark.parametrize("dtype", [tf.float64, tf.complex128])
def test_gradients_of_products(adjoint, dtype):
    places = [[0, 1], [2, 0], [2, 1], [1, 1]]
    values = tf.cast(tf.constant([1.0, -2.0, 0.5, 3.0], tf.float64), dtype)
    b = tf.cast(tf.constant(matrix(3 if adjoint else 2, 3, 1.0, 3, np.float64)), dtype)
    if dtype.is_complex:
        values, b = values * (1 + 2j), b * (2 - 1j)

    def loss(values, b, sparse):
        whole = tf.SparseTensor(places, values, [3, 2])
        if sparse:
            product = tf.sparse.sparse_dense_matmul(whole, b, adjoint_a=adjoint)
        else:
            dense = tf.scatter_nd(places, values, [3, 2])
            product = tf.matmul(dense, b, adjoint_a=adjoint)
        return tf.reduce_sum(tf.abs(product) ** 3)

    first, second = [], []
    for sparse in (True, False):
        with tf.GradientTape() as outer:
            outer.watch([values, b])
            with tf.GradientTape() as inner:
                inner.watch([values, b])
                result = loss(values, b, sparse)
            found = inner.gradient(result, [values, b])
            total = tf.add_n([tf.reduce_sum(tf.abs(item) ** 2) for item in found])
        first.append([item.numpy() for item in found])
        second.append([item.numpy() for item in outer.gradient(total, [values, b])])
    for mine, wanted in zip(first[0] + second[0], first[1] + second[1], strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=1e-9)


@pytest.mark.parametrize("places", [[[0, 5]], [[3, 0]], [[-1, 0]], [[0, -1]]])
def test_places_outside_are_refused(places):
    a = tf.SparseTensor(places, [1.0], [3, 5])
    for call in (
        lambda: tf.sparse.sparse_dense_matmul(a, tf.ones([5, 2])),
        lambda: tf.sparse.sparse_dense_matmul(a, tf.ones([3, 2]), adjoint_a=True),
        lambda: tf.sparse.reshape(a, [15]),
        lambda: (
            tf.sparse.reduce_sum(a, 0) if places[0][1] in (5, -1) else tf.sparse.reduce_sum(a, 1)
        ),
        lambda: a * tf.ones([3, 5]),
        lambda: tf.sparse.to_dense(a),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            call()


def test_rows_outside_are_refused():
    for row in (-1, 3):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.sparse.fill_empty_rows(tf.SparseTensor([[row, 0]], [1.0], [3, 5]), 0.0)


@pytest.mark.parametrize("count", [0, 5, 400])
def test_order_of_places(count):
    random = np.random.RandomState(6)
    flat = random.permutation(1000)[:count]
    places = np.stack(np.unravel_index(flat, (10, 20, 5)), axis=-1)
    values = np.arange(count, dtype=np.float32)
    ordered = tf.sparse.reorder(tf.SparseTensor(places, values, [10, 20, 5]))
    order = np.argsort(flat)
    assert np.array_equal(ordered.indices.numpy(), places[order])
    assert np.array_equal(ordered.values.numpy(), values[order])
    moved = tf.sparse.transpose(ordered, [2, 0, 1])
    dense = tf.sparse.to_dense(ordered).numpy()
    assert np.array_equal(tf.sparse.to_dense(moved).numpy(), dense.transpose(2, 0, 1))


@pytest.mark.parametrize("shape", [(4, 6), (2, 3, 4), (7,), (0, 3)])
def test_moves_agree_with_dense_tensors(shape):
    random = np.random.RandomState(7)
    dense = random.randint(1, 9, shape) * (random.uniform(size=shape) < 0.5)
    other = random.randint(1, 9, shape) * (random.uniform(size=shape) < 0.5)
    a, b = tf.sparse.from_dense(dense), tf.sparse.from_dense(other)

    def whole(value):
        return tf.sparse.to_dense(value).numpy()

    assert np.array_equal(whole(tf.sparse.add(a, b)), dense + other)
    assert np.array_equal(whole(tf.sparse.maximum(a, b)), np.maximum(dense, other))
    assert np.array_equal(whole(tf.sparse.minimum(a, b)), np.minimum(dense, other))
    assert np.array_equal(whole(tf.sparse.reshape(a, [-1] if dense.size else [0])), dense.ravel())
    for axis in range(len(shape)):
        assert np.array_equal(
            whole(tf.sparse.concat(axis, [a, b, a])), np.concatenate([dense, other, dense], axis)
        )
        assert np.array_equal(tf.sparse.reduce_sum(a, axis).numpy(), dense.sum(axis))
        if dense.size:
            assert np.array_equal(tf.sparse.reduce_max(a, axis).numpy(), dense.max(axis))
    begin = [1 if size > 1 else 0 for size in shape]
    part = dense[tuple(slice(first, first + 2) for first in begin)]
    assert np.array_equal(whole(tf.sparse.slice(a, begin, [2] * len(shape))), part)


def test_slices_take_any_numbers():
    a = tf.SparseTensor([[0, 1]], [5], [2, 2])
    big = 2**63 - 1
    assert tf.sparse.slice(a, [0, 0], [big, big]).values.numpy().tolist() == [5]
    assert tf.sparse.slice(a, [-big, 0], [big, 5]).values.numpy().tolist() == []


def test_rows_are_filled():
    a = tf.SparseTensor([[2, 1], [0, 3], [2, 0]], ["c", "a", "d"], [4, 5])
    filled, empty = tf.sparse.fill_empty_rows(a, "-")
    assert filled.indices.numpy().tolist() == [[0, 3], [1, 0], [2, 1], [2, 0], [3, 0]]
    assert filled.values.numpy().tolist() == [b"a", b"-", b"c", b"d", b"-"]
    assert empty.numpy().tolist() == [False, True, False, True]


def test_gradients_of_moves():
    values = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(values)
        a = tf.SparseTensor([[0, 0], [1, 1], [2, 0]], values, [4, 2])
        b = tf.SparseTensor([[0, 0], [1, 0]], values[:2] * 2, [4, 2])
        total = tf.sparse.add(a, b)
        results = [
            tf.reduce_sum(total.values**2),
            tf.reduce_sum(tf.sparse.slice(a, [1, 0], [2, 2]).values ** 2),
            tf.reduce_sum(tf.sparse.transpose(a).values * [1.0, 2.0, 3.0]),
            tf.reduce_sum(tf.sparse.fill_empty_rows(a, 0.0)[0].values ** 2),
            tf.reduce_sum(tf.sparse.reduce_max(a, 1) ** 2),
            tf.reduce_sum(tf.sparse.reshape(a, [-1]).values ** 2),
        ]
    found = [tape.gradient(result, values).numpy().tolist() for result in results]
    assert found == [[18, 20, 6], [0, 4, 6], [1, 3, 2], [2, 4, 6], [2, 4, 6], [2, 4, 6]]


@pytest.mark.parametrize("symbol", ["mul", "truediv"])
def test_operands_take_the_dtype_of_the_sparse_tensor(symbol):
    function = getattr(operator, symbol)
    value = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])
    for other in (tf.ones([2, 2], tf.float64), tf.ones([3, 2], tf.int32)):
        with pytest.raises(ValueError, match="conversion requested dtype float32"):
            function(value, other)
    with pytest.raises(TypeError, match="1.5"):
        function(tf.sparse.from_dense([[1, 0]]), 1.5)
    assert function(value, np.ones([2, 2])).dtype == tf.float32
    assert function(value, 2).dtype == tf.float32


@pytest.mark.parametrize("traced", [False, True])
def test_sums_accept_values_of_sparse_tensors(traced):
    value = tf.compat.v1.SparseTensorValue([[0, 1], [1, 0]], [42, 24], [2, 2])
    dense = tf.constant([[1, 2], [3, 4]])

    def sums():
        return (
            tf.sparse.add(value, value).values,
            tf.sparse.add(value, tf.SparseTensor.from_value(value)).values,
            tf.sparse.add(value, dense),
            tf.sparse.add(dense, value),
        )

    found = [each.numpy().tolist() for each in (tf.function(sums) if traced else sums)()]
    assert found == [[84, 48], [84, 48], [[1, 44], [27, 4]], [[1, 44], [27, 4]]]
