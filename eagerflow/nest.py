"""Nested structures: lists, tuples, named tuples, dictionaries and others as trees of values.

A class takes part if it defines how its objects are flattened and rebuilt:
`__tf_flatten__(self)` returns metadata and a tuple of components, and the class method
`__tf_unflatten__(cls, metadata, components)` is its reverse.
"""

from __future__ import annotations

import dataclasses
import functools
from collections import defaultdict
from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
    MappingView,
    MutableMapping,
    Sequence,
)
from typing import Any, NamedTuple

from eagerflow import _core
from eagerflow.util import lazy

# What `Walker._form` returns for containers that native code does not know.
_OTHER = object()


class Container(NamedTuple):
    """How the objects of a class are flattened, and rebuilt with other children."""

    children: Callable[[Any], Iterable[Any]]
    rebuild: Callable[[Any, list[Any]], Any]


class _Containers(dict[type, Container | None]):
    """The containers of the classes seen so far; checks of abstract classes are slow."""

    def __init__(self, container_of: Callable[[type], Container | None]) -> None:
        self._container_of = container_of

    def __missing__(self, kind: type) -> Container | None:
        if len(self) >= 1024:  # a bound, as classes that programs make are kept alive here
            self.clear()
        self[kind] = container = self._container_of(kind)
        return container


class Walker:
    """Flattens and maps trees; what counts as a container is its user's choice.

    Args:
        container_of: from a class to its `Container`, or None if its objects are leaves.
    """

    def __init__(self, container_of: Callable[[type], Container | None]) -> None:
        self._containers = _Containers(container_of)

    def is_nested(self, value: object) -> bool:
        """Whether a value is a container."""
        return self._containers[type(value)] is not None

    def children(self, structure: object) -> list[Any]:
        """The direct children of a container, in order."""
        container = self._containers[type(structure)]
        assert container is not None
        return list(container.children(structure))

    def flatten(self, structure: Any) -> list[Any]:
        """The leaves of a structure, in order."""
        container = self._containers[type(structure)]
        if container is None:
            return [structure]
        leaves: list[Any] = []
        self._flatten_into(container.children(structure), leaves)
        return leaves

    def _flatten_into(self, items: Iterable[object], leaves: list[Any]) -> None:
        containers = self._containers
        for item in items:
            container = containers[type(item)]
            if container is None:
                leaves.append(item)
            else:
                self._flatten_into(container.children(item), leaves)

    def map(self, function: Callable[[Any], Any], structure: Any) -> Any:
        """The structure with `function` applied to its leaves."""
        containers = self._containers
        container = containers[type(structure)]
        if container is None:
            return function(structure)
        children, rebuild = container
        return rebuild(
            structure,
            [
                function(child) if containers[type(child)] is None else self.map(function, child)
                for child in children(structure)
            ],
        )

    def pack(self, structure: object, leaves: Iterable[object]) -> Any:
        """A structure of the same form that holds other leaves."""
        return self._pack(structure, iter(leaves))

    def _pack(self, structure: object, leaves: Iterator[Any]) -> Any:
        containers = self._containers
        container = containers[type(structure)]
        if container is None:
            return next(leaves)
        children, rebuild = container
        return rebuild(
            structure,
            [
                next(leaves) if containers[type(child)] is None else self._pack(child, leaves)
                for child in children(structure)
            ],
        )

    def packer(self, structure: object) -> _core.Packer:
        """The native function that packs lists of leaves in structures of this form."""
        form = self._form(structure)
        return _core.Packer(functools.partial(self.pack, structure) if form is _OTHER else form)

    def _form(self, structure: Any) -> Any:
        """The form of tuples and dictionaries: None for a leaf; `_OTHER` for other containers."""
        kind = type(structure)
        if self._containers[kind] is None:
            return None
        if kind is tuple:
            form: Any = tuple(map(self._form, structure))
            parts = form
        elif kind is dict and all(type(key) is str for key in structure):
            form = {key: self._form(part) for key, part in structure.items()}
            parts = tuple(form.values())
        else:
            return _OTHER
        return _OTHER if _OTHER in parts else form

    def rebuild(self, structure: Any, children: list[Any]) -> Any:
        """A container like `structure` with other direct children."""
        container = self._containers[type(structure)]
        assert container is not None
        return container.rebuild(structure, children)

    def flatten_up_to(self, shallow: Any, structure: Any) -> list[Any]:
        """The parts of `structure` at the positions of the leaves of `shallow`, in order.

        Raises:
            TypeError: if one is a leaf or a mapping where the other is not.
            ValueError: if lengths or keys differ.
        """
        if not self.is_nested(shallow):
            return [structure]
        form = f"{_shortened(structure)} does not have the form of {_shortened(shallow)}"
        mapping = isinstance(shallow, Mapping)
        if not self.is_nested(structure) or isinstance(structure, Mapping) != mapping:
            raise TypeError(f"{form}.")
        if mapping and set(shallow) != set(structure):
            raise ValueError(f"{form}: the keys differ.")
        outer, inner = self.children(shallow), self.children(structure)
        if len(outer) != len(inner):
            raise ValueError(f"{form}: the lengths {len(inner)} and {len(outer)} differ.")
        return [
            part
            for one, other in zip(outer, inner, strict=True)
            for part in self.flatten_up_to(one, other)
        ]


