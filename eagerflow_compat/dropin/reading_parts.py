"""The parts of a program that is read: modules, classes, functions, and what a generation lacks."""

from __future__ import annotations

import ast
import enum
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from eagerflow_compat.dropin.constant_values import UNKNOWN

Scope = dict[str, Any]


class Level(enum.IntEnum):
    """How certain it is that something runs."""

    CERTAIN = 0
    POSSIBLE = 1  # where a condition is unknown
    UNUSED = 2  # in functions that nothing names
    CAUGHT = 3  # where the program itself handles the exception


class Problem(NamedTuple):
    """Something that a generation does not do.

    `name` is a name that it has not, `.numpy()`, a keyword argument, or a check of the program's that
    fails. `declares` is true of what says which generation the program is for: checks, and calls that
    enable or disable eager execution.
    """

    name: str
    file: str
    line: int
    declares: bool = False


class Missing(Exception):
    """A name is missing where the program catches the exception that this raises."""

    def __init__(self, kind: str) -> None:
        self.kind = kind


class Function:
    """A function or method of the program."""

    def __init__(self, node: Any, module: Module, scopes: list[Scope], owner: Class | None):
        self.node, self.module, self.scopes, self.owner = node, module, scopes, owner
        self.runs = 0
        self.level: Level | None = None  # the most certain one at which it was followed


class Class:
    """A class of the program."""

    def __init__(self, node: ast.ClassDef, scope: Scope) -> None:
        self.name, self.scope = node.name, scope
        self.derived = bool(node.bases)


class Module:
    """A module of the program's own.

    `package` is the package that its relative imports count from, `path` its file, if that is known.
    """

    def __init__(
        self, name: str, tree: ast.Module, file: str, path: FilePath | None, package: str
    ) -> None:
        self.name, self.tree, self.file, self.package = name, tree, file, package
        self.scope: Scope = {"__name__": name, "__file__": str(path) if path else UNKNOWN}
        # Names that functions change are unknown outside of them, too.
        self.changed = {
            name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names
        }


def kinds_caught(handler: ast.ExceptHandler) -> frozenset[str]:
    """Which exceptions of missing names, and of failed checks, a handler catches."""
    if handler.type is None:
        return frozenset({"attribute", "import", "check"})
    kinds: set[str] = set()
    for node in ast.walk(handler.type):
        match getattr(node, "id", getattr(node, "attr", None)):
            case "ImportError" | "ModuleNotFoundError":
                kinds.add("import")
            case "AttributeError":
                kinds.add("attribute")
            case "AssertionError":
                kinds.add("check")
            case "Exception" | "BaseException":
                kinds |= {"attribute", "import", "check"}
    return frozenset(kinds)
