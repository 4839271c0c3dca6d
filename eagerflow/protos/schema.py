"""Message classes from text in the protocol buffers' language, made when they are first asked for."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

from eagerflow.util.optional import optional

_TOKEN = re.compile(r'"[^"]*"|[\w.]+|[{}=;<>,\[\]]')
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
_MESSAGE, _ENUM = 11, 14
_OPTIONAL, _REPEATED = 1, 3


def protobuf(module: str) -> Any:
    """A module of `google.protobuf`.

    Raises:
        ImportError: if the package is not installed.
    """
    return optional(f"google.protobuf.{module}", "Reading or writing TensorFlow's messages")


@functools.cache
def _pool() -> Any:
    """The pool of all schemas: not protobuf's own, where the same names of other packages may be."""
    return protobuf("descriptor_pool").DescriptorPool()


class Schema(dict[str, Any]):
    """The classes of the messages that a text declares, by name; `Outer.Inner` is a nested one's.

    They are built when the first one is asked for.

    Args:
        package: the package of their full names.
        text: declarations of messages and enumerations (proto3) with plain, repeated, `oneof` and
            `map` fields. A message may use those declared anywhere in the text.
        *uses: schemas whose messages it may use, too; they are this one's as well.
    """

    def __init__(self, package: str, text: str, *uses: Schema) -> None:
        self._package = package
        self._text = text
        self._uses = uses
        # The full names of what the text declares, once the classes are built.
        self._kinds: dict[str, int] = {}

    def __missing__(self, name: str) -> Any:
        """The class of a message that is asked for first, or that does not exist."""
        if self:
            raise KeyError(name)
        try:
            return self.classes()[name]
        except ImportError:
            return self.absent[name]

    def classes(self) -> dict[str, Any]:
        """The classes of all messages by their names."""
        if not self:
            self.update(self._build())
        return self

    def _needed(self) -> set[str]:
        """The names of all files whose messages this one's may have."""
        names = {schema.file_name() for schema in self._uses}
        return names.union(*(schema._needed() for schema in self._uses))

    def file_name(self) -> str:
        """What the file of these messages is called in the pool."""
        return f"{self._package}/{id(self)}.proto"

    @functools.cached_property
    def absent(self) -> dict[str, Any]:
        """Stands in for the classes and the enumerations where protobuf cannot be imported.

        Programs can name them, which `import` statements and annotations do. Whatever makes or reads a
        message raises the error of the import.
        """
        found: dict[str, Any] = {}
        for schema in self._uses:
            found |= schema.absent
        return found | _declared(iter(_tokens(self._text)))

    def attribute(self, name: str) -> Any:
        """The class of a message, for `__getattr__` of the module that declares it."""
        try:
            if not name.startswith("_"):
                return self[name]
        except KeyError:
            pass
        raise AttributeError(f"there is no message {name!r} in package {self._package!r}")

    def enums(self) -> dict[str, Any]:
        """The enumerations outside of messages, by name, as protobuf represents them."""
        first = next(name for name in self._text.split("message ", 1)[1].split())
        if isinstance(self[first], Absent):
            return {}  # the schema has their names itself
        file = self[first].DESCRIPTOR.file
        wrapper = protobuf("internal.enum_type_wrapper").EnumTypeWrapper
        return {name: wrapper(kind) for name, kind in file.enum_types_by_name.items()}

    def _build(self) -> dict[str, Any]:
        classes: dict[str, Any] = {}
        for schema in self._uses:
            classes |= schema.classes()
            self._kinds |= schema._kinds
        message_factory = protobuf("message_factory")
        file = protobuf("descriptor_pb2").FileDescriptorProto(
            name=self.file_name(),
            package=self._package,
            syntax="proto3",
            dependency=sorted(self._needed()),
        )
        _Parser(self._text, file, self._package, self._kinds).run()
        pool = _pool()
        pool.Add(file)
        built = pool.FindFileByName(file.name)

        def collect(descriptors: Any, prefix: str) -> None:
            for name, descriptor in descriptors.items():
                if not descriptor.GetOptions().map_entry:
                    classes[prefix + name] = message_factory.GetMessageClass(descriptor)
                    collect(descriptor.nested_types_by_name, f"{prefix}{name}.")

        collect(built.message_types_by_name, "")
        return classes


class Absent(type):
    """The type of what stands in for messages and enumerations where protobuf is missing."""

    def __call__(cls, *args: object, **kwargs: object) -> Any:
        return optional("google.protobuf", f"The message {cls.__name__}")  # which raises

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")
        return cls()


