"""Matrices with many elements, which kernels read by rows, in parts of several threads."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core

KINDS = {
    "wide": (40, 3000, 5000),
    "tall": (3000, 40, 5000),
    "many rows": (70000, 10, 1100),  # too many for a layout
    "full": (60, 70, 4200),
    "one row": (1, 5000, 3000),
    "large": (300, 500, 80000),  # for several threads
}
DTYPES = ["float32", "float64", "float16", "bfloat16", "int32", "int64", "complex64"]


def table(kind, dtype="float64", seed=0):
    rows, columns, count = KINDS[kind]
    random = np.random.default_rng(seed)
    flat = np.zeros(rows * columns, "complex64" if dtype == "complex64" else "float64")
    chosen = random.permutation(rows * columns)[:count]
    flat[chosen] = random.integers(1, 4, count)
    if dtype == "complex64":
        flat[chosen] += 1j * random.integers(1, 4, count)
    return flat.reshape(rows, columns)


def sparse(array, dtype, scrambled=False):
    indices = np.argwhere(array)
    if scrambled:
        indices = np.random.default_rng(1).permutation(indices)
    values = tf.cast(tf.constant(array[tuple(indices.T)]), dtype)
    return tf.SparseTensor(indices, values, array.shape)


def dense(value):
    value = tf.sparse.to_dense(tf.sparse.reorder(value)) if hasattr(value, "indices") else value
    return value.numpy() if value.dtype.is_complex else tf.cast(value, tf.float64).numpy()


@pytest.mark.parametrize(
    "dtype, scrambled",
    [*((dtype, False) for dtype in DTYPES), ("float64", True)],
    ids=[*DTYPES, "scrambled"],
)
@pytest.mark.parametrize("kind", KINDS)
def test_products_and_sums(kind, dtype, scrambled):
    array = table(kind, dtype)
    value = sparse(array, dtype, scrambled)
    product = tf.sparse.sparse_dense_matmul
    tolerance = {"rtol": {"float16": 1e-2, "bfloat16": 1e-1}.get(dtype, 1e-5)}
    for width in (1, 3, 16, 65):
        random = np.random.default_rng(width)
        b = random.integers(0, 2, (array.shape[1], width)).astype(array.dtype)
        c = random.integers(0, 2, (array.shape[0], width)).astype(array.dtype)
        found = product(value, tf.cast(tf.constant(b), dtype))
        np.testing.assert_allclose(dense(found), array @ b, **tolerance)
        found = product(value, tf.cast(tf.constant(c), dtype), adjoint_a=True)
        np.testing.assert_allclose(dense(found), array.conj().T @ c, **tolerance)
    for axis in (0, 1, [0, 1], [], None):
        for keepdims in (False, True):
            found = tf.sparse.reduce_sum(value, axis, keepdims)
            wanted = array.sum(tuple(axis) if isinstance(axis, list) else axis, keepdims=keepdims)
            assert found.shape == wanted.shape
            if dtype == "float16":
                wanted = np.where(wanted > 65504, np.inf, wanted)
            np.testing.assert_allclose(dense(found), wanted, **tolerance)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("adjoint", [False, True])
def test_gradients(kind, adjoint):
    array = table(kind)
    value = sparse(array, "float64")
    b = tf.random.normal([array.shape[0 if adjoint else 1], 3], dtype="float64", seed=1)
    found = []
    for layout in (True, False):
        if not layout:
            value = tf.SparseTensor(value.indices[::-1], value.values[::-1], array.shape)
        with tf.GradientTape() as tape:
            tape.watch([value.values, b])
            product = tf.sparse.sparse_dense_matmul(value, b, adjoint_a=adjoint)
            total = tf.reduce_sum(tf.sin(product))
            total += tf.reduce_sum(tf.sparse.reduce_sum(value, 0) ** 2)
            total += tf.reduce_sum(tf.sparse.reduce_sum(value, 1) ** 3)
        of_values, of_b = tape.gradient(total, [value.values, b])
        found.append((of_values if layout else of_values[::-1], of_b))
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


PARTS = [
    np.s_[7],
    np.s_[3:20],
    np.s_[-4:, 5:9],
    np.s_[:, 2],
    np.s_[:, 3:30],
    np.s_[::-1],
    np.s_[5:1:-2, ::3],
    np.s_[..., ::-4],
    np.s_[2, None, 4:],
    np.s_[4:4],
]


@pytest.mark.parametrize("scrambled", [False, True], ids=["ordered", "scrambled"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "one row"])
def test_parts_and_transposes(kind, scrambled):
    array = table(kind)
    value = sparse(array, "float64", scrambled)
    for _ in range(2):  # the second time, it is known whether indices are in order
        for part in PARTS:
            np.testing.assert_array_equal(dense(value[part]), array[part])
        np.testing.assert_array_equal(dense(tf.sparse.transpose(value)), array.T)
        corner = tf.sparse.slice(value, [1, 2], [30, 20])
        np.testing.assert_array_equal(dense(corner), array[1:31, 2:22])
        twice = tf.sparse.transpose(tf.sparse.transpose(value))
        assert tf.reduce_all(twice.indices == tf.sparse.reorder(value).indices)


@pytest.mark.parametrize("perm", [[1, 0, 2], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 2, 0]])
def test_transposes_of_three_axes(perm):
    array = table("large").reshape(300, 20, 25)
    found = tf.sparse.transpose(sparse(array, "float64"), perm)
    rows = [tuple(row) for row in found.indices.numpy().tolist()]
    assert rows == sorted(rows)
    np.testing.assert_array_equal(dense(found), array.transpose(perm))


def test_sums_and_products_of_many_elements():
    ours, theirs = table("large"), table("large", seed=2)
    for scrambled in (False, True):
        a, b = (sparse(array, "float64", scrambled) for array in (ours, theirs))
        for _ in range(2):
            np.testing.assert_array_equal(dense(a + b), ours + theirs)
            np.testing.assert_array_equal(dense(a - b), ours - theirs)
            np.testing.assert_array_equal(dense(a * b), ours * theirs)


def test_repeated_elements_stay_together():
    """Where a list is divided among threads, equal rows are not."""
    indices = np.repeat(np.arange(1000), 100)[:, None]
    many = tf.SparseTensor(indices, tf.ones([100000]), [1000])
    one = tf.SparseTensor(np.arange(1000)[:, None], tf.fill([1000], 2.0), [1000])
    total = tf.sparse.add(many, one)
    assert total.values.shape == [100000]
    sums = tf.math.segment_sum(total.values, total.indices[:, 0])
    assert (sums.numpy() == 102).all()
    product = many * one
    assert product.values.shape == [100000]
    assert (product.values.numpy() == 2).all()


def test_indices_out_of_order_are_merged_without_loss():
    indices = np.random.default_rng(0).permutation(100000)[:, None]
    a = tf.SparseTensor(indices, tf.ones([100000]), [100000])
    total = tf.sparse.add(a, tf.sparse.reorder(a))
    assert float(tf.reduce_sum(total.values)) == 200000


@pytest.mark.parametrize(
    "layout",
    [
        [0, 1, 1, 3, 1, 0],
        [0, 1, 1, 4, 1, 0, 1],
        [1, 1, 1, 3, 1, 0, 1],
        [0, 2, 1, 3, 1, 0, 1],
        [0, 1, 1, 3, 1, 0, 2],
        [0, 1, 1, 3, 1, -1, 1],
        [0, 1, -5, 3, 1, 0, 1],
    ],
)
@pytest.mark.parametrize("adjoint", [False, True])
def test_layouts_that_do_not_fit_are_refused(layout, adjoint):
    indices, b = [[0, 1], [2, 0], [2, 1]], tf.ones([3 if adjoint else 2, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="layout"):
        _core.ops.sparse_matmul(
            tf.ones([3]), indices, b, tf.constant(layout, tf.int32), 3, 2, adjoint
        )
