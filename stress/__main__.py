"""Stress: threads, kills in saves, flipped bits, and faults. `python stress [PART ...]`, or `make stress`.

    python stress                                      # everything, for some minutes
    python stress threads --seconds 60                 # each program of threads.py, a minute each
    python stress kills --kills 1000                   # so many processes are killed in saves
    python stress trainings --trainings 100            # so many trainings are killed and resumed
    python stress flips --flips 10000                  # so many flips in each format
    python stress faults --faults 100                  # so many processes end with threads, or lack files

The exit status is 1 if anything failed. `make stress` runs the threads under ThreadSanitizer, too.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
TESTS = HERE.parent / "tests"
PYTHON = [sys.executable, *(["-S"] if sys.flags.no_site else [])]
SAVERS = (
    *("manager", "write", "keras", "h5", "weights.h5", "weights", "saved_model", "module"),
    *("safetensors", "npz", "dataset"),
)


def threads(options: argparse.Namespace) -> int:
    """Threads, forks, collections and callbacks; with --races, ThreadSanitizer's reports fail."""
    command = [*PYTHON, str(HERE / "threads.py"), str(options.seconds), *options.only]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    races = done.stderr.count("WARNING: ThreadSanitizer")
    print(done.stderr[-20_000:], file=sys.stderr, end="")
    if races:
        print(f"{races} reports of ThreadSanitizer")
    return int(bool(done.returncode or races))


def kills(options: argparse.Namespace) -> int:
    """Processes that are killed while they save, at every size of a file and at any moment."""
    ways = [(kind, how) for kind in SAVERS for how in ("bytes", "time")]
    failed = total = 0
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    for kind, how in ways:
        count = max(1, -(-options.kills // len(ways)))
        with tempfile.TemporaryDirectory() as folder:
            script = str(TESTS / "checkpoint" / "killing.py")
            command = [*PYTHON, "-W", "ignore", script, folder, kind, str(count), how]
            done = subprocess.run(command, capture_output=True, text=True, env=environment)
            left = [name for name in os.listdir(folder) if ".tmp" in name or "partial" in name]
        if done.returncode or done.stdout.split()[1:] != ["0", "True"]:
            failed += 1
            print(f"{kind}, by {how}: FAILED: {done.stdout}{done.stderr}", flush=True)
            continue
        killed = int(done.stdout.split()[0])
        total += killed
        print(f"{kind}, by {how}: {killed} kills, nothing lost, {len(left)} files left", flush=True)
    print(f"{total} kills")
    return int(bool(failed))


def trainings(options: argparse.Namespace) -> int:
    """Trainings that are killed at any moment, and resumed."""
    if not options.trainings:
        return 0
    failed = total = 0
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    script = str(TESTS / "killed_training.py")
    names = subprocess.run([*PYTHON, script], capture_output=True, text=True, env=environment)
    kinds = [kind for kind in names.stdout.splitlines() if kind in (options.only or [kind])]
    for kind in kinds:
        with tempfile.TemporaryDirectory() as folder:
            count = str(max(1, -(-options.trainings // len(kinds))))
            command = [*PYTHON, script, folder, kind, count]
            done = subprocess.run(command, capture_output=True, text=True, env=environment)
        killed, same = [*done.stdout.split(), "", ""][:2]
        if done.returncode or same != "True":
            failed += 1
            print(f"training, {kind}: FAILED: {done.stdout}{done.stderr}", flush=True)
            continue
        total += int(killed)
        print(f"training, {kind}: {killed} kills, the same bits", flush=True)
    print(f"{total} kills")
    return int(bool(failed or not kinds))


def flips(options: argparse.Namespace) -> int:
    """Flipped bits in every format."""
    command = [*PYTHON, str(HERE / "flips.py"), str(options.flips), *options.only]
    return subprocess.run(command).returncode


def faults(options: argparse.Namespace) -> int:
    """Processes that end with running threads, and that run out of file descriptors."""
    command = [*PYTHON, str(HERE / "faults.py"), str(options.faults), *options.only]
    return subprocess.run(command).returncode


PARTS = {
    "threads": threads,
    "kills": kills,
    "trainings": trainings,
    "flips": flips,
    "faults": faults,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=[], choices=[[], *PARTS])
    parser.add_argument("--seconds", type=float, default=20, help="for each program of threads")
    parser.add_argument("--kills", type=int, default=1000, help="for all formats together")
    parser.add_argument("--trainings", type=int, default=100, help="kills for all kinds of data")
    parser.add_argument("--flips", type=int, default=1000, help="for each format")
    parser.add_argument(
        "--faults", type=int, default=50, help="processes of each program of faults"
    )
    parser.add_argument("--only", nargs="*", default=[], help="names of programs or of readers")
    options = parser.parse_args()
    return max([PARTS[part](options) for part in options.parts or PARTS])


if __name__ == "__main__":
    sys.exit(main())
