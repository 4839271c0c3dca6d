"""ExtensionType: immutable values with named fields, which functions of structures take apart."""

from __future__ import annotations

import functools
import inspect
import sys
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from eagerflow import _core
from eagerflow.extension_types import fields as field_rules
from eagerflow.extension_types.fields import Converter, Field, ImmutableDict, SpecDict
from eagerflow.framework import spec_names
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.type_spec import TensorSpec, TypeSpec

Tensor = _core.Tensor


class _Record:
    """Named fields that only the constructor sets."""

    _tf_extension_type_fields: tuple[Field, ...] = ()
    _kind = "ExtensionType"

    def __setattr__(self, name: str, value: object) -> None:
        self._check_open(name)
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        self._check_open(name)
        del self.__dict__[name]

    def _check_open(self, name: str) -> None:
        known = any(field.name == name for field in self._tf_extension_type_fields)
        if not known or "_open" not in self.__dict__:
            raise AttributeError(
                f"Cannot mutate attribute `{name}` outside the custom constructor of {self._kind}."
            )

    def _field_values(self) -> Iterator[tuple[str, Any]]:
        return ((field.name, self.__dict__[field.name]) for field in self._tf_extension_type_fields)

    def _close(self, converter: Converter) -> None:
        """Checks and converts the fields once the constructor is done."""
        own = self.__dict__
        names = {field.name for field in self._tf_extension_type_fields}
        missing = names - own.keys()
        if missing:
            raise ValueError(f"Missing required fields: {missing}")
        for field in self._tf_extension_type_fields:
            own[field.name] = converter.convert(own[field.name], field.annotation, field.name)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self._field_values())
        return f"{type(self).__qualname__}({shown})"


def _enclosed(init: Callable, converter: Callable[[type], Converter]) -> Callable:
    """A constructor that converts and freezes the fields at its end, in the outermost class."""

    @functools.wraps(init)
    def constructor(self: Any, *args: object, **kwargs: object) -> None:
        own = self.__dict__
        if "_open" in own:
            init(self, *args, **kwargs)
            return
        own["_open"] = True
        try:
            init(self, *args, **kwargs)
        finally:
            del own["_open"]
        self._close(converter(type(self)))
        self.__validate__()

    return constructor