def flattens_itself(kind: type) -> bool:
    """Whether a class defines how its objects are flattened and rebuilt."""
    return hasattr(kind, "__tf_flatten__") and hasattr(kind, "__tf_unflatten__")


def _sorted_keys(structure: Mapping[Any, Any]) -> list[Any]:
    try:
        return sorted(structure)
    except TypeError:
        raise TypeError(f"nest only supports dicts with sortable keys, got {structure!r}") from None


def _mapping_children(structure: Mapping[Any, Any]) -> list[Any]:
    return [structure[key] for key in _sorted_keys(structure)]


def _rebuilt_mapping(structure: Mapping[Any, Any], children: Sequence[object]) -> Any:
    values = dict(zip(_sorted_keys(structure), children, strict=True))
    values = {key: values[key] for key in structure}
    kind = type(structure)
    if kind is dict:
        return values
    if isinstance(structure, MutableMapping):
        mapping: Any = (
            defaultdict(structure.default_factory) if isinstance(structure, defaultdict) else kind()
        )
        for key, value in values.items():
            mapping[key] = value
        return mapping
    try:
        return kind(values.items())  # type: ignore[call-arg]
    except TypeError as error:
        raise TypeError(
            f"Error creating an object of type {kind} like {structure}. Note that it must accept a "
            "single positional argument representing an iterable of key-value pairs, in addition "
            f"to self. Cause: {error}"
        ) from error


def _field_names(structure: Any) -> list[str]:
    fields = getattr(type(structure), "__attrs_attrs__", None)
    if fields is None:
        fields = dataclasses.fields(structure)
    return [field.name for field in fields]


LIST = Container(iter, lambda structure, children: children)
TUPLE = Container(iter, lambda structure, children: tuple(children))
SEQUENCE = Container(iter, lambda structure, children: type(structure)(children))
NAMED_TUPLE = Container(iter, lambda structure, children: type(structure)(*children))
VIEW = Container(iter, lambda structure, children: children)
MAPPING = Container(_mapping_children, _rebuilt_mapping)
SELF_FLATTENING = Container(
    lambda structure: structure.__tf_flatten__()[1],
    lambda structure, children: structure.__tf_unflatten__(
        structure.__tf_flatten__()[0], tuple(children)
    ),
)
FIELDS = Container(
    lambda structure: [getattr(structure, name) for name in _field_names(structure)],
    lambda structure, children: type(structure)(
        **dict(zip(_field_names(structure), children, strict=True))
    ),
)
ATTRS = Container(FIELDS.children, lambda structure, children: type(structure)(*children))


def _is_plain_tuple(kind: type) -> bool:
    """Whether a class is that of tuples, also of those that an attribute holds in a wrapper."""
    return kind is tuple or getattr(kind, "_wraps_tuple", False)


def tuple_container(kind: type) -> Container:
    """The container of a class of tuples."""
    if _is_plain_tuple(kind):
        return TUPLE
    return NAMED_TUPLE if hasattr(kind, "_fields") else SEQUENCE


def _container_of(kind: type) -> Container | None:
    """The containers of `tf.nest`: sequences but strings, mappings, attrs, and `__tf_flatten__`."""
    if kind is list:
        return LIST
    if issubclass(kind, Mapping):
        return MAPPING
    if issubclass(kind, MappingView | range):
        return VIEW
    if flattens_itself(kind):
        return SELF_FLATTENING
    if hasattr(kind, "__attrs_attrs__"):
        return ATTRS
    if issubclass(kind, tuple):
        return tuple_container(kind)
    if issubclass(kind, Sequence) and not issubclass(kind, str | bytes):
        return SEQUENCE
    return None


walker = Walker(_container_of)


def is_nested(seq: object) -> bool:
    """Whether `seq` is a list, tuple, dictionary or the like; strings and tensors are not.

    Objects of classes with `__tf_flatten__` and `__tf_unflatten__`, or made by attrs, are, too.

    >>> tf.nest.is_nested([1]), tf.nest.is_nested("ab"), tf.nest.is_nested({})
    (True, False, True)
    """
    return walker._containers[type(seq)] is not None


def _is_named_tuple(structure: object) -> bool:
    return isinstance(structure, tuple) and hasattr(structure, "_fields")


