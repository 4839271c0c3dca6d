"""Runs the programs in a folder on eagerflow, and on TensorFlow where one is named, and prints a table.

    python tools/era.py FOLDER                        # every program, a minute each at most
    python tools/era.py FOLDER --tensorflow PYTHON    # the Python that has TensorFlow 2

Nothing is fetched, and nothing is written into the folder: programs run in copies of it. A program is a
script that no other imports, and that no package has. On TensorFlow 2 those of the first generation run
by `tf.compat.v1`.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from eagerflow_compat.dropin import recognise
from eagerflow_compat.dropin.reading import Reading
from eagerflow_compat.dropin.usage import modules_of

# Runs a script on TensorFlow 2: the generation, then the script.
_ON_TENSORFLOW = """\
import os, runpy, sys
import tensorflow
generation, script = sys.argv[1:]
if generation == "1.x":
    import tensorflow.compat.v1 as first
    first.disable_v2_behavior()
    first.__version__ = first.VERSION = "1.15.5"
    sys.modules["tensorflow"] = first
sys.argv = [script]
sys.path[0] = os.path.dirname(os.path.abspath(script))
runpy.run_path(script, run_name="__main__")
"""
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
# What two runs of one program do not have in common: addresses, identities, times.
_OF_A_RUN = re.compile(
    r"0x[0-9a-f]+|\bid=\d+|[\d.:]+ ?(?:[mnuµ]?s|sec|secs|seconds|min)\b(?:/\w+)?"
)
_ERROR = re.compile(r"[\w.]+(Error|Exit|Exception|Interrupt)\b")
_OF_OTHERS = {
    "FileNotFoundError": "needs files",
    "URLError": "needs a network",
    "gaierror": "needs a network",
    "ConnectionError": "needs a network",
}


class Run(NamedTuple):
    """How a program ended.

    Attributes:
        ended: whether it ran to its end.
        output: what it printed.
        why: why it did not end; empty if it did.
        ours: whether the framework may be the cause.
    """

    ended: bool
    output: str
    why: str = ""
    ours: bool = False


class Row(NamedTuple):
    """What is known of a program: on eagerflow, on TensorFlow if it ran there, and whether both agree."""

    program: str
    generation: str
    here: Run
    there: Run | None = None

    @property
    def agreed(self) -> bool | None:
        """Whether both printed the same; None if one did not end."""
        if self.there is None or not (self.here.ended and self.there.ended):
            return None
        return agrees(self.here.output, self.there.output)


def programs(folder: Path) -> list[Path]:
    """The scripts in a folder that no other script imports and that no package has."""
    files = [file for file in sorted(folder.rglob("*.py")) if not file.name.startswith(".")]
    imported: set[Path] = set()
    for file in files:
        try:
            text = file.read_text(errors="replace")
            own = Reading(text, "2.x", file.parent, file.name).own
            used = list(modules_of(text, file.name, own))
            imported.update(Path(name).resolve() for name, _ in used[1:])
        except (SyntaxError, ValueError, RecursionError):
            continue
    return [
        file
        for file in files
        if file.resolve() not in imported and not (file.parent / "__init__.py").exists()
    ]


def agrees(one: str, other: str, tolerance: float = 1e-3) -> bool:
    """Whether two outputs are the same but for rounding, addresses and times.

    >>> agrees("loss 0.12345, 3 ms", "loss 0.12346, 5 ms"), agrees("loss 0.1", "loss 0.2")
    (True, False)
    """
    kept = [_OF_A_RUN.sub("", text) for text in (one, other)]
    texts = ["".join(_NUMBER.sub("", text).split()) for text in kept]
    numbers = [list(map(float, _NUMBER.findall(text))) for text in kept]
    return (
        texts[0] == texts[1]
        and len(numbers[0]) == len(numbers[1])
        and all(
            math.isclose(x, y, rel_tol=tolerance, abs_tol=tolerance / 100)
            for x, y in zip(*numbers, strict=True)
        )
    )


def why_not(status: int, errors: str) -> tuple[str, bool]:
    """Why a program failed, and whether the framework may be the cause.

    >>> why_not(1, "Traceback ...\\nModuleNotFoundError: No module named 'gym'")
    ('needs the package gym', False)
    >>> why_not(-11, "")
    ('the process was ended by signal 11', True)
    """
    if status < 0:
        return f"the process was ended by signal {-status}", True
    lines = [line for line in errors.splitlines() if line.strip()]
    # Below the error's line may be what the command adds, and the rest of a long message.
    error = next(filter(_ERROR.match, reversed(lines)), "")
    package = re.match(r"ModuleNotFoundError: No module named '([\w.]+)'", error)
    if package and package[1].split(".")[0] not in ("tensorflow", "keras", "tf_keras"):
        return f"needs the package {package[1]}", False
    kind = error.partition(":")[0].rpartition(".")[2]
    if kind in _OF_OTHERS:
        return f"{_OF_OTHERS[kind]}: {error.partition(': ')[2]}", False
    if status == 2 and any(line.startswith("usage:") for line in lines):
        return "needs arguments", False
    return error or (lines[-1] if lines else f"ended with status {status}"), True


def run(command: Sequence[str], script: Path, limit: float) -> Run:
    """Runs a script in its folder, for so many seconds at most."""
    variables = {"MPLBACKEND": "Agg", "TF_CPP_MIN_LOG_LEVEL": "3", "TF_USE_LEGACY_KERAS": "1"}
    try:
        done = subprocess.run(
            [*command, script.name],
            cwd=script.parent,
            env=os.environ | variables,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Run(False, "", f"no end within {limit:g} seconds", False)
    if done.returncode == 0:
        return Run(True, done.stdout)
    return Run(False, done.stdout, *why_not(done.returncode, done.stderr))


def measure(folder: Path, tensorflow: str | None, limit: float, jobs: int) -> Iterator[Row]:
    """Runs all programs of a folder."""
    listed = [(file.relative_to(folder), _generation(file)) for file in programs(folder)]
    with tempfile.TemporaryDirectory() as work:
        copies = [Path(work, name) for name in ("eagerflow", "tensorflow")]
        for copy in copies[: 2 if tensorflow else 1]:
            shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".git"))

        def one(listing: tuple[Path, str]) -> Row:
            file, generation = listing
            here = run([sys.executable, "-m", "eagerflow"], copies[0] / file, limit)
            there = None
            if tensorflow:
                command = [tensorflow, "-c", _ON_TENSORFLOW, generation]
                there = run(command, copies[1] / file, limit)
            return Row(str(file), generation, here, there)

        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            yield from pool.map(one, listed)


def _generation(file: Path) -> str:
    return recognise.judge(
        file.read_text(errors="replace"), file.parent.resolve(), file.name
    ).generation


def table(rows: Iterable[Row]) -> Iterator[str]:
    """The lines of the table, and below it the sums."""
    rows = list(rows)
    yield "| program | generation | ended | agreed | why not |"
    yield "|---|---|---|---|---|"
    for row in rows:
        words = {True: "yes", False: "no", None: ""}
        ended = words[row.here.ended]
        why = row.here.why
        if row.there is not None and not row.there.ended:
            why = "; ".join(filter(None, [why, f"on TensorFlow: {row.there.why}"]))
        elif row.agreed is False:
            why = _first_difference(row)
        why = why.replace("|", "\\|")[:160]
        yield f"| {row.program} | {row.generation} | {ended} | {words[row.agreed]} | {why} |"
    counted = [row for row in rows if row.here.ended or row.here.ours]
    ended = sum(row.here.ended for row in counted)
    yield ""
    share = f" ({ended / len(counted):.0%})" if counted else ""
    yield f"{ended} of {len(counted)} programs ran to their end{share}."
    compared = [row.agreed for row in rows if row.agreed is not None]
    if compared:
        yield f"{sum(compared)} of {len(compared)} that ended on both printed the same."
    left = collections.Counter(
        re.split("[:;]", row.here.why)[0] for row in rows if row not in counted
    )
    if left:
        reasons = ", ".join(f"{why} ({count})" for why, count in left.most_common())
        yield f"{sum(left.values())} are not counted: {reasons}."


def _first_difference(row: Row) -> str:
    assert row.there is not None
    ours, theirs = row.here.output.splitlines(), row.there.output.splitlines()
    for one, other in zip(ours, theirs, strict=False):
        if not agrees(one, other):
            return f"{one.strip()[:70]!r}, on TensorFlow {other.strip()[:70]!r}"
    return f"{len(ours)} lines, on TensorFlow {len(theirs)}"


def main() -> int:
    """The command line; the status is 1 if a program ended a process by a signal."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tensorflow", default=os.environ.get("TENSORFLOW_PYTHON"))
    parser.add_argument("--limit", type=float, default=60, help="seconds for each program")
    parser.add_argument("--jobs", type=int, default=1, help="programs that run at once")
    options = parser.parse_args()
    if not options.folder.is_dir():
        parser.error(f"{options.folder} is not a folder")
    rows = list(measure(options.folder.resolve(), options.tensorflow, options.limit, options.jobs))
    print("\n".join(table(rows)))
    return int(any("by signal" in row.here.why for row in rows))


if __name__ == "__main__":
    sys.exit(main())
