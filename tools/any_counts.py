"""Counts the word `Any` in the annotations of each package.

Usage: any_counts.py
"""

import ast
import pathlib
from collections import Counter
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parent.parent


def annotations(tree: ast.AST) -> Iterator[ast.expr]:
    """The annotations of arguments, results and variables in a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            yield node.annotation
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            yield node.returns


def count(source: str) -> int:
    """The count of `Any` in the source's annotations, also inside other types.

    >>> count("def f(x: Any, y: dict[str, Any] | None = None) -> 'list[Any]': ...")
    3
    """
    total = 0
    for annotation in annotations(ast.parse(source)):
        for node in ast.walk(annotation):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                total += count(f"_: {node.value}")
            elif isinstance(node, ast.Name):
                total += node.id == "Any"
    return total


def package(path: pathlib.PurePath) -> str:
    """The package of a file: its folder; for Keras and the neighbour, the folder below.

    >>> package(pathlib.PurePath("eagerflow/keras/layers/core.py"))
    'eagerflow/keras/layers'
    >>> package(pathlib.PurePath("eagerflow/data/internals/codec.py"))
    'eagerflow/data'
    """
    folders = path.parent.parts
    deep = len(folders) > 1 and folders[:2] == ("eagerflow", "keras")
    return "/".join(folders[: 3 if deep else 2])


def files() -> list[pathlib.Path]:
    """The modules of both packages."""
    return [
        path
        for top in ("eagerflow", "eagerflow_compat")
        for path in sorted((ROOT / top).rglob("*.py"))
    ]


def counts() -> Counter[str]:
    """The words `Any` in annotations of each package."""
    found: Counter[str] = Counter()
    for path in files():
        found[package(path.relative_to(ROOT))] += count(path.read_text())
    return +found


if __name__ == "__main__":
    for name, number in sorted(counts().items()):
        print(f"{name:<40}{number:>7}")
    print(f"{'all':<40}{counts().total():>7}")
