"""Measures a workload on all contenders, in turns, so that a slow minute strikes all of them."""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import crowd
import frameworks
from workload import FASTEST_PEER, ITSELF, OURS, OURSELVES, Target, Workload

HERE = Path(__file__).parent
ROUNDS = 11
# A workload has as many rounds as end within this time, and no fewer than the least.
SECONDS_PER_WORKLOAD = 8.0
LEAST_ROUNDS = 3
PROCESS_ROUNDS = 7
MEMORY_ROUNDS = 3
# What a measurement takes longer where others use the processors, for the number of rounds.
SLOWER = 3
SECONDS_PER_MEASUREMENT = 0.15
# OpenMP threads keep a processor busy for a moment after their work; the next one waits it out.
PAUSE = 0.02
RELATIVE_TOLERANCE = 2e-3


class WorkerError(RuntimeError):
    """A worker could not do what it was told."""


class Worker:
    """A process that runs one contender."""

    def __init__(self, contender: str, threads: int):
        self.log = tempfile.TemporaryFile("w+")
        # By its path, so that only this folder and installed packages can be imported.
        self.process = subprocess.Popen(
            [sys.executable, HERE / "worker.py", contender, str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            bufsize=1,
            env=frameworks.environment(threads, contender),
        )

    def ask(self, *command) -> dict:
        """The worker's answer."""
        try:
            print(json.dumps(command), file=self.process.stdin)
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self.process.wait()
            self.log.seek(0)
            raise WorkerError(self.log.read()[-2000:] or f"exit {self.process.returncode}")
        answer = json.loads(line)
        if "error" in answer:
            raise WorkerError(answer["error"])
        return answer

    def close(self) -> None:
        """Ends the process."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait()
        self.log.close()


@dataclass
class Result:
    """A workload's measurements, by contender: seconds or bytes, one a round."""

    workload: Workload
    samples: dict[str, list[float]]
    errors: dict[str, str] = field(default_factory=dict)
    # Seconds that the workload's work needs at the rates of this machine, measured after it.
    least: float | None = None

    def median(self, contender: str) -> float | None:
        """The contender's median, if it was measured."""
        samples = self.samples.get(contender)
        return statistics.median(samples) if samples else None

    def peer(self, target: Target) -> str | None:
        """The contender that a target names, if it was measured."""
        if target.peer != FASTEST_PEER:
            return target.peer if target.peer in self.samples else None
        peers = (c for c in self.samples if c not in (OURS, *OURSELVES))
        return min(peers, key=self.median, default=None)

    def ratio(self, target: Target) -> float | None:
        """The median over the rounds of ours divided by the peer's; or of ours alone."""
        if target.peer == ITSELF:
            return self.median(OURS)
        peer = self.peer(target)
        if OURS not in self.samples or peer is None:
            return None
        pairs = zip(self.samples[OURS], self.samples[peer], strict=True)
        return statistics.median(ours / theirs for ours, theirs in pairs)

    def of_the_limit(self) -> float | None:
        """The share of our time that the work needs: 1 where nobody can be faster."""
        ours = self.median(OURS)
        return None if ours is None or self.least is None else self.least / ours

    def met(self, target: Target) -> bool | None:
        """Whether the ratio is what it should be."""
        ratio = self.ratio(target)
        return None if ratio is None else ratio <= target.at_most


class Harness:
    """Long-lived workers, one a contender, and what they measured."""

    def __init__(self, contenders: list[str], threads: int, rounds: int = ROUNDS):
        self.threads = threads
        self.rounds = rounds
        self.workers = {}
        self.versions = {}
        self.missing = {}
        self.rates = {}
        for contender in contenders:
            worker = Worker(contender, threads)
            try:
                self.versions[contender] = worker.ask("hello")["version"]
                self.workers[contender] = worker
            except WorkerError as error:
                self.missing[contender] = str(error).strip().splitlines()[-1]
                worker.close()

    def close(self) -> None:
        """Ends the workers."""
        for worker in self.workers.values():
            worker.close()

    def measure(self, workload: Workload) -> Result:
        """All contenders' measurements of a workload."""
        result = Result(workload, {c: [] for c in workload.contenders if c in self.workers})
        measure = {
            "time": self.measure_time,
            "memory": self.measure_memory,
            "process": self.measure_process,
            "size": self.measure_process,
            "share": self.measure_time,
        }
        measure[workload.measure](workload, result)
        if workload.work and OURS in result.samples:
            for name, rate in self.workers[OURS].ask("rates").items():
                # The best of this run: what else goes on can only make it less.
                self.rates[name] = max(rate, self.rates.get(name, 0.0))
            result.least = workload.work.seconds(**self.rates) * workload.repeats
        return result

    def measure_time(self, workload: Workload, result: Result) -> None:
        counts = {}
        values = {}
        seconds_of_a_round = 0.0
        for contender in list(result.samples):
            try:
                answer = self.workers[contender].ask("prepare", workload.name)
            except WorkerError as error:
                self.fail(result, contender, str(error))
                continue
            counts[contender] = max(1, round(SECONDS_PER_MEASUREMENT / answer["seconds"]))
            # A measurement warms up by a tenth of its runs.
            seconds_of_a_round += answer["seconds"] * (counts[contender] * 1.1 + 1) + PAUSE
            values[contender] = answer["values"]
            time.sleep(PAUSE)
        compare(values, result)
        rounds = self.rounds_within(seconds_of_a_round * (SLOWER if workload.crowd else 1))
        try:
            with self.crowd(workload.crowd, result):
                self.take_turns(workload, result, counts, rounds)
        except crowd.NotAllowedError as error:
            for contender in list(result.samples):
                self.fail(result, contender, str(error))
        for contender in result.samples:
            self.workers[contender].ask("drop")

    def take_turns(self, workload: Workload, result: Result, counts: dict, rounds: int) -> None:
        for contender in in_turns(result, rounds):
            try:
                answer = self.workers[contender].ask("time", counts[contender])
                result.samples[contender].append(
                    answer["share"]
                    if workload.measure == "share"
                    else answer["seconds"] * workload.repeats
                )
            except WorkerError as error:
                self.fail(result, contender, str(error))
            time.sleep(PAUSE)

    def crowd(self, kind: str | None, result: Result) -> AbstractContextManager[None]:
        """What else uses the processors, while it is entered."""
        if kind == "busy":
            return crowd.busy_processes()
        if kind == "half":
            return crowd.half_the_time(self.workers[c].process.pid for c in result.samples)
        return nullcontext()

    def rounds_within(self, seconds_of_a_round: float) -> int:
        """The number of rounds, at most `self.rounds`, that a workload's time allows."""
        affordable = int(SECONDS_PER_WORKLOAD / max(seconds_of_a_round, 1e-9))
        return min(self.rounds, max(LEAST_ROUNDS, affordable))

    def measure_memory(self, workload: Workload, result: Result) -> None:
        for contender in in_turns(result, MEMORY_ROUNDS):
            worker = Worker(contender, self.threads)
            try:
                answer = worker.ask("memory", workload.name)
                result.samples[contender].append(answer["bytes"])
            except WorkerError as error:
                self.fail(result, contender, str(error))
            finally:
                worker.close()

    def measure_process(self, workload: Workload, result: Result) -> None:
        for contender in in_turns(result, min(self.rounds, PROCESS_ROUNDS) + 1):
            try:
                number = printed_number(workload.contenders[contender], self.threads)
                result.samples[contender].append(number)
            except WorkerError as error:
                self.fail(result, contender, str(error))
        for samples in result.samples.values():
            samples.pop(0)  # read the files from disk

    @staticmethod
    def fail(result: Result, contender: str, error: str) -> None:
        result.samples.pop(contender, None)
        result.errors[contender] = error


def in_turns(result: Result, rounds: int):
    """Yields the contenders, `rounds` times each, every round beginning with another."""
    for turn in range(rounds):
        contenders = list(result.samples)
        first = turn % max(1, len(contenders))
        for contender in contenders[first:] + contenders[:first]:
            if contender in result.samples:
                yield contender


def compare(values: dict[str, list[float]], result: Result) -> None:
    """Strikes out a contender whose numbers are not those of the others."""
    if OURS not in values:
        return
    for contender, theirs in values.items():
        scale = max(map(abs, theirs))
        pairs = zip(values[OURS], theirs, strict=True)
        difference = max(abs(a - b) for a, b in pairs)
        if not difference <= RELATIVE_TOLERANCE * scale:
            result.errors[OURS] = f"computes {values[OURS]} where {contender} computes {theirs}"
    if OURS in result.errors:
        result.samples.pop(OURS)


def printed_number(program: str, threads: int) -> float:
    """The number that a program prints at last, run in a new process."""
    completed = subprocess.run(
        [sys.executable, "-c", program],
        cwd=HERE,
        env=frameworks.environment(threads),
        capture_output=True,
        text=True,
    )
    if completed.returncode:
        raise WorkerError(completed.stderr[-2000:])
    return float(completed.stdout.split()[-1])
