"""Programs in the style of the years 2016 to 2020 run unchanged, and print what they printed.

What a program prints is recorded in `programs/printed.json`. `python tests/dropin/test_programs_by_year.py`
records it anew; numbers may differ in the last digits.
"""

import concurrent.futures
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from eagerflow_compat.dropin.recognise import judge

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "programs"
PRINTED = FOLDER / "printed.json"
PROGRAMS = sorted(FOLDER.glob("*/*.py"))
# Programs of these years were written for TensorFlow 1, even where later versions have all that they use.
FIRST = ("2016", "2017", "2018")

sys.path.insert(0, str(ROOT / "tools"))
import era  # noqa: E402


def name_of(path: Path) -> str:
    return path.relative_to(FOLDER).as_posix()


def run(path: Path) -> subprocess.CompletedProcess:
    """Runs a program with one thread: two run at once."""
    variables = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
    return subprocess.run(
        [sys.executable, "-m", "eagerflow", str(path)],
        cwd=FOLDER,
        env=os.environ | variables,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("path", PROGRAMS, ids=name_of)
def test_program(path):
    done = run(path)
    assert done.returncode == 0, done.stderr[-2000:]
    expected = json.loads(PRINTED.read_text())[name_of(path)]
    assert era.agrees(done.stdout, expected), done.stdout


@pytest.mark.parametrize("path", PROGRAMS, ids=name_of)
def test_generation(path):
    generation = judge(path.read_text(), path.parent, path.name).generation
    assert generation == ("1.x" if path.parent.name in FIRST else "2.x")


if __name__ == "__main__":
    with concurrent.futures.ThreadPoolExecutor(int((sys.argv[1:] or "2")[0])) as pool:
        done = dict(zip(map(name_of, PROGRAMS), pool.map(run, PROGRAMS), strict=True))
    for name, result in done.items():
        if result.returncode:
            print(name, result.stderr[-500:], sep="\n", file=sys.stderr)
    printed = {name: result.stdout for name, result in done.items()}
    PRINTED.write_text(json.dumps(printed, indent=0, ensure_ascii=False, sort_keys=True) + "\n")
