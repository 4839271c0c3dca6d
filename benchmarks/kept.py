"""Measurements that outlive a run, so that an interrupted one goes on."""

import json
from collections.abc import Mapping
from pathlib import Path

from harness import Result
from workload import Workload


class Kept:
    """Measurements, of this run and of earlier ones that a file holds, one in a line."""

    def __init__(self, path: Path | None, workloads: Mapping[str, Workload]):
        self.path = path
        self.workloads = workloads
        self.results: dict[str, Result] = {}
        self.versions: dict[str, str] = {}
        if path is None or not path.exists():
            return
        for line in path.read_text().splitlines():
            record = json.loads(line)
            if workload := workloads.get(record.pop("workload")):
                self.versions |= record.pop("versions")
                self.results[workload.name] = Result(workload, **record)

    def add(self, result: Result, versions: dict[str, str]) -> None:
        """One more, which the file has even if the next one fails."""
        self.versions |= versions
        self.results[result.workload.name] = result
        if self.path is None:
            return
        record = {
            "workload": result.workload.name,
            "samples": result.samples,
            "errors": result.errors,
            "least": result.least,
            "versions": versions,
        }
        with self.path.open("a") as file:
            print(json.dumps(record), file=file)

    def in_order(self) -> list[Result]:
        """As the pages show them."""
        return [self.results[name] for name in self.workloads]
