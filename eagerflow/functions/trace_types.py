"""The types of arguments and results: which calls of a function share a trace."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.framework.dtypes import DType
from eagerflow.framework.trace_type import TraceType, TracingContext
from eagerflow.framework.tracked_containers import DictWrapper
from eagerflow.framework.type_spec import TensorSpec, TypeSpec, WeakTensorSpec, is_weak
from eagerflow.functions.variable_spec import VariableSpec

Tensor = _core.Tensor


def _same_supertype(own: Literal | Weakref, others: Sequence[TraceType]) -> Any:
    return own if all(own == other for other in others) else None


class Literal(TraceType):
    """A Python value: calls with an equal one share a trace."""

    __slots__ = ("_hash", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self._hash = hash(value)

    def is_subtype_of(self, other: object) -> bool:
        """Whether the other is the same value."""
        return self == other

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> Any:
        """This type, if all others are the same value."""
        return _same_supertype(self, others)

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """The value."""
        return self.value

    def from_tensors(self, tensors: Iterator[object]) -> Any:
        """The value."""
        return self.value

    def cast(self, value: Any, cast_context: Any) -> Any:
        """The value, if the other equals it."""
        if _equal(self.value, value):
            return value
        raise TypeError(f"Can not cast {value!r} to {self!r}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and _equal(self.value, other.value)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Literal[{self.value!r}]"


def _equal(ours: Any, theirs: Any) -> bool:
    """Whether two values are equal; a NaN equals itself."""
    if ours is theirs:
        return True
    if isinstance(ours, float) and isinstance(theirs, float) and ours != ours:
        return theirs != theirs
    if type(ours) is not type(theirs) and isinstance(ours, DType) != isinstance(theirs, DType):
        return False  # dtypes equal the integers that represent them in files
    return bool(ours == theirs)


class Weakref(TraceType):
    """An object: calls with an equal one share a trace while it lives."""

    __slots__ = ("_hash", "reference")

    def __init__(self, value: Any) -> None:
        self.reference = weakref.ref(value)
        self._hash = hash(value)

    def is_subtype_of(self, other: object) -> bool:
        """Whether the other is an equal object."""
        return self == other

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> Any:
        """This type, if all others are equal objects."""
        return _same_supertype(self, others)

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """The object."""
        return self.reference()

    def cast(self, value: Any, cast_context: Any) -> Any:
        """The object, if the other equals it."""
        own = self.reference()
        if own is not None and _equal(own, value):
            return value
        raise TypeError(f"Can not cast {value!r} to {self!r}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Weakref):
            return False
        if self.reference is other.reference:
            return True
        own, theirs = self.reference(), other.reference()
        return own is not None and theirs is not None and _equal(own, theirs)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Weakref[{self.reference!r}])"


class _Items(TraceType):
    """The base of types of containers, whose items have types in an order."""

    items: tuple[Any, ...]

    def _like(self, items: tuple[object, ...]) -> Any:
        """The type of such a container with items of other types."""
        raise NotImplementedError

    def _values(self, value: object) -> Any:
        """The items of a value, in this type's order."""
        return value

    def _built(self, values: list[Tensor]) -> Any:
        """A value with these items."""
        raise NotImplementedError

    def _fits(self, other: Any) -> Sequence[Any] | None:
        """The other's items in this type's order, if it is a container of the same form."""
        if type(self) is type(other) and len(self.items) == len(other.items):
            return other.items
        return None

    def is_subtype_of(self, other: Any) -> bool:
        """Whether the other is such a container, of supertypes of this one's items."""
        items = self._fits(other)
        return items is not None and all(
            own.is_subtype_of(theirs) for own, theirs in zip(self.items, items, strict=True)
        )

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> Any:
        """The container of the items' common supertypes."""
        fitted = [self._fits(other) for other in others]
        if any(items is None for items in fitted):
            return None
        columns = zip(*fitted, strict=True) if fitted else [()] * len(self.items)
        joined = []
        for own, theirs in zip(self.items, columns, strict=True):
            common = own.most_specific_common_supertype(list(theirs))
            if common is None:
                return None
            joined.append(common)
        return self._like(tuple(joined))

    def placeholder_value(self, placeholder_context: Any) -> tuple[Tensor, Tensor]:
        """A container of the items' placeholders."""
        return self._built([item.placeholder_value(placeholder_context) for item in self.items])

    def to_tensors(self, value: object) -> list[Tensor]:
        """The tensors of all items."""
        tensors: list[Any] = []
        for item, part in zip(self.items, self._values(value), strict=True):
            tensors.extend(item.to_tensors(part))
        return tensors

    def from_tensors(self, tensors: Iterator[object]) -> Any:
        """A container of the items' values."""
        return self._built([item.from_tensors(tensors) for item in self.items])

    def flatten(self) -> list[Any]:
        """The specs of the tensors of all items."""
        return [spec for item in self.items for spec in item.flatten()]

    def cast(self, value: Any, cast_context: Any) -> Any:
        """A container of this form with items that are cast; the value itself if none changes."""
        self._check_form(value)
        values = list(self._values(value))
        cast = [
            item.cast(part, cast_context) for item, part in zip(self.items, values, strict=True)
        ]
        if all(new is old for new, old in zip(cast, values, strict=True)):
            return value
        return self._built(cast)

    def _check_form(self, value: object) -> None:
        """Raises a TypeError unless the value is a container of this form."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        items = self._fits(other)
        return items is not None and self.items == tuple(items)

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.items))


class List(_Items):
    """A list."""

    _kind: type = list

    def __init__(self, *items: Any) -> None:
        self.items = items

    def _like(self, items: tuple[object, ...]) -> List:
        return type(self)(*items)

    def _built(self, values: Sequence[object]) -> Any:
        return self._kind(values)

    def _check_form(self, value: Any) -> None:
        kind = self._kind.__name__
        if not isinstance(value, self._kind):
            raise TypeError(f"Can not cast {value!r} to {kind} type.")
        if len(value) != len(self.items):  # type: ignore[arg-type]
            raise TypeError(f"Can not cast {value!r} to {kind} type of {len(self.items)} items.")

    def __repr__(self) -> str:
        return f"{type(self).__name__}[{', '.join(map(repr, self.items))}]"


class Tuple(List):
    """A tuple."""

    _kind = tuple


class NamedTuple(_Items):
    """A named tuple; those of one name with the same fields share traces."""

    def __init__(self, kind: type, items: tuple[object, ...]) -> None:
        self.kind = kind
        self.items = items

    def _like(self, items: tuple[object, ...]) -> NamedTuple:
        return NamedTuple(self.kind, items)

    def _built(self, values: list[Tensor]) -> Any:
        return self.kind(*values)

    def _fits(self, other: Any) -> Sequence[Any] | None:
        if not isinstance(other, NamedTuple):
            return None
        same = self._names() == other._names() and self.kind.__name__ == other.kind.__name__
        return other.items if same else None

    def _names(self) -> tuple[str, ...]:
        return self.kind._fields  # type: ignore[attr-defined]

    def _check_form(self, value: object) -> None:
        if not isinstance(value, self.kind):
            raise TypeError(f"Cannot cast {value!r} to type {self.kind!r}.")

    def __repr__(self) -> str:
        fields = (f"[{n!r}, {i!r}]" for n, i in zip(self._names(), self.items, strict=True))
        return f"{self.kind.__name__}[{', '.join(fields)}]"

    def __hash__(self) -> int:
        return hash((self.kind.__name__, self._names(), self.items))

    __eq__ = _Items.__eq__


class Attrs(_Items):
    """An object of a class made by attrs."""

    def __init__(self, kind: type, items: tuple[object, ...]) -> None:
        self.kind = kind
        self.items = items

    def _like(self, items: tuple[object, ...]) -> Attrs:
        return Attrs(self.kind, items)

    def _names(self) -> list[str]:
        return [field.name for field in self.kind.__attrs_attrs__]  # type: ignore[attr-defined]

    def _values(self, value: object) -> Any:
        return [getattr(value, name) for name in self._names()]

    def _built(self, values: list[Tensor]) -> Any:
        return self.kind(*values)

    def _fits(self, other: Any) -> Sequence[Any] | None:
        return other.items if isinstance(other, Attrs) and self.kind is other.kind else None

    def _check_form(self, value: object) -> None:
        if not isinstance(value, self.kind):
            raise TypeError(f"Cannot cast {value!r} to type {self.kind!r}.")

    def __repr__(self) -> str:
        fields = (f"[{n!r}, {i!r}]" for n, i in zip(self._names(), self.items, strict=True))
        return f"{self.kind.__name__}[{', '.join(fields)}]"

    def __hash__(self) -> int:
        return hash((self.kind, self.items))

    __eq__ = _Items.__eq__


class SelfFlattening(_Items):
    """An object that says itself how it is flattened and rebuilt."""

    def __init__(self, kind: type, metadata: Any, items: tuple[Any, ...]) -> None:
        self.kind = kind
        self.metadata = metadata
        self.items = items

    def _like(self, items: tuple[object, ...]) -> SelfFlattening:
        return SelfFlattening(self.kind, self.metadata, items)

    def _values(self, value: Any) -> Any:
        return value.__tf_flatten__()[1]

    def _built(self, values: list[Tensor]) -> Any:
        return self.kind.__tf_unflatten__(self.metadata, tuple(values))  # type: ignore[attr-defined]

    def _fits(self, other: Any) -> Sequence[Any] | None:
        same = (
            isinstance(other, SelfFlattening)
            and self.kind is other.kind
            and self.metadata == other.metadata
            and len(self.items) == len(other.items)
        )
        return other.items if same else None

    def _check_form(self, value: object) -> None:
        if not isinstance(value, self.kind):
            raise TypeError(f"Cannot cast {value!r} to type {self.kind!r}.")

    def __repr__(self) -> str:
        return f"{self.kind.__name__}[{', '.join(map(repr, self.items))}]"

    def __hash__(self) -> int:
        return hash((self.kind, self.items))

    __eq__ = _Items.__eq__


class Dict(_Items):
    """A mapping, whatever its class; the order of keys makes no difference.

    Args:
        mapping: the types of its values.
        like: a mapping of the class that the function is traced with.
    """

    def __init__(self, mapping: Mapping[Any, Any], like: Mapping[Any, Any]) -> None:
        self.mapping = dict(mapping)
        try:
            self._keys = sorted(self.mapping)
        except TypeError:  # keys that have no order
            self._keys = list(self.mapping)
        self.items = tuple([self.mapping[key] for key in self._keys])
        # An empty mapping, as its values must not be kept alive.
        plain = type(like) is dict or isinstance(like, DictWrapper)
        self._class = {} if plain else _emptied(like)

    def _like(self, items: tuple[object, ...]) -> Dict:
        values = dict(zip(self._keys, items, strict=True))
        return Dict({key: values[key] for key in self.mapping}, self._class)

    def _values(self, value: Any) -> Any:
        return [value[key] for key in self._keys]

    def _built(self, values: Sequence[object]) -> Any:
        parts_by_key = dict(zip(self._keys, values, strict=True))
        parts = {key: parts_by_key[key] for key in self.mapping}
        if type(self._class) is dict:
            return parts
        return _filled(self._class, parts)

    def _fits(self, other: Any) -> Sequence[Any] | None:
        if not isinstance(other, Dict) or self.mapping.keys() != other.mapping.keys():
            return None
        return [other.mapping[key] for key in self._keys]

    def _check_form(self, value: object) -> None:
        if not isinstance(value, Mapping):
            raise TypeError(f"Can not cast {value!r} to a Dict type.")
        if set(value) != set(self.mapping):
            raise TypeError(f"{value!r} has different keys with the TraceType {self!r}.")

    def __repr__(self) -> str:
        return f"Dict[{', '.join(f'[{key!r}, {item!r}]' for key, item in self.mapping.items())}]"

    def __hash__(self) -> int:
        return hash(frozenset(self.mapping.items()))

    __eq__ = _Items.__eq__


def _emptied(mapping: Any) -> Any:
    """A mapping of this class without keys, to be filled later; the class itself if it has none."""
    factory = getattr(mapping, "default_factory", None)
    try:
        return type(mapping)(factory) if factory is not None else type(mapping)()
    except TypeError:
        return type(mapping)


def _filled(empty: Any, parts: dict[Any, Any]) -> Any:
    if isinstance(empty, type):
        return empty(parts)
    factory = getattr(empty, "default_factory", None)
    if factory is not None:
        return type(empty)(factory, parts)
    filled = type(empty)()
    try:
        for key, value in parts.items():
            filled[key] = value
    except TypeError:  # a mapping that is not mutable
        return type(empty)(parts)
    return filled


# The specs of tensors, by dtype and shape: calls with such arguments look them up.
_specs: dict[Any, TensorSpec] = {}


def tensor_spec(tensor: Any) -> TensorSpec:
    """The spec of a tensor, without a name; equal ones are usually the same object."""
    if is_weak(tensor):
        return WeakTensorSpec(tensor.shape, tensor.dtype)
    if _core.is_symbolic(tensor):
        return TensorSpec(tensor.shape, tensor.dtype)
    key = tensor.dtype, tensor._shape_tuple()
    spec = _specs.get(key)
    if spec is None:
        if len(_specs) >= 4096:
            _specs.clear()
        spec = _specs[key] = TensorSpec(key[1], key[0])
    return spec


def from_value(value: Any, context: TracingContext | None = None) -> Any:
    """The type of an argument.

    Raises:
        TypeError: if the value is neither hashable nor a container.
    """
    if isinstance(value, Tensor):
        return tensor_spec(value)
    if context is None:
        context = TracingContext()
    kind = type(value)
    made = _MAKERS.get(kind)
    if made is not None:
        return made(value, context)
    if hasattr(kind, "__tf_tracing_type__"):
        return value.__tf_tracing_type__(context)
    if isinstance(value, TypeSpec):
        return value
    if isinstance(value, _core.Variable):
        return VariableSpec.of(value, context) if _is_one(value) else _of_object(value)
    if hasattr(kind, "_type_spec"):
        return value._type_spec
    if isinstance(value, np.ndarray | np.generic):
        return tensor_spec(_core.as_tensor(value))
    if isinstance(value, weakref.ref):
        raise TypeError(f"weakref input {value} not supported for tf.function.")
    if isinstance(value, list):
        return _list(value, context)
    if isinstance(value, tuple):
        return (
            NamedTuple(kind, _types(value, context))
            if hasattr(kind, "_fields")
            else _tuple(value, context)
        )
    if isinstance(value, Mapping):
        return _dict(value, context)
    if nest.flattens_itself(kind):
        metadata, parts = value.__tf_flatten__()
        return SelfFlattening(kind, metadata, _types(parts, context))
    if hasattr(kind, "__attrs_attrs__"):
        fields = [getattr(value, field.name) for field in kind.__attrs_attrs__]
        return Attrs(kind, _types(fields, context))
    return _of_object(value)


def _is_one(value: Any) -> bool:
    """Whether it is a variable or has the handle of one; a program's own class may only extend the type."""
    if value._has_value:
        return True
    inner = getattr(getattr(value, "handle", None), "variable", value)
    return inner is not value


