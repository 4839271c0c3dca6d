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


def test_files_of_a_folder_import_what_is_installed(tmp_path: Path, monkeypatch: Any) -> None:
    ecosystem = tool()
    monkeypatch.setattr(ecosystem, "FOLDER", tmp_path / "kept")
    monkeypatch.setenv("PEERS", str(tmp_path))
    source = tmp_path / "suite" / "package" / "layers"
    source.mkdir(parents=True)
    (source / "a_test.py").write_text("from package.x import y\nfrom packages import z\n")
    package = {
        "install": [],
        "tests": "suite",
        "files": ["package/**/*_test.py"],
        "replace": {"from package(?=[. ])": "from package.src"},
    }
    site = tmp_path / "kept" / "package" / "packages"
    site.mkdir(parents=True)
    (site / ".installed").write_text("")
    assert ecosystem.prepare("package", package) == ["tests/package__layers__a_test.py"]
    copy = tmp_path / "kept" / "package" / "tests" / "package__layers__a_test.py"
    assert copy.read_text() == "from package.src.x import y\nfrom packages import z\n"
    assert ecosystem.prepare("package", package | {"tests": "no-such-suite"}) == []


def test_parts_of_a_package_are_counted_by_themselves(tmp_path: Path, monkeypatch: Any) -> None:
    ecosystem = tool()
    monkeypatch.setattr(ecosystem, "FOLDER", tmp_path)
    folder = tmp_path / "package"
    folder.mkdir()
    for side, outcomes in (
        ("here", "passed failed passed"),
        ("tensorflow", "passed passed passed"),
    ):
        files = ["tests/p__layers__a.py", "tests/p__layers__b.py", "tests/p__engine__c.py"]
        rows = [
            {"file": file, "test": "t", "outcome": outcome}
            for file, outcome in zip(files, outcomes.split(), strict=True)
        ]
        (folder / f"{side}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    package = {"install": ["package==1"], "parts": ["layers", "losses", "metrics"]}
    parts = {"layers": (1, 9, 9), "metrics": (1, 5, 4)}
    names = ("files", "tensorflow", "here")
    before = {"parts": {k: dict(zip(names, v, strict=True)) for k, v in parts.items()}}
    counted = ecosystem.count("package", package, before)
    assert counted == {
        "packages": "package 1",
        "files": 4,
        "tensorflow": 8,
        "here": 6,
        "parts": {
            "layers": {"files": 2, "tensorflow": 2, "here": 1},
            "metrics": {"files": 1, "tensorflow": 5, "here": 4},  # none of its files ran
            "others": {"files": 1, "tensorflow": 1, "here": 1},
        },
    }


def test_the_page_shows_the_counts_that_are_kept() -> None:
    counts = json.loads((FOLDER / "counts.json").read_text())
    page = (FOLDER.parents[1] / "docs" / "ecosystem.md").read_text()
    assert counts and all(row["packages"] in page for row in counts.values())


def test_unknown_packages_are_named() -> None:
    command = [sys.executable, str(FOLDER), "no-such-package"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "unknown: no-such-package" in done.stderr
