"""tf.linalg.experimental: systems of equations of linear operators."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.linear_operators.operator import LinearOperator
from eagerflow.ops.control_flow import while_loop
from eagerflow.ops.conversion import convert_to_tensor
from eagerflow.ops.linalg.products import norm
from eagerflow.typing import TensorLike

_ops = _core.ops

CGState = namedtuple("CGState", ["i", "x", "r", "p", "gamma"])


def conjugate_gradient(
    operator: LinearOperator,
    rhs: TensorLike,
    preconditioner: LinearOperator | None = None,
    x: TensorLike | None = None,
    tol: float = 1e-5,
    max_iter: int = 20,
    name: str = "conjugate_gradient",
) -> CGState:
    """Solves `A x = rhs` by conjugate gradients (Hestenes and Stiefel, 1952).

    Args:
        operator: A, self-adjoint and positive definite, `[..., n, n]`.
        rhs: the right-hand sides, `[..., n]`.
        preconditioner: an approximation of A's inverse.
        x: where to begin; zeros by default.
        tol: the steps end where all residuals are at most this part of `rhs`, by Euclid's norm.
        max_iter: how many steps there are at most.

    Returns:
        A named tuple of the number of steps `i`, the solution `x`, the residual `r`, the next
        direction `p`, and `gamma`, the product of residual and preconditioned residual.

    Raises:
        ValueError: if the operator is not known to be self-adjoint and positive definite.

    >>> a = tf.linalg.LinearOperatorFullMatrix(
    ...     [[4.0, 1.0], [1.0, 3.0]], is_self_adjoint=True, is_positive_definite=True
    ... )
    >>> tf.linalg.experimental.conjugate_gradient(a, [1.0, 2.0]).x.numpy().round(4)
    array([0.0909, 0.6364], dtype=float32)
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError("Expected a self-adjoint, positive definite operator.")
    rhs = convert_to_tensor(rhs, operator.dtype, name="rhs")

    def dot(a: _core.Tensor, b: _core.Tensor) -> _core.Tensor:
        return _ops.reduce_sum(_ops.conj(a) * b if a.dtype.is_complex else a * b, -1)

    def conditioned(r: TensorLike) -> Any:
        return r if preconditioner is None else preconditioner.matvec(r)

    if x is None:
        x, r = _ops.zeros_like(rhs), rhs
    else:
        x = convert_to_tensor(x, rhs.dtype, name="x")
        r = rhs - operator.matvec(x)
    p = conditioned(r)
    allowed = tol * norm(rhs, axis=-1)

    def goes_on(i: Any, x: _core.Tensor, r: Any, p: object, gamma: _core.Tensor) -> _core.Tensor:
        return _ops.logical_and(i < max_iter, _ops.reduce_any(norm(r, axis=-1) > allowed))

    def step(i: Any, x: _core.Tensor, r: Any, p: Any, gamma: _core.Tensor) -> tuple[Any, ...]:
        z = operator.matvec(p)
        alpha = (gamma / dot(p, z))[..., None]
        x, r = x + alpha * p, r - alpha * z
        q = conditioned(r)
        new = dot(r, q)
        return i + 1, x, r, q + (new / gamma)[..., None] * p, new

    start = (convert_to_tensor(0, dtypes.int32), x, r, p, dot(r, p))
    return CGState(*while_loop(goes_on, step, start))
