"""A tape as a list, and as a drawing."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from eagerflow.debug.tracing import Keys, Step, Trace, trace_or_error
from eagerflow.util.text import Listing


def _steps(keys: Keys, trace: Trace) -> list[Step]:
    """The steps that the tape recorded."""
    return [step for step in trace.steps if any(keys.recorded(value) for value in step.outputs)]


def _kind(value: Any) -> str:
    return f"{value.dtype.name}{list(value.shape)}".replace(" ", "")


class _Names:
    """Short names for the tensors and variables on a tape."""

    def __init__(self, keys: Keys, tape: Any) -> None:
        self._keys = keys
        self._names: dict[Any, str] = {}
        self._variables: dict[Any, str] = {}
        for variable in tape.watched_variables():
            self._variables[keys(variable)] = self._free(variable._name)

    def _free(self, name: str) -> str:
        """The name, with a number appended if another variable has it."""
        taken = set(self._variables.values())
        names = (name if k == 1 else f"{name} ({k})" for k in range(1, len(taken) + 2))
        return next(name for name in names if name not in taken)

    def __call__(self, value: Any) -> str:
        key = self._keys(value)
        if key not in self._names:
            self._names[key] = self._variables.get(key) or f"t{self._count() + 1}"
        return self._names[key]

    def _count(self) -> int:
        return sum(key not in self._variables for key in self._names)

    def known(self, value: object) -> bool:
        """Whether the value has been named."""
        return self._keys(value) in self._names


def show_tape(tape: Any, trace: Trace | None = None) -> str:
    """The operations that a tape recorded, one a line, with the program's lines.

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
    names = _Names(keys, tape)
    lines: list[str] = []
    for step in _steps(keys, trace_or_error(trace)):
        for value in step.inputs:
            if keys.recorded(value) and not names.known(value):
                lines.append(f"{names(value)} = {_kind(value)} watched")
        inputs = ", ".join(
            names(value) if keys.recorded(value) else _kind(value) for value in step.inputs
        )
        outputs = ", ".join(names(value) for value in step.outputs)
        kinds = ", ".join(_kind(value) for value in step.outputs)
        where = f"    # {Path(step.line.file).name}:{step.line.number}" if step.line else ""
        lines.append(f"{outputs} = {step.name}({inputs}) -> {kinds}{where}")
    return Listing("\n".join(lines))


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
    names = _Names(keys, tape)
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
                # An input that no earlier operation has returned is watched.
                look = "box, style=filled, fillcolor=lightblue" if inward else "plain"
                label = f"{name}\\n{_kind(value)}".replace('"', r"\"")
                lines.append(f'  "{quoted(name)}" [shape={look}, label="{label}"];')
            name = quoted(name)
            lines.append(f'  "{name}" -> op{number};' if inward else f'  op{number} -> "{name}";')
    lines.append("}")
    text = "\n".join(lines) + "\n"
    if path is not None:
        draw_text(text, path)
    return text


def quoted(name: str) -> str:
    """A name as it stands between quotation marks."""
    return name.replace('"', r"\"")


def draw_text(text: str, path: str) -> None:
    """Has Graphviz draw a graph.

    Raises:
        RuntimeError: if its program `dot` is not installed, or fails.
    """
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
