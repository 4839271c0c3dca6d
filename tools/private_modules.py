"""Writes eagerflow_compat/dropin/private_modules.txt: the modules below tensorflow.{python,core,compiler}.

    python tools/private_modules.py     # with a Python that has TensorFlow

A line has a module's path, and the names in it whose public name is not the same, or not that of
version 2 where version 2 has one (`eagerflow_compat/dropin/private_names.py` derives the others). Of
modules of which nothing exists here it has the names that are not public.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "eagerflow_compat" / "dropin" / "private_modules.txt"
HEADER = """\
# The modules below tensorflow.python, .core and .compiler, and what in them has another public name.
# Written by tools/private_modules.py from TensorFlow 2.21.
"""
# Tests, generated code and tools that no program imports.
LEFT_OUT = (
    "__pycache__",
    "_test",
    "tests",
    "doctest",
    "python.tools",
    "python.debug.cli",
    "compiler.mlir",
    "lite.",
)


def modules(root: str) -> list[str]:
    """The paths of all modules, packages included."""
    found = ["tools"]
    for top in ("python", "core", "compiler", "tools/docs", "dtensor"):
        for folder, _, files in os.walk(os.path.join(root, top)):
            path = os.path.relpath(folder, root).replace(os.sep, ".")
            found.append(path)
            found += [f"{path}.{f[:-3]}" for f in files if f.endswith(".py") and f[0] != "_"]
    return sorted({m for m in found if not any(part in m for part in LEFT_OUT)} - {""})


def other_names(module: Any, second: set[str]) -> dict[str, str]:
    """The names that a module defines and exports, and that the rule does not derive."""
    from tensorflow.python.util import tf_decorator

    renamed = {}
    for name, value in list(vars(module).items()):
        if name.startswith("__"):
            continue
        _, inner = tf_decorator.unwrap(value)
        attributes = getattr(inner, "__dict__", {})
        new = [p for p in attributes.get("_tf_api_names", ()) if "__" not in p]
        old = [p for p in attributes.get("_tf_api_names_v1", ()) if "__" not in p]
        if not (new or old) or getattr(inner, "__module__", None) != module.__name__:
            continue
        base = name.removesuffix("_v2").removesuffix("V2").removesuffix("_v1").removesuffix("V1")
        is_first = name.endswith(("_v1", "V1"))
        ends = {path.split(".")[-1]: path for path in reversed(new or old)}
        if base in ends or name in ends:
            if new or is_first or name not in second:
                continue
        path = ends.get(name) or ends.get(base) or min(new or old, key=lambda p: p.count("."))
        renamed[name] = path if new else f"compat.v1.{path}"
    return renamed


def areas() -> tuple[str, ...]:
    """The beginnings of the paths of modules of which nothing exists here."""
    path = ROOT / "eagerflow" / "util" / "unavailable.py"
    spec = importlib.util.spec_from_file_location("unavailable", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return tuple(f"tensorflow.{area}." for area in module.AREAS)


def own_names(module: Any, areas: tuple[str, ...]) -> list[str]:
    """The functions, classes and constants of a module and its neighbours that are not public."""
    from tensorflow.python.util import tf_decorator

    found = []
    for name, value in vars(module).items():
        if name.startswith(("__", "TV_")) or ("gen_" in module.__name__ and name[0] == "_"):
            continue
        _, inner = tf_decorator.unwrap(value)
        exported = getattr(inner, "__dict__", {})
        public = [
            path
            for names in ("_tf_api_names", "_tf_api_names_v1")
            for path in exported.get(names, ())
            if not path.startswith("raw_ops.")
        ]
        defined = f"{getattr(inner, '__module__', '')}.".startswith(areas)
        if isinstance(value, str | int | float) and name.isupper() or defined and not public:
            found.append(name)
    return sorted(found)


def public_names() -> set[str]:
    """The last parts of all public names of version 2."""
    from tensorflow.python.util import tf_decorator

    names = set()
    for module in list(sys.modules.values()):
        if module.__name__.startswith("tensorflow.python."):
            for value in list(vars(module).values()):
                attributes = getattr(tf_decorator.unwrap(value)[1], "__dict__", {})
                names.update(path.split(".")[-1] for path in attributes.get("_tf_api_names", ()))
    return names


def main() -> None:
    """Writes the list."""
    import tensorflow

    second = public_names()
    lines = []
    absent = areas()
    for path in modules(os.path.dirname(tensorflow.__file__)):
        if f"tensorflow.{path}.".startswith(absent):
            try:
                importlib.import_module(f"tensorflow.{path}")
            except ImportError as error:
                print(f"{path}: {error}", file=sys.stderr)
        module = sys.modules.get(f"tensorflow.{path}")
        renamed = {} if module is None or "keras" in path else other_names(module, second)
        names = [f"{name}={public}" for name, public in renamed.items()]
        if module is not None and f"tensorflow.{path}.".startswith(absent):
            names += own_names(module, absent)
        lines.append(" ".join([path, *names]))
    LIST.write_text(HEADER + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
