"""Declarations of messages in the protocol buffers' language (proto3), from text."""

from __future__ import annotations

import re
from collections.abc import Iterator

_STATEMENT = re.compile(
    r"""\s*(?://.*\s*)*(?:
    (?P<block>message|enum|oneof)\s+(?P<name>\w+)\s*\{
    | map<\s*(?P<key>\w+)\s*,\s*(?P<value>[\w.]+)\s*>\s*(?P<map>\w+)\s*=\s*(?P<mapped>\d+)\s*;
    | (?P<repeated>repeated\s+)?(?P<type>[\w.]+)\s+(?P<field>\w+)\s*=\s*(?P<number>\d+)\s*;
    | (?P<constant>\w+)\s*=\s*(?P<integer>\d+)\s*;
    | (?P<end>\}))""",
    re.VERBOSE,
)
_SCALARS = {
    "double": 1,
    "float": 2,
    "int64": 3,
    "uint64": 4,
    "int32": 5,
    "fixed64": 6,
    "fixed32": 7,
    "bool": 8,
    "string": 9,
    "bytes": 12,
    "uint32": 13,
    "sint64": 18,
}
MESSAGE, ENUM = 11, 14


class Field:
    """A field of a message.

    Args:
        name: its name.
        number: its number.
        kind: what it holds, as protocol buffers number it; 0 until its type is resolved.
        type_name: the name of the message or enumeration that it holds.
        repeated: whether there are many.
        oneof: the index of its oneof, or -1.
        is_map: whether it is a map; its messages are the entries.
    """

    __slots__ = ("is_map", "kind", "name", "number", "oneof", "repeated", "type_name")

    def __init__(
        self, name: str, number: int, kind: int, type_name: str, repeated: bool = False,
        oneof: int = -1, is_map: bool = False,
    ) -> None:  # fmt: skip
        self.name = name
        self.number = number
        self.kind = kind
        self.type_name = type_name
        self.repeated = repeated
        self.oneof = oneof
        self.is_map = is_map


class Declaration:
    """A message, or an enumeration, whose constants are fields.

    Args:
        name: its name in the message or package around it.
        full_name: its name with those around it, and a dot before them.
        kind: MESSAGE or ENUM.
        is_entry: whether it is the entry of a map.
    """

    __slots__ = ("fields", "full_name", "is_entry", "kind", "name", "nested", "oneofs")

    def __init__(self, name: str, full_name: str, kind: int, is_entry: bool = False) -> None:
        self.name = name
        self.full_name = full_name
        self.kind = kind
        self.is_entry = is_entry
        self.fields: list[Field] = []
        self.oneofs: list[str] = []
        self.nested: list[Declaration] = []


def parsed(package: str, text: str) -> list[Declaration]:
    """The declarations of a text.

    Raises:
        ValueError: if it is no proto3.
    """
    root = Declaration("", f".{package}", MESSAGE)
    around, oneof = [root], -1
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _STATEMENT.match(text, at)
        inner = around[-1]
        if match is None or (match["end"] and inner is root and oneof < 0):
            raise ValueError(f"Expected a declaration, found {text[at : at + 40]!r}.")
        at = match.end()
        if match["field"]:
            kind = match["type"]
            inner.fields.append(
                Field(
                    match["field"], int(match["number"]), _SCALARS.get(kind, 0), kind,
                    match["repeated"] is not None, oneof,
                )
            )  # fmt: skip
        elif match["end"]:
            if oneof >= 0:
                oneof = -1
            else:
                around.pop()
        elif match["block"] == "oneof":
            inner.oneofs.append(match["name"])
            oneof = len(inner.oneofs) - 1
        elif match["block"]:
            kind_here = MESSAGE if match["block"] == "message" else ENUM
            made = Declaration(match["name"], f"{inner.full_name}.{match['name']}", kind_here)
            inner.nested.append(made)
            around.append(made)
        elif match["map"]:
            name = (
                "".join(part[:1].upper() + part[1:] for part in match["map"].split("_")) + "Entry"
            )
            key, value = match["key"], match["value"]
            entry = Declaration(name, f"{inner.full_name}.{name}", MESSAGE, is_entry=True)
            entry.fields = [
                Field("key", 1, _SCALARS.get(key, 0), key),
                Field("value", 2, _SCALARS.get(value, 0), value),
            ]
            inner.nested.append(entry)
            inner.fields.append(
                Field(match["map"], int(match["mapped"]), 0, name, repeated=True, is_map=True)
            )
        else:
            inner.fields.append(Field(match["constant"], int(match["integer"]), 0, ""))
    if len(around) > 1:
        raise ValueError(f"{around[-1].full_name} has no end.")
    return root.nested


def every(declarations: list[Declaration]) -> Iterator[Declaration]:
    """The declarations and those in them."""
    for declaration in declarations:
        yield declaration
        yield from every(declaration.nested)


def resolve(declarations: list[Declaration], kinds: dict[str, int]) -> None:
    """Sets the kinds and full names of the types of fields.

    Args:
        declarations: those of one text.
        kinds: MESSAGE or ENUM by the full names of what they may use.
    """
    for declaration in every(declarations):
        if declaration.kind == MESSAGE:
            for each in declaration.fields:
                if not each.kind:
                    names = _scopes(each.type_name, declaration.full_name)
                    each.type_name = next(full for full in names if full in kinds)
                    each.kind = kinds[each.type_name]


def _scopes(name: str, scope: str) -> Iterator[str]:
    """The full names that a name may refer to, the innermost first."""
    while scope:
        yield f"{scope}.{name}"
        scope = scope.rpartition(".")[0]
