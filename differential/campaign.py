"""One process of the campaign: random programs that both libraries answer, differences are filed."""

from __future__ import annotations

import argparse
import collections
import contextlib
import dataclasses
import faulthandler
import functools
import hashlib
import importlib
import json
import random
import re
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from hypothesis.database import InMemoryExampleDatabase
from hypothesis.errors import Flaky

import kinds
from answers import Answer, difference, identical
from builder import Builder, Unfit
from oracle import record
from programs import Program, Run

HERE = Path(__file__).parent
BATCH = 50  # programs of one line of the report
SHRINKING = 15  # seconds for a smaller program
NOISES = 4  # runs that tell how far rounding errors carry


@dataclasses.dataclass(frozen=True)
class Known:
    """A difference that is deliberate, and why."""

    what: re.Pattern
    source: re.Pattern
    reason: str


def known_differences() -> list[Known]:
    """What known.txt lists: three fields a line, divided by " | "."""
    lines = (HERE / "known.txt").read_text().splitlines()
    fields = [line.split(" | ", 2) for line in lines if line and not line.startswith("#")]
    return [Known(re.compile(a), re.compile(b), reason) for a, b, reason in fields]


@dataclasses.dataclass(frozen=True)
class Finding:
    """Where a program's answers differ first.

    `what` is "value", "dtype" and the like, with "gradient" before it for those.
    """

    program: Program
    name: str
    what: str
    theirs: Answer | None
    ours: Answer | None

    @property
    def op(self) -> str:
        for statement in self.program.statements:
            if statement.target == self.name:
                return statement.op
        return self.program.decorator or "gradients"

    @property
    def key(self) -> tuple[str, str]:
        return self.op, self.what

    def text(self) -> str:
        """A report: the program, and both answers."""
        theirs, ours = (
            [str(a)] if not isinstance(a, list) else map(str, a) for a in (self.theirs, self.ours)
        )
        return "\n".join(
            [
                f"# {self.name}: {self.what}",
                *("# TensorFlow: " + line for part in theirs for line in part.splitlines()),
                *("# eagerflow:  " + line for part in ours for line in part.splitlines()),
                "",
                self.program.text(),
            ]
        )


class ShrunkEnough(BaseException):
    """Ends hypothesis's search for a smaller program."""


