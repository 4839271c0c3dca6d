"""A tape as a list, and as a drawing."""

from __future__ import annotations

from typing import Any

from eagerflow.debug.tracing import Keys, Step, Trace, trace_or_error
from eagerflow.typing import FilePath
from eagerflow.util.notebooks import place
from eagerflow.util.pictures import Graph
from eagerflow.util.text import Listing


def _steps(keys: Keys, trace: Trace) -> list[Step]:
    """The steps that the tape recorded."""
    return [step for step in trace.steps if any(keys.recorded(value) for value in step.outputs)]


def _kind(value: Any) -> str:
    return f"{value.dtype.name}{list(value.shape)}".replace(" ", "")


def _where(step: Step) -> str:
    return place(step.line.file, step.line.number) if step.line else ""


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
        where = _where(step)
        line = f"{outputs} = {step.name}({inputs}) -> {kinds}"
        lines.append(f"{line}    # {where}" if where else line)
    return Listing("\n".join(lines))


def draw_tape(tape: Any, path: FilePath | None = None, trace: Trace | None = None) -> Graph:
    """A tape as a picture: the operations that it recorded, with the program's lines.

    Green boxes are variables and watched tensors.

    Args:
        tape: a tape that recorded inside of `eagerflow.debug.trace()`.
        path: a file to save the picture to; its ending is the format, such as `.svg`.
        trace: the trace; by default the current or last one.

    Returns:
        A picture. Notebooks show it, terminals print the lines of `show_tape`; `save(path)` writes
        a file and `show()` opens a viewer. Drawing needs `pip install 'eagerflow[pictures]'`, or
        Graphviz's program `dot`.

    Raises:
        ValueError: if nothing has been traced, or for an unknown format.
        ImportError: if there is a `path`, and nothing that draws is installed.
    """
    keys = Keys(tape)
    names = _Names(keys, tape)
    lines = show_tape(tape, trace)
    drawing = Graph(lambda: lines)
    # The steps that returned values, by the values' names.
    origins: dict[str, int] = {}
    steps = _steps(keys, trace_or_error(trace))
    for number, step in enumerate(steps):
        for value in step.inputs:
            if keys.recorded(value):
                name = names(value)
                if name not in origins:
                    origins[name] = -1
                    drawing.add_node(name, [name, _kind(value)], "input")
                start = name if origins[name] < 0 else origins[name]
                drawing.add_edge(start, number, "" if start == name else f"{name} {_kind(value)}")
        origins.update((names(value), number) for value in step.outputs)
    used = {
        origins[names(value)] for step in steps for value in step.inputs if keys.recorded(value)
    }
    for number, step in enumerate(steps):
        kinds = ", ".join(f"{names(value)} {_kind(value)}" for value in step.outputs)
        last = number not in used
        rows = [step.name, kinds if last else "", _where(step)]
        drawing.add_node(number, rows, "output" if last else "operation")
    if path is not None:
        drawing.save(path)
    return drawing
