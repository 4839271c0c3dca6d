"""`and`, `or`, `not` and comparisons for equality."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.autograph.operators.staging import is_staged
from eagerflow.ops import control_flow

_ops = _core.ops


def and_(first: Callable[[], object], second: Callable[[], object]) -> Any:
    """`first() and second()`."""
    value = first()
    if is_staged(value):
        value = _core.as_tensor(value)
        return control_flow.cond(value, second, lambda: value)
    return value and second()


def or_(first: Callable[[], object], second: Callable[[], object]) -> Any:
    """`first() or second()`."""
    value = first()
    if is_staged(value):
        value = _core.as_tensor(value)
        return control_flow.cond(value, lambda: value, second)
    return value or second()


def not_(value: Any) -> _core.Tensor | bool:
    """`not value`."""
    return _ops.logical_not(value) if is_staged(value) else not value


def eq(left: Any, right: Any) -> Any:
    """`left == right`."""
    return _ops.equal(left, right) if is_staged(left) or is_staged(right) else left == right


def not_eq(left: object, right: object) -> _core.Tensor | bool:
    """`left != right`."""
    return not_(eq(left, right))
