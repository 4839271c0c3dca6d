"""The tool that runs packages' own tests under the drop-in."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "tools" / "ecosystem"


def tool() -> Any:
    spec = importlib.util.spec_from_file_location("ecosystem", FOLDER / "__main__.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tests_of_several_files_are_noted_also_where_a_process_ends(
    tmp_path: Path, monkeypatch: Any
) -> None:
    ecosystem = tool()
    monkeypatch.setattr(ecosystem, "FOLDER", tmp_path)
    tests = tmp_path / "package" / "tests"
    tests.mkdir(parents=True)
    (tests / "a_test.py").write_text(
        "import os\ndef test_good(): pass\ndef test_bad(): raise ValueError('why')\n"
        "def test_end(): os._exit(3)\ndef test_never(): pass\n"
    )
    (tests / "b_test.py").write_text("def test_good(): pass\n")
    files = ["tests/a_test.py", "tests/b_test.py"]
    kept = tmp_path / "kept.jsonl"
    results = ecosystem.run("package", kept, files, [sys.executable], {})
    outcomes = {(file[6], test): row["outcome"] for (file, test), row in results.items()}
    assert outcomes == {
        ("a", "test_good"): "passed",
        ("a", "test_bad"): "failed",
        ("a", "test_end"): "failed",
        ("b", "test_good"): "passed",
    }
    assert len(kept.read_text().splitlines()) == 4
    failures = [row for row in results.values() if row["outcome"] == "failed"]
    assert ("ValueError: why", 1) in ecosystem.families(failures)


def test_the_page_has_a_row_for_each_package(tmp_path: Path, monkeypatch: Any) -> None:
    ecosystem = tool()
    page = tmp_path / "ecosystem.md"
    page.write_text("Before\n<!-- counts -->\nold\n<!-- end of counts -->\nAfter\n")
    monkeypatch.setattr(ecosystem, "PAGE", page)
    counts = {
        "t3f": {"packages": "t3f 1.2.0", "files": 2, "tensorflow": 1000, "here": 990},
        "dm-sonnet": {"packages": "dm-sonnet 2.0.2", "files": 1, "tensorflow": 4, "here": 4},
    }
    ecosystem.write_page(counts)
    lines = page.read_text().splitlines()
    assert lines[0] == "Before" and lines[-1] == "After" and "old" not in lines
    assert lines[4:6] == [
        "| dm-sonnet 2.0.2 | 1 | 4 | 4 | 100.0% |",
        "| t3f 1.2.0 | 2 | 1,000 | 990 | 99.0% |",
    ]


def test_the_page_shows_the_counts_that_are_kept() -> None:
    counts = json.loads((FOLDER / "counts.json").read_text())
    page = (FOLDER.parents[1] / "docs" / "ecosystem.md").read_text()
    assert counts and all(row["packages"] in page for row in counts.values())


def test_unknown_packages_are_named() -> None:
    command = [sys.executable, str(FOLDER), "no-such-package"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "unknown: no-such-package" in done.stderr
