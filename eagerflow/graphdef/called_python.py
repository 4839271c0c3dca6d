"""Calls of a program's Python functions: a file has their names, but not their code."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.errors import InvalidArgumentError
from eagerflow.graphdef.state_ops import Handler


def _call(builder: object, node: Any, inputs: dict, attrs: dict) -> list[Any]:
    """A node that fails when it runs, not when it is imported."""
    token = attrs["token"]
    token = token.decode(errors="replace") if isinstance(token, bytes) else token
    message = (
        f"callback {token} is not found: node '{node.name}' ({node.op}) calls a Python function of the "
        "program that wrote the file, and files hold no Python code. Write the file without "
        "tf.py_function and tf.numpy_function, or run what does not need this node."
    )

    def run(*values: object) -> list[Any]:
        raise InvalidArgumentError._of(message)

    if _core.building() is None:
        return run()
    outputs = [(dtype, None) for dtype in attrs["Tout"]]
    has_effects = node.op != "PyFuncStateless"
    return [_core.host_node(run, inputs["input"], outputs, node.op, has_effects)]


HANDLERS: dict[str, Handler] = dict.fromkeys(("PyFunc", "PyFuncStateless", "EagerPyFunc"), _call)
