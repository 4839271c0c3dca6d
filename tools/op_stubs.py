"""Writes eagerflow/_core/ops.pyi: the types of the operation table's functions.

python tools/op_stubs.py            # write it
python tools/op_stubs.py --check    # fail if it is not up to date
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
STUB = ROOT / "eagerflow" / "_core" / "ops.pyi"

HEADER = '''\
"""The functions of the operation table; `python tools/op_stubs.py` writes this file from it."""

from collections.abc import Sequence

from eagerflow._core import Tensor
from eagerflow.typing import Axes, DTypeLike, ShapeLike, Size, TensorLike
'''

# Types by kind of parameter.
TYPES = {
    "tensor": "TensorLike",
    "tensors": "Sequence[TensorLike] | TensorLike",
    "int": "Size",
    "bool": "bool",
    "float": "float",
    "dtype": "DTypeLike",
    "ints": "ShapeLike",
    "shape": "ShapeLike",
    "enum": "str",
}
# Types of lists of integers that are no shapes, by name.
LISTS = {"axis": "Axes", "axes": "Axes", "paddings": "TensorLike"}


def annotation(name: str, kind: str) -> str:
    """The type of a parameter."""
    return LISTS.get(name, TYPES[kind]) if kind == "ints" else TYPES[kind]


def declaration(function: Any) -> str:
    """The stub of one function."""
    *parameters, _ = function.parameters
    required = [fallback is None for _, fallback in parameters]
    parts = []
    for i, ((name, fallback), kind) in enumerate(zip(parameters, function.kinds, strict=True)):
        accepted = annotation(name, kind)
        if fallback == "None":
            accepted += " | None"
        # A parameter before a required one has no default.
        default = "" if any(required[i:]) else f" = {fallback}".replace("'", '"')
        parts.append(f"{name}: {accepted}{default}")
    parts.append("name: str | None = None")
    if function.outputs is None:
        result = "list[Tensor]"
    elif function.outputs == 1:
        result = "Tensor"
    else:
        result = f"tuple[{', '.join(['Tensor'] * function.outputs)}]"
    line = f"def {function.__name__}({', '.join(parts)}) -> {result}: ..."
    if len(line) <= 100:
        return line
    line = f"    {', '.join(parts)}"
    if len(line) > 100:
        line = ",\n".join(f"    {part}" for part in parts) + ","
    return f"def {function.__name__}(\n{line}\n) -> {result}: ..."


def stub() -> str:
    """The stub's text."""
    from eagerflow import _core

    functions = [value for value in vars(_core.ops).values() if isinstance(value, _core.OpFunction)]
    functions.sort(key=lambda function: function.__name__)
    return HEADER + "\n" + "\n".join(map(declaration, functions)) + "\n"


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only compare")
    arguments = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    text = stub()
    if not arguments.check:
        STUB.write_text(text)
        return 0
    if STUB.exists() and STUB.read_text() == text:
        return 0
    print(f"{STUB.relative_to(ROOT)} is not up to date: run python tools/op_stubs.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