def _declared(tokens: Iterator[str], kind: str = "") -> dict[str, Any]:
    """The messages, enumerations and values of enumerations that a block declares, by name."""
    found: dict[str, Any] = {}
    for first in tokens:
        if first == "}":
            break
        if first not in ("message", "enum", "oneof"):
            *_, last = iter(tokens.__next__, ";")
            if kind == "enum":
                found[first] = int(last)
            continue
        name = next(tokens)
        next(tokens)  # the brace
        inside = _declared(tokens, first)
        if first != "oneof":
            found[name] = Absent(name, (), inside)
            found |= {f"{name}.{inner}": value for inner, value in inside.items()}
        if first == "enum":
            found |= inside  # as protobuf has them: beside the enumeration
    return found


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(re.sub(r"//.*", "", text))


class _Parser:
    """Fills a file's description from the tokens of a text."""

    def __init__(self, text: str, file: Any, package: str, kinds: dict[str, int]) -> None:
        self._tokens = _tokens(text)
        self._at = 0
        self._file = file
        self._package = package
        self._kinds = kinds
        self._unresolved: list[tuple[Any, str, str]] = []

    def run(self) -> None:
        while self._at < len(self._tokens):
            kind = self._next()
            if kind == "message":
                self._message(self._file.message_type.add(), "." + self._package)
            elif kind == "enum":
                self._enum(self._file.enum_type.add(), "." + self._package)
            else:
                raise ValueError(f"Expected a message or an enum, found {kind!r}.")
        for field, name, scope in self._unresolved:
            field.type_name = next(full for full in _scopes(name, scope) if full in self._kinds)
            field.type = self._kinds[field.type_name]

    def _next(self, expected: str | None = None) -> str:
        token = self._tokens[self._at]
        if expected is not None and token != expected:
            raise ValueError(f"Expected {expected!r}, found {token!r}.")
        self._at += 1
        return token

    def _enum(self, enum: Any, scope: str) -> None:
        enum.name = self._next()
        self._kinds[f"{scope}.{enum.name}"] = _ENUM
        self._next("{")
        while self._tokens[self._at] != "}":
            name = self._next()
            self._next("=")
            enum.value.add(name=name, number=int(self._next()))
            self._next(";")
        self._next("}")

    def _message(self, message: Any, scope: str) -> None:
        message.name = self._next()
        scope = f"{scope}.{message.name}"
        self._kinds[scope] = _MESSAGE
        self._next("{")
        while self._tokens[self._at] != "}":
            kind = self._next()
            if kind == "message":
                self._message(message.nested_type.add(), scope)
            elif kind == "enum":
                self._enum(message.enum_type.add(), scope)
            elif kind == "oneof":
                message.oneof_decl.add(name=self._next())
                self._next("{")
                while self._tokens[self._at] != "}":
                    field = self._field(message, self._next(), _OPTIONAL, scope)
                    field.oneof_index = len(message.oneof_decl) - 1
                self._next("}")
            elif kind == "map":
                self._map(message, scope)
            elif kind == "repeated":
                self._field(message, self._next(), _REPEATED, scope)
            else:
                self._field(message, kind, _OPTIONAL, scope)
        self._next("}")

    def _type(self, field: Any, kind: str, scope: str) -> None:
        if kind in _SCALARS:
            field.type = _SCALARS[kind]
        else:
            self._unresolved.append((field, kind, scope))

    def _field(self, message: Any, kind: str, label: int, scope: str) -> Any:
        field = message.field.add(name=self._next(), label=label)
        self._type(field, kind, scope)
        self._next("=")
        field.number = int(self._next())
        self._next(";")
        return field

    def _map(self, message: Any, scope: str) -> None:
        self._next("<")
        key = self._next()
        self._next(",")
        value = self._next()
        self._next(">")
        name = self._tokens[self._at]
        entry = message.nested_type.add(name=_camel(name) + "Entry")
        entry.options.map_entry = True
        entry_scope = f"{scope}.{entry.name}"
        self._kinds[entry_scope] = _MESSAGE
        for number, (part, kind) in enumerate((("key", key), ("value", value)), 1):
            field = entry.field.add(name=part, number=number, label=_OPTIONAL)
            self._type(field, kind, scope)
        self._field(message, entry.name, _REPEATED, scope)


def _scopes(name: str, scope: str) -> Iterator[str]:
    """The full names that a name may refer to, the innermost first."""
    while scope:
        yield f"{scope}.{name}"
        scope = scope.rpartition(".")[0]


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
