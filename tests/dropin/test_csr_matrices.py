"""Sparse matrices of tensorflow.python.ops.linalg.sparse."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow_compat.internals import csr_matrices as csr


def some(rng, *shape, dtype="float64"):
    """A dense array, most of whose elements are 0."""
    values = rng.normal(size=shape).astype(dtype)
    if np.iscomplexobj(values):
        values = values + 1j * rng.normal(size=shape)
    return values * (rng.uniform(size=shape) < 0.3)


def dense(product):
    return (product.to_dense() if isinstance(product, csr.CSRSparseMatrix) else product).numpy()


@pytest.mark.parametrize("flags", [{}, {"transpose_a": True}, {"adjoint_b": True}])
@pytest.mark.parametrize("batch", [(), (4,)])
@pytest.mark.parametrize("sparse", [(True, True), (True, False), (False, True)])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_products(flags, batch, sparse, dtype):
    rng = np.random.default_rng(1)
    shapes = [(5, 7), (7, 3)]
    if "transpose_a" in flags:
        shapes[0] = (7, 5)
    if "adjoint_b" in flags:
        shapes[1] = (3, 7)
    factors = [some(rng, *batch, *shape, dtype=dtype) for shape in shapes]
    expected = tf.matmul(*factors, **flags).numpy()
    given = [
        csr.CSRSparseMatrix(x) if is_sparse else tf.constant(x)
        for x, is_sparse in zip(factors, sparse, strict=True)
    ]
    product = csr.matmul(*given, **flags)
    assert isinstance(product, csr.CSRSparseMatrix) == all(sparse)
    np.testing.assert_allclose(dense(product), expected, atol=1e-12)
    if all(sparse):
        indices = product.to_sparse_tensor().indices.numpy().tolist()
        assert indices == sorted(indices)


def test_products_in_a_function_with_gradients():
    rng = np.random.default_rng(2)
    a, b = some(rng, 6, 5), some(rng, 5, 4)

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float64)] * 2)
    def loss(x, y):
        product = csr.matmul(csr.CSRSparseMatrix(x), csr.CSRSparseMatrix(y))
        return tf.reduce_sum(product.to_dense() ** 2)

    x, y = tf.constant(a), tf.constant(b)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        value = loss(x, y)
    np.testing.assert_allclose(value, np.sum((a @ b) ** 2))
    dx, dy = tape.gradient(value, [x, y])
    # Elements that are 0 are not stored, and have no gradient.
    np.testing.assert_allclose(dx, 2 * (a @ b) @ b.T * (a != 0))
    np.testing.assert_allclose(dy, 2 * a.T @ (a @ b) * (b != 0))


def test_a_product_without_elements():
    product = csr.matmul(csr.CSRSparseMatrix(np.eye(3)), csr.CSRSparseMatrix(np.zeros([3, 2])))
    assert product.shape == [3, 2]
    assert product.nnz() == 0
    assert dense(product).tolist() == [[0, 0]] * 3


def test_members():
    matrices = csr.CSRSparseMatrix(np.array([[[0, 1j], [2, 0]], [[0, 0], [0, 3]]]))
    assert matrices.shape == [2, 2, 2]
    assert matrices.dtype is tf.complex128
    assert matrices.nnz().numpy().tolist() == [2, 1]
    assert dense(matrices.transpose())[0].tolist() == [[0, 2], [1j, 0]]
    assert dense(matrices.hermitian_transpose())[0].tolist() == [[0, 2], [-1j, 0]]
    assert dense(matrices.conj())[0].tolist() == [[0, -1j], [2, 0]]
    assert csr.dense_shape_and_type(matrices._matrix) == ([2, 2, 2], tf.complex128)
    chosen = csr.CSRSparseMatrix(tf.constant([[0.0, 1], [2, 3]]), indices=[[0, 0], [1, 1]])
    assert chosen.to_sparse_tensor().values.numpy().tolist() == [0, 3]
    assert csr.CSRSparseMatrix(chosen).nnz() == 2


def test_parts_of_a_matrix():
    value = tf.sparse.from_dense([[0, 1.0, 0], [2, 0, 3]])
    matrix = csr.sparse_tensor_to_csr_sparse_matrix(value.indices, value.values, value.dense_shape)
    rows, columns, values = csr.csr_sparse_matrix_components(matrix, 0, tf.float32)
    assert rows.numpy().tolist() == [0, 1, 3]
    assert columns.numpy().tolist() == [1, 0, 2]
    assert values.numpy().tolist() == [1, 2, 3]
    several = csr.CSRSparseMatrix(np.array([[[1.0, 0]], [[0, 2]]]))._matrix
    rows, columns, values = csr.csr_sparse_matrix_components(several, 1, tf.float64)
    assert (rows.numpy().tolist(), columns.numpy().tolist()) == ([0, 1], [1])
    square = csr.sparse_matrix_sparse_mat_mul(matrix, matrix, tf.float32, transpose_b=True)
    assert csr.csr_sparse_matrix_to_dense(square, tf.float32).numpy().tolist() == [[1, 0], [0, 13]]
    indices, values, shape = csr.csr_sparse_matrix_to_sparse_tensor(square, tf.float32)
    assert shape.numpy().tolist() == [2, 2]
    turned = csr.sparse_matrix_transpose(matrix, tf.float32)
    product = csr.sparse_matrix_mat_mul(turned, [[1.0], [2.0]], transpose_output=True)
    assert product.numpy().tolist() == [[4, 1, 6]]


@pytest.mark.parametrize(
    "call",
    [
        lambda a: csr.CSRSparseMatrix(np.ones(3)),
        lambda a: csr.matmul(a, a),
        lambda a: csr.matmul(a, np.ones([2, 2])),
        lambda a: csr.matmul(a, csr.CSRSparseMatrix(np.ones([1, 3, 2]))),
        lambda a: csr.matmul(a, a, transpose_a=True, adjoint_a=True),
    ],
)
def test_what_does_not_fit(call):
    with pytest.raises(tf.errors.InvalidArgumentError):
        call(csr.CSRSparseMatrix(np.ones([2, 3])))
