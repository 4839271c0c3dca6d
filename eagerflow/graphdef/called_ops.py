"""Operations on state that are called by themselves, as `tf.raw_ops` calls them, outside of any file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

import eagerflow as tf
from eagerflow import _core
from eagerflow.errors import InvalidArgumentError, UnimplementedError
from eagerflow.framework import dtypes
from eagerflow.framework.variable import ResourceHandle
from eagerflow.graphdef import importing
from eagerflow.graphdef.made_tables import table_of
from eagerflow.graphdef.op_defs import Argument, OpDef
from eagerflow.lookup.tables import Table

# What handles represent, by the names of arguments; others are variables.
_KINDS: dict[str, type] = {"table_handle": Table, "iterator": object, "handle": object}

# Types of values that are never handles.
_VALUES = (str, bytes, int, float, complex, dict, dtypes.DType, type(None), np.generic, np.ndarray)


def is_known(name: str) -> bool:
    """Whether there is a handler for an operation."""
    return importing.handler_of(name) is not None


def names() -> frozenset[str]:
    """The operations that there are."""
    return frozenset(importing.handlers())


def check_dtype(definition: OpDef, argument: Argument, value: object) -> None:
    """Checks that a value is no tensor of another dtype than the one that an argument has.

    Raises:
        InvalidArgumentError: if it is.
        TypeError: if it is, while a graph is being built.
    """
    if not isinstance(value, _core.Tensor) or value.dtype.name == argument.type:
        return
    if _core.building() is not None:
        raise TypeError(
            f"Input '{argument.name}' of '{definition.name}' Op has type {value.dtype.name} that does not "
            f"match expected type of {argument.type}."
        )
    raise InvalidArgumentError._of(
        f"cannot compute {definition.name} as input #{definition.inputs.index(argument)}(zero-based) "
        f"was expected to be a {argument.type} tensor but is a {value.dtype.name} tensor "
        f"[Op:{definition.name}]"
    )


def resource(definition: OpDef, argument: Argument, value: object) -> Any:
    """The variable or table of a handle; for an iterator, the handle itself.

    Raises:
        InvalidArgumentError: if it is a tensor.
        TypeError: if it is no handle of that kind.
    """
    if argument.type == "resource":
        check_dtype(definition, argument, value)
    found = value.variable if isinstance(value, ResourceHandle) else value
    kind = _KINDS.get(argument.name, _core.Variable)
    if (
        type(found) in (list, tuple)
        or isinstance(found, _VALUES)
        or (isinstance(found, _core.Variable | Table) and not isinstance(found, kind))
    ):
        wanted = "a handle" if kind is object else f"the handle of a {kind.__name__}"
        raise TypeError(
            f"Cannot convert {value!r} to EagerTensor of dtype resource: '{argument.name}' has to be "
            f"{wanted} [Op:{definition.name}]"
        )
    return found


def call(definition: OpDef, inputs: Mapping[str, object], attrs: Mapping[str, object]) -> list[Any]:
    """The results of an operation, one for each output that it declares.

    Args:
        definition: the operation.
        inputs: its inputs by name: tensors, variables and tables, or lists of them.
        attrs: its attributes; functions are Python functions.
    """
    node = SimpleNamespace(op=definition.name, name=definition.name, attr=attrs)
    handler = importing.handlers()[definition.name]
    results = handler(_Caller(attrs), node, dict(inputs), dict(attrs))
    return [ResourceHandle(r) if isinstance(r, _core.Variable) else r for r in results]


class _Caller:
    """The builder that handlers use when no graph is imported.

    Args:
        attrs: the attributes of the operation, whose functions can be called.
    """

    files: frozenset[str] = frozenset()

    def __init__(self, attrs: Mapping[str, Any]) -> None:
        given = [
            item
            for value in attrs.values()
            for item in (value if isinstance(value, list) else [value])
            if callable(item) and hasattr(item, "name")
        ]
        self._functions = {function.name: function for function in given}

    def call(self, name: str, arguments: Sequence[_core.Tensor]) -> list[Any]:
        """The results of a function that is an attribute."""
        found = self._functions[name](*arguments)
        return [] if found is None else list(tf.nest.flatten(found))

    @staticmethod
    def resource(node: Any, attrs: Mapping[str, object]) -> Any:
        """The table of an operation that makes one."""
        if "key_dtype" not in attrs:
            raise UnimplementedError._of(
                f"{node.op} makes a variable without a value: make a tf.Variable and pass its handle."
            )
        return table_of(attrs)
