"""tensorflow.python.eager.test: tests of eager execution, in programs that start with graphs."""

from __future__ import annotations

from eagerflow.compat import switches
from eagerflow.test import case

__all__ = ["main"]


def main(argv: list[str] | None = None) -> None:
    """Enables eager execution, then runs the tests of the program."""
    switches.enable_eager_execution()
    case.main(argv)
