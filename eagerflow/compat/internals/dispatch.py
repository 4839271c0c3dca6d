"""tensorflow.python.util.dispatch: functions that a program's types override."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow.experimental.dispatch import (
    dispatch_for_api,
    dispatch_for_binary_elementwise_apis,
    dispatch_for_unary_elementwise_apis,
)
from eagerflow.framework.op_function import op_function

__all__ = [
    "add_dispatch_support",
    "dispatch_for_api",
    "dispatch_for_binary_elementwise_apis",
    "dispatch_for_types",
    "dispatch_for_unary_elementwise_apis",
]


def add_dispatch_support(target: Any = None, iterable_parameters: Any = None) -> Any:
    """A decorator of functions that a program's types may override."""
    return op_function if target is None else op_function(target)


def dispatch_for_types(op: Any, *types: type) -> Callable[[Any], Any]:
    """A decorator that makes a function what runs where an argument of `op` has one of the types."""

    def register(function: Any) -> Any:
        import inspect

        for parameter in inspect.signature(op).parameters:
            if parameter != "name":
                for kind in types:
                    dispatch_for_api(op, {parameter: kind})(function)
        return function

    return register
