"""Which generation of TensorFlow a program was written for, judged by the names it uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from eagerflow.dropin.facade import resolve

# Keyword arguments that went away with the first generation.
_OLD_KEYWORDS = frozenset({"keep_dims", "reduction_indices", "keep_prob", "feed_dict"})


def generation_of(source: str, folder: Path | None = None) -> str:
    """The generation, "1.x" or "2.x", of a program.

    Names that only one of the generations has decide, those of modules beside the program that
    it imports included. A program that uses both, or neither, counts as 2.x, unless it uses
    `tf.contrib`.

    Args:
        source: the program's text.
        folder: where its own modules are.

    >>> from eagerflow.dropin.recognise import generation_of
    >>> generation_of("import tensorflow as tf; print(tf.constant(1))")
    '2.x'
    >>> generation_of("import tensorflow as tf; sess = tf.Session()")
    '1.x'
    """
    old, new = set(), set()
    for path in _names_used(source, folder):
        if path.startswith("__"):
            continue  # modules' own names are those of both generations
        if path.split(".")[0] == "contrib" or path.startswith("keyword:"):
            old.add(path)
            continue
        first, second = _exists("eagerflow.compat.v1", path), _exists("eagerflow", path)
        if first and not second:
            old.add(path)
        elif second and not first:
            new.add(path)
    if any(path.startswith("contrib") for path in old):
        return "1.x"
    return "1.x" if len(old) > len(new) else "2.x"


def _exists(root: str, path: str) -> bool:
    # Two levels tell the generations apart; what hangs below may be an instance's attribute.
    return resolve(".".join([root, *path.split(".")[:2]])) is not None


def _names_used(source: str, folder: Path | None) -> Iterator[str]:
    """Dotted names below `tensorflow` in a program and in its own modules."""
    pending: list[str] = [source]
    seen: set[str] = set()
    while pending:
        try:
            tree = ast.parse(pending.pop())
        except SyntaxError:
            continue
        usage = _Usage()
        usage.visit(tree)
        yield from usage.names
        for module in usage.modules - seen:
            seen.add(module)
            if folder is None:
                continue
            stem = folder.joinpath(*module.split("."))
            for file in (stem.with_suffix(".py"), stem / "__init__.py"):
                if file.is_file():
                    pending.append(file.read_text(encoding="utf-8", errors="replace"))


class _Usage(ast.NodeVisitor):
    """Collects what a module uses of TensorFlow, and which other modules it imports."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.modules: set[str] = set()
        self._aliases: dict[str, str] = {}

    def visit_Import(self, node: ast.Import) -> None:
        for name in node.names:
            package, _, inside = name.name.partition(".")
            if package != "tensorflow":
                self.modules.add(name.name)
                continue
            if inside:
                self.names.add(inside)
            self._aliases[name.asname or "tensorflow"] = inside if name.asname else ""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        package, _, inside = (node.module or "").partition(".")
        if package != "tensorflow" or node.level:
            if node.module:
                self.modules.add(node.module)
            self.modules.update(name.name for name in node.names if not node.module)
            return
        for name in node.names:
            path = f"{inside}.{name.name}".lstrip(".")
            self.names.add(path)
            self._aliases[name.asname or name.name] = path

    def visit_Attribute(self, node: ast.Attribute) -> None:
        path = self._dotted(node)
        if path is None:
            self.generic_visit(node)
        elif not path.startswith(("compat.", "python.")):
            self.names.add(path)

    def visit_Call(self, node: ast.Call) -> None:
        for keyword in node.keywords:
            if keyword.arg in _OLD_KEYWORDS:
                self.names.add(f"keyword:{keyword.arg}")
        self.generic_visit(node)

    def _dotted(self, node: ast.expr) -> str | None:
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self._aliases:
            return None
        return ".".join(filter(None, [self._aliases[node.id], *reversed(parts)]))
