"""Functions made from declarations, which give a name and parameters as text."""

from __future__ import annotations
import __future__

import ast
from collections.abc import Iterable
from types import FunctionType
from typing import Any


def parameter_names(declaration: str) -> list[str]:
    """The names of the parameters of a declaration.

    >>> from eagerflow.util.declarations import parameter_names
    >>> parameter_names("add(x: int, y: int = 2)")
    ['x', 'y']
    """
    definition: Any = ast.parse(f"def {declaration}: ...").body[0]
    return [parameter.arg for parameter in definition.args.args]


def define(
    declaration: str, body: Iterable[str], module: str, doc: str | None, **names: Any
) -> FunctionType:
    """The function of a declaration; its annotations stay text.

    Args:
        declaration: the name and the parameters, as in a definition.
        body: the statements.
        module: the `__name__` of the module that has the function.
        doc: the documentation.
        **names: what the body and the parameters' defaults refer to.

    >>> from eagerflow.util.declarations import define
    >>> define("add(x: int, y: int = 2)", ["return x + y"], __name__, "Adds.")(3)
    5
    """
    source = "\n    ".join([f"def {declaration}:", *body])
    flags = __future__.annotations.compiler_flag
    scope = {"__name__": module, **names}
    exec(compile(source, f"<{module}>", "exec", flags), scope)
    function: Any = scope[declaration.partition("(")[0]]
    function.__doc__ = doc
    return function
