"""tf.raw_ops: TensorFlow's operations by their own names, called with keyword arguments.

>>> tf.raw_ops.Sum(input=tf.constant([[1.0, 2.0], [3.0, 4.0]]), axis=[0]).numpy()
array([4., 6.], dtype=float32)
"""

from __future__ import annotations

import collections
import contextlib
import functools
import re
import typing
from collections.abc import Callable

import numpy as np

from eagerflow import _core
from eagerflow.errors import InvalidArgumentError
from eagerflow.framework import context, dtypes
from eagerflow.graphdef import conditions, op_defs, rules
from eagerflow.graphdef.op_defs import Argument, Attribute, OpDef
from eagerflow.util import lazy

# Operations on variables, tables and functions: few programs call them.
called_ops = lazy.Module("eagerflow.graphdef.called_ops")
hints = lazy.Module("eagerflow.util.hints")

# The names of arguments that differ from those in files.
_RENAMED = {
    **dict.fromkeys(
        ("All", "Any", "EuclideanNorm", "Max", "Mean", "Min", "Prod", "Sum"),
        {"reduction_indices": "axis"},
    ),
    "ExpandDims": {"dim": "axis"},
    "Select": {"t": "x", "e": "y"},
    "Split": {"split_dim": "axis"},
    "SplitV": {"split_dim": "axis"},
    "Squeeze": {"squeeze_dims": "axis"},
    "Where": {"input": "condition"},
}


# Converters of numeric attributes, and the types of others, by kind. `rules.default` converts dtypes and
# shapes.
_NUMBERS: dict[str, Callable[[typing.Any], typing.Any]] = {"int": int, "float": float}
_TYPES: dict[str, tuple[type, ...]] = {"string": (str, bytes), "bool": (bool, np.bool_)}

# Where a word of a name begins: errors say `add_v2`.
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<!^)(?=[A-Z][a-z])")


def __getattr__(name: str) -> typing.Any:
    known = rules.is_mapped(name) or called_ops.is_known(name)
    # Rules exist for some operations that TensorFlow does not declare.
    if name.startswith("_") or not known or op_defs.find(name) is None:
        raise AttributeError(f"module 'tensorflow.raw_ops' has no attribute {name!r}")
    return _function(name)


def __dir__() -> list[str]:
    return sorted(called_ops.names().union(rules.table()).intersection(op_defs.names()))


@functools.cache
def _function(name: str) -> Callable[..., typing.Any]:
    definition = op_defs.find(name)
    assert definition is not None, name
    renamed = _RENAMED.get(name, {})
    deduced = definition.deduced()
    inputs = {renamed.get(arg.name, arg.name): arg for arg in definition.inputs}
    attributes = {
        renamed.get(attr.name, attr.name): attr
        for attr in definition.attributes.values()
        if attr.name not in deduced
    }
    required = [*inputs, *(key for key, attr in attributes.items() if attr.required)]
    keys = [*required, *(key for key in attributes if key not in required), "name"]

    shown_name = _WORDS.sub("_", name).lower()

    def raw_op(*args: typing.Any, **kwargs: typing.Any) -> typing.Any:
        if args:
            raise TypeError(
                f"{shown_name} only takes keyword args (possible keys: {keys}). Please pass these args "
                "as kwargs instead."
            )
        missing = [key for key in required if key not in kwargs]
        if missing:
            shown = " and ".join(map(repr, missing))
            raise TypeError(
                f"{shown_name}() missing {len(missing)} required positional argument"
                f"{'s' * (len(missing) > 1)}: {shown}"
            )
        for key in kwargs:
            if key not in keys:
                hint = hints.of_keyword(key, keys)
                raise TypeError(f"{shown_name}() got an unexpected keyword argument '{key}'{hint}")
        arguments = _tensors(definition, {arg.name: kwargs[key] for key, arg in inputs.items()})
        values = {
            attr.name: rules.default(attr.kind, _attribute(key, attr, kwargs, shown_name))
            for key, attr in attributes.items()
        }
        if not rules.is_mapped(name):
            values |= _deduced(definition, arguments)
        graph = context.building_graph()
        if graph is None or _core.building().building_function:
            return run(arguments, values)
        return graph.named(name, kwargs.get("name"), lambda: run(arguments, values))

    def run(arguments: dict[str, typing.Any], given: dict[str, typing.Any]) -> typing.Any:
        if rules.is_mapped(name):
            return _result(definition, rules.call(definition, {**arguments, **given}))
        conditions.check(definition, {**arguments, **given})
        with rules.refusing(name):
            return _result(definition, called_ops.call(definition, arguments, given))

    raw_op.keys = keys  # type: ignore[attr-defined]
    raw_op.__name__ = raw_op.__qualname__ = shown_name
    raw_op.__doc__ = f"TensorFlow's operation `{name}`; takes {', '.join(keys)} by keyword."
    return raw_op


