"""Programs as statements, and what TensorFlow or eagerflow answers to them."""

from __future__ import annotations

import ast
import dataclasses
import functools
import itertools
import linecache
import math
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

from answers import Answer, Raised, answer

_numbers = itertools.count()
_HELPERS = (Path(__file__).parent / "helpers.py").read_text()
_HELPERS_CODE = compile(_HELPERS, "helpers.py", "exec")
_HELPER_SOURCES = {
    node.name: ast.get_source_segment(_HELPERS, node) or ""
    for node in ast.parse(_HELPERS).body
    if isinstance(node, ast.FunctionDef)
}


@dataclasses.dataclass(frozen=True)
class Statement:
    """A statement that binds one name.

    `op` names the operation for lists of differences, and `reads` are the names of earlier
    statements that the source uses. Constants come first, and are the arguments of functions.
    """

    target: str
    op: str
    source: str
    reads: tuple[str, ...] = ()
    constant: bool = False

    @functools.cached_property
    def code(self) -> CodeType:
        """Compiled once for both libraries."""
        return compile(self.source, f"<{self.target}>", "exec")


@dataclasses.dataclass(frozen=True)
class Program:
    """Statements, which of their targets are read in the end, and how they run.

    Without a `decorator` each statement runs by itself; with one, all that are no constants are the
    body of a function, which gets the constants as arguments or, if they are `captured`, finds them
    outside. `order` is that of the gradients of all results by the tensors `watched`.
    """

    statements: tuple[Statement, ...]
    results: tuple[str, ...]
    watched: tuple[str, ...] = ()
    order: int = 0
    decorator: str = ""
    captured: bool = False

    @property
    def constants(self) -> list[Statement]:
        return [s for s in self.statements if s.constant]

    @property
    def body(self) -> list[Statement]:
        return [s for s in self.statements if not s.constant]

    @property
    def exchanges(self) -> bool:
        """Whether the libraries read each other's files: from the folder `other`, written in `mine`."""
        return any("{other}" in s.source for s in self.statements)

    @property
    def ops(self) -> frozenset[str]:
        """The operations of all statements but constants."""
        return frozenset(s.op for s in self.body)

    def needed(self, name: str) -> Program:
        """The statements that one target depends on, which is the only result if it is one."""
        wanted = {name}
        for statement in reversed(self.statements):
            if statement.target in wanted:
                wanted.update(statement.reads)
        kept = tuple(s for s in self.statements if s.target in wanted)
        watched = tuple(w for w in self.watched if w in wanted)
        results = (name,) if name in self.results else ()
        order = self.order if watched and results else 0
        return dataclasses.replace(
            self, statements=kept, results=results, watched=watched, order=order
        )

    def explaining(self, name: str) -> tuple[Statement, ...]:
        """The statements that an answer may depend on: for a gradient, those that read its source."""
        source = name.rpartition(" of ")[2]
        if name in {s.target for s in self.statements} or source not in self.watched:
            kept = self.needed(name).statements
            return kept or self.statements
        reached = {source}
        for statement in self.statements:
            if not reached.isdisjoint(statement.reads):
                reached.add(statement.target)
        return tuple(s for s in self.statements if s.target in reached)

    def body_source(self, noisy: frozenset[str] = frozenset()) -> str:
        """The statements that are no constants; in a function, with a call of it."""
        lines = []
        for statement in self.body:
            lines.append(statement.source)
            if statement.target in noisy:
                lines.append(f"{statement.target} = noise(tf, {statement.target})")
        if not self.decorator:
            return "\n".join(lines)
        returned = ", ".join(f"{name!r}: {name}" for name in self.results)
        names = "" if self.captured else ", ".join(s.target for s in self.constants)
        lines.append(f"return {{{returned}}}")
        return (
            f"{self.decorator}\ndef program({names}):\n{textwrap.indent(chr(10).join(lines), '    ')}\n\n"
            f"found = program({names})\n"
            + "\n".join(f"{name} = found[{name!r}]" for name in self.results)
        )

    def text(self) -> str:
        """A whole program of Python that prints the results."""
        targets, sources = f"[{', '.join(self.results)}]", f"[{', '.join(self.watched)}]"
        body = self.body_source()
        if self.order:
            body = _under("tape", sources, body)
            if self.order == 2:
                body += f"\n    first = gradients(tape, {targets}, {sources})"
                body = _under("outer", sources, body)
        lines = [*(s.source for s in self.constants), body]
        lines += [f"print({name!r}, {name})" for name in self.results]
        if self.order == 1:
            lines.append(f"print(gradients(tape, {targets}, {sources}))")
        if self.order == 2:
            lines.append(f"print(first, gradients(outer, first, {sources}))")
        text = "\n".join(lines) + "\n"
        helpers = [source for name, source in _HELPER_SOURCES.items() if f"{name}(" in text]
        head = "from typing import Any\n\nimport numpy as np\nimport tensorflow as tf\n"
        head += "from numpy import inf, nan\n\n"
        if self.exchanges:
            head += 'mine = other = "/tmp/exchanged"  # each library reads what the other wrote\n\n'
        return head + "".join(f"\n{source}\n\n" for source in helpers) + "\n" + text


