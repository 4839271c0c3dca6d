"""Docstrings whose arguments are described once: by a base class, or for a family of functions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping

from eagerflow.util import own_code

_ENTRY = re.compile(r"    (\*{0,2}\w+): ")


class ArgumentDocs:
    """The docstring of a class, completed when it is asked for.

    Arguments of the constructor that the class does not describe have the descriptions of the
    nearest base that does, in its docstring or in `_argument_docs`, and all stand in the
    constructor's order.
    """

    def __init__(self, own: str) -> None:
        self.own = own

    def __get__(self, instance: object, owner: type) -> str:
        described: dict[str, list[str]] = {}
        for base in reversed(owner.__mro__[1:]):
            shared = vars(base).get("_argument_docs", {})
            described |= {name: [f"    {name}: {text}"] for name, text in shared.items()}
            described |= _split(own_doc(base))[1]
        return completed(self.own, owner.__init__, described)  # type: ignore[misc]


def completed(doc: str, function: Callable[..., object], described: Mapping[str, list[str]]) -> str:
    """A docstring with all arguments of a function, in the order of its signature.

    Args:
        doc: the docstring; its own descriptions take precedence.
        function: the function.
        described: the lines that describe an argument, by its name with stars.
    """
    head, own, tail = _split(doc)
    stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}
    parameters = inspect.signature(function).parameters.values()
    names = [stars.get(parameter.kind.name, "") + parameter.name for parameter in parameters]
    names += [name for name in own if name not in names]
    described = {**described, **own}
    entries = [line for name in names for line in described.get(name, ())]
    if entries:
        head = [*head, "", "Args:", *entries]
    return "\n".join([*head, *([""] if tail else []), *tail])


def complete_docs(cls: type) -> None:
    """Completes the docstring of a class of this package from those of its bases."""
    own = cls.__dict__.get("__doc__")
    if isinstance(own, str) and own_code.is_own(cls.__module__):
        cls.__doc__ = ArgumentDocs(own)  # type: ignore[assignment]


def own_doc(cls: type) -> str:
    """The docstring that a class itself was written with."""
    doc = cls.__dict__.get("__doc__")
    return doc.own if isinstance(doc, ArgumentDocs) else doc or ""


def _split(doc: str) -> tuple[list[str], dict[str, list[str]], list[str]]:
    """The text of a docstring before the arguments, the lines on each argument, and the rest."""
    lines = inspect.cleandoc(doc).split("\n")
    marks = ("Args:", "Returns:", "Raises:", ">>> ")
    start = next((i for i, line in enumerate(lines) if line.startswith(marks)), len(lines))
    end = start
    entries: dict[str, list[str]] = {}
    if lines[start:] and lines[start] == "Args:":
        end = next((i for i in range(start, len(lines)) if not lines[i]), len(lines))
        for line in lines[start + 1 : end]:
            match = _ENTRY.match(line)
            if match:
                entry = entries[match[1]] = []
            entry.append(line)
    while end < len(lines) and not lines[end]:
        end += 1
    while start and not lines[start - 1]:
        start -= 1
    return lines[:start], entries, lines[end:]
