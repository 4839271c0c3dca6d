"""The map between TensorFlow's operations and ours: `rules.txt`, read forwards.

A rule expresses an operation of TensorFlow by a call of ours. `call` runs it at once, or adds its nodes
to the graph that is being built.
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterator, Mapping
from types import CodeType
from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.errors import UnimplementedError
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.graphdef import conditions, host_operations, op_defs
from eagerflow.graphdef.op_defs import OpDef
from eagerflow.ops.array import invalid_argument
from eagerflow.util import lazy

# Modules that the expressions may name, imported on first use.
MODULES = {
    "composed": lazy.Module("eagerflow.graphdef.composed"),
    "corner_resizing": lazy.Module("eagerflow.image.corner_resizing"),
    "conversion": lazy.Module("eagerflow.sparse.conversion"),
    "cudnn_rnn": lazy.Module("eagerflow.graphdef.cudnn_rnn"),
    "gradient_ops": lazy.Module("eagerflow.graphdef.gradient_ops"),
    "manipulation": lazy.Module("eagerflow.strings.manipulation"),
    "recurrent_ops": lazy.Module("eagerflow.graphdef.recurrent_ops"),
    "sets": lazy.Module("eagerflow.ops.sets"),
    "sparse_ops": lazy.Module("eagerflow.graphdef.sparse_ops"),
    "summary_operations": lazy.Module("eagerflow.summary.operations"),
}

Tensor = _core.Tensor


@functools.cache
def table() -> dict[str, str]:
    """The expression of each operation; empty if it is the engine's operation of that name."""
    known = set(op_defs.names())
    return {name: "" for name in native() if name in known} | _written()


@functools.cache
def _written() -> dict[str, str]:
    """The expressions in `rules.txt`."""
    path = os.path.join(os.path.dirname(__file__), "rules.txt")
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            name, _, expression = line.strip().partition(": ")
            if name and not name.startswith("#"):
                found[name] = expression
    return found


@functools.cache
def native() -> dict[str, str]:
    """The name in `_core.ops` of each operation that is TensorFlow's of that name."""
    found: dict[str, str] = {}
    for name in dir(_core.ops):
        if not name.startswith("_"):
            found.setdefault(getattr(_core.ops, name).op_name, name)
    return found


@functools.cache
def expression(name: str) -> str:
    """The expression of an operation, which `rules.txt` may leave out."""
    text = _written().get(name)
    if text:
        return text
    definition = op_defs.find(name)
    assert definition is not None, name
    return f"ops.{native()[name]}({', '.join(argument.name for argument in definition.inputs)})"


@functools.cache
def _code(name: str) -> CodeType:
    return compile(expression(name), f"<{name}>", "eval")


def is_mapped(name: str) -> bool:
    """Whether there is a rule for an operation."""
    return name in _written() or (name in native() and op_defs.find(name) is not None)


def unknown(name: str, where: str = "") -> UnimplementedError:
    """The error about an operation without a rule."""
    if op_defs.find(name) is None:
        reason = "TensorFlow 2.21 has no operation of that name"
    else:
        reason = "eagerflow does not have it; docs/coverage.md lists those that it has"
    return UnimplementedError._of(f"Operation '{name}'{where} cannot run: {reason}.")


def call(definition: OpDef, arguments: Mapping[str, object]) -> list[Any]:
    """The results of an operation, one for each output that it declares.

    Args:
        definition: the operation.
        arguments: its inputs and attributes by name. Inputs are tensors, or lists of tensors.

    Raises:
        UnimplementedError: if there is no rule for it.
        InvalidArgumentError: if its arguments are invalid.
    """
    if not is_mapped(definition.name):
        raise unknown(definition.name)
    conditions.check(definition, arguments)
    result = _result(definition, arguments)
    if _core.building() is not None and not expression(definition.name).startswith("ops."):
        result = host_operations.whole(definition, arguments, result, _result)
    count = len(definition.outputs)
    if count == 0:
        return []
    if count == 1:
        return [result]
    return list(result)


def _result(definition: OpDef, arguments: Mapping[str, object]) -> Any:
    """The result of a rule.

    Raises:
        InvalidArgumentError: where the functions that it calls, which check what an operation would,
            raise ValueError for values.
    """
    with refusing(definition.name):
        return _evaluated(definition, arguments)


@contextlib.contextmanager
def refusing(name: str) -> Iterator[None]:
    """Lets the code that computes an operation raise what the operation would.

    Raises:
        InvalidArgumentError: in place of a ValueError, which checks raise for values, and of Python's own
            errors of indices, attributes and arithmetic, which mean that no check foresaw these values.
        ResourceExhaustedError: in place of a MemoryError.
    """
    try:
        yield
    except ValueError as error:
        if _core.building() is not None:
            raise
        raise invalid_argument(f"{error} [Op:{name}]") from error
    except Exception as error:
        _core.refuse_escaped(name, error)
        raise


def _evaluated(definition: OpDef, arguments: Mapping[str, object]) -> Any:
    return eval(_code(definition.name), {"tf": tf, "ops": _core.ops, **MODULES, **arguments})


def default(kind: str, value: Any) -> Any:
    """The default of an attribute as a value of its kind."""
    if kind == "type":
        return dtypes.as_dtype(value)
    if kind == "list(type)":
        return [dtypes.as_dtype(name) for name in value]
    if kind == "shape":
        return TensorShape(value)
    if kind == "list(shape)":
        return [TensorShape(sizes) for sizes in value]
    if kind == "tensor" and value is not None:  # a color, the only one
        return _core.convert(value, dtypes.uint8, None)
    return value