def _is_composite(value: object) -> bool:
    """Whether tensors make up a value, or it is the spec of such values."""
    kind = type(value)
    return getattr(kind, "_is_composite_tensor", False) or hasattr(kind, "_component_specs")


def _spec_of(value: Any) -> Any:
    return value if hasattr(type(value), "_component_specs") else value._type_spec


def _components(value: Any) -> Any:
    """The components of a ragged, sparse or other composite value; specs for a spec."""
    if hasattr(type(value), "_component_specs"):
        return value._component_specs
    return value._type_spec._to_components(value)


def _parts(value: Any) -> list[Any]:
    """The tensors that make up a composite value, the specs of them for a spec."""
    return flatten(_components(value), expand_composites=True)


def flatten(structure: object, expand_composites: bool = False) -> list[Any]:
    """The leaves of a nested structure, in order; dictionaries are walked by sorted keys.

    Args:
        structure: a nested structure, or a single value, for a list of one.
        expand_composites: whether ragged, sparse and other composite tensors are walked, too.

    Raises:
        TypeError: if a dictionary's keys cannot be sorted.

    >>> tf.nest.flatten({"b": 1, "a": [2, (3,)]})
    [2, 3, 1]
    """
    leaves = walker.flatten(structure)
    if expand_composites and any(map(_is_composite, leaves)):
        return [
            part for leaf in leaves for part in (_parts(leaf) if _is_composite(leaf) else (leaf,))
        ]
    return leaves


def _pack(structure: object, leaves: Iterable[object], expand: bool = False) -> Any:
    if not expand:
        return walker.pack(structure, leaves)
    remaining = iter(leaves)

    def packed(leaf: object) -> Any:
        if not _is_composite(leaf):
            return next(remaining)
        return _spec_of(leaf)._from_components(walker.map(packed, _components(leaf)))

    return walker.map(packed, structure)


def pack_sequence_as(
    structure: object, flat_sequence: Sequence[object], expand_composites: bool = False
) -> Any:
    """A structure like `structure` whose leaves are those of `flat_sequence`.

    Args:
        structure: a nested structure, or a single value.
        flat_sequence: the new leaves, a list.
        expand_composites: whether the parts of composite tensors count as leaves.

    Raises:
        TypeError: if `flat_sequence` is not a list or tuple.
        ValueError: if the leaf counts differ.

    >>> tf.nest.pack_sequence_as({"b": 0, "a": [0, 0]}, [1, 2, 3])
    {'b': 3, 'a': [1, 2]}
    """
    if not is_nested(flat_sequence) or isinstance(flat_sequence, Mapping):
        raise TypeError(
            f"Attempted to pack value:\n  {_shortened(flat_sequence)}\ninto a structure, but found "
            f"incompatible type `{type(flat_sequence)}` instead."
        )
    if not is_nested(structure) and not (expand_composites and _is_composite(structure)):
        if len(flat_sequence) != 1:
            raise ValueError(
                f"The target structure is of type `{type(structure)}`\n  {_shortened(structure)}\n"
                f"However the input is a sequence ({type(flat_sequence)}) of length "
                f"{len(flat_sequence)}.\n  {_shortened(flat_sequence)}\n"
                "nest cannot guarantee that it is safe to map one to the other."
            )
        return flat_sequence[0]
    count = len(flatten(structure, expand_composites))
    if count != len(flat_sequence):
        raise ValueError(
            f"Could not pack sequence. Structure had {count} atoms, but flat_sequence had "
            f"{len(flat_sequence)} items.  Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return _pack(structure, flat_sequence, expand_composites)


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Applies `func` to corresponding leaves and puts the results into the same structure.

    Args:
        func: a function of as many arguments as there are structures.
        *structure: nested structures of the same form.
        **kwargs: `check_types=False` lets lists match tuples; the result is like the first.

    Raises:
        TypeError: if `func` cannot be called, or types of structures differ.
        ValueError: if the structures differ, or there are none.

    >>> tf.nest.map_structure(lambda a, b: a + b, {"x": 1, "y": [2]}, {"x": 10, "y": [20]})
    {'x': 11, 'y': [22]}
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    expand = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            "Only valid keyword arguments are `check_types` and `expand_composites`, not: "
            f"`{'`, `'.join(kwargs)}`"
        )
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand)
    columns = [flatten(item, expand) for item in structure]
    results = [func(*leaves) for leaves in zip(*columns, strict=True)]
    return _pack(structure[0], results, expand)


flatten_up_to = walker.flatten_up_to


def map_structure_up_to(shallow: object, func: Callable[..., object], *structures: object) -> Any:
    """Applies `func` to corresponding parts of the structures at the leaves of `shallow`.

    Returns:
        A structure like `shallow` that holds the results.
    """
    parts = [flatten_up_to(shallow, structure) for structure in structures]
    results = [func(*values) for values in zip(*parts, strict=True)]
    return _pack(shallow, results)


