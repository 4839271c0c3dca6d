"""Errors of type checkers in programs that use the package."""

import ast
import pathlib
import re
import subprocess
import sys

import pytest

import eagerflow as tf
from eagerflow import _core

ROOT = pathlib.Path(__file__).parent.parent
PROGRAM = ROOT / "tests" / "typed_program.py"


def found_by(*command: str, pattern: str) -> tuple[dict[int, str], str]:
    """The errors that a checker reports, by line, and its full output."""
    run = subprocess.run(
        [sys.executable, "-m", *command, str(PROGRAM)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert not run.stderr, run.stderr
    found = re.findall(rf"{PROGRAM.name}:{pattern}", run.stdout)
    return {int(line): message for line, message in found}, run.stdout


MISTAKES = {
    number: message
    for number, text in enumerate(PROGRAM.read_text().splitlines(), 1)
    for message in re.findall(r"# error: (.+)$", text)
}


def test_mypy_finds_mistakes_and_nothing_else():
    pytest.importorskip("mypy")
    found, said = found_by(
        "mypy", "--follow-imports=silent", "--no-pretty", pattern=r"(\d+): error: (.*)"
    )
    assert found.keys() == MISTAKES.keys(), said
    for number, message in MISTAKES.items():
        assert found[number].startswith(message), f"line {number}: {found[number]}"


def test_pyright_finds_mistakes_and_nothing_else():
    pytest.importorskip("basedpyright")
    found, said = found_by("basedpyright", "--level", "error", pattern=r"(\d+):\d+ - error: (.*)")
    assert found.keys() == MISTAKES.keys(), said


@pytest.mark.parametrize("cls", [tf.Tensor, _core.EagerTensor])
def test_the_stub_of_tensors_has_their_public_members(cls):
    stub = ast.parse((ROOT / "eagerflow" / "_core" / "__init__.pyi").read_text())
    listed = set()
    for statement in stub.body:
        if isinstance(statement, ast.ClassDef) and statement.name in ("Tensor", cls.__name__):
            for member in statement.body:
                if isinstance(member, ast.FunctionDef):
                    listed.add(member.name)
                elif isinstance(member, ast.AnnAssign):
                    listed.add(member.target.id)
    # NumPy's methods, which tensors have after `enable_numpy_behavior`.
    numpy_only = {"T", "astype", "clip", "ravel", "reshape", "size", "tolist", "transpose"}
    # Other packages' names are there to say what to write instead.
    members = {name for name in dir(cls) if name[0] != "_" and hasattr(cls, name)}
    assert members - numpy_only <= listed


def test_the_stub_of_operations_is_up_to_date():
    written = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "op_stubs.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert written.returncode == 0, written.stdout + written.stderr
