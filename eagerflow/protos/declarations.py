"""Declarations of messages in the protocol buffers' language (proto3), from text."""

from __future__ import annotations

from collections.abc import Iterator

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
    lines = [line.partition("//")[0] for line in text.splitlines()]
    words = iter(_spaced(" ".join(lines)).split())
    try:
        for word in words:
            if word not in ("message", "enum"):
                raise ValueError(f"Expected a message or an enum, found {word!r}.")
            _read_block(root, word, words)
    except StopIteration:
        raise ValueError("The last message has no end.") from None
    return root.nested


def _spaced(text: str) -> str:
    for sign in ";{}=<>,":
        text = text.replace(sign, f" {sign} ")
    return text


def _read_block(around: Declaration, word: str, words: Iterator[str]) -> None:
    """Adds a message or an enumeration, whose first word has been read."""
    name = next(words)
    made = Declaration(name, f"{around.full_name}.{name}", MESSAGE if word == "message" else ENUM)
    around.nested.append(made)
    _expect(words, "{")
    oneof = -1
    for word in words:
        if word == "}":
            if oneof < 0:
                return
            oneof = -1
        elif word in ("message", "enum"):
            _read_block(made, word, words)
        elif word == "oneof":
            made.oneofs.append(next(words))
            _expect(words, "{")
            oneof = len(made.oneofs) - 1
        elif word == "map":
            _read_map(made, words)
        else:
            repeated = word == "repeated"
            kind = next(words) if repeated else word
            name = next(words) if made.kind == MESSAGE else kind
            made.fields.append(
                Field(name, _number(words), _SCALARS.get(kind, 0), kind, repeated, oneof)
            )
    raise StopIteration


def _read_map(message: Declaration, words: Iterator[str]) -> None:
    _expect(words, "<")
    key = next(words)
    _expect(words, ",")
    value = next(words)
    _expect(words, ">")
    field = next(words)
    name = "".join(part[:1].upper() + part[1:] for part in field.split("_")) + "Entry"
    entry = Declaration(name, f"{message.full_name}.{name}", MESSAGE, is_entry=True)
    entry.fields = [
        Field("key", 1, _SCALARS.get(key, 0), key),
        Field("value", 2, _SCALARS.get(value, 0), value),
    ]
    message.nested.append(entry)
    message.fields.append(Field(field, _number(words), 0, name, repeated=True, is_map=True))


def _number(words: Iterator[str]) -> int:
    """What follows a name: its number."""
    _expect(words, "=")
    number = int(next(words))
    _expect(words, ";")
    return number


def _expect(words: Iterator[str], wanted: str) -> None:
    word = next(words)
    if word != wanted:
        raise ValueError(f"Expected {wanted!r}, found {word!r}.")


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
