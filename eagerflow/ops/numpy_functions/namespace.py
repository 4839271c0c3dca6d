"""Functions of a namespace: their signatures are in its stub, their bodies are those of NumPy's."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

from eagerflow.ops.numpy_functions import (
    creation,
    elementwise,
    products,
    reductions,
    selection,
    shapes,
)
from eagerflow.ops.numpy_functions.rules import Rules

_FAMILIES = (elementwise, reductions, shapes, creation, selection, products)


def maker(
    package: str, rules: Rules, decorate: Callable[[FunctionType], Any] = lambda function: function
) -> Callable[[str, str], Any]:
    """What makes a package's functions from their names and signatures.

    A parameter of the signature is that of the body which has its name. Others, which precede
    these, are the body's first ones: `mean(a, axis=None)` calls `mean(rules, x, axis)`.

    Args:
        package: the package's `__name__`.
        rules: how the arguments are converted and promoted.
        decorate: the functions' decorator.
    """

    def make(name: str, signature: str) -> Any:
        body = next(vars(family)[name] for family in _FAMILIES if name in vars(family))
        tree = ast.parse(f"def {name}{signature}:\n    return _body(_rules)")
        definition: Any = tree.body[0]
        _pass_on(
            definition.args, definition.body[0].value, list(inspect.signature(body).parameters)[1:]
        )
        if any(parameter.arg == "out" for parameter in definition.args.args):
            definition.body[:0] = ast.parse("_no_output(out)").body
        names = {"__name__": package, "_body": body, "_rules": rules, "_no_output": _no_output}
        exec(compile(ast.fix_missing_locations(tree), f"<{package}>", "exec"), names)
        function: Any = names[name]
        function.__doc__ = body.__doc__
        return decorate(function)

    return make


def _pass_on(parameters: ast.arguments, call: ast.Call, known: list[str]) -> None:
    """Adds a function's parameters to the call of its body, and removes their annotations."""
    for index, parameter in enumerate(parameters.args):
        parameter.annotation = None
        name = parameter.arg
        value = ast.Name(name, ast.Load())
        if name == "out":
            continue
        if name not in known or known[index : index + 1] == [name]:
            call.args.append(value)
        else:
            call.keywords.append(ast.keyword(name, value))


def _no_output(out: Any) -> None:
    if out is not None:
        raise ValueError("Setting out is not supported: tensors cannot be written into.")
