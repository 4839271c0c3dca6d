"""Functions of a namespace: their signatures are in its stub, their bodies are those of NumPy's."""

from __future__ import annotations

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
from eagerflow.util.declarations import define, parameter_names

_FAMILIES = (elementwise, reductions, shapes, creation, selection, products)


def maker(
    package: str, rules: Rules, decorate: Callable[[FunctionType], Any] = lambda function: function
) -> Callable[[str, str], Any]:
    """A factory of a package's functions from their names and signatures.

    Parameters of the signature are passed to the body by name. Leading ones with other names are
    passed by position: `mean(a, axis=None)` calls `mean(rules, x, axis)`.

    Args:
        package: the package's `__name__`.
        rules: how the arguments are converted and promoted.
        decorate: the functions' decorator.
    """

    def make(name: str, signature: str) -> Any:
        body = next(vars(family)[name] for family in _FAMILIES if name in vars(family))
        known = list(inspect.signature(body).parameters)[1:]
        own_names = parameter_names(f"{name}{signature}")
        passed = [f"{p}={p}" if p in known else p for p in own_names if p != "out"]
        check = ["_check_output(out)"] if "out" in own_names else []
        function = define(
            f"{name}{signature}",
            [*check, f"return _body(_rules, {', '.join(passed)})"],
            package,
            body.__doc__,
            _body=body,
            _rules=rules,
            _check_output=_check_output,
        )
        return decorate(function)

    return make


def _check_output(out: Any) -> None:
    if out is not None:
        raise ValueError("Setting out is not supported: tensors cannot be written into.")
