"""tensorflow.python.util.dispatch: functions that a program's types override."""

from __future__ import annotations

import functools
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


def add_dispatch_support(target: Any = None, iterable_parameters: object = None) -> Any:
    """A decorator of functions that a program's types may override. They stay Python's functions."""
    if target is None:
        return add_dispatch_support
    dispatched = op_function(target)

    @functools.wraps(target)
    def function(*args: Any, **kwargs: Any) -> Any:
        return dispatched(*args, **kwargs)

    function._dispatched = dispatched  # type: ignore[attr-defined]
    return function
