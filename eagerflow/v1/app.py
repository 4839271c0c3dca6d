"""tf.app: running a program's main function."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
flags = lazy.Module("eagerflow.v1.flags")


def run(main: Callable | None = None, argv: Sequence[str] | None = None) -> None:
    """Parses flags, calls `main` with the remaining arguments, and exits.

    Args:
        main: the function; by default the program's own `main`.
        argv: the arguments, the program's name first; by default `sys.argv`.
    """
    arguments = flags.FLAGS(list(sys.argv if argv is None else argv), known_only=True)
    if main is None:
        main = vars(sys.modules["__main__"])["main"]
    sys.exit(main(arguments))


__all__: list[Any] = ["run"]
