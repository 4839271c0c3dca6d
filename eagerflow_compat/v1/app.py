"""tf.app: running a program's main function."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence

from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
flags = lazy.Module("eagerflow_compat.v1.flags")
absl_app = lazy.Module("absl.app")


def run(main: Callable | None = None, argv: Sequence[str] | None = None) -> None:
    """Parses flags, calls `main` with the remaining arguments, and exits.

    Args:
        main: the function; by default the program's own `main`.
        argv: the arguments, the program's name first; by default `sys.argv`.
    """
    if main is None:
        main = vars(sys.modules["__main__"])["main"]
    absl_app.run(main, argv, functools.partial(flags.FLAGS, known_only=True))


__all__: list[str] = ["run"]
