"""Fuzzes native calls and the readers of files: `python fuzz [TARGET ...]`, or `make fuzz`.

Bytes that Atheris (libFuzzer) mutates spell calls and damaged files. With a sanitized build of the
engine, what runs in it and in eagerflow's Python guides the mutations; with another one, Python alone.

    python fuzz --seconds 60                     # all targets, twenty seconds each
    python fuzz calls --calls 10000000           # so many calls, however long it takes
    python fuzz calls --calls 10000000 --resume  # goes on where such a run was interrupted
    python fuzz "checkpoint index" --seconds 60  # one reader, by its name in tests/file_readers.py
    python fuzz calls --show FILE                # what a finding does

A finding is a crash, a report of the sanitizers, a call of more than ten seconds, much processor time
or memory for small arguments and results (limits.py), or an exception that means a mistake of ours.
Each becomes a file in the folder `--out`. The exit status is 1 if there are any.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
PYTHON = [sys.executable, *(["-S"] if sys.flags.no_site else [])]
KEPT = 200  # inputs in the tree for each target
KEPT_BYTES = 2000  # at most so long
CRASHES = 20  # after which a target is given up


def corpus(name: str) -> Path:
    """The stored inputs of a target: base64, one a line."""
    return HERE / "corpus" / f"{name.replace(' ', '_')}.txt"


def unpacked(name: str, folder: Path) -> None:
    """Writes the stored inputs as files, as libFuzzer reads them."""
    if corpus(name).exists():
        for index, line in enumerate(corpus(name).read_text().split()):
            (folder / f"stored-{index}").write_bytes(base64.b64decode(line))


def log_name(name: str, job: int | str, number: int | str) -> str:
    """The file for what one process of a target prints."""
    return f"{name.replace(' ', '_')}-{job}-{number}.log"


def inputs_of(log: str) -> int:
    """How many inputs a process ran, from what it printed."""
    counts = re.findall(r"stat::number_of_executed_units: (\d+)", log)
    counts = counts or re.findall(r"^#(\d+)\s", log, re.MULTILINE)[-1:] or ["0"]
    return int(counts[-1])


def run(
    name: str, job: int, found: str, calls: int, options: argparse.Namespace
) -> tuple[int, int]:
    """One job of a target; gives how many inputs ran and how many processes ended badly."""
    seconds = options.seconds / len(options.targets)
    done = crashes = 0
    first = len(list(options.out.glob(log_name(name, job, "*")))) if options.resume else 0
    begin = time.monotonic()
    while crashes < CRASHES:
        left = seconds - (time.monotonic() - begin) if seconds else 0
        if (seconds and left < 1) or (calls and done >= calls):
            break
        command = [
            *(*PYTHON, str(HERE / "worker.py"), name, str(options.out), f"--seeds={found}"),
            *("-print_final_stats=1", "-rss_limit_mb=6000", f"-artifact_prefix={options.out}/"),
            *(f"-timeout={options.timeout}", f"-report_slow_units={options.timeout}"),
            *(f"-max_total_time={int(left)}", f"-runs={calls - done if calls else -1}"),
            *(f"-max_len={400 if name in ('calls', 'raw') else 20_000}", "-len_control=0"),
            # Weighing inputs by how rare their features are, and shortening them, costs half of the time.
            *("-entropic=0", "-reduce_inputs=0", "-detect_leaks=0"),
            "-print_funcs=0",  # naming each new function is slow
            *(f"-seed={options.seed + crashes + 1000 * job if options.seed else 0}", found),
        ]
        log = options.out / log_name(name, job, first + crashes)
        with open(log, "wb") as output:
            status = subprocess.run(command, stdout=output, stderr=output).returncode
        text = log.read_text(errors="replace")
        done += inputs_of(text)
        guided = re.search(r"guided by the engine: (\w+)", text)
        if guided and guided[1] == "False" and not crashes:
            print(f"{name}: guided by Python alone: the engine was built without counters")
        if status == 0:
            break
        crashes += 1
        print(f"{name}: exit status {status}, see {log}", flush=True)
        if not guided:
            break  # it did not start
    return done, crashes


def keep(name: str, found: Path) -> None:
    """Stores some of the inputs that reached something new, the shorter ones first."""
    paths = sorted(found.iterdir(), key=lambda path: (path.stat().st_size, path.name))
    paths = [path for path in paths if 0 < path.stat().st_size <= KEPT_BYTES]
    lines = [
        base64.b64encode(path.read_bytes()).decode() + "\n"
        for path in paths[:: max(1, -(-len(paths) // KEPT))]
    ]
    corpus(name).parent.mkdir(exist_ok=True)
    corpus(name).write_text("".join(sorted(lines)))


def fuzz(name: str, options: argparse.Namespace) -> bool:
    """Fuzzes one target with all jobs, and prints what was done; whether nothing was found."""
    before = set(options.out.iterdir())
    begin = time.monotonic()
    earlier = 0
    if options.resume:
        logs = options.out.glob(log_name(name, "*", "*"))
        earlier = sum(inputs_of(log.read_text(errors="replace")) for log in logs)
    calls = -(-max(options.calls - earlier, 0) // options.jobs)
    if options.calls and not calls:
        print(f"{name}: {earlier} inputs were run before")
        return True
    with contextlib.ExitStack() as stack:
        if options.resume:
            found = str(options.out / f"{name.replace(' ', '_')}-inputs")
            Path(found).mkdir(exist_ok=True)
        else:
            found = stack.enter_context(tempfile.TemporaryDirectory())
        pool = stack.enter_context(ThreadPoolExecutor(options.jobs))
        unpacked(name, Path(found))
        jobs = [pool.submit(run, name, job, found, calls, options) for job in range(options.jobs)]
        done, crashes = map(sum, zip(*[job.result() for job in jobs], strict=True))
        if options.keep:
            keep(name, Path(found))
    fresh = sorted(set(options.out.iterdir()) - before)
    findings = [p for p in fresh if p.is_file() and p.suffix not in (".txt", ".log")]
    took = time.monotonic() - begin
    more = f" after {earlier} in earlier runs" if earlier else ""
    print(
        f"{name}: {done} inputs in {took:.0f} s{more}, {crashes} processes ended badly, "
        f"{len(findings)} findings",
        *findings,
        sep="\n  ",
        flush=True,
    )
    return not findings and not crashes and done > 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", default=["calls", "raw", "files"])
    parser.add_argument("--seconds", type=float, default=0, help="for all targets together")
    parser.add_argument("--calls", type=int, default=0, help="how many inputs of each target")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--timeout", type=int, default=10, help="seconds after which a call hangs")
    parser.add_argument("--seed", type=int, default=0, help="repeats a run; 0 for another one")
    parser.add_argument("--resume", action="store_true", help="goes on with the run in --out")
    parser.add_argument("--out", type=Path, default=Path("build-fuzz"), help="folder for findings")
    parser.add_argument("--keep", action="store_true", help="stores new inputs in fuzz/corpus")
    parser.add_argument("--show", type=Path, help="explains and runs one input of the target")
    options = parser.parse_args()
    if options.show:
        worker = [*PYTHON, str(HERE / "worker.py"), options.targets[0], "--show", options.show]
        return subprocess.run(worker).returncode
    options.out.mkdir(parents=True, exist_ok=True)
    options.seconds = options.seconds or (0 if options.calls else 60)
    failed = [name for name in options.targets if not fuzz(name, options)]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
