"""What pytest notes of a package's tests, a line of JSON for each, as soon as it is known.

The file is named by the environment variable ECOSYSTEM_RESULTS, and the bound of a test's seconds by
ECOSYSTEM_SECONDS. With ECOSYSTEM_KERAS_2, `import keras` gives tf_keras, as Keras was before version 3.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import json
import os
import signal
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest


class _Keras2(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of tf_keras as those of keras."""

    def find_spec(self, fullname: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] != "keras":
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return importlib.import_module(f"tf_{spec.name}")

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is run: the module has been."""


if os.environ.get("ECOSYSTEM_KERAS_2"):
    sys.meta_path.insert(0, _Keras2())


def _note(**row: Any) -> None:
    with open(os.environ["ECOSYSTEM_RESULTS"], "a") as file:
        file.write(json.dumps(row) + "\n")


def pytest_configure() -> None:
    """Reads absl's flags, which tests of Google's ask for, as their main program would."""
    try:
        from absl import flags
    except ModuleNotFoundError:
        return
    flags.FLAGS(["test"], known_only=True)


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Leaves out a test that `tf.test.TestCase` brings itself."""
    items[:] = [item for item in items if item.name != "test_session"]


def pytest_collectreport(report: Any) -> None:
    if report.failed:
        _note(file=report.nodeid, test="", outcome="failed", text=str(report.longrepr)[-3000:])


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: Any) -> Iterator[None]:
    """Notes that a test begins, and ends it after its seconds."""
    _note(file=item.nodeid.split("::")[0], test=item.nodeid.split("::", 1)[1], outcome="begun")

    def late(*_: Any) -> None:
        raise TimeoutError("the test takes too long")

    signal.signal(signal.SIGALRM, late)
    signal.alarm(int(os.environ["ECOSYSTEM_SECONDS"]))
    yield
    signal.alarm(0)


def pytest_runtest_logreport(report: Any) -> None:
    if report.when == "call" or report.outcome != "passed":
        file, test = report.nodeid.split("::", 1)
        text = str(report.longrepr)[-3000:] if report.outcome == "failed" else ""
        _note(file=file, test=test, outcome=report.outcome, text=text)