def _generated_init(signature: inspect.Signature) -> Callable:
    """A constructor that accepts each field as an argument."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        self.__dict__.update(bound.arguments)

    self_parameter = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [self_parameter, *signature.parameters.values()]
    __init__.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return __init__


def _signature(fields: tuple[Field, ...], of_values: bool, result: type) -> inspect.Signature:
    """Fields as parameters; one without a default after one with a default is keyword-only."""
    parameters = []
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    defaults = False
    for field in fields:
        default = inspect.Parameter.empty
        if of_values and field.default is not field_rules.NO_DEFAULT:
            default, defaults = field.default, True
        elif defaults:
            kind = inspect.Parameter.KEYWORD_ONLY
        annotation = field.annotation if of_values else inspect.Parameter.empty
        parameters.append(
            inspect.Parameter(field.name, kind, default=default, annotation=annotation)
        )
    return inspect.Signature(parameters, return_annotation=result)


def _resolver(owner: type) -> Callable[..., Any]:
    """A function that evaluates strings in the annotations of a class."""

    def resolve(annotation: str, path: str) -> Any:
        text = annotation if isinstance(annotation, str) else annotation.__forward_arg__
        scope: dict[str, Any] = {}
        for base in reversed(owner.__mro__):
            scope.update(base.__dict__.get("_tf_extension_type_scope", {}))
        scope.setdefault(owner.__name__, owner)
        try:
            return eval(text, scope)  # as typing.get_type_hints does
        except NameError:
            raise TypeError(f"{path}: Unsupported type annotation '{text}'") from None

    return resolve


@functools.cache
def _value_converter(owner: type) -> Converter:
    return Converter(
        field_rules.tensor_value, field_rules.composite_value, _resolver(owner), ImmutableDict
    )


@functools.cache
def _spec_converter(owner: type) -> Converter:
    return Converter(
        field_rules.tensor_spec,
        field_rules.composite_spec,
        _resolver(owner.value_type_of),  # type: ignore[attr-defined]
        SpecDict,
    )


def _own_fields(cls: type, scope: dict[str, Any]) -> list[Field]:
    """The fields that the body of a class declares."""
    annotations = dict(vars(cls).get("__annotations__", {}))
    fields = []
    for name, annotation in annotations.items():
        if name in field_rules.RESERVED or name.startswith(("_tf_extension_type", "__")):
            raise ValueError(
                f"The field annotations for {cls.__name__} are invalid. Field '{name}' is reserved."
            )
        resolved = _resolved(annotation, scope)
        field_rules.check_annotation(name, resolved)
        default = vars(cls).get(name, field_rules.NO_DEFAULT)
        if default is not field_rules.NO_DEFAULT:
            default = _checked_default(default, resolved, name)
        fields.append(Field(name, resolved, default))
    for name, value in vars(cls).items():
        plain = not name.startswith("_") and name not in annotations and name != "Spec"
        if plain and not callable(value) and not hasattr(type(value), "__get__"):
            raise ValueError(
                f"The field annotations for {cls.__name__} are invalid. Field {name} is missing a "
                "type annotation."
            )
    return fields


def _resolved(annotation: Any, scope: dict[str, Any]) -> Any:
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, scope)
    except NameError:
        return annotation  # resolved again when the first value is made


def _checked_default(default: object, annotation: object, name: str) -> Any:
    def as_it_is(value: object, *_: object) -> Any:
        return value

    converter = Converter(as_it_is, as_it_is, lambda *_: Tensor, ImmutableDict)
    return converter.convert(default, annotation, f"default value for {name}")


class ExtensionType(_Record, CompositeTensor):
    """The base of types of values that a program defines.

    A subclass declares fields by annotations. Each may be a tensor (`tf.Tensor`), a ragged or sparse
    tensor, another extension type, a plain value (`int`, `float`, `str`, `bytes`, `bool`,
    `tf.DType`, `tf.TensorShape`), or made of these by `Tuple`, `Mapping`, `Union` and `Optional`.
    The constructor takes the fields in order, converts and checks them; then they are fixed. Values
    pass through `tf.nest`, `tf.function`, control flow and pipelines like tensors.

    A subclass may define `__validate__`, which is called when a value has been made, its own
    constructor, which sets the fields, and a class `Spec` with further members for specs.

    Raises:
        AssertionError: if the base itself is called.
        TypeError: for fields that do not fit, or annotations that are not supported.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    ...     name: str = "masked"
    >>> value = Masked([1, 2], [True, False])
    >>> value.values, value.name
    (<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>, 'masked')
    >>> len(tf.nest.flatten(value, expand_composites=True))
    2
    """

    Spec: typing.Any
    _tf_extension_type_scope: dict[str, Any] = {}
    _stands_for_tensor = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise AssertionError(
            f"Cannot create an instance of {type(self).__name__} because {type(self).__name__} is "
            "an abstract base class."
        )

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__dict__.get("_tf_extension_type_do_not_transform_this_class"):
            return
        inherited = {
            field.name: field
            for base in reversed(cls.__mro__[1:])
            for field in base.__dict__.get("_tf_extension_type_fields", ())
        }
        # Strings in annotations are evaluated in the scope of the class statement.
        frame = sys._getframe(1)
        cls._tf_extension_type_scope = frame.f_globals
        scope = {**frame.f_globals, **frame.f_locals}
        inherited.update({field.name: field for field in _own_fields(cls, scope)})
        fields = tuple(inherited.values())
        cls._tf_extension_type_fields = fields
        for field in fields:
            if field.name in cls.__dict__:
                delattr(cls, field.name)
        init = cls.__dict__.get("__init__")
        if init is None:
            init = _generated_init(_signature(fields, True, cls))
            init.__qualname__ = f"{cls.__qualname__}.__init__"
        setattr(cls, "__init__", _enclosed(init, _value_converter))  # noqa: B010
        cls.Spec = _spec_class(cls, fields)
        if "__name__" in cls.__dict__:  # the type's name in files
            spec_names.register(f"{cls.__dict__['__name__']}.Spec")(cls.Spec)

    def __validate__(self) -> None:
        """Checks a value that has been made; subclasses raise errors here."""

    def __eq__(self, other: object) -> Any:
        """Whether all fields are equal, as a tensor of bool; False if the specs differ."""
        if type(self) is not type(other):
            return False
        assert isinstance(other, ExtensionType)
        if self._type_spec != other._type_spec:
            return False
        ours, theirs = (v._type_spec._to_components(v) for v in (self, other))
        equal = [
            _core.ops.reduce_all(_core.ops.equal(a, b)) for a, b in zip(ours, theirs, strict=True)
        ]
        return _core.ops.reduce_all(equal) if equal else _core.as_tensor(True)

    def __ne__(self, other: object) -> Any:
        equal = self == other
        return not equal if isinstance(equal, bool) else _core.ops.logical_not(equal)

    __hash__ = None  # type: ignore[assignment]

    def __deepcopy__(self, memo: object) -> ExtensionType:
        return self

    def __reduce__(self) -> tuple:
        return _rebuilt, (type(self), tuple(self._field_values()))

    @property
    def _type_spec(self) -> Any:
        own = self.__dict__
        spec = own.get("_tf_extension_type_cached_type_spec")
        if spec is None:
            spec = self.Spec._of({name: _spec_of(value) for name, value in self._field_values()})
            own["_tf_extension_type_cached_type_spec"] = spec
        return spec


def _rebuilt(kind: Any, values: object) -> Any:
    value = kind.__new__(kind)
    value.__dict__.update(values)
    return value


def as_dict(value: ExtensionType) -> dict[str, Any]:
    """The fields of a value of an extension type, by name.

    >>> class Point(tf.experimental.ExtensionType):
    ...     x: float
    ...     y: float = 0.0
    >>> tf.experimental.extension_type.as_dict(Point(1.0))
    {'x': 1.0, 'y': 0.0}
    """
    return dict(value._field_values())


def _spec_of(value: Any) -> Any:
    """The spec of a field: specs for tensors and composite values, plain values as they are."""
    if isinstance(value, Tensor) or field_rules.stands_for_tensor(value):
        return TensorSpec(value.shape, value.dtype)
    spec = getattr(value, "_type_spec", None)
    if isinstance(spec, TypeSpec):
        return spec
    if isinstance(value, tuple):
        return tuple(_spec_of(item) for item in value)
    if isinstance(value, Mapping):
        return SpecDict((key, _spec_of(item)) for key, item in value.items())
    return value


def parts_of(spec: Any) -> Iterator[Any]:
    """The children of a field's spec: items of a tuple, values of a mapping by sorted keys."""
    return iter(spec) if isinstance(spec, tuple) else (spec[key] for key in sorted(spec))