def assert_same_structure(
    nest1: object, nest2: object, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Checks that two structures are nested in the same way.

    Args:
        nest1: a nested structure or a single value.
        nest2: another one.
        check_types: whether lists and tuples must be of the same types too.
        expand_composites: whether ragged, sparse and other composite tensors must be of one kind,
            dtype and rank, too.

    Raises:
        TypeError: if only types differ.
        ValueError: if the structures differ.

    >>> tf.nest.assert_same_structure([1, (2, 3)], ["a", ("b", "c")])
    """
    difference = _difference(nest1, nest2, check_types, expand_composites)
    if difference is None:
        return
    error, text = difference
    raise error(
        "The two structures don't have the same nested structure.\n\n"
        f"First structure: {_described(nest1)}\n\nSecond structure: {_described(nest2)}\n\n"
        f"More specifically: {text}\n"
        f"Entire first structure:\n{_dots(nest1)}\nEntire second structure:\n{_dots(nest2)}"
    )


def _difference(
    first: Any, second: Any, check_types: bool, expand: bool
) -> tuple[type, str] | None:
    """What distinguishes two structures: the type of the error to raise and its text."""
    if expand and (_is_composite(first) or _is_composite(second)):
        return _difference_of_composites(first, second)
    nested = is_nested(first)
    if nested != is_nested(second):
        return _not_both(first, second, nested)
    if not nested:
        return None
    mappings = isinstance(first, Mapping) and isinstance(second, Mapping)
    if check_types and not mappings and not _same_sequence_type(first, second):
        return TypeError, (
            "The two namedtuples don't have the same sequence type. "
            f"First structure {_described(first)} has type {type(first).__name__}, "
            f"while second structure {_described(second)} has type {type(second).__name__}"
        )
    if check_types and mappings and set(first) != set(second):
        return ValueError, (
            "The two dictionaries don't have the same set of keys. "
            f"First structure has keys {_described(list(first))}, "
            f"while second structure has keys {_described(list(second))}"
        )
    children, others = walker.children(first), walker.children(second)
    for child, other in zip(children, others, strict=False):
        difference = _difference(child, other, check_types, expand)
        if difference is not None:
            return difference
    if len(children) != len(others):
        return ValueError, (
            "The two structures don't have the same number of elements. "
            f"First structure: {_described(first)}. Second structure: {_described(second)}"
        )
    return None


def _not_both(first: Any, second: Any, nested: bool) -> tuple[type, str]:
    one, other = (first, second) if nested else (second, first)
    return ValueError, (
        f'Substructure "{_described(one)}" is a sequence, '
        f'while substructure "{_described(other)}" is not'
    )


def _difference_of_composites(first: object, second: object) -> tuple[type, str] | None:
    composite = _is_composite(first)
    if composite != _is_composite(second):
        return _not_both(first, second, composite)
    ours, theirs = _spec_of(first), _spec_of(second)
    try:
        ours.most_specific_compatible_type(theirs)
    except (TypeError, ValueError):
        return ValueError, (
            f"Incompatible CompositeTensor TypeSpecs: {_described(ours)} vs. {_described(theirs)}"
        )
    return None


def _same_sequence_type(first: Any, second: Any) -> bool:
    if type(first) is type(second) or (isinstance(first, list) and isinstance(second, list)):
        return True
    if _is_named_tuple(first) and _is_named_tuple(second):
        return type(first).__name__ == type(second).__name__ and first._fields == second._fields
    return _is_plain_tuple(type(first)) and _is_plain_tuple(type(second))


def _described(structure: object) -> str:
    return f"type={type(structure).__name__} str={structure!s}"


def _shortened(value: object, limit: int = 200) -> str:
    text = str(value)
    return text if len(text) <= limit else text[:limit] + "..."


def _dots(structure: Any) -> str:
    """The structure as text with a dot for each leaf."""
    if not is_nested(structure):
        return "."
    if isinstance(structure, Mapping):
        return "{" + ", ".join(f"{key!r}: {_dots(structure[key])}" for key in structure) + "}"
    items = [_dots(item) for item in walker.children(structure)]
    if flattens_itself(type(structure)) or hasattr(type(structure), "__attrs_attrs__"):
        return f"{type(structure).__name__}({', '.join(items)})"
    if _is_named_tuple(structure):
        fields = zip(structure._fields, items, strict=True)
        return f"{type(structure).__name__}({', '.join(f'{k}={v}' for k, v in fields)})"
    if isinstance(structure, tuple):
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    return f"[{', '.join(items)}]"


__dir__ = lazy.listing(__name__)
