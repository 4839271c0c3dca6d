"""The map between TensorFlow's operations and ours: `rules.txt`, read backwards."""

from __future__ import annotations

import ast
import functools
import inspect
from typing import Any, NamedTuple

import eagerflow as tf
from eagerflow import _core
from eagerflow.graphdef import op_defs, rules
from eagerflow.graphdef.op_defs import OpDef


class Inverse(NamedTuple):
    """What an operation of the engine is in GraphDef."""

    definition: OpDef
    # Our parameters by the names of TensorFlow's inputs and attributes.
    parameters: dict[str, str]


@functools.cache
def table() -> dict[str, Inverse]:
    """The operation of TensorFlow for each of ours that a rule calls with nothing but names.

    Of several, the one with our operation's name takes precedence, then the first.
    """
    found: dict[str, Inverse] = {}
    for name, (function, names) in _plain_calls().items():
        if not function.startswith("ops."):
            continue
        ours = function.removeprefix("ops.")
        inverse = _inverse(name, names, [key for key, _ in getattr(_core.ops, ours).parameters])
        if inverse is not None:
            if getattr(_core.ops, ours).op_name == name:
                found[ours] = inverse
            found.setdefault(ours, inverse)
    return found


def of_function(function: Any) -> Inverse | None:
    """The operation of TensorFlow whose rule only calls a function."""
    for name in _by_last_name().get(getattr(function, "__name__", ""), ()):
        path, names = _plain_calls()[name]
        root, *parts = path.split(".")
        public: Any = tf if root == "tf" else rules.MODULES[root]
        for part in parts:
            public = getattr(public, part)
        if (public.__module__, public.__name__) == (function.__module__, function.__name__):
            return _inverse(name, names, list(inspect.signature(function).parameters))
    return None


@functools.cache
def _plain_calls() -> dict[str, tuple[str, list[tuple[str, str]]]]:
    """The rules that call a function with nothing but names: it, and pairs of parameter and name.

    Positional arguments have no parameter.
    """
    found = {}
    for name in rules.table():
        tree = ast.parse(rules.expression(name), mode="eval").body
        if isinstance(tree, ast.Call):
            given = [("", value) for value in tree.args]
            given += [(str(keyword.arg), keyword.value) for keyword in tree.keywords]
            names = [(key, value.id) for key, value in given if isinstance(value, ast.Name)]
            if len(names) == len(given):
                found[name] = (ast.unparse(tree.func), names)
    return found


@functools.cache
def _by_last_name() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, (function, _) in _plain_calls().items():
        if not function.startswith("ops."):
            found.setdefault(function.rpartition(".")[2], []).append(name)
    return found


def _inverse(name: str, names: list[tuple[str, str]], parameters: list[str]) -> Inverse | None:
    """The operation with our parameter for each name; None if an input has none."""
    definition = op_defs.find(name)
    assert definition is not None
    ours = {theirs: key or parameters[k] for k, (key, theirs) in enumerate(names)}
    if all(argument.name in ours for argument in definition.inputs):
        return Inverse(definition, ours)
    return None
