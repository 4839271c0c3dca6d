"""Runs tests that TensorFlow and Keras 2 wrote for themselves, and notes how many pass.

python tools/peers.py FOLDER            # all suites that the folder has
python tools/peers.py FOLDER keras2     # some of them

A suite is a folder with `run.py`, which runs the tests and prints their counts, or `programs.py`,
which prints how many programs answer as TensorFlow does. Nothing of them is part of this project.
The counts are kept in `tools/peer_counts.json`, and `docs/coverage.md` shows them.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

COUNTS = Path(__file__).resolve().parent / "peer_counts.json"
_PASSED = ("passed", "pass")
_FAILED = ("failed", "fail", "timeout", "load error")
_PROGRAMS = re.compile(r"(\d+) of (\d+) programs answer")


def counts_of(output: str) -> tuple[int, int] | None:
    """How many tests passed, and how many there are, from what a suite printed.

    >>> counts_of("{'failed': 1, 'passed': 3, 'private': 5}\\n4 tests pass now")
    (3, 4)
    >>> counts_of("2 of 3 programs answer as TensorFlow")
    (2, 3)
    """
    for line in reversed(output.splitlines()):
        if found := _PROGRAMS.search(line):
            return int(found[1]), int(found[2])
        if line.startswith("{"):
            counts = ast.literal_eval(line)
            passed = sum(counts.get(kind, 0) for kind in _PASSED)
            return passed, passed + sum(counts.get(kind, 0) for kind in _FAILED)
    return None


def run(suite: Path) -> tuple[int, int] | None:
    """Runs a suite in an empty folder, prints what it prints, and returns its counts."""
    with tempfile.TemporaryDirectory() as folder:
        script = suite / "run.py"
        command = [str(script), str(Path(folder, "results"))]
        if not script.exists():
            command = [str(suite / "programs.py"), "ef"]
        done = subprocess.run(
            [sys.executable, *command], cwd=folder, stdout=subprocess.PIPE, text=True, check=False
        )
    print(done.stdout, flush=True)
    return counts_of(done.stdout)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("suites", nargs="*")
    arguments = parser.parse_args()
    suites = sorted(
        path.parent
        for name in ("run.py", "programs.py")
        for path in arguments.folder.resolve().glob(f"*/{name}")
        if not arguments.suites or path.parent.name in arguments.suites
    )
    known = json.loads(COUNTS.read_text()) if COUNTS.exists() else {}
    failed = False
    for suite in suites:
        counts = run(suite)
        if counts is None:
            print(f"{suite.name} printed no counts")
            failed = True
        else:
            known[suite.name] = counts
    COUNTS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
