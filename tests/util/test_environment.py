"""docs/environment.md lists the environment variables. Run as a script, this writes its tables."""

import ast
import importlib
import re
from pathlib import Path

import pytest

from eagerflow.util import environment

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "environment.md"
_MARK = "<!-- variables -->"
_READ_IN_CPP = re.compile(r"\bgetenv\(([^)]*)\)")
_READERS = ("environ.get", "environ.setdefault", "environ.pop", "getenv")


def _tables():
    lines = []
    for title, variables in environment.VARIABLES.items():
        lines += [f"## {title}", "", "| variable | default | meaning |", "|---|---|---|"]
        for each in variables:
            names = ", ".join(f"`{name}`" for name in each.name.split())
            reader = f" (read by {each.reader})" if each.reader else ""
            lines.append(f"| {names} | {each.default} | {each.meaning}{reader} |")
        lines.append("")
    return "\n".join(lines)


def _constants(path):
    """The strings that a module's constants hold, by the constants' names."""
    found = {}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            strings = [n.value for n in ast.walk(node.value) if isinstance(n, ast.Constant)]
            found[node.targets[0].id] = [value for value in strings if isinstance(value, str)]
    return found


def _names(node, path):
    """The variables that an expression may name: itself, or what a constant or a loop over one holds."""
    if isinstance(node, ast.Constant):
        return [node.value]
    tree, constants = ast.parse(path.read_text()), _constants(path)
    if isinstance(node, ast.Name) and node.id in constants:
        text = constants[node.id]
        if text:
            return text
        (value,) = (
            each.value
            for each in tree.body
            if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == node.id
        )
        module = next(
            importlib.import_module(f"{each.module}.{value.value.id}")
            for each in ast.walk(tree)
            if isinstance(each, ast.ImportFrom)
            and value.value.id in [alias.name for alias in each.names]
        )
        return [getattr(module, value.attr)]
    for loop in ast.walk(tree):
        if isinstance(loop, ast.For) and ast.unparse(node) in ast.unparse(loop.target):
            return constants.get(ast.unparse(loop.iter), [])
    return []


def _read_in_python(path):
    text = path.read_text()
    if "environ" not in text and "getenv" not in text:
        return
    for node in ast.walk(ast.parse(text)):
        name = None
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(_READERS):
            name = node.args[0]
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "os.environ":
            name = node.slice
        elif isinstance(node, ast.Compare) and ast.unparse(node.comparators[0]) == "os.environ":
            name = node.left
        if name is not None:
            names = _names(name, path)
            assert names, f"{path}:{node.lineno} reads a variable whose name is not a constant."
            yield from names


def _read(*folders):
    found = set()
    for folder in folders:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".cpp", ".h") and "core/tests" not in str(path):
                for argument in _READ_IN_CPP.findall(path.read_text()):
                    assert argument.startswith('"'), f"{path} reads a variable by {argument}."
                    found.add(argument.strip('"'))
            # What lists the variables reads whichever are set.
            elif path.suffix == ".py" and path.name != "doctor.py":
                found.update(_read_in_python(path))
    return found


def test_the_page_has_the_tables():
    text = PAGE.read_text()
    assert _tables() in text, f"Run `python {Path(__file__).relative_to(ROOT)}`."


def test_every_variable_that_is_read_is_listed():
    assert not _read("core", "eagerflow", "eagerflow_compat") - set(environment.names())


def test_every_variable_that_is_listed_is_read():
    listed = {
        name
        for group in environment.VARIABLES.values()
        for each in group
        if not each.reader
        for name in each.name.split()
    }
    assert not listed - _read("core", "eagerflow", "eagerflow_compat")


def test_names_are_listed_once():
    assert len(set(environment.names())) == len(environment.names())


@pytest.mark.parametrize(
    "text", ["os.environ['A' + x]", "os.environ.get(name)", "name in os.environ"]
)
def test_names_that_are_not_constants_are_noticed(text, tmp_path):
    path = tmp_path / "module.py"
    path.write_text(text)
    with pytest.raises(AssertionError, match="not a constant"):
        list(_read_in_python(path))


if __name__ == "__main__":
    before, _, rest = PAGE.read_text().partition(_MARK)
    PAGE.write_text(f"{before}{_MARK}\n\n{_tables()}\n{_MARK}{rest.partition(_MARK)[2]}")
