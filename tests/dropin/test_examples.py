"""The programs in examples/generations."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted((ROOT / "examples" / "generations").glob("*.py"))


# The packages that a program needs.
NEEDED = {"slim_digits": ("six", "sklearn", "tf_slim")}


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_example(path, tmp_path):
    if any(importlib.util.find_spec(name) is None for name in NEEDED.get(path.stem, ())):
        pytest.skip("needs another package")
    done = subprocess.run(
        [sys.executable, "-m", "eagerflow", str(path)],
        cwd=tmp_path,
        env=dict(os.environ, PYTHONPATH=str(ROOT)),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(done.stdout.splitlines()) > 2
