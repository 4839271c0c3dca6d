"""Operations of the engine that files have as functions of TensorFlow's operations.

A reader that knows the operation runs it in place of the function, which is a loop. Other readers run the
function: `_implements` is TensorFlow's attribute of functions that do what a known operation does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eagerflow import _core
from eagerflow.graphdef import attributes
from eagerflow.protos.graph import MESSAGES

OPERATIONS = frozenset({"gru", "lstm", "simple_rnn"})

_IMPLEMENTS = "_implements"
_PREFIX = "eagerflow."


def described(op: str, attrs: dict[str, str]) -> dict[str, Any]:
    """The attributes of a function that stands for an operation.

    Args:
        op: the operation.
        attrs: its attributes.
    """
    message = MESSAGES["AttrValue"]()
    message.func.name = f"{_PREFIX}{op}"
    for name, value in attrs.items():
        attributes.fill_as(message.func.attr[name], value)
    return {_IMPLEMENTS: message}


def operation_of(function: Any) -> str | None:
    """The operation of the engine that a FunctionDef stands for; None if there is none."""
    if _IMPLEMENTS not in function.attr:
        return None
    name = function.attr[_IMPLEMENTS].func.name.removeprefix(_PREFIX)
    return name if name in OPERATIONS else None


def run(function: Any, op: str, arguments: Sequence[Any]) -> list[Any]:
    """The results of the operation that a FunctionDef stands for.

    Args:
        function: the FunctionDef message.
        op: the operation.
        arguments: the function's arguments, which are the operation's.

    Raises:
        ValueError: if the function has another number of results.
    """
    declared = function.attr[_IMPLEMENTS].func.attr
    attrs = {name: attributes.value_of(value, "string") for name, value in declared.items()}
    results = list(getattr(_core.ops, op)(*arguments, **attrs))
    if len(results) != len(function.signature.output_arg):
        raise ValueError(f"{op} has {len(results)} results, and the function another number.")
    return results
