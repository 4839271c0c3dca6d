"""Fuzzes native calls and the readers of files: `python fuzz [TARGET ...]`, or `make fuzz`.

Bytes that Atheris (libFuzzer) mutates spell calls and damaged files. With a sanitized build of the
engine, what runs in it and in eagerflow's Python guides the mutations; with another one, Python alone.

    python fuzz --seconds 60                     # calls and files, half a minute each
    python fuzz calls --calls 10000000           # so many calls, however long it takes
    python fuzz "checkpoint index" --seconds 60  # one reader, by its name in tests/file_readers.py
    python fuzz calls --show FILE                # what a finding does

A finding is a crash, a report of the sanitizers, a call of more than ten seconds, much memory for a
small result, or an exception that means a mistake of ours. Each becomes a file in the folder `--out`.
The exit status is 1 if there are any.
"""

from __future__ import annotations

import argparse
import base64
import re
import subprocess
import sys
import tempfile
import time
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


def run(name: str, options: argparse.Namespace, seconds: float, calls: int) -> tuple[int, int]:
    """Fuzzes one target; gives how many inputs ran and how many processes ended badly."""
    done = crashes = 0
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as found:
        unpacked(name, Path(found))
        while crashes < CRASHES:
            left = seconds - (time.monotonic() - begin) if seconds else 0
            if (seconds and left < 1) or (calls and done >= calls):
                break
            command = [
                *(*PYTHON, str(HERE / "worker.py"), name, str(options.out), f"--seeds={found}"),
                *("-print_final_stats=1", f"-timeout={options.timeout}", "-rss_limit_mb=6000"),
                *(
                    f"-artifact_prefix={options.out}/",
                    "-use_value_profile=1",
                    "-len_control=0",
                    f"-max_len={400 if name == 'calls' else 20000}",
                ),
                *(f"-max_total_time={int(left)}", f"-runs={calls - done if calls else -1}"),
                *("-reload=0", f"-seed={options.seed + crashes}" if options.seed else "-seed=0"),
                found,
            ]
            log = options.out / f"{name.replace(' ', '_')}-{crashes}.log"
            with open(log, "wb") as output:
                status = subprocess.run(command, stdout=output, stderr=output).returncode
            text = log.read_text(errors="replace")
            counts = re.findall(r"stat::number_of_executed_units: (\d+)", text)
            counts = counts or re.findall(r"^#(\d+)\s", text, re.MULTILINE)[-1:] or ["0"]
            done += int(counts[-1])
            guided = re.search(r"guided by the engine: (\w+)", text)
            if status == 0:
                if not guided or guided[1] == "False":
                    print(f"{name}: guided by Python alone: the engine was built without counters")
                break
            crashes += 1
            print(f"{name}: exit status {status}, see {log}", flush=True)
            if not guided:
                break  # it did not start
        if options.keep:
            keep(name, Path(found), options)
    return done, crashes


def keep(name: str, found: Path, options: argparse.Namespace) -> None:
    """Stores the smallest inputs that reach what all of them reach."""
    with tempfile.TemporaryDirectory() as merged:
        command = [*PYTHON, str(HERE / "worker.py"), name, str(options.out), "-merge=1", merged]
        subprocess.run([*command, str(found)], stderr=subprocess.DEVNULL)
        sizes = sorted((path.stat().st_size, path) for path in Path(merged).iterdir())
    corpus(name).parent.mkdir(exist_ok=True)
    lines = [
        base64.b64encode(path.read_bytes()).decode() + "\n"
        for size, path in sizes[:: max(1, len(sizes) // KEPT)]
        if size <= KEPT_BYTES
    ]
    corpus(name).write_text("".join(sorted(lines)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", default=["calls", "files"])
    parser.add_argument("--seconds", type=float, default=0, help="for all targets together")
    parser.add_argument("--calls", type=int, default=0, help="how many inputs of each target")
    parser.add_argument("--timeout", type=int, default=10, help="seconds after which a call hangs")
    parser.add_argument("--seed", type=int, default=0, help="repeats a run; 0 for another one")
    parser.add_argument("--out", type=Path, default=Path("build-fuzz"), help="folder for findings")
    parser.add_argument("--keep", action="store_true", help="stores new inputs in fuzz/corpus")
    parser.add_argument("--show", type=Path, help="explains and runs one input of the target")
    options = parser.parse_args()
    if options.show:
        worker = [*PYTHON, str(HERE / "worker.py"), options.targets[0], "--show", options.show]
        return subprocess.run(worker).returncode
    options.out.mkdir(parents=True, exist_ok=True)
    seconds = 0.0 if options.calls and not options.seconds else (options.seconds or 60)
    failed = 0
    for name in options.targets:
        before = set(options.out.iterdir())
        begin = time.monotonic()
        done, crashes = run(name, options, seconds / len(options.targets), options.calls)
        fresh = sorted(set(options.out.iterdir()) - before)
        findings = [path for path in fresh if path.suffix not in (".txt", ".log")]
        failed += bool(findings or crashes)
        took = time.monotonic() - begin
        print(f"{name}: {done} inputs in {took:.0f} s, {crashes} processes ended badly,", end=" ")
        print(f"{len(findings)} findings", *findings, sep="\n  ", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
