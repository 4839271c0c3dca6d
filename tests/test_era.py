"""The tool that runs a folder of programs."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

TOOL = Path(__file__).resolve().parent.parent / "tools" / "era.py"


@pytest.fixture(scope="module")
def era() -> Any:
    spec = importlib.util.spec_from_file_location("era", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PROGRAMS = {
    "first/sums.py": "import tensorflow as tf\nimport sys\nsys.path.insert(0, '../common')\n"
    "import net\nwith tf.Session() as session:\n    print(session.run(net.three()))\n",
    "common/net.py": "import tensorflow as tf\ndef three():\n    return tf.constant(3.0)\n",
    "package/__init__.py": "",
    "package/part.py": "raise ValueError('a module of a package is not run')\n",
    "second.py": "import tensorflow as tf\nprint(tf.constant(2.0).numpy())\nopen('written', 'w')\n",
    "fails.py": "raise ValueError('a | b')\n",
    "needs.py": "import no_such_package\n",
    "dies.py": "import os\nos.kill(os.getpid(), 9)\n",
}
# What answers for TensorFlow: no test has it installed.
STAND_IN = """\
class Constant(float):
    def numpy(self):
        return float(self) + OFFSET
constant = Constant
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in PROGRAMS.items():
        file = tmp_path / "programs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "programs"


def test_a_table_of_what_ended(era: Any, folder: Path) -> None:
    rows = list(era.measure(folder, None, 300, 2))
    assert [(row.program, row.generation, row.here.ended) for row in rows] == [
        ("dies.py", "2.x", False),
        ("fails.py", "2.x", False),
        ("first/sums.py", "1.x", True),
        ("needs.py", "2.x", False),
        ("second.py", "2.x", True),
    ]
    lines = list(era.table(rows))
    assert "| dies.py | 2.x | no |  | the process was ended by signal 9 |" in lines
    assert "| fails.py | 2.x | no |  | ValueError: a \\| b |" in lines
    assert "| first/sums.py | 1.x | yes |  |  |" in lines
    assert "2 of 4 programs ran to their end (50%)." in lines
    assert "1 are not counted: needs the package no_such_package (1)." in lines
    assert not (folder / "written").exists()


@pytest.mark.parametrize(("offset", "agreed"), [(0.0, "yes"), (1.0, "no")])
def test_what_tensorflow_prints_is_compared(
    era: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, offset: float, agreed: str
) -> None:
    programs, installed = tmp_path / "programs", tmp_path / "installed"
    programs.mkdir()
    installed.mkdir()
    (programs / "second.py").write_text(PROGRAMS["second.py"])
    (installed / "tensorflow.py").write_text(f"OFFSET = {offset}\n{STAND_IN}")
    monkeypatch.setenv("PYTHONPATH", str(installed), prepend=":")
    rows = list(era.measure(programs, sys.executable, 300, 1))
    (line,) = [line for line in era.table(rows) if line.startswith("| second.py")]
    assert line.startswith(f"| second.py | 2.x | yes | {agreed} |")
    assert ("on TensorFlow '3.0'" in line) is (agreed == "no")


def test_a_program_has_a_limit(era: Any, tmp_path: Path) -> None:
    (tmp_path / "long.py").write_text("import tensorflow\nwhile True:\n    pass\n")
    (row,) = era.measure(tmp_path, None, 0.1, 1)
    assert not row.here.ended and row.here.why == "no end within 0.1 seconds"


def test_outputs_agree_but_for_rounding_addresses_and_times(era: Any) -> None:
    for one, other in [
        ("loss: 0.12345", "loss: 0.12346"),
        ("<A object at 0x7f00>", "<A object at 0x80ff>"),
        ("10/10 - 3s 12ms/step - loss: 1.0", "10/10 - 4s 9ms/step - loss: 1.0"),
        ("[1. 2.]", "[1.0 2.0]"),
    ]:
        assert era.agrees(one, other), (one, other)
    for one, other in [("1 2", "1 2 3"), ("loss 1.0", "acc 1.0"), ("0.5", "0.6")]:
        assert not era.agrees(one, other), (one, other)
