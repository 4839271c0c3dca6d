"""tensorflow.python.ops.linalg.linear_operator: what programs that define operators use."""

from __future__ import annotations

from typing import Any

from eagerflow.linear_operators.operator import LinearOperator
from eagerflow.linear_operators.spec import LinearOperatorSpec as _LinearOperatorSpec

__all__ = ["LinearOperator", "_LinearOperatorSpec", "make_composite_tensor"]


def make_composite_tensor(cls: Any, module_name: str = "tf.linalg") -> Any:
    """The class itself: every operator is a value made of its parameters."""
    return cls
