"""The tool that runs tests of other projects."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

TOOL = Path(__file__).resolve().parent.parent / "tools" / "peers.py"


def peers() -> Any:
    spec = importlib.util.spec_from_file_location("peers", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_counts_are_read_from_what_suites_print() -> None:
    counts_of = peers().counts_of
    assert counts_of("a\tok\n{'failed': 1, 'passed': 3, 'private': 5}\n4 tests pass now") == (3, 4)
    assert counts_of("{'pass': 3, 'fail': 1, 'timeout': 1, 'skip': 9}\nothers") == (3, 5)
    assert counts_of("sum_of\n    here: 1\n2 of 3 programs answer as TensorFlow") == (2, 3)
    assert counts_of("nothing of the kind") is None


def test_suites_run_in_a_folder_of_their_own(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    suite.mkdir()
    (suite / "run.py").write_text("import sys\nprint({'passed': len(sys.argv)})")
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs" / "programs.py").write_text("print('1 of 2 programs answer')")
    module = peers()
    assert module.run(suite) == (2, 2)
    assert module.run(tmp_path / "programs") == (1, 2)
    module.COUNTS = tmp_path / "counts.json"
    arguments, sys.argv = sys.argv, ["peers", str(tmp_path)]
    try:
        assert module.main() == 0
    finally:
        sys.argv = arguments
    assert (
        module.COUNTS.read_text().split() == '{ "programs": [ 1, 2 ], "suite": [ 2, 2 ] }'.split()
    )