class Difference(Exception):
    """What hypothesis shrinks."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(f"{finding.name}: {finding.what}")
        self.finding = finding


def noise_of(seed: int) -> Any:
    """Changes the last bits of floating-point tensors."""
    rng = np.random.default_rng(seed)

    def noise(tf: Any, value: Any) -> Any:
        if not isinstance(value, tf.Tensor) or not (
            value.dtype.is_floating or value.dtype.is_complex
        ):
            return value
        unit = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 2e-7, "complex64": 2e-7}
        far = unit.get(value.dtype.name, 4e-16) * rng.choice([-2.0, -1.0, 1.0, 2.0])
        return value * tf.constant(1.0 + far, value.dtype)

    return noise


class Compared:
    """Programs that both libraries ran, and what came of them."""

    def __init__(self, tf: Any, ours: Any) -> None:
        self.tf, self.ours = tf, ours
        self.known = known_differences()
        self.counts: collections.Counter[str] = collections.Counter()

    def find(self, program: Program, theirs: dict[str, Answer] | None = None) -> Finding | None:
        """The first difference that is neither noise nor known; TensorFlow runs unless it has run."""
        if not program.exchanges:
            return self._find(program, {}, {}, theirs)
        with tempfile.TemporaryDirectory() as folder:
            places = [f"{folder}/theirs", f"{folder}/ours"]
            for place in places:
                Path(place).mkdir()
            one, other = ({"mine": place, "other": place} for place in places)
            found = self._find(program, one, other)
            if found is None:
                one["other"], other["other"] = places[1], places[0]
                found = self._find(program, one, other)
            return found

    def smaller(self, finding: Finding) -> Finding:
        """The same difference without statements that it does not depend on, if that shows it."""
        targets = {s.target for s in finding.program.body}
        names = [finding.name] if finding.name in targets else finding.program.results
        for name in names:
            again = self.find(finding.program.needed(name))
            if again and again.key == finding.key:
                return again
        return finding

    def _find(
        self,
        program: Program,
        theirs_in: dict,
        ours_in: dict,
        theirs: dict[str, Answer] | None = None,
    ) -> Finding | None:
        if theirs is None:
            theirs = Run(self.tf, program, names=theirs_in).found
        ours = Run(self.ours, program, names=ours_in).found
        names = dict.fromkeys([*theirs, *ours])
        order = {s.target: k for k, s in enumerate(program.statements)}
        noise: list[dict[str, Answer]] = []
        same = {n for n in names if identical(theirs.get(n), ours.get(n))}
        noisy = frozenset(s.target for s in program.body if s.target not in same)
        if "the function" in names:  # what else differs follows from that
            names = dict.fromkeys(["the function"])
        for name in sorted(names, key=lambda n: order.get(n, len(order))):
            one, other = theirs.get(name), ours.get(name)
            if one is None or other is None:
                if name.startswith(("gradient", "second")) or one is other:
                    continue  # told by what raised
                what = _presence(one, other)
            else:
                what = difference(one, other)
            for k in range(NOISES):
                if what is None or one is None or other is None:
                    break
                if k == len(noise):
                    # The last is a run like any other: some of TensorFlow's kernels read what was
                    # never written.
                    last = k == NOISES - 1
                    noise.append(
                        Run(
                            self.tf,
                            program,
                            noise=noise_of(k),
                            noisy=frozenset() if last else noisy,
                            names=theirs_in,
                        ).found
                    )
                what = difference(one, other, [n.get(name) for n in noise[: k + 1]])
                if what is None:
                    self.counts["noise"] += 1
            if what is None:
                continue
            if name not in order and name != "the function":
                what = f"{name.partition(' of')[0]} {what}"
            finding = Finding(program, name, what, one, other)
            if self._is_known(finding):
                self.counts["known"] += 1
                return None
            return finding
        return None

    def _is_known(self, finding: Finding) -> bool:
        text = "\n".join(s.source for s in finding.program.explaining(finding.name))
        label = f"{finding.op}: {finding.what}"
        return any(k.what.search(label) and k.source.search(text) for k in self.known)


def _presence(one: Answer | None, other: Answer | None) -> str | None:
    """A statement that raised in one library and not in the other, which does not return it."""
    absent: list = []
    return difference(absent if one is None else one, absent if other is None else other)


class Filed:
    """The differences of a campaign, each in a file of the folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.entries: list[dict[str, Any]] = []
        self.counts: collections.Counter[str] = collections.Counter()
        for path in sorted(folder.glob("*.json")):
            self.entries.append(json.loads(path.read_text()))

    def entry_of(self, finding: Finding) -> dict[str, Any] | None:
        """The filed difference that this one repeats: the same operation, or all its operations."""
        for entry in self.entries:
            if entry["what"] != finding.what:
                continue
            if entry["op"] != finding.op:
                continue
            if "gradient" in finding.what or finding.name == "the function":
                if not set(entry["ops"]) <= finding.program.ops:
                    continue
            return entry
        return None

    def add(self, finding: Finding) -> Path:
        entry = {"op": finding.op, "what": finding.what, "ops": sorted(finding.program.ops)}
        digest = hashlib.sha1(json.dumps(entry).encode()).hexdigest()[:6]
        label = re.sub(r"\W+", "-", f"{finding.op}-{finding.what}").strip("-")[:60]
        path = self._folder / f"{label}-{digest}.py"
        path.write_text(finding.text())
        path.with_suffix(".json").write_text(json.dumps(entry))
        self.entries.append(entry)
        return path


