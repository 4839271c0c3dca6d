"""tensorflow.python.ops.linalg.linear_operator: what programs that define operators use."""

from __future__ import annotations

from typing import Any

from eagerflow.linear_operators.dense import LinearOperatorFullMatrix
from eagerflow.linear_operators.diagonal import LinearOperatorDiag
from eagerflow.linear_operators.operator import LinearOperator
from eagerflow.linear_operators.spec import LinearOperatorSpec as _LinearOperatorSpec

__all__ = ["LinearOperator", "_LinearOperatorSpec", "add_operators", "make_composite_tensor"]


def make_composite_tensor(cls: Any, module_name: str = "tf.linalg") -> Any:
    """The class itself: every operator is a value made of its parameters."""
    return cls


def add_operators(
    operators: list[Any], operator_name: str | None = None, **options: object
) -> list[Any]:
    """A list with one operator, the sum of all."""
    first, *others = operators
    hints = {
        hint: True
        for hint in ("is_self_adjoint", "is_positive_definite")
        if all(getattr(operator, hint) for operator in operators)
    }
    if all(isinstance(operator, LinearOperatorDiag) for operator in operators):
        diagonal = first.diag
        for operator in others:
            diagonal = diagonal + operator.diag
        return [LinearOperatorDiag(diagonal, name=operator_name or "sum", **hints)]
    matrix = first.to_dense()
    for operator in others:
        matrix = matrix + operator.to_dense()
    return [LinearOperatorFullMatrix(matrix, name=operator_name or "sum", **hints)]
