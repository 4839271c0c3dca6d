"""The inputs, outputs and attributes of TensorFlow's operations, by name.

`op_defs.txt` has a line for each, which `tools/op_defs.py` writes and explains.
"""

from __future__ import annotations

import bisect
import functools
import json
import os
import re
from typing import Any, NamedTuple

_ATTR = re.compile(r"(\w+): ([\w()]+)(?: >= (-?\d+))?( in (?=\[))?")
_DECODER = json.JSONDecoder()


class Argument(NamedTuple):
    """An input or output of an operation."""

    name: str
    # A dtype's name, or the attribute with the dtype; with a list of dtypes if `is_list`.
    type: str
    # The attribute with the number of tensors of that dtype; empty for a single tensor.
    number: str = ""
    is_list: bool = False
    is_ref: bool = False
    # The permitted ranks, as `1`, `1+` or `1|2`; empty for all.
    ranks: str = ""

    def allows(self, rank: int) -> bool:
        """Whether it may be a tensor of a rank."""
        if self.ranks.endswith("+"):
            return rank >= int(self.ranks[:-1])
        return not self.ranks or str(rank) in self.ranks.split("|")

    @property
    def is_single(self) -> bool:
        """Whether it is a single tensor."""
        return not self.number and not self.is_list


class Attribute(NamedTuple):
    """An attribute of an operation: `type`, `int`, `list(shape)`, ..."""

    name: str
    kind: str
    required: bool
    default: Any
    # The least integer, or the least length of a list.
    least: int | None = None
    # The values that a text may have; empty for all.
    allowed: tuple[str, ...] = ()


class OpDef(NamedTuple):
    """The declaration of an operation."""

    name: str
    has_state: bool
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    attributes: dict[str, Attribute]
    # Of the attributes, those that follow from the inputs: their dtypes and counts.
    of_inputs: frozenset[str] = frozenset()

    def deduced(self) -> frozenset[str]:
        """The attributes that follow from the inputs: their dtypes and counts."""
        return self.of_inputs


@functools.cache
def _lines() -> list[str]:
    """The operations' declarations, in the order of their names."""
    path = os.path.join(os.path.dirname(__file__), "op_defs.txt")
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


@functools.cache
def names() -> tuple[str, ...]:
    """The names of all operations."""
    return tuple(line.partition("(")[0].rstrip("!") for line in _lines())


@functools.cache
def find(name: str) -> OpDef | None:
    """The operation of a name; None if TensorFlow has none.

    >>> from eagerflow.graphdef import op_defs
    >>> [argument.name for argument in op_defs.find("Sum").inputs]
    ['input', 'reduction_indices']
    """
    lines = _lines()
    at = bisect.bisect(lines, f"{name}!")  # the mark of state, which comes before parentheses
    if at < len(lines) and lines[at].startswith((f"{name}(", f"{name}!(")):
        return _parsed(lines[at])
    return None


def _parsed(line: str) -> OpDef:
    name, _, rest = line.partition("(")
    inputs, _, rest = rest.partition(") -> (")
    outputs, _, attributes = rest.removesuffix("}").partition(") {")
    declared, named = _arguments(inputs), _attributes(attributes)
    deduced = {attr for argument in declared for attr in (argument.type, argument.number)}
    of_inputs = frozenset(deduced & named.keys())
    has_state = name.endswith("!")
    return OpDef(name.rstrip("!"), has_state, declared, _arguments(outputs), named, of_inputs)


def _arguments(text: str) -> tuple[Argument, ...]:
    found = []
    for part in text.split(", ") if text else ():
        name, _, kind = part.partition(": ")
        kind, _, ranks = kind.partition(" rank ")
        number, star, kind_of_each = kind.rpartition("*")
        kind = kind_of_each if star else kind
        is_ref = number.startswith("&") or kind.startswith("&")
        is_list = kind.endswith("...")
        kind = kind.strip("&").rstrip(".")
        found.append(Argument(name, kind, number.strip("&"), is_list, is_ref, ranks))
    return tuple(found)


def _attributes(text: str) -> dict[str, Attribute]:
    found = {}
    at = 0
    while at < len(text):
        match = _ATTR.match(text, at)
        assert match is not None, text
        at = match.end()
        allowed: list[str] = []
        if match[4]:
            allowed, at = _DECODER.raw_decode(text, at)
        default = None
        required = not text.startswith(" = ", at)
        if not required:
            default, at = _DECODER.raw_decode(text, at + len(" = "))
        least = None if match[3] is None else int(match[3])
        found[match[1]] = Attribute(match[1], match[2], required, default, least, tuple(allowed))
        at += len(", ")
    return found
