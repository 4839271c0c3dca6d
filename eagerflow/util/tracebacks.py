"""Tracebacks of errors in a user's program, without the frames of this package.

Functions, Keras's loops and datasets call the program back from deep inside. Where the package was entered,
errors are raised again with the program's own lines alone, and the one that entered.
"""

from __future__ import annotations

from types import TracebackType

from eagerflow.util import own_code

_filters = True


def enable_traceback_filtering() -> None:
    """Leaves this package out of tracebacks of errors in functions and in Keras: the default."""
    global _filters
    _filters = True


def disable_traceback_filtering() -> None:
    """Lets tracebacks have all frames.

    >>> tf.debugging.disable_traceback_filtering()
    >>> tf.debugging.is_traceback_filtering_enabled()
    False
    >>> tf.debugging.enable_traceback_filtering()
    """
    global _filters
    _filters = False


def is_traceback_filtering_enabled() -> bool:
    """Whether frames of this package are left out of tracebacks."""
    return _filters


def keep_program(error: BaseException, program: str | None = None) -> None:
    """Takes this package's frames out of an error's traceback, unless filtering is disabled.

    Args:
        error: the caught error, to be raised again by its name.
        program: a file; what called its first frame is left out in any case.
    """
    frames = []
    trace = error.__traceback__
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    files = [frame.tb_frame.f_code.co_filename for frame in frames]
    if program in files:
        frames = frames[files.index(program) :]
    if _filters:
        frames = [
            f for f in frames if not f.tb_frame.f_code.co_filename.startswith(own_code.FOLDERS)
        ]
    for frame in reversed(frames):
        trace = TracebackType(trace, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    error.__traceback__ = trace