def _flat_components(spec: Any, value: object, components: list) -> None:
    if isinstance(spec, TypeSpec):
        to_components = getattr(spec, "_to_components", None)
        if to_components is not None and not isinstance(value, Tensor):
            components.extend(to_components(value))
        else:
            components.append(value)
    elif isinstance(spec, tuple | Mapping):
        for inner, item in zip(parts_of(spec), parts_of(value), strict=True):
            _flat_components(inner, item, components)


def _from_flat(spec: Any, components: Iterator[Tensor]) -> Any:
    """The value of a field from tensors, as many as its spec says."""
    if isinstance(spec, TypeSpec):
        count = len(_component_specs(spec))
        if hasattr(spec, "_from_components"):
            return spec._from_components([next(components) for _ in range(count)])
        return next(components)
    if isinstance(spec, tuple):
        return tuple(_from_flat(item, components) for item in spec)
    if isinstance(spec, Mapping):
        values = {key: _from_flat(spec[key], components) for key in sorted(spec)}
        return ImmutableDict((key, values[key]) for key in spec)
    return spec


def _filled(spec: Any, make: Callable[[TypeSpec], object]) -> Any:
    """The value of a field, made spec by spec."""
    if isinstance(spec, TypeSpec):
        return make(spec)
    if isinstance(spec, tuple):
        return tuple(_filled(item, make) for item in spec)
    if isinstance(spec, Mapping):
        return ImmutableDict((key, _filled(spec[key], make)) for key in spec)
    return spec


