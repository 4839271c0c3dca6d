"""Message classes from text in the protocol buffers' language, made when they are first asked for."""

from __future__ import annotations

import functools
import importlib
import os
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

from eagerflow.protos import declarations
from eagerflow.protos.declarations import Declaration
from eagerflow.protos.files import FILES
from eagerflow.util import lazy
from eagerflow.util.optional import optional

# By its name: type checkers see the messages of a module only if it is not part of a cycle of imports.
_core = lazy.Module("eagerflow._core")

_OPTIONAL, _REPEATED = 1, 3
_schemas: list[Schema] = []


def protobuf(module: str) -> Any:
    """A module of `google.protobuf`.

    Raises:
        ImportError: if the package is not installed.
    """
    return optional(f"google.protobuf.{module}", "Reading or writing TensorFlow's messages")


class _Place:
    """Where messages are: not in protobuf's own pool, where TensorFlow itself may have the same names."""

    is_default = False


def use_default_pool() -> None:
    """Has messages made in protobuf's default pool, for packages whose messages use TensorFlow's.

    All are in one pool: this has no effect after a message has been made.
    """
    _Place.is_default = True


@functools.cache
def _pool() -> Any:
    pools = protobuf("descriptor_pool")
    return pools.Default() if _Place.is_default else pools.DescriptorPool()


def register(file: str) -> Any:
    """The description of one of TensorFlow's files, whose messages are made; None if there is none.

    Args:
        file: as `tensorflow/core/framework/tensor.proto`.
    """
    found = [name for name, known in FILES.items() if known == file]
    for module in pkgutil.iter_modules([os.path.dirname(__file__)]):
        importlib.import_module(f"eagerflow.protos.{module.name}")
    for schema in _schemas:
        if any(declaration.name in found for declaration in schema._declared):
            schema.classes()
            return _pool().FindFileByName(file)
    return None


def _file_of(full_name: str) -> str:
    """The file that declares a message, or an enumeration, by its name with a dot before it."""
    words = full_name[1:].split(".")
    outer = next(k for k, word in enumerate(words) if word[0].isupper())
    return FILES.get(words[outer], f"eagerflow/{'/'.join(words[: outer + 1])}.proto")


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
        self._is_built = False
        _schemas.append(self)

    def __missing__(self, name: str) -> Any:
        """The class of a message that is asked for first, or that does not exist."""
        if self._is_built:
            raise KeyError(name)
        try:
            return self.classes()[name]
        except ImportError:
            return self.absent[name]

    def classes(self) -> dict[str, Any]:
        """The classes of all messages by their names."""
        if not self._is_built:
            self.update(self._build())
            self._is_built = True
        return self

    @functools.cached_property
    def absent(self) -> dict[str, Any]:
        """Stands in for the classes and the enumerations where protobuf cannot be imported.

        Programs can name them, which `import` statements and annotations do. Whatever makes or reads a
        message raises the error of the import.
        """
        found: dict[str, Any] = {}
        for schema in self._uses:
            found |= schema.absent
        return found | _absent(self._declared)

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
        try:
            self.classes()
        except ImportError:
            return {}  # the schema has their names itself
        wrapper = protobuf("internal.enum_type_wrapper").EnumTypeWrapper
        own = [one for one in self._declared if one.kind == declarations.ENUM]
        return {e.name: wrapper(_pool().FindEnumTypeByName(e.full_name[1:])) for e in own}

    def reader(self, name: str) -> Callable[[bytes], Any]:
        """A function that reads messages of a name, without the package that writes them.

        It checks all of a message, and raises a ValueError if the bytes are none. What it returns
        cannot be changed. Fields are attributes, as in protobuf's messages; repeated fields are lists,
        and maps are dictionaries. A field is read when it is first asked for.
        """
        read, index = self._reader
        return functools.partial(read, index[f".{self._package}.{name}"])

    @functools.cached_property
    def _declared(self) -> list[Declaration]:
        found = declarations.parsed(self._package, self._text)
        kinds = {each.full_name: each.kind for each in self._all(found)}
        declarations.resolve(found, kinds)
        return found

    def _all(self, own: list[Declaration]) -> Iterator[Declaration]:
        """The declarations that these may use: their own, and those of other schemas."""
        for schema in {id(schema): schema for schema in self._schemas()}.values():
            yield from declarations.every(own if schema is self else schema._declared)

    def _schemas(self) -> Iterator[Schema]:
        yield self
        for schema in self._uses:
            yield from schema._schemas()

    @functools.cached_property
    def _reader(self) -> tuple[Callable[[int, bytes], Any], dict[str, int]]:
        """What reads messages, and the index of each message there by its full name."""
        found = [one for one in self._all(self._declared) if one.kind == declarations.MESSAGE]
        index = {one.full_name: k for k, one in enumerate(found)}
        described = [
            (one.full_name[1:], one.oneofs, [
                (f.name, f.number, f.kind, f.repeated, f.is_map, index.get(f.type_name, -1), f.oneof)
                for f in one.fields
            ])
            for one in found
        ]  # fmt: skip
        return _core.MessageTypes(described).read, index

    def _build(self) -> dict[str, Any]:
        classes: dict[str, Any] = {}
        for schema in self._uses:
            classes |= schema.classes()
        message_factory = protobuf("message_factory")
        files: dict[str, list[Declaration]] = {}
        for declaration in self._declared:
            files.setdefault(_file_of(declaration.full_name), []).append(declaration)
        pool = _pool()
        added: dict[str, Any] = {}

        def add(name: str) -> None:
            if name in added or name not in files:
                return
            used = {_file_of(kind) for each in files[name] for kind in _used(each)} - {name}
            added[name] = None
            for other in used:
                add(other)
            file = protobuf("descriptor_pb2").FileDescriptorProto(
                name=name, package=self._package, syntax="proto3", dependency=sorted(used)
            )
            for declaration in files[name]:
                _describe(declaration, file.message_type, file.enum_type)
            pool.Add(file)
            added[name] = pool.FindFileByName(name)

        for name in files:
            add(name)

        def collect(descriptors: Any, prefix: str) -> None:
            for name, descriptor in descriptors.items():
                if not descriptor.GetOptions().map_entry:
                    classes[prefix + name] = message_factory.GetMessageClass(descriptor)
                    collect(descriptor.nested_types_by_name, f"{prefix}{name}.")

        for file in added.values():
            collect(file.message_types_by_name, "")
        return classes


