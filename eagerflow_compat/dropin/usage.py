"""What a program uses of TensorFlow and Keras, read from its syntax tree: nothing of it is run."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from eagerflow_compat.dropin.own_modules import OwnModules, absolute, package_of

PACKAGES = ("tensorflow", "keras", "tf_keras", "eagerflow")

# Exceptions that a program catches where it asks whether something is there.
_MISSING = frozenset(
    {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"}
)
_VERSIONS = frozenset({"__version__", "VERSION"})


class Use(NamedTuple):
    """A dotted name, such as `tensorflow.nn.relu`, where a program has it.

    `asked` is true where the program itself asks whether the name is there, or which version it runs on.
    """

    path: str
    line: int
    asked: bool


class Usage(ast.NodeVisitor):
    """What one module uses.

    Args:
        source: the module's text.

    Raises:
        SyntaxError: if it is no Python.

    >>> from eagerflow_compat.dropin.usage import Usage
    >>> Usage("import tensorflow as tf; relu = tf.nn.relu; relu(1)").uses
    [Use(path='tensorflow', line=1, asked=False), Use(path='tensorflow.nn.relu', line=1, asked=False)]
    """

    def __init__(self, source: str) -> None:
        self.uses: list[Use] = []
        self.keywords: set[str] = set()  # of all calls
        self.modules: dict[str, Use] = {}  # other modules, and where they are first imported
        self._asked = 0
        # What names stand for, from the outermost scope to the innermost: a path, or something else.
        self._scopes: list[dict[str, str | None]] = [{}]
        self._flags: set[str] = set()  # names that hold what a test of the version gave
        self._later: list[Callable[[], None]] = []
        self.visit(ast.parse(source))
        while self._later:
            self._later.pop(0)()

    def _add(self, path: str, line: int) -> None:
        self.uses.append(Use(path, line, self._asked > 0))

    def _add_module(self, name: str, line: int) -> None:
        self.modules.setdefault(name, Use(name, line, self._asked > 0))

    def visit_Import(self, node: ast.Import) -> None:
        for name in node.names:
            root = name.name.split(".")[0]
            if root not in PACKAGES:
                self._add_module(name.name, node.lineno)
                self._bind(name.asname or root, None)
                continue
            self._add(name.name, node.lineno)
            self._bind(name.asname or root, name.name if name.asname else root)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        ours = not node.level and module.split(".")[0] in PACKAGES
        if not ours:
            source = "." * node.level + module
            dot = "." if module else ""
            # What is imported from a package may be a module of it.
            for found in [source, *(f"{source}{dot}{name.name}" for name in node.names)]:
                self._add_module(found, node.lineno)
        for name in node.names:
            if name.name == "*":
                if ours:
                    self._add(module, node.lineno)
                continue
            path = f"{module}.{name.name}"
            if ours:
                self._add(path, node.lineno)
            self._bind(name.asname or name.name, path if ours else None)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        path = self._path(node)
        if path is None:
            self.generic_visit(node)
        elif isinstance(node.ctx, ast.Load):
            self._add(path, node.lineno)

    def visit_Call(self, node: ast.Call) -> None:
        self.keywords.update(keyword.arg for keyword in node.keywords if keyword.arg)
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._bind(node.id, None)

    def visit_Assign(self, node: ast.Assign) -> None:
        path = self._path(node.value)
        self.visit(node.value)
        asks = self._asks(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._bind(target.id, path)
                if asks:
                    self._flags.add(target.id)
            else:
                self.visit(target)

    def visit_Try(self, node: ast.Try) -> None:
        asks = any(_catches_missing(handler) for handler in node.handlers)
        self._visit_all([*node.body, *node.handlers], asks)
        self._visit_all([*node.orelse, *node.finalbody], False)

    def visit_If(self, node: ast.If | ast.IfExp) -> None:
        asks = self._asks(node.test)
        self._visit_all([node.test], asks)
        for part in (node.body, node.orelse):
            self._visit_all(part if isinstance(part, list) else [part], asks)

    visit_IfExp = visit_If

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._bind(node.name, None)
        self._visit_all([*node.decorator_list, *([node.returns] if node.returns else [])], False)
        self._function(node.args, node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._function(node.args, [node.body])

    def _function(self, arguments: ast.arguments, body: Sequence[ast.AST]) -> None:
        self.visit(arguments)
        named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        named += [extra for extra in (arguments.vararg, arguments.kwarg) if extra]
        scopes: list[dict[str, str | None]] = [*self._scopes, {name.arg: None for name in named}]
        asked = self._asked

        # A body runs after the module that defines the function, whose names it then finds.
        def visit_body() -> None:
            self._scopes, self._asked = scopes, asked
            self._visit_all(body, False)

        self._later.append(visit_body)

    def _visit_all(self, nodes: Sequence[ast.AST], asks: bool) -> None:
        self._asked += asks
        for node in nodes:
            self.visit(node)
        self._asked -= asks

    def _bind(self, name: str, path: str | None) -> None:
        self._scopes[-1][name] = path

    def _path(self, node: ast.AST) -> str | None:
        """The path that a name or a chain of attributes stands for."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        for scope in reversed(self._scopes):
            if node.id in scope:
                start = scope[node.id]
                return ".".join([start, *reversed(parts)]) if start else None
        return None

    def _asks(self, test: ast.AST) -> bool:
        """Whether a condition depends on the version, or on what there is."""
        return any(
            (isinstance(node, ast.Attribute) and node.attr in _VERSIONS)
            or (isinstance(node, ast.Name) and node.id in {"hasattr", *self._flags})
            for node in ast.walk(test)
        )


def _catches_missing(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    return any(isinstance(n, ast.Name) and n.id in _MISSING for n in ast.walk(handler.type))


def modules_of(source: str, name: str, own: OwnModules) -> Iterator[tuple[str, Usage]]:
    """What a program uses, and then what its own modules use, each with the name of its file.

    Args:
        source: the program's text.
        name: the name of its file.
        own: where its own modules are.

    Raises:
        SyntaxError: if the program is no Python. Its modules that are none are passed over.
    """
    usage = Usage(source)
    yield name, usage
    yield from reached(_imported(usage, own.package), own, seen={Path(name).stem})


def reached(
    names: Sequence[str], own: OwnModules, root: str = "", seen: set[str] | None = None
) -> Iterator[tuple[str, Usage]]:
    """What modules use, and those that they import, each with the name of its file.

    Args:
        names: the full names of the first modules.
        own: where modules are.
        root: the package that is not left; empty for all that `own` has.
        seen: the names of modules that are passed over.
    """
    pending, seen = list(names), seen or set()
    while pending:
        for part, file in own.find(pending.pop(0)):
            if part in seen or (root and part.partition(".")[0] != root):
                continue
            seen.add(part)
            if file is None:
                continue
            try:
                usage = Usage(file.read_text(encoding="utf-8", errors="replace"))
            except (SyntaxError, ValueError):
                continue
            yield str(file), usage
            pending += _imported(usage, package_of(part, file))


def _imported(usage: Usage, package: str) -> list[str]:
    """The full names of the modules that a module of a package imports."""
    names = [(name.lstrip("."), name) for name in usage.modules]
    full = [absolute(bare, len(name) - len(bare), package) for bare, name in names]
    return [name for name in full if name]