def _component_specs(spec: Any) -> list:
    """The specs of the tensors that a field holds."""
    if isinstance(spec, TypeSpec):
        return getattr(spec, "_component_specs", [spec])
    if isinstance(spec, tuple | Mapping):
        return [part for item in parts_of(spec) for part in _component_specs(item)]
    return []


def _joined(ours: Any, theirs: Any) -> Any:
    """The narrowest spec of a field that covers several."""
    if isinstance(ours, TypeSpec):
        return ours.most_specific_compatible_type(theirs)
    if isinstance(ours, tuple) and isinstance(theirs, tuple) and len(ours) == len(theirs):
        return tuple(map(_joined, ours, theirs))
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping) and set(ours) == set(theirs):
        return SpecDict((key, _joined(ours[key], theirs[key])) for key in ours)
    if type(ours) is not type(theirs) or ours != theirs:
        raise ValueError(f"No TypeSpec is compatible with both {ours} and {theirs}")
    return ours


def _all_fields(ours: object, theirs: object, test: Callable[[TypeSpec, Any], bool]) -> bool:
    """Whether the specs of a field pass a test, and its plain values are equal."""
    if isinstance(ours, TypeSpec):
        return test(ours, theirs)
    if isinstance(ours, tuple) and isinstance(theirs, tuple):
        return len(ours) == len(theirs) and all(
            map(lambda a, b: _all_fields(a, b, test), ours, theirs)
        )
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        return set(ours) == set(theirs) and all(
            _all_fields(ours[key], theirs[key], test) for key in ours
        )
    return type(ours) is type(theirs) and ours == theirs


def _frozen(value: object) -> Any:
    if isinstance(value, Mapping):
        return tuple(sorted((key, _frozen(item)) for key, item in value.items()))
    return value


