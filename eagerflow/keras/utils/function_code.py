"""Python functions as text: the compiled code, the defaults and the closure."""

from __future__ import annotations

import codecs
import marshal
import types
from typing import Any


def dump_function(function: Any) -> tuple[str, Any, Any]:
    """The code in base 64, the default values, and the values in the closure."""
    code = codecs.encode(marshal.dumps(function.__code__), "base64").decode("ascii")
    closure = function.__closure__
    cells = tuple(cell.cell_contents for cell in closure) if closure else None
    return code, function.__defaults__, cells


def load_function(dumped: object, names: dict[str, Any] | None = None) -> types.FunctionType:
    """The function that `dump_function` described.

    Only for trusted text: it may contain any code.

    Args:
        dumped: the result of `dump_function`; its tuples may be lists.
        names: the globals of the function; by default those of this module and `tf`.
    """
    code, defaults, closure = dumped if isinstance(dumped, list | tuple) else (dumped, None, None)
    if isinstance(defaults, list):
        defaults = tuple(tuple(value) if isinstance(value, list) else value for value in defaults)
    cells = None if closure is None else tuple(types.CellType(value) for value in closure)
    compiled = marshal.loads(codecs.decode(code.encode("ascii"), "base64"))
    if names is None:
        import eagerflow

        names = {"tf": eagerflow, "__builtins__": __builtins__}
    return types.FunctionType(
        compiled, names, name=compiled.co_name, argdefs=defaults, closure=cells
    )