def _of_object(value: object) -> Weakref | Literal:
    try:
        return Weakref(value)
    except TypeError:
        pass
    try:
        return Literal(value)
    except TypeError as error:
        raise TypeError(
            f"Could not generate a generic TraceType for {value!r}."
            "Please verify that it is immutable/hashable. Otherwise, consider implementing the "
            "Tracing Protocol for it."
        ) from error


def _types(values: Any, context: TracingContext) -> tuple[Any, ...]:
    return tuple([from_value(value, context) for value in values])


def _list(value: object, context: TracingContext) -> List:
    return List(*_types(value, context))


def _tuple(value: object, context: TracingContext) -> Tuple:
    return Tuple(*_types(value, context))


def _dict(value: Any, context: TracingContext) -> Dict:
    return Dict({key: from_value(item, context) for key, item in value.items()}, value)


def _literal(value: object, context: TracingContext) -> Literal:
    return Literal(value)


_MAKERS: dict[type, Any] = {
    int: _literal,
    float: _literal,
    bool: _literal,
    str: _literal,
    bytes: _literal,
    type(None): _literal,
    list: _list,
    tuple: _tuple,
    dict: _dict,
}


def packer(trace_type: TraceType) -> Callable[[list[Any]], Any] | None:
    """A function that builds a value of a type from its tensors; None for a type of tensors."""
    if _is_plain(trace_type):
        return None
    if isinstance(trace_type, _Items) and all(map(_is_plain, trace_type.items)):
        if type(trace_type) in (List, Tuple):
            return trace_type._kind  # type: ignore[attr-defined]
        if isinstance(trace_type, Dict) and list(trace_type.mapping) == trace_type._keys:
            if type(trace_type._class) is dict:
                keys = trace_type._keys
                return lambda tensors: dict(zip(keys, tensors, strict=True))
    return lambda tensors: trace_type.from_tensors(iter(tensors))


def _is_plain(trace_type: TraceType) -> bool:
    """Whether its values are tensors of a graph as they are."""
    return isinstance(trace_type, TensorSpec) and not trace_type._is_weak


def weak_objects(trace_type: Any) -> list[Tensor]:
    """The objects that a type refers to weakly: without them it can never be equal to another."""
    if isinstance(trace_type, Weakref):
        value = trace_type.reference()
        return [] if value is None else [value]
    if isinstance(trace_type, _Items):
        return [referenced for item in trace_type.items for referenced in weak_objects(item)]
    return []


def tensors_in(trace_type: TraceType) -> bool:
    """Whether values of a type hold tensors."""
    return bool(trace_type.flatten())


def collect_variables(trace_type: TraceType, value: Any, collected: list[Any]) -> None:
    """Appends the variables in a value of a type."""
    if isinstance(trace_type, VariableSpec):
        collected.append(value)
    elif isinstance(trace_type, _Items):
        for item, part in zip(trace_type.items, trace_type._values(value), strict=True):
            collect_variables(item, part, collected)
