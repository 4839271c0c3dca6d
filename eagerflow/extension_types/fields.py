"""Fields of extension types: the annotations that they may have, and conversion of their values."""

from __future__ import annotations

import collections.abc
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from eagerflow import _core
from eagerflow.framework.dtypes import DType, as_dtype
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec, TypeSpec

Tensor = _core.Tensor

# Names that fields may not have, because classes use them.
RESERVED = frozenset(
    "self Spec _type_spec _flat_tensor_specs _from_components _to_components "
    "_from_compatible_tensor_list _shape_invariant_to_type_spec _consumers value_type "
    "is_compatible_with most_specific_compatible_type".split()
)
NO_DEFAULT = object()

_PLAIN = (int, float, str, bytes, bool, type(None))


class ImmutableDict(Mapping):
    """An immutable dictionary, which fields of mappings hold."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._items = dict(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"ImmutableDict({self._items!r})"


class SpecDict(ImmutableDict):
    """The specs of the values of a mapping."""

    def __repr__(self) -> str:
        return repr(self._items)


class Field:
    """A field's name, annotation and default."""

    __slots__ = ("annotation", "default", "name")

    def __init__(self, name: str, annotation: Any, default: Any) -> None:
        self.name = name
        self.annotation = annotation
        self.default = default


def is_composite_class(annotation: object) -> bool:
    """Whether an annotation is a class of values made of tensors."""
    return isinstance(annotation, type) and getattr(annotation, "_is_composite_tensor", False)


def check_annotation(name: str, annotation: object) -> None:
    """Raises a TypeError unless fields may have this annotation."""
    try:
        _check(annotation)
    except _Unsupported as error:
        shown = error.annotation
        text = repr(shown)
        if isinstance(shown, type) and not typing.get_args(shown):
            text = f"'{shown.__name__}'"
        elif isinstance(shown, TypeSpec) or not isinstance(shown, type) and shown is Any:
            text = repr(shown) if isinstance(shown, TypeSpec) else "'Any'"
        raise TypeError(f"In field '{name}': Unsupported type annotation {text}") from None


class _Unsupported(Exception):
    def __init__(self, annotation: Any) -> None:
        self.annotation = annotation


def _check(annotation: object) -> None:
    if isinstance(annotation, str | typing.ForwardRef) or annotation is None:
        return
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is None or not args:
        known = annotation in (Tensor, DType, TensorShape) or annotation in _PLAIN
        if not known and not is_composite_class(annotation):
            raise _Unsupported(annotation)
        return
    if origin in (typing.Union, types.UnionType):
        for arg in args:
            _check(arg)
    elif origin is tuple:
        for arg in args:
            if arg is not Ellipsis:
                _check(arg)
    elif origin is collections.abc.Mapping:
        if args[0] not in (str, int, bool, float):
            raise _Unsupported(annotation)
        _check(args[1])
    else:
        raise _Unsupported(annotation)