def _attribute(
    key: str, attr: Attribute, given: dict[str, typing.Any], shown_name: str
) -> typing.Any:
    """The value of an attribute: the argument, or the default, for which None stands, too.

    Raises:
        TypeError: if it has another type.
    """
    value = given.get(key)
    if value is None and not attr.required:
        return attr.default
    kind = attr.kind.removeprefix("list(").removesuffix(")")
    if kind == attr.kind:
        return _converted(key, kind, value)
    if not isinstance(value, list | tuple):
        raise TypeError(f"Expected list for '{key}' argument to '{shown_name}' Op, not {value!r}.")
    return [_converted(key, kind, item) for item in value]


def _converted(key: str, kind: str, value: typing.Any) -> typing.Any:
    """A value for an attribute of a kind.

    Raises:
        TypeError: if it has another type.
    """
    if kind in _NUMBERS:
        if value is not None and not isinstance(value, str | bytes | list | tuple | dict):
            with contextlib.suppress(TypeError, ValueError, OverflowError):
                return _NUMBERS[kind](value)
    elif kind == "func":
        if callable(value) and hasattr(value, "name"):
            return value
        raise InvalidArgumentError._of(
            f"unable to set function value attribute from a {type(value).__name__} object: '{key}' has "
            "to be a ConcreteFunction"
        )
    elif kind == "type":
        if value is not None:
            return value
        kind = "DataType"
    elif isinstance(value, _TYPES.get(kind, object)):
        return value
    raise TypeError(f"Expected {kind} for argument '{key}' not {value!r}.")


def _tensors(definition: OpDef, given: dict[str, typing.Any]) -> dict[str, typing.Any]:
    """The inputs as tensors; those that share a type attribute have the dtype of the first."""
    types: dict[str, typing.Any] = {}
    for arg in definition.inputs:
        value = given[arg.name]
        for item in value if not arg.is_single else [value]:
            if isinstance(item, _core.Tensor | _core.Variable):
                types.setdefault(arg.type, item.dtype)

    def converted(arg: Argument, value: typing.Any) -> typing.Any:
        if arg.type == "resource" or arg.is_ref:
            return called_ops.resource(definition, arg, value)
        if isinstance(value, _core.Tensor) and value.dtype is dtypes.variant:
            return value  # the flow of a TensorArray, a float in TensorFlow, is a variant here
        if arg.type not in definition.attributes:
            called_ops.check_dtype(definition, arg, value)
            return _core.convert(value, dtypes.as_dtype(arg.type), None)
        if arg.is_list:
            return _core.as_tensor(value)
        if isinstance(value, _core.Tensor):
            return value  # the operation checks its dtype
        tensor = _core.convert(value, types.get(arg.type), None)
        types.setdefault(arg.type, tensor.dtype)
        return tensor

    return {
        arg.name: converted(arg, given[arg.name])
        if arg.is_single
        else [converted(arg, item) for item in given[arg.name]]
        for arg in definition.inputs
    }


def _deduced(definition: OpDef, arguments: dict[str, typing.Any]) -> dict[str, typing.Any]:
    """The attributes that the inputs determine."""
    attributes: dict[str, typing.Any] = {}
    for arg in definition.inputs:
        value = arguments[arg.name]
        if arg.number:
            attributes[arg.number] = len(value)
        if arg.is_list:
            attributes[arg.type] = [item.dtype for item in value]
        elif arg.type in definition.attributes and (arg.is_single or value):
            attributes[arg.type] = (value if arg.is_single else value[0]).dtype
    return attributes


def _result(definition: OpDef, outputs: list[typing.Any]) -> typing.Any:
    if not outputs:
        return None
    if len(outputs) == 1:
        return outputs[0]
    kind = _results(definition.name, tuple(argument.name for argument in definition.outputs))
    return kind(*outputs)


@functools.cache
def _results(name: str, fields: tuple[str, ...]) -> typing.Any:
    return collections.namedtuple(name, fields)
