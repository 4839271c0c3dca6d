"""What type checkers find in programs that use the package."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parent.parent
PROGRAM = ROOT / "tests" / "typed_program.py"


def test_mypy_finds_mistakes_and_nothing_else():
    pytest.importorskip("mypy")
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--follow-imports=silent", "--no-pretty", str(PROGRAM)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert not run.stderr, run.stderr
    found = {
        int(line): message
        for line, message in re.findall(rf"{PROGRAM.name}:(\d+): error: (.*)", run.stdout)
    }
    expected = {
        number: message
        for number, text in enumerate(PROGRAM.read_text().splitlines(), 1)
        for message in re.findall(r"# error: (.+)$", text)
    }
    assert found.keys() == expected.keys(), run.stdout
    for number, message in expected.items():
        assert found[number].startswith(message), f"line {number}: {found[number]}"


def test_the_stub_of_operations_is_up_to_date():
    written = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "op_stubs.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert written.returncode == 0, written.stdout + written.stderr