def _under(tape: str, sources: str, body: str) -> str:
    inner = textwrap.indent(f"{tape}.watch({sources})\n{body}", "    ")
    return f"with tf.GradientTape(persistent=True) as {tape}:\n{inner}"


def environment(tf: Any, noise: Callable | None = None) -> dict[str, Any]:
    """The names that statements may use besides their own."""
    names: dict[str, Any] = {"__name__": "program"}
    exec(_HELPERS_CODE, names)
    names.update(tf=tf, np=np, nan=math.nan, inf=math.inf, noise=noise)
    return names


class Run:
    """One library's run of a program.

    Args:
        tf: the library.
        program: what is run.
        noise: called with the library and the values of the targets `noisy`, before others read them.
        names: values of more names.

    `found` has the answers by name: results, and "gradient of NAME" or "second gradient of NAME".
    """

    def __init__(
        self,
        tf: Any,
        program: Program,
        noise: Callable | None = None,
        noisy: frozenset[str] = frozenset(),
        names: dict[str, Any] = {},
    ) -> None:
        self._tf, self._program, self._noisy = tf, program, noisy
        self._names = {**environment(tf, noise), **names}
        self._absent: set[str] = set()
        self.found: dict[str, Answer] = {}
        for statement in program.constants:
            self._run(statement)
        recording = Recording(tf, program.order) if program.order else None
        if recording:
            recording.watch([self._names[n] for n in program.watched if n in self._names])
        self._body()
        finish(tf, program, self._names, self.found, recording)

    def _run(self, statement: Statement) -> None:
        if not self._absent.isdisjoint(statement.reads):
            self._absent.add(statement.target)
            return
        try:
            exec(statement.code, self._names)
            if statement.target in self._noisy:
                exec(f"{statement.target} = noise(tf, {statement.target})", self._names)
        except Exception as error:
            self._absent.add(statement.target)
            self.found[statement.target] = Raised.of(error)

    def _body(self) -> None:
        if not self._program.decorator:
            for statement in self._program.body:
                self._run(statement)
            return
        source = self._program.body_source(self._noisy)
        try:
            exec(_readable(source), self._names)
        except Exception as error:
            self.found["the function"] = Raised.of(error)


class Recording:
    """The tapes of a program, around its statements, and its gradients of one or two orders."""

    def __init__(self, tf: Any, order: int) -> None:
        self.order = order
        self._tapes = [tf.GradientTape(persistent=True) for _ in range(order)]
        for tape in self._tapes:
            tape.__enter__()

    def watch(self, sources: list[Any]) -> None:
        for tape in self._tapes:
            tape.watch(sources)

    def gradients(self, names: dict[str, Any], program: Program, found: dict[str, Answer]) -> list:
        """Stops recording, and returns pairs of a label and gradients by all that is watched."""
        sources = [names[name] for name in program.watched if name in names]
        targets = [names[name] for name in program.results if name in names]
        made = []
        for label in ("gradient", "second gradient")[: self.order]:
            tape = self._tapes.pop()
            tape.__exit__(None, None, None)
            try:
                targets = names["gradients"](tape, targets, sources)
            except Exception as error:
                found[label] = Raised.of(error)
                break
            made.append((label, targets))
        self.close()
        return made

    def close(self) -> None:
        while self._tapes:
            self._tapes.pop().__exit__(None, None, None)


def finish(
    tf: Any,
    program: Program,
    names: dict[str, Any],
    found: dict[str, Answer],
    recording: Recording | None,
) -> None:
    """Reads the results of a program that ran, and its gradients, into `found`."""
    made = recording.gradients(names, program, found) if recording else []
    values = {name: names[name] for name in program.results if name in names and name not in found}
    for label, gradients in made:
        values |= {
            f"{label} of {name}": value
            for name, value in zip(program.watched, gradients, strict=False)
        }
    for name, value in values.items():
        try:
            found[name] = answer(tf, value)
        except Exception as error:
            found[name] = Raised.of(error)


@functools.lru_cache(maxsize=500)
def _readable(source: str) -> CodeType:
    """Code whose source AutoGraph can read, the same for both: it keeps conversions by equal codes."""
    name = f"<program {next(_numbers)}>"
    if len(linecache.cache) > 2000:
        linecache.clearcache()
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    return compile(source, name, "exec")