class Converter:
    """Converts values to the types of annotations.

    `tensor(value, path)` converts a value where a tensor is expected, and
    `composite(value, class, path)` where a class of values made of tensors is.
    `resolve` evaluates names in annotations.
    """

    def __init__(self, tensor: Callable, composite: Callable, resolve: Callable, mapping: type):
        self._tensor = tensor
        self._composite = composite
        self._resolve = resolve
        self._mapping = mapping

    def convert(self, value: object, annotation: object, path: str) -> Any:
        """The value converted to the annotation's type.

        Raises:
            TypeError: if there is none; the message names the field.
        """
        if isinstance(annotation, str | typing.ForwardRef):
            annotation = self._resolve(annotation, path)
        if annotation is Tensor:
            return self._tensor(value, path)
        if annotation is None:
            annotation = type(None)
        if annotation in _PLAIN:
            return _checked_type(value, annotation, path)
        if annotation is DType:
            return _converted(value, as_dtype, "tf.DType", path)
        if annotation is TensorShape:
            return _converted(value, TensorShape, "tf.TensorShape", path)
        if is_composite_class(annotation):
            return self._composite(value, annotation, path)
        origin, args = typing.get_origin(annotation), typing.get_args(annotation)
        if origin in (typing.Union, types.UnionType):
            return self._union(value, annotation, path)
        if origin is tuple:
            return self._tuple(value, args, path)
        if origin is collections.abc.Mapping:
            return self._map(value, args, path)
        raise TypeError(f"{path}: Unsupported type annotation '{_name(annotation)}'")

    def _union(self, value: object, annotation: object, path: str) -> Any:
        for arg in typing.get_args(annotation):
            try:
                return self.convert(value, arg, path)
            except TypeError:
                continue
        raise TypeError(f"{path}: expected {annotation}, got {type(value).__name__!r}")

    def _tuple(self, value: object, args: tuple, path: str) -> Any:
        if not isinstance(value, list | tuple):
            raise TypeError(f"{path}: expected tuple, got {type(value).__name__!r}")
        if len(args) == 2 and args[1] is Ellipsis:
            args = (args[0],) * len(value)
        if len(value) != len(args):
            raise TypeError(
                f"{path}: expected tuple with length {len(args)}, got {type(value).__name__!r})"
            )
        return tuple(
            self.convert(item, arg, f"{path}[{k}]")
            for k, (item, arg) in enumerate(zip(value, args, strict=True))
        )

    def _map(self, value: object, args: tuple, path: str) -> ImmutableDict:
        if not isinstance(value, Mapping):
            raise TypeError(f"{path}: expected mapping, got {type(value).__name__!r}")
        return self._mapping(
            (
                self.convert(key, args[0], f"{path}[<key>]"),
                self.convert(item, args[1], f"{path}[{key!r}]"),
            )
            for key, item in value.items()
        )


def _name(annotation: object) -> str:
    return getattr(annotation, "__name__", None) or str(annotation)


def _checked_type(value: object, wanted: type, path: str) -> object:
    if not isinstance(value, wanted):
        raise TypeError(f"{path}: expected '{wanted.__name__}', got {type(value).__name__!r}")
    return value


def _converted(value: Any, make: Callable, wanted: str, path: str) -> TensorShape:
    try:
        return make(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{path}: expected '{wanted}', got {type(value).__name__!r}") from error


def stands_for_tensor(value: object) -> bool:
    """Whether values of a class are symbolic: tensors of a graph or of a model."""
    kind = type(value)
    return hasattr(kind, "__op_function__") and not is_composite_class(kind)


def tensor_value(value: object, path: str) -> Any:
    """A field's value as a tensor; symbolic values stay as they are."""
    if isinstance(value, Tensor) or stands_for_tensor(value):
        return value
    if not isinstance(value, TypeSpec) and value is not None:
        try:
            return _core.as_tensor(value)
        except (TypeError, ValueError):
            pass
    raise TypeError(f"{path}: expected a Tensor, got {type(value).__name__!r}")


def composite_value(value: object, wanted: type, path: str) -> object:
    """A field's value, which must be of a class."""
    return _checked_type(value, wanted, path)


def tensor_spec(value: object, path: str) -> TensorSpec:
    """The spec of a field that holds a tensor."""
    if not isinstance(value, TensorSpec):
        raise TypeError(f"{path}: expected a TensorSpec, got {type(value).__name__!r}")
    return value


def composite_spec(value: object, wanted: type, path: str) -> TypeSpec:
    """The spec of a field that holds a value of a class."""
    if not isinstance(value, TypeSpec) or not _describes(value, wanted):
        raise TypeError(
            f"{path}: expected a TypeSpec for {wanted.__name__!r}, got {type(value).__name__!r}"
        )
    return value


def _describes(spec: TypeSpec, wanted: type) -> bool:
    # Rows of ragged tensors have ragged specs, though they are tensors.
    if type(spec).__name__ == "RaggedTensorSpec":
        return wanted.__name__ == "RaggedTensor"
    return issubclass(spec.value_type, wanted)