class ExtensionTypeSpec(_Record, TypeSpec):
    """The base of the specs of extension types, which have the same fields.

    Fields that hold tensors have their specs; the others have the same values. The spec of a type
    is its member `Spec`.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> spec = Masked.Spec(tf.TensorSpec([None]), tf.TensorSpec([None], tf.bool))
    >>> spec.is_compatible_with(Masked([1.0], [True]))
    True
    """

    _kind = "ExtensionTypeSpec"
    value_type_of: typing.Any = None

    def __validate__(self) -> None:
        """Checks a spec that has been made; subclasses raise errors here."""

    @classmethod
    def _of(cls, values: Mapping[str, object]) -> Any:
        """A spec with these fields, which need no check."""
        return _rebuilt(cls, values)

    def _serialize(self) -> tuple[tuple[str, object], ...]:
        """The fields by name, as files hold them."""
        return tuple(self._field_values())

    @classmethod
    def _deserialize(cls, serialization: Any) -> Any:
        """The spec with these fields."""
        return cls._of({name: _with_spec_dicts(value) for name, value in serialization})

    @classmethod
    def from_value(cls, value: Any) -> Any:
        """The spec of a value."""
        return value._type_spec

    @property
    def value_type(self) -> type:
        """The extension type."""
        return type(self).value_type_of

    @property
    def _component_specs(self) -> list:
        return [part for _, spec in self._field_values() for part in _component_specs(spec)]

    @property
    def _flat_tensor_specs(self) -> list:
        return self._component_specs

    def _to_components(self, value: object) -> list:
        components: list = []
        for name, spec in self._field_values():
            _flat_components(spec, value.__dict__[name], components)
        return components

    def _from_components(self, components: list[Tensor]) -> Any:
        parts = iter(components)
        values = {name: _from_flat(spec, parts) for name, spec in self._field_values()}
        return self._value(values)

    def _zero(self, unknown: int) -> Any:
        """A value of this spec: zeros, `unknown` of them where a size is not known."""
        return self._value(
            {k: _filled(spec, lambda s: s._zero(unknown)) for k, spec in self._field_values()}
        )

    def _not_batchable(self) -> AttributeError:
        return AttributeError(
            f"{self.value_type.__name__} is no tf.experimental.BatchableExtensionType: its values "
            "cannot be stacked or taken apart."
        )

    def _batch(self, size: int | None) -> Any:
        raise self._not_batchable()

    def _unbatch(self) -> Any:
        raise self._not_batchable()

    def _stack(self, values: list) -> Any:
        raise self._not_batchable()

    def _slices(self, value: object) -> Any:
        raise self._not_batchable()

    def _value(self, values: dict[str, object]) -> Any:
        """A value of this spec, whose fields need no check."""
        value = _rebuilt(self.value_type, values)
        value.__dict__["_tf_extension_type_cached_type_spec"] = self
        return value

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Whether a value or another spec is compatible; unknown dimensions match any."""
        other = spec_or_value
        if not isinstance(other, TypeSpec):
            other = getattr(other, "_type_spec", None)
        if not isinstance(other, ExtensionTypeSpec) or self.value_type is not other.value_type:
            return False
        return all(
            _all_fields(spec, other.__dict__[name], lambda a, b: a.is_compatible_with(b))
            for name, spec in self._field_values()
        )

    def is_subtype_of(self, other: object) -> bool:
        """Whether every value of this spec is also one of the other spec."""
        if type(self) is not type(other):
            return False
        return all(
            _all_fields(spec, other.__dict__[name], lambda a, b: a.is_subtype_of(b))
            for name, spec in self._field_values()
        )

    def most_specific_compatible_type(self, other: object) -> ExtensionTypeSpec:
        """The narrowest spec that covers the values of both.

        Raises:
            ValueError: if there is none.
        """
        if type(self) is not type(other):
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return self._of(
            {name: _joined(spec, other.__dict__[name]) for name, spec in self._field_values()}
        )

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return False
        return all(
            _all_fields(spec, other.__dict__[name], lambda a, b: a == b)
            for name, spec in self._field_values()
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self), *(_frozen(spec) for _, spec in self._field_values())))

    def __reduce__(self) -> tuple:
        return _rebuilt_spec, (self.value_type, dict(self._field_values()))


def _with_spec_dicts(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_with_spec_dicts, value))
    if isinstance(value, Mapping):
        return SpecDict({key: _with_spec_dicts(item) for key, item in value.items()})
    return value


def _rebuilt_spec(kind: Any, values: dict[str, object]) -> Any:
    return kind.Spec._of(values)


def _spec_class(cls: Any, fields: tuple[Field, ...]) -> type:
    """The class of specs of an extension type, with the members that its own `Spec` defines."""
    base: type = cls.__mro__[1].Spec if hasattr(cls.__mro__[1], "Spec") else ExtensionTypeSpec
    members: dict[str, Any] = {}
    written = cls.__dict__.get("Spec")
    if written is not None:
        skipped = ("__dict__", "__weakref__", "__qualname__", "__module__")
        members = {key: item for key, item in vars(written).items() if key not in skipped}
    members["__module__"] = cls.__module__
    members["__qualname__"] = f"{cls.__qualname__}.Spec"
    members["value_type_of"] = cls
    members["_tf_extension_type_fields"] = fields
    made = type(f"{cls.__name__}.Spec", (base,), members)
    init = members.get("__init__") or _generated_init(_signature(fields, False, made))
    setattr(made, "__init__", _enclosed(init, _spec_converter))  # noqa: B010
    return made


setattr(ExtensionType, "Spec", ExtensionTypeSpec)  # noqa: B010
