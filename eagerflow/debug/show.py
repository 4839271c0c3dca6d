"""A tape as a list, and as a drawing."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from eagerflow import _core
from eagerflow.debug.trace import Keys, Step, Trace, trace_or_error


def _steps(keys: Keys, trace: Trace) -> list[Step]:
    """The steps that the tape recorded."""
    return [step for step in trace.steps if any(keys.recorded(value) for value in step.outputs)]


def _kind(value: Any) -> str:
    return f"{value.dtype.name}{list(value.shape)}".replace(" ", "")


class _Names:
    """Short names for what goes through a tape."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._names: dict[Any, str] = {}

    def __call__(self, value: Any) -> str:
        key = self._keys(value)
        if key not in self._names:
            if isinstance(value, _core.Variable):
                self._names[key] = value._name
            else:
                self._names[key] = f"t{len(self._names) + 1}"
        return self._names[key]


def show_tape(tape: Any, trace: Trace | None = None) -> str:
    """What a tape recorded, one operation a line, with the program's lines.

    Args:
        tape: a tape that recorded inside of `eagerflow.debug.trace()`.
        trace: the trace; by default the current or last one.

    Raises:
        ValueError: if nothing has been traced.

    >>> x = tf.constant([1.0, 2.0])
    >>> with tf.debug.trace(), tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.reduce_sum(x * x)
    >>> for line in tf.debug.show_tape(tape).splitlines():
    ...     print(line.partition("    #")[0])
    t1 = float32[2] watched
    t2 = Mul(t1, t1) -> float32[2]
    t3 = Sum(t2) -> float32[]
    """
    keys = Keys(tape)
    names = _Names(keys)
    lines: list[str] = []
    for step in _steps(keys, trace_or_error(trace)):
        for value in step.inputs:
            if keys.recorded(value) and keys(value) not in names._names:
                lines.append(f"{names(value)} = {_kind(value)} watched")
        inputs = ", ".join(
            names(value) if keys.recorded(value) else _kind(value) for value in step.inputs
        )
        outputs = ", ".join(names(value) for value in step.outputs)
        kinds = ", ".join(_kind(value) for value in step.outputs)
        where = f"    # {Path(step.line.file).name}:{step.line.number}" if step.line else ""
        lines.append(f"{outputs} = {step.name}({inputs}) -> {kinds}{where}")
    return "\n".join(lines)


def draw_tape(tape: Any, path: str | None = None, trace: Trace | None = None) -> str:
    """A tape as a graph in Graphviz's language, drawn as SVG if there is a `path`.

    Args:
        tape: a tape that recorded inside of `eagerflow.debug.trace()`.
        path: a file for the SVG; drawing it needs Graphviz's program `dot`.
        trace: the trace; by default the current or last one.

    Returns:
        The graph in Graphviz's language.

    Raises:
        ValueError: if nothing has been traced.
        RuntimeError: if there is a `path` and `dot` is not installed, or fails.
    """
    keys = Keys(tape)
    names = _Names(keys)
    lines = ["digraph tape {", "  rankdir=TB;", '  node [fontname="sans-serif", fontsize=11];']
    drawn: set[str] = set()
    for number, step in enumerate(_steps(keys, trace_or_error(trace))):
        where = f"{Path(step.line.file).name}:{step.line.number}" if step.line else ""
        lines.append(f'  op{number} [shape=box, style=rounded, label="{step.name}\\n{where}"];')
        for value, inward in [(v, True) for v in step.inputs] + [(v, False) for v in step.outputs]:
            if not keys.recorded(value):
                continue
            name = names(value)
            if name not in drawn:
                drawn.add(name)
                lines.append(f'  "{name}" [shape=plain, label="{name}\\n{_kind(value)}"];')
            lines.append(f'  "{name}" -> op{number};' if inward else f'  op{number} -> "{name}";')
    lines.append("}")
    text = "\n".join(lines) + "\n"
    if path is not None:
        _draw(text, path)
    return text


def _draw(text: str, path: str) -> None:
    program = shutil.which("dot")
    if program is None:
        raise RuntimeError(
            "Drawing needs Graphviz's program `dot`, which is not installed. The graph itself is "
            "returned if no path is given."
        )
    done = subprocess.run(
        [program, "-Tsvg", "-o", path], input=text, text=True, capture_output=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"dot failed: {done.stderr.strip()}")
