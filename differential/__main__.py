"""Compares random programs with TensorFlow: `python differential [--kinds ...]`, or `make differential`.

Hypothesis draws programs of a few statements, TensorFlow and eagerflow run them in one process, and
their answers are compared: values, dtypes, shapes, gradients of two orders, and types of exceptions.

    python differential --programs 1000                      # so many programs of each kind
    python differential --programs 10000 --kinds eager files --seed 7 --jobs 2
    python differential --replay build-differential/*.py     # what filed programs answer now

A difference is shrunk and written into the folder `--out`, as a program with both answers; later ones
of the same operation are counted only. differential/known.txt lists differences that are deliberate.
The exit status is 1 if there are others. It needs an environment with TensorFlow, as `make oracle` has.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
TESTS = HERE.parent / "tests"
KINDS = (
    "eager functions captures strings ragged sparse random layers optimizers datasets files".split()
)
PATHS = [str(HERE), str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
SILENT = 600  # seconds after which a process hangs


class Job:
    """Runs kinds of programs in one process at a time, which is replaced when it dies or hangs."""

    def __init__(self, kinds: list[str], options: argparse.Namespace) -> None:
        self.kinds, self.options = kinds, options
        self.programs = self.crashes = 0

    def run(self) -> None:
        """Runs all programs; after a crash from the next kind or batch on."""
        turn: int | None = 0
        while turn is not None:
            turn = self._process(turn)

    def _process(self, first: int) -> int | None:
        """One process from a turn on: a batch of one kind. The turn to go on with, or None."""
        options = self.options
        turn = first
        with tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen(
                [
                    *(sys.executable, "-W", "ignore", str(HERE / "campaign.py"), *self.kinds),
                    *("--programs", str(options.programs), "--seed", str(options.seed)),
                    *("--first", str(first), "--out", str(options.out)),
                ],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(PATHS)},
            )
            assert process.stdout
            watch = threading.Timer(SILENT, process.kill)
            watch.start()
            for line in process.stdout:
                watch.cancel()
                watch = threading.Timer(SILENT, process.kill)
                watch.start()
                print(line, end="", flush=True)
                if line.startswith("{"):
                    turn += 1
                    self.programs += json.loads(line)["programs"]
            watch.cancel()
            if process.wait() == 0:
                return None
            errors.seek(0)
            told = errors.read()[-20_000:]
        kind = self.kinds[turn % len(self.kinds)]
        # The innermost frame shows which library's native code crashed.
        if re.search(r"most recent call first\):\n +File \"[^\"]*/(tensorflow|tf_keras)/", told):
            print(f"TensorFlow died of a program of the kind {kind}, turn {turn}", flush=True)
            return turn + 1
        self.crashes += 1
        path = options.out / f"died-{kind}-{turn}.txt"
        path.write_text(told)
        print(f"exit status {process.returncode}: {path}", flush=True)
        return turn + 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=1000, help="of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--out", type=Path, default=Path("build-differential"))
    parser.add_argument("--replay", nargs="+", type=Path, help="programs that were filed")
    options = parser.parse_args()
    if options.replay:
        for path in options.replay:
            for package in ("tensorflow", "eagerflow"):
                print(f"== {path}: {package}", flush=True)
                source = path.read_text().replace(
                    "import tensorflow as tf", f"import {package} as tf"
                )
                subprocess.run([sys.executable, "-c", source], env={**os.environ, **QUIET})
        return 0
    options.out.mkdir(parents=True, exist_ok=True)
    jobs = [Job(options.kinds[k :: options.jobs], options) for k in range(options.jobs)]
    jobs = [job for job in jobs if job.kinds]
    with ThreadPoolExecutor(len(jobs)) as pool:
        list(pool.map(Job.run, jobs))
    filed = sorted(options.out.glob("*.py"))
    programs, crashes = sum(job.programs for job in jobs), sum(job.crashes for job in jobs)
    print(f"{programs} programs, {crashes} crashes, {len(filed)} differences in {options.out}")
    return 1 if filed or crashes else 0


QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_USE_LEGACY_KERAS": "1", "CUDA_VISIBLE_DEVICES": "-1"}

if __name__ == "__main__":
    sys.exit(main())
