"""Gradients of a matrix that several products read: they may be computed as one product."""

import numpy as np
import pytest

import eagerflow as tf

# Rows of each product, and the sizes of the matrix. Products of few rows are joined, others are not.
SIZES = [(1, 8, 9), (3, 40, 50), (3, 2, 5), (60, 8, 8), (20, 128, 512), (2, 64, 1)]
USES = [1, 2, 7, 50]


def products(matrix, factors, transposed):
    """The sum of the products' weighted elements."""
    total = 0.0
    for factor, weight in factors:
        total += tf.reduce_sum(tf.matmul(factor, matrix, transpose_b=transposed) * weight)
    return total


def drawn(rows, m, n, uses, dtype):
    """Left factors and weights of a sum of products."""
    generator = np.random.default_rng(rows + m + n + uses)

    def normal(*shape):
        values = generator.normal(size=shape)
        if np.dtype(dtype).kind == "c":
            values = values + 1j * generator.normal(size=shape)
        return values.astype(dtype)

    return normal(m, n), [(normal(rows, m), normal(rows, n)) for _ in range(uses)]


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("uses", USES)
@pytest.mark.parametrize("rows, m, n", SIZES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_the_gradient_is_the_sum_of_products(dtype, rows, m, n, uses, transposed):
    matrix, factors = drawn(rows, m, n, uses, dtype)
    expected = sum(np.conj(x).T @ np.conj(y) for x, y in factors)
    if transposed:
        matrix, expected = matrix.T, expected.T
    variable = tf.Variable(matrix)
    given = [(tf.constant(x), tf.constant(y)) for x, y in factors]

    def gradient(persistent):
        with tf.GradientTape(persistent=persistent) as tape:
            total = products(variable, given, transposed)
        return tape.gradient(total, variable)

    tolerance = 1e-11 if dtype == "float64" else 2e-3
    for found in (
        gradient(False),
        gradient(True),
        tf.function(gradient)(False),
        tf.function(gradient, jit_compile=True)(False),
    ):
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def test_rows_of_different_number_and_other_uses_are_added_up():
    matrix, factors = drawn(2, 30, 40, 5, "float32")
    _, more = drawn(9, 30, 40, 4, "float32")
    variable = tf.Variable(matrix)
    with tf.GradientTape() as tape:
        total = products(variable, factors + more, False) + tf.reduce_sum(variable * variable)
        total += tf.reduce_sum(tf.gather(variable, [1, 1, 5])) + tf.reduce_sum(variable[3:, 2])
    expected = 2 * matrix + sum(x.T @ y for x, y in factors + more)
    np.add.at(expected, [1, 1, 5], 1)
    expected[3:, 2] += 1
    np.testing.assert_allclose(tape.gradient(total, variable), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("traced", [False, True])
def test_second_gradients_go_through_the_joined_product(traced):
    matrix, factors = drawn(2, 20, 30, 6, "float64")
    variable = tf.Variable(matrix)

    def second():
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                total = sum(tf.reduce_sum(tf.matmul(x, variable) ** 3) for x, _ in factors)
            first = inner.gradient(total, variable)
            weighted = tf.reduce_sum(first * first)
        return first, outer.gradient(weighted, variable)

    first, found = (tf.function(second) if traced else second)()
    slope = sum(3 * x.T @ (x @ matrix) ** 2 for x, _ in factors)
    np.testing.assert_allclose(first, slope, rtol=1e-10)
    expected = sum(x.T @ (6 * (x @ matrix) * (x @ (2 * slope))) for x, _ in factors)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_a_loop_over_unknown_rows_has_the_same_gradient():
    matrix, factors = drawn(3, 20, 30, 6, "float64")
    variable = tf.Variable(matrix)
    spec = tf.TensorSpec([None, 20], tf.float64)

    @tf.function(input_signature=[spec, spec])
    def gradient(x, y):
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(x @ variable) + 2 * tf.reduce_sum(y @ variable)
        return tape.gradient(total, variable)

    x, y = factors[0][0], factors[1][0]
    expected = np.outer(x.sum(0) + 2 * y.sum(0), np.ones(30))
    np.testing.assert_allclose(gradient(x, y), expected, rtol=1e-12)


def test_jacobians_and_vectorized_maps_read_the_matrix_often():
    matrix, factors = drawn(1, 20, 30, 4, "float64")
    variable = tf.Variable(matrix)
    with tf.GradientTape(persistent=True) as tape:
        y = tf.add_n([tf.matmul(x, variable)[0, :5] for x, _ in factors])
    x = sum(x for x, _ in factors)[0]
    expected = np.zeros([5, 20, 30])
    for k in range(5):
        expected[k, :, k] = x
    np.testing.assert_allclose(tape.jacobian(y, variable), expected)