def _used(declaration: Declaration) -> Iterator[str]:
    """The full names of the messages and enumerations that fields have."""
    for field in declaration.fields:
        if field.kind in (declarations.MESSAGE, declarations.ENUM) and field.type_name:
            yield field.type_name
    for inner in declaration.nested:
        yield from _used(inner)


class Absent(type):
    """The type of what stands in for messages and enumerations where protobuf is missing."""

    def __call__(cls, *args: object, **kwargs: object) -> Any:
        return optional("google.protobuf", f"The message {cls.__name__}")  # which raises

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")
        return cls()


def _absent(declared: list[Declaration]) -> dict[str, Any]:
    """Stands in for messages, enumerations and the values of enumerations, by name."""
    found: dict[str, Any] = {}
    for one in declared:
        is_enum = one.kind == declarations.ENUM
        inside = {f.name: f.number for f in one.fields} if is_enum else _absent(one.nested)
        found[one.name] = Absent(one.name, (), inside)
        found |= {f"{one.name}.{inner}": value for inner, value in inside.items()}
        if is_enum:
            found |= inside  # as protobuf has them: beside the enumeration
    return found


def _describe(declaration: Declaration, messages: Any, enums: Any) -> None:
    """Adds protobuf's description of a declaration to one of two lists."""
    if declaration.kind == declarations.ENUM:
        enum = enums.add(name=declaration.name)
        for constant in declaration.fields:
            enum.value.add(name=constant.name, number=constant.number)
        return
    message = messages.add(name=declaration.name)
    if declaration.is_entry:
        message.options.map_entry = True
    for name in declaration.oneofs:
        message.oneof_decl.add(name=name)
    for each in declaration.fields:
        field = message.field.add(name=each.name, number=each.number, type=each.kind)
        field.label = _REPEATED if each.repeated else _OPTIONAL
        if each.kind in (declarations.MESSAGE, declarations.ENUM):
            field.type_name = each.type_name
        if each.oneof >= 0:
            field.oneof_index = each.oneof
    for inner in declaration.nested:
        _describe(inner, message.nested_type, message.enum_type)
