"""Factors, solutions, inverses and determinants of matrices."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

import eagerflow as tf
from eagerflow._core import ops
from gradient_cases import call
from gradient_check import Case, spread, spread_complex

Spread = Callable[..., Any]


def _regular(make: Spread, shape: tuple[int, ...]) -> np.ndarray:
    """Matrices with large diagonals."""
    return make(shape, -1.0, 1.0) + 3.0 * np.eye(shape[-1])


def _positive(x: Any) -> Any:
    """A Hermitian matrix that is positive definite: rules read one triangle of such matrices."""
    return ops.matmul(x, x, adjoint_b=True) + tf.eye(x.shape[-2], dtype=x.dtype)


def _lower(x: Any) -> Any:
    return tf.linalg.band_part(x, -1, 0)


def _vectors(a: Any) -> Any:
    """Eigenvalues, and the squares of the vectors' sizes, which their signs do not change."""
    values, vectors = ops.eigh_factors(_positive(a))
    return [values, tf.abs(vectors) ** 2]


def _of_kind(make: Spread, label: str) -> list[Case]:
    one, batch, b = (3, 3), (2, 2, 2), make((3, 2), seed=5)
    a = _regular(make, one)
    cases = [
        Case("cholesky_factor", lambda x: _lower(ops.cholesky_factor(_positive(x))), [make(one)]),
        Case("cholesky_factor", lambda x: ops.cholesky_factor(_positive(x)), [make(batch)]),
        Case(
            "cholesky_factor_grad",
            lambda x, dy: ops.cholesky_factor_grad(ops.cholesky_factor(_positive(x)), _lower(dy)),
            [make(one), make(one, seed=3)],
        ),
        Case("lu_factors", lambda x: ops.lu_factors(x)[0], [a]),
        Case("lu_factors", lambda x: ops.lu_factors(x)[0], [_regular(make, batch)]),
        Case("qr_factors", lambda x: ops.qr_factors(x), [_regular(make, one)]),
        Case("qr_factors", lambda x: ops.qr_factors(x), [make((2, 4, 2))]),
        Case("eigh_factors", _vectors, [make(one)]),
        *(
            call(name, matrices)
            for name in ("lu_determinant", "lu_inverse", "cofactors")
            for matrices in (a, _regular(make, batch))
        ),
        # As in TensorFlow, signs have no gradient, although those of complex matrices turn.
        Case("lu_log_determinant", lambda x: tf.math.real(ops.lu_log_determinant(x)[1]), [a]),
        call("lu_inverse", a, adjoint=True),
        call("cofactors", np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]])),
        call("cofactors_grad", a, make(one, seed=7)),
        call("lu_solve", a, b),
        call("lu_solve", a, b, adjoint=True),
        call("lu_solve", _regular(make, batch), make((2, 2, 3))),
        *(
            call("triangle_solve", a, b, lower=lower, adjoint=adjoint)
            for lower, adjoint in itertools.product((True, False), repeat=2)
        ),
        call("triangle_solve", _regular(make, batch), make((2, 1))),
        call("tridiagonal_solve", make((3, 4)) + np.array([[0.0], [9.0], [0.0]]), make((4, 2))),
    ]
    for case in cases:
        case.label = " ".join(filter(None, [case.label, label]))
    return cases


CASES = [*_of_kind(spread, ""), *_of_kind(spread_complex, "complex")]
