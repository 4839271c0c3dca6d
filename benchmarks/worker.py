"""Runs one contender in a process of its own, told by lines of JSON what to do.

Started by `harness.py`, because memory, caches and thread pools of one framework must not disturb
another's. Each command is a list on standard input, each answer an object on standard output.
"""

import gc
import json
import os
import sys
import time
import traceback
from importlib import metadata
from pathlib import Path

import frameworks
import machine_rates
import suite

WARM_UP_SECONDS = 0.3
MEMORY_STEPS = 10
DISTRIBUTIONS = {
    "jax-plugin": "jax",
    "tensorflow": "tensorflow-cpu",
    "tf.function": "tensorflow-cpu",
    "jit_compile": "tensorflow-cpu",
    "fit": "eagerflow",
    "eager": "eagerflow",
}


def resident(key: str) -> int:
    """A size from the process's status, in bytes: VmRSS (now) or VmHWM (its peak)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1]) * 1024
    raise KeyError(key)


class Worker:
    """A contender and the workload it was last told to prepare."""

    def __init__(self, contender: str, threads: int):
        self.contender = contender
        self.threads = threads
        self.module = frameworks.load(contender, threads)
        self.case = None

    def hello(self) -> dict:
        """The version that is measured."""
        return {"version": metadata.version(DISTRIBUTIONS.get(self.contender, self.contender))}

    def prepare(self, name: str) -> dict:
        """Builds a workload and warms up; tells its values and a first estimate of its time."""
        self.case = None
        gc.collect()
        self.case = suite.WORKLOADS[name].contenders[self.contender](self.module)
        values = [float(value) for value in self.case.value()]
        self.case.run(1)
        count = 0
        started = time.perf_counter()
        while (elapsed := time.perf_counter() - started) < WARM_UP_SECONDS:
            self.case.run(max(1, count // 2))
            count += max(1, count // 2)
        return {"values": values, "seconds": elapsed / count}

    def time(self, count: int) -> dict:
        """Seconds per run, over `count` runs, and what they returned."""
        gc.collect()
        self.case.run(max(1, count // 10))
        started = time.perf_counter()
        share = self.case.run(count)
        return {"seconds": (time.perf_counter() - started) / count, "share": share}

    def memory(self, name: str) -> dict:
        """Peak resident memory of a few runs, beyond what the process held before; and in all."""
        gc.collect()
        Path("/proc/self/clear_refs").write_text("5")  # resets VmHWM
        before = resident("VmRSS")
        case = suite.WORKLOADS[name].contenders[self.contender](self.module)
        case.run(MEMORY_STEPS)
        peak = resident("VmHWM")
        return {"bytes": peak - before, "process_bytes": peak}

    def rates(self) -> dict:
        """What this machine can do now: operations of products and bytes of copies, a second."""
        return {
            "product_rate": machine_rates.product_rate(),
            "copy_rate": machine_rates.copy_rate(self.threads),
        }

    def drop(self) -> dict:
        """Lets go of the workload."""
        self.case = None
        gc.collect()
        return {}


def main() -> None:
    """Answers commands until standard input ends."""
    # Libraries may print; only answers go to what was standard output.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    worker = Worker(sys.argv[1], int(sys.argv[2]))
    for line in sys.stdin:
        command, *arguments = json.loads(line)
        try:
            answer = getattr(worker, command)(*arguments)
        except Exception:
            answer = {"error": traceback.format_exc()}
        print(json.dumps(answer), file=answers)


if __name__ == "__main__":
    main()
