"""tensorflow.python.util.dispatch: functions that a program's types override."""

from __future__ import annotations

from typing import Any

from eagerflow.experimental.dispatch import (
    dispatch_for_api,
    dispatch_for_binary_elementwise_apis,
    dispatch_for_binary_elementwise_assert_apis,
    dispatch_for_unary_elementwise_apis,
    unregister_dispatch_for,
)
from eagerflow.experimental.fallback_dispatch import (
    GlobalOpDispatcher,
    OpDispatcher,
    dispatch_for_types,
)
from eagerflow.framework.op_function import op_function

__all__ = [
    "GlobalOpDispatcher",
    "OpDispatcher",
    "add_dispatch_support",
    "dispatch_for_api",
    "dispatch_for_binary_elementwise_apis",
    "dispatch_for_binary_elementwise_assert_apis",
    "dispatch_for_types",
    "dispatch_for_unary_elementwise_apis",
    "unregister_dispatch_for",
]


def add_dispatch_support(target: Any = None, iterable_parameters: Any = None) -> Any:
    """A decorator of functions that a program's types may override."""
    return op_function if target is None else op_function(target)
