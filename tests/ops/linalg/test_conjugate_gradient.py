"""Conjugate gradients; counts of steps are TensorFlow's."""

import numpy as np
import pytest

import eagerflow as tf

MATRIX = np.array([[4, 1, 0], [1, 3, 1], [0, 1, 2]], "float64")
RHS = tf.constant([1.0, 2.0, 3.0], tf.float64)
solve = tf.linalg.experimental.conjugate_gradient


def operator(matrix=MATRIX, **hints):
    hints = hints or {"is_self_adjoint": True, "is_positive_definite": True}
    return tf.linalg.LinearOperatorFullMatrix(matrix, **hints)


def test_solutions():
    found = solve(operator(), RHS)
    np.testing.assert_allclose(found.x, np.linalg.solve(MATRIX, RHS))
    assert int(found.i) == 3 and float(found.gamma) < 1e-20
    several = solve(operator(np.stack([MATRIX, 2 * MATRIX])), tf.stack([RHS, RHS])).x
    np.testing.assert_allclose(several[1], found.x / 2)
    traced = tf.function(lambda rhs: solve(operator(), rhs, x=[0.1, 0.2, 0.3]).x)
    np.testing.assert_allclose(traced(RHS), found.x)


@pytest.mark.parametrize(("tol", "steps"), [(0.5, 1), (0.1, 3), (1e-5, 3)])
def test_the_tolerance_is_a_part_of_the_right_hand_side(tol, steps):
    assert int(solve(operator(), RHS, tol=tol).i) == steps
    assert int(solve(operator(), RHS * 1000.0, tol=tol).i) == steps


def test_a_preconditioner_changes_the_steps():
    inverse = tf.linalg.LinearOperatorDiag(1 / np.diag(MATRIX))
    first = solve(operator(), RHS, inverse, max_iter=1)
    np.testing.assert_allclose(first.x, [0.1807, 0.4818, 1.0842], atol=1e-4)
    np.testing.assert_allclose(first.gamma, 0.23988044, rtol=1e-5)


def test_other_matrices_are_refused():
    with pytest.raises(ValueError, match="self-adjoint, positive definite"):
        solve(operator(is_self_adjoint=True), RHS)