def campaign(options: argparse.Namespace) -> int:
    """Runs programs of each kind in turn and returns how many differences were filed."""
    warnings.simplefilter("ignore")
    faulthandler.enable()
    ours = importlib.import_module("eagerflow")
    tf = record.tensorflow() if options.reference == "tensorflow" else ours
    for library in (tf, ours):
        library.get_logger().setLevel("CRITICAL")
        library.config.threading.set_intra_op_parallelism_threads(1)
    compared = Compared(tf, ours)
    filed = Filed(options.out)
    found = 0
    batches = -(-options.programs // BATCH)
    for turn in range(options.first, batches * len(options.kinds)):
        kind = options.kinds[turn % len(options.kinds)]
        begin = time.process_time()
        done, paths = batch(compared, filed, options, kind, turn // len(options.kinds))
        found += len(paths)
        took = round(time.process_time() - begin, 1)
        line = {
            "kind": kind,
            "batch": turn // len(options.kinds),
            "programs": done,
            "seconds": took,
            **compared.counts,
        }
        print(json.dumps(line), flush=True)
        compared.counts.clear()
    return found


class Draws:
    """Integers that are drawn at random, and kept."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)
        self.made: list[tuple[int, int, int]] = []

    def randint(self, low: int, high: int) -> int:
        value = self._random.randint(low, high)
        self.made.append((low, high, value))
        return value

    def spelled(self) -> bytes:
        """The bytes of which hypothesis makes the same integers."""
        return b"".join(
            (value - low).to_bytes(-(-(high - low).bit_length() // 8), "big")
            for low, high, value in self.made
        )


class Drawn:
    """Integers that hypothesis draws."""

    def __init__(self, draw: Any) -> None:
        self._draw = draw

    def randint(self, low: int, high: int) -> int:
        return self._draw(_between(low, high))


_between = functools.lru_cache(maxsize=None)(st.integers)


def one_program(compared: Compared, kind: str, chance: Any) -> Finding | None:
    """Builds a program and compares it; raises Unfit where none could be built."""
    builder = Builder(compared.tf, chance)
    try:
        program = kinds.KINDS[kind](builder)
        theirs = builder.answers(program)
    finally:
        if builder.recording:
            builder.recording.close()
    return compared.find(program, theirs)


def shrunk(
    compared: Compared, kind: str, draws: Draws, finding: Finding, seconds: float
) -> Finding:
    """The smallest program with the same difference that hypothesis finds in some seconds."""
    smallest = compared.smaller(finding)
    begin = time.process_time()

    @settings(
        database=InMemoryExampleDatabase(),
        deadline=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.reuse, Phase.shrink],
    )
    @given(st.data())
    def check(data: Any) -> None:
        nonlocal smallest
        if time.process_time() > begin + seconds:
            raise ShrunkEnough
        try:
            again = one_program(compared, kind, Drawn(data.draw))
        except Unfit:
            assume(False)
        if again is None or again.key != finding.key:
            return
        if len(again.text()) < len(smallest.text()):
            smallest = again
        raise Difference(again)

    try:
        check.hypothesis.fuzz_one_input(draws.spelled())
    except Difference:
        # Hypothesis has the program in its database now, and makes it smaller.
        with contextlib.suppress(Difference, ShrunkEnough, Flaky):
            check()
    again = compared.smaller(smallest)
    return again if len(again.text()) < len(smallest.text()) else smallest


def batch(
    compared: Compared, filed: Filed, options: argparse.Namespace, kind: str, number: int
) -> tuple[int, list[Path]]:
    """Programs of one batch: how many ran, and the files of what they found."""
    ran, paths = 0, []
    for k in range(number * BATCH, min((number + 1) * BATCH, options.programs)):
        for attempt in range(100):
            draws = Draws(f"{options.seed}/{kind}/{k}/{attempt}")
            with contextlib.suppress(Unfit):
                finding = one_program(compared, kind, draws)
                break
        else:
            continue
        ran += 1
        if finding and filed.entry_of(finding):
            compared.counts["filed before"] += 1
        elif finding:
            paths.append(filed.add(shrunk(compared, kind, draws, finding, options.shrinking)))
            print(paths[-1], flush=True)
    return ran, paths


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="+")
    parser.add_argument("--programs", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument(
        "--first", type=int, default=0, help="the turn to begin with: a batch of a kind"
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--shrinking", type=float, default=SHRINKING, help="seconds for a smaller program"
    )
    parser.add_argument("--reference", choices=["tensorflow", "eagerflow"], default="tensorflow")
    campaign(parser.parse_args())
    return 0


if __name__ == "__main__":
    sys.exit(main())
