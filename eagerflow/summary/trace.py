"""Traces of a program's run; eager operations are seen by the host's own profiler."""

from __future__ import annotations

import cProfile
import pstats
import threading
from typing import Any

from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
values = lazy.Module("eagerflow.summary.values")

_lock = threading.Lock()
_profile: cProfile.Profile | None = None


def trace_on(
    graph: bool = True, profiler: bool = False, profiler_outdir: str | None = None
) -> None:
    """Begins a trace: from now on Python calls are timed if `profiler` is true.

    Args:
        graph: accepted; eager operations form no graph.
        profiler: whether to time calls.
        profiler_outdir: ignored here; see `trace_export`.

    >>> tf.summary.trace_on(profiler=False)
    >>> y = tf.square(2.0)
    >>> tf.summary.trace_off()
    """
    global _profile
    with _lock:
        if _profile is None and profiler:
            _profile = cProfile.Profile()
            _profile.enable()


def trace_off() -> None:
    """Ends a trace and forgets it."""
    global _profile
    with _lock:
        if _profile is not None:
            _profile.disable()
            _profile = None


def trace_export(name: str, step: Any = None, profiler_outdir: str | None = None) -> None:
    """Ends a trace and writes it: as a text summary, and as a file for `pstats` in a folder.

    Args:
        name: the summary's name.
        step: an integer; the default step otherwise.
        profiler_outdir: the folder for `NAME.pstats`, if there is one.
    """
    import io
    import os

    profile = _profile
    trace_off()
    if profile is None:
        return
    output = io.StringIO()
    pstats.Stats(profile, stream=output).sort_stats("cumulative").print_stats(30)
    values.text(name, f"```\n{output.getvalue()}\n```", step)
    if profiler_outdir is not None:
        os.makedirs(profiler_outdir, exist_ok=True)
        profile.dump_stats(os.path.join(profiler_outdir, f"{name}.pstats"))
